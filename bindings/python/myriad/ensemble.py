"""Many independent simulations that move together, each with the bits that it has alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ._core import Context, Handle, Record, current_context, encoded, ffi, lib, record
from .simulation import Simulation

_NO_END = 1e300


class Ensemble:
    """Simulations that were made in contexts of their own, and move together: on the processor by threads, molecules on a
    GPU in the same launches.

    >>> import myriad as my
    >>> def system(seed):
    ...     with my.Context(threads=1):
    ...         stars = my.model("plummer", n=100, seed=seed)
    ...         return my.Simulation(stars, my.Interaction("gravity", eps=0.1), dt=1/64)
    >>> all = my.Ensemble([system(seed) for seed in (1, 2, 3)], backend="simd")
    >>> all.run(until=0.125)
    >>> [simulation.time for simulation in all]
    [0.125, 0.125, 0.125]
    """

    def __init__(self, simulations: Sequence[Simulation], backend: str = "auto", context: Context | None = None) -> None:
        self.context = context or current_context()
        self._simulations = list(simulations)
        made = ffi.new("myr_ensemble **")
        given = ffi.new("myr_simulation *[]", [simulation._pointer for simulation in self._simulations])
        self.context.call(lib.myr_ensemble_create, self.context._pointer, len(self._simulations), given, made)
        self._handle = Handle(self.context, made[0], lib.myr_ensemble_destroy, tuple(self._simulations))
        self._call(lib.myr_ensemble_choose, encoded(backend))

    def _call(self, function, *arguments):
        self.context.call(function, self._handle.pointer, *arguments)

    def __len__(self) -> int:
        return lib.myr_ensemble_count(self._handle.pointer)

    def __getitem__(self, k: int) -> Simulation:
        return self._simulations[k]

    def __iter__(self) -> Iterator[Simulation]:
        return iter(self._simulations)

    def run(self, until: float | None = None, steps: int | None = None) -> None:
        """Moves all simulations that have not failed up to a time, or by a number of steps, whichever comes first."""
        if until is None and steps is None:
            raise TypeError("say how far: until=TIME, or steps=NUMBER")
        end = _NO_END if until is None else float(until)
        self._call(lib.myr_ensemble_advance, end, end, 2**62 if steps is None else steps)

    @property
    def alive(self) -> int:
        """Number of simulations that have not failed."""
        return lib.myr_ensemble_alive(self._handle.pointer)

    @property
    def failures(self) -> dict[int, str]:
        """Simulations that do not move any more, by their number, and why."""
        return {k: simulation.context._message() for k, simulation in enumerate(self._simulations)
                if lib.myr_ensemble_status(self._handle.pointer, k)}

    @property
    def info(self) -> Record:
        """Where the simulations move, and the time that their steps took."""
        report = ffi.new("myr_ensemble_report *")
        self._call(lib.myr_ensemble_describe, report)
        return record(report)

    def prepare_exchange(self, seed: int = 1) -> None:
        """Begins to exchange temperatures, which must all differ."""
        self._call(lib.myr_ensemble_prepare_exchange, seed)

    def exchange(self, round: int) -> None:
        """One round of replica exchange: neighbouring temperatures change places where the test allows it."""
        self._call(lib.myr_ensemble_exchange, round)

    @property
    def ranks(self) -> list[int]:
        """Place of the temperature of each simulation among all, from the lowest; -1 before prepare_exchange()."""
        return [lib.myr_ensemble_rank(self._handle.pointer, k) for k in range(len(self))]

    @property
    def round_trips(self) -> list[int]:
        """How often each simulation has gone from the lowest temperature to the highest and back."""
        return [lib.myr_ensemble_round_trips(self._handle.pointer, k) for k in range(len(self))]

    @property
    def acceptance(self) -> list[tuple[float, int, int]]:
        """Temperatures from the lowest, with the numbers of exchanges with the next one that were tried and accepted."""
        temperature, tried, accepted = ffi.new("double *"), ffi.new("int64_t *"), ffi.new("int64_t *")
        result = []
        for k in range(len(self)):
            self._call(lib.myr_ensemble_exchanged, k, temperature, tried, accepted)
            result.append((temperature[0], tried[0], accepted[0]))
        return result

    @property
    def exchange_state(self) -> list[int]:
        """State of the exchange, to be given to another ensemble of the same simulations."""
        count = lib.myr_ensemble_exchange_state(self._handle.pointer, ffi.NULL, 0)
        state = ffi.new("int64_t[]", max(count, 1))
        lib.myr_ensemble_exchange_state(self._handle.pointer, state, count)
        return list(state[0:count])

    @exchange_state.setter
    def exchange_state(self, state: Sequence[int]) -> None:
        self._call(lib.myr_ensemble_set_exchange_state, ffi.new("int64_t[]", list(state)), len(state))
