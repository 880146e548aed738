/* direct.c - direct summation: divides targets x sources into tiles for the loops.
 *
 * Targets are divided into blocks; sources are divided into splits if there are few blocks. A work item is a block and
 * a split; OpenMP distributes the items. Within an item the sources are packed into bags that fit the first-level
 * cache, and all targets of the block are swept over each bag (paper 002: J-BAG and I-POT). The plan depends on the
 * numbers of targets and sources only, not on the number of threads, so that every accumulator gives the same bits on
 * any number of threads. */
#include "method/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "core/memory.h"
#include "core/waiting.h"
#include "method/subtract.h"
#include "method/target_block.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Processor seconds per pair, of a vector loop; only for the choice of the number of threads. */
#define WORK 1e-9

enum {
    DIRECT_BLOCK = 512,          /* targets per block, which share the packing of a bag */
    DIRECT_ITEMS = 64,           /* wanted number of work items, enough for this many threads */
    DIRECT_ITEM_PAIRS = 1 << 19, /* smallest work item, in pairs */
    DIRECT_SPLIT_SOURCES = 256
};

typedef struct {
    int64_t targets; /* targets per block */
    int64_t blocks;
    int64_t first, last; /* blocks first .. last - 1 are evaluated */
    int64_t splits;
    int64_t sources; /* sources per split */
    int64_t bag;     /* entries per bag */
    int replicas;    /* sources per bag entry: a power of two */
    int vectors;     /* target vectors per block */
} direct_plan;

/* Working memory of a thread for one work item. */
typedef struct {
    myr_target_block block;
    void *bag;   /* lane [bag][source_lanes] */
    void *pairs; /* lane: pair tables, per group of vectors [types][group][pair] or per bag entry [bag][pair] */
    int32_t *offset;
    int64_t *index;      /* [bag][lanes]: source indices of entries whose lanes hold different sources */
    int64_t *low, *high; /* [vectors]: range low .. high of sources excluded for any target of the vector */
    /* [outputs][loop words][lanes], [outputs][wide words][lanes]: contributions to subtract from one vector's sums */
    myr_word *taken, *taken_over;
} direct_scratch;

/* Work item: targets first .. first + count - 1, sources begin .. end - 1. */
typedef struct {
    const myr_direct *problem;
    const direct_plan *plan;
    direct_scratch *scratch;
    int64_t first, count, begin, end;
} direct_item;

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t at_least(int64_t a, int64_t least)
{
    return a > least ? a : least;
}

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

/* End of the sources that are summed. */
static int64_t direct_source_end(const myr_direct *p)
{
    return p->part.source_last > 0 ? p->part.source_last : p->source.n;
}

static direct_plan direct_make_plan(const myr_direct *p)
{
    const int64_t ni = p->targets, nj = direct_source_end(p) - p->part.source_first;
    const int lanes = p->unit->lanes;
    direct_plan plan = {.replicas = myr_target_block_replicas(p, ni)};
    plan.blocks = at_least(ceil_div(ni, DIRECT_BLOCK), 1);
    /* two vectors at least, as for most loops: how many vectors a loop takes at a time must not change the plan */
    const int64_t pot = (lanes > 1 ? at_least(p->loops->unroll, 2) : 1) * lanes;
    plan.targets = ceil_div(ceil_div(ni, plan.blocks), pot) * pot;
    plan.blocks = at_least(ceil_div(ni, plan.targets), 1);
    plan.vectors = (int)(plan.targets / lanes);
    const double pairs = (double)ni * (double)nj;
    plan.splits = at_most(DIRECT_ITEMS / plan.blocks, (int64_t)(pairs / (double)(plan.blocks * DIRECT_ITEM_PAIRS)));
    plan.splits = at_most(plan.splits, nj / DIRECT_SPLIT_SOURCES);
    if (p->splits > 0)
        plan.splits = at_most(p->splits, nj);
    plan.splits = at_least(plan.splits, 1);
    plan.sources = at_least(ceil_div(nj, plan.splits), 1);
    plan.bag = p->bag > 0 ? at_most(p->bag, p->loops->max_steps) : myr_target_block_bag(p);
    plan.first = p->part.first / plan.targets;
    plan.last = p->part.last > 0 ? ceil_div(p->part.last, plan.targets) : plan.blocks;
    return plan;
}

