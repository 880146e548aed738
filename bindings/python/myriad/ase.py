"""A calculator for ASE: energies, forces and stress of atoms in boxes and in open space by Myriad's pair kernels.

    from ase.build import bulk
    from myriad.ase import Myriad

    argon = bulk("Ar", "fcc", a=5.3, cubic=True).repeat(3)
    argon.calc = Myriad("lennard_jones", epsilon=0.0104, sigma=3.4, cutoff=8.0)
    argon.get_potential_energy(), argon.get_stress()
"""

import numpy as np
from ase.calculators.calculator import Calculator, CalculatorSetupError, all_changes

from ._core import lib
from .interaction import Interaction
from .particles import Particles
from .simulation import Simulation


class Myriad(Calculator):
    """Short-range pairs of atoms, in ASE's units (eV, Angstrom).

    Parameters per pair of types (epsilon, sigma, ...) are one number, a dict by chemical symbol, or a table by symbols in
    alphabetical order. Of a dict, `epsilon` of two different symbols is the geometric mean and any other parameter
    the arithmetic one. `cut` is the treatment at the cutoff: "shifted" (the potential is 0 there), "truncated", ...
    The cell must be orthogonal."""

    implemented_properties = ["energy", "free_energy", "forces", "stress"]

    def __init__(self, kernel="lennard_jones", *, cutoff, cut="shifted", arithmetic="double", accumulator="fixed", **pairs):
        super().__init__()
        self.kernel, self.cutoff, self.cut = kernel, cutoff, cut
        self.choices = {"arithmetic": arithmetic, "accumulator": accumulator}
        self.pairs = pairs

    def table(self, name, symbols):
        """A parameter as a table of all pairs of symbols."""
        value = self.pairs[name]
        if not isinstance(value, dict):
            table = np.asarray(value, dtype=float)
            return np.broadcast_to(table, (len(symbols),) * 2) if table.ndim < 2 else table
        missing = [symbol for symbol in symbols if symbol not in value]
        if missing:
            raise CalculatorSetupError(f"{name} has no value for {', '.join(missing)}")
        each = np.array([value[symbol] for symbol in symbols], dtype=float)
        return np.sqrt(np.outer(each, each)) if name == "epsilon" else (each[:, None] + each[None, :]) / 2

    def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes):
        super().calculate(atoms, properties, system_changes)
        atoms = self.atoms
        lengths = atoms.cell.lengths()
        if atoms.pbc.any() and not np.allclose(atoms.cell.array, np.diag(lengths), atol=1e-10 * lengths.max()):
            raise CalculatorSetupError("the cell must be orthogonal, with its axes along x, y and z")
        symbols = sorted(set(atoms.symbols))
        interaction = Interaction(self.kernel, method="neighbour", cutoff=self.cutoff, **self.choices,
                                  **{name: self.table(name, symbols) for name in self.pairs})
        particles = Particles(position=atoms.positions, velocity=np.zeros((len(atoms), 3)), mass=np.ones(len(atoms)),
                              types=[symbols.index(symbol) for symbol in atoms.symbols])
        box = np.where(atoms.pbc, lengths, 0)
        sim = Simulation(particles, interaction, integrator="verlet", dt=1.0, molecular={"box": box, "cut": self.cut})
        sim.context.call(lib.myr_simulation_step, sim._pointer, sim.time)  # the first forces, without a step
        state = sim.thermodynamics
        energy = state.potential
        self.results = {"energy": energy, "free_energy": energy, "forces": np.array(sim.force)}
        if atoms.pbc.all():  # at rest the pressure is that of the forces alone
            self.results["stress"] = -np.array(state.pressure_tensor)
