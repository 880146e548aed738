/* target_share.c - share of one rank in the targets; see target_share.h. */
#include "method/tree/target_share.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "domain/ranks.h"

/* Number of near pairs of a leaf: its targets times the sources of near cells of its level, and of coarser leaves. */
static double leaf_pairs(const myr_octree *tree, const myr_octree_near *near, int32_t number)
{
    double sources = 0;
    for (int k = 0; k < near->count; k++) {
        const int32_t c = near->colleague[(int64_t)number * near->count + k];
        sources += c >= 0 ? (double)tree->cell[c].sources : 0;
    }
    for (int64_t k = near->coarse[number]; k < near->coarse[number + 1]; k++)
        sources += (double)myr_octree_group(&tree->cell[near->leaf[k]]);
    return sources * (double)tree->cell[number].targets;
}

int myr_target_share_cut(const myr_direct_share *share, const myr_octree *tree, const myr_octree_near *near)
{
    if (!share)
        return 1;
    double *work = myr_memory_zeros(tree->targets + 1, sizeof *work); /* of the leaf that begins at a target */
    double all = 0, done = 0, leaves = 0;
    if (!work)
        return 0;
    for (int32_t c = 0; c < tree->cells; c++)
        if (!tree->cell[c].mask && tree->cell[c].targets) {
            work[tree->cell[c].target] = 1 + leaf_pairs(tree, near, c);
            all += work[tree->cell[c].target];
            leaves++;
        }
    const double mean = leaves > 0 ? all / leaves : 0;
    int rank = 0;
    share->first[0] = 0;
    for (int64_t i = 0; i < tree->targets; i++) {
        while (work[i] > 0 && rank + 1 < share->ranks && done >= 2 * all * (rank + 1) / share->ranks)
            share->first[++rank] = i;
        done += work[i] > 0 ? work[i] + mean : 0;
    }
    while (rank < share->ranks)
        share->first[++rank] = tree->targets;
    memcpy(share->order, tree->target, (size_t)tree->targets * sizeof *share->order);
    free(work);
    return 1;
}

myr_status myr_target_share_own(myr_context *context, const myr_direct_share *share, int64_t own)
{
    const myr_status status = myr_ranks_all(context, own, share->first + 1);
    share->first[0] = 0;
    for (int k = 0; !status && k < share->ranks; k++)
        share->first[k + 1] += share->first[k];
    if (!status && own)
        memmove(share->order + share->first[share->rank], share->order, (size_t)own * sizeof *share->order);
    *share->is_divided = 1;
    return status;
}
