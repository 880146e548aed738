/* cutoff_tree.h - pairs within a cutoff, for any kernel in three dimensions that has one, users' own among them. The
 * cutoff is a radius for all pairs, or follows from a field of the particles (kernel.h: reach_field).
 *
 * Targets are taken in groups that lie together; a group's list is the leaves of an octree that come within the cutoff
 * of the group, evaluated as tiles. Pairs beyond the cutoff contribute exactly 0 by the kernel's own formula, as in a
 * direct sum: with fixed sums the results have the same bits. Space is open; Lennard-Jones particles in a box, which is
 * where lists must last and be proven, have neighbour.h. */
#ifndef MYR_METHOD_CUTOFF_TREE_H
#define MYR_METHOD_CUTOFF_TREE_H

#include "method/direct.h"

/* What an evaluation did. */
typedef struct {
    int64_t pairs; /* targets times sources of all lists: the pairs that were looked at, those with oneself included */
    int64_t cells, leaves, levels; /* of the octree */
    int64_t leaf;                  /* sources of a leaf at most, unless they are at one place */
    int64_t largest;               /* most sources in a leaf */
    int64_t bytes;                 /* of the particles in tree order */
    double build_seconds, tile_seconds;
} myr_cutoff_report;

/* Whether every particle has a cutoff: a value of the kernel's field that is not above 0 is an error, with a message.
 */
myr_status myr_cutoff_tree_check(const myr_direct *problem);

/* Evaluates on the processor; the same bits on any number of threads. radius: what the cutoff has beside the field of
 * the kernel, if any. Checks the particles first. */
myr_status myr_cutoff_tree_run(const myr_direct *problem, double radius, myr_direct_result *result,
                               myr_cutoff_report *report);

/* Counts the pairs that are nearer than their cutoff, those with oneself included, by distances in double. */
myr_status myr_cutoff_tree_count(const myr_direct *problem, double radius, int64_t *within);

#endif
