"""What users do by mistake: an exception with a sentence, never a crash, and nothing is lost or silently rounded."""

import os
import pickle
import tempfile
import unittest

import numpy as np

import myriad as my


def stars(n=16):
    return my.model("plummer", n=n, seed=1)


def gravity(**settings):
    return my.Interaction("gravity", **{"eps": 0.1, **settings})


def cluster(n=16, **settings):
    return my.Simulation(stars(n), gravity(), **{"dt": 1 / 64, **settings})


class Closing(unittest.TestCase):
    def test_in_a_callback(self):
        sim = cluster()
        sim.every(1 / 8, lambda s: s.close() if s.time > 0.2 else None)
        with self.assertRaisesRegex(my.errors.CombinationError, "was closed"):
            sim.run(until=1)
        sim = cluster()
        sim.every(1 / 8, lambda s: s.close())
        with self.assertRaisesRegex(my.errors.CombinationError, "was closed"):
            sim.run(until=1)  # before the first step

    def test_in_a_field(self):
        """The step ends first, and then the simulation goes."""
        @my.field
        def closes(position):
            sim.close()
            return -position

        sim = cluster(external=closes)
        with self.assertRaisesRegex(my.errors.CombinationError, "was closed"):
            sim.run(until=1)

    def test_parts(self):
        pull = my.External("point_mass", mass=1)
        sim = cluster(external=pull)
        own = sim.interaction
        self.assertEqual(pull.at([2, 0, 0])[2], -0.5)
        sim.close()
        for use in (lambda: pull.at([2, 0, 0]), lambda: own.kernel, lambda: own.net("acceleration"), lambda: own.accuracy,
                    lambda: own.check()):
            with self.assertRaises(my.Error):
                use()


class Failed(unittest.TestCase):
    """A simulation that cannot be made leaves its parts to the user."""

    def test_parts_come_back(self):
        bodies, pull = stars(), my.External("point_mass", mass=3, x=1)
        bodies.set_name(2, "Vega")
        f = gravity(accumulator="nitadori")
        f["eps"] = 0.25
        bits = bodies.hash("velocity")
        for wrong in ({"integrator": "leapfog"}, {"no_such": 1}, {"time": np.nan}, {"molecular": {"no_such": 1}},
                      {"flow": {"no_such": 1}}):
            with self.assertRaises(my.Error):
                my.Simulation(bodies, f, external=pull, **wrong)
        self.assertEqual((bodies.hash("velocity"), bodies.name(2)), (bits, "Vega"))
        self.assertEqual((f["eps"], f["accumulator"], pull["mass"], pull["x"]), (0.25, "nitadori", 3, 1))
        f.evaluate(bodies)
        sim = my.Simulation(bodies, f, external=pull, dt=1 / 64)
        sim.run(steps=3)
        self.assertEqual(sim.interaction["eps"], 0.25)

    def test_not_particles(self):
        with self.assertRaisesRegex(TypeError, "my.Particles"):
            gravity().evaluate(np.zeros((3, 3)))
        with self.assertRaisesRegex(TypeError, "my.Particles"):
            my.Simulation(np.zeros((3, 3)))
        with self.assertRaisesRegex(TypeError, "my.Interaction"):
            my.Simulation(stars(), "gravity")


