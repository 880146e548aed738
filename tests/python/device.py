"""Arrays on a GPU as other packages get them: a consumer that checks pointer, strides, stream and lifetime.

With a plug-in that pretends to have a GPU (PRETENDED_MOTION), or emulates one, device memory is the processor's. Exit code 77:
no GPU. DEVICE_METHOD: the method of the interactions, direct if unset. On a real GPU CuPy and PyTorch are consumers, too, where
they are installed.
"""

import ctypes
import gc
import importlib.util
import os
import sys
import unittest
import weakref

import numpy as np

import myriad as my

PRETENDED = "PRETENDED_MOTION" in os.environ
METHOD = os.environ.get("DEVICE_METHOD", "direct")


def usable(package):
    """Skips a test where a package of arrays is missing, or device memory is the processor's."""
    return unittest.skipIf(PRETENDED or importlib.util.find_spec(package) is None, f"needs a GPU and {package}")


def copied(address, count):
    """Doubles of device memory."""
    values = np.empty(count)
    if PRETENDED:
        ctypes.memmove(values.ctypes.data, address, values.nbytes)
    else:
        driver = ctypes.CDLL("libcuda.so.1")
        copy = driver.cuMemcpyDtoH_v2
        copy.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t]
        context = ctypes.c_void_p()
        assert driver.cuInit(0) == 0
        assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
        assert driver.cuCtxSetCurrent(context) == 0
        assert copy(values.ctypes.data, address, values.nbytes) == 0
    return values


def seen(interface):
    """What a consumer of an array interface sees."""
    n, components = interface["shape"]
    first, second = interface["strides"]
    assert first == 8 and interface["typestr"] == "<f8"
    return np.stack([copied(interface["data"][0] + c * second, n) for c in range(components)], axis=1)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def taken(capsule):
    """Takes a tensor out of its capsule, as from_dlpack does."""
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, b"dltensor")
    api.PyCapsule_SetName(capsule, USED)
    return address, Tensor.from_address(address)


USED = ctypes.c_char_p(b"used_dltensor")


def cluster(integrator="leapfrog", **settings):
    stars = my.model("plummer", n=600, seed=1)
    kernel = "gravity_jerk" if integrator == "hermite4" else "gravity"
    return my.Simulation(stars, my.Interaction(kernel, eps=0.1, method=METHOD, backend="cuda"), integrator=integrator,
                         **({} if integrator == "hermite4" else {"dt": 1 / 64}), **settings)


class Device(unittest.TestCase):
    def test_interface(self):
        sim = cluster()
        sim.run(until=0.25)
        for field in ("position", "velocity", "acceleration"):
            array = sim.device_array(field)
            interface = array.__cuda_array_interface__
            self.assertEqual((interface["version"], interface["shape"], interface["stream"]), (3, (600, 3), None))
            self.assertTrue(interface["data"][1], "read-only")
            np.testing.assert_array_equal(seen(interface), getattr(sim, field))
        position = sim.device_array("position")
        pointer = position.pointer
        sim.run(until=0.5)
        self.assertEqual(sim.device_array("position").pointer, pointer)  # no copy: the same memory, moved on
        np.testing.assert_array_equal(seen(position.__cuda_array_interface__), sim.position)

    def test_dlpack(self):
        sim = cluster()
        sim.step()
        array = sim.device_array("velocity")
        self.assertEqual(array.__dlpack_device__(), (2, 0))
        address, tensor = taken(array.__dlpack__(stream=1))
        self.assertEqual((tensor.data, tensor.ndim, tensor.code, tensor.bits, tensor.lanes, tensor.offset),
                         (array.pointer, 2, 2, 64, 1, 0))
        self.assertEqual((tensor.shape[:2], tensor.strides[:2]), ([600, 3], [1, 600]))
        self.assertEqual((tensor.device_type, tensor.device_id), (2, 0))
        # The tensor keeps the simulation alive, until its consumer is done.
        values, gone = sim.velocity, weakref.ref(sim._handle)
        del sim, array
        gc.collect()
        self.assertIsNotNone(gone())
        np.testing.assert_array_equal(copied(tensor.data, 600), values[:, 0])
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(tensor.deleter)(address)
        gc.collect()
        self.assertIsNone(gone())

    def test_dlpack_requests(self):
        """What consumers of the array standard of 2023 ask for besides the stream."""
        sim = cluster()
        sim.step()
        array = sim.device_array("position")
        capsule = array.__dlpack__(stream=None, max_version=(1, 0), dl_device=(2, 0), copy=False)
        self.assertEqual(taken(capsule)[1].data, array.pointer)
        for wrong, said in (({"copy": True}, "without a copy"), ({"dl_device": (1, 0)}, r"on GPU 0 .* device \(1, 0\)")):
            with self.assertRaisesRegex(BufferError, said):
                array.__dlpack__(**wrong)

    def test_capsule_that_nobody_takes(self):
        sim = cluster()
        sim.step()
        capsule = sim.device_array("position").__dlpack__()
        with self.assertRaisesRegex(BufferError, "1 array"):
            sim.replace(my.model("plummer", n=5, seed=1))
        del capsule
        sim.replace(my.model("plummer", n=5, seed=1))

    def test_what_would_free_it(self):
        sim = cluster()
        sim.step()
        array = sim.device_array("position")
        for change in (lambda: sim.remove([0]), sim.close):
            with self.assertRaisesRegex(BufferError, "would free memory on the GPU"):
                change()
        with self.assertRaisesRegex(TypeError, "memory of a GPU"):
            np.asarray(array)
        with self.assertRaisesRegex(TypeError, "memory of a GPU"):
            my.Particles(600).set("position", array)
        del array
        sim.remove([0])
        sim.step()
        self.assertEqual(sim.device_array("position").shape, (599, 3))
        sim.close()

    def test_refused(self):
        sim = cluster()
        with self.assertRaisesRegex(my.errors.UnavailableError, "only after a step"):
            sim.device_array("position")
        with self.assertRaisesRegex(my.errors.UnavailableError, "only after a step"):
            sim.device_array("mass")
        sim.step()
        with self.assertRaisesRegex(my.errors.FieldError, "no 'mass' on the GPU"):
            sim.device_array("mass")
        field = my.Simulation(my.model("plummer", n=600, seed=1), my.Interaction("gravity", eps=0.1, backend="cuda"), dt=1 / 64,
                              external=my.External("harmonic", omega_x=1.0))
        field.step()
        with self.assertRaisesRegex(my.errors.UnavailableError, "with external fields"):
            field.device_array("position")
        with self.assertRaisesRegex(my.errors.FieldError, "no 'own_time' on the GPU"):
            sim.device_array("own_time")
        atoms = my.model("fcc", n=500, seed=5, density=0.7, temperature=2)
        pairs = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]], backend="simd")
        box = my.Simulation(atoms, pairs, integrator="verlet", dt=0.005, molecular={"box": [9, 9, 9]})
        box.step()
        with self.assertRaisesRegex(my.errors.UnavailableError, "in a box are integers on a GPU"):
            box.device_array("position")

    @unittest.skipIf(METHOD != "direct", "block steps stay on a GPU by direct sums only")
    def test_blocks(self):
        """With block steps particles have times of their own, from which the arrays predict the particles."""
        sim = cluster("hermite4")
        for _ in range(40):  # most particles are not in the last block
            sim.step()
        x, v, a, j = (seen(sim.device_array(field).__cuda_array_interface__)
                      for field in ("position", "velocity", "acceleration", "jerk"))
        own = sim.device_array("own_time")
        self.assertEqual((own.shape, own.strides), ((600,), (8,)))
        d = (sim.time - copied(own.pointer, 600))[:, None]
        self.assertTrue((d >= 0).all() and (d > 0).any())
        self.assertLess(np.abs(x + d * (v + d * (a / 2 + d * j / 6)) - sim.position).max(), 1e-15)
        self.assertLess(np.abs(v + d * (a + d * j / 2) - sim.velocity).max(), 1e-15)
        del own
        sim.remove([0])


