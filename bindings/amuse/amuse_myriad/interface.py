"""Myriad as a community code of AMUSE: gravity, by direct sums or a far field, on the processor or a GPU.

    from amuse_myriad.interface import Myriad
    code = Myriad()                          # or Myriad(converter)
    code.parameters.epsilon_squared = (0.01 | nbody_system.length)**2
    code.particles.add_particles(stars)
    code.evolve_model(1 | nbody_system.time)
"""

from amuse.community import CodeInterface, LegacyFunctionSpecification, legacy_function, nbody_system
from amuse.community.interface.gd import (GravitationalDynamics, GravitationalDynamicsInterface, GravityFieldCode,
                                          GravityFieldInterface)
from amuse.community.interface.stopping_conditions import StoppingConditionInterface, StoppingConditions

# Parameters beside those of AMUSE's interface: name of the functions, name for users of a number, text, default.
NUMBERS = [
    ("eta", "timestep_parameter", "accuracy of adaptive steps (Hermite schemes)", 0.02),
    ("tolerance", "tolerance", "relative error of forces of a far field (method other than direct)", 1e-5),
]
WORDS = [
    ("integrator", "hermite4, hermite4_shared, leapfrog, yoshida4, yoshida6, ...", "hermite4"),
    ("method", "direct, fmm, tree", "direct"),
    ("accumulator", "how pairs are summed: fixed, double, ...", "fixed"),
    ("arithmetic", "single, mixed, portable, double", "mixed"),
    ("backend", "auto, simd, cuda, ref", "auto"),
]


def _function(name, inputs, outputs):
    """A function of the worker by the types of its arguments."""
    def function():
        specification = LegacyFunctionSpecification()
        for direction, parameters in ((specification.IN, inputs), (specification.OUT, outputs)):
            for parameter, dtype in parameters.items():
                specification.addParameter(parameter, dtype=dtype, direction=direction)
        specification.result_type = "int32"
        return specification
    function.__name__, function.__doc__ = name, f"{name} of a parameter of Myriad, by its name."
    return legacy_function(function)


class MyriadInterface(CodeInterface, GravitationalDynamicsInterface, StoppingConditionInterface, GravityFieldInterface):
    """Functions of the worker (interface.c)."""

    include_headers = ["myriad_worker.h", "stopcond.h"]

    def __init__(self, number_of_workers=1, **options):
        if number_of_workers != 1:
            raise ValueError("Myriad has one worker, which uses all cores (OMP_NUM_THREADS)")
        CodeInterface.__init__(self, name_of_the_worker="myriad_worker", **options)

    get_number = _function("get_number", {"name": "string"}, {"value": "float64"})
    set_number = _function("set_number", {"name": "string", "value": "float64"}, {})
    get_word = _function("get_word", {"name": "string"}, {"value": "string"})
    set_word = _function("set_word", {"name": "string", "value": "string"}, {})


class Myriad(GravitationalDynamics, GravityFieldCode):
    """Gravity by Myriad. With the accumulator "fixed" sums do not depend on the order of the bodies.

    Bodies of mass 0 are attracted and attract nobody. A field at a point is softened by the eps of the point alone, as bridges
    expect. Stopping conditions are looked for after every step: collisions of bodies with a radius, bodies outside a box,
    numbers of steps, and time on the clock."""

    __interface__ = MyriadInterface

    def __init__(self, convert_nbody=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, MyriadInterface(**options), convert_nbody, **options)

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        self.stopping_conditions.define_state(handler)
        handler.add_method("RUN", "get_acceleration")

    def define_parameters(self, handler):
        handler.add_method_parameter("get_eps2", "set_eps2", "epsilon_squared", "square of the softening length",
                                     default_value=0.0 | nbody_system.length**2)
        handler.add_method_parameter("get_time_step", "_set_time_step", "timestep", "step of schemes with a fixed step",
                                     default_value=1.0 / 128 | nbody_system.time)
        handler.add_method_parameter("get_begin_time", "set_begin_time", "begin_time", "time at which the motion starts",
                                     default_value=0.0 | nbody_system.time)
        self.stopping_conditions.define_parameters(handler)
        for name, public, text, default in NUMBERS:
            self._add_named(handler, "number", name, public, text, default)
        for name, text, default in WORDS:
            self._add_named(handler, "word", name, name, text, default)

    def _add_named(self, handler, kind, name, public, text, default):
        """A parameter that the worker knows by its name."""
        setattr(self, f"_get_{name}", lambda: getattr(self, f"get_{kind}")(name))
        setattr(self, f"_set_{name}", lambda value: getattr(self, f"set_{kind}")(name, value))
        handler.add_method_parameter(f"_get_{name}", f"_set_{name}", public, text, default_value=default)

    def _set_time_step(self, value):
        if self.unit_converter is not None:
            value = self.unit_converter.to_nbody(value)
        self.set_number("time_step", value.value_in(nbody_system.time))

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        self.stopping_conditions.define_methods(handler)
        handler.add_method("get_eps2", (), (nbody_system.length**2, handler.ERROR_CODE))
        handler.add_method("set_eps2", (nbody_system.length**2,), (handler.ERROR_CODE,))
        for kind in ("number", "word"):
            handler.add_method(f"get_{kind}", (handler.NO_UNIT,), (handler.NO_UNIT, handler.ERROR_CODE))
            handler.add_method(f"set_{kind}", (handler.NO_UNIT, handler.NO_UNIT), (handler.ERROR_CODE,))

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)
        handler.add_getter("particles", "get_acceleration", names=("ax", "ay", "az"))
        handler.add_getter("particles", "get_potential", names=("potential",))
