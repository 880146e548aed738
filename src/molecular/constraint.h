/* constraint.h - bonds of fixed length: SHAKE for positions (Ryckaert, Ciccotti and Berendsen 1977), RATTLE for
 * velocities (Andersen 1983).
 *
 * Bonds that share no atom know nothing of each other: they fall into clusters (a heavy atom with its hydrogens), each
 * solved by itself, bond after bond. So the result does not depend on threads. */
#ifndef MYR_MOLECULAR_CONSTRAINT_H
#define MYR_MOLECULAR_CONSTRAINT_H

#include "particles/topology.h"

typedef struct myr_constraints myr_constraints;

/* The bonds to hydrogen of a topology. */
myr_status myr_constraints_create(const myr_topology *topology, myr_constraints **constraints);
void myr_constraints_destroy(myr_constraints **constraints);

/* How many there are, and how many clusters. */
int64_t myr_constraints_count(const myr_constraints *constraints);
int64_t myr_constraints_clusters(const myr_constraints *constraints);

/* Moves atoms from x (all arrays [3][atoms], in the order of the topology) so that all lengths hold, along the bonds as
 * they are in `before`, where they held. inverse: 1/mass. */
myr_status myr_constraints_positions(const myr_constraints *constraints, const double *inverse,
                                     const double *const before[3], double *const x[3]);

/* Takes off what the velocities have along the bonds. */
myr_status myr_constraints_velocities(const myr_constraints *constraints, const double *inverse,
                                      const double *const x[3], double *const v[3]);

#endif
