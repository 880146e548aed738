#!/usr/bin/env python3
"""Makes the molecules of the examples as AMBER topologies (prmtop) with their coordinates (inpcrd), from the tables
below: alanine, the dipeptide ACE-ALA-NME (22 atoms), and helix, the peptide ACE-(ALA)10-NME (112 atoms), both extended.

    tools/make_alanine.py FOLDER    writes four files there

Masses, charges, Lennard-Jones parameters, bonds, angles and torsions are those of Cornell et al. 1995 (J. Am. Chem. Soc.
117, 5179), the torsions phi and psi those of Kollman et al. 1997 (Computer Simulation of Biomolecular Systems 3, 83).
Radii for generalised Born are those of Bondi with 1.3 Angstrom for hydrogen at nitrogen (mbondi2), the screening factors
those of Hawkins, Cramer and Truhlar 1996. Energies are in kcal/mol, lengths in Angstrom, charges in electrons, angles in degrees.
"""
import itertools
import math
import sys

CHARGE_UNIT = 18.2223  # charges of a prmtop are multiples of 1/18.2223 electrons
PHI, PSI = 180.0, 180.0  # torsions of the backbone of the dipeptide: extended
EXTENDED = -139.0, 135.0  # of the long peptide: a strand

# residue, name, type, charge; then the atom that it is bonded to, and two more with which it makes an angle and a
# dihedral (numbers of atoms from 0), and that dihedral. Lengths and angles are those of the force field at rest.
ACE = [
    ("ACE", "HH31", "HC", 0.1123, None, None, None, 0),
    ("ACE", "CH3", "CT", -0.3662, 0, None, None, 0),
    ("ACE", "HH32", "HC", 0.1123, 1, 0, None, 0),
    ("ACE", "HH33", "HC", 0.1123, 1, 0, 2, 120),
    ("ACE", "C", "C", 0.5972, 1, 0, 2, -120),
    ("ACE", "O", "O", -0.5679, 4, 1, 0, 0),
]


def alanine(at, c, ca, o, phi, psi):
    """The residue whose first atom is number `at`, bonded to atom c, which is bonded to ca and o."""
    return [
        ("ALA", "N", "N", -0.4157, c, ca, o, 180),
        ("ALA", "H", "H", 0.2719, at, c, o, 180),
        ("ALA", "CA", "CT", 0.0337, at, c, o, 0),
        ("ALA", "HA", "H1", 0.0823, at + 2, at, c, phi + 119),
        ("ALA", "CB", "CT", -0.1825, at + 2, at, c, phi - 122),
        ("ALA", "HB1", "HC", 0.0603, at + 4, at + 2, at, 60),
        ("ALA", "HB2", "HC", 0.0603, at + 4, at + 2, at, 180),
        ("ALA", "HB3", "HC", 0.0603, at + 4, at + 2, at, -60),
        ("ALA", "C", "C", 0.5973, at + 2, at, c, phi),
        ("ALA", "O", "O", -0.5679, at + 8, at + 2, at, psi + 180),
    ]


def amide(at, c, ca, n, psi):
    """The methyl amide at the end."""
    return [
        ("NME", "N", "N", -0.4157, c, ca, n, psi),
        ("NME", "H", "H", 0.2719, at, c, c + 1, 180),
        ("NME", "CH3", "CT", -0.1490, at, c, c + 1, 0),
        ("NME", "HH31", "H1", 0.0976, at + 2, at, c, 60),
        ("NME", "HH32", "H1", 0.0976, at + 2, at, c, 180),
        ("NME", "HH33", "H1", 0.0976, at + 2, at, c, -60),
    ]


def peptide(residues, phi, psi):
    """Atoms of ACE, so many alanines, and NME; the first of each residue's rows that name its residue number."""
    atoms, residue = ACE[:], [1] * len(ACE)
    c, ca, o = 4, 1, 5
    for number in range(residues):
        at = len(atoms)
        atoms += alanine(at, c, ca, o, phi, psi)
        residue += [2 + number] * 10
        c, ca, o = at + 8, at + 2, at + 9
    atoms += amide(len(atoms), c, ca, ca - 2, psi)
    return atoms, residue + [2 + residues] * 6


ATOMS, RESIDUE = peptide(1, PHI, PSI)

