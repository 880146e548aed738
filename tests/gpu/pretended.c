/* pretended.c - a plug-in that pretends to have a GPU: the processor does its work with the same loops, one pair at a
 * time. What the library does about GPUs can be tested with it anywhere: moving to the processor when one is lost,
 * exclusions by the processor. $PRETENDED_LOST = k: the GPU is lost in evaluation k, from 0. $MYRIAD_CUDA_MEMORY below
 * 10000: there is no memory for anything. PRETENDED_OTHER = 1 compiles the plug-in of another build. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/abi.h"
#include "backend/cuda/cuda_plugin.h"

enum { BAG = 64, REALS = 64, MEMORY_LEAST = 10000 };

struct myr_cuda {
    const myr_cuda_host *host;
    int runs;
};

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

static myr_status pretended_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result)
{
    const char *lost = getenv("PRETENDED_LOST"), *memory = getenv("MYRIAD_CUDA_MEMORY");
    memset(result->net, 0, sizeof result->net);
    result->flag = 0;
    result->skipped = 0;
    result->first_bad = -1;
    result->splits = 1;
    if (memory && atoll(memory) < MEMORY_LEAST)
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "GPU: no memory, as pretended");
    if (lost && cuda->runs++ >= atoi(lost))
        return cuda->host->fail(job->context, MYR_ERROR_UNAVAILABLE, "GPU: lost, as pretended");
    work *w = calloc(1, sizeof *w);
    if (!w)
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory");
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
    return MYR_OK;
}

static myr_status pretended_open(const myr_cuda_host *host, myr_context *context, myr_cuda **cuda)
{
    *cuda = calloc(1, sizeof **cuda);
    if (!*cuda)
        return host->fail(context, MYR_ERROR_MEMORY, "no memory");
    (*cuda)->host = host;
    return MYR_OK;
}

static void pretended_close(myr_cuda *cuda)
{
    free(cuda);
}

static int pretended_device(const myr_cuda *cuda, int k, myr_cuda_device *device)
{
    (void)cuda;
    *device = (myr_cuda_device){"pretended", 9, 0, 132, 1e9};
    return k == 0;
}

/* Arrays that stay on the device. Every step is left to the processor, as after a sum that exceeded its range. */
struct myr_cuda_motion {
    int arrays;
    size_t bytes; /* of one array */
    double *const *host;
    double *device;
};

/* $PRETENDED_MOTION: arrays of particles stay on the device; otherwise nothing does. */
static myr_status pretended_motion(myr_cuda *cuda, const myr_direct *job, int velocity, int arrays,
                                   double *const *array, myr_cuda_motion **motion)
{
    (void)velocity;
    *motion = NULL;
    if (!getenv("PRETENDED_MOTION"))
        return MYR_ERROR_COMBINATION;
    const size_t bytes = (size_t)job->source.n * sizeof(double), list = (size_t)arrays * sizeof *array;
    myr_cuda_motion *m = calloc(1, sizeof *m + list);
    double *device = malloc((size_t)arrays * bytes + 1);
    if (!m || !device) {
        free(m);
        free(device);
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory");
    }
    *m = (myr_cuda_motion){.arrays = arrays, .bytes = bytes, .host = (double *const *)(m + 1), .device = device};
    memcpy(m + 1, array, list);
    *motion = m;
    return MYR_OK;
}

static void pretended_motion_close(myr_cuda_motion *motion)
{
    free(motion->device);
    free(motion);
}

static myr_status pretended_send(myr_cuda_motion *motion)
{
    for (int k = 0; k < motion->arrays; k++)
        memcpy((char *)motion->device + (size_t)k * motion->bytes, motion->host[k], motion->bytes);
    return MYR_OK;
}

static myr_status pretended_fetch(myr_cuda_motion *motion)
{
    for (int k = 0; k < motion->arrays; k++)
        memcpy(motion->host[k], (char *)motion->device + (size_t)k * motion->bytes, motion->bytes);
    return MYR_OK;
}

static myr_status pretended_keep(myr_cuda_motion *motion, int back)
{
    (void)motion, (void)back;
    return MYR_OK;
}

static myr_status pretended_add(myr_cuda_motion *motion, double *const *to, const double *const *from, double factor)
{
    (void)motion, (void)to, (void)from, (void)factor;
    return MYR_OK;
}

static myr_status pretended_rates(myr_cuda_motion *motion, const myr_direct *job, double *const x[3],
                                  double *const v[3], int first, double *const rate[3])
{
    (void)motion, (void)job, (void)x, (void)v, (void)first, (void)rate;
    return MYR_OK;
}

static myr_status pretended_settle(myr_cuda_motion *motion, int *fine)
{
    (void)motion;
    *fine = 0;
    return MYR_OK;
}

static myr_status pretended_address(myr_cuda_motion *motion, const double *host, const double **at, int *device)
{
    *at = NULL;
    *device = 0;
    for (int k = 0; k < motion->arrays; k++)
        if (motion->host[k] == host)
            *at = motion->device + (size_t)k * motion->bytes / sizeof(double);
    return MYR_OK;
}

static myr_status pretended_hermite(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                                    myr_cuda_blocks_done *done)
{
    (void)motion, (void)job, (void)blocks;
    *done = (myr_cuda_blocks_done){.stopped = 1};
    return MYR_OK;
}

/* Some numbers, so that benchmarks can be seen to run. */
static myr_status pretended_time(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds)
{
    (void)cuda, (void)job;
    for (int k = 0; k < samples; k++)
        seconds[k] = 1e-3;
    return MYR_OK;
}

static myr_status pretended_issue(myr_cuda *cuda, myr_context *context, int in_double, double *rate)
{
    (void)cuda, (void)context;
    *rate = in_double ? 1e12 : 2e12;
    return MYR_OK;
}

static myr_status pretended_code(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on,
                                 int motion, myr_cuda_code *code)
{
    (void)on, (void)motion;
    *code = (myr_cuda_code){NULL, 0, 0};
    return host->fail(job->context, MYR_ERROR_UNAVAILABLE, "GPU: no machine code, it is pretended");
}

static const myr_cuda_plugin plugin = {
    .abi = MYR_CUDA_ABI ^ PRETENDED_OTHER,
    .open = pretended_open,
    .close = pretended_close,
    .device = pretended_device,
    .run = pretended_run,
    .motion_open = pretended_motion,
    .motion_close = pretended_motion_close,
    .motion_send = pretended_send,
    .motion_fetch = pretended_fetch,
    .motion_keep = pretended_keep,
    .motion_add = pretended_add,
    .motion_rates = pretended_rates,
    .motion_settle = pretended_settle,
    .motion_address = pretended_address,
    .motion_hermite = pretended_hermite,
    .time = pretended_time,
    .issue = pretended_issue,
    .code = pretended_code,
};

__attribute__((visibility("default"))) const myr_cuda_plugin *myr_cuda_plugin_get(void);

const myr_cuda_plugin *myr_cuda_plugin_get(void)
{
    return &plugin;
}
