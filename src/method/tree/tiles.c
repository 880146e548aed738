/* tiles.c - tiles from lists; see tiles.h. */
#include "method/tree/tiles.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { LISTED_BAG_BYTES = 48 << 10, LISTED_BAG_MOST = 256 };

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

static size_t lane_bytes(const myr_unit *u)
{
    return (size_t)u->lanes * (size_t)u->real_bytes;
}

/* The number in all lanes. */
static void listed_constants(myr_listed *l)
{
    const myr_unit *u = l->problem->unit;
    for (int k = 0; k < u->constants; k++)
        for (int n = 0; n < u->lanes; n++) {
            if (u->real_bytes == (int)sizeof(float))
                ((float *)l->constant)[k * u->lanes + n] = (float)l->problem->constant[k];
            else
                ((double *)l->constant)[k * u->lanes + n] = l->problem->constant[k];
        }
}

int myr_listed_make(const myr_direct *problem, int64_t most, myr_listed *list)
{
    const myr_unit *u = problem->unit;
    const int64_t vectors = (most + u->lanes - 1) / u->lanes + 1;
    int64_t bag = LISTED_BAG_BYTES / ((int64_t)u->source_lanes * (int64_t)lane_bytes(u));
    bag = at_most(bag < 16 ? 16 : bag, LISTED_BAG_MOST);
    bag = at_most(bag, problem->loops->max_steps);
    memset(list, 0, sizeof *list);
    list->problem = problem;
    list->most = most;
    list->bag = bag;
    list->target = myr_memory_zeros(vectors * u->target_lanes, lane_bytes(u));
    list->entries = myr_memory_zeros(bag * u->source_lanes, lane_bytes(u));
    list->constant = myr_memory_zeros(u->constants + 1, lane_bytes(u));
    list->copy = myr_memory_zeros(bag * u->source_lanes, lane_bytes(u));
    list->mask = myr_memory_zeros(bag, sizeof *list->mask);
    list->index = myr_memory_zeros(vectors * u->lanes, sizeof *list->index);
    list->place = myr_memory_zeros(bag * u->lanes * 2 + 2, sizeof *list->place);
    list->self = myr_memory_zeros(most + 1, sizeof *list->self);
    list->wide = myr_memory_zeros(vectors * u->outputs * MYR_ACC_WORDS * u->lanes, sizeof *list->wide);
    if (list->target && list->entries && list->constant && list->copy && list->mask && list->index && list->place &&
        list->self && list->wide) {
        listed_constants(list);
        return 1;
    }
    myr_listed_free(list);
    return 0;
}

void myr_listed_free(myr_listed *list)
{
    void *all[] = {list->target, list->entries, list->constant, list->copy, list->mask,
                   list->index,  list->place,   list->self,     list->wide};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    memset(list, 0, sizeof *list);
}

/* The target in a lane: each fills `replicas` neighbouring lanes, the last one all lanes that are left. */
static int64_t listed_target(const myr_listed *l, int64_t lane)
{
    return at_most(lane / l->replicas, l->count - 1);
}

/* Where targets are among the sources, and between which places all of them are. */
static void listed_selves(myr_listed *l)
{
    const int64_t *self = l->moved ? NULL : l->problem->self;
    l->self_low = INT64_MAX;
    l->self_high = -1;
    for (int64_t i = 0; i < l->count; i++) {
        l->self[i] = self ? self[l->first + i] : -1;
        if (l->self[i] < 0)
            continue;
        l->self_low = at_most(l->self_low, l->self[i]);
        l->self_high = l->self[i] > l->self_high ? l->self[i] : l->self_high;
    }
}

/* Puts the block's targets into lanes, moved or not. */
static void listed_place(myr_listed *l, const double *shift)
{
    const myr_direct *p = l->problem;
    const myr_unit *u = p->unit;
    l->moved = shift != NULL;
    u->gather(l->target, (const void *const *)p->target.component, u->target_lanes, l->index, l->vectors);
    listed_selves(l);
    for (int64_t n = 0; shift && n < (int64_t)l->vectors * u->lanes; n++)
        for (int axis = 0; axis < 3; axis++) {
            const int64_t at = (n / u->lanes * u->target_lanes + axis * u->coord_lanes) * u->lanes + n % u->lanes;
            if (u->real_bytes == (int)sizeof(double)) {
                ((double *)l->target)[at] += shift[axis];
                continue;
            }
            float *high = (float *)l->target + at, *low = u->coord_lanes == 2 ? high + u->lanes : NULL;
            const double x = (double)*high + (low ? (double)*low : 0) + shift[axis];
            *high = (float)x;
            if (low)
                *low = (float)(x - (double)*high);
        }
}

