/* results.h - results of a method that works part by part (groups of targets, leaves of a tree): the numbers at their
 * targets, the net sums, and the first target without a finite value. Parts are put together in their order, so that it
 * does not matter which thread had which. */
#ifndef MYR_METHOD_TREE_RESULTS_H
#define MYR_METHOD_TREE_RESULTS_H

#include "method/tree/tiles.h"

typedef struct {
    const myr_direct *problem; /* whose loops, scales and factor the sums have */
    int64_t parts;
    myr_word *net; /* [parts][outputs][words] */
    int64_t *bad;  /* [parts]: a target without a finite value, or -1 */
} myr_parts;

/* Makes room for so many parts; 0 where memory is short. */
int myr_parts_make(const myr_direct *problem, int64_t parts, myr_parts *all);

/* Frees what it holds. */
void myr_parts_free(myr_parts *all);

/* Takes the sums of the block's target i as those of target `number` in a part. far: what each output has besides, or
 * null. */
void myr_parts_put(myr_parts *all, int64_t part, const myr_listed *tiles, int64_t i, int64_t number, const double *far,
                   myr_direct_result *result);

/* Puts the parts together. */
void myr_parts_finish(const myr_parts *all, int64_t skipped, uint32_t flag, myr_direct_result *result);

#endif
