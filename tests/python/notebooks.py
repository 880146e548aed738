"""Runs the notebooks of examples/notebooks from beginning to end, as Jupyter does, and looks at what they show.

usage: notebooks.py FOLDER
"""

import os
import shutil
import sys
import tempfile
import time

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    from nbclient import NotebookClient
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a remark of Debian's debugger about frozen modules

# What a cell of each notebook must show, besides a picture: words of the HTML, or of the text.
SHOWN = {
    "argon.ipynb": ("<iframe", "progress", "pressure_tensor"),
    "own_kernel.ipynb": ("4000000 pairs", "largest difference", "leapfrog"),
    "protein.ipynb": ("22 atoms", "coulomb", "converged=1"),
    "star_cluster.ipynb": ("<caption>1000 particles", "hermite4", "particle_steps"),
    "vortex_ring.ipynb": ("impulse", "overlap", "speed 0."),
}


def outputs(notebook):
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


def text_of(notebook):
    parts = []
    for output in outputs(notebook):
        parts.append(output.get("text", ""))
        parts += [output.get("data", {}).get(kind, "") for kind in ("text/plain", "text/html")]
    return "\n".join(parts)


def check_stored(name, notebook):
    for cell in notebook.cells:
        if cell.get("outputs") or cell.get("execution_count") is not None:
            sys.exit(f"{name} is stored with output; clear it")


def run(source, work, name):
    notebook = nbformat.read(os.path.join(source, name), as_version=4)
    check_stored(name, notebook)
    began = time.monotonic()
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": work}}).execute()
    shown = text_of(notebook)
    for words in SHOWN[name]:
        if words not in shown:
            sys.exit(f"{name} does not show '{words}'; it shows\n{shown[:4000]}")
    warnings = [output.text for output in outputs(notebook) if output.get("name") == "stderr"]
    if warnings:
        sys.exit(f"{name} warns: {warnings}")
    if not any("image/png" in output.get("data", {}) for output in outputs(notebook)):
        sys.exit(f"{name} shows no picture")
    print(f"{name}: {len(notebook.cells)} cells, {time.monotonic() - began:.1f} s")


def main():
    source = sys.argv[1]
    names = sorted(name for name in os.listdir(source) if name.endswith(".ipynb"))
    if names != sorted(SHOWN):
        sys.exit(f"the notebooks are {names}, and this test knows {sorted(SHOWN)}")
    with tempfile.TemporaryDirectory() as root:  # what notebooks write stays here
        examples = os.path.join(root, "examples")
        shutil.copytree(os.path.dirname(os.path.abspath(source)), examples, symlinks=True)
        for name in names:
            run(source, os.path.join(examples, "notebooks"), name)


main()