void myr_listed_begin(myr_listed *list, int64_t first, int64_t count)
{
    myr_listed *l = list;
    const myr_direct *p = l->problem;
    const myr_unit *u = p->unit;
    l->first = first;
    l->count = count;
    for (l->replicas = 1; 2 * l->replicas * count <= u->lanes;)
        l->replicas *= 2;
    l->vectors = (int)((count * l->replicas + u->lanes - 1) / u->lanes);
    for (int64_t n = 0; n < (int64_t)l->vectors * u->lanes; n++) {
        const int64_t target = first + listed_target(l, n);
        l->index[n] = p->at ? p->at[target] : target;
    }
    memset(l->wide, 0, (size_t)((int64_t)l->vectors * u->outputs * MYR_ACC_WORDS * u->lanes) * sizeof *l->wide);
    listed_place(l, NULL);
}

/* Puts a piece of a range into the bag behind the `at` sources that are there. */
static void listed_put(myr_listed *l, int64_t first, int64_t count, int64_t at)
{
    const myr_direct *p = l->problem;
    const myr_unit *u = p->unit;
    if (l->replicas == 1) {
        char *to = (char *)l->entries + (size_t)(at * u->source_lanes) * lane_bytes(u);
        u->pack(to, (const void *const *)p->source.component, first, count, 1);
        return;
    }
    const size_t bytes = (size_t)u->real_bytes, row = (size_t)l->bag * lane_bytes(u);
    for (int c = 0; c < u->source_lanes; c++)
        memcpy((char *)l->copy + (size_t)c * row + (size_t)at * bytes,
               (const char *)p->source.component[c] + (size_t)first * bytes, (size_t)count * bytes);
}

/* Brings what listed_put has copied into lanes; places past the last source repeat it, and are masked. */
static void listed_spread(myr_listed *l, int64_t held, int64_t steps)
{
    const myr_unit *u = l->problem->unit;
    const size_t bytes = (size_t)u->real_bytes, row = (size_t)l->bag * lane_bytes(u);
    const void *from[MYR_SIDE_COMPONENTS];
    for (int c = 0; c < u->source_lanes; c++) {
        char *copy = (char *)l->copy + (size_t)c * row;
        for (int64_t n = held; n < steps * l->replicas; n++)
            memcpy(copy + (size_t)n * bytes, copy + (size_t)(held - 1) * bytes, bytes);
        from[c] = copy;
    }
    u->pack(l->entries, from, 0, steps, l->replicas);
}

/* Lanes of vector v that stand for a target. */
static uint32_t listed_active(const myr_listed *l, int v)
{
    const int lanes = l->problem->unit->lanes;
    const int64_t active = at_most(l->count * l->replicas - (int64_t)v * lanes, lanes);
    return active == 32 ? ~0u : (1u << active) - 1;
}

/* Takes the source at `place` of the bag away from target i where that is in vector v. */
static int listed_mask_out(myr_listed *l, int v, int64_t i, int64_t place)
{
    const int lanes = l->problem->unit->lanes;
    const int64_t lane = i * l->replicas + place % l->replicas - (int64_t)v * lanes;
    if (lane < 0 || lane >= lanes)
        return 0;
    l->mask[place / l->replicas] &= ~(1u << lane);
    return 1;
}

/* Fills the mask of vector v against the bag; returns whether anything that counts is masked. */
static int listed_mask(myr_listed *l, int v, int64_t segments, int64_t held, int64_t steps)
{
    const int lanes = l->problem->unit->lanes;
    const int64_t low = (int64_t)v * lanes / l->replicas;
    const int64_t high = at_most((int64_t)(v + 1) * lanes / l->replicas, l->count);
    int masked = l->problem->careful;
    for (int64_t n = 0; n < steps; n++)
        l->mask[n] = listed_active(l, v);
    for (int64_t s = 0; s < segments; s++) {
        const int64_t from = l->place[2 * s], at = l->place[2 * s + 1], count = l->place[2 * s + 3] - at;
        if (l->self_high < from || l->self_low >= from + count)
            continue;
        for (int64_t i = low; i < high; i++)
            if (l->self[i] >= from && l->self[i] < from + count)
                masked |= listed_mask_out(l, v, i, at + l->self[i] - from);
    }
    for (int64_t place = held; place < steps * l->replicas; place++)
        for (int64_t i = low; i < high; i++)
            masked |= listed_mask_out(l, v, i, place);
    return masked;
}

