"""Every function, type and constant of the public headers is reachable from Python."""

import ast
import os
import re
import unittest

import myriad as my

INCLUDE = os.path.join(os.environ["MYRIAD_SOURCE"], "include", "myriad")


def text_of_headers():
    parts = []
    for name in sorted(os.listdir(INCLUDE)):
        with open(os.path.join(INCLUDE, name), encoding="utf-8") as file:
            parts.append(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))
    return "\n".join(parts)


def missing(names, library):
    return [name for name in names if not hasattr(library, name)]


class Headers(unittest.TestCase):
    text = text_of_headers()

    def test_functions(self):
        names = re.findall(r"MYR_API [^;(]*?\b(myr_[a-z0-9_]+)\(", self.text)
        self.assertGreater(len(names), 280)
        self.assertEqual(missing(names, my.c.lib), [])

    def test_constants(self):
        names = re.findall(r"^#define (MYR_[A-Z0-9_]+) [(0-9]", self.text, re.M)
        for inside in re.findall(r"enum \{([^}#]*)\}", self.text):
            names += re.findall(r"\bMYR_[A-Z0-9_]+", re.sub(r"=[^,]*", "", inside))
        self.assertGreater(len(names), 50)
        self.assertEqual([name for name in names if not hasattr(my.c.lib, name)], [])
        self.assertEqual(my.c.lib.MYR_TOPOLOGY_COULOMB, 18.2223**2)

    def test_structures(self):
        names = re.findall(r"^\} (myr_[a-z0-9_]+);", self.text, re.M)
        self.assertGreater(len(names), 40)
        for name in names:
            my.c.ffi.typeof(name)

    def test_cpp(self):
        """myriad.hpp has an owner for every object that is destroyed, and functions of C take the owners."""
        with open(os.path.join(INCLUDE, "myriad.hpp"), encoding="utf-8") as file:
            text = file.read()
        objects = {(kind, name) for name, kind in re.findall(r"MYR_API void (myr_\w+)\((myr_\w+) \*\*\w+\)", self.text)}
        self.assertGreater(len(objects), 10)
        owned = set(re.findall(r"(?:Owner|Object)<(myr_\w+), (myr_\w+)>", text))
        self.assertEqual(owned, objects)
        converted = set(re.findall(r"operator (myr_\w+) \*\(\) const", text))
        by_object = {kind for kind, _ in re.findall(r"Object<(myr_\w+), (myr_\w+)>", text)}
        self.assertEqual(converted | by_object, {kind for kind, _ in objects})
        self.assertEqual(set(re.findall(r"#include <(myriad/\w+\.h)>", text)), {"myriad/myriad.h", "myriad/run.h"})

    def test_every_function_is_public(self):
        """The names that the walk above finds are those that the libraries export: none escapes it."""
        names = set(re.findall(r"MYR_API [^;(]*?\b(myr_[a-z0-9_]+)\(", self.text))
        self.assertEqual(set(re.findall(r"\b(myr_[a-z0-9_]+)\(", self.text)), names)
        reached = {name for name in dir(my.c.lib) if name.startswith("myr_")}
        self.assertEqual(reached, names)
        removed = sorted(names)[7]
        fewer = type("Fewer", (), {name: None for name in reached - {removed}})
        self.assertEqual(missing(names, fewer), [removed])  # the walk sees a function that is not there

    def test_stubs(self):
        """The stubs, which the build makes, have every name; they are Python."""
        folder = os.path.dirname(my.__file__)
        with open(os.path.join(folder, "_native.pyi"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        library = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "_Library")
        names = {getattr(node, "name", None) or node.target.id for node in library.body}
        self.assertEqual(names, {name for name in dir(my.c.lib) if name.lower().startswith(("myr_", "myriad_"))})
        with open(os.path.join(folder, "errors.pyi"), encoding="utf-8") as file:
            classes = {node.name for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)}
        self.assertEqual(classes | {"Error", "MyriadWarning"}, set(my.errors.__all__))

    def test_errors(self):
        names = set(re.findall(r"MYR_STATUS\((MYR_ERROR_[A-Z]+),", self.text))
        classes = {getattr(getattr(my.errors, name), "status", None) for name in my.errors.__all__} - {None}
        self.assertEqual(classes, names)


if __name__ == "__main__":
    unittest.main()
