"""The calculator for ASE beside ASE's own, in its optimisers and dynamics. Skipped where ASE is not there."""

import os
import sys
import textwrap
import unittest

import numpy as np

try:
    import ase
    import ase.build
    import ase.calculators.lj
    import ase.md.verlet
    import ase.optimize
    from ase import units
except ImportError:
    print("skipped: no module ase")
    sys.exit(77)

import myriad as my
import myriad.ase
from myriad.ase import Myriad, MyriadMolecule

EXAMPLES = os.path.join(os.environ["MYRIAD_SOURCE"], "examples")
TOPOLOGY = os.path.join(EXAMPLES, "alanine.prmtop")
ARGON = {"epsilon": 0.0104, "sigma": 3.4}


def argon(calculator):
    atoms = ase.build.bulk("Ar", "fcc", a=5.3, cubic=True).repeat(3)
    atoms.rattle(0.1, seed=1)
    atoms.calc = calculator
    return atoms


class AgainstAse(unittest.TestCase):
    def same(self, one, two, energy_bar, force_bar):
        energy, forces = two.get_potential_energy(), two.get_forces()
        self.assertLess(abs(one.get_potential_energy() / energy - 1), energy_bar)
        self.assertLess(np.abs(one.get_forces() - forces).max() / np.abs(forces).max(), force_bar)

    def test_periodic(self):
        one, two = argon(Myriad(cutoff=7.0, **ARGON)), argon(ase.calculators.lj.LennardJones(rc=7.0, **ARGON))
        self.same(one, two, 3e-14, 1.5e-13)  # measured 7e-15 and 3.6e-14
        stress = two.get_stress()
        self.assertLess(np.abs(one.get_stress() - stress).max() / np.abs(stress).max(), 4e-13)  # measured 9e-14

    def test_open(self):
        one, two = (ase.build.bulk("Ar", "fcc", a=5.3, cubic=True).repeat(2) for _ in range(2))
        for atoms, calculator in ((one, Myriad(cutoff=9.0, **ARGON)), (two, ase.calculators.lj.LennardJones(rc=9.0, **ARGON))):
            atoms.pbc = False
            atoms.rattle(0.2, seed=2)
            atoms.calc = calculator
        self.same(one, two, 1e-12, 4e-12)  # measured 2.2e-13 and 1e-12
        with self.assertRaises(NotImplementedError):
            one.get_stress()

    def test_optimiser(self):
        """ASE's BFGS finds the same minimum with both."""
        energies = []
        for calculator in (Myriad(cutoff=7.0, **ARGON), ase.calculators.lj.LennardJones(rc=7.0, **ARGON)):
            atoms = ase.build.bulk("Ar", "fcc", a=5.3, cubic=True).repeat(3)
            atoms.rattle(0.05, seed=3)
            atoms.calc = calculator
            with ase.optimize.BFGS(atoms, logfile=None) as optimiser:
                self.assertTrue(optimiser.run(fmax=1e-3, steps=200))
            energies.append(atoms.get_potential_energy())
        self.assertLess(abs(energies[0] / energies[1] - 1), 7e-14)  # measured 1.5e-14

    def test_dynamics(self):
        """Velocity Verlet of ASE keeps the energy; the cut is shifted, so that forces jump at the cutoff."""
        atoms = argon(Myriad(cutoff=7.5, **ARGON))
        start = atoms.get_total_energy()
        with ase.md.verlet.VelocityVerlet(atoms, 4 * units.fs) as dynamics:
            dynamics.run(25)
        self.assertGreater(atoms.get_kinetic_energy(), 0)
        self.assertLess(abs(atoms.get_total_energy() / start - 1), 1e-4)  # measured 2.2e-5

    def test_two_species(self):
        atoms = argon(Myriad(cutoff=7.0, epsilon={"Ar": 0.0104, "Kr": 0.0140}, sigma={"Ar": 3.4, "Kr": 3.65}))
        atoms.symbols[::2] = "Kr"
        forces = atoms.get_forces()
        at, h = 5, 1e-4
        moved = []
        for sign in (1, -1):
            atoms.positions[at, 1] += sign * h
            moved.append(atoms.get_potential_energy())
            atoms.positions[at, 1] -= sign * h
        self.assertLess(abs(-(moved[0] - moved[1]) / (2 * h) / forces[at, 1] - 1), 7e-8)  # measured 1.5e-8

    def test_errors(self):
        atoms = ase.build.bulk("Ar", "fcc", a=5.3)
        atoms.calc = Myriad(cutoff=2.0, **ARGON)
        with self.assertRaisesRegex(Exception, "orthogonal"):
            atoms.get_potential_energy()
        atoms = argon(Myriad(cutoff=7.0, epsilon={"Kr": 1}, sigma=3.4))
        with self.assertRaisesRegex(Exception, "no value for Ar"):
            atoms.get_potential_energy()


