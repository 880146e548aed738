"""Particle files: read, write, convert."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np

from ._core import Context, Path, Record, current_context, encoded, ffi, lib, record, text_of
from .particles import Particles

_HEADER = ("time", "unit_length", "unit_mass", "unit_time", "unit_charge", "box", "origin", "strict", "step")


def _header(values):
    header = ffi.new("myr_snapshot_header *")
    for name, value in values.items():
        if name not in _HEADER:
            raise TypeError(f"there is no '{name}' in the header of a file; there are {', '.join(_HEADER)}")
        setattr(header, name, list(value) if name in ("box", "origin") else value)
    return header


def _names(fields):
    """A list of names for C, ended by null; None for None."""
    if fields is None:
        return ffi.NULL, ()
    kept = [ffi.new("char[]", encoded(field)) for field in fields]
    return ffi.new("const char *[]", [*kept, ffi.NULL]), kept


def write(particles: Particles, path: Path, format: str | None = None, fields: Iterable[str] | None = None,
          **header: Any) -> None:
    """Writes particles; the format by the ending of the path, or by its name (formats() lists them).

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.csv")
    >>> my.write(my.model("plummer", n=5, seed=1), path, fields=["position", "mass"], time=2)
    >>> open(path).read().count("\\n") > 5
    True
    """
    names, kept = _names(fields)
    particles.context.call(lib.myr_snapshot_write, particles._pointer, encoded(path),
                           ffi.NULL if format is None else encoded(format), names, _header(header))
    del kept


def read(path: Path, format: str | None = None, frame: int | None = None, *,
         context: Context | None = None) -> tuple[Particles, Record]:
    """Reads particles and the header of their file; of several frames the last one, or `frame`. Gives both.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.csv")
    >>> my.write(my.model("plummer", n=5, seed=1), path, time=2)
    >>> stars, header = my.read(path)
    >>> len(stars)
    5
    """
    context = context or current_context()
    made, header = ffi.new("myr_particles **"), ffi.new("myr_snapshot_header *")
    name = ffi.NULL if format is None else encoded(format)
    if frame is None:
        context.call(lib.myr_snapshot_read, context._pointer, encoded(path), name, made, header)
    else:
        context.call(lib.myr_snapshot_read_frame, context._pointer, encoded(path), name, frame, made, header)
    return Particles._of(context, made[0]), _described(header)


def _described(header):
    found = record(header)
    species = [name for name in found.species]
    while species and not species[-1]:
        species.pop()
    return Record({**{name: found[name] for name in _HEADER if name != "strict"}, "frame": found.frame,
                   "frames": found.frames, "species": species})


def convert(source: Path, target: Path, format: str | None = None) -> None:
    """Reads the last frame of a file and writes it in another format, with all that both formats have.

    >>> import myriad as my, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> first, second = (os.path.join(folder, name) for name in ("stars.csv", "stars.extxyz"))
    >>> my.write(my.model("plummer", n=5, seed=1), first, fields=["position", "velocity", "mass"])
    >>> my.convert(first, second)
    >>> my.format_of(second)
    'extxyz'
    """
    particles, header = read(source)
    write(particles, target, format=format, **_written(header))


def _written(header):
    """What a header that was read says when it is written."""
    return {name: header[name] for name in _HEADER if name != "strict"}


def format_of(path: Path, *, context: Context | None = None) -> str:
    """Format of a file, by its content.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars")
    >>> my.write(my.model("plummer", n=5, seed=1), path, format="csv")
    >>> my.format_of(path)
    'csv'
    """
    context = context or current_context()
    found = ffi.new("char **")
    context.call(lib.myr_snapshot_format_of, context._pointer, encoded(path), ffi.cast("const char **", found))
    return text_of(found[0])


class Trajectory:
    """The frames of a file, read one by one: len(), items and iteration give particles and header.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.extxyz")
    >>> sim = my.Simulation(my.model("plummer", n=10, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
    >>> frames = []
    >>> sim.every(0.25, lambda s: frames.append((s.particles, {"time": s.time})))
    >>> sim.run(until=1)
    >>> my.Trajectory.write(path, frames, fields=["position", "velocity"])
    >>> [header.time for particles, header in my.Trajectory(path)]
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> my.Trajectory(path).field("position").shape
    (5, 10, 3)
    """

    def __init__(self, path: Path, format: str | None = None, *, context: Context | None = None) -> None:
        self.path, self.format, self.context = path, format, context or current_context()
        self.frames = read(path, format, context=self.context)[1].frames

    def __len__(self) -> int:
        return self.frames

    @overload
    def __getitem__(self, frame: int) -> tuple[Particles, Record]: ...

    @overload
    def __getitem__(self, frame: slice) -> list[tuple[Particles, Record]]: ...

    def __getitem__(self, frame: int | slice) -> Any:
        if isinstance(frame, slice):
            return [self[k] for k in range(*frame.indices(len(self)))]
        if not -len(self) <= frame < len(self):
            raise IndexError(f"frame {frame} of {len(self)}")
        return read(self.path, self.format, frame % len(self), context=self.context)

    def __iter__(self) -> Iterator[tuple[Particles, Record]]:
        return (self[k] for k in range(len(self)))

    def field(self, name: str) -> np.ndarray:
        """A field of all frames as one array; the frames must have the same number of particles."""
        return np.stack([np.array(particles[name]) for particles, _ in self])

    @property
    def times(self) -> np.ndarray:
        """Times of the frames."""
        return np.array([header.time for _, header in self])

    def __repr__(self) -> str:
        return f"<Trajectory {os.fsdecode(self.path)}: {len(self)} frames>"

    @staticmethod
    def write(path: Path, frames: Iterable[tuple[Particles, Any]], format: str | None = None,
              fields: Iterable[str] | None = None) -> None:
        """Writes frames, pairs of particles and a dict for the header (or a header that was read), to one file."""
        frames = [(particles, dict(header)) for particles, header in frames]
        if not frames:
            raise TypeError("a trajectory needs a frame")
        context, names = frames[0][0].context, _names(fields)
        headers = ffi.new("myr_snapshot_header[]", len(frames))
        for k, (_, header) in enumerate(frames):
            headers[k] = _header({name: value for name, value in header.items() if name in _HEADER})[0]
        sets = ffi.new("const myr_particles *[]", [particles._pointer for particles, _ in frames])
        context.call(lib.myr_snapshot_write_frames, len(frames), sets, encoded(path),
                     ffi.NULL if format is None else encoded(format), names[0], headers)
