"""Energies and forces of atoms at given positions: what the bridges to other codes share.

An engine has `length` and `energy`, its units in Angstrom and eV, and evaluate(positions, cell) -> Energies. A cell is a
3 x 3 matrix whose rows are the edges; a zero row is an open axis."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import molecule
from ._core import Context, Path, errors, lib
from .interaction import Interaction
from .molecule import Topology
from .particles import Particles
from .simulation import Simulation

KCAL_PER_MOL = 4184 / 6.02214076e23 / 1.602176634e-19  # in eV


class Energies(NamedTuple):
    """Energy, forces (n, 3), stress (3, 3; positive under tension; None with an open axis), energies by term."""

    energy: float
    forces: np.ndarray
    stress: Optional[np.ndarray]
    terms: dict


def box_of(cell: ArrayLike) -> np.ndarray:
    """Edges of an orthogonal cell; 0 for open axes."""
    cell = np.asarray(cell, dtype=float).reshape(3, 3)
    edges = np.linalg.norm(cell, axis=1)
    if np.abs(cell - np.diag(edges)).max() > 1e-10 * max(edges.max(), 1e-300):
        raise errors[lib.MYR_ERROR_VALUE]("the cell must be orthogonal, with its axes along x, y and z")
    return edges


class Pairs:
    """Short-range pairs of atoms in boxes and in open space. Tables have one row and one column per type."""

    length = energy = 1.0

    def __init__(self, kernel: str, types: ArrayLike, *, cutoff: float, cut: str = "shifted", arithmetic: str = "double",
                 accumulator: str = "fixed", **tables: Any) -> None:
        self.kernel, self.types, self.cutoff, self.cut = kernel, np.asarray(types, dtype=np.int32), cutoff, cut
        self.choices: dict[str, Any] = {"arithmetic": arithmetic, "accumulator": accumulator}
        self.tables = tables

    def __len__(self) -> int:
        return len(self.types)

    def evaluate(self, positions: ArrayLike, cell: ArrayLike) -> Energies:
        box = box_of(cell)
        interaction = Interaction(self.kernel, method="neighbour", cutoff=self.cutoff, **self.choices, **self.tables)
        particles = Particles(position=positions, velocity=np.zeros((len(self), 3)), mass=np.ones(len(self)),
                              types=self.types)
        sim = Simulation(particles, interaction, integrator="verlet", dt=1.0, molecular={"box": box, "cut": self.cut})
        sim.context.call(lib.myr_simulation_step, sim._pointer, sim.time)  # the first forces, without a step
        state = sim.thermodynamics
        # At rest the pressure is that of the forces alone.
        stress = -np.array(state.pressure_tensor)[[0, 5, 4, 5, 1, 3, 4, 3, 2]].reshape(3, 3) if box.all() else None
        return Energies(state.potential, np.array(sim.force), stress, {})


class Molecule:
    """A molecule with the force field of an AMBER topology, in open space; Angstrom and kcal/mol."""

    length, energy = 1.0, KCAL_PER_MOL

    def __init__(self, topology: Path, law: str = "constant", *, context: Context | None = None, **settings: Any) -> None:
        made = Topology(topology, context=context)
        choices: dict[str, Any] = {"kernel": f"ljc_{law}", "accumulator": "fixed", **settings}
        self._molecule = molecule.Molecule(made, **choices)
        self._atoms = Particles(len(made), context=made.context)
        made.apply(self._atoms)
        self.names, self.masses = made.names, np.array(self._atoms.mass)

    def __len__(self) -> int:
        return len(self.masses)

    def evaluate(self, positions: ArrayLike, cell: ArrayLike | None = None) -> Energies:
        self._atoms.set("position", positions)
        terms = self._molecule.evaluate(self._atoms)
        return Energies(sum(terms.values()), np.array(self._atoms.force), None, terms)
