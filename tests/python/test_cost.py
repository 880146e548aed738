"""What makes Python as fast as C, without clocks: a step or an evaluation is one call of the library, whatever the number of bodies, and no array is
copied. overhead.py measures times."""

import subprocess
import sys
import tracemalloc
import unittest

import numpy as np

import myriad as my


def calls_of(context, work):
    """Number of calls of the library that work makes."""
    count, call = [0], context.call

    def counted(*arguments):
        count[0] += 1
        return call(*arguments)

    context.call = counted
    try:
        work()
    finally:
        del context.call
    return count[0]


class Calls(unittest.TestCase):
    def test_steps(self):
        """A step is one call, between two of which Ctrl-C is seen; functions at times add none."""
        sim = my.Simulation(my.model("plummer", n=10, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 64)
        self.assertEqual(calls_of(sim.context, lambda: sim.run(steps=1)), 1)
        self.assertEqual(calls_of(sim.context, lambda: sim.run(steps=2000)), 2000)
        sim.every(1, lambda s: None)
        self.assertEqual(calls_of(sim.context, lambda: sim.run(steps=640)), 640)

    def test_evaluations(self):
        f = my.Interaction("gravity", eps=0.1)
        counts = [calls_of(f.context, lambda n=n: f.evaluate(my.Particles(position=np.zeros((n, 3)), mass=np.ones(n))))
                  for n in (1, 300)]
        self.assertEqual(counts[0], counts[1])


class Memory(unittest.TestCase):
    def test_python_copies_nothing(self):
        """An evaluation of 100000 bodies and the views of its fields: NumPy allocates no array (one has 2.4 MB)."""
        bodies, f = my.model("plummer", n=100000, seed=1), my.Interaction("gravity", method="fmm", tolerance=1e-2)
        f.evaluate(bodies)
        tracemalloc.start()
        try:
            f.evaluate(bodies)
            views = bodies.position, bodies.acceleration, bodies.mass
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        self.assertEqual(views[1].shape, (100000, 3))
        self.assertLess(peak, 60000)  # bytes; measured 12000

    def test_resident_memory(self):
        """A second evaluation and views of 1e6 bodies leave the resident memory of the process as it was."""
        code = """
import resource, myriad as my
with my.Context(threads=1):
    bodies = my.Particles(1000000)
    bodies.position, bodies.mass = my.model("random", n=1000000, seed=1).position, 1e-6
    f = my.Interaction("gravity", eps=0.1)
    f.evaluate(bodies, subset=[1, 2, 3])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        f.evaluate(bodies, subset=[4, 5, 6])
        views = bodies.position, bodies.acceleration, bodies.mass, bodies.ids
        views[1][:] += 1
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
        grown = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(grown, 4000)  # kB; measured 0; one field of vectors has 23438


if __name__ == "__main__":
    unittest.main()
