"""The Python interface on one page: a star cluster, its energy over time, and a far field to a tolerance.

Finds an installed package, or the one that `make python` leaves in build/python.
"""

import os
import sys

try:
    import myriad as my
except ImportError:
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "python"))
    import myriad as my

stars = my.model("plummer", n=2000, seed=1)
gravity = my.Interaction("gravity", eps=0.02, accumulator="fixed")
gravity.evaluate(stars)
print("acceleration of the first star", stars.acceleration[0])  # NumPy arrays of the library's own memory
print("net force", gravity.net("acceleration"), "measured error", gravity.accuracy)

sim = my.Simulation(stars, gravity, integrator="leapfrog", dt=1 / 128)
energy = []
sim.every(0.125, lambda s: energy.append(s.conserved.energy))
sim.run(until=0.5)
print("energy error", [f"{e / energy[0] - 1:.1e}" for e in energy])

far = my.Interaction("laplace", method="fmm", tolerance=1e-5)
charges = my.Particles(position=sim.position, charge=sim.mass)
far.evaluate(charges)
print("fmm, measured errors", far.accuracy)
print(sim.report())
