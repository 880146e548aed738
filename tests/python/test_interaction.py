"""Interactions from Python: choices, results, errors, ownership."""

import pickle
import unittest

import numpy as np

import myriad as my



class Evaluations(unittest.TestCase):
    def test_against_numpy(self):
        rng = np.random.default_rng(1)
        x, m = rng.normal(size=(50, 3)), rng.random(50)
        stars = my.Particles(position=x, mass=m)
        g = my.Interaction("gravity", eps=0.1, arithmetic="double", G=2)
        took = g.evaluate(stars)
        self.assertEqual(took.pairs, 2500)
        d = x[None, :, :] - x[:, None, :]
        r2 = (d**2).sum(axis=2) + 0.01
        right = 2 * (m[None, :, None] * d / r2[:, :, None]**1.5).sum(axis=1)
        error = np.linalg.norm(stars.acceleration - right) / np.linalg.norm(right)
        self.assertLess(error, 1e-15)  # measured 3.1e-16

    def test_targets_and_sources(self):
        rng = np.random.default_rng(2)
        y, q = rng.random((3000, 3)), rng.random(3000)
        targets = my.Particles(position=rng.random((4000, 3)))
        sources = my.Particles(position=y, charge=q)
        f = my.Interaction("laplace", method="fmm", tolerance=1e-6)
        f.evaluate(targets, sources)
        self.assertEqual(set(f.accuracy), {"potential", "field"})
        self.assertLess(max(f.accuracy.values()), 1e-6)
        right = (q / np.linalg.norm(targets.position[7] - y, axis=1)).sum() / (4 * np.pi)
        self.assertLess(abs(targets.potential[7] / right - 1), 1e-6)
        self.assertNotIn("potential", sources)

    def test_view_sees_the_next_evaluation(self):
        stars = my.model("plummer", n=100, seed=1)
        g = my.Interaction("gravity", eps=0.1)
        g.evaluate(stars)
        a = stars.acceleration
        before = a.copy()
        stars.position[:] *= 2
        g.evaluate(stars)
        self.assertGreater(np.abs(a - before).max(), 0.01)

    def test_subset(self):
        stars = my.model("plummer", n=100, seed=1)
        g = my.Interaction("gravity", eps=0.1)
        g.evaluate(stars)
        whole = stars.acceleration.copy()
        stars.acceleration[:] = 0
        g.evaluate(stars, subset=[3, 50])
        np.testing.assert_array_equal(stars.acceleration[[3, 50]], whole[[3, 50]])
        self.assertEqual(np.count_nonzero(stars.acceleration), 6)

    def test_exact_net(self):
        stars = my.model("plummer", n=1000, seed=1)
        g = my.Interaction("gravity", eps=0.01, accumulator="fixed")
        g.evaluate(stars)
        np.testing.assert_array_equal(g.net("acceleration"), [0, 0, 0])
        self.assertLess(g.accuracy["acceleration"], 3e-7)  # measured 6.3e-8

    def test_pair_tables_and_exclusions(self):
        atoms = my.Particles(position=[[0, 0, 0], [1.1, 0, 0], [0, 1.2, 0]], types=[0, 1, 1])
        kernel = "lennard_jones"
        table = {name: np.ones((2, 2)) for name in my.kernels()[kernel].pair}
        f = my.Interaction(kernel, arithmetic="double", **table)
        f.evaluate(atoms)
        whole = atoms.force.copy()
        g = my.Interaction(kernel, arithmetic="double", exclusions=[[1], [0], []], **table)
        g.evaluate(atoms)
        self.assertNotEqual(whole[0, 0], atoms.force[0, 0])
        self.assertEqual(atoms.force[0, 0], 0)
        with self.assertRaises(my.errors.ValueError):
            my.Interaction(kernel, epsilon=np.ones((2, 3)))

    def test_errors(self):
        with self.assertRaisesRegex(my.errors.NameError, "did you mean 'gravity'"):
            my.Interaction("gravty")
        with self.assertRaises(my.Error):
            my.Interaction("gravity", no_such=1)
        with self.assertRaises(ValueError):  # also the built-in one
            my.Interaction("gravity", eps=-1)
        g = my.Interaction("gravity")
        with self.assertRaisesRegex(my.errors.FieldError, "mass"):
            g.evaluate(my.Particles(position=np.zeros((2, 3))))
        stars = my.model("plummer", n=10, seed=1)
        stars.position[3, 1] = np.nan
        with self.assertRaises(my.errors.NonfiniteError) as caught:
            g.evaluate(stars)
        self.assertIn("3", str(caught.exception))
        with self.assertRaises(my.errors.CombinationError):
            my.Interaction("gravity").measure()

    def test_other_context_is_refused(self):
        stars = my.model("plummer", n=10, seed=1)
        with my.Context(threads=1):
            g = my.Interaction("gravity")
        with self.assertRaisesRegex(my.errors.CombinationError, "another context"):
            g.evaluate(stars)

    def test_periodic_box(self):
        rng = np.random.default_rng(3)
        ions = my.Particles(position=rng.random((200, 3)), charge=np.tile([1.0, -1.0], 100))
        f = my.Interaction("laplace", method="fmm", tolerance=1e-5, box=1)
        f.evaluate(ions)
        self.assertLess(max(f.accuracy.values()), 1e-5)

    def test_pickle(self):
        g = pickle.loads(pickle.dumps(my.Interaction("gravity", eps=0.25, accumulator="nitadori")))
        self.assertEqual((g["eps"], g["accumulator"]), (0.25, "nitadori"))


class OwnKernels(unittest.TestCase):
    def test_pipeline(self):
        with open(__file__.replace("tests/python/test_interaction.py", "tests/paper/fig_a3.pipe"), encoding="utf-8") as file:
            text = file.read()
        own = my.kernel(text, name="own_gravity")
        stars = my.model("plummer", n=64, seed=1)
        f = my.Interaction(own)
        for field in own.info.source + own.info.target:
            if field.name not in stars:
                stars.set(field.name, np.ones((64, field.components)) if field.components > 1 else np.ones(64))
        f.evaluate(stars)
        self.assertTrue(np.isfinite(stars[own.info.output[0].name]).all())
        self.assertEqual(pickle.loads(pickle.dumps(own)).name, own.name)

    def test_error_names_the_line(self):
        with self.assertRaises(my.Error) as caught:
            my.kernel("nonsense\n", name="bad")
        self.assertIn("bad.pipe:1", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
