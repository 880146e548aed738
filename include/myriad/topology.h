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
