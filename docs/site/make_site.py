"""Makes the site of the documents: make_site.py BUILD OUT [--quick]

BUILD is a build folder with `myriad` and fortran/. OUT/html is the site, OUT/source the staged copy of the documents that
Sphinx reads: it mirrors the repository, so that the links of the documents hold. --quick runs every input of the gallery for
three steps, and makes figures of two points a line.
"""
import csv
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import links
import pictures
import references

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
REDIRECT = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Myriad</title>
<meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/index.html">Myriad</a></html>
"""


def stage(source):
    """Copies what the pages link to, in the places that the repository has it."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for page in PAGES:
        shutil.copy(ROOT / page, source)
    shutil.copytree(ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("site", "__pycache__"))
    shutil.copytree(ROOT / "examples", source / "examples")
    shutil.copytree(ROOT / "packaging", source / "packaging")
    shutil.copy(ROOT / "docs/site/conf.py", source)
    shutil.copytree(ROOT / "docs/site/style", source / "style")
    (source / "extra").mkdir()
    (source / "extra/index.html").write_text(REDIRECT)


def stage_linked(source):
    """Copies files of the repository that pages link to, sources for example; a link to a folder becomes its text."""
    for page in source.rglob("*.md"):
        def staged(found):
            text, path = found.groups()
            target = (page.parent / path).resolve()
            inside = target.is_relative_to(source) and ROOT / target.relative_to(source)
            if inside and inside.is_dir():
                return text
            if inside and inside.is_file() and inside.suffix != ".md" and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(inside, target)
            return found.group(0)

        page.write_text(re.sub(r"(?<!!)\[([^][]*)\]\(([^)#:]+)\)", staged, page.read_text()))


def table(path):
    """A CSV file as a table, and below it where the figures come from (its first lines, which begin with #)."""
    text = path.read_text().splitlines()
    origin = dict(re.match(r"# (\w+): (.*)", line).groups() for line in text if line.startswith("#"))
    rows = list(csv.reader(line for line in text if not line.startswith("#")))
    if any(len(row) != len(rows[0]) for row in rows):
        raise SystemExit(f"{path}: rows of different lengths")
    missing = {"machine", "date", "commit", "command"} - set(origin)
    if missing:
        raise SystemExit(f"{path}: its first lines lack {', '.join(sorted(missing))}")
    shown = [[cell.replace("_", " ") for cell in rows[0]], ["---"] * len(rows[0]), *rows[1:]]
    return ("\n".join("| " + " | ".join(row) + " |" for row in shown) + f"\n\n*{origin['machine']}; {origin['date']}, commit "
            f"{origin['commit']}; `{origin['command']}`*\n")


def insert_tables(folder):
    """Replaces blocks {table-of-csv} FILE of the staged pages."""
    for page in folder.glob("*.md"):
        text = page.read_text()
        page.write_text(re.sub(r"```\{table-of-csv\} (\S+)\n```\n", lambda found: table(folder / found.group(1)), text))


def make_references(build, source):
    reference = source / "docs/reference"
    references.write_c(ROOT / "include/myriad", reference / "c")
    references.write_python(ROOT / "bindings/python/myriad", reference / "python.md")
    references.write_fortran(build / "fortran/myriad.f90", reference / "fortran.md")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--quick"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    build, out = Path(arguments[0]).resolve(), Path(arguments[1]).resolve()
    source, html = out / "source", out / "html"
    began = time.monotonic()
    stage(source)
    stage_linked(source)
    insert_tables(source / "docs/papers")
    make_references(build, source)
    pictures.make(build / "myriad", source, quick="--quick" in sys.argv)
    shutil.rmtree(html, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2", "-b", "html",
                           "-d", str(out / "doctrees"), str(source), str(html)], check=False)
    broken = links.check(html)
    for line in broken:
        print(line, file=sys.stderr)
    if made.returncode or broken:
        sys.exit(1)
    print(f"The site is in {html}: {len(list(html.rglob('*.html')))} pages, {time.monotonic() - began:.0f} s")


main()
