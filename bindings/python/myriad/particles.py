"""Particle sets with named fields, whose arrays NumPy sees without copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import Context, Handle, Path, current_context, encoded, errors, ffi, html, integers, lib, live, reals, text_of, weak


class _Memory:
    """Memory of a particle set, for NumPy: the base of every view, which keeps the set alive."""

    __slots__ = ("handle", "__array_interface__", "__weakref__")

    def __init__(self, handle, address, shape, strides, kind, is_read_only):
        self.handle = handle
        self.__array_interface__ = {
            "version": 3,
            "data": (address, is_read_only),
            "shape": shape,
            "strides": strides,
            "typestr": np.dtype(kind).str,
        }


class Particles:
    """A set of n particles with named fields.

    A field is an attribute and an item: an array of shape (n,), or (n, components), that shares its memory with the
    library. Writing into it changes the particles. While such arrays are alive, functions that would move the memory
    (`append`, `remove`, giving the set to a simulation) raise BufferError, as a bytearray does.

    >>> import myriad as my
    >>> bodies = my.Particles(position=[[0, 0, 0], [1, 0, 0]], mass=[1, 2])
    >>> bodies.position[1, 0] = 3
    >>> bodies["mass"].sum()
    3.0
    >>> bodies.position.shape
    (2, 3)
    """

    context: Context
    _handle: Handle

    def __init__(self, n: int | None = None, *, context: Context | None = None, **fields: ArrayLike) -> None:
        context = context or current_context()
        arrays = {name: np.ascontiguousarray(reals(values, f"'{name}'")) for name, values in fields.items()
                  if name not in ("ids", "types")}
        lengths = {len(array) if array.ndim else 1 for array in arrays.values()}
        if n is None:
            if len(lengths) != 1:
                raise errors[lib.MYR_ERROR_FIELD]("give the number of particles, or fields of one length" if lengths
                                                  else "give the number of particles, or fields")
            n = lengths.pop()
        made = ffi.new("myr_particles **")
        context.call(lib.myr_particles_create, context._pointer, n, made)
        self._adopt(context, made[0])
        for name, array in arrays.items():
            self.set(name, array)
        if "ids" in fields:
            self._set_integers(lib.myr_particles_set_ids, integers(fields["ids"], np.int64, "ids"), "int64_t[]")
        if "types" in fields:
            self._set_integers(lib.myr_particles_set_types, integers(fields["types"], np.int32, "types"), "int32_t[]")

    def _adopt(self, context, pointer, *, destructor=lib.myr_particles_destroy, keeps=()):
        """Becomes the set at a pointer, which belongs to Python unless the destructor is None."""
        object.__setattr__(self, "context", context)
        object.__setattr__(self, "_handle", Handle(context, pointer, destructor, keeps))
        object.__setattr__(self, "_views", [])
        object.__setattr__(self, "_taken_by", None)

    @classmethod
    def _of(cls, context, pointer):
        self = cls.__new__(cls)
        self._adopt(context, pointer)
        return self

    @property
    def _pointer(self):
        if self._taken_by is not None:
            raise errors[lib.MYR_ERROR_COMBINATION](
                f"these particles belong to {self._taken_by} now: see its own fields, or give it a copy()")
        return self._handle.pointer

    # --- fields ---

    def __len__(self) -> int:
        return lib.myr_particles_count(self._pointer)

    @property
    def fields(self) -> dict[str, int]:
        """Names of the fields, with their numbers of components."""
        p = self._pointer
        return {text_of(lib.myr_particles_field_name(p, k)): lib.myr_particles_field_components(p, k)
                for k in range(lib.myr_particles_fields(p))}

    def _view(self, address, shape, strides, kind, is_read_only=False):
        memory = _Memory(self._handle, address, shape, strides, kind, is_read_only)
        self._views[:] = live(self._views)
        self._views.append(weak(memory))
        return np.asarray(memory)

    def _field(self, name):
        p, key = self._pointer, encoded(name)
        first = lib.myr_particles_component(p, key, 0)
        if first == ffi.NULL:
            return None
        n, address = len(self), int(ffi.cast("uintptr_t", first))
        second = lib.myr_particles_component(p, key, 1)
        if second == ffi.NULL:
            return self._view(address, (n,), (8,), np.float64)
        return self._view(address, (n, self.fields[name]), (8, int(ffi.cast("uintptr_t", second)) - address),
                          np.float64)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        array = self._field(name)
        if array is None:
            raise AttributeError(f"there is no field '{name}'; there are {', '.join(self.fields) or 'none'}")
        return array

    def __getitem__(self, name: str) -> np.ndarray:
        array = self._field(name)
        if array is None:
            raise errors[lib.MYR_ERROR_FIELD](f"there is no field '{name}'; there are {', '.join(self.fields) or 'none'}")
        return array

    def __setattr__(self, name: str, values: Any) -> None:
        if name in type(self).__dict__ or name.startswith("_"):
            object.__setattr__(self, name, values)
        else:
            self.set(name, values)

    __setitem__ = __setattr__

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def set(self, name: str, values: ArrayLike) -> None:
        """Sets all values of a field, of shape (n,) or (n, components); one that is missing is added. One number, or
        one row, is given to all particles."""
        n = len(self)
        if hasattr(values, "__cuda_array_interface__"):
            raise TypeError(f"the values of '{name}' are in the memory of a GPU; copy them to the processor first")
        array = given = reals(values, f"the values of '{name}'")
        if array.ndim < 1 or (array.ndim == 1 and len(array) != n and name in self.fields):
            array = np.broadcast_to(array, (n, *array.shape))
        there = self._field(name)
        if there is not None:
            if array.shape != there.shape:
                raise errors[lib.MYR_ERROR_FIELD](
                    f"field '{name}' has shape {there.shape}, the values have {given.shape}")
            there[...] = array
            return
        if array.ndim not in (1, 2) or array.shape[0] != n:
            raise errors[lib.MYR_ERROR_FIELD](
                f"field '{name}' of {n} particles needs shape ({n},) or ({n}, components), not {array.shape}")
        array = np.ascontiguousarray(array)
        components = 1 if array.ndim == 1 else array.shape[1]
        self.context.call(lib.myr_particles_set, self._pointer, encoded(name), components,
                          ffi.from_buffer("double[]", array) if n else ffi.NULL)

    @property
    def ids(self) -> np.ndarray:
        """Ids of the particles, (n,), read-only; assign an array to set them."""
        return self._view(int(ffi.cast("uintptr_t", lib.myr_particles_ids(self._pointer))), (len(self),), (8,),
                          np.int64, True)

    @ids.setter
    def ids(self, values: ArrayLike) -> None:
        self._set_integers(lib.myr_particles_set_ids, integers(values, np.int64, "ids"), "int64_t[]")

    @property
    def types(self) -> np.ndarray:
        """Types of the particles, (n,), read-only; assign an array to set them."""
        return self._view(int(ffi.cast("uintptr_t", lib.myr_particles_types(self._pointer))), (len(self),), (4,),
                          np.int32, True)

    @types.setter
    def types(self, values: ArrayLike) -> None:
        self._set_integers(lib.myr_particles_set_types, integers(values, np.int32, "types"), "int32_t[]")

    def _set_integers(self, function, values, buffer):
        array = np.ascontiguousarray(np.broadcast_to(values, (len(self),)))
        self.context.call(function, self._pointer, ffi.from_buffer(buffer, array))

    def name(self, i: int) -> str | None:
        """Name of particle i, or None."""
        if not 0 <= i < len(self):
            raise IndexError(f"particle {i} of {len(self)}")
        return text_of(lib.myr_particles_name(self._pointer, i))

    def set_name(self, i: int, name: str | None) -> None:
        """Names particle i; None removes the name."""
        self.context.call(lib.myr_particles_set_name, self._pointer, i, ffi.NULL if name is None else encoded(name))

    def hash(self, field: str = "position") -> int:
        """64-bit hash of the bits of a field."""
        found = ffi.new("uint64_t *")
        self.context.call(lib.myr_particles_hash, self._pointer, encoded(field), found)
        return found[0]

    # --- what changes the set as a whole ---

    def copy(self) -> Particles:
        """Another set with the same particles."""
        return self._rows(np.arange(len(self)))

    def _rows(self, index, context=None):
        """A new set of the rows of an index."""
        made = type(self)(len(index), context=context or self.context)
        for field in self.fields:
            made.set(field, self[field][index])
        if len(index):
            made.ids = self.ids[index]
            made.types = self.types[index]
        made._take_names(self._pointer, index)
        return made

    def _take_names(self, other, index, offset=0):
        """Names the particles from `offset` on as the rows of an index of a set of the library."""
        name_of, none = lib.myr_particles_name, ffi.NULL
        for row, i in enumerate(np.asarray(index).tolist(), offset):
            name = name_of(other, i)
            if name != none:
                self.context.call(lib.myr_particles_set_name, self._pointer, row, name)

    def _refuse_views(self, what):
        self._views[:] = live(self._views)
        if self._views:
            raise BufferError(f"{what} would move the memory of the particles, and {len(self._views)} array(s) "
                              "of their fields are in use; delete these, or work with copies")

    def _become(self, other):
        object.__setattr__(self, "_handle", other._handle)
        object.__setattr__(self, "_views", [])

    def remove(self, which: ArrayLike) -> None:
        """Removes particles: a mask of n truth values, or indices."""
        self._refuse_views("remove()")
        keep, which = np.ones(len(self), dtype=bool), np.asarray(which)
        keep[which if which.size else which.astype(np.int64)] = False  # an empty list has no kind of its own
        self._become(self._rows(np.flatnonzero(keep)))

    def append(self, other: Particles | None = None, **fields: ArrayLike) -> None:
        """Adds the particles of another set, or of fields as Particles() takes them. Fields that only one of them has
        are 0 in the other; ids that are taken already become new ones."""
        self._refuse_views("append()")
        other = other if other is not None else Particles(None, context=self.context, **fields)
        n, more = len(self), len(other)
        made = type(self)(n + more, context=self.context)
        for name, components in {**other.fields, **self.fields}.items():
            shape = (n + more,) if components == 1 else (n + more, components)
            values = np.zeros(shape)
            if name in self:
                values[:n] = self[name]
            if name in other:
                values[n:] = other[name]
            made.set(name, values)
        ids = np.concatenate([self.ids, other.ids])
        taken = np.isin(other.ids, self.ids)
        if taken.any():
            ids[n:][taken] = ids.max() + 1 + np.arange(taken.sum())
        made.ids = ids
        made.types = np.concatenate([self.types, other.types])
        for offset, part in ((0, self), (n, other)):
            made._take_names(part._pointer, range(len(part)), offset)
        self._become(made)

    def write(self, path: Path, format: str | None = None, fields: Iterable[str] | None = None, **header: Any) -> None:
        """Writes the particles to a file: the format by the ending of the path; `time`, `box` and so on as
        myr_snapshot_header names them."""
        from .files import write
        write(self, path, format=format, fields=fields, **header)

    # --- what Python asks of objects ---

    def __reduce__(self):
        names = {i: self.name(i) for i in range(len(self)) if lib.myr_particles_name(self._pointer, i) != ffi.NULL}
        return _restore, (len(self), {name: np.array(self[name]) for name in self.fields}, np.array(self.ids),
                          np.array(self.types), names)

    def __repr__(self) -> str:
        if self._taken_by is not None:
            return f"<Particles of {self._taken_by}>"
        inside = ", ".join(name if c == 1 else f"{name}[{c}]" for name, c in self.fields.items())
        return f"<{len(self)} Particles: {inside or 'no fields'}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html(name)}</td><td>{array.shape}</td><td>{array.min(initial=np.inf):.6g}</td>"
            f"<td>{array.max(initial=-np.inf):.6g}</td></tr>"
            for name, array in ((name, self[name]) for name in self.fields))
        return (f"<table><caption>{len(self)} particles</caption><tr><th>field</th><th>shape</th><th>least</th>"
                f"<th>largest</th></tr>{rows}</table>")


def _restore(n, fields, ids, types, names):
    made = Particles(n)
    for name, values in fields.items():
        made.set(name, values)
    if n:
        made.ids, made.types = ids, types
    for i, name in names.items():
        made.set_name(i, name)
    return made
