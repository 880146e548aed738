"""Runs the examples in the texts of all modules of the package, and those of the pages about it."""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pkgutil
import re
import sys
import tempfile

import myriad

# Modules whose functions and classes are used by their own names, and what is in them for the rest of the package or a command.
MODULES = ("myriad.diagnostics", "myriad.flow", "myriad.ase", "myriad.ipi")
NO_EXAMPLE = ("myriad.flow.configure",)

tried = failed = 0
without = []  # of examples


def has_example(thing):
    return ">>>" in (inspect.getdoc(thing) or "")


def public(module):
    """Classes and functions that a module defines, and its users see, with their names."""
    for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
        thing = getattr(module, name)
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__module__ == module.__name__:
            yield f"{module.__name__}.{name}", thing


source, pages = os.environ["MYRIAD_SOURCE"], 0
work = tempfile.TemporaryDirectory()
os.chdir(work.name)  # runs leave their results here
os.symlink(os.path.join(source, "examples"), "examples")
for module in ["myriad", *(f"myriad.{m.name}" for m in pkgutil.iter_modules(myriad.__path__) if m.name != "_native")]:
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:  # of what a bridge leads to
        print(f"left out: {module}: {error}")
        continue
    result = doctest.testmod(loaded)
    tried, failed = tried + result.attempted, failed + result.failed
    if module in MODULES:
        without += [name for name, thing in public(loaded) if name not in NO_EXAMPLE and not has_example(thing)]

# Every public name has an example, except the C interface itself.
without += [name for name in myriad.__all__ if name != "c" and not has_example(getattr(myriad, name))]
if without:
    sys.exit(f"no example in the text of {', '.join(without)}")

for page in ("README.md", "docs/python.md"):
    names = {}
    with open(os.path.join(source, page), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    for block in blocks:
        with open(f"block{pages}.py", "w", encoding="utf-8") as file:  # @my.pair reads its source
            file.write(block)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(block, file.name, "exec"), names)
        pages += 1
os.chdir("/")
work.cleanup()
print(f"{tried} examples, {failed} failed; {pages} blocks of pages")
sys.exit(failed > 0 or tried < 300 or pages < 5)
