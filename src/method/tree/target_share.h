/* target_share.h - share of one rank in the targets of a method with a tree. Every rank has all particles and builds
 * the same tree; a rank evaluates the targets of a range of the tree order that consists of whole leaves, so that each
 * of its results has the bits that it has on one rank. */
#ifndef MYR_METHOD_TREE_TARGET_SHARE_H
#define MYR_METHOD_TREE_TARGET_SHARE_H

#include "backend/job.h"
#include "method/tree/octree.h"

/* Cuts the targets, at boundaries of leaves, into ranges of about equal work, and writes order and ranges of the share.
 * The work of a leaf is that of its near pairs, and as much as the mean leaf has for the far field. Returns 0 if memory
 * is short. share = null: nothing to cut. */
int myr_target_share_cut(const myr_direct_share *share, const myr_octree *tree, const myr_octree_near *near);

/* Completes the share of a method that has told the `own` targets of this rank only, order[0] .. order[own - 1];
 * collective. */
myr_status myr_target_share_own(myr_context *context, const myr_direct_share *share, int64_t own);

/* Returns 1 if this rank evaluates one of the targets of a cell. */
static inline int myr_target_share_has(const myr_direct_share *share, const myr_octree *tree, const myr_cell *cell)
{
    if (tree->mine)
        return tree->mine[cell - tree->cell];
    return cell->targets > 0 && (!share || (cell->target < share->first[share->rank + 1] &&
                                            cell->target + cell->targets > share->first[share->rank]));
}

#endif
