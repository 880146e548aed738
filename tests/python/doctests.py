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

tried = failed = 0
for module in ["myriad", *(f"myriad.{m.name}" for m in pkgutil.iter_modules(myriad.__path__) if m.name != "_native")]:
    try:
        result = doctest.testmod(importlib.import_module(module))
    except ImportError as error:  # of what a bridge leads to
        print(f"left out: {module}: {error}")
        continue
    tried, failed = tried + result.attempted, failed + result.failed

# Every public name has an example, except the C interface itself.
without = [name for name in myriad.__all__ if name != "c" and ">>>" not in (inspect.getdoc(getattr(myriad, name)) or "")]
if without:
    sys.exit(f"no example in the text of {', '.join(without)}")

source, pages = os.environ["MYRIAD_SOURCE"], 0
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)  # runs leave their results here
    os.symlink(os.path.join(source, "examples"), "examples")
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
print(f"{tried} examples, {failed} failed; {pages} blocks of pages")
sys.exit(failed > 0 or tried < 190 or pages < 5)
