"""Myriad: how many bodies move when each acts on every other.

>>> import myriad as my
>>> stars = my.model("plummer", n=1000, seed=1)
>>> gravity = my.Interaction("gravity", eps=0.01)
>>> sim = my.Simulation(stars, gravity, integrator="leapfrog", dt=1/128)
>>> before = sim.conserved.energy
>>> sim.run(until=0.125)
>>> bool(abs(sim.conserved.energy / before - 1) < 1e-3)
True

Every function of the C library is reachable as well: my.c.lib has the functions, my.c.ffi makes their arguments.
"""

import sys as _sys

try:
    import _cffi_backend  # noqa: F401  (_native needs it)
    import numpy as _numpy  # noqa: F401
except ImportError as _error:  # pip does not install them: wheels are made and installed without a network
    raise ImportError(f"myriad needs NumPy and cffi, and {_sys.executable} has no module {_error.name}: use Debian's "
                      "/usr/bin/python3 with python3-numpy and python3-cffi, or pip install numpy cffi") from None

from . import _native as c, diagnostics, errors, flow
from ._core import Context, Error, MyriadWarning, Record, current_context, set_threads
from .catalogue import (External, Kernel, accumulators, backends, externals, formats, gpus, info, integrators, kernel,
                        kernels, methods, model, models)
from .device import DeviceArray
from .ensemble import Ensemble
from .field import Field, field
from .files import Trajectory, convert, format_of, read, write
from .interaction import Interaction
from .molecule import Molecule, Topology
from .observable import Observable, observables
from .pair import Pair, pair
from .particles import Particles
from .runs import Page, Result, Run, read_table, report, run
from .simulation import Report, Simulation
from .watch import Watch

__version__ = c.ffi.string(c.lib.myr_version()).decode()
__all__ = [
    "Context", "DeviceArray", "Ensemble", "Error", "External", "Field", "Interaction", "Kernel", "Molecule", "MyriadWarning", "Observable",
    "Page", "Pair", "Particles", "Record", "Report", "Result", "Run", "Simulation", "Topology", "Trajectory", "Watch", "accumulators",
    "backends", "c", "convert", "current_context", "diagnostics", "errors", "externals", "field", "flow", "format_of", "formats",
    "gpus", "info", "integrators", "kernel", "kernels", "methods", "model", "models", "observables", "pair", "read",
    "read_table", "report", "run", "set_threads", "write",
]
