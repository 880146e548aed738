/* topology.h - topology of a molecule: atoms, bonds and force field parameters, without positions.
 *
 *   myr_topology *protein;
 *   myr_topology_read(context, "protein.prmtop", &protein);
 *   myr_topology_apply(protein, atoms);         masses, charges and types of the atoms
 *
 * Units are those of AMBER: Angstrom, g/mol, kcal/mol, elementary charges, radians. */
#ifndef MYRIAD_TOPOLOGY_H
#define MYRIAD_TOPOLOGY_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Coulomb's constant of AMBER in kcal Angstrom / (mol e^2), since AMBER stores charges as 18.2223 e. */
#define MYR_TOPOLOGY_COULOMB (18.2223 * 18.2223)

typedef struct myr_topology myr_topology;

/* Reads an AMBER topology (prmtop). Force field terms that the library cannot compute (CMAP, polarisable atoms,
 * Lennard-Jones 12-6-4, charges in a periodic box, ...) are an error that names them. */
MYR_API myr_status myr_topology_read(myr_context *context, const char *path, myr_topology **topology);

/* Creates a topology to be filled with the functions below and then finished: all atoms have type 0 and no mass, there
 * are no bonded terms, and types do not interact. */
MYR_API myr_status myr_topology_create(myr_context *context, int64_t atoms, int types, myr_topology **topology);

/* Description of an atom. */
typedef struct {
    const char *name, *residue;
    int64_t residue_number; /* from 1, at most the number of atoms */
    int type;
    double mass, charge; /* in g/mol and e */
} myr_topology_atom_info;

/* Sets the properties of an atom. */
MYR_API myr_status myr_topology_set_atom(myr_topology *topology, int64_t atom, const myr_topology_atom_info *info);

/* Sets the radius of an atom, in Angstrom and above 0.09, and its screening factor, from 0 to 4, for generalised Born
 * (myr_solvent in molecule.h): all atoms need one, or none. */
MYR_API myr_status myr_topology_set_radius(myr_topology *topology, int64_t atom, double radius, double screen);

/* Sets the Lennard-Jones parameters of a pair of types, in kcal/mol and Angstrom. */
MYR_API myr_status myr_topology_set_pair(myr_topology *topology, int type, int other, double epsilon, double sigma);

/* Adds a bonded term: a bond k (r - length)^2, with hydrogen = 1 if one of its atoms is a hydrogen; an angle k (theta -
 * theta0)^2 with vertex atom[1]; a dihedral k (1 + cos(n phi - phase)). */
MYR_API myr_status myr_topology_add_bond(myr_topology *topology, const int64_t atom[2], int hydrogen, double k,
                                         double length);
MYR_API myr_status myr_topology_add_angle(myr_topology *topology, const int64_t atom[3], double k, double theta0);
MYR_API myr_status myr_topology_add_dihedral(myr_topology *topology, const int64_t atom[4], double k, int n,
                                             double phase);

/* Finds the pairs connected by bonds: pairs one to three bonds apart are excluded, and pairs three bonds apart become
 * 1-4 pairs, whose energies are divided by scnb (Lennard-Jones) and scee (Coulomb). */
MYR_API myr_status myr_topology_finish(myr_topology *topology, double scnb, double scee);

/* Frees the topology and sets *topology to null. A null topology is allowed. */
MYR_API void myr_topology_destroy(myr_topology **topology);

/* Summary of a topology. */
typedef struct {
    const char *title;
    int64_t atoms, residues;
    int64_t waters, ions;          /* residues that are water, by their names; residues of one atom */
    int64_t bonds, hydrogen_bonds; /* hydrogen_bonds: number of bonds with a hydrogen atom */
    int64_t angles, dihedrals;
    int64_t pairs14;        /* pairs three bonds apart, whose interaction is scaled */
    int64_t excluded_pairs; /* pairs that do not interact, 1-4 pairs included */
    int types;
    double mass, charge; /* totals over all atoms, in g/mol and e */
    /* name of the set of radii for generalised Born, may be empty; null = the topology has no radii */
    const char *radius_set;
} myr_topology_info;

/* Describes a topology. */
MYR_API myr_status myr_topology_describe(const myr_topology *topology, myr_topology_info *info);

/* Name of an atom, and name and number (from 1) of its residue; null and 0 if there is no such atom. */
MYR_API const char *myr_topology_atom(const myr_topology *topology, int64_t atom);
MYR_API const char *myr_topology_residue(const myr_topology *topology, int64_t atom, int64_t *number);

/* Radius of an atom for generalised Born in Angstrom, 0 if the topology has none; screen, unless null, receives its
 * screening factor. */
MYR_API double myr_topology_radius(const myr_topology *topology, int64_t atom, double *screen);

/* Sets mass, charge and type of the atoms of a particle set. */
MYR_API myr_status myr_topology_apply(const myr_topology *topology, myr_particles *particles);

/* Shape of a molecule. A residue with atoms N, CA, C and O belongs to the backbone. */
typedef struct {
    double gyration;       /* radius of gyration, by mass, in Angstrom */
    double hydrogen_bonds; /* hydrogen bonds between NH and CO of the backbone, by the energy of DSSP */
    double helix; /* part of the residues of the backbone that are in alpha helices, by DSSP; NaN without any */
    double rmsd;  /* of N, CA and C from the reference after the best fit, in Angstrom; NaN without one */
    double native_contacts; /* part of the pairs of CA atoms, four residues apart or more and within 8 Angstrom in the
                               reference, that are so now; NaN without any */
} myr_structure;

/* Measures the shape at the positions of the particles; reference null = none. */
MYR_API myr_status myr_topology_measure(const myr_topology *topology, const myr_particles *particles,
                                        const myr_particles *reference, myr_structure *structure);

MYR_END_DECLS

#endif
