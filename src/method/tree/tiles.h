/* tiles.h - evaluation of a block of targets against a list of source ranges, for methods that do not use every source.
 *
 * The ranges of a list are packed contiguously into the bags, so that a list of many short ranges (pseudo-particles of
 * a cell, particles of a leaf) costs no more than one long range. If a block has few targets, its sources are spread
 * over the lanes. Reading the sums is left to the caller, who may add other contributions to a target. */
#ifndef MYR_METHOD_TREE_TILES_H
#define MYR_METHOD_TREE_TILES_H

#include "method/target_block.h"

/* Sources first .. first + count - 1. */
typedef struct {
    int64_t first, count;
} myr_range;

/* Working memory of a thread. */
typedef struct {
    myr_target_block block;
    int64_t bag;    /* entries per bag */
    int64_t first;  /* first target of the block */
    int moved;      /* 1 while the block's targets are displaced from their positions */
    void *entries;  /* lane [bag][source_lanes] */
    void *copy;     /* real [source_lanes][bag x lanes]: staging area for sources that go to different lanes */
    int64_t *place; /* [segments][2]: first index of each segment of the bag among the sources, and in the bag */
    int64_t pairs;  /* number of target-source pairs, over all blocks */
} myr_tiles;

/* Allocates working memory for blocks of up to `most` targets; returns 0 if memory is short. The problem's kernel must
 * not use pair tables; exclusions are ignored. */
int myr_tiles_make(const myr_direct *problem, int64_t most, myr_tiles *list);

/* Frees the working memory. */
void myr_tiles_free(myr_tiles *list);

/* myr_tiles_begin starts a block with targets first .. first + count - 1; myr_tiles_add adds the sources of all
 * ranges to their sums. With a shift the targets are displaced by it and interact with all sources, including
 * themselves: the sources then act as an image of a periodic box. shift = null: no displacement. */
void myr_tiles_begin(myr_tiles *list, int64_t first, int64_t count);
void myr_tiles_add(myr_tiles *list, const double *shift, const myr_range *range, int64_t ranges);

/* Begins a block and adds ranges without displacement. */
void myr_tiles_run(myr_tiles *list, int64_t first, int64_t count, const myr_range *range, int64_t ranges);

/* Sum of output k of the block's target i. */
void myr_tiles_sum(const myr_tiles *list, int64_t i, int k, myr_word sum[MYR_ACC_WORDS]);

#endif
