/* curve_cut.c - cuts of the Morton curve that divide an octree among ranks; see curve_cut.h.
 *
 * A cut is wanted at a key where the cost up to there is a rank's share. It is moved to the beginning of the leaf that
 * has this key. Which cells are leaves follows from the numbers of particles, of all ranks together, in the cells of
 * all levels that have the key: one sum over the ranks for all cuts. */
#include "method/tree/curve_cut.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "domain/ranks.h"

enum { LEVELS = MYR_OCTREE_KEY_LEVELS + 1 };

static myr_status cut_no_memory(myr_context *context)
{
    return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to divide a tree among %d ranks",
                            myr_ranks_count(context));
}

/* --- profiles ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t key, cost; /* cost: bits of a double */
} profile_entry;

static int by_key(const void *a, const void *b)
{
    const profile_entry *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

void myr_curve_profile_free(myr_curve_profile *profile)
{
    free(profile->key);
    free(profile->cost);
    *profile = (myr_curve_profile){0};
}

static int profile_room(myr_curve_profile *p, int64_t n)
{
    if (n <= p->room)
        return 1;
    myr_curve_profile_free(p);
    p->key = malloc((size_t)n * sizeof *p->key);
    p->cost = malloc((size_t)n * sizeof *p->cost);
    p->room = p->key && p->cost ? n : 0;
    return p->room > 0;
}

myr_status myr_curve_profile_collect(myr_context *context, int64_t n, const uint64_t *key, const double *cost,
                                     myr_curve_profile *profile)
{
    const int ranks = myr_ranks_count(context), me = myr_ranks_me(context);
    int64_t *at = calloc((size_t)ranks + 1, sizeof *at);
    profile_entry *all = NULL;
    myr_status status = myr_ranks_agree(context, at ? MYR_OK : cut_no_memory(context));
    if (!status)
        status = myr_ranks_all(context, 2 * n, at + 1);
    for (int k = 0; !status && k < ranks; k++)
        at[k + 1] += at[k];
    if (!status) {
        all = malloc(((size_t)at[ranks] / 2 + 1) * sizeof *all);
        if (!all || !profile_room(profile, at[ranks] / 2 + 1))
            status = cut_no_memory(context);
    }
    status = myr_ranks_agree(context, status);
    for (int64_t i = 0; !status && i < n; i++) {
        profile_entry *e = all + at[me] / 2 + i;
        e->key = key[i];
        memcpy(&e->cost, &cost[i], sizeof e->cost);
    }
    if (!status)
        status = myr_ranks_collect(context, at, (uint64_t *)all);
    if (!status) {
        profile->n = at[ranks] / 2;
        qsort(all, (size_t)profile->n, sizeof *all, by_key);
    }
    for (int64_t i = 0; !status && i < profile->n; i++) {
        profile->key[i] = all[i].key;
        memcpy(&profile->cost[i], &all[i].cost, sizeof profile->cost[i]);
    }
    free(all);
    free(at);
    return status;
}

myr_status myr_curve_profile_count(myr_context *context, const myr_morton_entry *sorted, int64_t n,
                                   myr_curve_profile *profile)
{
    uint64_t key[MYR_CURVE_BINS];
    double cost[MYR_CURVE_BINS];
    int64_t bins = 0, done = 0;
    for (int64_t k = 1; k <= MYR_CURVE_BINS; k++) {
        const int64_t end = n * k / MYR_CURVE_BINS;
        if (end == done)
            continue;
        key[bins] = sorted[end - 1].key + 1;
        cost[bins++] = (double)(end - done);
        done = end;
    }
    return myr_curve_profile_collect(context, bins, key, cost, profile);
}

/* --- cuts --------------------------------------------------------------------------------------------------------- */

/* Keys at which the cost reaches the shares of the ranks. */
static void cut_wanted(const myr_curve_profile *p, int ranks, uint64_t *cut)
{
    double all = 0, done = 0;
    int rank = 1;
    for (int64_t i = 0; i < p->n; i++)
        all += p->cost[i];
    for (int64_t i = 0; i < p->n; i++) {
        const uint64_t begin = i ? p->key[i - 1] : 0, width = p->key[i] - begin;
        for (; rank < ranks && done + p->cost[i] >= all * rank / ranks && p->cost[i] > 0; rank++) {
            const double part = (all * rank / ranks - done) / p->cost[i];
            const uint64_t in = (uint64_t)((part > 0 ? part : 0) * (double)width);
            cut[rank] = begin + (in < width ? in : width);
        }
        done += p->cost[i];
    }
    for (; rank < ranks; rank++)
        cut[rank] = MYR_CURVE_END - 1;
}

/* Number of the first sorted key that is not below `key`. */
static int64_t keys_below(const myr_morton_entry *sorted, int64_t n, uint64_t key)
{
    int64_t low = 0;
    while (low < n) {
        const int64_t middle = low + (n - low) / 2;
        if (sorted[middle].key < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* First key of the cell of a level that has a key. */
static uint64_t cell_begin(uint64_t key, int level)
{
    const int shift = MYR_MORTON_BITS - 3 * level;
    return level ? key >> shift << shift : 0;
}

static uint64_t cell_keys(int level)
{
    return (uint64_t)1 << (MYR_MORTON_BITS - 3 * level);
}

/* Begin of the leaf that has a key, from the numbers of particles in the cells around it, count[LEVELS]. Particles at
 * one place share a leaf, which the numbers do not tell; but a cell with fewer particles than its parent has neighbours
 * in another octant, so that the parent is split. */
static uint64_t cut_leaf(const myr_octree_options *options, double side, uint64_t key, const int64_t *count)
{
    int level = 0;
    while (level + 1 < LEVELS && count[level + 1] && myr_octree_splits(options, side, level, count[level]))
        level++;
    while (level > 0 && count[level - 1] == count[level])
        level--;
    return cell_begin(key, level);
}

myr_status myr_curve_cut(myr_context *context, const myr_curve_profile *profile, const myr_morton_entry *sorted,
                         int64_t n, const myr_octree_options *options, double side, uint64_t *cut)
{
    const int ranks = myr_ranks_count(context);
    int64_t *count = myr_memory_zeros((int64_t)ranks * LEVELS, sizeof *count);
    myr_status status = myr_ranks_agree(context, count ? MYR_OK : cut_no_memory(context));
    cut[0] = 0;
    cut[ranks] = MYR_CURVE_END;
    cut_wanted(profile, ranks, cut);
    for (int k = 1; !status && k < ranks; k++)
        for (int level = 0; level < LEVELS; level++) {
            const uint64_t begin = cell_begin(cut[k], level);
            count[k * LEVELS + level] = keys_below(sorted, n, begin + cell_keys(level)) - keys_below(sorted, n, begin);
        }
    if (!status)
        status = myr_ranks_sum(context, count, ranks * LEVELS);
    for (int k = 1; !status && k < ranks; k++) {
        cut[k] = cut_leaf(options, side, cut[k], count + k * LEVELS);
        cut[k] = cut[k] > cut[k - 1] ? cut[k] : cut[k - 1];
    }
    free(count);
    return status;
}

int myr_curve_owner(const uint64_t *cut, int ranks, uint64_t key)
{
    int low = 0, high = ranks - 1; /* the last rank whose cut is not above the key has it */
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (cut[middle] <= key)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
