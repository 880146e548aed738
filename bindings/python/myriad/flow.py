"""Incompressible flow: statistics of velocities on a periodic mesh, and vortex elements.

>>> import myriad as my
>>> mesh = my.model("taylor_green", n=16**3)
>>> round(my.flow.measure(mesh, viscosity=0.01).kinetic, 6)
0.125
>>> wave, energy = my.flow.spectrum(mesh)
>>> bool(abs(energy.sum() * wave[0] - 0.125) < 1e-12)
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, Handle, Path, Record, current_context, encoded, ffi, lib, record, three, three_of
from .particles import Particles


def available() -> bool:
    """Whether this build has FFTW, which functions of a mesh need.

    >>> import myriad as my
    >>> my.flow.available()
    True
    """
    return bool(lib.myr_flow_available())


def _measured(particles, function, kind, *arguments):
    found = ffi.new(f"{kind} *")
    particles.context.call(function, particles._pointer, *arguments, found)
    return record(found)


def measure(points: Particles, viscosity: float = 0.0) -> Record:
    """Statistics of a flow on the points of a mesh: energy, scales, Reynolds number (myr_flow).

    >>> import myriad as my
    >>> found = my.flow.measure(my.model("taylor_green", n=16**3), viscosity=0.01)
    >>> round(found.enstrophy / found.kinetic, 9)  # all waves have k^2 = 3
    3.0
    """
    return _measured(points, lib.myr_flow_measure, "myr_flow", viscosity)


def vortices(elements: Particles) -> Record:
    """Integrals of vortex elements: vorticity, impulse, ... (myr_vortices).

    >>> import myriad as my
    >>> ring = my.model("vortex_ring", n=49 * 136, seed=1)
    >>> abs(my.flow.vortices(ring).impulse[2] - 3.14) < 0.05  # circulation times the area of the ring
    True
    """
    return _measured(elements, lib.myr_flow_vortices, "myr_vortices")


def fitness(elements: Particles, edge: ArrayLike | None = None, sample: int = 0) -> Record:
    """Quality of vortex elements: divergence and overlap (myr_fitness).

    >>> import myriad as my
    >>> my.flow.fitness(my.model("vortex_ring", n=49 * 136, seed=1), sample=200).divergence < 1e-6
    True
    """
    edges = ffi.NULL if edge is None else three_of(edge, "edge")
    return _measured(elements, lib.myr_flow_fitness, "myr_fitness", edges, sample)


def spectrum(points: Particles) -> tuple[np.ndarray, np.ndarray]:
    """Energy spectrum: wave numbers and E(k), two arrays.

    >>> import myriad as my
    >>> wave, energy = my.flow.spectrum(my.model("taylor_green", n=16**3))
    >>> float(round(wave[energy.argmax()], 9))
    2.0
    """
    shells = ffi.new("int64_t *")
    points.context.call(lib.myr_flow_spectrum, points._pointer, 0, ffi.NULL, ffi.NULL, shells)
    wave, energy = np.empty(shells[0]), np.empty(shells[0])
    points.context.call(lib.myr_flow_spectrum, points._pointer, shells[0], ffi.from_buffer("double[]", wave),
                        ffi.from_buffer("double[]", energy), shells)
    return wave, energy


def derive(points: Particles) -> None:
    """Adds the fields `vorticity` and `second_invariant` to the points of a mesh.

    >>> import myriad as my
    >>> mesh = my.model("taylor_green", n=16**3)
    >>> my.flow.derive(mesh)
    >>> mesh.vorticity.shape
    (4096, 3)
    """
    points.context.call(lib.myr_flow_derive, points._pointer)


def read(path: Path, velocity: str | None = None, vorticity: str | None = None, edge: float = 0.0, *,
         context: Context | None = None) -> Particles:
    """Reads a velocity or a vorticity on a periodic mesh from an HDF5 file; `velocity` or `vorticity` name its arrays.

    >>> import myriad as my, os, tempfile
    >>> path, mesh = os.path.join(tempfile.mkdtemp(), "flow.h5"), my.model("taylor_green", n=8**3)
    >>> try:
    ...     import h5py
    ...     with h5py.File(path, "w") as file:
    ...         file["velocity"] = mesh.velocity.reshape(8, 8, 8, 3)  # [z][y][x][axis]
    ...     again = my.flow.read(path)
    ... except ImportError:
    ...     again = mesh
    >>> bool((again.velocity == mesh.velocity).all())
    True
    """
    context = context or current_context()
    made = ffi.new("myr_particles **")
    names = [ffi.NULL if name is None else encoded(name) for name in (velocity, vorticity)]
    context.call(lib.myr_flow_read, context._pointer, encoded(path), *names, edge, made)
    return Particles._of(context, made[0])


def start(points: Particles, overlap: float = 1.0) -> Particles:
    """Initial conditions of a flow from the points of a mesh, with the fields of vortex elements.

    >>> import myriad as my
    >>> elements = my.flow.start(my.model("taylor_green", n=8**3))
    >>> list(elements.fields)
    ['position', 'velocity', 'mass', 'strength', 'core', 'volume']
    """
    made = ffi.new("myr_particles **")
    points.context.call(lib.myr_flow_start, points._pointer, overlap, made)
    return Particles._of(points.context, made[0])


def of_elements(elements: Particles, edge: float, corner: ArrayLike = (0, 0, 0), side: int = 0) -> Particles:
    """Velocities of vortex elements in a periodic cube, on a mesh with `side` points per axis; 0 = as many as elements.

    >>> import myriad as my
    >>> from math import pi
    >>> elements = my.flow.start(my.model("taylor_green", n=16**3))
    >>> mesh = my.flow.of_elements(elements, 2 * pi, corner=(-pi, -pi, -pi), side=16)
    >>> abs(my.flow.measure(mesh).kinetic - 0.125) < 1e-6
    True
    """
    made = ffi.new("myr_particles **")
    elements.context.call(lib.myr_flow_of_elements, elements._pointer, edge, three(corner, "the corner"), side, made)
    return Particles._of(elements.context, made[0])


def tracers(elements: Particles) -> int:
    """Number of tracers among vortex elements.

    >>> import myriad as my
    >>> my.flow.tracers(my.model("vortex_ring", n=49 * 136, seed=1))
    0
    """
    return lib.myr_flow_tracers(elements._pointer)


def diffusions() -> dict[str, Record]:
    """Viscous schemes of vortex elements by name.

    >>> import myriad as my
    >>> list(my.flow.diffusions())
    ['core_spreading', 'strength_exchange']
    """
    from ._core import listed
    return listed(lib.myr_diffusion)


# --- simulations of flows: methods of Simulation ---------------------------------------------------------------------


class Motion:
    """What a simulation of a flow can do besides moving.

    >>> import myriad as my
    >>> elements = my.flow.start(my.model("taylor_green", n=8**3))
    >>> sim = my.Simulation(elements, my.Interaction("velocity_stretching"), integrator="rk3", dt=0.02, viscosity=0.01)
    >>> sim.add_tracers([[0, 0, 0]])
    >>> sim.run(steps=2)
    >>> sim.probe([[0.5, 0.5, 0]]).velocity.shape
    (1, 3)
    >>> sim.prune(0.5).gone > 100
    True
    >>> sim.viscosity
    0.01
    """

    context: Context
    _handle: Handle
    _call: Callable[..., None]
    _forget_copies: Callable[[], None]

    def reinitialise(self, spacing: float, core: float) -> Record:
        """Replaces vortex elements by others on a lattice, with the same vorticity (myr_reinitialisation)."""
        found = ffi.new("myr_reinitialisation *")
        self._call(lib.myr_simulation_reinitialise, spacing, core, found)
        self._forget_copies()
        return record(found)

    def prune(self, threshold: float, merge: bool = True) -> Record:
        """Removes vortex elements below this part of the largest strength (myr_pruning)."""
        found = ffi.new("myr_pruning *")
        self._call(lib.myr_simulation_prune, threshold, bool(merge), found)
        self._forget_copies()
        return record(found)

    def fitness(self, sample: int = 0) -> Record:
        """Quality of the vortex elements (myr_fitness)."""
        found = ffi.new("myr_fitness *")
        self._call(lib.myr_simulation_fitness, sample, found)
        return record(found)

    def add_tracers(self, position: ArrayLike) -> None:
        """Adds particles that move with the fluid, before the first step; position: (n, 3)."""
        columns = [np.ascontiguousarray(column) for column in np.asarray(position, dtype=float).reshape(-1, 3).T]
        pointers = [ffi.from_buffer("double[]", column) for column in columns]
        self._call(lib.myr_simulation_add_tracers, len(columns[0]), ffi.new("const double *[3]", pointers))
        self._forget_copies()

    def probe(self, position: ArrayLike) -> Particles:
        """Velocity of the fluid at positions (n, 3), as a set with `velocity`, and `vorticity` if elements have cores."""
        probes = Particles(position=np.asarray(position, dtype=float).reshape(-1, 3), context=self.context)
        self._call(lib.myr_simulation_probe, probes._pointer)
        return probes

    def keep_fit(self) -> Record:
        """Applies the rules of `upkeep`, where they are due; to be called after steps (myr_upkeep_report)."""
        found = ffi.new("myr_upkeep_report *")
        self._call(lib.myr_simulation_keep_fit, found)
        self._forget_copies()
        return record(found)

    @property
    def viscosity(self) -> float:
        """Viscosity of the fluid; NaN if the particles are bodies."""
        return lib.myr_simulation_viscosity(self._handle.pointer)


def configure(simulation: Any, settings: dict[str, Any]) -> None:
    """Sets options of vortex elements and meshes by name."""
    for name, value in settings.items():
        if name not in _SETTINGS:
            from ._core import errors
            raise errors[lib.MYR_ERROR_NAME](f"there is no setting '{name}' of a flow; there are {', '.join(_SETTINGS)}")
        _SETTINGS[name](simulation, value)


def _set(function, convert=float):
    return lambda simulation, value: simulation._call(function, convert(value))


def _set_upkeep(simulation, rules):
    simulation._call(lib.myr_simulation_set_upkeep, ffi.new("myr_upkeep *", dict(rules)), ffi.NULL)


def _set_forcing(simulation, value):
    power, shell = (*value,) if np.iterable(value) else (value, 2.5)
    simulation._call(lib.myr_simulation_set_forcing, float(power), float(shell))


_SETTINGS = {
    "viscosity": _set(lib.myr_simulation_set_viscosity),
    "spectral": _set(lib.myr_simulation_set_spectral),  # viscosity of a mesh
    "forcing": _set_forcing,  # power, or (power, shell)
    "viscous": _set(lib.myr_simulation_choose_viscous, encoded),
    "strain": _set(lib.myr_simulation_limit_strain),
    "turning": _set(lib.myr_simulation_limit_turning),
    "tolerance": _set(lib.myr_simulation_solve_strengths),
    "diffusion": _set(lib.myr_simulation_choose_diffusion, encoded),
    "stream": _set(lib.myr_simulation_set_stream, lambda v: three(v, "the stream")),
    "relaxation": _set(lib.myr_simulation_set_relaxation),
    "floor": _set(lib.myr_simulation_set_floor),
    "upkeep": _set_upkeep,
}
