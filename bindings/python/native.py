"""Writes the C source of the extension module myriad._native: cffi in API mode against the stable ABI.

usage: native.py DECLARATIONS OUTPUT
"""

import sys

import cffi


def main():
    declarations, output = sys.argv[1:3]
    ffi = cffi.FFI()
    with open(declarations, encoding="utf-8") as file:
        ffi.cdef(file.read())
    ffi.set_source(
        "myriad._native", "#include <myriad/myriad.h>\n#include <myriad/run.h>\n", py_limited_api=True)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
