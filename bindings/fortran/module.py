"""Writes the Fortran module `myriad` from the declarations of the public headers: all types, constants and functions, by
ISO_C_BINDING.

usage: module.py DECLARATIONS OUTPUT, with the declarations that bindings/python/declarations.py wrote
"""

import os
import re
import sys

from pycparser import c_ast

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from declarations import parsed  # noqa: E402

NUMBERS = {
    "int": "integer(c_int)", "unsigned": "integer(c_int)", "int32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)",
    "double": "real(c_double)", "char": "character(kind=c_char)",
}
HEADER = """! myriad.f90 - the public interface of Myriad for Fortran, made by the build from the headers in include/myriad, which
! describe every function. Names are those of C.
!
! Texts end with c_null_char; an argument that may be null may be left out. A number that a function gives back is the
! first element of an array. Pointers are type(c_ptr): c_f_pointer makes arrays of them, myr_string a text.
module myriad
    use, intrinsic :: iso_c_binding
    implicit none
"""
STRING = """contains
    ! The text at a C pointer; "" for a null pointer.
    function myr_string(pointer) result(text)
        type(c_ptr), intent(in) :: pointer
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: n
        text = ""
        if (.not. c_associated(pointer)) return
        call c_f_pointer(pointer, bytes, [huge(0)])
        n = 0
        do while (bytes(n + 1) /= c_null_char)
            n = n + 1
        end do
        text = repeat(" ", n)
        do n = 1, len(text)
            text(n:n) = bytes(n)
        end do
    end function
"""


