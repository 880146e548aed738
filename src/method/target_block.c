/* target_block.c - a block of targets in lanes; see target_block.h. */
#include "method/target_block.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { BLOCK_BAG_BYTES = 48 << 10, BLOCK_BAG_LEAST = 16, BLOCK_BAG_MOST = 256 };

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

int myr_target_block_make(const myr_direct *problem, int64_t most, int64_t steps, myr_target_block *block)
{
    const myr_unit *u = problem->unit;
    const size_t lane = (size_t)u->lanes * (size_t)u->real_bytes;
    const int64_t vectors = (most + u->lanes - 1) / u->lanes + 1;
    *block = (myr_target_block){.problem = problem, .replicas = 1};
    block->target = myr_memory_zeros(vectors * u->target_lanes, lane);
    block->constant = myr_memory_zeros(u->constants + 1, lane);
    block->index = myr_memory_zeros(vectors * u->lanes, sizeof *block->index);
    block->self = myr_memory_zeros(most + 1, sizeof *block->self);
    block->most = myr_memory_zeros(u->source_lanes, (size_t)u->real_bytes);
    block->mask = myr_memory_zeros(steps, sizeof *block->mask);
    block->wide = myr_memory_zeros(vectors * u->outputs * MYR_ACC_LOOP_WORDS * u->lanes, sizeof *block->wide);
    block->most_vectors = vectors;
    while (1 << block->lane_shift < u->lanes)
        block->lane_shift++;
    block->over_used = myr_memory_zeros(vectors, sizeof *block->over_used);
    block->over = myr_memory_zeros(vectors * u->outputs * MYR_ACC_WIDE_WORDS * u->lanes, sizeof *block->over);
    if (!block->over || !block->over_used || !block->most || !block->target || !block->constant || !block->index ||
        !block->self || !block->mask || !block->wide) {
        myr_target_block_free(block);
        return 0;
    }
    memset(block->most, 0xff, (size_t)u->source_lanes * (size_t)u->real_bytes); /* NaN: nothing is known */
    for (int k = 0; k < u->constants; k++)
        for (int l = 0; l < u->lanes; l++)
            myr_target_block_put(u, block->constant, (int64_t)k * u->lanes + l, problem->constant[k]);
    return 1;
}

void myr_target_block_free(myr_target_block *block)
{
    void *all[] = {block->target, block->constant, block->index,     block->self, block->mask,
                   block->wide,   block->over,     block->over_used, block->most};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    memset(block, 0, sizeof *block);
}

int64_t myr_target_block_bag(const myr_direct *problem)
{
    const myr_unit *u = problem->unit;
    const int64_t bag = BLOCK_BAG_BYTES / ((int64_t)u->source_lanes * u->lanes * u->real_bytes);
    return at_most(at_most(bag < BLOCK_BAG_LEAST ? BLOCK_BAG_LEAST : bag, BLOCK_BAG_MOST), problem->loops->max_steps);
}

int myr_target_block_replicas(const myr_direct *problem, int64_t count)
{
    int replicas = 1;
    while (count > 0 && 2 * replicas * count <= problem->unit->lanes)
        replicas *= 2;
    return replicas;
}

void myr_target_block_begin(myr_target_block *block, int64_t count, int replicas)
{
    const myr_unit *u = block->problem->unit;
    block->count = count;
    block->replicas = replicas;
    for (block->shift = 0; 1 << block->shift < replicas;)
        block->shift++;
    block->vectors = (int)((count * replicas + u->lanes - 1) / u->lanes);
    block->self_low = INT64_MAX;
    block->self_high = -1;
    memset(block->wide, 0, (size_t)(myr_target_block_wide(block, block->vectors) - block->wide) * sizeof *block->wide);
    for (int64_t v = 0; v < block->most_vectors; v++) {
        if (block->over_used[v])
            memset(myr_target_block_over(block, v), 0,
                   (size_t)(u->outputs * MYR_ACC_WIDE_WORDS * u->lanes) * sizeof *block->over);
        block->over_used[v] = 0;
    }
}

void myr_target_block_pack(myr_target_block *block, const void *const *component, const int64_t *at, int64_t first,
                           int64_t stride)
{
    const myr_unit *u = block->problem->unit;
    for (int v = 0; v < block->vectors; v++)
        for (int l = 0; l < u->lanes; l++) {
            const int64_t target = first + myr_target_block_target(block, v, l);
            block->index[v * u->lanes + l] = at ? at[target] : target * stride;
        }
    u->gather(block->target, component, u->target_lanes, block->index, block->vectors);
}

