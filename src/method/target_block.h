/* target_block.h - block of targets in lanes, used by every method that calls the loops: packing, masks, calls of the
 * loops, and sums.
 *
 * A target occupies `replicas` adjacent lanes, which share the work on its sources: entry n of a bag holds sources n x
 * replicas .. (n + 1) x replicas - 1 of the bag, one for each of these lanes. Lanes past the last target repeat that
 * target, and their sums are never read. */
#ifndef MYR_METHOD_TARGET_BLOCK_H
#define MYR_METHOD_TARGET_BLOCK_H

#include <stddef.h>
#include <string.h>

#include "backend/job.h"

/* Block of targets of one thread. */
typedef struct {
    const myr_direct *problem;
    int64_t count;  /* number of targets in the block */
    int vectors;    /* number of vectors the targets occupy */
    int replicas;   /* lanes per target: a power of two */
    int shift;      /* binary logarithm of `replicas` */
    int lane_shift; /* binary logarithm of the lanes of a vector */
    void *target;   /* lane [vectors][target_lanes] */
    void *constant; /* lane [constants]: constants of the pair formula */
    int64_t *index; /* [vectors][lanes]: index of each lane's target in the arrays the block is packed from */
    int64_t *self;  /* [count]: index of each target among the sources, or -1 */
    int64_t self_low, self_high; /* smallest and largest index in `self`; low > high if there is none */
    void *most;                  /* real [source_lanes]: largest |component| of the sources in the bag */
    uint32_t *mask;              /* [steps]: bit l of entry n is 1 if the pair in lane l of the current vector counts */
    myr_word *wide;              /* [vectors][outputs][loop words][lanes]: sums */
    myr_word *over;              /* [vectors][outputs][wide words][lanes]: wide integers beside the sums */
    uint32_t *over_used;         /* [vectors]: bit l is set if lane l may have wide integers; the others are 0 */
    int64_t most_vectors;        /* number of vectors for which there is memory */
    int64_t skipped;             /* over all blocks: number of skipped coincident pairs */
    /* over all blocks: number of contributions that were added to wide integers, per output */
    int64_t beyond[MYR_KERNEL_OUTPUTS_MAX];
    uint32_t flag; /* over all blocks: 1 if a contribution or a sum exceeded the accumulator's range */
} myr_target_block;

/* Allocates a block of up to `most` targets and bags of up to `steps` entries; returns 0 if memory is short. */
int myr_target_block_make(const myr_direct *problem, int64_t most, int64_t steps, myr_target_block *block);
void myr_target_block_free(myr_target_block *block);

/* Number of entries of a bag that fits the first-level cache. */
int64_t myr_target_block_bag(const myr_direct *problem);

/* Number of lanes for each of `count` targets. */
int myr_target_block_replicas(const myr_direct *problem, int64_t count);

/* Starts a block of `count` targets with zero sums and without self indices. */
void myr_target_block_begin(myr_target_block *block, int64_t count, int replicas);

/* Packs targets first .. first + count - 1 from arrays of reals, one array per lane component. Target i is at index
 * at[i], or at i x stride if `at` is null. */
void myr_target_block_pack(myr_target_block *block, const void *const *component, const int64_t *at, int64_t first,
                           int64_t stride);

/* Sets the coordinate along an axis of the target in a lane, counted over all vectors. */
void myr_target_block_move(myr_target_block *block, int64_t lane, int axis, double x);

/* Coordinate of the target in a lane, counted over all vectors. */
double myr_target_block_coordinate(const myr_target_block *block, int64_t lane, int axis);

/* Sets the index of target i, or of every target, among the sources; -1 or null = the target is not a source. A target
 * without an index is not masked against itself. */
void myr_target_block_set_self(myr_target_block *block, int64_t i, int64_t place);
void myr_target_block_set_selves(myr_target_block *block, const int64_t *self);

/* The problem's self indices from target `first` on; null if self pairs count like other pairs. */
const int64_t *myr_target_block_selves(const myr_direct *problem, int64_t first);

/* Forgets the sizes of the sources in the bag; adds those of `count` sources from `first` on. Arguments as of the
 * unit's `pack`. */
void myr_target_block_empty_bag(myr_target_block *block);
void myr_target_block_enlarge(myr_target_block *block, const void *const *source, int64_t first, int64_t count);

/* Fills the mask of vector v against `steps` entries with `held` sources: lanes without target or source are masked.
 * Returns 1 if the lane of a target is masked. */