class Consumers(unittest.TestCase):
    """Packages of arrays: they see the state where it is, as it moves on, and keep its memory."""

    def taken_by(self, take, address_of, host_of):
        sim = cluster()
        sim.step()
        array = sim.device_array("position")
        theirs = take(array)
        self.assertEqual((address_of(theirs), tuple(theirs.shape)), (array.pointer, array.shape))
        np.testing.assert_array_equal(host_of(theirs), sim.position)
        before = sim.position
        sim.step(3)
        self.assertGreater(np.abs(sim.position - before).max(), 0)
        np.testing.assert_array_equal(host_of(theirs), sim.position)  # no copy
        del array
        gc.collect()
        with self.assertRaisesRegex(BufferError, "1 array"):
            sim.remove([0])
        values, gone = sim.position, weakref.ref(sim._handle)
        del sim
        gc.collect()
        self.assertIsNotNone(gone())
        np.testing.assert_array_equal(host_of(theirs), values)
        del theirs
        gc.collect()
        self.assertIsNone(gone())

    @usable("cupy")
    def test_cupy(self):
        import cupy
        for take in (cupy.asarray, cupy.from_dlpack):
            self.taken_by(take, lambda theirs: theirs.data.ptr, lambda theirs: theirs.get())

    @usable("cupy")
    def test_stream(self):
        """Read on a stream of the consumer's own, which waits for nobody."""
        import cupy
        sim = cluster()
        sim.run(until=0.25)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            total = cupy.asarray(sim.device_array("velocity")).sum(axis=0)
            stream.synchronize()
        np.testing.assert_allclose(total.get(), sim.velocity.sum(axis=0), rtol=0, atol=1e-12)

    @usable("torch")
    def test_torch(self):
        import torch
        self.taken_by(torch.from_dlpack, lambda theirs: theirs.data_ptr(), lambda theirs: theirs.cpu().numpy())


class Processor(unittest.TestCase):
    def test_dlpack_of_numpy(self):
        """Fields of particles are NumPy's arrays, which other packages take by DLPack without a copy."""
        stars = my.model("plummer", n=10, seed=1)
        other = np.from_dlpack(stars.position)
        self.assertEqual(other.__array_interface__["data"][0], stars.position.__array_interface__["data"][0])
        stars.position[3, 1] = 7
        self.assertEqual(other[3, 1], 7)


if __name__ == "__main__":
    if not my.gpus():
        print("skipped: no GPU")
        sys.exit(77)
    unittest.main()
