"""Particle sets: fields are views of the library's memory, and what would move it is refused while there are some."""

import copy
import gc
import os
import pickle
import resource
import subprocess
import sys
import unittest

import numpy as np

import myriad as my


class Views(unittest.TestCase):
    def setUp(self):
        self.set = my.Particles(position=np.arange(30.0).reshape(10, 3), mass=np.ones(10))

    def test_shape_and_values(self):
        self.assertEqual(self.set.position.shape, (10, 3))
        self.assertEqual(self.set.mass.shape, (10,))
        np.testing.assert_array_equal(self.set["position"], np.arange(30.0).reshape(10, 3))
        self.assertEqual(self.set.fields, {"position": 3, "mass": 1})
        self.assertEqual(len(self.set), 10)

    def test_writes_through(self):
        self.set.position[4] = 7, 8, 9
        self.set.mass *= 2
        x = my.c.lib.myr_particles_component(self.set._pointer, b"position", 1)
        self.assertEqual(x[4], 8)
        self.assertEqual(self.set.mass.sum(), 20)
        values = my.c.ffi.new("double[30]")
        my.c.lib.myr_particles_get(self.set._pointer, b"position", values)
        np.testing.assert_array_equal(np.array(list(values)).reshape(10, 3), self.set.position)

    def test_same_memory(self):
        a, b = self.set.position, self.set.position
        self.assertTrue(np.shares_memory(a, b))
        a[0, 0] = -1
        self.assertEqual(b[0, 0], -1)

    def test_view_keeps_memory_alive(self):
        slices = []
        for k in range(50):
            particles = my.Particles(position=np.full((1000, 3), float(k)))
            slices.append(particles.position[10:20, 1])
            del particles
        gc.collect()
        for k, part in enumerate(slices):
            np.testing.assert_array_equal(part, np.full(10, float(k)))

    def test_view_outlives_its_context(self):
        context = my.Context(threads=1)
        part = my.Particles(position=np.full((1000, 3), 5.0), context=context).position[5]
        del context
        gc.collect()
        np.testing.assert_array_equal(part, [5, 5, 5])

    def test_refuses_to_move_while_viewed(self):
        for change in (lambda: self.set.remove([0]), lambda: self.set.append(position=[[0, 0, 0]], mass=[1]),
                       lambda: my.Simulation(self.set)):
            part = self.set.position[2:3]
            with self.assertRaises(BufferError) as caught:
                change()
            self.assertIn("1 array(s)", str(caught.exception))
            del part, caught
        self.set.remove([0])  # the view is gone
        self.assertEqual(len(self.set), 9)
        self.assertEqual(self.set.position[0, 0], 3)

    def test_new_field_does_not_move_others(self):
        part = self.set.position
        address = part.ctypes.data
        self.set.charge = np.zeros(10)
        self.assertEqual(self.set.position.ctypes.data, address)
        part[0, 0] = 42
        self.assertEqual(self.set.position[0, 0], 42)

    def test_no_copy(self):
        """The views of 1.5e6 positions (36 MB) take no memory."""
        code = """
import resource, numpy as np, myriad as my
p = my.Particles(1500000); p.context.call(my.c.lib.myr_particles_add_field, p._pointer, b"position", 3)
p.position[:] = 1.0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
views = [p.position for k in range(20)]
views[0] += 1
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
        grown = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(grown, 2000)  # kB; measured 0


class Sets(unittest.TestCase):
    def test_wrong_shapes_are_named(self):
        set_ = my.Particles(4)
        with self.assertRaisesRegex(my.errors.FieldError, r"needs shape \(4,\) or \(4, components\), not \(3, 3\)"):
            set_.set("position", np.zeros((3, 3)))
        set_.position = np.zeros((4, 3))
        with self.assertRaisesRegex(my.errors.FieldError, r"has shape \(4, 3\), the values have \(4, 2\)"):
            set_.position = np.zeros((4, 2))
        with self.assertRaises(AttributeError):
            set_.no_such_field
        with self.assertRaises(LookupError):
            set_["no_such_field"]
        with self.assertRaises(my.errors.FieldError):
            my.Particles(position=np.zeros((4, 3)), mass=np.zeros(5))

    def test_broadcast(self):
        set_ = my.Particles(position=np.zeros((4, 3)))
        set_.mass = np.full(4, 2.0)
        set_.mass = 3
        set_.position = [1, 2, 3]
        np.testing.assert_array_equal(set_.mass, [3] * 4)
        np.testing.assert_array_equal(set_.position, [[1, 2, 3]] * 4)

    def test_append_and_remove(self):
        set_ = my.Particles(position=np.zeros((3, 3)), mass=[1, 2, 3], ids=[5, 6, 7], types=[0, 1, 0])
        set_.set_name(1, "Mars")
        set_.append(position=[[1, 1, 1]], charge=[9])
        self.assertEqual(len(set_), 4)
        np.testing.assert_array_equal(set_.mass, [1, 2, 3, 0])
        np.testing.assert_array_equal(set_.charge, [0, 0, 0, 9])
        np.testing.assert_array_equal(set_.ids, [5, 6, 7, 0])
        set_.append(set_.copy())
        self.assertEqual(len(np.unique(set_.ids)), 8)
        set_.remove(set_.mass == 1)
        np.testing.assert_array_equal(set_.mass, [2, 3, 0, 2, 3, 0])
        self.assertEqual([set_.name(i) for i in range(4)], ["Mars", None, None, "Mars"])
        np.testing.assert_array_equal(set_.types, [1, 0, 0, 1, 0, 0])

    def test_ids_are_read_only_and_unique(self):
        set_ = my.Particles(3)
        with self.assertRaises(ValueError):
            set_.ids[0] = 4
        with self.assertRaises(my.errors.ValueError):
            set_.ids = [1, 1, 2]
        set_.ids = [3, 4, 5]
        np.testing.assert_array_equal(set_.ids, [3, 4, 5])

    def test_empty(self):
        set_ = my.Particles(0)
        set_.position = np.zeros((0, 3))
        self.assertEqual(set_.position.shape, (0, 3))
        self.assertEqual(len(set_.copy()), 0)
        set_.append(position=[[1, 2, 3]])
        np.testing.assert_array_equal(set_.position, [[1, 2, 3]])

    def test_pickle_and_copy(self):
        set_ = my.model("king", n=20, seed=3)
        set_.set_name(3, "x")
        for other in (pickle.loads(pickle.dumps(set_)), copy.copy(set_), copy.deepcopy(set_), set_.copy()):
            self.assertEqual(other.hash("position"), set_.hash("position"))
            self.assertEqual(other.hash("velocity"), set_.hash("velocity"))
            self.assertEqual(other.name(3), "x")
            other.position[0] = 0
            self.assertNotEqual(other.hash("position"), set_.hash("position"))

    def test_texts(self):
        set_ = my.model("plummer", n=3, seed=1)
        self.assertEqual(repr(set_), "<3 Particles: position[3], velocity[3], mass>")
        self.assertIn("<td>velocity</td>", set_._repr_html_())
        self.assertIn("velocity", dir(set_))


class Models(unittest.TestCase):
    def test_parameters(self):
        stars = my.model("king", n=50, seed=2, W0=9, mass_function="kroupa")
        self.assertGreater(stars.mass.max(), 2 * stars.mass.min())
        with self.assertRaises(my.errors.NameError) as caught:
            my.model("plumer", n=10)
        self.assertIn("did you mean 'plummer'", str(caught.exception))
        self.assertEqual(caught.exception.status, "MYR_ERROR_NAME")
        with self.assertRaises(my.Error):
            my.model("king", n=10, W0=1000)
        with self.assertRaises(my.Error):
            my.model("king", n=10, no_such_parameter=1)

    def test_lists(self):
        self.assertIn("gravity", my.kernels())
        self.assertIn("fixed", my.accumulators())
        self.assertIn("fmm", my.methods())
        self.assertTrue(my.backends()["ref"].available)
        self.assertTrue(my.integrators()["hermite4"].needs_jerk)
        self.assertIn("nfw", my.externals())
        self.assertIn("gadget_hdf5", my.formats())

    def test_same_bits_as_the_program(self):
        """A set of the package and one of `myriad init` are the same."""
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"myriad_python_{os.getpid()}.csv")
        subprocess.run([os.environ["MYRIAD"], "init", "plummer", "-n", "64", "--seed", "5", "-o", path, "--quiet"], check=True)
        try:
            theirs, _ = my.read(path)
        finally:
            os.remove(path)
        self.assertEqual(theirs.hash("position"), my.model("plummer", n=64, seed=5).hash("position"))


if __name__ == "__main__":
    unittest.main()
