/* topology.h - fields of struct myr_topology: bonded terms, each with its own parameters.
 *
 *   bond       U = k (r - length)^2
 *   angle      U = k (theta - theta0)^2
 *   dihedral   U = k (1 + cos(n phi - phase))
 *   pair14     Lennard-Jones and Coulomb energies of the pair, times lj and coulomb */
#ifndef MYR_PARTICLES_TOPOLOGY_H
#define MYR_PARTICLES_TOPOLOGY_H

#include <stddef.h>

#include <myriad/topology.h>

enum { MYR_TOPOLOGY_NAME = 8, MYR_TOPOLOGY_TITLE = 81 };

typedef struct {
    int32_t atom[2];
    int hydrogen; /* 1 if one of the two atoms is a hydrogen */
    double k, length;
} myr_bond;

typedef struct {
    int32_t atom[3]; /* the second atom is the vertex of the angle */
    double k, theta;
} myr_angle;

typedef struct {
    int32_t atom[4];
    int n;
    int improper;
    double k, phase;
} myr_dihedral;

typedef struct {
    int32_t atom[2];
    double lj, coulomb;
} myr_pair14;

struct myr_topology {
    myr_context *context;
    char title[MYR_TOPOLOGY_TITLE];
    int64_t atoms, residues;
    double *mass, *charge;
    int32_t *type;
    int32_t *residue; /* [atoms], residue index of each atom, from 0 */
    char (*name)[MYR_TOPOLOGY_NAME], (*residue_name)[MYR_TOPOLOGY_NAME];
    int types;
    double *epsilon, *sigma;   /* [types][types], Lennard-Jones parameters of each pair of types */
    int64_t *offset, *partner; /* excluded partners of atom i: partner[offset[i]] to partner[offset[i + 1] - 1], sorted;
                                  each pair is listed for both atoms */
    int64_t bonds, angles, dihedrals, pairs14;
    myr_bond *bond;
    myr_angle *angle;
    myr_dihedral *dihedral;
    myr_pair14 *pair14;
    int periodic; /* 1 if the topology was made for a periodic box */
    /* For generalised Born: radii in Angstrom and screening factors; both null if the topology has none. */
    double *radius, *screen;             /* [atoms] */
    char radius_set[MYR_TOPOLOGY_TITLE]; /* name of the set of radii; may be empty */
};

/* Radii for generalised Born: every radius is reduced by this offset, in Angstrom; upper bounds of what makes sense. */
#define MYR_TOPOLOGY_BORN_OFFSET 0.09
#define MYR_TOPOLOGY_RADIUS_MOST 100.0
#define MYR_TOPOLOGY_SCREEN_MOST 4.0
int myr_topology_radius_valid(double radius, double screen);

/* Counts residues that are water, by their names, and residues of one atom: ions. */
void myr_topology_count_solvent(const myr_topology *t, int64_t *waters, int64_t *ions);

/* Empty topology with all arrays allocated except those of the bonded terms; null if memory is short. */
myr_topology *myr_topology_make(myr_context *context, int64_t atoms, int64_t residues, int types);

/* Sets the exclusion lists from pairs of atoms [n][2]; order and duplicates do not matter. */
myr_status myr_topology_exclude(myr_topology *topology, int64_t n, int32_t (*pair)[2]);

/* Serialises the topology into one block of bytes for a checkpoint (the caller frees *bytes), and reads such a block
 * with every index checked. */
myr_status myr_topology_pack(const myr_topology *topology, void **bytes, size_t *size);
myr_status myr_topology_unpack(myr_context *context, const void *bytes, size_t size, myr_topology **topology);

#endif
