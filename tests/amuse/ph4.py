"""AMUSE's ph4 with forces from libsapporo moves stars as with its own forces. Run by run.sh."""

import sys

import numpy as np
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system
from amuse_ph4.interface import ph4


def run(mode, stars):
    """Positions after one time unit, and the relative error of the energy."""
    code = ph4(mode=mode, channel_type="sockets")
    code.parameters.epsilon_squared = (1 / 64) ** 2 | nbody_system.length**2
    code.parameters.timestep_parameter = 0.1
    code.particles.add_particles(stars)
    before = code.kinetic_energy + code.potential_energy
    code.evolve_model(1 | nbody_system.time)
    error = (code.kinetic_energy + code.potential_energy) / before - 1
    positions = code.particles.position.value_in(nbody_system.length)
    code.stop()
    return positions, abs(error)


np.random.seed(1)
stars = new_plummer_model(256)
own, own_error = run("cpu", stars)
ours, our_error = run("gpu", stars)
apart = np.abs(ours - own).max(axis=1)
print(f"energy errors {own_error:.2e} and {our_error:.2e}; positions apart: median {np.median(apart):.2e}")
# Measured: 1.4e-8, 2.8e-8 and 3.8e-8; encounters enlarge what little forces differ.
sys.exit(not (our_error < 1.4e-7 and np.median(apart) < 1.9e-7))
