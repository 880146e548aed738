/* constraint.h - bonds of fixed length: SHAKE for positions (Ryckaert, Ciccotti and Berendsen 1977), RATTLE for
 * velocities (Andersen 1983).
 *
 * Bonds are grouped into clusters that share no atom (a heavy atom with its hydrogens). Each cluster is solved by
 * itself, bond after bond, so that the result is independent of the number of threads. */
#ifndef MYR_MOLECULAR_CONSTRAINT_H
#define MYR_MOLECULAR_CONSTRAINT_H

#include "backend/rigid_bonds.h"
#include "particles/topology.h"

typedef struct myr_constraints myr_constraints;

/* Constrains all bonds to hydrogen of a topology. */
myr_status myr_constraints_create(const myr_topology *topology, myr_constraints **constraints);
void myr_constraints_destroy(myr_constraints **constraints);

/* Number of constrained bonds. */
int64_t myr_constraints_count(const myr_constraints *constraints);

/* Corrects positions x so that all constrained bonds have their lengths, by displacements along the bonds at positions
 * `before`, where the lengths held. All arrays are [3][atoms] in the order of the topology; inverse[atoms] = 1/mass. */
myr_status myr_constraints_positions(const myr_constraints *constraints, const double *inverse,
                                     const double *const before[3], double *const x[3]);

/* Removes the components of the velocities v along the constrained bonds at positions x. */
myr_status myr_constraints_velocities(const myr_constraints *constraints, const double *inverse,
                                      const double *const x[3], double *const v[3]);

/* Number of clusters; bonds sorted by cluster, and the index of the first bond of each cluster and one past the last.
 */
int64_t myr_constraints_clusters(const myr_constraints *constraints, const rigid_bond **bond, const int64_t **first);

#endif
