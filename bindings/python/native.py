"""Writes the C source of the extension module myriad._native: cffi in API mode against the stable ABI.

usage: native.py DECLARATIONS OUTPUT
"""

import sys

import cffi

from declarations import CALLBACKS, DLPACK

# Frees a tensor that nobody took out of its capsule.
SOURCE = """
#include <myriad/myriad.h>
#include <myriad/run.h>
""" + DLPACK + """
static void myriad_dl_capsule_free(void *capsule)
{
    myriad_dl_managed *tensor;
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return;
    tensor = PyCapsule_GetPointer(capsule, "dltensor");
    tensor->deleter(tensor);
}
"""


def main():
    declarations, output = sys.argv[1:3]
    ffi = cffi.FFI()
    with open(declarations, encoding="utf-8") as file:
        ffi.cdef(file.read() + DLPACK + CALLBACKS)
    ffi.set_source("myriad._native", SOURCE, py_limited_api=True)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
