"""Arrays in the memory of a GPU, for CuPy, PyTorch, JAX, Numba and others: without a copy, by DLPack and by
`__cuda_array_interface__`."""

from __future__ import annotations

import ctypes
from typing import Any

from ._core import ffi, lib

_CUDA = 2  # of DLPack
_CPU = 1

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class DeviceArray:
    """A field of bodies that move on a GPU, of shape (n, 3), where it is: Simulation.device_array() makes it. With block
    steps it is at the bodies' own times, the field "own_time" of shape (n,).

    The array is read-only, and it is the present state: the next step changes it, so that a reader waits for its own
    work first. While it or anything made of it is alive, functions that would free its memory (append, remove, replace,
    close) raise BufferError, as a bytearray does. `numpy.asarray` is not for it: `sim.position` is the copy in the
    processor's memory. Where the bodies are not on a GPU there is none:

    >>> import myriad as my
    >>> stars = my.model("plummer", n=100, seed=1)
    >>> sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1, backend="simd"), dt=1/64)
    >>> sim.step()
    >>> try:
    ...     x = sim.device_array("position")
    ... except my.errors.UnavailableError:
    ...     x = sim.position
    >>> x.shape
    (100, 3)
    """

    def __init__(self, simulation: Any, array: Any) -> None:
        self._keeps = simulation._handle  # the memory lives as long
        self.pointer = int(ffi.cast("uintptr_t", array.pointer))
        self.device = array.device
        several = array.components > 1
        self.shape = (array.n, array.components) if several else (array.n,)
        self.strides = (8, 8 * array.stride) if several else (8,)

    dtype = "float64"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3; no stream: all work on the array is done."""
        return {"version": 3, "shape": self.shape, "strides": self.strides, "typestr": "<f8",
                "data": (self.pointer, True), "stream": None}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CUDA, self.device)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """A capsule for `from_dlpack` of other packages. All work on the array is done, on whatever stream it is read."""
        if copy:
            raise BufferError("this array is shared without a copy; the fields of the simulation are copies")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array is on GPU {self.device} and cannot be given to device {tuple(dl_device)}")
        return capsule(self, self.pointer, self.shape, [stride // 8 for stride in self.strides], self.__dlpack_device__())

    def __array__(self, *_):
        raise TypeError("this array is in the memory of a GPU; the fields of the simulation are copies for the processor")

    def __repr__(self) -> str:
        return f"<DeviceArray of shape {self.shape} on GPU {self.device}>"


_exported = {}  # tensors that consumers hold, by address, with what keeps their memory alive


def capsule(owner, pointer, shape, strides, device):
    """A PyCapsule "dltensor" of doubles, which keeps its owner alive until the consumer is done."""
    tensor = ffi.new("myriad_dl_managed *")
    sizes = ffi.new("int64_t[]", [*shape, *strides])
    tensor.dl_tensor.data = ffi.cast("void *", pointer)
    tensor.dl_tensor.device.device_type, tensor.dl_tensor.device.device_id = device
    tensor.dl_tensor.ndim = len(shape)
    tensor.dl_tensor.dtype.code, tensor.dl_tensor.dtype.bits, tensor.dl_tensor.dtype.lanes = 2, 64, 1
    tensor.dl_tensor.shape, tensor.dl_tensor.strides = sizes, sizes + len(shape)
    tensor.deleter = lib.myriad_python_dl_delete
    address = int(ffi.cast("uintptr_t", tensor))
    _exported[address] = (tensor, sizes, owner)
    destructor = int(ffi.cast("uintptr_t", ffi.addressof(lib, "myriad_dl_capsule_free")))
    return _new_capsule(address, b"dltensor", destructor)


@ffi.def_extern()
def myriad_python_dl_delete(tensor):
    _exported.pop(int(ffi.cast("uintptr_t", tensor)), None)
