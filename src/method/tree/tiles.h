/* tiles.h - tiles from lists: a block of targets against ranges of sources, for methods that do not take every source.
 *
 * The ranges of a list follow each other in the bags as if they were one, so that a list of many short ranges (a cell's
 * pseudo-particles, a leaf's particles) costs no more than one long range. Where a block has few targets its sources
 * are spread over the lanes. Sums are left to the caller, who knows what else a target gets. */
#ifndef MYR_METHOD_TREE_TILES_H
#define MYR_METHOD_TREE_TILES_H

#include "method/target_block.h"

/* Sources first .. first + count - 1. */
typedef struct {
    int64_t first, count;
} myr_range;

/* One thread's work space. */
typedef struct {
    myr_target_block block;
    int64_t bag;    /* entries per bag */
    int64_t first;  /* first target of the block */
    int moved;      /* 1 while the block's targets are not at their own places */
    void *entries;  /* lane [bag][source_lanes] */
    void *copy;     /* real [source_lanes][bag x lanes]: sources on their way to different lanes */
    int64_t *place; /* where a bag's sources are: [segments][2], place among the sources and in the bag */
    int64_t pairs;  /* over all blocks: targets x sources */
} myr_listed;

/* Makes a work space for blocks of up to so many targets; 0 where memory is short. The problem's kernel must have no
 * table per pair of types; its exclusions are not looked at. */
int myr_listed_make(const myr_direct *problem, int64_t most, myr_listed *list);

/* Frees what it holds. */
void myr_listed_free(myr_listed *list);

/* Begins with targets first .. first + count - 1 of the problem; adds the sources of all ranges to their sums. With a
 * shift the targets are moved by it first, from their own places, and see themselves too: so they see the sources of
 * another image of a periodic box. Null = they are where they are. */
void myr_listed_begin(myr_listed *list, int64_t first, int64_t count);
void myr_listed_add(myr_listed *list, const double *shift, const myr_range *range, int64_t ranges);

/* Both, where they are. */
void myr_listed_run(myr_listed *list, int64_t first, int64_t count, const myr_range *range, int64_t ranges);

/* The sum of output k of the block's target i. */
void myr_listed_sum(const myr_listed *list, int64_t i, int k, myr_word sum[MYR_ACC_WORDS]);

#endif
