"""Simulations: particles, an interaction, external fields and an integrator, advanced step by step."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import (Context, Handle, Path, Record, current_context, encoded, errors, ffi, html, lib, live, record, text_of, three,
                    weak)
from ._parts import give_back, take
from ._progress import Bar
from .catalogue import External
from .device import DeviceArray
from .field import Field
from .flow import Motion, configure
from .interaction import Interaction
from .molecule import Topology, by_term, set_molecule, solvent_record
from .particles import Particles
from .watch import SimulationWatch, Watch

_NO_END = 1e300
_NO_LIMIT = 2**63 - 1


class _Timer:
    """A function that is called at multiples of an interval."""

    def __init__(self, interval, function, start):
        self.interval, self.function, self.start = interval, function, start
        self.calls = 0

    @property
    def due(self):
        return self.start + self.calls * self.interval


class Simulation(Motion):
    """Particles that move. The simulation owns the particles and the interaction that it is made of: its state is
    seen through its own fields, which are read-only copies, made once per step.

    Numbers by name are parameters of the integrator. `molecular`: a dict of the options of particles in a box
    (myr_molecular_options). `flow`: a dict of settings of vortex elements (viscosity, strain, turning, tolerance,
    diffusion, stream, relaxation, floor, upkeep) and of meshes (spectral: the viscosity; viscous). `topology`: that of a
    molecule, whose pairs are excluded in the way `exclusion`, with bonds to hydrogen of fixed length if `rigid`, and
    in implicit solvent if `solvent` is {"model": "obc2", "salt": 0.15, "surface": True} or the name of a model.

    >>> import myriad as my
    >>> stars = my.model("plummer", n=100, seed=1)
    >>> sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1), integrator="leapfrog", dt=1/64)
    >>> times = []
    >>> sim.every(0.25, lambda s: times.append(s.time))
    >>> sim.run(until=1)
    >>> times
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> sim.position.shape
    (100, 3)
    """

    def __init__(self, particles: Particles, interaction: Interaction | None = None, integrator: str | None = None, *,
                 external: External | Field | Iterable[External | Field] = (), time: float | None = None,
                 viscosity: float | None = None, molecular: dict[str, Any] | None = None, flow: dict[str, Any] | None = None,
                 topology: Topology | None = None, exclusion: str = "on_the_fly", rigid: bool = False,
                 solvent: str | dict[str, Any] | None = None, **parameters: float) -> None:
        context: Any = getattr(particles, "context", None)
        given = [external] if isinstance(external, (External, Field)) else list(external)
        fields = [field.made_in(context) if isinstance(field, Field) else field for field in given]
        self._refuse(particles, interaction, fields)
        made = ffi.new("myr_simulation **")
        context.call(lib.myr_simulation_create, context._pointer, particles._pointer,
                     ffi.NULL if interaction is None else interaction._handle.pointer, made)
        self._adopt(context, made[0], lib.myr_simulation_destroy)
        for part in (particles, interaction):
            if part is not None:
                take(self, part)
        try:
            if integrator is not None:
                self._call(lib.myr_simulation_choose, encoded(integrator))
            for field in fields:
                self._call(lib.myr_simulation_add_external, field._handle.pointer)
                take(self, field)
            configure(self, {**({} if viscosity is None else {"viscosity": viscosity}), **(flow or {})})
            if topology is not None:
                set_molecule(self, topology, exclusion, rigid)
            if solvent is not None:
                made, name = solvent_record(solvent)
                self._call(lib.myr_simulation_set_solvent, made)
            if molecular is not None:
                self._call(lib.myr_simulation_set_molecular, _molecular(molecular))
            for name, value in parameters.items():
                self._call(lib.myr_simulation_set, encoded(name), value)
            if time is not None:
                self._call(lib.myr_simulation_set_time, time)
        except Exception:
            give_back(self, particles, (interaction, *fields))
            raise

    @staticmethod
    def _refuse(particles, interaction, external):
        if not isinstance(particles, Particles):
            raise TypeError(f"a simulation is made of my.Particles, not of {type(particles).__name__}")
        if not isinstance(interaction, (Interaction, type(None))):
            raise TypeError(f"particles interact by a my.Interaction, not by {interaction!r}")
        particles._refuse_views("a simulation")
        for part in (interaction, *external):
            if part is None:
                continue
            if part.context._owner is not particles.context._owner:
                raise errors[lib.MYR_ERROR_COMBINATION]("all parts of a simulation must be made in one context")
            if part._taken_by is not None:
                raise errors[lib.MYR_ERROR_COMBINATION](f"{part!r} belongs to {part._taken_by} already")

    def _adopt(self, context, pointer, destructor, keeps=()):
        self.context = context
        self._handle = Handle(context, pointer, destructor, keeps)
        self._timers = []
        self._runs = False  # run() is at work
        self._exports = []  # arrays on the GPU
        self._parts = []  # handles of objects that the simulation owns
        self._page = None  # that shows the motion
        self._copies, self._copied_at = {}, None

    @classmethod
    def load(cls, path: Path, isa: str | None = None, *, fields: Iterable[Field] = (),
             context: Context | None = None) -> Simulation:
        """Goes on from a checkpoint that save() wrote, with the same bits. `isa`: another instruction set or backend,
        or "auto". `fields`: the functions that the motion goes on with, by whose names the checkpoint asks for them."""
        context = context or current_context()
        for field in fields:
            field.register(context)
        made = ffi.new("myr_simulation **")
        context.call(lib.myr_simulation_load_for, context._pointer, encoded(path),
                     ffi.NULL if isa is None else encoded(isa), made)
        self = cls.__new__(cls)
        self._adopt(context, made[0], lib.myr_simulation_destroy)
        return self

    @property
    def _pointer(self):
        return self._handle.pointer

    def _owns(self, handle):
        """Remembers the handle of an object that goes with the simulation."""
        self._parts[:] = [*live(self._parts), weak(handle)]

    def _refuse_unready(self):
        if self._handle.pointer == ffi.NULL:
            raise errors[lib.MYR_ERROR_COMBINATION]("this simulation was closed")
        if self.context._owner.depth:
            raise errors[lib.MYR_ERROR_COMBINATION](
                "the library is in the middle of a step or an evaluation, which called this function; use simulations "
                "between steps (every), or ones of another context")

    def _call(self, function, *arguments):
        self._refuse_unready()
        self.context.call(function, self._handle.pointer, *arguments)

    def _ask(self, function, kind):
        found = ffi.new(f"{kind} *")
        self._call(function, found)
        return record(found)

    # --- the state ---

    @property
    def time(self) -> float:
        """Present time."""
        return lib.myr_simulation_time(self._handle.pointer)

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return lib.myr_simulation_steps(self._handle.pointer)

    def __len__(self) -> int:
        return lib.myr_simulation_count(self._handle.pointer)

    @property
    def integrator(self) -> str:
        """Name of the integrator."""
        return text_of(lib.myr_simulation_integrator(self._handle.pointer))

    def __getitem__(self, name: str) -> float:
        """Value of a parameter of the integrator."""
        return lib.myr_simulation_get(self._handle.pointer, encoded(name))

    @property
    def interaction(self) -> Interaction | None:
        """The interaction, for questions; None if there is none."""
        pointer = lib.myr_simulation_interaction(self._handle.pointer)
        if pointer == ffi.NULL:
            return None
        made = Interaction._borrowed(self.context, pointer, (self._handle,))
        self._owns(made._handle)
        return made

    @property
    def conserved(self) -> Record:
        """Energies, momenta and so on, summed in double (myr_conserved)."""
        return self._ask(lib.myr_simulation_conserved, "myr_conserved")

    @property
    def progress(self) -> Record:
        """Steps, pairs and seconds so far (myr_progress)."""
        return self._ask(lib.myr_simulation_progress, "myr_progress")

    @property
    def thermodynamics(self) -> Record:
        """Temperature, pressure and so on of particles in a box (myr_thermodynamics)."""
        return self._ask(lib.myr_simulation_thermodynamics, "myr_thermodynamics")

    @property
    def energies(self) -> dict[str, float]:
        """Energies of a molecule by term, in kcal/mol."""
        found = ffi.new("double[]", lib.MYR_MOLECULE_TERMS)
        self._call(lib.myr_simulation_energies, found)
        return by_term(found)

    @property
    def topology(self) -> Topology | None:
        """The topology of a molecule, for questions; None if there is none."""
        pointer = lib.myr_simulation_topology(self._handle.pointer)
        if pointer == ffi.NULL:
            return None
        made = Topology._borrowed(self.context, ffi.cast("myr_topology *", pointer), (self._handle,))
        self._owns(made._handle)
        return made

    @property
    def device(self) -> Record:
        """Memory and times of particles in a box on a GPU; zeros if they are not there (myr_box_device)."""
        return self._ask(lib.myr_simulation_box_device, "myr_box_device")

    def device_array(self, field: str) -> DeviceArray:
        """The array of a field of bodies that move on a GPU, without a copy (DeviceArray)."""
        found = ffi.new("myr_device_array *")
        self._call(lib.myr_simulation_device_array, encoded(field), found)
        array = DeviceArray(self, found)
        self._exports[:] = [*live(self._exports), weak(array)]
        return array

    def _refuse_exports(self, what):
        self._exports[:] = live(self._exports)
        if self._exports:
            raise BufferError(f"{what} would free memory on the GPU, and {len(self._exports)} array(s) of it are in use; "
                              "delete these, and what was made of them")

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges and lowest corner of the box."""
        edges, origin = ffi.new("double[3]"), ffi.new("double[3]")
        self._call(lib.myr_simulation_box, edges, origin)
        return np.array(list(edges)), np.array(list(origin))

    def _set_of_c(self):
        """The present particles, which C owns until the next call."""
        found = ffi.new("const myr_particles **")
        self._call(lib.myr_simulation_particles, found)
        return found[0]

    @property
    def fields(self) -> dict[str, int]:
        """Names of the fields of the particles, with their numbers of components."""
        p = self._set_of_c()
        return {text_of(lib.myr_particles_field_name(p, k)): lib.myr_particles_field_components(p, k)
                for k in range(lib.myr_particles_fields(p))}

    def _forget_copies(self):
        self._copies, self._copied_at = {}, None

    def _copy_of(self, name):
        now = (self.steps, self.time, len(self))
        if now != self._copied_at:
            self._copies, self._copied_at = {}, now
        if name not in self._copies:
            p, components = self._set_of_c(), self.fields.get(name)
            if components is None:
                return None
            n = lib.myr_particles_count(p)
            values = np.empty((n,) if components == 1 else (n, components))
            self.context.call(lib.myr_particles_get, self._set_of_c(), encoded(name),
                              ffi.from_buffer("double[]", values))
            values.flags.writeable = False
            self._copies[name] = values
        return self._copies[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self._copy_of(name)
        if values is None:
            raise AttributeError(f"a simulation has no '{name}', and its particles have no such field; they have "
                                 f"{', '.join(self.fields)}")
        return values

    @property
    def ids(self) -> np.ndarray:
        """Ids of the particles."""
        p = self._set_of_c()
        n = lib.myr_particles_count(p)
        return np.frombuffer(ffi.buffer(lib.myr_particles_ids(p), 8 * n), dtype=np.int64).copy()

    @property
    def particles(self) -> Particles:
        """A copy of the present particles, as a set of their own."""
        p = self._set_of_c()
        made = Particles(lib.myr_particles_count(p), context=self.context)
        for name in self.fields:
            made.set(name, self._copy_of(name))
        if len(made):
            made.ids = self.ids
            types = ffi.buffer(lib.myr_particles_types(self._set_of_c()), 4 * len(made))
            made.types = np.frombuffer(types, dtype=np.int32)
        made._take_names(self._set_of_c(), range(len(made)))
        return made

    # --- changes between steps ---

    def replace(self, particles: Particles) -> None:
        """Goes on with other particles, at the present time; the simulation owns the set. If it cannot move, an
        exception leaves the motion as it was."""
        particles._refuse_views("replace()")
        self._refuse_exports("replace()")
        if particles.context._owner is not self.context._owner:
            raise errors[lib.MYR_ERROR_COMBINATION]("the particles were made in another context than the simulation")
        self._call(lib.myr_simulation_replace, particles._pointer)
        take(self, particles)
        self._forget_copies()

    def append(self, other: Particles | None = None, **fields: ArrayLike) -> None:
        """Adds particles: another set, or fields as Particles() takes them.

        >>> import myriad as my
        >>> stars = my.model("plummer", n=100, seed=1)
        >>> sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1), dt=1/64)
        >>> sim.run(until=0.5)
        >>> sim.append(position=[[5, 0, 0]], velocity=[[0, 0.4, 0]], mass=[0.01])
        >>> sim.remove(sim.mass > 0.1)
        >>> sim.set("velocity", 0.5 * sim.velocity)
        >>> sim.run(until=1)
        >>> len(sim)
        101
        """
        particles = self.particles
        particles.append(other, **fields)
        self.replace(particles)

    def remove(self, which: ArrayLike) -> None:
        """Removes particles: a mask of n truth values, or indices."""
        particles = self.particles
        particles.remove(which)
        self.replace(particles)

    def set(self, name: str, values: ArrayLike) -> None:
        """Sets all values of a field of the particles, as Particles.set() does."""
        particles = self.particles
        particles.set(name, values)
        self.replace(particles)

    # --- motion ---

    def step(self, steps: int = 1) -> None:
        """Makes steps (with block steps: of single blocks)."""
        for _ in range(steps):
            self._call(lib.myr_simulation_step, _NO_END)
            if self._page is not None:
                self._page._look()

    def every(self, interval: float, function: Callable[[Simulation], Any], start: float | None = None) -> None:
        """Has run() call function(simulation) at `start` (the present time) and after each interval of time. An
        exception in it ends run(), with the state as it is; the call is repeated by the next run()."""
        if not callable(function):
            raise TypeError(f"a function of the simulation is wanted, not {function!r}")
        if not interval > 0:
            raise errors[lib.MYR_ERROR_VALUE](f"an interval must be positive, not {interval}")
        self._timers.append(_Timer(interval, function, self.time if start is None else start))

    def _call_timers(self):
        """Calls the functions that are due; gives the time at which the next one is."""
        now = self.time
        nearly = 8 * np.finfo(float).eps * max(abs(now), 1e-300)
        for timer in self._timers:
            while timer.due <= now + nearly:
                timer.function(self)
                timer.calls += 1
        return min((timer.due for timer in self._timers), default=_NO_END)

    def run(self, until: float | None = None, steps: int | None = None, progress: bool = False) -> None:
        """Moves the particles up to a time, or by a number of steps, whichever comes first. The interpreter's lock is
        free during steps; Ctrl-C ends it between two of them, and run() can be called again."""
        self._refuse_unready()
        if self._runs:
            raise errors[lib.MYR_ERROR_COMBINATION]("run() is at work, and called this function: it may look, change the particles, or "
                                                    "step()")
        if until is None and steps is None:
            raise TypeError("say how far: until=TIME, or steps=NUMBER")
        end = _NO_END if until is None else min(float(until), _NO_END)
        last = None if steps is None else self.steps + steps
        first = self.time
        call, handle = self.context.call, self._handle
        advance, time, count = lib.myr_simulation_advance, lib.myr_simulation_time, lib.myr_simulation_steps
        if math.isnan(end):
            raise errors[lib.MYR_ERROR_VALUE]("the end of a run is not a number")
        with self.context.work(), Bar(progress) as bar, self._at_work():
            due = self._call_timers() if self._timers else _NO_END
            while time(handle.pointer) < end and (last is None or count(handle.pointer) < last):  # NaN once it is closed
                most = _NO_LIMIT if last is None else last - count(handle.pointer)
                call(advance, handle.pointer, end, min(end, due), most)
                if self._timers:
                    due = self._call_timers()
                if self._page is not None:
                    self._page._look()
                if progress and handle.pointer:
                    bar.show(self._fraction(first, end, last, steps), f"t {self.time:.6g}, step {self.steps}")
            self._refuse_unready()  # a function may have closed it

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        """run() is at work; the page shows where it has ended, however it has."""
        self._runs = True
        try:
            yield
        finally:
            self._runs = False
            if self._page is not None and self._handle.pointer != ffi.NULL:
                self._page._look(ends=True)

    def watch(self, diagnostics: float | None = None, height: int = 640) -> Watch:
        """A live page of the particles (Watch), which a notebook shows as an element; it follows run() and step().
        `diagnostics`: an interval of time after which run() measures energies for the page to plot.

        >>> import myriad as my
        >>> sim = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
        >>> try:
        ...     page = sim.watch(diagnostics=0.125)
        ... except my.Error:  # Myriad was built without libmicrohttpd
        ...     pass
        >>> sim.run(until=1)
        """
        self._refuse_unready()
        if self._page is None or self._page._closed:
            self._page = SimulationWatch(self, diagnostics, height)
        return self._page

    def _fraction(self, first, end, last, steps):
        parts = [0.0]
        if end < _NO_END:
            parts.append((self.time - first) / (end - first))
        if last is not None:
            parts.append(1 - (last - self.steps) / steps)
        return max(parts)

    def minimise(self, tolerance: float, steps: int = 10000) -> Record:
        """Minimises the energy of particles in a box, before the first step."""
        found = ffi.new("myr_minimum *")
        self._call(lib.myr_simulation_minimise, tolerance, steps, found)
        self._forget_copies()
        return record(found)

    def merge(self, distance: float = 0.0, radius_field: str | None = None) -> tuple[int, float]:
        """Merges bodies that touch: nearer than a distance, or than the sum of their radii in a field. Gives their
        number and the change of the energy."""
        merged, energy = ffi.new("int64_t *"), ffi.new("double *")
        self._call(lib.myr_simulation_merge, ffi.NULL if radius_field is None else encoded(radius_field), distance,
                   merged, energy)
        self._forget_copies()
        return merged[0], energy[0]

    def tidal_radius(self, centre: ArrayLike = (0, 0, 0), velocity: ArrayLike = (0, 0, 0)) -> float:
        """Tidal radius of a system of bodies in external fields."""
        found = ffi.new("double *")
        self._call(lib.myr_simulation_tidal_radius, three(centre, "the centre"), three(velocity, "the velocity"), found)
        return found[0]

    def heat(self, temperature: float, seed: int = 1) -> None:
        """Draws velocities from the Maxwell distribution, before the first step."""
        self._call(lib.myr_simulation_heat, temperature, seed)
        self._forget_copies()

    def reverse(self) -> None:
        """Turns all velocities."""
        self._call(lib.myr_simulation_reverse)
        self._forget_copies()

    # --- ranks ---

    def follow(self) -> None:
        """On ranks other than 0: does what rank 0 does with its simulation, until that is closed."""
        self._call(lib.myr_simulation_follow)

    def close(self) -> None:
        """Frees the simulation now (a step under way ends first), with the particles and the interaction that it was
        made of. On several ranks this lets the others return from follow(); `with` does it at the end of a block."""
        self._refuse_exports("close()")
        if self._page is not None:
            self._page.close()
        for part in self._parts:
            handle = part()
            if handle is not None:
                handle.pointer = ffi.NULL
        self._parts.clear()
        self._handle.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ranks(self) -> Record:
        """How the particles of a box are divided among ranks (myr_rank_report)."""
        return self._ask(lib.myr_simulation_ranks, "myr_rank_report")

    # --- files ---

    def save(self, path: Path) -> None:
        """Writes a checkpoint, from which load() goes on with the same bits."""
        self._call(lib.myr_simulation_save, encoded(path))

    def write(self, path: Path, format: str | None = None, fields: Iterable[str] | None = None, **header: Any) -> None:
        """Writes the particles to a file, as my.write() does; the time is that of the simulation."""
        from .files import _header, _names
        names, kept = _names(fields)
        values = {"time": self.time, "step": self.steps, **header}
        self._call(lib.myr_simulation_write, encoded(path), ffi.NULL if format is None else encoded(format), names,
                   _header(values))
        del kept

    # --- what it shows ---

    def report(self) -> Report:
        """What was computed, with which choices, and what it took; a notebook shows it as tables."""
        f = self.interaction
        choices = {"integrator": self.integrator, "particles": len(self)}
        if f is not None:
            choices.update({key: f[key] for key in ("kernel", "accumulator", "arithmetic", "method", "backend", "isa")})
        progress = self.progress
        cost = {name: progress[name] for name in ("steps", "particle_steps", "pairs", "force_seconds", "step_seconds")}
        return Report({"choices": Record(choices), "state": self.conserved, "cost": Record(cost)})

    def __repr__(self) -> str:
        return f"<Simulation of {len(self)} particles by {self.integrator} at t = {self.time:.6g}, step {self.steps}>"

    def _repr_html_(self) -> str:
        f = self.interaction
        rows = {"particles": len(self), "integrator": self.integrator, "time": self.time, "steps": self.steps}
        if f is not None:
            rows.update({key: f[key] for key in ("kernel", "accumulator", "method", "backend")})
        return Record(rows)._repr_html_()


class Report:
    """Tables with titles.

    >>> import myriad as my
    >>> sim = my.Simulation(my.model("plummer", n=10, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
    >>> sim.report().choices.integrator
    'leapfrog'
    """

    def __init__(self, tables: dict[str, Record]) -> None:
        self.__dict__.update(tables)

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Record: ...

    def __repr__(self) -> str:
        parts = []
        for title, table in self.__dict__.items():
            parts += [title, *(f"  {name:15} {value}" for name, value in table.__dict__.items())]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{html(title)}</h4>{table._repr_html_()}" for title, table in self.__dict__.items())


def _molecular(options):
    """Options of particles in a box from a dict with the names of myr_molecular_options."""
    made = ffi.new("myr_molecular_options *", lib.myr_molecular_defaults())
    cuts = []
    while lib.myr_potential_cut(len(cuts)) != ffi.NULL:
        cuts.append(text_of(lib.myr_potential_cut(len(cuts)).name))
    for name, value in options.items():
        if name == "cut" and isinstance(value, str):
            if value not in cuts:
                raise errors[lib.MYR_ERROR_NAME](f"there is no cut '{value}'; there are {', '.join(cuts)}")
            value = cuts.index(value)
        if name not in dict(ffi.typeof(made[0]).fields):
            raise errors[lib.MYR_ERROR_NAME](f"there is no option '{name}' of particles in a box")
        setattr(made, name, list(value) if np.ndim(value) else value)
    return made
