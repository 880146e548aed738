"""Calculators for ASE: energies, forces and stress of atoms in boxes and in open space, and of molecules.

    from ase.build import bulk
    from myriad.ase import Myriad

    argon = bulk("Ar", "fcc", a=5.3, cubic=True).repeat(4)
    argon.calc = Myriad("lennard_jones", epsilon=0.0104, sigma=3.4, cutoff=8.0)
    argon.get_potential_energy(), argon.get_stress()

    alanine = ase.io.read("alanine.xyz")                 # atoms in the order of the topology
    alanine.calc = MyriadMolecule("examples/alanine.prmtop", "linear", dielectric=4)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ase import Atoms, units
from ase.calculators.calculator import Calculator, CalculatorSetupError, all_changes
from ase.stress import full_3x3_to_voigt_6_stress

from . import errors
from ._core import Path
from ._energies import Molecule, Pairs


class Myriad(Calculator):
    """Short-range pairs of atoms, in ASE's units (eV, Angstrom).

    Parameters per pair of types (epsilon, sigma, ...) are one number, a dict by chemical symbol, or a table by symbols in
    alphabetical order. Of a dict, `epsilon` of two different symbols is the geometric mean and any other parameter
    the arithmetic one. `cut` is the treatment at the cutoff: "shifted" (the potential is 0 there), "truncated", ...
    The cell must be orthogonal.

    >>> from ase.build import bulk
    >>> from myriad.ase import Myriad
    >>> argon = bulk("Ar", "fcc", a=5.3, cubic=True).repeat(4)
    >>> argon.calc = Myriad("lennard_jones", epsilon=0.0104, sigma=3.4, cutoff=8.0)
    >>> round(argon.get_potential_energy() / len(argon), 6)
    -0.075336
    >>> argon.get_forces().shape, argon.get_stress().shape
    ((256, 3), (6,))
    """

    implemented_properties = ["energy", "free_energy", "forces", "stress"]

    def __init__(self, kernel: str = "lennard_jones", *, cutoff: float, cut: str = "shifted", arithmetic: str = "double",
                 accumulator: str = "fixed", **pairs: Any) -> None:
        super().__init__()
        self.kernel, self.cutoff, self.cut = kernel, cutoff, cut
        self.choices: dict[str, Any] = {"arithmetic": arithmetic, "accumulator": accumulator}
        self.pairs = pairs

    def table(self, name: str, symbols: Sequence[str]) -> np.ndarray:
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

    def calculate(self, atoms: Atoms | None = None, properties: Sequence[str] = ("energy",),
                  system_changes: Sequence[str] = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        atoms = self.atoms
        symbols = sorted(set(atoms.symbols))
        engine = Pairs(self.kernel, [symbols.index(symbol) for symbol in atoms.symbols], cutoff=self.cutoff, cut=self.cut,
                       **self.choices, **{name: self.table(name, symbols) for name in self.pairs})  # type: ignore[arg-type]
        try:
            found = engine.evaluate(atoms.positions, np.where(atoms.pbc[:, None], atoms.cell.array, 0))
        except errors.ValueError as error:
            raise CalculatorSetupError(str(error)) from None
        self.results = {"energy": found.energy, "free_energy": found.energy, "forces": found.forces}
        if found.stress is not None:
            self.results["stress"] = full_3x3_to_voigt_6_stress(found.stress)


class MyriadMolecule(Calculator):
    """A molecule with the force field of an AMBER topology, in open space: bonded terms, Lennard-Jones and Coulomb over
    all pairs, whose `law` of the
    dielectric is "constant", "linear" or "sigmoidal" (docs/molecules.md).

    Atoms have the order of the topology. `settings` are parameters and choices of the interaction (dielectric=4,
    arithmetic="mixed"). After a calculation `terms` has the energies by term, in eV.

    >>> import ase, myriad as my
    >>> from myriad.ase import MyriadMolecule
    >>> atoms = ase.Atoms("HCHHCONHCHCHHHCONHCHHH", my.read("examples/alanine.inpcrd")[0].position)
    >>> atoms.calc = MyriadMolecule("examples/alanine.prmtop", "linear", dielectric=4)
    >>> round(atoms.get_potential_energy(), 6)
    0.342386
    >>> round(sum(atoms.calc.terms.values()), 6)
    0.342386
    """

    implemented_properties = ["energy", "free_energy", "forces"]
    HYDROGEN_MOST = 5.0  # g/mol; topologies may give mass of heavy atoms to their hydrogens

    def __init__(self, topology: Path, law: str = "constant", **settings: Any) -> None:
        super().__init__()
        self.engine = Molecule(topology, law, **settings)
        self.terms: dict[str, float] = {}

    def calculate(self, atoms: Atoms | None = None, properties: Sequence[str] = ("energy",),
                  system_changes: Sequence[str] = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        self._check(self.atoms)
        found = self.engine.evaluate(self.atoms.positions)
        unit = units.kcal / units.mol
        self.terms = {name: value * unit for name, value in found.terms.items()}
        energy = found.energy * unit
        self.results = {"energy": energy, "free_energy": energy, "forces": found.forces * unit}

    def _check(self, atoms):
        """Atoms in another order than in the topology would give numbers without sense."""
        if len(atoms) != len(self.engine):
            raise CalculatorSetupError(f"there are {len(atoms)} atoms, and {len(self.engine)} in the topology")
        wrong = np.flatnonzero((atoms.numbers == 1) != (self.engine.masses < self.HYDROGEN_MOST))
        if len(wrong):
            k = wrong[0]
            raise CalculatorSetupError(f"atom {k} is {atoms.symbols[k]}, and '{self.engine.names[k]}' of {self.engine.masses[k]:g} "
                                       "g/mol in the topology: the atoms need its order")
        if atoms.pbc.any():
            raise CalculatorSetupError("a molecule is in open space; set atoms.pbc = False")
