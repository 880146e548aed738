/* tiles.c - evaluation of lists of source ranges as tiles; see tiles.h. */
#include "method/tree/tiles.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

static size_t lane_bytes(const myr_unit *u)
{
    return (size_t)u->lanes * (size_t)u->real_bytes;
}

int myr_tiles_make(const myr_direct *problem, int64_t most, myr_tiles *list)
{
    const myr_unit *u = problem->unit;
    const int64_t bag = myr_target_block_bag(problem);
    memset(list, 0, sizeof *list);
    list->bag = bag;
    list->entries = myr_memory_zeros(bag * u->source_lanes, lane_bytes(u));
    list->copy = myr_memory_zeros(bag * u->source_lanes, lane_bytes(u));
    list->place = myr_memory_zeros(bag * u->lanes * 2 + 2, sizeof *list->place);
    if (myr_target_block_make(problem, most, bag, &list->block) && list->entries && list->copy && list->place)
        return 1;
    myr_tiles_free(list);
    return 0;
}

void myr_tiles_free(myr_tiles *list)
{
    myr_target_block_free(&list->block);
    free(list->entries);
    free(list->copy);
    free(list->place);
    memset(list, 0, sizeof *list);
}

/* Packs the block's targets into lanes, displaced by `shift` unless null. */
static void listed_place(myr_tiles *l, const double *shift)
{
    myr_target_block *b = &l->block;
    const myr_direct *p = b->problem;
    l->moved = shift != NULL;
    myr_target_block_pack(b, (const void *const *)p->target.component, p->at, l->first, 1);
    myr_target_block_set_selves(b, shift ? NULL : myr_target_block_selves(p, l->first));
    for (int64_t n = 0; shift && n < (int64_t)b->vectors * p->unit->lanes; n++)
        for (int axis = 0; axis < 3; axis++)
            myr_target_block_move(b, n, axis, myr_target_block_coordinate(b, n, axis) + shift[axis]);
}

void myr_tiles_begin(myr_tiles *list, int64_t first, int64_t count)
{
    list->first = first;
    myr_target_block_begin(&list->block, count, myr_target_block_replicas(list->block.problem, count));
    listed_place(list, NULL);
}

/* Copies part of a range into the bag, after the `at` sources the bag already holds. */
static void listed_put(myr_tiles *l, int64_t first, int64_t count, int64_t at)
{
    const myr_direct *p = l->block.problem;
    const myr_unit *u = p->unit;
    if (at == 0)
        myr_target_block_empty_bag(&l->block);
    myr_target_block_enlarge(&l->block, (const void *const *)p->source.component, first, count);
    if (l->block.replicas == 1) {
        char *to = (char *)l->entries + (size_t)(at * u->source_lanes) * lane_bytes(u);
        u->pack(to, (const void *const *)p->source.component, first, count, 1);
        return;
    }
    const size_t bytes = (size_t)u->real_bytes, row = (size_t)l->bag * lane_bytes(u);
    for (int c = 0; c < u->source_lanes; c++)
        memcpy((char *)l->copy + (size_t)c * row + (size_t)at * bytes,
               (const char *)p->source.component[c] + (size_t)first * bytes, (size_t)count * bytes);
}

/* Distributes the sources copied by listed_put over the lanes. Places past the last source repeat that source and are
 * masked. */
static void listed_spread(myr_tiles *l, int64_t held, int64_t steps)
{
    const myr_unit *u = l->block.problem->unit;
    const size_t bytes = (size_t)u->real_bytes, row = (size_t)l->bag * lane_bytes(u);
    const void *from[MYR_SIDE_COMPONENTS];
    for (int c = 0; c < u->source_lanes; c++) {
        char *copy = (char *)l->copy + (size_t)c * row;
        for (int64_t n = held; n < steps * l->block.replicas; n++)
            memcpy(copy + (size_t)n * bytes, copy + (size_t)(held - 1) * bytes, bytes);
        from[c] = copy;
    }
    u->pack(l->entries, from, 0, steps, l->block.replicas);
}

/* Fills the mask of vector v against the bag; returns 1 if the masked loop is needed. */
static int listed_mask(myr_tiles *l, int v, int64_t segments, int64_t held, int64_t steps)
{
    int masked = l->block.problem->careful | myr_target_block_mask(&l->block, v, held, steps);
    for (int64_t s = 0; s < segments; s++) {
        const int64_t at = l->place[2 * s + 1];
        masked |= myr_target_block_mask_selves(&l->block, v, l->place[2 * s], l->place[2 * s + 3] - at, at);
    }
    return masked;
}

/* Returns 1 if the masked loop may be needed: a target of the block may be in the bag, or another reason exists. */
static int listed_may_mask(const myr_tiles *l, int64_t segments, int64_t held, int64_t steps)
{
    if (l->block.problem->careful || held < steps * l->block.replicas)
        return 1;
    for (int64_t s = 0; s < segments; s++) {
        const int64_t from = l->place[2 * s], count = l->place[2 * s + 3] - l->place[2 * s + 1];
        if (l->block.self_high >= from && l->block.self_low < from + count)
            return 1;
    }
    return 0;
}

/* Evaluates all targets of the block against the `held` sources of the bag. */
static void listed_bag(myr_tiles *l, int64_t segments, int64_t held)
{
    const myr_loops *loops = l->block.problem->loops;
    const int64_t steps = (held + l->block.replicas - 1) / l->block.replicas;
    if (held == 0)
        return;
    l->place[2 * segments + 1] = held;
    if (l->block.replicas > 1)
        listed_spread(l, held, steps);
    const int may_mask = listed_may_mask(l, segments, held, steps);
    for (int v = 0; v < l->block.vectors;) {
        const int group = l->block.vectors - v < loops->unroll || may_mask ? 1 : loops->unroll;
        const int masked = may_mask && listed_mask(l, v, segments, held, steps);
        const myr_sweep sweep = myr_target_block_sweep(&l->block, v, l->entries, steps);
        (group > 1 ? loops->many : masked ? loops->careful : loops->one)(&sweep);
        v += group;
    }
}

void myr_tiles_add(myr_tiles *list, const double *shift, const myr_range *range, int64_t ranges)
{
    int64_t held = 0, segments = 0;
    if (shift || list->moved)
        listed_place(list, shift);
    const int64_t room = list->bag * list->block.replicas;
    for (int64_t r = 0; r < ranges; r++)
        for (int64_t done = 0; done < range[r].count;) {
            const int64_t piece = at_most(range[r].count - done, room - held);
            list->place[2 * segments] = range[r].first + done;
            list->place[2 * segments + 1] = held;
            listed_put(list, range[r].first + done, piece, held);
            segments++;
            held += piece;
            done += piece;
            list->pairs += list->block.count * piece;
            if (held == room) {
                listed_bag(list, segments, held);
                held = segments = 0;
            }
        }
    listed_bag(list, segments, held);
}

void myr_tiles_run(myr_tiles *list, int64_t first, int64_t count, const myr_range *range, int64_t ranges)
{
    myr_tiles_begin(list, first, count);
    myr_tiles_add(list, NULL, range, ranges);
}

void myr_tiles_sum(const myr_tiles *list, int64_t i, int k, myr_word sum[MYR_ACC_WORDS])
{
    myr_target_block_sum(&list->block, i, k, sum);
}
