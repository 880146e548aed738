"""A client of i-PI: energies, forces and virial by Myriad for the server that moves the atoms (i-PI, ASE's sockets).

    python3 -m myriad.ipi --unix NAME protein.prmtop --dielectric sigmoidal
    python3 -m myriad.ipi --port 31415 argon.xyz --kernel lennard_jones --cutoff 8 --set epsilon=0.0104 --set sigma=3.4

The first computes a molecule from its AMBER topology, in open space. The second computes pairs of atoms, whose types are
those of the file, in the periodic cell of the server, or with --open in open space; lengths are in Angstrom and
energies in eV. Without --unix and --port the server is at localhost, port 31415."""

from __future__ import annotations

import argparse
import json
import socket
import sys
import time
import warnings
from collections.abc import Sequence

import numpy as np

from ._core import Error, errors, lib
from ._energies import Molecule, Pairs
from .files import read

HARTREE = 27.211386245988  # in eV (CODATA 2018)
BOHR = 0.529177210903  # in Angstrom
HEADER = 12  # bytes
PORT = 31415
PATIENCE = 30.0  # seconds in which the server may open its socket

__all__ = ["Client", "Molecule", "Pairs"]


class Client:
    """Computes what a server asks for until the server says EXIT or closes the socket.

    `engine` is a Molecule or Pairs; `periodic` says whether it sees the cell of the server.

    >>> import socket, threading
    >>> from myriad.ipi import Client, Pairs
    >>> server = socket.create_server(("localhost", 0))
    >>> def serve():  # as i-PI's server, which ends at once
    ...     link, _ = server.accept()
    ...     link.sendall(b"STATUS      ")
    ...     print(link.recv(12).decode().strip())
    ...     link.sendall(b"EXIT        ")
    >>> thread = threading.Thread(target=serve)
    >>> thread.start()
    >>> argon = Pairs("lennard_jones", [0, 0], cutoff=8.0, epsilon=[[0.0104]], sigma=[[3.4]])
    >>> Client(argon, port=server.getsockname()[1]).run()
    READY
    0
    >>> thread.join()
    >>> server.close()
    """

    def __init__(self, engine: Molecule | Pairs, unix: str | None = None, host: str = "localhost", port: int = PORT,
                 periodic: bool = True, patience: float = PATIENCE) -> None:
        self.engine, self.periodic = engine, periodic
        self.evaluations = 0
        family, address = (socket.AF_UNIX, f"/tmp/ipi_{unix}") if unix else (socket.AF_INET, (host, port))
        self.socket = self._connect(family, address, patience)

    @staticmethod
    def _connect(family, address, patience):
        end = time.monotonic() + patience
        while True:
            link = socket.socket(family)
            try:
                link.connect(address)
                return link
            except (ConnectionError, FileNotFoundError) as error:  # the server is not there yet
                link.close()
                if time.monotonic() > end:
                    raise errors[lib.MYR_ERROR_UNAVAILABLE](f"no server at {address}: {error}") from None
                time.sleep(0.1)

    def run(self) -> int:
        """Serves the server. Gives the number of evaluations."""
        answer = None
        with self.socket:
            while (word := self._word()) not in ("EXIT", ""):
                if word == "STATUS":
                    self._say("HAVEDATA" if answer else "READY")
                elif word == "INIT":
                    self._numbers(1, np.int32)  # number of the replica
                    self._bytes(int(self._numbers(1, np.int32)[0]))
                elif word == "POSDATA":
                    answer = self._compute()
                elif word == "GETFORCE" and answer:
                    self._say("FORCEREADY")
                    self.socket.sendall(answer)
                    answer = None
                else:
                    raise errors[lib.MYR_ERROR_FORMAT](f"the server said '{word}', which has no meaning here")
        return self.evaluations

    def _compute(self):
        """Reads cell and positions; gives the answer to GETFORCE."""
        cell = self._numbers(9).reshape(3, 3).T * BOHR
        self._numbers(9)  # the inverse of the cell
        n = int(self._numbers(1, np.int32)[0])
        positions = self._numbers(3 * n).reshape(n, 3) * BOHR
        if n != len(self.engine):
            raise errors[lib.MYR_ERROR_VALUE](f"the server has {n} atoms, and the file here {len(self.engine)}")
        found = self.engine.evaluate(positions / self.engine.length,
                                     cell / self.engine.length if self.periodic else np.zeros((3, 3)))
        self.evaluations += 1
        energy = self.engine.energy / HARTREE
        virial = np.zeros((3, 3))
        if found.stress is not None:
            virial = -found.stress * abs(np.linalg.det(cell / self.engine.length)) * energy
        parts = [(found.energy * energy, "f8"), (n, "i4"), (found.forces * (energy / self.engine.length * BOHR), "f8"),
                 (virial.T, "f8"), (0, "i4")]  # at last the length of further text
        return b"".join(np.asarray(value, dtype=kind).tobytes() for value, kind in parts)

    # --- the socket ---

    def _bytes(self, count):
        """So many bytes, or none if the server is gone."""
        found = bytearray()
        while len(found) < count:
            more = self.socket.recv(count - len(found))
            if not more:
                if found:
                    raise errors[lib.MYR_ERROR_FORMAT]("the server closed the socket within a message")
                return b""
            found += more
        return bytes(found)

    def _word(self):
        return self._bytes(HEADER).decode("ascii", "replace").strip()

    def _say(self, word):
        self.socket.sendall(word.ljust(HEADER).encode())

    def _numbers(self, count, kind=np.float64):
        found = np.frombuffer(self._bytes(count * np.dtype(kind).itemsize), dtype=kind)
        if len(found) != count:
            raise errors[lib.MYR_ERROR_FORMAT]("the server closed the socket within a message")
        return found