class Module:
    """The declarations, and the Fortran text that is made of them."""

    def __init__(self, text):
        self.nodes = parsed(text)
        self.enums, self.structs, self.constants, self.callbacks = set(), {}, {}, set()
        self.lines = [f"    integer(c_int), parameter :: {name} = {value}"
                      for name, value in re.findall(r"^#define (\w+) (-?\d+)$", text, re.M)]
        self.lines += [f"    real(c_double), parameter :: {name} = {value}_c_double"
                       for name, value in re.findall(r"^static const double (\w+); /\* (\S+) \*/$", text, re.M)]

    # --- values and types ---

    def value(self, node):
        """The value of a constant expression."""
        if isinstance(node, c_ast.Constant):
            return int(node.value, 0)
        if isinstance(node, c_ast.ID):
            return self.constants[node.name]
        if isinstance(node, c_ast.UnaryOp):
            return {"-": -1, "+": 1}[node.op] * self.value(node.expr)
        left, right = self.value(node.left), self.value(node.right)
        return {"+": left + right, "-": left - right, "*": left * right, "<<": left << right}[node.op]

    def simple(self, node):
        """The Fortran type of a C type that is no pointer and no array."""
        kind = node.type
        if isinstance(kind, c_ast.Enum):
            return NUMBERS["int"]
        name = " ".join(kind.names)
        if name in NUMBERS:
            return NUMBERS[name]
        if name in self.enums:
            return NUMBERS["int"]
        if name in self.structs:
            return f"type({name})"
        raise SystemExit(f"module.py: no Fortran type for '{name}'")

    def name_of(self, node):
        return " ".join(node.type.names) if isinstance(node.type, c_ast.IdentifierType) else ""

    def is_address(self, node):
        """Whether a pointer to this type is an opaque address in Fortran."""
        if not isinstance(node, c_ast.TypeDecl):
            return True
        name = self.name_of(node)
        return name in ("void", "FILE") or (name.startswith("myr_") and name not in self.enums and name not in self.structs)

    # --- enumerations and structures ---

    def enumerate(self, enum):
        following = 0
        for item in enum.values.enumerators:
            following = self.value(item.value) if item.value is not None else following
            self.constants[item.name] = following
            self.lines.append(f"    integer(c_int), parameter :: {item.name} = {following}")
            following += 1

    def structure(self, name, struct):
        members = []
        for member in struct.decls:
            kind, extents = member.type, []
            while isinstance(kind, c_ast.ArrayDecl):
                extents.insert(0, str(self.value(kind.dim)))
                kind = kind.type
            shape = f"({', '.join(extents)})" if extents else ""
            if isinstance(kind, c_ast.PtrDecl):
                fortran = "type(c_funptr)" if self.is_function(kind) else "type(c_ptr)"
            elif isinstance(kind.type, c_ast.Struct):
                inner = f"{name}_{member.name}_member"
                self.structure(inner, kind.type)
                fortran = f"type({inner})"
            else:
                fortran = self.simple(kind)
            members.append(f"        {fortran} :: {member.name}{shape}")
        self.structs[name] = struct
        self.lines += [f"    type, bind(C) :: {name}", *members, "    end type"]

    def is_function(self, kind):
        return isinstance(kind, c_ast.PtrDecl) and isinstance(kind.type, c_ast.FuncDecl)

    # --- functions ---

    def argument(self, decl):
        kind, name = decl.type, decl.name
        if isinstance(kind, c_ast.TypeDecl):
            if self.name_of(kind) in self.callbacks:
                return f"type(c_funptr), value :: {name}"
            return f"{self.simple(kind)}, value :: {name}"
        if self.is_function(kind):
            return f"type(c_funptr), value :: {name}"
        inner = kind.type
        if isinstance(inner, c_ast.PtrDecl):  # where an object is put, or a list of pointers
            return f"type(c_ptr), intent(inout), optional :: {name}" + ("" if isinstance(kind, c_ast.PtrDecl) else "(*)")
        if self.is_address(inner):
            return f"type(c_ptr), value :: {name}"
        intent = "in" if "const" in inner.quals else "inout"
        fortran = self.simple(inner)
        shape = "" if fortran.startswith("type(") else "(*)"
        return f"{fortran}, intent({intent}), optional :: {name}{shape}"

    def function(self, decl):
        kind, name = decl.type, decl.name
        parameters = [p for p in (kind.args.params if kind.args else []) if isinstance(p, c_ast.Decl)]
        result = kind.type
        words = ", ".join(p.name for p in parameters)
        if isinstance(result, c_ast.TypeDecl) and self.name_of(result) == "void":
            opening, ending, gives = f"subroutine {name}({words}) bind(C)", "end subroutine", []
        else:
            fortran = "type(c_ptr)" if isinstance(result, c_ast.PtrDecl) else self.simple(result)
            opening, ending = f"function {name}({words}) bind(C)", "end function"
            gives = [f"            {fortran} :: {name}"]
        self.lines += [f"        {opening}", "            import", *gives,
                       *(f"            {self.argument(p)}" for p in parameters), f"        {ending}"]

    def make(self):
        functions = []
        for node in self.nodes:
            kind = node.type
            if isinstance(node, c_ast.Typedef):
                inside = kind.type if isinstance(kind, c_ast.TypeDecl) else None
                if self.is_function(kind):
                    self.callbacks.add(node.name)
                elif isinstance(inside, c_ast.Enum):
                    self.enums.add(node.name)
                    self.enumerate(inside)
                elif isinstance(inside, c_ast.Struct) and inside.decls:
                    self.structure(node.name, inside)
            elif isinstance(kind, c_ast.Enum):
                self.enumerate(kind)
            elif isinstance(kind, c_ast.FuncDecl):
                functions.append(node)
        self.lines.append("    interface")
        for node in functions:
            self.function(node)
        self.lines.append("    end interface")
        return HEADER + "".join(f"{part}\n" for line in self.lines for part in wrapped(line)) + STRING + "end module\n"


def wrapped(line, width=120):
    """A line of Fortran in pieces."""
    while len(line) > width:
        at = line.rindex(",", 0, width) + 1
        yield line[:at] + " &"
        line = " " * 12 + line[at:].lstrip()
    yield line


def main():
    source, output = sys.argv[1:3]
    with open(source, encoding="utf-8") as file:
        text = Module(file.read()).make()
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
