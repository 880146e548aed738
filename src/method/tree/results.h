/* results.h - results of a method that works part by part (groups of targets, leaves of a tree): values at the targets,
 * net sums, and the first target without a finite value. Parts are combined in a fixed order, so that results do not
 * depend on which thread computed which part. */
#ifndef MYR_METHOD_TREE_RESULTS_H
#define MYR_METHOD_TREE_RESULTS_H

#include "method/tree/tiles.h"

typedef struct {
    const myr_direct *problem; /* problem that supplies loops, scales and factor of the sums */
    int64_t parts;
    myr_word *net; /* [parts][outputs][words]: net sums */
    int64_t *bad;  /* [parts]: a target without a finite value, or -1 */
} myr_results;

/* Allocates results of `parts` parts; returns 0 if memory is short. */
int myr_results_make(const myr_direct *problem, int64_t parts, myr_results *all);

/* Frees the arrays. */
void myr_results_free(myr_results *all);

/* Stores the sums of target i of the block as results of target `number` in a part. far: additional contribution to
 * each output, or null; images: another one that is added after it, or null. */
void myr_results_put(myr_results *all, int64_t part, const myr_tiles *tiles, int64_t i, int64_t number,
                     const double *far, const double *images, myr_direct_result *result);

/* Combines all parts. */
void myr_results_finish(const myr_results *all, int64_t skipped, uint32_t flag, myr_direct_result *result);

#endif