# --- the command ---


def _setting(text):
    """NAME=VALUE, the value a number, a table of numbers by type as JSON, or a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _engine(options):
    settings = dict(options.set)
    if options.kernel is None:
        return Molecule(options.file, options.dielectric, **settings)
    types = np.array(read(options.file)[0].types)
    count = int(types.max()) + 1
    tables = {name: value if isinstance(value, str) else np.broadcast_to(np.asarray(value, dtype=float), (count, count))
              for name, value in settings.items()}
    return Pairs(options.kernel, types, cutoff=options.cutoff, cut=options.cut, **tables)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command python3 -m myriad.ipi."""
    parser = argparse.ArgumentParser(prog="python3 -m myriad.ipi", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="an AMBER topology; with --kernel, a file of the atoms with their types")
    parser.add_argument("--unix", metavar="NAME", help="the socket /tmp/ipi_NAME of this machine")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--dielectric", default="constant", help="of a molecule: constant, linear, sigmoidal")
    parser.add_argument("--kernel", help="of pairs: lennard_jones, ...")
    parser.add_argument("--cutoff", type=float, help="of pairs, in Angstrom")
    parser.add_argument("--cut", default="shifted", help="treatment at the cutoff: shifted, truncated, ...")
    parser.add_argument("--open", action="store_true", help="pairs in open space, whatever cell the server has")
    parser.add_argument("--set", type=_setting, action="append", default=[], metavar="NAME=VALUE",
                        help="parameter or choice of the interaction")
    options = parser.parse_args(arguments)
    if options.kernel and not options.cutoff:
        parser.error("--kernel needs --cutoff")
    warnings.formatwarning = lambda message, *_, **__: f"myriad.ipi: {message}\n"
    try:
        client = Client(_engine(options), options.unix, options.host, options.port, not options.open)
        print(f"{client.run()} evaluations")
    except Error as error:
        sys.exit(f"myriad.ipi: {error}")


if __name__ == "__main__":
    main()
