"""The calculator for ASE beside ASE's own, in its optimisers and dynamics. Skipped where ASE is not there."""

import sys
import unittest

import numpy as np

try:
    import ase.build
    import ase.calculators.lj
    import ase.md.verlet
    import ase.optimize
    from ase import units
except ImportError:
    print("skipped: no module ase")
    sys.exit(77)

from myriad.ase import Myriad

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


if __name__ == "__main__":
    unittest.main()