class Values(unittest.TestCase):
    def test_whole_numbers(self):
        bodies = stars(3)
        for name, values in (("ids", [1.5, 2, 3]), ("types", [0.5, 1, 2]), ("types", [2**40, 1, 2]), ("types", [np.nan, 1, 2])):
            with self.assertRaisesRegex(my.errors.ValueError, f"{name} must be whole numbers"):
                setattr(bodies, name, values)
        bodies.types = [2.0, 1.0, 0.0]
        self.assertEqual(list(bodies.types), [2, 1, 0])

    def test_subsets(self):
        bodies, f = stars(), gravity()
        f.evaluate(bodies)
        bodies.acceleration[:] = 0
        f.evaluate(bodies, subset=np.arange(16) == 5)
        self.assertEqual(list(np.flatnonzero(bodies.acceleration[:, 0])), [5])
        for wrong in ([0.5], [99], [-1], np.ones(3, dtype=bool)):
            with self.assertRaises(my.errors.ValueError):
                f.evaluate(bodies, subset=wrong)
        self.assertEqual(f.evaluate(bodies, subset=[]).pairs, 0)

    def test_remove_none(self):
        bodies = stars()
        bodies.remove([])
        sim = my.Simulation(bodies, gravity(), dt=1 / 64)
        sim.remove([])
        self.assertEqual(len(sim), 16)

    def test_three_numbers(self):
        pull = my.External("point_mass", mass=1)
        for use in (lambda: pull.at([1, 2]), lambda: pull.at([1, 2, 3], [0]), lambda: cluster().tidal_radius([0]),
                    lambda: my.diagnostics.lagrangian(stars(), [0.5], centre=[0, 0])):
            with self.assertRaisesRegex(my.errors.ValueError, "needs three numbers"):
                use()

    def test_null_characters(self):
        with self.assertRaisesRegex(my.errors.ValueError, "null character"):
            stars().set_name(0, "a\0b")

    def test_not_finite(self):
        bodies = stars()
        bodies.velocity[3, 1] = np.nan
        with self.assertRaisesRegex(my.errors.NonfiniteError, r"velocity of particle 3 \(id 3\) is nan"):
            my.Simulation(bodies, gravity(), dt=1 / 64).step()
        sim = cluster()
        sim.run(until=np.inf, steps=3)
        self.assertEqual(sim.steps, 3)

    def test_complex_and_wrong_lengths(self):
        with self.assertRaisesRegex(my.errors.ValueError, "'mass' must be real numbers"):
            stars().set("mass", 1j * np.ones(16))
        with self.assertRaisesRegex(my.errors.FieldError, r"shape \(16,\), the values have \(9,\)"):
            stars().mass = np.zeros(9)
        with self.assertRaisesRegex(my.errors.ValueError, "box needs three numbers"):
            my.Interaction("laplace", method="fmm", box=[1, 2])
        with self.assertRaisesRegex(my.errors.ValueError, "fractions are a list"):
            my.diagnostics.lagrangian(stars(), [[0.1, 0.5], [0.7, 0.9]])
        with self.assertRaisesRegex(my.errors.ValueError, "radii"):
            gravity().near(stars(), stars(), -1)
        with self.assertRaises(IndexError):
            stars().name(16)
        with self.assertRaisesRegex(OSError, "no such file"):
            my.run("missing.yaml")

    def test_functions(self):
        """Functions that cannot be used are named where they are given, not where they are called."""
        with self.assertRaisesRegex(TypeError, "function of the simulation"):
            cluster().every(0.1, 3)
        with self.assertRaisesRegex(my.errors.NameError, "a lambda has none.*name='wind'"):
            cluster(external=my.field(lambda position: -position))
        self.assertEqual(my.field(lambda position: -position, name="pull").name, "pull")
        with self.assertRaisesRegex(SyntaxError, "made by def"):
            my.pair(lambda i, j: {"near": 1.0})

    def test_run_in_run(self):
        sim = cluster()
        sim.every(1 / 8, lambda s: s.run(until=2))
        with self.assertRaisesRegex(my.errors.CombinationError, r"run\(\) is at work"):
            sim.run(until=1)
        sim = cluster()
        sim.every(1 / 2, lambda s: s.step(2))
        sim.run(until=1)
        self.assertGreaterEqual(sim.time, 1)

    def test_origin_as_array(self):
        f = my.Interaction("laplace", method="fmm", tolerance=1e-3, box=np.ones(3), origin=np.zeros(3))
        self.assertEqual(pickle.loads(pickle.dumps(f))["method"], "fmm")


class Copies(unittest.TestCase):
    def test_renewed(self):
        """What changes particles without a step renews the copies."""
        f = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]])
        sim = my.Simulation(my.model("fcc", n=256, seed=1), f, integrator="verlet", dt=0.004,
                            molecular={"box": [6.84] * 3, "cut": "shifted"})
        before = sim.velocity
        sim.heat(1.0, seed=2)
        self.assertGreater(np.abs(sim.velocity - before).max(), 0.1)
        sim.run(steps=2)
        before = sim.velocity
        sim.reverse()
        np.testing.assert_array_equal(sim.velocity, -before)


class Pickling(unittest.TestCase):
    def test_changed_settings(self):
        f = gravity()
        f["eps"], f["accumulator"] = 0.5, "nitadori"
        other = pickle.loads(pickle.dumps(f))
        self.assertEqual((other["eps"], other["accumulator"]), (0.5, "nitadori"))

    def test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stars.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("particles: {model: plummer, n: 16}\nintegrator: {name: leapfrog, dt: 0.125}\nrun: {end: 1}\n")
            overrides = {"output.directory": os.path.join(folder, "out")}
            with self.assertRaisesRegex(TypeError, "has not started"):
                pickle.dumps(my.Run(path, overrides))
            run = my.run(path, overrides)
            result = pickle.loads(pickle.dumps(run))
            self.assertEqual(result.particles.hash("position"), run.simulation.particles.hash("position"))
            np.testing.assert_array_equal(result.diagnostics["energy"], run.diagnostics["energy"])
            self.assertEqual((result.input, result.exit_code), (run.input, 0))
            self.assertIn("<iframe", result.report()._repr_html_())


if __name__ == "__main__":
    unittest.main()