/* Index in `target` of the higher part of a coordinate; the lower part, if any, is one vector further. */
static int64_t block_coordinate(const myr_unit *u, int64_t lane, int axis)
{
    return (lane / u->lanes * u->target_lanes + axis * u->coord_lanes) * u->lanes + lane % u->lanes;
}

void myr_target_block_move(myr_target_block *block, int64_t lane, int axis, double x)
{
    const myr_unit *u = block->problem->unit;
    const int64_t to = block_coordinate(u, lane, axis);
    myr_target_block_put(u, block->target, to, x);
    if (u->coord_lanes == 2)
        ((float *)block->target)[to + u->lanes] = (float)(x - (double)(float)x);
}

double myr_target_block_coordinate(const myr_target_block *block, int64_t lane, int axis)
{
    const myr_unit *u = block->problem->unit;
    const int64_t from = block_coordinate(u, lane, axis);
    if (u->real_bytes == (int)sizeof(double))
        return ((const double *)block->target)[from];
    const float *high = (const float *)block->target + from;
    return (double)high[0] + (u->coord_lanes == 2 ? (double)high[u->lanes] : 0);
}

void myr_target_block_set_self(myr_target_block *block, int64_t i, int64_t place)
{
    block->self[i] = place;
    if (place < 0)
        return;
    if (place < block->self_low)
        block->self_low = place;
    if (place > block->self_high)
        block->self_high = place;
}

void myr_target_block_set_selves(myr_target_block *block, const int64_t *self)
{
    block->self_low = INT64_MAX;
    block->self_high = -1;
    for (int64_t i = 0; i < block->count; i++)
        myr_target_block_set_self(block, i, self ? self[i] : -1);
}

const int64_t *myr_target_block_selves(const myr_direct *problem, int64_t first)
{
    return problem->self && problem->unit->desc->self != MYR_SELF_COUNTED ? problem->self + first : NULL;
}

void myr_target_block_empty_bag(myr_target_block *block)
{
    const myr_unit *u = block->problem->unit;
    memset(block->most, 0, (size_t)u->source_lanes * (size_t)u->real_bytes);
}

void myr_target_block_enlarge(myr_target_block *block, const void *const *source, int64_t first, int64_t count)
{
    const myr_unit *u = block->problem->unit;
    if (u->enlarge)
        u->enlarge(block->most, source, first, count);
}

int myr_target_block_mask(myr_target_block *block, int v, int64_t held, int64_t steps)
{
    const int active = myr_target_block_active(block, v), replicas = block->replicas;
    const uint32_t all = active == 32 ? ~0u : (1u << active) - 1;
    for (int64_t n = 0; n < steps; n++)
        block->mask[n] = all;
    for (int64_t place = held; place < steps * replicas; place++)
        for (int l = 0; l < active; l += replicas)
            myr_target_block_mask_out(block, v, myr_target_block_target(block, v, l), place);
    return held < steps * replicas;
}

int myr_target_block_mask_selves(myr_target_block *block, int v, int64_t from, int64_t count, int64_t at)
{
    const int active = myr_target_block_active(block, v);
    int masked = 0;
    if (block->self_high < from || block->self_low >= from + count)
        return 0;
    for (int l = 0; l < active; l += block->replicas) {
        const int64_t i = myr_target_block_target(block, v, l), self = block->self[i];
        if (self >= from && self < from + count) {
            myr_target_block_mask_out(block, v, i, at + self - from);
            masked = 1;
        }
    }
    return masked;
}

void myr_target_block_sum(const myr_target_block *block, int64_t i, int k, myr_word sum[MYR_ACC_WORDS])
{
    for (int r = 0; r < block->replicas; r++) {
        const int64_t at = i * block->replicas + r, v = at >> block->lane_shift, l = at - (v << block->lane_shift);
        myr_word part[MYR_ACC_WORDS];
        myr_target_block_words(block, myr_target_block_wide(block, v), myr_target_block_over(block, v),
                               block->over_used[v], k, l, r ? part : sum);
        if (r)
            block->problem->loops->merge(sum, part);
    }
}

void myr_target_block_sums(const myr_target_block *block, int64_t i, myr_word *sum)
{
    const int outputs = block->problem->unit->outputs;
    const int64_t v = i >> block->lane_shift, l = i - (v << block->lane_shift);
    for (int k = 0; k < outputs; k++, sum += MYR_ACC_WORDS)
        if (block->replicas > 1)
            myr_target_block_sum(block, i, k, sum);
        else
            myr_target_block_words(block, myr_target_block_wide(block, v), myr_target_block_over(block, v),
                                   block->over_used[v], k, l, sum);
}
