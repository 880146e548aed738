"""Topologies of molecules, and their forces and energies. Units are those of AMBER: Angstrom, g/mol, kcal/mol, charges of
the electron."""

from __future__ import annotations

from typing import Any

from ._core import Context, Handle, Path, Record, current_context, encoded, errors, ffi, lib, record, text_of
from ._parts import take
from .interaction import Interaction
from .particles import Particles


def exclusion_mode(name):
    """Number of the way in which pairs are excluded."""
    modes = {constant[len("MYR_EXCLUDE_"):].lower(): number
             for number, constant in ffi.typeof("myr_exclusion_mode").elements.items()}
    if name not in modes:
        raise errors[lib.MYR_ERROR_NAME](f"there is no way '{name}' to exclude pairs; there are {', '.join(modes)}")
    return modes[name]


class Topology:
    """Atoms, bonds and force field of a molecule, without positions: read from an AMBER topology, or made of parts and
    then finished.

    >>> import myriad as my
    >>> water = my.Topology(atoms=3, types=2)
    >>> water.set_atom(0, "O", type=0, mass=16.0, charge=-0.8)
    >>> water.set_atom(1, "H", type=1, mass=1.0, charge=0.4)
    >>> water.set_atom(2, "H", type=1, mass=1.0, charge=0.4)
    >>> water.set_pair(0, 0, epsilon=0.15, sigma=3.15)
    >>> water.add_bond(0, 1, k=450, length=0.957, hydrogen=True)
    >>> water.add_bond(0, 2, k=450, length=0.957, hydrogen=True)
    >>> water.add_angle(1, 0, 2, k=55, theta0=1.824)
    >>> water.finish()
    >>> water.info.bonds, water.info.excluded_pairs
    (2, 3)
    """

    def __init__(self, path: Path | None = None, *, atoms: int | None = None, types: int | None = None,
                 context: Context | None = None) -> None:
        self.context = context or current_context()
        made = ffi.new("myr_topology **")
        if (path is None) == (atoms is None):
            raise TypeError("give an AMBER topology, or numbers of atoms and types")
        if path is not None:
            self.context.call(lib.myr_topology_read, self.context._pointer, encoded(path), made)
        else:
            self.context.call(lib.myr_topology_create, self.context._pointer, atoms, 1 if types is None else types, made)
        self._handle = Handle(self.context, made[0], lib.myr_topology_destroy)
        self._taken_by: str | None = None
        self._path = path

    @classmethod
    def _borrowed(cls, context, pointer, keeps):
        self = cls.__new__(cls)
        self.context, self._taken_by, self._path = context, "a simulation", None
        self._handle = Handle(context, pointer, None, keeps)
        return self

    def _change(self, function, *arguments):
        if self._taken_by is not None:
            raise errors[lib.MYR_ERROR_COMBINATION](f"this topology belongs to {self._taken_by}, which has begun with it")
        self.context.call(function, self._handle.pointer, *arguments)

    def set_atom(self, atom: int, name: str, *, residue: str = "MOL", residue_number: int = 1, type: int = 0, mass: float,
                 charge: float = 0.0) -> None:
        """Sets the properties of an atom."""
        texts = [ffi.new("char[]", encoded(text)) for text in (name, residue)]
        info = ffi.new("myr_topology_atom_info *", {"name": texts[0], "residue": texts[1], "mass": mass, "charge": charge,
                                                    "residue_number": residue_number, "type": type})
        self._change(lib.myr_topology_set_atom, atom, info)

    def set_pair(self, type: int, other: int, *, epsilon: float, sigma: float) -> None:
        """Sets the Lennard-Jones parameters of a pair of types."""
        self._change(lib.myr_topology_set_pair, type, other, epsilon, sigma)

    def set_radius(self, atom: int, radius: float, *, screen: float) -> None:
        """Sets the radius of an atom, in Angstrom, and its screening factor, for generalised Born."""
        self._change(lib.myr_topology_set_radius, atom, radius, screen)

    def add_bond(self, a: int, b: int, *, k: float, length: float, hydrogen: bool = False) -> None:
        """Adds a bond k (r - length)^2."""
        self._change(lib.myr_topology_add_bond, [a, b], bool(hydrogen), k, length)

    def add_angle(self, a: int, vertex: int, b: int, *, k: float, theta0: float) -> None:
        """Adds an angle k (theta - theta0)^2."""
        self._change(lib.myr_topology_add_angle, [a, vertex, b], k, theta0)

    def add_dihedral(self, a: int, b: int, c: int, d: int, *, k: float, n: int, phase: float) -> None:
        """Adds a dihedral k (1 + cos(n phi - phase))."""
        self._change(lib.myr_topology_add_dihedral, [a, b, c, d], k, n, phase)

    def finish(self, scnb: float = 2.0, scee: float = 1.2) -> None:
        """Finds the pairs that bonds connect; those three bonds apart have their energies divided by scnb and scee."""
        self._change(lib.myr_topology_finish, scnb, scee)

    @property
    def info(self) -> Record:
        """Numbers of atoms, bonds and so on (myr_topology_info)."""
        found = ffi.new("myr_topology_info *")
        self.context.call(lib.myr_topology_describe, self._handle.pointer, found)
        return record(found)

    def __len__(self) -> int:
        return self.info.atoms

    @property
    def names(self) -> list[str]:
        """Names of the atoms."""
        return [text_of(lib.myr_topology_atom(self._handle.pointer, atom)) for atom in range(len(self))]

    @property
    def residues(self) -> list[tuple[str, int]]:
        """Name and number (from 1) of the residue of each atom."""
        number = ffi.new("int64_t *")
        return [(text_of(lib.myr_topology_residue(self._handle.pointer, atom, number)), number[0])
                for atom in range(len(self))]

    def apply(self, particles: Particles) -> None:
        """Sets mass, charge and type of the atoms of a particle set."""
        self.context.call(lib.myr_topology_apply, self._handle.pointer, particles._pointer)

    def __reduce__(self):
        if self._path is None:
            raise TypeError("a topology that was read from a file can be pickled, by the name of that file")
        return Topology, (self._path,)

    def __repr__(self) -> str:
        if self._handle.destructor is None and not self._handle.keeps:
            return "<Topology of a simulation>"
        info = self.info
        return f"<Topology of {info.atoms} atoms, {info.bonds} bonds: {info.title or 'no title'}>"


