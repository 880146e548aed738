/* pretended.c - a plug-in that pretends to have a GPU: the processor does its work with the same loops, one pair at a
 * time. What the library does about GPUs can be tested with it anywhere: moving to the processor when one is lost,
 * exclusions by the processor. $PRETENDED_LOST = k: the GPU is lost in evaluation k, from 0. $MYRIAD_CUDA_MEMORY below
 * 10000: there is no memory for anything. $PRETENDED_GPUS: how many there are. $PRETENDED_OPENED: a file that gets
 * $MYRIAD_CUDA_DEVICES each time the GPUs are opened. PRETENDED_OTHER = 1 compiles the plug-in
 * of another build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/abi.h"

#include "plain_run.h"

enum { MEMORY_LEAST = 10000 };

struct myr_cuda {
    const myr_cuda_host *host;
    int runs;
};

static myr_status pretended_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result)
{
    const char *lost = getenv("PRETENDED_LOST"), *memory = getenv("MYRIAD_CUDA_MEMORY");
    if (memory && atoll(memory) < MEMORY_LEAST)
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "GPU: no memory, as pretended");
    if (lost && cuda->runs++ >= atoi(lost))
        return cuda->host->fail(job->context, MYR_ERROR_UNAVAILABLE, "GPU: lost, as pretended");
    return plain_run(job, result) ? MYR_OK : cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory");
}

static myr_status pretended_open(const myr_cuda_host *host, myr_context *context, myr_cuda **cuda)
{
    const char *path = getenv("PRETENDED_OPENED"), *devices = getenv("MYRIAD_CUDA_DEVICES");
    FILE *file = path ? fopen(path, "a") : NULL;
    *cuda = calloc(1, sizeof **cuda);
    if (file) {
        fprintf(file, "%s\n", devices ? devices : "all");
        fclose(file);
    }
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
    const char *count = getenv("PRETENDED_GPUS");
    return k < (count ? atoi(count) : 1);
}

/* $PRETENDED_USED: a file that gets the number of the GPU. */
static void pretended_use(myr_cuda *cuda, int k)
{
    const char *count = getenv("PRETENDED_GPUS"), *path = getenv("PRETENDED_USED");
    FILE *file = path ? fopen(path, "a") : NULL;
    (void)cuda;
    if (!file)
        return;
    fprintf(file, "%d\n", k % (count ? atoi(count) : 1));
    fclose(file);
}

/* Arrays that stay on the device. Every step is left to the processor, as after a sum that exceeded its range. */
struct myr_cuda_motion {
    int arrays;
    size_t bytes; /* of one array */
    double *const *host;
    double *device;
};

/* $PRETENDED_MOTION: arrays of particles stay on the device; otherwise nothing does. */
static myr_status pretended_motion(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                                   myr_cuda_motion **motion)
{
    const int arrays = set->arrays;
    *motion = NULL;
    if (!getenv("PRETENDED_MOTION"))
        return MYR_ERROR_COMBINATION;
    const size_t bytes = (size_t)job->target.n * sizeof(double), list = (size_t)arrays * sizeof *set->array;
    myr_cuda_motion *m = calloc(1, sizeof *m + list);
    double *device = malloc((size_t)arrays * bytes + 1);
    if (!m || !device) {
        free(m);
        free(device);
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory");
    }
    *m = (myr_cuda_motion){.arrays = arrays, .bytes = bytes, .host = (double *const *)(m + 1), .device = device};
    memcpy(m + 1, set->array, list);
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

static myr_status pretended_sum(myr_cuda_motion *motion, const motion_sum *sum)
{
    (void)motion, (void)sum;
    return MYR_OK;
}

static myr_status pretended_rates(myr_cuda_motion *motion, const myr_direct *job, double *const x[3],
                                  double *const v[3], double *const *value)
{
    (void)motion, (void)job, (void)x, (void)v, (void)value;
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
    .use = pretended_use,
    .run = pretended_run,
    .motion_open = pretended_motion,
    .motion_close = pretended_motion_close,
    .motion_send = pretended_send,
    .motion_fetch = pretended_fetch,
    .motion_keep = pretended_keep,
    .motion_sum = pretended_sum,
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
