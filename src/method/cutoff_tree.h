/* cutoff_tree.h - pairs within a cutoff, for any kernel in three dimensions that has one, including users' kernels. The
 * cutoff is one radius for all pairs, or follows from a field of the particles (kernel.h: reach_field).
 *
 * Targets are divided into compact groups. The list of a group holds the octree leaves within the cutoff of the group
 * and is evaluated as tiles. Pairs beyond the cutoff contribute exactly 0 by the kernel's own formula, as in a direct
 * sum: with fixed sums the results have the same bits. Space is not periodic; Lennard-Jones particles in a periodic
 * box, whose lists are reused and proven, use neighbour.h. */
#ifndef MYR_METHOD_CUTOFF_TREE_H
#define MYR_METHOD_CUTOFF_TREE_H

#include "method/direct.h"

/* Statistics of an evaluation. */
typedef struct {
    int64_t pairs;                 /* number of target-source pairs in all lists, self pairs included */
    int64_t cells, leaves, levels; /* numbers of cells, leaves and levels of the octree */
    int64_t leaf;                  /* largest number of sources per leaf, unless particles are at one position */
    int64_t largest;               /* largest number of sources found in a leaf */
    int64_t bytes;                 /* memory of the particles in tree order */
    double build_seconds, tile_seconds;
} myr_cutoff_report;

/* Checks that every particle has a cutoff: a value of the kernel's field that is not above 0 is an error, with a
 * message. */
myr_status myr_cutoff_tree_check(const myr_direct *problem);

/* Evaluates on the processor, with the same bits on any number of threads. radius: part of the cutoff that does not
 * depend on the kernel's field. Includes myr_cutoff_tree_check. */
myr_status myr_cutoff_tree_run(const myr_direct *problem, double radius, myr_direct_result *result,
                               myr_cutoff_report *report);

/* Counts the pairs within their cutoff, self pairs included, by distances in double. */
myr_status myr_cutoff_tree_count(const myr_direct *problem, double radius, int64_t *within);

#endif