class Molecule:
    """Forces and energies of a molecule at any positions: all pairs, and the terms of its topology.

    >>> import myriad as my
    >>> pair = my.Topology(atoms=2)
    >>> for atom in range(2):
    ...     pair.set_atom(atom, "C", mass=12.0)
    >>> pair.add_bond(0, 1, k=300, length=1.5)
    >>> pair.finish()
    >>> atoms = my.Particles(position=[[0, 0, 0], [1.6, 0, 0]])
    >>> round(my.Molecule(pair).evaluate(atoms)["bond"], 9)
    3.0
    >>> bool(abs(atoms.force[0, 0] - 60) < 1e-9)
    True
    """

    def __init__(self, topology: Topology, interaction: Interaction | None = None, exclusion: str = "on_the_fly",
                 solvent: str | dict[str, Any] | None = None, **settings: Any) -> None:
        self.context, self.topology = topology.context, topology
        if interaction is None:
            interaction = Interaction(settings.pop("kernel", "ljc_constant"), context=self.context,
                                      **{"arithmetic": "double", **settings})  # type: ignore[arg-type]
        self.interaction = interaction
        made = ffi.new("myr_molecule **")
        self.context.call(lib.myr_molecule_create, topology._handle.pointer, interaction._free("a molecule"),
                          exclusion_mode(exclusion), made)
        self._handle = Handle(self.context, made[0], lib.myr_molecule_destroy, (topology._handle, interaction._handle))
        if solvent is not None:
            made, name = solvent_record(solvent)
            self.context.call(lib.myr_molecule_set_solvent, self._handle.pointer, made)
        topology._taken_by = interaction._taken_by = "a molecule"

    def evaluate(self, atoms: Particles) -> dict[str, float]:
        """Sets the field `force` of the atoms, in kcal/mol/Angstrom; gives the energies by term, in kcal/mol."""
        if "charge" not in atoms:
            self.topology.apply(atoms)
        self.context.call(lib.myr_molecule_evaluate, self._handle.pointer, atoms._pointer)
        energy = ffi.new("double[]", lib.MYR_MOLECULE_TERMS)
        self.context.call(lib.myr_molecule_energies, self._handle.pointer, atoms._pointer, energy)
        return by_term(energy)

    def born_radii(self, atoms: Particles) -> list[float]:
        """Radii of all atoms in the solvent, in Angstrom.

        >>> import myriad as my
        >>> ion = my.Topology(atoms=1)
        >>> ion.set_atom(0, "NA", mass=23.0, charge=1.0)
        >>> ion.set_radius(0, 1.5, screen=0.8)
        >>> ion.finish()
        >>> my.Molecule(ion, solvent="obc2").born_radii(my.Particles(position=[[0, 0, 0]]))
        [1.41]
        """
        if "charge" not in atoms:
            self.topology.apply(atoms)
        radius = ffi.new("double[]", len(self.topology))
        self.context.call(lib.myr_molecule_born_radii, self._handle.pointer, atoms._pointer, radius)
        return list(radius)

    def __repr__(self) -> str:
        return f"<Molecule: {self.topology!r}>"


def solvent_record(solvent: str | dict[str, Any]) -> tuple[Any, Any]:
    """A solvent, "obc2" or {"model": "obc2", "salt": 0.15, "surface": True}, as the library takes it, and the text of its
    name, which must live as long."""
    given: dict[str, Any] = {"salt": 0.0, "surface": False, **({"model": solvent} if isinstance(solvent, str) else solvent)}
    name = ffi.new("char[]", encoded(given.pop("model", "")))
    return ffi.new("myr_solvent *", {**given, "model": name, "surface": bool(given["surface"])}), name


def by_term(energy: Any) -> dict[str, float]:
    """Energies with the names of their terms."""
    return {text_of(lib.myr_molecule_term(k)): energy[k] for k in range(lib.MYR_MOLECULE_TERMS)}


def set_molecule(simulation, topology, exclusion, rigid):
    """Gives a simulation its topology."""
    if topology._taken_by is not None:
        raise errors[lib.MYR_ERROR_COMBINATION](f"the topology belongs to {topology._taken_by} already")
    if topology.context._owner is not simulation.context._owner:
        raise errors[lib.MYR_ERROR_COMBINATION]("all parts of a simulation must be made in one context")
    mode = exclusion_mode(exclusion)
    take(simulation, topology)
    simulation._call(lib.myr_simulation_set_molecule, topology._handle.pointer, mode, bool(rigid))


