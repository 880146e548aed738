/* cutoff_tree.h - pairs within a cutoff radius, for any kernel that has one (kernel.h: reach), users' own among them.
 *
 * Targets are taken in groups that lie together; a group's list is the leaves of an octree that come within the radius
 * of it, evaluated as tiles. What lies beyond is dropped by the kernel's own comparison, as in a direct sum: with fixed
 * sums the results have the same bits. Space is open; Lennard-Jones particles in a box, which is where lists must last
 * and be proven, have neighbour.h. */
#ifndef MYR_METHOD_CUTOFF_TREE_H
#define MYR_METHOD_CUTOFF_TREE_H

#include "method/direct.h"

/* Evaluates on the processor; the same bits on any number of threads. *pairs (where not null): those looked at. */
myr_status myr_near_run(const myr_direct *problem, double radius, myr_direct_result *result, int64_t *pairs);

#endif
