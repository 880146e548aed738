"""What a simulation is made of belongs to it, and comes back where the simulation could not be made."""

from ._core import Handle, ffi


def take(simulation, part):
    """The simulation owns a part from now on."""
    part._handle.give_up()
    part._handle.keeps = (simulation._handle,)
    part._taken_by = "a simulation"
    simulation._owns(part._handle)


def give_back(simulation, particles, others):
    """Makes the parts of a simulation that failed to be made usable again, as they were, and frees the simulation."""
    particles._become(simulation.particles)
    particles._taken_by = None
    for part in others:
        if part is not None and part._taken_by is not None:
            part._made_again()
            part._taken_by = None
    simulation.close()


def replace_handle(part, other):
    """A part becomes another one of the same kind, which gives up its own object."""
    given = other._handle
    part._handle = Handle(part.context, given.pointer, given.destructor, given.keeps)
    given.give_up()


def is_closed(part):
    """Whether a part went with its simulation."""
    return part._handle.pointer == ffi.NULL