# mass, half the distance of the minimum, depth
TYPES = {
    "HC": (1.008, 1.487, 0.0157),
    "CT": (12.01, 1.908, 0.1094),
    "C": (12.01, 1.908, 0.086),
    "O": (16.0, 1.6612, 0.21),
    "N": (14.01, 1.824, 0.17),
    "H": (1.008, 0.6, 0.0157),
    "H1": (1.008, 1.387, 0.0157),
}

# k, length at rest
BONDS = {
    "CT-HC": (340, 1.09), "CT-H1": (340, 1.09), "H-N": (434, 1.01), "C-O": (570, 1.229),
    "C-N": (490, 1.335), "C-CT": (317, 1.522), "CT-CT": (310, 1.526), "CT-N": (337, 1.449),
}  # fmt: skip

# k, angle at rest
ANGLES = {
    "HC-CT-HC": (35, 109.5), "H1-CT-H1": (35, 109.5), "C-CT-HC": (50, 109.5), "C-CT-H1": (50, 109.5),
    "CT-CT-HC": (50, 109.5), "CT-CT-H1": (50, 109.5), "H1-CT-N": (50, 109.5), "C-N-H": (30, 120),
    "CT-N-H": (30, 118.04), "C-N-CT": (50, 121.9), "CT-C-O": (80, 120.4), "CT-C-N": (70, 116.6),
    "N-C-O": (80, 122.9), "C-CT-CT": (63, 111.1), "C-CT-N": (63, 110.1), "CT-CT-N": (80, 109.7),
}  # fmt: skip

# Torsions by four types, or by the two in the middle: k, periodicity, phase.
DIHEDRALS = {
    "C-N-CT-C": [(0.85, 1, 0), (0.3, 2, 180)],
    "N-CT-C-N": [(0.85, 1, 0), (0.3, 2, 180)],
    "C-N-CT-CT": [(0.53, 1, 0), (0.15, 3, 180), (0.5, 4, 180)],
    "CT-CT-C-N": [(0.07, 2, 0), (0.1, 4, 0)],
    "H-N-C-O": [(2, 1, 0), (2.5, 2, 180)],
    "C-N": [(2.5, 2, 180)],
    "CT-CT": [(1.4 / 9, 3, 0)],
    "C-CT": [(0, 2, 0)],
    "CT-N": [(0, 2, 0)],
}

# For generalised Born, by element: radius and screening factor.
RADII = {"H": (1.2, 0.85), "C": (1.7, 0.72), "N": (1.55, 0.79), "O": (1.5, 0.85)}
RADIUS_AT_NITROGEN = 1.3  # of hydrogen


def impropers():
    """Atoms that stay in the plane of three others, the third of which is in the middle: at nitrogen, then at the carbon
    of a carbonyl."""
    n = [i for i, atom in enumerate(ATOMS) if atom[1] == "N"]
    return [(i - 2 if ATOMS[i - 1][1] == "O" else ATOMS[i][4], i + 2, i, i + 1, 1.0) for i in n] + [
        (ATOMS[i][5], i, ATOMS[i][4], ATOMS[i][4] + 1, 10.5) for i in n
    ]


def radius(i):
    """Radius and screening factor of an atom."""
    found, screen = RADII[ATOMS[i][2][0]]
    return (RADIUS_AT_NITROGEN if ATOMS[i][2] == "H" else found), screen


# --- geometry


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return [x / length for x in a]


def cross(a, b):
    return [a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3] for c in range(3)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def kind(*atoms):
    """The types of some atoms, in the one of both directions that sorts first."""
    types = [ATOMS[i][2] for i in atoms]
    return "-".join(min(types, types[::-1]))


def place():
    """Positions of all atoms from their internal coordinates."""
    x = []
    for i, (_, _, _, _, bonded, corner, end, dihedral) in enumerate(ATOMS):
        if bonded is None:
            x.append([0.0, 0.0, 0.0])
            continue
        length = BONDS[kind(i, bonded)][1]
        if corner is None:
            x.append([length, 0.0, 0.0])
            continue
        angle, turn = math.radians(ANGLES[kind(i, bonded, corner)][1]), math.radians(dihedral)
        before = x[end] if end is not None else [0.0, 1.0, 0.0]
        along = unit(minus(x[bonded], x[corner]))
        normal = unit(cross(minus(x[corner], before), along))
        up = cross(normal, along)
        step = (-math.cos(angle), math.sin(angle) * math.cos(turn), math.sin(angle) * math.sin(turn))
        x.append([x[bonded][c] + length * (step[0] * along[c] + step[1] * up[c] + step[2] * normal[c]) for c in range(3)])
    return x


