/* motion_direct.c - particles integrated on a device with direct sums: records made from the arrays for the sweeps, and
 * the launches of motion.cuh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/motion_inside.h"

enum { HERMITE_THREADS = 256, HERMITE_SLICES = 16, HERMITE_OUTPUTS = 6, HERMITE_ROOM = 15 };

static void motion_arrays(const myr_cuda_motion *m, double *const host[3], double *device[3])
{
    for (int c = 0; c < 3; c++)
        device[c] = cuda_motion_array(m, host[c]);
}

/* Returns 1 if every field of a target is the source's field of the same particle, so that a target is its own source
 * record. */
static int job_can_stay(const myr_direct *job)
{
    const myr_kernel_desc *d = job->unit->desc;
    for (int k = 0; k < MYR_KERNEL_FIELDS && d->target[k].name; k++)
        if (!d->source[k].name || strcmp(d->target[k].name, d->source[k].name) != 0)
            return 0;
    return d->coords == 3 && !job->subtracted.offset && job->source.n > 0 && job->target.n <= INT32_MAX;
}

static cuda_evaluation motion_evaluation(myr_cuda_motion *m, const myr_direct *job)
{
    cuda_evaluation e = {.cuda = m->cuda, .device = m->device, .job = job, .count = m->n};
    cuda_evaluation_shape(&e);
    e.variant.resident = 1;
    e.variant.motion = 1;
    e.variant.careful = job->excluded.offset ? 2 : job->careful || job->unit->desc->self == MYR_SELF_SKIPPED;
    return e;
}

static myr_status motion_room(myr_cuda_motion *m, cuda_buffer_id id, size_t size)
{
    return cuda_room(m->cuda, m->context, m->device, id, size);
}

static dim3 motion_grid(const myr_cuda_motion *m)
{
    const dim3 grid = {(unsigned)((m->n + MYR_CUDA_BLOCK - 1) / MYR_CUDA_BLOCK), 1, 1};
    return grid;
}

/* Launches the pending sums, and updates records if `records` is 1. */
static myr_status motion_move(myr_cuda_motion *m, int records)
{
    myr_cuda_move *w = &m->waiting;
    if (!w->sums && !records)
        return MYR_OK;
    w->bodies.n = m->n;
    w->bodies.record = records ? m->device->buffer[BUFFER_SOURCES].at : NULL;
    w->bodies.velocity = m->velocity;
    const cuda_call call = {m->program->move, motion_grid(m), MYR_CUDA_BLOCK, 0, w, sizeof *w, "moving", 0};
    const myr_status status = cuda_launch(m->cuda, m->context, m->device, &call);
    w->sums = 0;
    return status;
}

/* --- fixed steps -------------------------------------------------------------------------------------------------- */

static myr_status motion_rates(myr_cuda_motion *m, const myr_direct *job, double *const *value)
{
    const cuda_program *program = NULL;
    cuda_evaluation e = motion_evaluation(m, job);
    myr_cuda_sweep a;
    myr_status status = cuda_program_get(m->cuda, m->context, m->device, &e.variant, &program);
    const int64_t splits = e.shape.splits;
    if (!status && splits > 1)
        status = motion_room(m, BUFFER_PART, (size_t)(m->n * job->unit->outputs * splits) * CUDA_SUM);
    if (!status) {
        m->program = program;
        status = motion_move(m, 1);
    }
    if (status)
        return status;
    cuda_evaluation_arguments(&e, m->n, &a);
    a.self = NULL; /* a target on the device is identified by its index */
    a.row = NULL;
    a.sources = job->source.n;
    for (int k = 0; k < job->unit->outputs; k++)
        a.value[k] = value[k];
    if (splits == 1)
        a.part = NULL;
    status = cuda_evaluation_sweep(&e, program, &a, splits);
    return status || splits == 1 ? status : cuda_evaluation_finish(&e, program, &a, splits);
}

