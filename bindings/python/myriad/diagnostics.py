"""Measurements of particle sets: centres, radii, pairs, binaries, escapers.

>>> import myriad as my
>>> stars = my.model("plummer", n=1000, seed=1)
>>> my.diagnostics.lagrangian(stars, [0.1, 0.5, 0.9]).shape
(3,)
>>> my.diagnostics.closest_pair(stars).distance < 0.1
True
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ._core import Record, errors, ffi, lib, reals, record, three
from .particles import Particles


def _of(particles, function, kind, *arguments):
    found = ffi.new(f"{kind} *")
    particles.context.call(function, particles._pointer, *arguments, found)
    return record(found)


def _point(values):
    return ffi.NULL if values is None else three(values, "a point or a velocity")


def centre(particles: Particles) -> Record:
    """Centre of mass and its motion (myr_centre).

    >>> import myriad as my
    >>> pair = my.Particles(position=[[0, 0, 0], [4, 0, 0]], velocity=[[0, 0, 0], [0, 2, 0]], mass=[3, 1])
    >>> my.diagnostics.centre(pair).position, my.diagnostics.centre(pair).velocity
    ([1.0, 0.0, 0.0], [0.0, 0.5, 0.0])
    """
    return _of(particles, lib.myr_diagnostic_centre, "myr_centre")


def density_centre(particles: Particles, k: int = lib.MYR_DENSITY_NEIGHBOUR) -> Record:
    """Density centre and core radius of Casertano and Hut (myr_density_centre).

    >>> import myriad as my
    >>> found = my.diagnostics.density_centre(my.model("plummer", n=1000, seed=1))
    >>> round(found.core_radius, 2)  # 0.42 in the limit of many bodies
    0.4
    """
    return _of(particles, lib.myr_diagnostic_density_centre, "myr_density_centre", k)


def lagrangian(particles: Particles, fractions: ArrayLike, centre: ArrayLike | None = None) -> np.ndarray:
    """Radii about a centre (that of mass) with these fractions of the mass, an array.

    >>> import myriad as my
    >>> radii = my.diagnostics.lagrangian(my.model("plummer", n=1000, seed=1), [0.1, 0.5, 0.9])
    >>> bool((radii[1:] > radii[:-1]).all())
    True
    """
    fractions = np.ascontiguousarray(reals(fractions, "fractions"))
    if fractions.ndim != 1:
        raise errors[lib.MYR_ERROR_VALUE](f"fractions are a list of numbers, not an array of shape {fractions.shape}")
    radii = np.empty(len(fractions))
    particles.context.call(lib.myr_diagnostic_lagrangian, particles._pointer, _point(centre), len(fractions),
                           ffi.from_buffer("double[]", fractions), ffi.from_buffer("double[]", radii))
    return radii


def closest_pair(particles: Particles) -> Record:
    """The closest pair (myr_close_pair).

    >>> import myriad as my
    >>> line = my.Particles(position=[[0, 0, 0], [5, 0, 0], [6, 0, 0]])
    >>> my.diagnostics.closest_pair(line)
    Record(first=1, second=2, distance=1.0)
    """
    return _of(particles, lib.myr_diagnostic_closest_pair, "myr_close_pair")


def _list(particles, function, kind, *arguments):
    found = ffi.new("int64_t *")
    particles.context.call(function, particles._pointer, *arguments, 0, ffi.NULL, found)
    items = ffi.new(f"{kind}[]", max(found[0], 1))
    particles.context.call(function, particles._pointer, *arguments, found[0], items, found)
    return [record(items[k]) for k in range(found[0])]


def pairs_within(particles: Particles, radius: float) -> list[Record]:
    """All pairs nearer than a radius, a list.

    >>> import myriad as my
    >>> line = my.Particles(position=[[0, 0, 0], [2, 0, 0], [3, 0, 0]])
    >>> [(pair.first, pair.second) for pair in my.diagnostics.pairs_within(line, 2.5)]
    [(0, 1), (1, 2)]
    """
    return _list(particles, lib.myr_diagnostic_pairs_within, "myr_close_pair", radius)


def binaries(particles: Particles, gravity: float = 1.0, largest: float = math.inf) -> list[Record]:
    """Binaries with a semi-major axis up to `largest`, a list (myr_binary).

    >>> import myriad as my
    >>> pair = my.Particles(position=[[0.5, 0, 0], [-0.5, 0, 0]], velocity=[[0, 0.5, 0], [0, -0.5, 0]], mass=[0.5, 0.5])
    >>> (binary,) = my.diagnostics.binaries(pair)
    >>> binary.semi_major_axis, binary.eccentricity
    (1.0, 0.0)
    """
    return _list(particles, lib.myr_diagnostic_binaries, "myr_binary", gravity, largest)


def escapers(particles: Particles, radius: float, centre: ArrayLike = (0, 0, 0), velocity: ArrayLike = (0, 0, 0)) -> Record:
    """Unbound particles beyond a radius (myr_escapers); reads `potential`, as gravity_potential computes it.

    >>> import myriad as my
    >>> pair = my.Particles(position=[[0, 0, 0], [30, 0, 0]], velocity=[[0, 0, 0], [5, 0, 0]], mass=[1, 1e-3])
    >>> _ = my.Interaction("gravity_potential").evaluate(pair)
    >>> my.diagnostics.escapers(pair, radius=10).count
    1
    """
    return _of(particles, lib.myr_diagnostic_escapers, "myr_escapers", _point(centre), _point(velocity), radius)


def beyond(particles: Particles, radius: float, centre: ArrayLike = (0, 0, 0)) -> Record:
    """All particles beyond a radius (myr_escapers).

    >>> import myriad as my
    >>> line = my.Particles(position=[[0, 0, 0], [2, 0, 0], [3, 0, 0]], velocity=[[0, 0, 0]] * 3, mass=[1, 2, 3])
    >>> my.diagnostics.beyond(line, 1.5).mass
    5.0
    """
    return _of(particles, lib.myr_diagnostic_beyond, "myr_escapers", _point(centre), radius)


def relaxation_time(n: int, mass: float = 1.0, half_mass_radius: float = 1.0, gravity: float = 1.0,
                    gamma: float = 0.11) -> float:
    """Half-mass relaxation time of n equal bodies.

    >>> import myriad as my
    >>> round(my.diagnostics.relaxation_time(1000, half_mass_radius=0.77), 1)
    19.8
    """
    return lib.myr_diagnostic_relaxation_time(n, mass, half_mass_radius, gravity, gamma)
