"""The client of i-PI, with ASE's socket server at the other end. Skipped where ASE is not there."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

try:
    import ase.build
    import ase.io
    import ase.optimize
    from ase import units
    from ase.calculators.socketio import SocketIOCalculator
except ImportError:
    print("skipped: no module ase")
    sys.exit(77)

import myriad as my
from myriad.ase import Myriad, MyriadMolecule
from myriad.ipi import BOHR, HARTREE, Client, Molecule

EXAMPLES = os.path.join(os.environ["MYRIAD_SOURCE"], "examples")
TOPOLOGY = os.path.join(EXAMPLES, "alanine.prmtop")
# ASE's constants are those of 2014: a number that crosses the socket comes back in units that differ in the ninth digit.
LENGTH, ENERGY = BOHR / units.Bohr, units.Ha / HARTREE


def client(*arguments):
    return subprocess.Popen([sys.executable, "-B", "-m", "myriad.ipi", *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def argon():
    atoms = ase.build.bulk("Ar", "fcc", a=5.3, cubic=True).repeat(3)
    atoms.rattle(0.1, seed=1)
    return atoms


def alanine():
    positions = np.array(my.read(os.path.join(EXAMPLES, "alanine.inpcrd"))[0].position)
    return ase.Atoms("HCHHCONHCHCHHHCONHCHHH", positions + 0.03 * np.sin(7.3 * np.arange(66)).reshape(22, 3))


class Sockets(unittest.TestCase):
    def setUp(self):
        self.name = f"myriad_{os.getpid()}_{self.id().split('.')[-1]}"

    def served(self, atoms, arguments, work, most=120):
        """Has a client compute for work(atoms) through a UNIX socket; gives what work gives and the client's words."""
        with SocketIOCalculator(unixsocket=self.name, timeout=most) as server:
            process = client("--unix", self.name, *arguments)
            atoms.calc = server
            try:
                found = work(atoms)
                server.server.protocol.end()
                words, errors = process.communicate(timeout=most)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 0, errors)
        return found, words

    def test_box(self):
        atoms, direct = argon(), argon()
        direct.set_cell(direct.cell * LENGTH, scale_atoms=True)  # as the client sees it
        direct.calc = Myriad(cutoff=7.0, epsilon=0.0104, sigma=3.4)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "argon.xyz")
            ase.io.write(path, atoms, format="extxyz")
            (energy, forces, stress), words = self.served(
                atoms, [path, "--kernel", "lennard_jones", "--cutoff", "7", "--set", "epsilon=0.0104", "--set", "sigma=3.4"],
                lambda a: (a.get_potential_energy(), a.get_forces(), a.get_stress()))
        self.assertEqual(words, "1 evaluations\n")
        exact = direct.get_forces() * ENERGY * LENGTH
        self.assertLess(abs(energy / (direct.get_potential_energy() * ENERGY) - 1), 7e-15)  # measured 1.6e-15
        self.assertLess(np.abs(forces - exact).max() / np.abs(exact).max(), 1e-13)  # measured 2.2e-14
        exact = direct.get_stress() * ENERGY * LENGTH**3
        self.assertLess(np.abs(stress - exact).max() / np.abs(exact).max(), 1e-13)  # measured 2.2e-14

    def test_molecule(self):
        """ASE's optimiser moves the atoms, and the client computes a molecule."""
        def optimise(atoms):
            with ase.optimize.BFGS(atoms, logfile=None) as optimiser:
                optimiser.run(fmax=0.01, steps=300)
            return atoms.get_potential_energy(), optimiser.nsteps

        (energy, steps), words = self.served(
            alanine(), [TOPOLOGY, "--dielectric", "linear", "--set", "dielectric=4"], optimise)
        self.assertEqual(words, f"{steps + 1} evaluations\n")
        direct = alanine()
        direct.calc = MyriadMolecule(TOPOLOGY, "linear", dielectric=4)
        exact, _ = optimise(direct)
        self.assertLess(abs(energy / exact - 1), 3e-8)  # measured 7e-9: units differ

    def test_other_number(self):
        """A server with other atoms is refused with a sentence, and does not wait for ever."""
        with SocketIOCalculator(unixsocket=self.name, timeout=60) as server:
            process = client("--unix", self.name, TOPOLOGY)
            atoms = ase.Atoms("H2", [[0, 0, 0], [0, 0, 1]])
            atoms.calc = server
            with self.assertRaises(OSError):
                atoms.get_potential_energy()
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("the server has 2 atoms, and the file here 22", errors)