static void listed_sweep(myr_listed *l, myr_sweep_fn loop, int v, int64_t steps)
{
    const myr_unit *u = l->problem->unit;
    const myr_sweep sweep = {
        .target = (const char *)l->target + (size_t)v * (size_t)u->target_lanes * lane_bytes(u),
        .bag = l->entries,
        .constant = l->constant,
        .mask = l->mask,
        .steps = steps,
        .scale = l->problem->scale,
        .wide = l->wide + (int64_t)v * u->outputs * MYR_ACC_WORDS * u->lanes,
        .skipped = &l->skipped,
        .flag = &l->flag,
    };
    loop(&sweep);
}

/* Whether a target of the block may be in the bag, or masks are needed for another reason. */
static int listed_may_mask(const myr_listed *l, int64_t segments, int64_t held, int64_t steps)
{
    if (l->problem->careful || held < steps * l->replicas)
        return 1;
    for (int64_t s = 0; s < segments; s++) {
        const int64_t from = l->place[2 * s], count = l->place[2 * s + 3] - l->place[2 * s + 1];
        if (l->self_high >= from && l->self_low < from + count)
            return 1;
    }
    return 0;
}

/* All targets of the block against the `held` sources of the bag. */
static void listed_bag(myr_listed *l, int64_t segments, int64_t held)
{
    const myr_loops *loops = l->problem->loops;
    const int64_t steps = (held + l->replicas - 1) / l->replicas;
    if (held == 0)
        return;
    l->place[2 * segments + 1] = held;
    if (l->replicas > 1)
        listed_spread(l, held, steps);
    const int may_mask = listed_may_mask(l, segments, held, steps);
    for (int v = 0; v < l->vectors;) {
        const int group = l->vectors - v < loops->unroll || may_mask ? 1 : loops->unroll;
        const int masked = may_mask && listed_mask(l, v, segments, held, steps);
        listed_sweep(l, group > 1 ? loops->many : masked ? loops->careful : loops->one, v, steps);
        v += group;
    }
}

void myr_listed_add(myr_listed *list, const double *shift, const myr_range *range, int64_t ranges)
{
    int64_t held = 0, segments = 0;
    if (shift || list->moved)
        listed_place(list, shift);
    const int64_t room = list->bag * list->replicas;
    for (int64_t r = 0; r < ranges; r++)
        for (int64_t done = 0; done < range[r].count;) {
            const int64_t piece = at_most(range[r].count - done, room - held);
            list->place[2 * segments] = range[r].first + done;
            list->place[2 * segments + 1] = held;
            listed_put(list, range[r].first + done, piece, held);
            segments++;
            held += piece;
            done += piece;
            list->pairs += list->count * piece;
            if (held == room) {
                listed_bag(list, segments, held);
                held = segments = 0;
            }
        }
    listed_bag(list, segments, held);
}

void myr_listed_run(myr_listed *list, int64_t first, int64_t count, const myr_range *range, int64_t ranges)
{
    myr_listed_begin(list, first, count);
    myr_listed_add(list, NULL, range, ranges);
}

void myr_listed_sum(const myr_listed *list, int64_t i, int k, myr_word sum[MYR_ACC_WORDS])
{
    const myr_unit *u = list->problem->unit;
    for (int r = 0; r < list->replicas; r++) {
        const int64_t at = i * list->replicas + r, v = at / u->lanes, lane = at % u->lanes;
        myr_word part[MYR_ACC_WORDS];
        for (int w = 0; w < MYR_ACC_WORDS; w++)
            part[w] = list->wide[((v * u->outputs + k) * MYR_ACC_WORDS + w) * u->lanes + lane];
        if (r == 0)
            memcpy(sum, part, sizeof part);
        else
            list->problem->loops->merge(sum, part);
    }
}