# --- terms


def bonded_atoms():
    bonds = [(atom[4], i) for i, atom in enumerate(ATOMS) if atom[4] is not None]
    bonds = sorted(b if TYPES[ATOMS[b[0]][2]] > TYPES[ATOMS[b[1]][2]] else b[::-1] for b in bonds)  # heavy first
    near = {i: sorted(a + b - i for a, b in bonds if i in (a, b)) for i in range(len(ATOMS))}
    angles = [(a, j, b) for j in near for a, b in itertools.combinations(near[j], 2)]
    dihedrals = [(a, j, k, b) for j, k in bonds for a in near[j] for b in near[k] if a != k and b != j]
    dihedrals = [d if d[0] < d[3] else d[::-1] for d in dihedrals]
    return bonds, near, angles, sorted(dihedrals)


def torsions(atoms):
    types = [ATOMS[i][2] for i in atoms]
    for key in ("-".join(types), "-".join(types[::-1]), kind(*atoms[1:3])):
        if key in DIHEDRALS:
            return DIHEDRALS[key]
    raise KeyError(types)


def excluded(near):
    """For each atom those after it that are one to three bonds away."""
    reach = []
    for i in range(len(ATOMS)):
        found = {i}
        for _ in range(3):
            found |= {b for a in found for b in near[a]}
        reach.append(sorted(j for j in found if j > i))
    return reach


class Table:
    """Sets of parameters, each with a number from 1."""

    def __init__(self):
        self.rows = []

    def number(self, row):
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row) + 1

    def column(self, k):
        return [row[k] for row in self.rows]


class Terms:
    """Terms as lists of integers (three times the atom, then the number of the parameters), with and without
    hydrogen."""

    def __init__(self):
        self.hydrogen, self.heavy, self.table = [], [], Table()

    def add(self, atoms, row, signs=(1, 1, 1, 1)):
        to = self.hydrogen if any(ATOMS[i][2].startswith("H") for i in atoms) else self.heavy
        to += [[s * 3 * i for i, s in zip(atoms, signs)] + [self.table.number(row)]]


def all_terms():
    bonds, near, angles, dihedrals = bonded_atoms()
    made = Terms(), Terms(), Terms()
    for atoms in bonds:
        made[0].add(atoms, BONDS[kind(*atoms)])
    for atoms in angles:
        k, rest = ANGLES[kind(*atoms)]
        made[1].add(atoms, (k, math.radians(rest)))
    for atoms in dihedrals:  # one 1-4 pair, however many torsions there are
        for n, (k, periods, phase) in enumerate(torsions(atoms)):
            made[2].add(atoms, (k, periods, math.radians(phase)), (1, 1, -1 if n else 1, 1))
    for *atoms, k in impropers():
        made[2].add(atoms, (k, 2, math.pi), (1, 1, -1, -1))
    return made, excluded(near)


def lennard_jones():
    """A and B of every pair of types, the lower triangle by rows."""
    a, b = [], []
    types = list(TYPES.values())
    for j in range(len(types)):
        for i in range(j + 1):
            depth, minimum = math.sqrt(types[i][2] * types[j][2]), types[i][1] + types[j][1]
            a.append(depth * minimum**12)
            b.append(2 * depth * minimum**6)
    return a, b


# --- files


def section(out, name, form, values):
    per_line, text = {"20a4": (20, "{:<4}"), "10I8": (10, "{:8d}"), "5E16.8": (5, "{:16.8E}")}[form]
    out.append(f"%FLAG {name}")
    out.append(f"%FORMAT({form})")
    lines = ["".join(text.format(v) for v in values[k : k + per_line]).rstrip() for k in range(0, len(values), per_line)]
    out += lines or [""]


