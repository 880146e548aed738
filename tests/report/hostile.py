#!/usr/bin/env python3
"""Puts hostile text into the results of a run, wherever a report may show text of a file.

usage: hostile.py DIRECTORY          changes the files of the directory
       hostile.py --name             prints a hostile name for a directory

The text tries to leave its place in a page and to set window.hit; what gets out as markup leaves an element `hostile`.
"""
import itertools
import json
import os
import re
import sys

SCRIPT = '"><script>window.hit=1</script>'
HOSTILE = [text if isinstance(text, bytes) else text.encode() for text in (
    SCRIPT,
    "'><img src=x onerror=window.hit=1>",
    "</script><script>window.hit=1</script><hostile>",
    "</title></style></svg></pre><svg onload=window.hit=1>",
    "--><iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
    "javascript:window.hit=1",
    '" onmouseover=window.hit=1 autofocus onfocus=window.hit=1 x="',
    "&lt;hostile&gt; &#60;script&#62;window.hit=1&#60;/script&#62; &",
    "%s%n%d%%^-9^",
    "<hostile>" + "long" * 2000,
    b"<hostile>\xff\xfe\xc0\xbc\xed\xa0\x80\xf4\x90\x80\x80 \xe2\x82",
    b"<hostile>\x01\x02\x1b[31m\x7f\xc2\x9b31m",
    "<hostile>\u2028\u202e\u2066\ufeff",
)]
YAML_SAFE = [text.decode() for text in HOSTILE[:9]]  # run.json is read as YAML, which has no such bytes
KEPT = {"time", "energy_error", "kinetic_energy", "temperature", "r", "state"}


def table(path):
    """New names for columns, and units for all of them."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    at = next(k for k, line in enumerate(lines) if not line.startswith(b"#"))
    texts = itertools.cycle([b"x" + text for text in HOSTILE])  # a cell that begins with a quote ends with one
    names = [name if name.decode() in KEPT and k else next(texts) for k, name in enumerate(lines[at].split(b","))]
    if os.path.basename(path) == "diagnostics.csv":
        names[0] = b"time"
    units = [next(texts) for _ in names]
    if os.path.basename(path) == "diagnostics.csv":  # of both runs of a comparison the same
        units = [b"x" + HOSTILE[0] for _ in names]
    lines[at] = b",".join(names)
    lines = [line for line in lines if not line.startswith(b"#")]
    with open(path, "wb") as file:
        file.write(b"# units: " + b",".join(units) + b"\n" + b"\n".join(lines))


def strings(value, texts, name=None):
    """The same JSON with every text replaced."""
    if isinstance(value, dict):
        return {key: strings(member, texts, key) for key, member in value.items()}
    if isinstance(value, list):
        return [strings(member, texts) for member in value]
    return next(texts) if (isinstance(value, str) or value is None) and name not in KEPT else value


def facts(path):
    with open(path) as file:
        value = json.load(file)
    value = strings(value, itertools.cycle(YAML_SAFE))
    if "machine" in value:
        value["machine"]["gpus"] = YAML_SAFE
        value["command"] = YAML_SAFE
        value["state"] = "stopped"
    with open(path, "w") as file:
        json.dump(value, file, indent=2)


def effective_input(path):
    """Comments, and values that can be any text: a file's name and the names of species."""
    with open(path) as file:
        text = file.read()
    text = re.sub(r"(?m)^(\s+- name:) \w+", lambda m: m.group(1) + " " + json.dumps(SCRIPT), text)
    if "model: plummer" in text:  # particles of a file then
        text = re.sub(r"(?s)particles:\n.*?\n(?=\w)", "particles:\n  file: %s\n" % json.dumps("x" + SCRIPT), text)
    with open(path, "w") as file:
        file.write(text + "".join("# %s\n" % hostile for hostile in YAML_SAFE))


def main():
    if sys.argv[1] == "--name":
        print("<img src=x onerror=window.hit=1><hostile>")
        return
    directory = sys.argv[1]
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        if name.endswith(".csv") and not name.startswith("snapshot"):
            table(path)
        elif name == "run.json":
            facts(path)
        elif name == "input.yaml":
            effective_input(path)
    if os.path.exists(os.path.join(directory, "summary.json")):
        os.remove(os.path.join(directory, "summary.json"))  # a run that has not finished has more to say
    for text in ("<img src=x onerror=window.hit=1>", "'\"><hostile>"):  # damaged, and named in the notes
        with open(os.path.join(directory, "snapshot_00099." + text), "w") as file:
            file.write(SCRIPT)
    with open(os.path.join(directory, "snapshot_00098.csv"), "w") as file:  # a reader quotes what it cannot read
        file.write("x,y,z,mass\n1,2,%s,4\n" % SCRIPT)


main()
