/* curve_cut.h - cuts of the Morton curve that divide an octree among ranks: each rank has whole leaves, of about the
 * same cost. */
#ifndef MYR_METHOD_TREE_CURVE_CUT_H
#define MYR_METHOD_TREE_CURVE_CUT_H

#include "method/tree/morton.h"
#include "method/tree/octree.h"

#define MYR_CURVE_END ((uint64_t)1 << MYR_MORTON_BITS) /* key behind the last one */

/* Cost along the curve: cost[k] is that of the keys key[k - 1] .. key[k] - 1 (from 0 on for k = 0). The same on all
 * ranks. */
typedef struct {
    int64_t n, room;
    uint64_t *key;
    double *cost;
    double side; /* side of the root that the keys belong to */
} myr_curve_profile;

enum { MYR_CURVE_BINS = 256 }; /* most entries of one rank in a profile */

/* Profile of the numbers of particles, from this rank's sorted keys; collective. */
myr_status myr_curve_profile_count(myr_context *context, const myr_morton_entry *sorted, int64_t n,
                                   myr_curve_profile *profile);

/* Profile from n entries of this rank, which is the owner of these keys; collective. */
myr_status myr_curve_profile_collect(myr_context *context, int64_t n, const uint64_t *key, const double *cost,
                                     myr_curve_profile *profile);
void myr_curve_profile_free(myr_curve_profile *profile);

/* Cuts the curve: rank k has the keys cut[k] .. cut[k + 1] - 1, cut: [ranks + 1]. Costs are about equal, and no leaf of
 * the octree of all particles is divided, nor a cell at the last level of keys. sorted: n keys of any of the particles;
 * every particle is on one rank. Collective, with the same cuts on all ranks. */
myr_status myr_curve_cut(myr_context *context, const myr_curve_profile *profile, const myr_morton_entry *sorted,
                         int64_t n, const myr_octree_options *options, double side, uint64_t *cut);

/* Rank that has a key. */
int myr_curve_owner(const uint64_t *cut, int ranks, uint64_t key);

#endif
