"""Evaluates every kernel with every accumulator and arithmetic on this machine's best instruction set, without a compiler:
what a package that holds all loops can do, and one that compiles loops on demand cannot.

usage: loops.py          with the package to be looked at in its path
"""

import os
import sys
import tempfile
import warnings

os.environ["CC"] = "false"  # a compiler that compiles nothing
os.environ["MYRIAD_CACHE"] = tempfile.mkdtemp()

import numpy as np  # noqa: E402

import myriad as my  # noqa: E402
from myriad._core import listed  # noqa: E402

N = 27


def particles(kernel):
    random = np.random.default_rng(1)
    made = my.Particles(N)
    lattice = np.indices((3, 3, 3)).reshape(3, -1).T[:N, :kernel.position_components]
    made.set(kernel.position, lattice + 0.1 * random.random(lattice.shape))
    for field in [*kernel.target, *kernel.source]:
        if field.name not in made:
            made.set(field.name, random.random((N, field.components) if field.components > 1 else N) + 0.5)
    return made


def evaluate(kernel, accumulator, arithmetic):
    settings = {"cutoff": 3.0} if "cutoff" in [parameter.name for parameter in kernel.param] else {}
    tables = {name: [[1.0]] for name in kernel.pair}
    f = my.Interaction(kernel.name, accumulator=accumulator, arithmetic=arithmetic, method="direct", **tables, **settings)
    f.evaluate(particles(kernel))
    return f["isa"]


warnings.simplefilter("ignore", my.MyriadWarning)  # of numbers, and of plain loops in place of those that are looked for
sets = [name for name, isa in listed(my.c.lib.myr_isa).items() if isa.available]  # the best is the last
done, missing = 0, []
for kernel in my.kernels().values():
    for accumulator in my.accumulators().values():
        for arithmetic in accumulator.arithmetics.split():
            try:
                isa = evaluate(kernel, accumulator.name, arithmetic)
                if isa == sets[-1]:
                    done += 1
                else:
                    missing.append(f"{kernel.name}, {accumulator.name}, {arithmetic}: only for {isa}")
            except (my.errors.CombinationError, my.errors.RangeError, my.errors.NonfiniteError):
                pass  # not a choice for this kernel, or for these numbers
            except my.Error as error:
                missing.append(f"{kernel.name}, {accumulator.name}, {arithmetic}: {error}")
print(f"{my.info()}: {done} combinations for {sets[-1]} without a compiler, {len(missing)} missing")
if missing or done < 300:
    print("\n".join(missing[:10]))
    sys.exit(1)
