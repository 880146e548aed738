/* topology.h - the inside of a topology: terms with their parameters, each complete in itself.
 *
 *   bond       U = k (r - length)^2
 *   angle      U = k (theta - theta0)^2
 *   dihedral   U = k (1 + cos(n phi - phase))
 *   pair14     the pair's Lennard-Jones and Coulomb energies times lj and coulomb */
#ifndef MYR_PARTICLES_TOPOLOGY_H
#define MYR_PARTICLES_TOPOLOGY_H

#include <stddef.h>

#include <myriad/topology.h>

enum { MYR_TOPOLOGY_NAME = 8, MYR_TOPOLOGY_TITLE = 81 };

typedef struct {
    int32_t atom[2];
    int hydrogen; /* one of the two is one */
    double k, length;
} myr_bond;

typedef struct {
    int32_t atom[3]; /* the corner is the second */
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
    int32_t *residue; /* of each atom, from 0 */
    char (*name)[MYR_TOPOLOGY_NAME], (*residue_name)[MYR_TOPOLOGY_NAME];
    int types;
    double *epsilon, *sigma;   /* [types][types] */
    int64_t *offset, *partner; /* exclusions, each pair from both sides, sorted: as the interaction wants them */
    int64_t bonds, angles, dihedrals, pairs14;
    myr_bond *bond;
    myr_angle *angle;
    myr_dihedral *dihedral;
    myr_pair14 *pair14;
    int periodic; /* it was made for a periodic box */
};

/* An empty topology of so many atoms, residues and types, all arrays but those of the terms; null = no memory. */
myr_topology *myr_topology_make(myr_context *context, int64_t atoms, int64_t residues, int types);

/* Sets the exclusions from pairs of atoms [n][2], each given once or more often, in any order. */
myr_status myr_topology_exclude(myr_topology *topology, int64_t n, int32_t (*pair)[2]);

/* All of it as bytes (free them), for a checkpoint; and back, with every index checked. */
myr_status myr_topology_pack(const myr_topology *topology, void **bytes, size_t *size);
myr_status myr_topology_unpack(myr_context *context, const void *bytes, size_t size, myr_topology **topology);

#endif
