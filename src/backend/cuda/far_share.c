/* far_share.c - evaluations of far fields whose particles are in memory of the host: they are copied to the devices,
 * and values back. Several devices share the targets: each builds the whole tree and all multipoles, and makes lists,
 * translations and sums for its part of the targets in tree order. Cells and lists are those of one device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/far_run.h"

enum { SHARE_LEAST = 1000 }; /* targets per device */

/* Number of devices of this process that evaluate a job; of several ranks each has one. */
static int share_count(const myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    int devices = 1;
    if (options->ranks)
        return 1;
    while (far->peer && job->source.n >= (int64_t)SHARE_LEAST * (devices + 1)) {
        far = far->peer;
        devices++;
    }
    return devices;
}

/* Copies the particles to a device and starts its part, number `number` of `parts`. */
static myr_status share_begin(far_run *r, int number, int parts, double **value)
{
    myr_cuda_far *far = r->far;
    const int64_t n = r->job->source.n;
    const size_t outputs = (size_t)r->job->unit->outputs;
    far->share[0] = (int32_t)(n * number / parts);
    far->share[1] = (int32_t)(n * (number + 1) / parts);
    r->is_shared = parts > 1;
    r->value = value;
    myr_status status = cuda_far_send(far, r->job, r->options);
    if (!status)
        status = cuda_far_room(far, FAR_VALUES, (size_t)n * outputs * sizeof(double), 0);
    for (size_t k = 0; k < outputs && !status; k++)
        value[k] = (double *)far_at(far, FAR_VALUES) + (int64_t)k * n;
    return status ? status : cuda_far_begin(r);
}

static myr_status share_settle(const far_run *r)
{
    return cuda_far_check(r->far, cudaStreamSynchronize(r->far->device.stream), "copying");
}

/* Values of all targets, in the order of the caller. */
static myr_status share_all(const far_run *r, const myr_cuda_report *found, myr_direct_result *result)
{
    const size_t bytes = (size_t)r->job->source.n * sizeof(double);
    myr_status status = MYR_OK;
    for (int k = 0; k < r->job->unit->outputs && !status; k++)
        if (result->value[k])
            status = cuda_far_copy(r, result->value[k], r->value[k], bytes);
    if (found->bad)
        result->first_bad = 0x7fffffff - found->bad;
    return status ? status : share_settle(r);
}

/* Values of a device's or rank's part of the targets, which are in tree order; room has [own][1 + outputs] doubles. */
static myr_status share_part(const far_run *r, int64_t first, int64_t own, double *room, myr_direct_result *result)
{
    const int outputs = r->job->unit->outputs;
    int32_t *order = (void *)(room + own * outputs);
    myr_status status = cuda_far_copy(r, order, (const int32_t *)far_at(r->far, FAR_ORDER_0 + r->from) + first,
                                      (size_t)own * sizeof *order);
    for (int k = 0; k < outputs && !status; k++)
        status = cuda_far_copy(r, room + k * own, r->value[k] + first, (size_t)own * sizeof *room);
    if (!status)
        status = share_settle(r);
    for (int k = 0; k < outputs && !status; k++)
        for (int64_t i = 0; i < own; i++) {
            const double value = room[k * own + i];
            if (result->value[k])
                result->value[k][order[i]] = value;
            if (!isfinite(value) && (result->first_bad < 0 || order[i] < result->first_bad))
                result->first_bad = order[i];
        }
    for (int64_t i = 0; r->options->order && !status && i < own; i++)
        r->options->order[i] = order[i];
    if (r->options->own)
        *r->options->own = own;
    return status;
}

/* Waits for a device and fetches its values. */
static myr_status share_end(far_run *r, myr_direct_result *result)
{
    const myr_far_state *state = r->far->state;
    myr_cuda_report found;
    myr_status status = cuda_far_check(r->far, cudaSetDevice(r->far->device.id), "choosing a device");
    if (!status)
        status = cuda_far_end(r, &found);
    if (status)
        return status;
    result->flag |= found.flag;
    result->skipped += (int64_t)found.skipped;
    if (!r->is_shared)
        return share_all(r, &found, result);
    const int64_t first = 0x7fffffff - state->own[0], own = state->own[1] - first;
    if (r->options->own)
        *r->options->own = 0;
    if (state->own[1] == 0) /* a leaf of another device has all */
        return MYR_OK;
    double *room = malloc((size_t)own * (1 + (size_t)r->job->unit->outputs) * sizeof *room);
    status = room ? share_part(r, first, own, room, result)
                  : r->far->cuda->host->fail(r->job->context, MYR_ERROR_MEMORY, "no memory for %lld targets",
                                             (long long)own);
    free(room);
    return status;
}

/* Adds what another device has counted. */
static void share_add(const myr_cuda_far_report *one, myr_cuda_far_report *all)
{
    all->pairs += one->pairs;
    all->translations += one->translations;
    all->products += one->products;
    all->replaced += one->replaced;
    all->far_targets += one->far_targets;
    all->far_sources += one->far_sources;
    all->bytes += one->bytes;
    for (int k = 0; k < MYR_CUDA_FAR_PARTS; k++)
        all->seconds[k] = fmax(all->seconds[k], one->seconds[k]);
}

myr_status cuda_far_run(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                        myr_direct_result *result, myr_cuda_far_report *report)
{
    double *value[CUDA_DEVICES_MAX][MYR_KERNEL_OUTPUTS_MAX];
    far_run r[CUDA_DEVICES_MAX];
    const int devices = share_count(far, job, options);
    const int parts = options->ranks ? options->ranks : devices;
    myr_status status = MYR_OK;
    memset(report, 0, sizeof *report);
    memset(r, 0, sizeof r);
    for (int k = 0; k < devices && !status; k++, far = far->peer) { /* starts all devices before waiting for any */
        r[k] = (far_run){.far = far, .job = job, .options = options};
        status = share_begin(&r[k], options->ranks ? options->rank : k, parts, value[k]);
    }
    for (int k = 0; k < devices && !status; k++)
        status = share_end(&r[k], result);
    for (int k = 0; k < devices && !status; k++) {
        myr_cuda_far_report one = {.pairs = 0};
        status = cuda_far_report(r[k].far, k ? &one : report);
        if (k)
            share_add(&one, report);
    }
    return status;
}
