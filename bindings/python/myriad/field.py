"""External fields that Python functions compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from ._core import Context, encoded, errors, ffi, lib, weak
from .catalogue import External

_GIVEN = ("time", "position", "velocity", "ids")
_TAKEN = {"acceleration": 3, "jerk": 3, "potential": 1}


class Field:
    """An external field of a simulation that a function computes for all particles at once.

    The function takes some of `time`, `position` (n, 3), `velocity` (n, 3) and `ids` (n,) by these names. It gives the
    acceleration (n, 3), or a dict of `acceleration`, `potential` (n,) (without it the energy is NaN) and `jerk` (n, 3)
    (which Hermite integrators need). With block steps it is called for the particles of a block. An exception in it ends
    the step, with the state before it. Checkpoints ask for the function by its name: Simulation.load(fields=[...]).

    >>> import myriad as my, numpy as np
    >>> @my.field
    ... def spring(position):
    ...     return {"acceleration": -position, "potential": 0.5 * (position**2).sum(axis=1)}
    >>> ball = my.Particles(position=[[1, 0, 0]], velocity=[[0, 0, 0]], mass=[1])
    >>> sim = my.Simulation(ball, external=spring, integrator="yoshida6", dt=0.01)
    >>> sim.run(until=2)
    >>> bool(abs(sim.position[0, 0] - np.cos(2)) < 1e-9)
    True
    """

    kind = "function"

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or function.__name__
        parameters = list(inspect.signature(function).parameters)
        unknown = [p for p in parameters if p not in _GIVEN]
        if unknown:
            raise errors[lib.MYR_ERROR_NAME](
                f"a field is not given '{unknown[0]}'; it may take {', '.join(_GIVEN)}, by these names")
        self.takes = parameters
        self.__module__ = function.__module__  # where pickle looks for the name

    def register(self, context: Context) -> None:
        """Makes the function a field of a context, by its name."""
        if self.name == "<lambda>":
            raise errors[lib.MYR_ERROR_NAME]("checkpoints ask for a field by its name, and a lambda has none: give it one, as in "
                                             "my.field(function, name='wind')")
        kept = context.__dict__.setdefault("_fields", {})
        handle = ffi.new_handle((weak(context), self))  # weak: the context keeps the handle
        context.call(lib.myr_external_register, context._pointer, encoded(self.name), lib.myriad_python_field, handle)
        kept[self.name] = handle

    def made_in(self, context: Context) -> External:
        """The field for one simulation."""
        self.register(context)
        return External(self.name, context=context)

    def __reduce__(self):
        return self.function.__qualname__  # as functions are pickled: by name

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        return f"<Field {self.name}({', '.join(self.takes)})>"

    def _evaluate(self, points):
        n = points.n
        given = {
            "time": lambda: points.time,
            "position": lambda: _columns(points.position, n),
            "velocity": lambda: _columns(points.velocity, n),
            "ids": lambda: np.frombuffer(ffi.buffer(points.ids, 8 * n), dtype=np.int64).copy(),
        }
        result = self.function(**{name: given[name]() for name in self.takes})
        result = result if isinstance(result, dict) else {"acceleration": result}
        unknown = [key for key in result if key not in _TAKEN]
        if unknown or "acceleration" not in result:
            raise errors[lib.MYR_ERROR_FIELD](f"the field '{self.name}' gives {', '.join(map(repr, result))}; it must give "
                                              "'acceleration', and may give 'potential' and 'jerk'")
        for key, values in result.items():
            self._store(key, values, points, n)

    def _store(self, key, values, points, n):
        values = np.asarray(values, dtype=np.float64)
        wanted = (n, 3) if _TAKEN[key] == 3 else (n,)
        if values.shape != wanted:
            raise errors[lib.MYR_ERROR_FIELD](
                f"the field '{self.name}' gives {key} with shape {values.shape} for {n} particles; it must be {wanted}")
        target = getattr(points, key)
        for c, pointer in enumerate(target if _TAKEN[key] == 3 else [target]):
            if pointer != ffi.NULL:
                np.frombuffer(ffi.buffer(pointer, 8 * n))[:] = values[:, c] if values.ndim == 2 else values


@overload
def field(function: Callable[..., Any], *, name: str | None = None) -> Field: ...


@overload
def field(function: None = None, *, name: str | None = None) -> Callable[[Callable[..., Any]], Field]: ...


def field(function: Callable[..., Any] | None = None, *,
          name: str | None = None) -> Field | Callable[[Callable[..., Any]], Field]:
    """Decorator that makes a Field of a function.

    >>> import myriad as my
    >>> @my.field(name="wind")
    ... def blow(velocity):
    ...     return 1 - velocity
    >>> blow
    <Field wind(velocity)>
    """
    return Field(function, name) if function is not None else lambda later: Field(later, name)


def _columns(pointers, n):
    return np.stack([np.frombuffer(ffi.buffer(pointer, 8 * n)) for pointer in pointers], axis=1)


def _keep(exception, value, traceback):
    if traceback:
        ffi.from_handle(traceback.tb_frame.f_locals["user"])[0]()._raised = value


@ffi.def_extern(error=1, onerror=_keep)
def myriad_python_field(user, points):
    ffi.from_handle(user)[1]._evaluate(points)
    return 0