int64_t myr_direct_block(const myr_direct *problem)
{
    return problem->targets > 0 ? direct_make_plan(problem).targets : 1;
}

static void direct_scratch_free(direct_scratch *s)
{
    void *all[] = {s->bag, s->pairs, s->offset, s->index, s->low, s->high, s->taken, s->taken_over};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    myr_target_block_free(&s->block);
}

static int direct_scratch_make(const myr_direct *p, const direct_plan *plan, direct_scratch *s)
{
    const myr_unit *u = p->unit;
    const int64_t lane_bytes = (int64_t)u->lanes * u->real_bytes;
    const int64_t pair_lanes = at_least((int64_t)p->types * plan->vectors, plan->bag) * u->pair;
    memset(s, 0, sizeof *s);
    s->bag = myr_memory_some(plan->bag * u->source_lanes, (size_t)lane_bytes);
    s->pairs = myr_memory_zeros(pair_lanes, (size_t)lane_bytes);
    s->offset = myr_memory_zeros(plan->bag, sizeof *s->offset);
    s->index = myr_memory_some(plan->bag * u->lanes, sizeof *s->index);
    s->low = myr_memory_zeros(plan->vectors, sizeof *s->low);
    s->high = myr_memory_zeros(plan->vectors, sizeof *s->high);
    s->taken = myr_memory_zeros((int64_t)u->outputs * MYR_ACC_LOOP_WORDS * u->lanes, sizeof *s->taken);
    s->taken_over = myr_memory_zeros((int64_t)u->outputs * MYR_ACC_WIDE_WORDS * u->lanes, sizeof *s->taken_over);
    if (myr_target_block_make(p, plan->targets, plan->bag, &s->block) && s->bag && s->pairs && s->offset && s->index &&
        s->low && s->high && s->taken && s->taken_over)
        return 1;
    direct_scratch_free(s);
    return 0;
}

/* Index of the target in lane l of the block's vector v. */
static int64_t direct_target(const direct_item *w, int v, int l)
{
    return w->first + myr_target_block_target(&w->scratch->block, v, l);
}

/* Number of vectors taken by one call of `many`: groups of `unroll`; the last group may be smaller. */
static int direct_group(const direct_item *w, int v)
{
    const int unroll = w->problem->loops->unroll, first = v / unroll * unroll;
    return (int)at_most(w->scratch->block.vectors - first, unroll);
}

/* Index of a target in the arrays. */
static int64_t direct_place(const myr_direct *p, int64_t target)
{
    return p->at ? p->at[target] : target;
}

static double direct_pair(const myr_direct *p, int64_t target, int64_t source_type, int k)
{
    const int64_t row = p->target.type[direct_place(p, target)] * (int64_t)p->types + source_type;
    return p->pair_table[row * p->unit->pair + k];
}

/* Copies entry `at` of every lane's row of the pair table into a lane. */
static void direct_put_pairs(const myr_unit *u, const double *const *row, int64_t at, void *lanes, int64_t to)
{
    if (u->real_bytes == (int)sizeof(float))
        for (int l = 0; l < u->lanes; l++)
            ((float *)lanes)[to * u->lanes + l] = (float)row[l][at];
    else
        for (int l = 0; l < u->lanes; l++)
            ((double *)lanes)[to * u->lanes + l] = row[l][at];
}

/* Pair tables for entries that hold one source each: every source type against the block's targets. The table of type t
 * in the group that starts at vector v is at ((v * types) + t * group) * pair lanes. */
