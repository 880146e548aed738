"""The Fortran module: it compiles without a warning, has every function of the headers, its types have the sizes of C's, and
the example gives the numbers of Python.

usage: fortran.py MODULE BUILD
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import myriad as my

module, build = sys.argv[1:3]
source = os.environ["MYRIAD_SOURCE"]
if not shutil.which("gfortran"):
    print("skipped: no gfortran")
    sys.exit(77)
with open(module, encoding="utf-8") as file:
    text = file.read()
work = tempfile.TemporaryDirectory()


def compiled(*files):
    program = os.path.join(work.name, "program")
    subprocess.run(["gfortran", "-std=f2018", "-Wall", "-Werror", "-fcheck=all", "-J", work.name, module, *files, "-o", program,
                    "-L", build, "-lmyriad_run", "-lmyriad", f"-Wl,-rpath,{build}"], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


functions = set(re.findall(r"(?:function|subroutine) (myr_[a-z0-9_]+)\(", text)) - {"myr_string"}
of_c = {name for name in dir(my.c.lib) if name.startswith("myr_")}
assert functions == of_c, functions ^ of_c

constants = dict(re.findall(r"integer\(c_int\), parameter :: (MYR_\w+) = (-?\d+)", text))
assert len(constants) > 50
for name, value in constants.items():
    assert getattr(my.c.lib, name) == int(value), name

types = [name for name in re.findall(r"type, bind\(C\) :: (myr_\w+)", text) if not name.endswith("_member")]
assert len(types) > 40
with open(os.path.join(work.name, "sizes.f90"), "w", encoding="utf-8") as file:
    declared = "\n".join(f"type({name}), target :: v{k}" for k, name in enumerate(types))
    printed = "\n".join(f"print *, c_sizeof(v{k})" for k in range(len(types)))
    file.write(f"program sizes\nuse myriad\nimplicit none\n{declared}\n{printed}\nend program\n")
sizes = [int(word) for word in compiled(file.name).split()]
for name, size in zip(types, sizes):
    assert size == my.c.ffi.sizeof(name), (name, size, my.c.ffi.sizeof(name))

out = compiled(os.path.join(source, "examples", "hello.f90"))
stars = my.model("plummer", n=1000, seed=1)
my.Interaction("gravity", eps=0.05).evaluate(stars)
assert float(re.search(r"along x\s+(\S+),", out)[1]) == stars.acceleration[0, 0], out
assert "steps 32, time 0.250000" in out and "integrator leapfrog" in out, out
print(f"{len(functions)} functions, {len(constants)} constants, {len(types)} types")
