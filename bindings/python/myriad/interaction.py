"""Interactions: one evaluation is a kernel, an accumulator, a method and a backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, Handle, Record, current_context, encoded, errors, ffi, integers, lib, reals, record, text_of, three_of, weak
from ._parts import is_closed, replace_handle
from .catalogue import Kernel
from .particles import Particles

_CHOICES = ("accumulator", "arithmetic", "method", "backend", "isa", "softening")


class Interaction:
    """What particles do to each other: words are choices (accumulator, arithmetic, method, backend, isa, softening),
    numbers are parameters of the kernel and of the method, square tables are parameters per pair of types.

    >>> import myriad as my
    >>> stars = my.model("plummer", n=1000, seed=1)
    >>> gravity = my.Interaction("gravity", eps=0.01, accumulator="fixed")
    >>> gravity.evaluate(stars).pairs
    1000000
    >>> stars.acceleration.shape
    (1000, 3)
    """

    def __init__(self, kernel: str | Kernel, *, box: ArrayLike | None = None, origin: ArrayLike | None = None,
                 exclusions: Sequence[Iterable[int]] | None = None, context: Context | None = None, **settings: Any) -> None:
        self.context = context or current_context()
        if isinstance(kernel, Kernel):
            kernel._in(self.context)
            missing = [parameter for parameter in kernel.required if parameter not in settings]
            if missing:
                raise TypeError(f"kernel {kernel.name} needs {', '.join(missing)}: no default was given")
        made = ffi.new("myr_interaction **")
        name = kernel.name if isinstance(kernel, Kernel) else kernel
        self.context.call(lib.myr_interaction_create, self.context._pointer, encoded(name), made)
        self._handle = Handle(self.context, made[0], lib.myr_interaction_destroy)
        self._made: Any = (kernel, {"box": box, "origin": origin, "exclusions": exclusions, **settings})
        self._taken_by: str | None = None
        self._last: tuple[Any, Any] | None = None
        if box is not None:
            corner = (0, 0, 0) if origin is None else origin
            self.context.call(lib.myr_interaction_set_box, made[0], three_of(box, "box"), three_of(corner, "origin"))
        if exclusions is not None:
            self._exclude(exclusions)
        self._set(settings)

    @classmethod
    def _borrowed(cls, context, pointer, keeps):
        """The interaction of a simulation, which owns it."""
        self = cls.__new__(cls)
        self.context, self._made, self._last = context, None, None
        self._handle = Handle(context, pointer, None, keeps)
        self._taken_by = "a simulation"
        return self

    def _exclude(self, exclusions):
        """Pairs that do not interact: for each target a list of partners."""
        offset = np.zeros(len(exclusions) + 1, dtype=np.int64)
        offset[1:] = np.cumsum([len(partners) for partners in exclusions])
        partner = np.array([p for partners in exclusions for p in sorted(partners)], dtype=np.int64)
        self.context.call(lib.myr_interaction_set_exclusions, self._handle.pointer, len(exclusions),
                          ffi.from_buffer("int64_t[]", offset), ffi.from_buffer("int64_t[]", partner),
                          lib.MYR_EXCLUDE_ON_THE_FLY)

    def _free(self, what):
        if self._taken_by is not None:
            raise errors[lib.MYR_ERROR_COMBINATION](
                f"this interaction belongs to {self._taken_by} now: {what} would disturb it; make another one")
        return self._handle.pointer

    def _set(self, settings):
        for name, value in settings.items():
            self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        pointer = self._free("another setting")
        if isinstance(value, str):
            self.context.call(lib.myr_interaction_choose, pointer, encoded(name), encoded(value))
        elif name in _CHOICES:
            raise errors[lib.MYR_ERROR_VALUE](f"{name} is a name, such as '{text_of(lib.myr_interaction_choice(pointer, encoded(name)))}'")
        elif np.ndim(value) == 2:
            table = np.ascontiguousarray(value, dtype=np.float64)
            if table.shape[0] != table.shape[1]:
                raise errors[lib.MYR_ERROR_VALUE](f"'{name}' needs as many rows as columns, one per type")
            self.context.call(lib.myr_interaction_set_pair, pointer, encoded(name), len(table),
                              ffi.from_buffer("double[]", table))
        elif name == "allow_negative_masses":
            self.context.call(lib.myr_interaction_allow_negative_masses, pointer, bool(value))
        else:
            self.context.call(lib.myr_interaction_set, pointer, encoded(name), value)
        self._made[1][name] = np.array(value) if np.ndim(value) else value

    def _made_again(self):
        """A new object of the library with the same settings."""
        replace_handle(self, Interaction(self._made[0], context=self.context, **self._made[1]))

    def __getitem__(self, name: str) -> Any:
        """A choice or a parameter; of what is automatic, the one in use."""
        choice = text_of(lib.myr_interaction_choice(self._handle.pointer, encoded(name)))
        return lib.myr_interaction_get(self._handle.pointer, encoded(name)) if choice is None else choice

    @property
    def kernel(self) -> Record:
        """Description of the kernel."""
        if is_closed(self):
            raise errors[lib.MYR_ERROR_COMBINATION]("this interaction belonged to a simulation that was closed")
        name = lib.myr_interaction_choice(self._handle.pointer, b"kernel")
        return record(lib.myr_kernel_known(self.context._pointer, name))

    def check(self) -> None:
        """Raises an exception if the choices do not go together."""
        self.context.call(lib.myr_interaction_check, self._handle.pointer)

    def near(self, targets: Particles, sources: Particles, radius: ArrayLike, ahead: ArrayLike | None = None, *,
             by_mass: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Sources near each target: those within its radius now, or after the time `ahead`; `by_mass`: within radius^2
        times their mass. Gives offsets (n + 1,) and indices: those of target i are indices[offsets[i]:offsets[i + 1]],
        ascending. All pairs are compared in double, by the processor or the GPU that would evaluate.

        >>> import myriad as my
        >>> line = my.Particles(position=[[0, 0, 0], [1, 0, 0], [3, 0, 0]], mass=[1, 1, 1])
        >>> offsets, indices = my.Interaction("gravity").near(line, line, 1.5)
        >>> offsets, indices
        (array([0, 2, 4, 5]), array([0, 1, 0, 1, 2], dtype=int32))
        """
        pointer = self._free("a search")
        self._same_context(targets, sources)
        n = len(targets)
        radii = reals(radius, "radii")
        if not (radii >= 0).all():
            raise errors[lib.MYR_ERROR_VALUE]("radii must be 0 or more, and numbers")
        radius2 = np.ascontiguousarray(np.broadcast_to(radii**2, (n,)))
        times = None if ahead is None else np.ascontiguousarray(np.broadcast_to(np.asarray(ahead, dtype=np.float64), (n,)))
        query, found = ffi.new("myr_near_query *"), ffi.new("myr_near_lists *")
        query.radius2 = ffi.from_buffer("double[]", radius2)
        query.ahead = ffi.NULL if times is None else ffi.from_buffer("double[]", times)
        query.by_mass = by_mass
        self.context.call(lib.myr_interaction_near, pointer, targets._pointer, sources._pointer, query, found)
        offsets = np.frombuffer(ffi.buffer(found.offset, 8 * (n + 1)), dtype=np.int64).copy()
        entries = int(offsets[n])
        indices = np.frombuffer(ffi.buffer(found.source, 4 * entries), dtype=np.int32) if entries else np.empty(0, np.int32)
        return offsets, indices.copy()

    def evaluate(self, targets: Particles, sources: Particles | None = None, subset: ArrayLike | None = None) -> Record:
        """Sums over all pairs; the outputs become fields of the targets. Without sources, the targets are these.
        `subset`: the only targets to evaluate, indices or a mask of n truth values. Gives what the evaluation took.

        >>> import myriad as my
        >>> charges = my.Particles(position=[[0, 0, 0], [2, 0, 0]], charge=[1, 1])
        >>> point = my.Particles(position=[[1, 1, 0]])
        >>> my.Interaction("laplace", arithmetic="double").evaluate(point, charges).pairs
        2
        >>> round(float(point.potential[0]), 6)
        0.11254
        """
        pointer = self._free("an evaluation")
        sources = targets if sources is None else sources
        self._same_context(targets, sources)
        if subset is not None:
            if sources is not targets:
                raise errors[lib.MYR_ERROR_COMBINATION]("a subset needs targets that are the sources, too")
            index = _indices(subset, len(targets))
            self.context.call(lib.myr_interaction_evaluate_subset, pointer, targets._pointer, len(index),
                              ffi.from_buffer("int64_t[]", index))
        else:
            self.context.call(lib.myr_interaction_evaluate, pointer, targets._pointer, sources._pointer)
        self._last = (weak(targets), weak(sources))
        return self.last

    def _same_context(self, *sets):
        for particles in sets:
            if not isinstance(particles, Particles):
                raise TypeError(f"particles are wanted (my.Particles), not {type(particles).__name__}")
            if particles.context._owner is not self.context._owner:
                raise errors[lib.MYR_ERROR_COMBINATION](
                    "the particles were made in another context (another thread, perhaps) than the interaction")

    @property
    def last(self) -> Record:
        """What the last evaluation took: pairs, seconds, ..."""
        found = ffi.new("myr_evaluation *")
        self.context.call(lib.myr_interaction_last, self._handle.pointer, found)
        return record(found)

    def net(self, output: str) -> Any:
        """Sum of an output over the targets of the last evaluation; exact with `fixed` and `narumi`."""
        components = next((field.components for field in self.kernel.output if field.name == output), 1)
        found = ffi.new("double *")
        sums = []
        for c in range(components):
            self.context.call(lib.myr_interaction_net, self._handle.pointer, encoded(output), c, found)
            sums.append(found[0])
        return np.array(sums) if components > 1 else sums[0]

    def measure(self, samples: int = 1000) -> dict[str, Record]:
        """Errors of the outputs of the last evaluation, measured on sampled targets against direct sums in double."""
        targets, sources = (None, None) if self._last is None else (reference() for reference in self._last)
        if targets is None or sources is None:
            raise errors[lib.MYR_ERROR_COMBINATION]("evaluate first, and keep the particles")
        found = {}
        for output in self.kernel.output:
            accuracy = ffi.new("myr_accuracy *")
            self.context.call(lib.myr_interaction_accuracy, self._free("a measurement"), targets._pointer,
                              sources._pointer, encoded(output.name), samples, accuracy)
            found[output.name] = record(accuracy)
        return found

    @property
    def accuracy(self) -> dict[str, float]:
        """Relative rms error of each output, as measured: of a far field by the library itself, in the evaluation; of
        direct sums now, as measure() does."""
        try:
            far = self.far
        except errors[lib.MYR_ERROR_VALUE]:  # all pairs were summed directly
            return {name: accuracy.rms_error for name, accuracy in self.measure().items()}
        return dict(zip(far.output, far.error))

    @property
    def far(self) -> Record:
        """Report of a method other than direct about its last evaluation."""
        found = ffi.new("myr_far_report *")
        self.context.call(lib.myr_interaction_far, self._handle.pointer, found)
        return record(found)

    def __reduce__(self):
        if self._made is None:
            raise TypeError("the interaction of a simulation cannot be pickled")
        return _restore, self._made

    def __repr__(self) -> str:
        if self._handle.pointer == ffi.NULL:
            return "<Interaction of a closed simulation>"
        words = ", ".join(f"{name}={self[name]!r}" for name in _CHOICES[:4])
        return f"<Interaction {self.kernel.name}: {words}>"


def _restore(kernel, settings):
    return Interaction(kernel, **settings)


def _indices(subset, n):
    """Indices of a mask, or themselves."""
    subset = np.asarray(subset)
    if subset.dtype != bool:
        return integers(subset, np.int64, "indices of a subset")
    if subset.shape != (n,):
        raise errors[lib.MYR_ERROR_VALUE](f"a mask of {n} targets needs shape ({n},), not {subset.shape}")
    return np.flatnonzero(subset)