/* Fills records with the fields that do not move, tables and working memory. */
static myr_status motion_fill(myr_cuda_motion *m, const myr_direct *job)
{
    const cuda_program *program = NULL;
    cuda_evaluation e = motion_evaluation(m, job);
    myr_status status = cuda_program_get(m->cuda, m->context, m->device, &e.variant, &program);
    m->program = program;
    if (!status)
        status = cuda_evaluation_send_sources(&e, program, 0, m->n);
    if (!status)
        status = cuda_evaluation_send_pairs(&e);
    if (!status)
        status = cuda_evaluation_send_exclusions(&e);
    if (!status && job->unit->pair)
        status = cuda_upload(m->cuda, m->context, m->device, BUFFER_TARGET_TYPE, job->source.type,
                             (size_t)m->n * sizeof *job->source.type);
    if (!status)
        status = cuda_room_over(m->cuda, m->context, m->device, m->n, job->unit->outputs);
    return status ? status : cuda_motion_rooms(m);
}

myr_status cuda_motion_open(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                            myr_cuda_motion **motion)
{
    *motion = NULL;
    if (!job_can_stay(job))
        return MYR_ERROR_COMBINATION;
    myr_cuda_motion *m;
    myr_status status = cuda_motion_make(cuda, job, set, &m);
    if (status)
        return status;
    m->move = motion_move;
    m->rates = motion_rates;
    status = cuda_device_copy(cuda, m->context, &cuda->device[0], m->device);
    if (!status)
        status = motion_fill(m, job);
    if (status) {
        cuda_motion_close(m);
        return status;
    }
    *motion = m;
    return MYR_OK;
}

/* --- block steps -------------------------------------------------------------------------------------------------- */
static cuda_evaluation hermite_evaluation(myr_cuda_motion *m, const myr_direct *job)
{
    cuda_evaluation e = motion_evaluation(m, job);
    e.shape.targets = e.variant.targets = 1;
    e.shape.slices = e.variant.slices = HERMITE_SLICES;
    e.shape.threads = e.variant.threads = HERMITE_THREADS;
    e.shape.steps = e.variant.steps = 2;
    e.shape.blocks = e.variant.blocks = 2;
    e.variant.outputs = HERMITE_OUTPUTS;
    e.variant.motion = 2;
    /* without a potential output self pairs contribute nothing */
    e.variant.careful = job->excluded.offset ? 2 : job->careful;
    e.shape.bag = (16 << 10) / (e.source_stride * job->unit->real_bytes);
    return e;
}

cuda_variant cuda_motion_variant(myr_cuda *cuda, const cuda_device *device, const myr_direct *job, int blocks)
{
    myr_cuda_motion m = {.cuda = cuda, .context = job->context, .own = *device, .device = &m.own, .n = job->target.n};
    const cuda_evaluation e = blocks ? hermite_evaluation(&m, job) : motion_evaluation(&m, job);
    return e.variant;
}

/* Number of blocks that are resident at the same time. */
static myr_status hermite_blocks(const myr_cuda_motion *m, const cuda_program *program, size_t shared, unsigned *blocks)
{
    int each = 0;
    myr_status status = cuda_motion_check(
        m,
        cudaFuncSetAttribute((const void *)program->hermite, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared),
        "preparing block steps");
    if (!status)
        status = cuda_motion_check(m,
                                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)program->hermite,
                                                                                 HERMITE_THREADS, shared),
                                   "preparing block steps");
    each = each > 2 ? 2 : each; /* more blocks only lengthen the synchronisation */
    *blocks = (unsigned)(each * m->device->properties.multiProcessorCount);
    return status;
}

static myr_status hermite_rooms(myr_cuda_motion *m, unsigned blocks)
{
    const size_t n = (size_t)m->n, wide = HERMITE_THREADS / HERMITE_SLICES;
    /* work items: a group for every `wide` active particles and a split for every idle block */
    const size_t parts = (n + wide + (size_t)blocks * wide) * HERMITE_OUTPUTS;
    myr_status status = motion_room(m, BUFFER_PART, parts * CUDA_SUM);
    if (!status)
        status = motion_room(m, BUFFER_ACTIVE, n * sizeof(int32_t));
    if (!status)
        status = motion_room(m, BUFFER_ROOM, HERMITE_ROOM * n * sizeof(double));
    return status ? status : motion_room(m, BUFFER_PROGRESS, sizeof(myr_cuda_progress));
}

