"""Runs the examples in the texts of all modules of the package; each must have some."""

import doctest
import importlib
import pkgutil
import sys

import myriad

tried = failed = 0
for module in ["myriad", *(f"myriad.{m.name}" for m in pkgutil.iter_modules(myriad.__path__) if m.name != "_native")]:
    result = doctest.testmod(importlib.import_module(module))
    tried, failed = tried + result.attempted, failed + result.failed
print(f"{tried} examples, {failed} failed")
sys.exit(failed > 0 or tried < 30)