def topology(title):
    (bonds, angles, dihedrals), exclusions = all_terms()
    names = list(TYPES)
    types = len(names)
    pairs = [[max(i, j) * (max(i, j) + 1) // 2 + min(i, j) + 1 for j in range(types)] for i in range(types)]
    listed = [j for near in exclusions for j in ([n + 1 for n in near] or [0])]  # 0 = none
    residues = [k for k in range(len(ATOMS)) if k == 0 or RESIDUE[k] != RESIDUE[k - 1]]
    longest = max(b - a for a, b in zip(residues, residues[1:] + [len(ATOMS)]))
    a, b = lennard_jones()
    counts = [len(ATOMS), types]
    for terms in (bonds, angles, dihedrals):
        counts += [len(terms.hydrogen), len(terms.heavy)]
    counts += [0, 0, len(listed), len(residues)] + [len(t.heavy) for t in (bonds, angles, dihedrals)]
    counts += [len(t.table.rows) for t in (bonds, angles, dihedrals)] + [types, 0] + [0] * 8 + [longest, 0, 0]
    out = ["%VERSION  VERSION_STAMP = V0001.000  DATE = 01/01/00  00:00:00", "%FLAG TITLE", "%FORMAT(20a4)"]
    out += [title]
    section(out, "POINTERS", "10I8", counts)
    section(out, "ATOM_NAME", "20a4", [atom[1] for atom in ATOMS])
    section(out, "CHARGE", "5E16.8", [atom[3] * CHARGE_UNIT for atom in ATOMS])
    section(out, "MASS", "5E16.8", [TYPES[atom[2]][0] for atom in ATOMS])
    section(out, "ATOM_TYPE_INDEX", "10I8", [names.index(atom[2]) + 1 for atom in ATOMS])
    section(out, "NUMBER_EXCLUDED_ATOMS", "10I8", [max(len(near), 1) for near in exclusions])
    section(out, "NONBONDED_PARM_INDEX", "10I8", [p for row in pairs for p in row])
    section(out, "RESIDUE_LABEL", "20a4", [ATOMS[k][0] for k in residues])
    section(out, "RESIDUE_POINTER", "10I8", [k + 1 for k in residues])
    for name, terms, columns in (
        ("BOND", bonds, ("FORCE_CONSTANT", "EQUIL_VALUE")),
        ("ANGLE", angles, ("FORCE_CONSTANT", "EQUIL_VALUE")),
        ("DIHEDRAL", dihedrals, ("FORCE_CONSTANT", "PERIODICITY", "PHASE")),
    ):
        for k, column in enumerate(columns):
            section(out, f"{name}_{column}", "5E16.8", [float(v) for v in terms.table.column(k)])
    section(out, "SOLTY", "5E16.8", [0.0] * types)
    section(out, "LENNARD_JONES_ACOEF", "5E16.8", a)
    section(out, "LENNARD_JONES_BCOEF", "5E16.8", b)
    for name, terms in (("BONDS", bonds), ("ANGLES", angles), ("DIHEDRALS", dihedrals)):
        section(out, f"{name}_INC_HYDROGEN", "10I8", [v for term in terms.hydrogen for v in term])
        section(out, f"{name}_WITHOUT_HYDROGEN", "10I8", [v for term in terms.heavy for v in term])
    section(out, "EXCLUDED_ATOMS_LIST", "10I8", listed)
    for name in ("HBOND_ACOEF", "HBOND_BCOEF", "HBCUT"):
        section(out, name, "5E16.8", [])
    section(out, "AMBER_ATOM_TYPE", "20a4", [atom[2] for atom in ATOMS])
    section(out, "TREE_CHAIN_CLASSIFICATION", "20a4", ["BLA"] * len(ATOMS))  # unknown; other programs want the section
    for name in ("JOIN_ARRAY", "IROTAT"):
        section(out, name, "10I8", [0] * len(ATOMS))
    out += ["%FLAG RADIUS_SET", "%FORMAT(1a80)", "H(N)-modified Bondi radii (mbondi2)"]
    section(out, "RADII", "5E16.8", [radius(i)[0] for i in range(len(ATOMS))])
    section(out, "SCREEN", "5E16.8", [radius(i)[1] for i in range(len(ATOMS))])
    return "\n".join(out) + "\n"


def coordinates(title):
    flat = [v for atom in place() for v in atom]
    lines = ["".join(f"{v:12.7f}" for v in flat[k : k + 6]) for k in range(0, len(flat), 6)]
    return "\n".join([title, f"{len(ATOMS):6d}"] + lines) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    global ATOMS, RESIDUE
    for name, title, residues, phi, psi in (
        ("alanine", "alanine dipeptide", 1, PHI, PSI),
        ("helix", "ACE-(ALA)10-NME", 10, *EXTENDED),
    ):
        ATOMS, RESIDUE = peptide(residues, phi, psi)
        for kind_of_file, text in (("prmtop", topology(title)), ("inpcrd", coordinates(title))):
            with open(f"{sys.argv[1]}/{name}.{kind_of_file}", "w", encoding="ascii") as file:
                file.write(text)


if __name__ == "__main__":
    main()
