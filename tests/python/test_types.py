"""Every public function says the types of its arguments and of its result; a type checker finds no fault with the package, with
what is wrong, and with the first example."""

import importlib
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

import myriad as my

EXAMPLE = os.path.join(os.environ["MYRIAD_SOURCE"], "examples", "hello.py")
MODULES = ("myriad", "myriad.diagnostics", "myriad.flow", "myriad.ipi", "myriad.ase")

WRONG = """import myriad as my
stars = my.model("plummer", n="many")
stars.append([1, 2])
my.Simulation(stars, "gravity")
my.kernels()["gravity"].flops
stars.position.shape + 1
"""


def public():
    """Public functions and methods of the package with their names."""
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:  # of what a bridge leads to
            continue
        for entry, thing in vars(module).items():
            if entry.startswith("_") or not getattr(thing, "__module__", "").startswith("myriad"):
                continue
            if inspect.isfunction(thing):
                yield f"{name}.{entry}", thing
            for method, function in vars(thing).items() if inspect.isclass(thing) else ():
                function = getattr(function, "fget", getattr(function, "__func__", function))
                if inspect.isfunction(function) and (method == "__init__" or not method.startswith("_")):
                    yield f"{name}.{entry}.{method}", function


class Annotations(unittest.TestCase):
    def test_all_have_them(self):
        found, without = 0, []
        for name, function in public():
            signature = inspect.signature(function)
            found += 1
            without += [f"{name}({parameter.name})" for k, parameter in enumerate(signature.parameters.values())
                        if parameter.annotation is parameter.empty and not (k == 0 and parameter.name in ("self", "cls"))]
            if signature.return_annotation is signature.empty:
                without.append(f"{name} ->")
        self.assertEqual(without, [])
        self.assertGreater(found, 150)

    @unittest.skipIf(sys.version_info < (3, 10), "types are written as Python 3.10 reads them")
    def test_their_names_exist(self):
        for name, function in public():
            with self.subTest(name):
                typing.get_type_hints(inspect.unwrap(function))


@unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
class Checker(unittest.TestCase):
    def check(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            return subprocess.run(["mypy", "--cache-dir", cache, "--ignore-missing-imports", *arguments], text=True, capture_output=True,
                                  env={**os.environ, "MYPYPATH": os.path.dirname(my.__path__[0])})

    def test_package_and_example(self):
        done = self.check(my.__path__[0], EXAMPLE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes_are_found(self):
        done = self.check("-c", WRONG)
        found = sorted({int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line})
        self.assertEqual(found, [2, 3, 4, 6], done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