def alanine(law="constant", **settings):
    """Alanine dipeptide, its atoms away from where no bond is stretched, as in tests/cli/test_gromacs.sh."""
    positions = np.array(my.read(os.path.join(EXAMPLES, "alanine.inpcrd"))[0].position)
    positions = np.round(positions + 0.06 * np.sin(7.3 * np.arange(1, 67)).reshape(22, 3), 7)
    atoms = ase.Atoms("HCHHCONHCHCHHHCONHCHHH", positions)
    atoms.calc = MyriadMolecule(TOPOLOGY, law, **settings)
    return atoms


class Molecules(unittest.TestCase):
    def test_gromacs(self):
        """Energies by term in kJ/mol beside those of GROMACS in double precision (docs/molecules.md), whose topology has
        eight digits, and whose Coulomb constant is 138.935458."""
        gromacs = {"bond": 197.6286592829, "angle": 35.1292443843, "dihedral": 11.0435382894, "lj14": 24.3790450078,
                   "coulomb14": 211.0231625199, "lj": 9.9828777440, "coulomb": -335.5883682942}
        atoms = alanine()
        atoms.get_potential_energy()
        terms = {name: value * units.mol / units.kJ for name, value in atoms.calc.terms.items()}
        self.assertEqual((terms.pop("gb"), terms.pop("surface")), (0, 0))  # of a solvent, which is not there
        self.assertEqual(set(terms), set(gromacs))
        for name, value in gromacs.items():
            if name.startswith("coulomb"):
                terms[name] *= 138.935458 / (18.2223**2 * 0.4184)
            self.assertLess(abs(terms[name] / value - 1), 2.5e-7, name)  # measured 6e-8 at most
        self.assertAlmostEqual(atoms.get_potential_energy(), sum(atoms.calc.terms.values()), 12)

    def test_forces(self):
        """Forces are differences of energies."""
        for law in ("constant", "linear", "sigmoidal"):
            atoms = alanine(law)
            forces, h = atoms.get_forces(), 1e-4
            self.assertLess(np.abs(forces.sum(axis=0)).max(), 1e-14)  # measured 2e-15
            for atom, axis in ((0, 0), (8, 1), (17, 2)):
                energies = []
                for sign in (1, -1):
                    atoms.positions[atom, axis] += sign * h
                    energies.append(atoms.get_potential_energy())
                    atoms.positions[atom, axis] -= sign * h
                slope = -(energies[0] - energies[1]) / (2 * h)
                self.assertLess(abs(slope - forces[atom, axis]) / np.abs(forces).max(), 6e-8)  # measured 1.3e-8

    def test_optimiser(self):
        """ASE's BFGS ends in a minimum."""
        atoms = alanine("linear", dielectric=4)
        start = atoms.get_potential_energy()
        with ase.optimize.BFGS(atoms, logfile=None) as optimiser:
            self.assertTrue(optimiser.run(fmax=1e-3, steps=1000))
        self.assertLess(atoms.get_potential_energy(), start)
        self.assertLess(np.abs(atoms.get_forces()).max(), 1e-3)

    def test_dynamics(self):
        atoms = alanine()
        start = atoms.get_total_energy()
        with ase.md.verlet.VelocityVerlet(atoms, 0.25 * units.fs) as dynamics:
            dynamics.run(200)
        self.assertGreater(atoms.get_kinetic_energy(), 0.1)
        self.assertLess(abs(atoms.get_total_energy() - start) / atoms.get_kinetic_energy(), 5e-3)  # measured 1.4e-3

    def test_errors(self):
        atoms = alanine()
        atoms.pbc = True
        with self.assertRaisesRegex(Exception, "open space"):
            atoms.get_potential_energy()
        atoms.pbc = False
        atoms.symbols[0:2] = ["C", "H"]
        with self.assertRaisesRegex(Exception, "atom 0 is C.*need its order"):
            atoms.get_potential_energy()
        atoms = ase.Atoms("H2", [[0, 0, 0], [0, 0, 1]])
        atoms.calc = MyriadMolecule(TOPOLOGY)
        with self.assertRaisesRegex(Exception, "2 atoms, and 22"):
            atoms.get_potential_energy()
        with self.assertRaises(OSError):
            MyriadMolecule("missing.prmtop")


class Examples(unittest.TestCase):
    def test_first_of_the_module(self):
        """The lines at the head of myriad.ase run as they are."""
        names, parts = {}, myriad.ase.__doc__.split("\n\n")
        exec(textwrap.dedent("\n".join(parts[1:3])), names)
        self.assertEqual(len(names["argon"]), 256)
        self.assertLess(names["argon"].get_potential_energy() / 256, -0.05)  # eV; measured -0.078


if __name__ == "__main__":
    unittest.main()
