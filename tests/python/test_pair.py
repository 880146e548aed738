"""Python functions as kernels: the bits of pipelines, and errors by line."""

import os
import unittest

import numpy as np

import myriad as my

exp = sqrt = None  # names of the language, which nobody calls


@my.pair(antisymmetric="f", potential="phi", bounds={"kappa": (0, 1e10)})
def yukawa_of_python(i, j, kappa=1.0):
    """Charges in a screening medium."""
    d = i.x - j.x
    r2 = d @ d
    rinv = 1 / sqrt(r2)
    kr = kappa * (r2 * rinv)
    energy = i.q * j.q * rinv * exp(-kr)
    s = energy * (1 + kr) * (rinv * rinv)
    return {"f": s * d, "phi": energy}


class Pairs(unittest.TestCase):
    def ions(self):
        rng = np.random.default_rng(4)
        return my.Particles(position=rng.normal(size=(300, 3)), charge=rng.choice([-1.0, 1.0], 300))

    def test_bits_of_the_text(self):
        """examples/pipelines/yukawa.pipe and the function, with two accumulators and arithmetics."""
        text = my.kernel(os.path.join(os.environ["MYRIAD_SOURCE"], "examples", "pipelines", "yukawa.pipe"))
        for settings in ({"accumulator": "fixed"}, {"accumulator": "double"}, {"arithmetic": "portable"}):
            one, two = self.ions(), self.ions()
            my.Interaction(text, kappa=0.5, **settings).evaluate(one)
            my.Interaction(yukawa_of_python, kappa=0.5, **settings).evaluate(two)
            self.assertEqual(one.hash("force"), two.hash("force"), settings)

    def test_against_numpy(self):
        ions = self.ions()
        f = my.Interaction(yukawa_of_python, kappa=2, arithmetic="double")
        f.evaluate(ions)
        d = ions.position[:, None, :] - ions.position[None, :, :]
        r = np.linalg.norm(d, axis=2) + np.eye(300)
        s = ions.charge[:, None] * ions.charge[None, :] * np.exp(-2 * r) * (1 + 2 * r) / r**3
        right = (s[:, :, None] * d).sum(axis=1)
        self.assertLess(np.linalg.norm(ions.force - right) / np.linalg.norm(right), 1.5e-15)  # measured 3.1e-16
        np.testing.assert_array_equal(f.net("force"), 0)

    def test_names(self):
        """Variables may have the names that the pipeline uses itself: an index, sums of products, words of its language."""
        def index(i, j, k):
            d = i.x - j.x
            return {"f": k * (d @ d) * d}

        def variable(i, j):
            d = i.x - j.x
            k = 2 * (d @ d)
            return {"f": k * d}

        def temporary(i, j):
            d = i.x - j.x
            dot_1 = 2
            return {"f": dot_1 * (d @ d) * d}

        def words(target, source):
            out = target.x - source.x
            i = out @ out
            float = 2 * i
            return {"f": float * out}

        ions = self.ions()
        d = ions.position[:, None, :] - ions.position[None, :, :]
        right = 2 * ((d**2).sum(axis=2)[:, :, None] * d).sum(axis=1)
        for function, settings in ((index, {"k": 2}), (variable, {}), (temporary, {}), (words, {})):
            my.Interaction(my.pair(function), arithmetic="double", accumulator="double", **settings).evaluate(ions)
            off = np.linalg.norm(ions.force - right) / np.linalg.norm(right)
            self.assertLess(off, 2e-15, function.__name__)  # measured 4e-16

        def word(target, source, out):
            return {"f": out * (target.x - source.x)}

        with self.assertRaisesRegex(SyntaxError, "'out' cannot be the name of a parameter"):
            my.pair(word)

    def test_without_default(self):
        @my.pair(bounds={"width": (2, 3)})
        def near(i, j, width, power=1.0):
            d = i.x - j.x
            return {"near": j.q * power * exp(-width * (d @ d))}

        with self.assertRaisesRegex(TypeError, "kernel near needs width"):
            my.Interaction(near, power=2)
        one, two = self.ions(), self.ions()
        my.Interaction(near, width=2.5, arithmetic="double").evaluate(one)
        d = two.position[:, None, :] - two.position[None, :, :]
        right = (two.charge[None, :] * np.exp(-2.5 * (d**2).sum(axis=2)) * (1 - np.eye(300))).sum(axis=1)
        self.assertLess(np.abs(one.near - right).max(), 5e-15)  # measured 1.4e-15

    def test_conditions_and_components(self):
        @my.pair
        def shelf(i, j, edge=1.0):
            d = j.x - i.x
            r2 = d @ d
            w = 0.0
            if r2 < edge * edge and d[2] > 0:
                w += 2.0
            else:
                w = -1.0 if r2 > 4 else max(0.0, d[0])**2
            return {"sum": w}

        ions = self.ions()
        my.Interaction(shelf, arithmetic="double").evaluate(ions)
        d = ions.position[None, :, :] - ions.position[:, None, :]
        r2 = (d**2).sum(axis=2)
        w = np.where((r2 < 1) & (d[:, :, 2] > 0), 2.0, np.where(r2 > 4, -1.0, np.maximum(0, d[:, :, 0])**2))
        np.testing.assert_allclose(ions["sum"], w.sum(axis=1), rtol=1e-13, atol=1e-12)

    def test_errors_name_the_line(self):
        here = test_line()

        def loops(i, j):
            d = i.x - j.x
            while True:
                pass
            return {"f": d}

        def unknown(i, j):
            return {"f": kappa * (i.x - j.x)}  # noqa: F821

        def mixed(i, j):
            return {"f": i.x + 1}

        def no_number(i, j, kappa="one"):
            return {"f": kappa * (i.x - j.x)}

        def calls(i, j):
            return {"f": print(i.q)}

        for function, line, text in ((loops, 4, "statement (while)"), (unknown, 9, "'kappa' has no value"),
                                     (mixed, 12, "cannot be added to a vector"), (no_number, 14, "is no number"),
                                     (calls, 18, "no function 'print'")):
            with self.assertRaises(SyntaxError) as caught:
                my.pair(function)
            self.assertIn(text, str(caught.exception))
            self.assertEqual(caught.exception.lineno, here + line)
            self.assertTrue(caught.exception.filename.endswith("test_pair.py"))


def test_line():
    import inspect
    return inspect.currentframe().f_back.f_lineno


if __name__ == "__main__":
    unittest.main()