static void direct_pack_pairs(const direct_item *w)
{
    const myr_direct *p = w->problem;
    const int pair = p->unit->pair, vectors = w->scratch->block.vectors, unroll = p->loops->unroll;
    for (int v = 0; v < vectors; v++) {
        const int start = v / unroll * unroll, group = direct_group(w, v);
        const double *row[32]; /* a mask has 32 bits, which limits the lanes of a vector */
        for (int l = 0; l < p->unit->lanes; l++) {
            const int64_t type = p->target.type[direct_place(p, direct_target(w, v, l))];
            row[l] = p->pair_table + type * p->types * pair;
        }
        for (int t = 0; t < p->types; t++) {
            const int64_t block = ((int64_t)start * p->types + (int64_t)t * group + (v - start)) * pair;
            for (int k = 0; k < pair; k++)
                direct_put_pairs(p->unit, row, (int64_t)t * pair + k, w->scratch->pairs, block + k);
        }
    }
}

/* Pair tables for entries whose lanes hold different sources: one table per entry. index[] holds the source indices. */
static void direct_pack_pairs_gathered(const direct_item *w, int v, int64_t steps)
{
    const myr_direct *p = w->problem;
    const int lanes = p->unit->lanes, pair = p->unit->pair;
    for (int64_t n = 0; n < steps; n++) {
        w->scratch->offset[n] = (int32_t)(n * pair);
        for (int k = 0; k < pair; k++)
            for (int l = 0; l < lanes; l++)
                myr_target_block_put(
                    p->unit, w->scratch->pairs, (n * pair + k) * lanes + l,
                    direct_pair(p, direct_target(w, v, l), p->source.type[w->scratch->index[n * lanes + l]], k));
    }
}

