"""Particle files: read, write, convert."""

from ._core import Record, current_context, encoded, ffi, lib, record
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


def write(particles, path, format=None, fields=None, **header):
    """Writes particles; the format by the ending of the path, or by its name (formats() lists them)."""
    names, kept = _names(fields)
    particles.context.call(lib.myr_snapshot_write, particles._pointer, encoded(path),
                           ffi.NULL if format is None else encoded(format), names, _header(header))
    del kept


def read(path, format=None, frame=None, *, context=None):
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


def convert(source, target, format=None):
    """Reads the last frame of a file and writes it in another format, with all that both formats have."""
    particles, header = read(source)
    write(particles, target, format=format,
          **{name: header[name] for name in ("time", "unit_length", "unit_mass", "unit_time", "unit_charge", "box",
                                             "origin", "step")})
