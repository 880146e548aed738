/* motion.c - particles integrated on a device: arrays of doubles in device memory, and sums of these. The host copies
 * results on request. Rates are evaluated by motion_direct.c, far_motion.c or mesh_motion.c. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/motion_inside.h"

double *cuda_motion_array(const myr_cuda_motion *m, const double *host)
{
    for (int k = 0; host && k < m->arrays; k++)
        if (m->array[k] == host)
            return (double *)m->device->buffer[BUFFER_ARRAYS].at + k * m->n;
    return NULL;
}

myr_status cuda_motion_check(const myr_cuda_motion *m, cudaError_t error, const char *what)
{
    return cuda_check(m->cuda, m->context, error, what);
}

myr_status cuda_motion_clear_report(const myr_cuda_motion *m)
{
    return cuda_motion_check(
        m, cudaMemsetAsync(m->device->buffer[BUFFER_REPORT].at, 0, sizeof(myr_cuda_report), m->device->stream),
        "clearing the report");
}

/* --- life --------------------------------------------------------------------------------------------------------- */

myr_status cuda_motion_make(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                            myr_cuda_motion **motion)
{
    if (set->arrays > MOTION_ARRAYS)
        return MYR_ERROR_COMBINATION;
    myr_cuda_motion *m = calloc(1, sizeof *m);
    *motion = m;
    if (!m)
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for a motion");
    m->cuda = cuda;
    m->context = job->context;
    m->device = &m->own;
    m->n = job->target.n;
    m->velocity = set->velocity;
    m->arrays = set->arrays;
    m->scratch = set->scratch;
    memcpy(m->array, set->array, (size_t)set->arrays * sizeof *set->array);
    return MYR_OK;
}

myr_status cuda_motion_rooms(myr_cuda_motion *m)
{
    const size_t bytes = (size_t)m->arrays * (size_t)m->n * sizeof(double);
    myr_status status = cuda_room(m->cuda, m->context, m->device, BUFFER_ARRAYS, bytes);
    if (!status)
        status = cuda_room(m->cuda, m->context, m->device, BUFFER_REPORT, sizeof(myr_cuda_report));
    return status ? status : cuda_motion_clear_report(m);
}

void cuda_motion_close(myr_cuda_motion *motion)
{
    if (!motion)
        return;
    if (motion->far)
        cuda_far_motion_close(motion->far); /* with its device */
    else if (motion->mesh)
        cuda_mesh_motion_close(motion->mesh); /* likewise */
    else if (motion->own.stream)
        cuda_device_release(&motion->own);
    free(motion);
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static myr_status motion_copy(myr_cuda_motion *m, int to_host)
{
    const size_t size = (size_t)m->n * sizeof(double);
    myr_status status = cuda_motion_check(m, cudaSetDevice(m->device->id), "choosing a device");
    if (!status)
        status = m->move(m, 0);
    if (!status)
        status = cuda_batch_end(m->cuda, m->context, m->device);
    for (int k = 0; !status && k < m->arrays - m->scratch; k++) {
        double *there = cuda_motion_array(m, m->array[k]);
        status = cuda_motion_check(
            m,
            to_host ? cudaMemcpyAsync(m->array[k], there, size, cudaMemcpyDeviceToHost, m->device->stream)
                    : cudaMemcpyAsync(there, m->array[k], size, cudaMemcpyHostToDevice, m->device->stream),
            to_host ? "copying from the device" : "copying to the device");
    }
    return status ? status : cuda_motion_check(m, cudaStreamSynchronize(m->device->stream), "copying");
}

myr_status cuda_motion_send(myr_cuda_motion *motion)
{
    return motion_copy(motion, 0);
}

myr_status cuda_motion_fetch(myr_cuda_motion *motion)
{
    return motion_copy(motion, 1);
}

myr_status cuda_motion_keep(myr_cuda_motion *motion, int back)
{
    myr_cuda_motion *m = motion;
    const size_t bytes = (size_t)(m->arrays - m->scratch) * (size_t)m->n * sizeof(double);
    myr_status status = cuda_motion_check(m, cudaSetDevice(m->device->id), "choosing a device");
    if (!status)
        status = cuda_room(m->cuda, m->context, m->device, BUFFER_KEPT, bytes);
    if (back) { /* pending sums belong to the discarded state */
        m->waiting.sums = 0;
        cuda_batch_drop(m->device);
    }
    if (!status)
        status = m->move(m, 0);
    void *now = m->device->buffer[BUFFER_ARRAYS].at, *kept = m->device->buffer[BUFFER_KEPT].at;
    if (!status)
        status = cuda_motion_check(
            m,
            cudaMemcpyAsync(back ? now : kept, back ? kept : now, bytes, cudaMemcpyDeviceToDevice, m->device->stream),
            "copying on the device");
    /* the launches of a far field depend on its tree, and those of transforms are not ours: they cannot be recorded */
    return status || back || m->far || m->mesh ? status : cuda_batch_begin(m->cuda, m->context, m->device);
}

/* --- fixed steps -------------------------------------------------------------------------------------------------- */

myr_status cuda_motion_sum(myr_cuda_motion *motion, const motion_sum *sum)
{
    myr_cuda_move *w = &motion->waiting;
    const myr_status status = w->sums == MYR_CUDA_SUMS ? motion->move(motion, 0) : MYR_OK;
    motion_sum *there = &w->sum[w->sums++];
    *there = *sum;
    there->to = cuda_motion_array(motion, sum->to);
    there->base = cuda_motion_array(motion, sum->base);
    there->from = cuda_motion_array(motion, sum->from);
    there->other = cuda_motion_array(motion, sum->other);
    return status;
}

myr_status cuda_motion_rates(myr_cuda_motion *motion, const myr_direct *job, double *const x[3], double *const v[3],
                             double *const *value)
{
    myr_cuda_bodies *b = &motion->waiting.bodies;
    double *there[MYR_KERNEL_OUTPUTS_MAX] = {NULL};
    for (int c = 0; c < 3; c++) {
        b->x[c] = cuda_motion_array(motion, x[c]);
        b->v[c] = cuda_motion_array(motion, v[c]);
    }
    for (int k = 0; k < job->unit->outputs; k++)
        there[k] = cuda_motion_array(motion, value[k]);
    return motion->rates(motion, job, there);
}

myr_status cuda_motion_settle(myr_cuda_motion *motion, int *fine)
{
    myr_cuda_report report = {0};
    myr_status status = motion->move(motion, 0);
    if (!status)
        status = cuda_batch_end(motion->cuda, motion->context, motion->device);
    if (!status)
        status = cuda_motion_check(motion,
                                   cudaMemcpyAsync(&report, motion->device->buffer[BUFFER_REPORT].at, sizeof report,
                                                   cudaMemcpyDeviceToHost, motion->device->stream),
                                   "copying from the device");
    if (!status)
        status = cuda_motion_check(motion, cudaStreamSynchronize(motion->device->stream), "integrating");
    *fine = !status && !report.flag && !report.bad && !motion->trouble;
    motion->trouble = 0;
    return status || *fine ? status : cuda_motion_clear_report(motion);
}

myr_status cuda_motion_address(myr_cuda_motion *motion, const double *host, const double **at, int *device)
{
    *at = cuda_motion_array(motion, host);
    *device = motion->device->id;
    return cuda_motion_check(motion, cudaStreamSynchronize(motion->device->stream),
                             "waiting for the arrays of a motion");
}
