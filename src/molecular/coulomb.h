/* coulomb.h - Ewald sums of the charges of particles in a box: state shared by coulomb.c, which chooses and sums waves
 * on a mesh, and coulomb_pairs.c, which sums pairs through the list. Sums over pairs are in integers, and waves are
 * spread in integers, so that results do not depend on threads, the order of particles or the list. */
#ifndef MYR_MOLECULAR_COULOMB_H
#define MYR_MOLECULAR_COULOMB_H

#include "method/mesh/mesh_charge.h"
#include "method/mesh/mesh_screen.h"
#include "molecular/molecular.h"

enum { MYR_COULOMB_SUMS = 7 }; /* energy, then the virial: xx, yy, zz, yz, xz, xy */

struct myr_molecular_coulomb {
    double constant, tolerance;
    double largest;     /* charge, in size */
    double net, square; /* sums of the charges and of their squares */
    int64_t charges;    /* number of particles with a charge */
    myr_mesh_screen screen;
    double unit; /* of the integers of forces; energies: unit times reach */
    /* sums over pairs: [shares][3][n] in units, and [3][n] in 2^COULOMB_HIGH_BITS units for very strong pairs */
    int64_t *low, *high;
    int shares;
    int has_high;
    myr_mesh_charge_question question; /* of the mesh */
    myr_mesh *mesh;
    /* of the charged particles, in the order of the list */
    int64_t *at;
    double *x[3], *charge, *none;
    double energy; /* of the last evaluation with energies */
    double pair_seconds, mesh_seconds;
};

/* Adds the forces of all pairs within the cutoff and, unless sum is null, their energy and virial. */
myr_status myr_molecular_coulomb_pairs(myr_molecular *m, double *const force[3], double sum[MYR_COULOMB_SUMS]);

#endif