/* Index of the first excluded partner of a target that is not before source j. */
static int64_t direct_partner(const myr_exclusions *e, int64_t row, int64_t j)
{
    int64_t low = e->offset[row], high = e->offset[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (e->partner[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t direct_row(const myr_direct *p, int64_t target)
{
    return p->original ? p->original[target] : target;
}

static void direct_widen(int64_t j, int64_t *low, int64_t *high)
{
    if (j >= 0) {
        *low = at_most(*low, j);
        *high = at_least(*high, j);
    }
}

/* Records for each vector the range of sources it may have to mask, so that most bags need no closer test. */
static void direct_note_masked(const direct_item *w)
{
    const myr_direct *p = w->problem;
    const myr_target_block *b = &w->scratch->block;
    for (int v = 0; v < b->vectors; v++) {
        int64_t low = INT64_MAX, high = -1;
        for (int l = 0; l < myr_target_block_active(b, v); l += b->replicas) {
            const int64_t i = myr_target_block_target(b, v, l), row = direct_row(p, w->first + i);
            direct_widen(b->self[i], &low, &high);
            if (p->excluded.offset && p->excluded.offset[row] < p->excluded.offset[row + 1]) {
                direct_widen(p->excluded.partner[p->excluded.offset[row]], &low, &high);
                direct_widen(p->excluded.partner[p->excluded.offset[row + 1] - 1], &low, &high);
            }
        }
        w->scratch->low[v] = low;
        w->scratch->high[v] = high;
    }
}

/* Returns 1 if vector v may need a mask against sources j0 .. j1 - 1. */
static int direct_may_mask(const direct_item *w, int v, int64_t j0, int64_t j1)
{
    return w->problem->careful || (j1 - j0) % w->plan->replicas != 0 ||
           (w->scratch->low[v] < j1 && w->scratch->high[v] >= j0);
}

/* Masks the excluded partners of target i of vector v among sources j0 .. j1 - 1; returns 1 if there was one. */
static int direct_mask_excluded(const direct_item *w, int v, int64_t i, int64_t j0, int64_t j1)
{
    const myr_exclusions *x = &w->problem->excluded;
    const int64_t row = direct_row(w->problem, w->first + i), end = x->offset[row + 1];
    int masked = 0;
    for (int64_t e = direct_partner(x, row, j0); e < end && x->partner[e] < j1; e++) {
        myr_target_block_mask_out(&w->scratch->block, v, i, x->partner[e] - j0);
        masked = 1;
    }
    return masked;
}

/* Fills the mask of vector v against the bag of sources j0 .. j1 - 1; returns 1 if the lane of a target is masked. */
static int direct_mask(const direct_item *w, int v, int64_t j0, int64_t j1)
{
    const myr_direct *p = w->problem;
    myr_target_block *b = &w->scratch->block;
    int masked = p->careful;
    if (!direct_may_mask(w, v, j0, j1))
        return 0;
    masked |= myr_target_block_mask(b, v, j1 - j0, ceil_div(j1 - j0, b->replicas));
    masked |= myr_target_block_mask_selves(b, v, j0, j1 - j0, 0);
    for (int l = 0; p->excluded.offset && l < myr_target_block_active(b, v); l += b->replicas)
        masked |= direct_mask_excluded(w, v, myr_target_block_target(b, v, l), j0, j1);
    return masked;
}

/* Calls a loop once: target vectors from v on against `steps` entries of the bag, which hold sources `first` and
 * following; first < 0: each lane has sources of its own, whose contributions are to be subtracted. */
static void direct_sweep(const direct_item *w, myr_sweep_fn loop, int v, int64_t steps, int64_t first,
                         int64_t pair_lane)
{
    const myr_unit *u = w->problem->unit;
    direct_scratch *s = w->scratch;
    myr_sweep sweep = myr_target_block_sweep(&s->block, v, s->bag, steps);
    sweep.pair_table = (const char *)s->pairs + (size_t)pair_lane * (size_t)u->lanes * (size_t)u->real_bytes;
    sweep.pair_offset = s->offset;
    if (first < 0) {
        sweep.wide = s->taken;
        sweep.over = s->taken_over;
        sweep.over_used = NULL;
    } else if (w->plan->replicas == 1) {
        sweep.plain = (const void *const *)w->problem->source.component;
        sweep.first = first;
    }
    loop(&sweep);
}

/* Evaluates all targets of the block against one bag. */
static void direct_bag(const direct_item *w, int64_t j0, int64_t j1)
{
    const myr_direct *p = w->problem;
    const int vectors = w->scratch->block.vectors, unroll = p->loops->unroll, pair = p->unit->pair;
    const int64_t steps = ceil_div(j1 - j0, w->plan->replicas);
    p->unit->pack(w->scratch->bag, (const void *const *)p->source.component, j0, steps, w->plan->replicas);
    myr_target_block_empty_bag(&w->scratch->block);
    myr_target_block_enlarge(&w->scratch->block, (const void *const *)p->source.component, j0, j1 - j0);
    if (pair && w->plan->replicas > 1) {
        for (int64_t n = 0; n < steps * p->unit->lanes; n++) {
            const int64_t j = j0 + n / p->unit->lanes * w->plan->replicas + n % w->plan->replicas;
            w->scratch->index[n] = at_most(j, p->source.n - 1);
        }
        direct_pack_pairs_gathered(w, 0, steps);
    }
    for (int start = 0; start < vectors; start += unroll) {
        const int group = direct_group(w, start);
        if (pair && w->plan->replicas == 1)
            for (int64_t n = 0; n < steps; n++)
                w->scratch->offset[n] = p->source.type[j0 + n] * group * pair;
        int first = start, masked = 0; /* first vector of the group that needs a mask */
        while (first < start + group && !(masked = direct_mask(w, first, j0, j1)))
            first++;
        const int64_t table = w->plan->replicas == 1 ? (int64_t)start * p->types * pair : 0;
        if (!masked && group == unroll) {
            direct_sweep(w, p->loops->many, start, steps, j0, table);
            continue;
        }
        for (int v = start; v < start + group; v++) {
            if (v > first)
                masked = direct_mask(w, v, j0, j1);
            direct_sweep(w, masked && v >= first ? p->loops->careful : p->loops->one, v, steps, j0,
                         table + (int64_t)(v - start) * pair);
        }
    }
}

/* Subtracts what was taken of output k from the sum of lane l of vector v. */
static void direct_take_off(const direct_item *w, int v, int k, int l)
{
    const myr_direct *p = w->problem;
    const myr_target_block *b = &w->scratch->block;
    const int lanes = p->unit->lanes;
    myr_word *wide = myr_target_block_wide(b, v) + (int64_t)k * MYR_ACC_LOOP_WORDS * lanes + l;
    myr_word *over = myr_target_block_over(b, v) + (int64_t)k * MYR_ACC_WIDE_WORDS * lanes + l;
    myr_word sum[MYR_ACC_WORDS], off[MYR_ACC_WORDS];
    myr_target_block_words(b, myr_target_block_wide(b, v), myr_target_block_over(b, v), b->over_used[v], k, l, sum);
    myr_target_block_words(b, w->scratch->taken, w->scratch->taken_over, ~0u, k, l, off);
    p->loops->negate(off);
    p->loops->merge(sum, off);
    for (int r = 0; r < MYR_ACC_LOOP_WORDS; r++)
        wide[r * lanes] = sum[r];
    for (int r = 0; r < MYR_ACC_WIDE_WORDS; r++)
        over[r * lanes] = sum[MYR_ACC_LOOP_WORDS + r];
    b->over_used[v] |= 1u << l;
}

/* Subtracts the listed partners of vector v's targets from its sums: entry n holds each lane's n-th partner. */
static void direct_subtract_vector(const direct_item *w, int v)
{
    const myr_direct *p = w->problem;
    const myr_exclusions *e = &p->subtracted;
    myr_target_block *b = &w->scratch->block;
    const int lanes = p->unit->lanes, active = myr_target_block_active(b, v);
    const int64_t each = (int64_t)p->unit->outputs * lanes, skipped = b->skipped;
    int64_t most = 0;
    for (int l = 0; l < active; l += w->plan->replicas) {
        const int64_t row = direct_row(p, direct_target(w, v, l));
        most = at_least(e->offset[row + 1] - e->offset[row], most);
    }
    memset(w->scratch->taken, 0, (size_t)(each * MYR_ACC_LOOP_WORDS) * sizeof(myr_word));
    memset(w->scratch->taken_over, 0, (size_t)(each * MYR_ACC_WIDE_WORDS) * sizeof(myr_word));
    for (int64_t begin = 0; begin < most; begin += w->plan->bag) {
        const int64_t steps = at_most(most - begin, w->plan->bag);
        for (int64_t n = 0; n < steps; n++) {
            b->mask[n] = 0;
            for (int l = 0; l < lanes; l++) {
                const int64_t i = myr_target_block_target(b, v, l), row = direct_row(p, w->first + i);
                const int64_t at = e->offset[row] + begin + n;
                /* the first lane of a target handles its partners; its replicas and lanes with exhausted lists do
                 * nothing */
                const int takes =
                    l < active && l % w->plan->replicas == 0 && at < e->offset[row + 1] && e->partner[at] != b->self[i];
                w->scratch->index[n * lanes + l] = takes ? e->partner[at] : 0;
                b->mask[n] |= (uint32_t)takes << l;
            }
        }
        p->unit->gather(w->scratch->bag, (const void *const *)p->source.component, p->unit->source_lanes,
                        w->scratch->index, steps);
        if (p->unit->pair)
            direct_pack_pairs_gathered(w, v, steps);
        direct_sweep(w, p->loops->careful, v, steps, -1, 0);
    }
    b->skipped = skipped - (b->skipped - skipped); /* subtracted coincident pairs do not count as skipped */
    for (int k = 0; k < p->unit->outputs; k++)
        for (int l = 0; l < active; l++)
            direct_take_off(w, v, k, l);
}

static void direct_run_item(const direct_item *w)
{
    const myr_direct *p = w->problem;
    const int64_t per_bag = w->plan->bag * w->plan->replicas;
    myr_target_block *b = &w->scratch->block;
    myr_target_block_begin(b, w->count, w->plan->replicas);
    myr_target_block_pack(b, (const void *const *)p->target.component, p->at, w->first, 1);
    myr_target_block_set_selves(b, myr_target_block_selves(p, w->first));
    direct_note_masked(w);
    if (p->unit->pair && w->plan->replicas == 1)
        direct_pack_pairs(w);
    for (int64_t j = w->begin; j < w->end; j += per_bag)
        direct_bag(w, j, at_most(j + per_bag, w->end));
    if (p->subtracted.offset && w->begin == 0) /* once per target */
        for (int v = 0; v < b->vectors; v++)
            direct_subtract_vector(w, v);
}

/* Copies the item's sums to part[target][output][words], with replicas merged. */
static void direct_save(const direct_item *w, myr_word *part)
{
    for (int64_t i = 0; i < w->count; i++, part += w->problem->unit->outputs * MYR_ACC_WORDS)
        myr_target_block_sums(&w->scratch->block, i, part);
}

/* Converts the sum of output k of a target to a number, and adds it to net[k]. */
static void direct_finish_sum(const myr_direct *p, int64_t target, int k, const myr_word *sum,
                              const myr_direct_result *result, myr_word *net, int64_t *first_bad)
{
    const double value = p->loops->value(sum, &p->scale[k]) * p->factor;
    if (result->value[k])
        result->value[k][target] = value;
    if (!isfinite(value) && (*first_bad < 0 || target < *first_bad))
        *first_bad = target;
    if (result->sum)
        memcpy(result->sum + (target * p->unit->outputs + k) * MYR_ACC_WORDS, sum, MYR_ACC_WORDS * sizeof *sum);
    p->loops->merge(net + k * MYR_ACC_WORDS, sum);
}

/* Converts the sums of an item that has all sources. */
static void direct_finish_item(const direct_item *w, const myr_direct_result *result, myr_word *net, int64_t *first_bad)
{
    for (int64_t i = 0; i < w->count; i++) {
        myr_word sum[MYR_KERNEL_OUTPUTS_MAX * MYR_ACC_WORDS];
        myr_target_block_sums(&w->scratch->block, i, sum);
        for (int k = 0; k < w->problem->unit->outputs; k++)
            direct_finish_sum(w->problem, w->first + i, k, sum + k * MYR_ACC_WORDS, result, net, first_bad);
    }
}

/* Merges the splits of one block in order and converts the sums to numbers. */
static void direct_finish_block(const myr_direct *p, const direct_plan *plan, int64_t block, const myr_word *parts,
                                const myr_direct_result *result, myr_word *net, int64_t *first_bad)
{
    const int64_t first = block * plan->targets, count = at_most(plan->targets, p->targets - first);
    const int64_t row = (int64_t)p->unit->outputs * MYR_ACC_WORDS;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < p->unit->outputs; k++) {
            myr_word sum[MYR_ACC_WORDS];
            const myr_word *from = parts + (block * plan->splits * plan->targets + i) * row + k * MYR_ACC_WORDS;
            memcpy(sum, from, sizeof sum);
            for (int64_t s = 1; s < plan->splits; s++)
                p->loops->merge(sum, from + s * plan->targets * row);
            direct_finish_sum(p, first + i, k, sum, result, net, first_bad);
        }
}

/* Reports progress from one thread; returns 1 if the callback asks to stop. */
static int direct_progress(const myr_direct *p, int64_t done, int64_t items)
{
    const myr_context *c = p->context;
    return c->progress && c->progress(c->progress_user, (double)done / (double)items) != 0;
}

typedef struct {
    const myr_direct *problem;
    const direct_plan *plan;
    myr_direct_result *result;
    myr_word *parts; /* [blocks][splits][targets per block][outputs][words]; null if there is one split */
    myr_word *net;   /* [blocks][outputs][words]: sums over the targets of a block */
    int64_t first_bad;
    int64_t done;
    int stop, no_memory;
    int64_t skipped;
    int64_t beyond[MYR_KERNEL_OUTPUTS_MAX];
    uint32_t flag;
} direct_job;

static void direct_thread(direct_job *job)
{
    const myr_direct *p = job->problem;
    const direct_plan *plan = job->plan;
    const int64_t begins = plan->first * plan->splits, items = plan->last * plan->splits;
    const int64_t row = (int64_t)p->unit->outputs * MYR_ACC_WORDS, sources = direct_source_end(p);
    int64_t first_bad = -1;
    direct_scratch scratch;
    const int ready = direct_scratch_make(p, plan, &scratch);
    int reporter = 1;
#ifdef _OPENMP
    reporter = omp_get_thread_num() == 0;
#pragma omp for schedule(dynamic, 1)
#endif
    for (int64_t n = begins; n < items; n++) {
        int stop;
#pragma omp atomic read
        stop = job->stop;
        if (stop || !ready)
            continue;
        const int64_t block = n / plan->splits, split = n % plan->splits;
        const int64_t first = block * plan->targets;
        const int64_t begin = at_most(p->part.source_first + split * plan->sources, sources);
        const direct_item item = {p,
                                  plan,
                                  &scratch,
                                  first,
                                  at_most(plan->targets, p->targets - first),
                                  begin,
                                  at_most(begin + plan->sources, sources)};
        direct_run_item(&item);
        if (job->parts)
            direct_save(&item, job->parts + n * plan->targets * row);
        else
            direct_finish_item(&item, job->result, job->net + block * row, &first_bad);
        int64_t done;
#pragma omp atomic capture
        done = ++job->done;
        if (reporter && direct_progress(p, done, items - begins)) {
#pragma omp atomic write
            job->stop = 1;
        }
    }
#pragma omp critical(myr_direct)
    {
        job->no_memory |= !ready;
        if (first_bad >= 0 && (job->first_bad < 0 || first_bad < job->first_bad))
            job->first_bad = first_bad;
        job->skipped += ready ? scratch.block.skipped : 0;
        job->flag |= ready ? scratch.block.flag : 0;
        for (int k = 0; ready && k < p->unit->outputs; k++)
            job->beyond[k] += scratch.block.beyond[k];
    }
    if (ready)
        direct_scratch_free(&scratch);
}

static void direct_finish(direct_job *job)
{
    const myr_direct *p = job->problem;
    myr_direct_result *result = job->result;
    const int64_t row = (int64_t)p->unit->outputs * MYR_ACC_WORDS;
    for (int64_t block = job->plan->first; block < job->plan->last; block++) {
        myr_word *net = job->net + block * row;
        if (job->parts)
            direct_finish_block(p, job->plan, block, job->parts, result, net, &job->first_bad);
        for (int k = 0; k < p->unit->outputs; k++)
            p->loops->merge(result->net[k], net + k * MYR_ACC_WORDS);
    }
    result->first_bad = job->first_bad;
    for (int k = 0; k < p->unit->outputs; k++)
        result->most[k] = result->net[k][0].f;
    memcpy(result->beyond, job->beyond, sizeof result->beyond);
    result->skipped = job->skipped;
    result->flag = job->flag;
    result->splits = job->plan->splits;
}

myr_status myr_direct_run(const myr_direct *problem, myr_direct_result *result)
{
    myr_direct_result_clear(result);
    if (problem->targets == 0) /* without targets there is nothing to plan */
        return MYR_OK;
    if (problem->gpu && problem->by_processor && problem->subtracted.offset)
        return myr_subtract_run(problem, result);
    if (problem->gpu)
        return myr_gpu_run(problem->gpu, problem, result);
    const direct_plan plan = direct_make_plan(problem);
    direct_job job = {.problem = problem, .plan = &plan, .result = result, .first_bad = -1};
    const size_t words = MYR_ACC_WORDS * sizeof(myr_word);
    job.net = myr_memory_zeros(plan.blocks * problem->unit->outputs, words);
    if (plan.splits > 1)
        job.parts = myr_memory_some(plan.blocks * plan.splits * plan.targets * problem->unit->outputs, words);
    if (!job.net || (plan.splits > 1 && !job.parts)) {
        free(job.net);
        return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for the sums of %lld targets",
                                (long long)problem->targets);
    }
    const int64_t items = (plan.last - plan.first) * plan.splits; /* a single item runs without starting threads */
    const int threads =
        myr_waiting_threads(problem->context, (int)at_most(myr_context_threads(problem->context), items),
                            WORK * (double)problem->targets * (double)problem->source.n);
    (void)threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    direct_thread(&job);
    if (!job.no_memory && !job.stop)
        direct_finish(&job);
    free(job.parts);
    free(job.net);
    if (job.no_memory)
        return myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for the work space of a thread");
    if (job.stop)
        return myr_context_fail(problem->context, MYR_ERROR_CANCELLED, "stopped on request during the evaluation");
    return MYR_OK;
}
