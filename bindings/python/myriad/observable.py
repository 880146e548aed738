"""Averages over samples of particles in a box: radial distribution function, mean-square displacement, ..."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, Handle, Record, current_context, encoded, errors, ffi, lib, listed, text_of, three_of


def observables() -> dict[str, Record]:
    """Observables by name.

    >>> import myriad as my
    >>> list(my.observables())
    ['rdf', 'msd', 'vacf', 'profile']
    """
    return listed(lib.myr_observable_kind)


class Observable:
    """An average over samples. `rows`, `reach`, `spacing` and `axis` are options (myr_observable_options); 0 = automatic.

    >>> import myriad as my, numpy as np
    >>> rdf = my.Observable("rdf", rows=50, reach=2.0)
    >>> gas = my.Particles(position=np.random.default_rng(1).random((1000, 3)) * 5)
    >>> rdf.add(gas, box=[5, 5, 5])
    >>> list(rdf.table)
    ['r', 'g', 'coordination']
    >>> bool(abs(rdf["g"][25:].mean() - 1) < 0.05)
    True
    """

    def __init__(self, kind: str, *, context: Context | None = None, **options: Any) -> None:
        self.context = context or current_context()
        self._made = (kind, options)
        known = dict(ffi.typeof("myr_observable_options").fields)
        unknown = [name for name in options if name not in known]
        if unknown:
            raise errors[lib.MYR_ERROR_NAME](f"observables have no option '{unknown[0]}'; there are {', '.join(known)}")
        made = ffi.new("myr_observable **")
        self.context.call(lib.myr_observable_create, self.context._pointer, encoded(kind),
                          ffi.new("myr_observable_options *", options), made)
        self._handle = Handle(self.context, made[0], lib.myr_observable_destroy)

    @property
    def kind(self) -> str:
        """Name of the observable."""
        return self._made[0]

    def add(self, particles: Any, time: float = 0.0, box: ArrayLike = (0, 0, 0), origin: ArrayLike = (0, 0, 0)) -> None:
        """Adds a sample: a set of particles, or a simulation with its own time and box; give it to every():
        sim.every(0.1, rdf.add)."""
        if hasattr(particles, "_set_of_c"):
            box, origin = particles.box
            pointer, time = particles._set_of_c(), particles.time
        else:
            pointer = particles._pointer
        self.context.call(lib.myr_observable_add, self._handle.pointer, pointer, time,
                          three_of(box, "box"), three_of(origin, "origin"))

    def __len__(self) -> int:
        """Number of samples so far."""
        return lib.myr_observable_samples(self._handle.pointer)

    def _columns(self):
        name = ffi.new("char[]", lib.MYR_OBSERVABLE_NAME_MAX + 1)
        for k in range(lib.myr_observable_columns(self._handle.pointer)):
            dimension = text_of(lib.myr_observable_column(self._handle.pointer, k, name))
            yield k, text_of(name), dimension

    @property
    def dimensions(self) -> dict[str, str]:
        """Dimension of each column."""
        return {name: dimension for _, name, dimension in self._columns()}

    @property
    def table(self) -> dict[str, np.ndarray]:
        """Columns by name, as arrays; the first is the argument of the others."""
        found, rows = {}, lib.myr_observable_rows(self._handle.pointer)
        for k, name, _ in self._columns():
            found[name] = np.empty(rows)
            self.context.call(lib.myr_observable_get, self._handle.pointer, k, ffi.from_buffer("double[]", found[name]))
        return found

    def __getitem__(self, column: str) -> np.ndarray:
        return self.table[column]

    def __reduce__(self):
        size = lib.myr_observable_save(self._handle.pointer, ffi.NULL)
        state = bytearray(size)
        lib.myr_observable_save(self._handle.pointer, ffi.from_buffer(state))
        return _restore, (*self._made, bytes(state))

    def __repr__(self) -> str:
        return f"<Observable {self.kind} of {len(self)} samples>"


def _restore(kind, options, state):
    made = Observable(kind, **options)
    made.context.call(lib.myr_observable_load, made._handle.pointer, ffi.from_buffer(state), len(state))
    return made
