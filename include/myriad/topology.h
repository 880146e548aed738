/* topology.h - which atoms of a molecule are bonded and how: what a force field's file says besides positions.
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

/* Coulomb's constant of AMBER in kcal Angstrom / (mol e^2): its charges are stored as 18.2223 e. */
#define MYR_TOPOLOGY_COULOMB (18.2223 * 18.2223)

typedef struct myr_topology myr_topology;

/* Reads an AMBER topology (prmtop). What the library cannot compute (CMAP, polarisable atoms, Lennard-Jones 12-6-4,
 * charges in a periodic box, ...) is refused by name. */
MYR_API myr_status myr_topology_read(myr_context *context, const char *path, myr_topology **topology);

/* One to be filled with the functions below, then finished: all atoms of type 0 and without mass, no terms, types that
 * do not act on each other. */
MYR_API myr_status myr_topology_create(myr_context *context, int64_t atoms, int types, myr_topology **topology);

/* What an atom is. */
typedef struct {
    const char *name, *residue;
    int64_t residue_number; /* from 1, to the number of atoms at most */
    int type;
    double mass, charge; /* in g/mol and e */
} myr_topology_atom_info;

/* Sets an atom. */
MYR_API myr_status myr_topology_set_atom(myr_topology *topology, int64_t atom, const myr_topology_atom_info *info);

/* Sets the Lennard-Jones parameters of two types. */
MYR_API myr_status myr_topology_set_pair(myr_topology *topology, int type, int other, double epsilon, double sigma);

/* Adds a term: a bond k (r - length)^2, which may be one to a hydrogen; an angle k (theta - theta0)^2 with its corner
 * at atom[1]; a dihedral k (1 + cos(n phi - phase)). */
MYR_API myr_status myr_topology_add_bond(myr_topology *topology, const int64_t atom[2], int hydrogen, double k,
                                         double length);
MYR_API myr_status myr_topology_add_angle(myr_topology *topology, const int64_t atom[3], double k, double theta0);
MYR_API myr_status myr_topology_add_dihedral(myr_topology *topology, const int64_t atom[4], double k, int n,
                                             double phase);

/* Finds the pairs that bonds connect: those one to three bonds apart are excluded, and those three bonds apart become
 * 1-4 pairs, whose energies are divided by scnb (Lennard-Jones) and scee (Coulomb). */
MYR_API myr_status myr_topology_finish(myr_topology *topology, double scnb, double scee);

/* Frees it and clears the pointer. Null is allowed. */
MYR_API void myr_topology_destroy(myr_topology **topology);

/* What it holds. */
typedef struct {
    const char *title;
    int64_t atoms, residues;
    int64_t bonds, hydrogen_bonds; /* hydrogen_bonds: how many of the bonds end in a hydrogen */
    int64_t angles, dihedrals;
    int64_t pairs14;        /* pairs three bonds apart, whose interaction is scaled */
    int64_t excluded_pairs; /* pairs that do not interact, those included */
    int types;
    double mass, charge; /* of all atoms, in g/mol and e */
} myr_topology_info;

/* Describes it. */
MYR_API myr_status myr_topology_describe(const myr_topology *topology, myr_topology_info *info);

/* The name of an atom, and the name and number (from 1) of its residue; null and 0 where there is no such atom. */
MYR_API const char *myr_topology_atom(const myr_topology *topology, int64_t atom);
MYR_API const char *myr_topology_residue(const myr_topology *topology, int64_t atom, int64_t *number);

/* Gives the atoms of a set their mass, charge and type. */
MYR_API myr_status myr_topology_apply(const myr_topology *topology, myr_particles *particles);

MYR_END_DECLS

#endif