int myr_target_block_mask(myr_target_block *block, int v, int64_t held, int64_t steps);

/* Masks the self pairs of vector v's targets if sources from .. from + count - 1 are in the bag from place `at` on.
 * Returns 1 if there was one. */
int myr_target_block_mask_selves(myr_target_block *block, int v, int64_t from, int64_t count, int64_t at);

/* Sums of all outputs of target i, [outputs][words], or of output k, merged over its replicas. */
void myr_target_block_sums(const myr_target_block *block, int64_t i, myr_word *sum);
void myr_target_block_sum(const myr_target_block *block, int64_t i, int k, myr_word sum[MYR_ACC_WORDS]);

/* Writes a double as a real of the unit's arithmetic. */
static inline void myr_target_block_put(const myr_unit *unit, void *reals, int64_t at, double value)
{
    if (unit->real_bytes == (int)sizeof(float))
        ((float *)reals)[at] = (float)value;
    else
        ((double *)reals)[at] = value;
}

/* Index in the block of the target in lane l of vector v. */
static inline int64_t myr_target_block_target(const myr_target_block *block, int v, int l)
{
    const int64_t i = ((int64_t)v * block->problem->unit->lanes + l) >> block->shift;
    return i < block->count ? i : block->count - 1;
}

/* Number of lanes of vector v that hold a target. */
static inline int myr_target_block_active(const myr_target_block *block, int v)
{
    const int lanes = block->problem->unit->lanes;
    const int64_t left = block->count * block->replicas - (int64_t)v * lanes;
    return left < lanes ? (int)left : lanes;
}

/* Masks the source at `place` in the bag for target i, which is in vector v. */
static inline void myr_target_block_mask_out(myr_target_block *block, int v, int64_t i, int64_t place)
{
    const int64_t lane =
        i * block->replicas + (place & (block->replicas - 1)) - (int64_t)v * block->problem->unit->lanes;
    block->mask[place >> block->shift] &= ~(1u << lane);
}

/* Sums of vector v: [outputs][loop words][lanes]. */
static inline myr_word *myr_target_block_wide(const myr_target_block *block, int64_t v)
{
    const myr_unit *u = block->problem->unit;
    return block->wide + v * u->outputs * MYR_ACC_LOOP_WORDS * u->lanes;
}

/* Wide integers of vector v: [outputs][wide words][lanes]. */
static inline myr_word *myr_target_block_over(const myr_target_block *block, int64_t v)
{
    const myr_unit *u = block->problem->unit;
    return block->over + v * u->outputs * MYR_ACC_WIDE_WORDS * u->lanes;
}

/* Copies one lane's sum of output k out of the sums and the wide integers of a vector; `used` as over_used. */
static inline void myr_target_block_words(const myr_target_block *block, const myr_word *wide, const myr_word *over,
                                          uint32_t used, int k, int64_t l, myr_word out[MYR_ACC_WORDS])
{
    const int lanes = block->problem->unit->lanes, is_wide = (int)(used >> l & 1);
    memset(out, 0, MYR_ACC_WORDS * sizeof *out);
    wide += k * MYR_ACC_LOOP_WORDS * lanes + l;
    for (int r = 0; r < MYR_ACC_LOOP_WORDS; r++, wide += lanes)
        out[r] = *wide;
    for (int r = 0; is_wide && r < MYR_ACC_WIDE_WORDS; r++)
        out[MYR_ACC_LOOP_WORDS + r] = over[(k * MYR_ACC_WIDE_WORDS + r) * lanes + l];
}

/* Arguments of a loop for vector v, and for the following vectors that the loop takes, against `steps` entries of a
 * bag. */
static inline myr_sweep myr_target_block_sweep(myr_target_block *block, int64_t v, const void *bag, int64_t steps)
{
    const myr_unit *u = block->problem->unit;
    return (myr_sweep){
        .target = (const char *)block->target + (size_t)(v * u->target_lanes * u->lanes) * (size_t)u->real_bytes,
        .bag = bag,
        .most = u->enlarge ? block->most : NULL,
        .constant = block->constant,
        .mask = block->mask,
        .steps = steps,
        .scale = block->problem->scale,
        .wide = myr_target_block_wide(block, v),
        .over = myr_target_block_over(block, v),
        .over_used = block->over_used + v,
        .skipped = &block->skipped,
        .beyond = block->beyond,
        .flag = &block->flag,
    };
}

#endif