class Protocol(unittest.TestCase):
    """Words that ASE does not use, spoken by this test."""

    def talk(self, *messages):
        """What a client answers to the messages of a server that closes its socket then."""
        server = socket.socket()
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        answers, raised = [], []

        def serve():
            link, _ = server.accept()
            with link:
                for message, count in messages:
                    link.sendall(message)
                    found = b""
                    while len(found) < count:
                        more = link.recv(count - len(found))
                        if not more:
                            break
                        found += more
                    answers.append(found)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            evaluations = Client(Molecule(TOPOLOGY), host="127.0.0.1", port=server.getsockname()[1]).run()
        except my.Error as error:
            evaluations = None
            raised.append(str(error))
        thread.join()
        server.close()
        return answers, evaluations, raised

    def test_init(self):
        """INIT of i-PI is taken at any time, and a server that goes away without EXIT ends the client."""
        init = b"INIT".ljust(12) + np.int32(3).tobytes() + np.int32(5).tobytes() + b"hello"
        answers, evaluations, raised = self.talk((b"STATUS".ljust(12), 12), (init, 0), (b"STATUS".ljust(12), 12))
        self.assertEqual([answer.strip() for answer in answers], [b"READY", b"", b"READY"])
        self.assertEqual((evaluations, raised), (0, []))

    def test_forces(self):
        """The bytes of an answer, in atomic units."""
        positions = alanine().positions
        data = b"POSDATA".ljust(12) + np.eye(3).tobytes() * 2 + np.int32(22).tobytes() + (positions / BOHR).tobytes()
        size = 12 + 8 + 4 + 8 * 66 + 8 * 9 + 4
        answers, evaluations, _ = self.talk((data, 0), (b"STATUS".ljust(12), 12), (b"GETFORCE".ljust(12), size),
                                            (b"STATUS".ljust(12), 12), (b"EXIT".ljust(12), 0))
        self.assertEqual(evaluations, 1)
        self.assertEqual((answers[1].strip(), answers[3].strip()), (b"HAVEDATA", b"READY"))
        answer = answers[2]
        self.assertEqual((answer[:12].strip(), np.frombuffer(answer[20:24], np.int32)[0]), (b"FORCEREADY", 22))
        found = Molecule(TOPOLOGY).evaluate(positions)
        energy = np.frombuffer(answer[12:20])[0] * HARTREE / Molecule.energy
        forces = np.frombuffer(answer[24:24 + 528]).reshape(22, 3) * (HARTREE / BOHR / Molecule.energy)
        self.assertLess(abs(energy / found.energy - 1), 6e-15)  # measured 1.3e-15: positions were in bohr
        self.assertLess(np.abs(forces - found.forces).max() / np.abs(found.forces).max(), 5e-16)  # measured 1e-16
        self.assertEqual(answer[24 + 528:], bytes(76))  # no virial, no further text

    def test_nonsense(self):
        _, _, raised = self.talk((b"HALLO".ljust(12), 0))
        self.assertIn("HALLO", raised[0])
        _, _, raised = self.talk((b"GETFORCE".ljust(12), 0))  # before positions
        self.assertIn("GETFORCE", raised[0])
        _, _, raised = self.talk((b"POSDATA".ljust(12) + bytes(20), 0))
        self.assertIn("within a message", raised[0])

    def test_nobody(self):
        with self.assertRaisesRegex(NotImplementedError, "no server"):
            Client(Molecule(TOPOLOGY), unix="myriad_nobody", patience=0.2)


if __name__ == "__main__":
    unittest.main()
