"""Lists of everything that can be chosen, and models: initial conditions."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ._core import (Context, Handle, Path, Record, current_context, encoded, errors, ffi, lib, listed, record, text_of,
                    three)
from ._parts import is_closed, replace_handle
from .particles import Particles


def kernels() -> dict[str, Record]:
    """Kernels of the library by name: formula, fields, parameters.

    >>> import myriad as my
    >>> [parameter.name for parameter in my.kernels()["gravity"].param]
    ['eps', 'G']
    """
    return listed(lib.myr_kernel)


def accumulators() -> dict[str, Record]:
    """Accumulators, the ways to sum, by name.

    >>> import myriad as my
    >>> my.accumulators()["fixed"].order_independent
    1
    """
    return listed(lib.myr_accumulator)


def methods() -> dict[str, Record]:
    """Methods by name: which pairs are evaluated.

    >>> import myriad as my
    >>> "fmm" in my.methods()
    True
    """
    return listed(lib.myr_method)


def backends() -> dict[str, Record]:
    """Backends by name: where pairs are evaluated; `available` says whether this machine has it.

    >>> import myriad as my
    >>> "cuda" in my.backends()
    True
    """
    return listed(lib.myr_backend)


def integrators() -> dict[str, Record]:
    """Integrators by name, with their parameters.

    >>> import myriad as my
    >>> [parameter.name for parameter in my.integrators()["leapfrog"].param]
    ['dt']
    """
    return listed(lib.myr_integrator)


def formats() -> dict[str, Record]:
    """File formats of particles by name.

    >>> import myriad as my
    >>> my.formats()["csv"].available
    1
    """
    return listed(lib.myr_snapshot_format)


def models() -> dict[str, Record]:
    """Models by name, each with its `parameters` and `options`.

    >>> import myriad as my
    >>> my.models()["king"].parameters["W0"].value
    6.0
    """
    found = listed(lib.myr_model)
    for k, model in enumerate(found.values()):
        model.parameters = listed(partial(lib.myr_model_parameter, k))
        model.options = listed(partial(lib.myr_model_option, k))
        model.bodies = lib.myr_model_bodies(k)
    return found


def externals() -> dict[str, Record]:
    """External fields by name, each with its `parameters`.

    >>> import myriad as my
    >>> list(my.externals()["point_mass"].parameters)[:2]
    ['G', 'mass']
    """
    found = listed(lib.myr_external_kind)
    for k, kind in enumerate(found.values()):
        kind.parameters = listed(partial(lib.myr_external_parameter, k))
    return found


def model(name: str, n: int = 0, seed: int = 1, *, context: Context | None = None, table: Path | None = None,
          **parameters: float | str) -> Particles:
    """Makes the particles of a model; numbers are parameters, words are options. models() lists them.

    >>> import myriad as my
    >>> stars = my.model("king", n=100, seed=1, W0=9, mass_function="kroupa")
    >>> len(stars)
    100
    """
    context = context or current_context()
    made = ffi.new("myr_model_spec **")
    context.call(lib.myr_model_spec_create, context._pointer, encoded(name), made)
    spec = Handle(context, made[0], lib.myr_model_spec_destroy)
    if table is not None:
        context.call(lib.myr_model_spec_read_table, spec.pointer, encoded(table))
    for key, value in parameters.items():
        if isinstance(value, str):
            context.call(lib.myr_model_spec_choose, spec.pointer, encoded(key), encoded(value))
        else:
            context.call(lib.myr_model_spec_set, spec.pointer, encoded(key), value)
    particles = ffi.new("myr_particles **")
    context.call(lib.myr_model_spec_make, spec.pointer, n, seed, particles)
    return Particles._of(context, particles[0])


class Kernel:
    """A kernel that a user wrote: the text of a pipeline (docs/pipelines.md). Give it to Interaction() in place of a
    name; its loops are compiled at their first use and are as fast as built in ones.

    >>> import myriad as my
    >>> text = "i: x[3]\\nj: x[3] q\\nout: phi\\nout.phi += j.q * rsqrt(i.x[0] * j.x[0] + 1);"
    >>> my.Kernel(text, "plain").name
    'plain'
    """

    required: tuple[str, ...] = ()  # parameters that an interaction must be given

    def __init__(self, text: str, name: str | None = None) -> None:
        self.text = text
        self.file = f"{name or 'kernel'}.pipe"
        self.info = record(self._in(current_context()))
        self.name = self.info.name

    def _in(self, context):
        """The kernel in a context; the same text given twice is one kernel."""
        found = ffi.new("myr_kernel_info **")
        context.call(lib.myr_kernel_from_source, context._pointer, encoded(self.file), encoded(self.text), found)
        return found[0]

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"

    def __reduce__(self):
        return Kernel, (self.text, self.file[:-len(".pipe")])


def kernel(text: str, name: str | None = None) -> Kernel:
    """Makes a kernel from the text of a pipeline, or from a file that ends with .pipe.

    >>> import myriad as my
    >>> text = "i: x[3]\\nj: x[3] q\\nout: phi\\nout.phi += j.q * rsqrt(i.x[0] * j.x[0] + 1);"
    >>> my.kernel(text, name="example").info.output[0].name
    'potential'
    """
    if text.endswith(".pipe"):
        with open(text, encoding="utf-8") as file:
            return Kernel(file.read(), name or text.rsplit("/", 1)[-1][:-len(".pipe")])
    return Kernel(text, name)


def gpus(*, context: Context | None = None) -> list[Record]:
    """GPUs that the backend cuda uses, a list (myr_gpu_info); empty if there are none. `backends()["cuda"].available`
    says as much, and an interaction with backend="cuda" says why not.

    >>> import myriad as my
    >>> isinstance(my.gpus(), list)
    True
    """
    context = context or current_context()
    found: list[Record] = []
    while True:
        gpu = ffi.new("myr_gpu_info *")
        try:
            context.call(lib.myr_machine_gpu, context._pointer, len(found), gpu)
        except (errors[lib.MYR_ERROR_VALUE], errors[lib.MYR_ERROR_UNAVAILABLE]):
            return found
        found.append(record(gpu))


def info() -> str:
    """Version of the library and how it was built.

    >>> import myriad as my
    >>> my.info().startswith("Myriad")
    True
    """
    return f"Myriad {text_of(lib.myr_version())}: {text_of(lib.myr_version_build())}"


class External:
    """An external field, which acts on every particle of a simulation. externals() lists the kinds.

    >>> import myriad as my
    >>> galaxy = my.External("point_mass", mass=10)
    >>> galaxy["mass"]
    10.0
    """

    def __init__(self, kind: str, *, context: Context | None = None, **parameters: float) -> None:
        self.context = context or current_context()
        made = ffi.new("myr_external **")
        self.context.call(lib.myr_external_create, self.context._pointer, encoded(kind), made)
        self._handle = Handle(self.context, made[0], lib.myr_external_destroy)
        self._taken_by = None
        for name, value in parameters.items():
            self[name] = value

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return text_of(lib.myr_external_name(self._handle.pointer))

    def __getitem__(self, name: str) -> float:
        return lib.myr_external_get(self._handle.pointer, encoded(name))

    def __setitem__(self, name: str, value: float) -> None:
        if self._taken_by is not None:
            raise errors[lib.MYR_ERROR_COMBINATION]("this field belongs to a simulation, which has begun with it")
        self.context.call(lib.myr_external_set, self._handle.pointer, encoded(name), value)

    def _made_again(self):
        """A new object of the library with the same parameters."""
        kind, parameters = self.__reduce__()[1]
        replace_handle(self, External(kind, context=self.context, **parameters))

    def at(self, position: ArrayLike, velocity: ArrayLike = (0, 0, 0),
           time: float = 0) -> tuple[list[float], list[float], float]:
        """Acceleration, jerk and potential at a position."""
        if is_closed(self):
            raise errors[lib.MYR_ERROR_COMBINATION]("this field belonged to a simulation that was closed")
        acceleration, jerk, potential = ffi.new("double[3]"), ffi.new("double[3]"), ffi.new("double *")
        lib.myr_external_at(self._handle.pointer, three(position, "position"), three(velocity, "velocity"), time, acceleration,
                            jerk, potential)
        return list(acceleration), list(jerk), potential[0]

    def __reduce__(self):
        names = externals()[self.kind].parameters if self.kind in externals() else ("x", "y", "z")
        return _external, (self.kind, {name: self[name] for name in names})

    def __repr__(self) -> str:
        return f"<External {self.kind}>"


def _external(kind, parameters):
    return External(kind, **parameters)
