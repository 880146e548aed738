"""Writes type stubs of the modules that have no Python source: myriad._native and myriad.errors, from the declarations of
the public headers.

usage: stubs.py DECLARATIONS FOLDER
"""

import ast
import os
import re
import sys

from pycparser import c_ast

from declarations import CALLBACKS, parsed


def hint(node, is_argument):
    """The Python type of a C type: numbers, bytes for texts, cffi's objects for all else."""
    if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        name = " ".join(node.type.names)
        if name == "double":
            return "float"
        if name == "void":
            return "None"
        return "CData" if name in structures or name.endswith("_fn") else "int"
    inner = node.type if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)) else None
    if is_argument and isinstance(inner, c_ast.TypeDecl) and getattr(inner.type, "names", None) == ["char"]:
        return "bytes | CData"
    if is_argument and isinstance(inner, c_ast.TypeDecl) and getattr(inner.type, "names", None) in (["double"], ["int64_t"]):
        return "CData | list[Any]"
    return "CData"


structures = set()


def native(nodes, text):
    lines = ['"""Functions and constants of the C library, made from its headers."""', "", "from typing import Any", "",
             "class CData:", "    def __getattr__(self, name: str) -> Any: ...",
             "    def __getitem__(self, k: int) -> Any: ...", "", "class _Library:"]
    structures.update(node.name for node in nodes if isinstance(node, c_ast.Typedef) and
                      isinstance(getattr(node.type, "type", None), c_ast.Struct) and node.type.type.decls)
    for node in nodes:
        enum = node.type if isinstance(node.type, c_ast.Enum) else getattr(node.type, "type", None)
        if isinstance(enum, c_ast.Enum):
            lines += [f"    {item.name}: int" for item in enum.values.enumerators]
    lines += [f"    {name}: int" for name in re.findall(r"^#define (\w+) ", text, re.M)]
    lines += [f"    {name}: float" for name in re.findall(r"^static const double (\w+);", text, re.M)]
    lines += [f"    {name}: Any" for name in re.findall(r"\b(myriad_\w+)\(", CALLBACKS)]
    for node in nodes:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            arguments = [p for p in (node.type.args.params if node.type.args else []) if isinstance(p, c_ast.Decl)]
            words = "".join(f", {p.name}: {hint(p.type, True)}" for p in arguments)
            slash = ", /" if arguments else ""
            lines.append(f"    def {node.name}(self{words}{slash}) -> {hint(node.type.type, False)}: ...")
    return "\n".join([*lines, "", "lib: _Library", "ffi: Any", ""])


def built_in():
    """The built-in exceptions that a status also is, from the package."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "myriad", "_core.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    table = next(node.value for node in tree.body
                 if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "_BUILT_IN")
    return {key.value: ast.unparse(value).split(".")[-1] for key, value in zip(table.keys, table.values)}


def errors(nodes):
    lines = ['"""Exceptions of Myriad, one class per status of the library."""', "", "import builtins", "",
             "from ._core import Error as Error, MyriadWarning as MyriadWarning", ""]
    also = built_in()
    for node in nodes:
        if isinstance(node, c_ast.Typedef) and node.name == "myr_status":
            for item in node.type.type.values.enumerators[1:]:
                name = item.name.replace("MYR_ERROR_", "")
                bases = f"Error, builtins.{also[name]}" if name in also else "Error"
                lines.append(f"class {name.title()}Error({bases}): ...")
    return "\n".join([*lines, ""])


def main():
    source, folder = sys.argv[1:3]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    nodes = parsed(text)
    for name, made in (("_native.pyi", native(nodes, text)), ("errors.pyi", errors(nodes))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(made)


if __name__ == "__main__":
    main()