static void hermite_arguments(myr_cuda_motion *m, const cuda_evaluation *e, const myr_cuda_blocks *b,
                              myr_cuda_hermite *h)
{
    memset(h, 0, sizeof *h);
    cuda_evaluation_arguments(e, m->n, &h->sweep);
    h->sweep.self = NULL;
    h->sweep.row = NULL;
    h->sweep.at = m->device->buffer[BUFFER_ACTIVE].at;
    h->sweep.sources = e->job->source.n;
    motion_arrays(m, b->x, h->bodies.x);
    motion_arrays(m, b->v, h->bodies.v);
    motion_arrays(m, b->a, h->bodies.a);
    motion_arrays(m, b->j, h->bodies.j);
    h->bodies.own = cuda_motion_array(m, b->own);
    h->bodies.step = cuda_motion_array(m, b->step);
    h->bodies.end = cuda_motion_array(m, b->end);
    h->bodies.record = m->device->buffer[BUFFER_SOURCES].at;
    h->bodies.n = m->n;
    h->bodies.velocity = m->velocity;
    h->progress = m->device->buffer[BUFFER_PROGRESS].at;
    h->active = m->device->buffer[BUFFER_ACTIVE].at;
    h->room = m->device->buffer[BUFFER_ROOM].at;
    h->time = b->time;
    h->origin = b->origin;
    h->unit = b->unit;
    h->eta = b->eta;
    h->dt_min = b->dt_min;
    h->stop = b->stop;
    h->until = b->until;
    h->most = b->most;
    h->renew_after = b->renew_after;
    h->work = (double)INFINITY;
}

/* Launches block steps, waits, and undoes the last step if the device requests it. */
static myr_status hermite_run(myr_cuda_motion *m, const cuda_program *program, myr_cuda_hermite *h, unsigned blocks,
                              size_t shared, myr_cuda_progress *progress)
{
    void *list[] = {h};
    const dim3 grid = {blocks, 1, 1}, block = {HERMITE_THREADS, 1, 1};
    memset(progress, 0, sizeof *progress);
    progress->next[0] = ~0ull;
    myr_status status = cuda_motion_check(
        m, cudaMemcpyAsync(h->progress, progress, sizeof *progress, cudaMemcpyHostToDevice, m->device->stream),
        "copying to the device");
    if (!status)
        status = cuda_motion_check(
            m,
            cudaLaunchCooperativeKernel((const void *)program->hermite, grid, block, list, shared, m->device->stream),
            "block steps");
    if (!status)
        status = cuda_motion_check(
            m, cudaMemcpyAsync(progress, h->progress, sizeof *progress, cudaMemcpyDeviceToHost, m->device->stream),
            "copying from the device");
    if (!status)
        status = cuda_motion_check(m, cudaStreamSynchronize(m->device->stream), "block steps");
    if (!status && progress->undo)
        status = cuda_launch(
            m->cuda, m->context, m->device,
            &(cuda_call){program->undo, motion_grid(m), MYR_CUDA_BLOCK, 0, h, sizeof *h, "taking a step back", 0});
    if (!status && progress->state == MYR_CUDA_STOPPED)
        status = cuda_motion_clear_report(m);
    return status;
}

myr_status cuda_motion_hermite(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                               myr_cuda_blocks_done *done)
{
    myr_cuda_motion *m = motion;
    const cuda_program *program = NULL;
    const cuda_evaluation e = hermite_evaluation(m, job);
    const size_t shared = cuda_evaluation_shared(&e);
    unsigned count = 0;
    myr_cuda_hermite h;
    myr_cuda_progress progress;
    myr_status status = cuda_program_get(m->cuda, m->context, m->device, &e.variant, &program);
    if (!status)
        status = hermite_blocks(m, program, shared, &count);
    if (!status)
        status = hermite_rooms(m, count);
    if (status)
        return status;
    hermite_arguments(m, &e, blocks, &h);
    status = hermite_run(m, program, &h, count, shared, &progress);
    if (status)
        return status;
    done->time = progress.time;
    done->steps = progress.steps;
    done->particle_steps = progress.particle_steps;
    done->active = progress.last;
    done->at_end = progress.state == MYR_CUDA_AT_END;
    done->stopped = progress.state == MYR_CUDA_STOPPED || progress.state == MYR_CUDA_RENEW;
    return MYR_OK;
}
