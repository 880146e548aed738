/* plain_run.c - an evaluation of a plug-in without a GPU: the scalar loops of the library, one pair at a time. */
#include "plain_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAG = 64, REALS = 64 };

/* One target's work. */
typedef struct {
    const myr_direct *job;
    int64_t target, row, self;
    double at[REALS], bag[BAG * REALS], constant[REALS], pairs[BAG * REALS]; /* reals of either size */
    int32_t offset[BAG];
    uint32_t mask[BAG];
    int64_t index[BAG];
    uint32_t flag;
    int64_t skipped;
    int64_t beyond[MYR_KERNEL_OUTPUTS_MAX];
} work;

static void put(const myr_unit *u, double *reals, int64_t at, double value)
{
    if (u->real_bytes == (int)sizeof(float))
        ((float *)(void *)reals)[at] = (float)value;
    else
        reals[at] = value;
}

static int is_listed(const myr_exclusions *list, int64_t row, int64_t j)
{
    for (int64_t e = list->offset ? list->offset[row] : 0; list->offset && e < list->offset[row + 1]; e++)
        if (list->partner[e] == j)
            return 1;
    return 0;
}

/* Sums of all outputs, as the loops keep them. */
typedef struct {
    myr_word words[MYR_KERNEL_OUTPUTS_MAX * MYR_ACC_LOOP_WORDS], over[MYR_KERNEL_OUTPUTS_MAX * MYR_ACC_WIDE_WORDS];
} sums;

static void sum_of(const sums *all, int k, myr_word *sum)
{
    memcpy(sum, all->words + k * MYR_ACC_LOOP_WORDS, sizeof(myr_word[MYR_ACC_LOOP_WORDS]));
    memcpy(sum + MYR_ACC_LOOP_WORDS, all->over + k * MYR_ACC_WIDE_WORDS, sizeof(myr_word[MYR_ACC_WIDE_WORDS]));
}

/* The sources index[0 .. steps) into the sums. */
static void pass(work *w, int64_t steps, sums *wide)
{
    const myr_direct *job = w->job;
    const myr_unit *u = job->unit;
    const int64_t place = job->at ? job->at[w->target] : w->target;
    int masked = job->careful;
    u->gather(w->bag, (const void *const *)job->source.component, u->source_lanes, w->index, steps);
    for (int64_t n = 0; n < steps; n++) {
        w->offset[n] = (int32_t)n * u->pair;
        w->mask[n] = w->index[n] != w->self && !is_listed(&job->excluded, w->row, w->index[n]);
        masked |= !w->mask[n];
        for (int k = 0; k < u->pair; k++)
            put(u, w->pairs, n * u->pair + k,
                job->pair_table[((int64_t)job->target.type[place] * job->types + job->source.type[w->index[n]]) *
                                    u->pair +
                                k]);
    }
    const myr_sweep sweep = {.target = w->at,
                             .bag = w->bag,
                             .constant = w->constant,
                             .pair_table = w->pairs,
                             .pair_offset = w->offset,
                             .mask = w->mask,
                             .steps = steps,
                             .scale = job->scale,
                             .wide = wide->words,
                             .over = wide->over,
                             .beyond = w->beyond,
                             .skipped = &w->skipped,
                             .flag = &w->flag};
    (masked ? job->loops->careful : job->loops->one)(&sweep);
}

static void sum_all(work *w, sums *wide)
{
    const int64_t all = w->job->source.n;
    const int64_t most = w->job->loops->max_steps < BAG ? w->job->loops->max_steps : BAG;
    for (int64_t j = 0; j < all; j += most) {
        const int64_t steps = all - j < most ? all - j : most;
        for (int64_t n = 0; n < steps; n++)
            w->index[n] = j + n;
        pass(w, steps, wide);
    }
}

/* Subtracts the listed pairs from finished sums. */
static void sum_subtracted(work *w, myr_word (*sum)[MYR_ACC_WORDS])
{
    const myr_exclusions *list = &w->job->subtracted;
    sums taken = {.words = {{0}}};
    const int64_t before = w->skipped;
    for (int64_t e = list->offset[w->row]; e < list->offset[w->row + 1]; e++) {
        w->index[0] = list->partner[e];
        pass(w, 1, &taken);
    }
    w->skipped = before - (w->skipped - before);
    for (int k = 0; k < w->job->unit->outputs; k++) {
        myr_word off[MYR_ACC_WORDS];
        sum_of(&taken, k, off);
        w->job->loops->negate(off);
        w->job->loops->merge(sum[k], off);
    }
}

static void evaluate(work *w, myr_direct_result *result)
{
    const myr_direct *job = w->job;
    const int outputs = job->unit->outputs;
    const int64_t place = job->at ? job->at[w->target] : w->target;
    sums wide = {.words = {{0}}};
    myr_word sum[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_WORDS];
    w->row = job->original ? job->original[w->target] : w->target;
    w->self = job->self && job->unit->desc->self != MYR_SELF_COUNTED ? job->self[w->target] : -1;
    job->unit->gather(w->at, (const void *const *)job->target.component, job->unit->target_lanes, &place, 1);
    sum_all(w, &wide);
    for (int k = 0; k < outputs; k++)
        sum_of(&wide, k, sum[k]);
    if (job->subtracted.offset)
        sum_subtracted(w, sum);
    for (int k = 0; k < outputs; k++) {
        const double value = job->loops->value(sum[k], &job->scale[k]) * job->factor;
        if (result->value[k])
            result->value[k][w->target] = value;
        if (!isfinite(value) && result->first_bad < 0)
            result->first_bad = w->target;
        job->loops->merge(result->net[k], sum[k]);
        if (result->sum)
            memcpy(result->sum + (w->target * outputs + k) * MYR_ACC_WORDS, sum[k], sizeof sum[k]);
    }
}

int plain_run(const myr_direct *job, myr_direct_result *result)
{
    memset(result->net, 0, sizeof result->net);
    result->flag = 0;
    result->skipped = 0;
    result->first_bad = -1;
    result->splits = 1;
    work *w = calloc(1, sizeof *w);
    if (!w)
        return 0;
    w->job = job;
    for (int k = 0; k < job->unit->constants; k++)
        put(job->unit, w->constant, k, job->constant[k]);
    for (w->target = 0; w->target < job->targets; w->target++)
        evaluate(w, result);
    result->flag = w->flag;
    result->skipped = w->skipped;
    memcpy(result->beyond, w->beyond, sizeof result->beyond);
    for (int k = 0; k < job->unit->outputs; k++)
        result->most[k] = result->net[k][0].f;
    free(w);
    return 1;
}
