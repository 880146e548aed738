/* molecule.c - molecules on a device: memory, and the launches of molecule.cuh. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/molecule_inside.h"

myr_status cuda_molecule_check(const myr_cuda_molecule *m, cudaError_t error, const char *what)
{
    return cuda_check(m->cuda, m->context, error, what);
}

myr_status cuda_molecule_room(myr_cuda_molecule *m, void *pointer, size_t bytes)
{
    void *at = NULL;
    if (m->rooms == MOLECULE_ROOMS)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "GPU: too many arrays");
    if (m->cuda->limit && m->bytes + bytes > m->cuda->limit)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY,
                                   "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it",
                                   bytes, m->cuda->limit);
    myr_status status =
        cuda_molecule_check(m, cudaMallocAsync(&at, bytes ? bytes : 1, m->device.stream), "allocating memory");
    if (status)
        return status;
    m->room[m->rooms++] = at;
    m->bytes += bytes;
    memcpy(pointer, &at, sizeof at);
    return cuda_molecule_check(m, cudaMemsetAsync(at, 0, bytes, m->device.stream), "clearing memory");
}

static myr_status molecule_copy(const myr_cuda_molecule *m, void *to, const void *from, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return bytes ? cuda_molecule_check(m, cudaMemcpyAsync(to, from, bytes, kind, m->device.stream), "copying") : MYR_OK;
}

myr_status cuda_molecule_place(myr_cuda_molecule *m, void *pointer, const void *from, size_t bytes)
{
    void *at;
    const myr_status status = cuda_molecule_room(m, pointer, bytes);
    memcpy(&at, pointer, sizeof at);
    return status ? status : molecule_copy(m, at, from, bytes, cudaMemcpyHostToDevice);
}

static void molecule_free(myr_cuda_molecule *m)
{
    if (m) {
        free(m->one);
        free(m->first);
        free(m->chain);
        free(m->landing);
    }
    free(m);
}

myr_status cuda_molecule_open(myr_cuda *cuda, const myr_cuda_molecule_set *set, myr_cuda_molecule **molecule)
{
    *molecule = NULL;
    myr_cuda_molecule *m = calloc(1, sizeof *m);
    if (m) {
        m->one = calloc((size_t)set->replicas, sizeof *m->one);
        m->first = calloc((size_t)set->replicas, sizeof *m->first);
        m->chain = calloc((size_t)set->replicas, sizeof *m->chain);
        m->landing = calloc((size_t)set->replicas, sizeof *m->landing);
    }
    if (!m || !m->one || !m->first || !m->chain || !m->landing) {
        molecule_free(m);
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for %lld molecules",
                                (long long)set->replicas);
    }
    m->cuda = cuda;
    m->context = set->context;
    m->replicas = set->replicas;
    m->n = set->n;
    m->padded = (set->n + MYR_MOLECULE_WORD - 1) / MYR_MOLECULE_WORD * MYR_MOLECULE_WORD;
    myr_status status = cuda_device_copy(cuda, m->context, &cuda->device[0], &m->device);
    if (!status)
        status = cuda_molecule_check(
            m, cudaMallocHost((void **)&m->stage, 9 * (size_t)(m->replicas * m->n) * sizeof(double)),
            "allocating memory of the host");
    for (int k = 0; k < 2 && !status; k++)
        status = cuda_molecule_check(m, cudaEventCreate(&m->mark[k]), "preparing the clock");
    if (!status)
        status = cuda_molecule_prepare(m, set);
    if (!status)
        status = cuda_molecule_check(m, cudaStreamSynchronize(m->device.stream), "preparing molecules");
    if (status)
        cuda_molecule_close(m);
    else
        *molecule = m;
    return status;
}

/* Cycles of the phases of the last launch, and contributions of pairs beyond the grid in all, for measurements. */
static void molecule_tell_clocks(const myr_cuda_molecule *m)
{
    double c[MYR_MOLECULE_CLOCKS][2];
    myr_cuda_report r;
    if (!m->clocks || cudaMemcpy(c, m->all.clock, sizeof c, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(&r, m->all.sweep.report, sizeof r, cudaMemcpyDeviceToHost))
        return;
    m->cuda->host->warn(
        m->context,
        "GPU: %lld x %lld atoms, %d blocks of %d threads, %d targets x %d sources: cycles per step, "
        "slowest warp/mean: motion %.0f/%.0f, wait %.0f/%.0f, pairs %.0f/%.0f, bonded %.0f/%.0f, noise "
        "%.0f/%.0f, solvent %.0f/%.0f, wait %.0f/%.0f; %llu contributions beyond the grid in %lld evaluations",
        (long long)m->replicas, (long long)m->n, m->all.blocks, m->threads, 32 * m->targets, m->all.chunk, c[0][0],
        c[0][1], c[1][0], c[1][1], c[2][0], c[2][1], c[3][0], c[3][1], c[4][0], c[4][1], c[5][0], c[5][1], c[6][0],
        c[6][1], r.beyond[0] + r.beyond[1] + r.beyond[2], (long long)m->evaluations);
}

void cuda_molecule_close(myr_cuda_molecule *m)
{
    if (!m)
        return;
    (void)cudaSetDevice(m->device.id);
    molecule_tell_clocks(m);
    for (int k = 0; k < m->rooms; k++)
        (void)cudaFreeAsync(m->room[k], m->device.stream);
    if (m->heat)
        (void)cudaFreeAsync(m->heat, m->device.stream);
    if (m->fastest)
        (void)cudaFreeAsync(m->fastest, m->device.stream);
    if (m->device.stream)
        (void)cudaStreamSynchronize(m->device.stream);
    if (m->stage)
        (void)cudaFreeHost(m->stage);
    for (int k = 0; k < 2; k++)
        if (m->mark[k])
            (void)cudaEventDestroy(m->mark[k]);
    if (m->library)
        (void)cudaLibraryUnload(m->library);
    cuda_device_release(&m->device);
    molecule_free(m);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Places of a replica in the host's copies of box coordinates, velocities and forces. */
static void molecule_stage(const myr_cuda_molecule *m, int64_t replica, char *at[3])
{
    const size_t one = 3 * (size_t)m->n * sizeof(double), all = one * (size_t)m->replicas;
    for (int k = 0; k < 3; k++)
        at[k] = m->stage + (size_t)k * all + (size_t)replica * one;
}

myr_status cuda_molecule_send(myr_cuda_molecule *m, int64_t replica, const myr_cuda_molecule_arrays *from)
{
    const size_t n = (size_t)m->n, bytes = n * sizeof(double), at = 3 * (size_t)replica * n;
    char *stage[3];
    /* what is on its way from the same places has arrived */
    myr_status status = m->landings ? cuda_molecule_wait(m) : MYR_OK;
    if (!status)
        status = cuda_molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    molecule_stage(m, replica, stage);
    for (size_t c = 0; c < 3 && !status; c++) {
        memcpy(stage[0] + c * bytes, from->q[c], bytes);
        memcpy(stage[1] + c * bytes, from->v[c], bytes);
        if (from->anchor[c])
            status = molecule_copy(m, m->all.anchor + at + c * n, from->anchor[c], bytes, cudaMemcpyHostToDevice);
    }
    if (!status)
        status = molecule_copy(m, m->all.q + at, stage[0], 3 * bytes, cudaMemcpyHostToDevice);
    return status ? status : molecule_copy(m, m->all.v + at, stage[1], 3 * bytes, cudaMemcpyHostToDevice);
}

myr_status cuda_molecule_fetch(myr_cuda_molecule *m, int64_t replica, const myr_cuda_molecule_arrays *to)
{
    const size_t n = (size_t)m->n, at = 3 * (size_t)replica * n;
    const void *from[3] = {m->all.q + at, m->all.v + at, m->all.f + at};
    char *stage[3];
    myr_status status = cuda_molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    molecule_stage(m, replica, stage);
    for (int k = 0; k < 3 && !status; k++)
        status = molecule_copy(m, stage[k], from[k], 3 * n * sizeof(double), cudaMemcpyDeviceToHost);
    if (status)
        return status;
    m->landing[m->landings].to = *to;
    m->landing[m->landings++].replica = replica;
    return MYR_OK;
}

/* Copies what has arrived from the device to the arrays of the replicas. */
static void molecule_land(myr_cuda_molecule *m)
{
    const size_t bytes = (size_t)m->n * sizeof(double);
    for (int64_t k = 0; k < m->landings; k++) {
        const myr_cuda_molecule_arrays *to = &m->landing[k].to;
        char *stage[3];
        molecule_stage(m, m->landing[k].replica, stage);
        for (size_t c = 0; c < 3; c++) {
            memcpy(to->q[c], stage[0] + c * bytes, bytes);
            memcpy(to->v[c], stage[1] + c * bytes, bytes);
            memcpy(to->f[c], stage[2] + c * bytes, bytes);
        }
    }
    m->landings = 0;
}

myr_status cuda_molecule_wait(myr_cuda_molecule *m)
{
    const myr_status status = cuda_molecule_check(m, cudaStreamSynchronize(m->device.stream), "moving molecules");
    if (status)
        m->landings = 0;
    else
        molecule_land(m);
    return status;
}

/* Room for the numbers of `most` steps of every replica. */
static myr_status molecule_step_room(myr_cuda_molecule *m, int64_t most)
{
    const size_t entries = (size_t)(m->replicas * most) * sizeof(double);
    void *heat = NULL, *fastest = NULL;
    if (most <= m->heats)
        return MYR_OK;
    if (m->heat)
        (void)cudaFreeAsync(m->heat, m->device.stream);
    if (m->fastest)
        (void)cudaFreeAsync(m->fastest, m->device.stream);
    m->heat = NULL;
    m->fastest = NULL;
    m->heats = 0;
    myr_status status =
        cuda_molecule_check(m, cudaMallocAsync(&heat, 2 * entries, m->device.stream), "allocating memory");
    m->heat = heat;
    if (!status)
        status = cuda_molecule_check(m, cudaMallocAsync(&fastest, entries, m->device.stream), "allocating memory");
    m->fastest = fastest;
    m->heats = status ? 0 : most;
    return status;
}

/* What the launch reads of a replica. */
static void molecule_describe(const myr_cuda_molecule *m, const myr_cuda_molecule_one *from, myr_molecule_one *to)
{
    myr_cuda_sweep numbers;
    (void)m;
    cuda_arguments_numbers(from->job, &numbers);
    memset(to, 0, sizeof *to);
    for (int k = 0; k < MYR_MOLECULE_OUTPUTS; k++) {
        to->grid[k] = numbers.grid[k];
        to->scale[k] = numbers.scale[k];
    }
    memcpy(to->origin, from->origin, sizeof to->origin);
    memcpy(to->length, from->length, sizeof to->length);
    for (int c = 0; c < 3; c++)
        to->unit[c] = 0x1p64 / from->length[c];
    to->keep = from->keep;
    to->bath = from->bath;
    to->chain = from->chain;
    to->seed = from->seed;
    to->number = from->number;
    to->steps = (int32_t)from->steps;
}

/* Saves (0) or restores (1) coordinates, velocities and forces of `count` replicas. */
static myr_status molecule_keep(const myr_cuda_molecule *m, int64_t replica, int64_t count, int back)
{
    const size_t at = (size_t)(3 * m->n * replica), bytes = (size_t)(3 * m->n * count) * sizeof(double);
    uint64_t *q[2] = {m->kept_q + at, m->all.q + at};
    double *v[2] = {m->kept_v + at, m->all.v + at}, *f[2] = {m->kept_f + at, m->all.f + at};
    myr_status status = molecule_copy(m, q[back], q[!back], bytes, cudaMemcpyDeviceToDevice);
    if (!status)
        status = molecule_copy(m, v[back], v[!back], bytes, cudaMemcpyDeviceToDevice);
    return status ? status : molecule_copy(m, f[back], f[!back], bytes, cudaMemcpyDeviceToDevice);
}

static myr_status molecule_launch(myr_cuda_molecule *m, float *milliseconds)
{
    const dim3 grid = {(unsigned)(m->replicas * m->all.blocks), 1, 1};
    const size_t ones = (size_t)m->replicas * sizeof *m->one;
    const cuda_call call = {.kernel = m->kernel,
                            .grid = grid,
                            .threads = (unsigned)m->threads,
                            .shared = m->shared,
                            .arguments = &m->all,
                            .size = sizeof m->all,
                            .what = "moving molecules",
                            .manner = m->all.blocks > 1 ? CUDA_CALL_COOPERATIVE : 0};
    myr_status status = molecule_copy(m, m->all.one, m->one, ones, cudaMemcpyHostToDevice);
    if (!status)
        status = cuda_molecule_check(m, cudaEventRecord(m->mark[0], m->device.stream), "timing");
    if (!status)
        status = cuda_launch(m->cuda, m->context, &m->device, &call);
    if (!status)
        status = cuda_molecule_check(m, cudaEventRecord(m->mark[1], m->device.stream), "timing");
    if (!status)
        status = molecule_copy(m, m->one, m->all.one, ones, cudaMemcpyDeviceToHost);
    if (!status)
        status = cuda_molecule_wait(m);
    for (int64_t r = 0; r < m->replicas && !status; r++) {
        m->evaluations += m->one[r].steps > 0 ? m->one[r].steps + 1 : 0;
        if (m->one[r].steps > 0 && !m->one[r].stop)
            m->chain[r] = m->one[r].chain;
    }
    return status ? status
                  : cuda_molecule_check(m, cudaEventElapsedTime(milliseconds, m->mark[0], m->mark[1]),
                                        "reading the clock");
}

/* Sums of a replica that stopped may be unfinished: all are 0 before a launch. */
static myr_status molecule_clear(const myr_cuda_molecule *m)
{
    static const size_t outputs[MYR_MOLECULE_SETS] = {3, 1, 4, 3};
    const size_t all = (size_t)(m->replicas * m->n), padded = (size_t)(m->replicas * m->padded);
    cudaStream_t stream = m->device.stream;
    const char *what = "clearing sums";
    myr_status status = cuda_molecule_check(
        m, cudaMemsetAsync(m->all.sum, 0, padded * (size_t)m->all.sum_words * sizeof *m->all.sum, stream), what);
    if (!status)
        status =
            cuda_molecule_check(m, cudaMemsetAsync(m->all.bonded, 0, 3 * all * sizeof *m->all.bonded, stream), what);
    for (int k = 0; k < (m->has_born ? MYR_MOLECULE_SETS : 1) && !status; k++) {
        const myr_cuda_sweep *a = k ? &m->born.sweep[k - 1] : &m->all.sweep;
        status = cuda_molecule_check(m, cudaMemsetAsync(a->over, 0, outputs[k] * all * sizeof(myr_cuda_digits), stream),
                                     what);
        if (!status)
            status = cuda_molecule_check(m, cudaMemsetAsync(a->over_used, 0, all * sizeof(uint32_t), stream), what);
    }
    return status;
}

/* Number of steps that a replica made of those asked for. */
static int64_t molecule_made(const myr_molecule_one *one)
{
    const int64_t failed = one->failed ? MYR_MOLECULE_NEVER - one->failed : one->steps;
    return failed < one->steps ? failed : one->steps;
}

myr_status cuda_molecule_back(myr_cuda_molecule *m, int64_t replica)
{
    return molecule_keep(m, replica, 1, 1);
}

myr_status cuda_molecule_again(myr_cuda_molecule *m, const myr_cuda_molecule_one *one)
{
    float unused;
    for (int64_t r = 0; r < m->replicas; r++) {
        m->one[r] = m->first[r];
        m->one[r].steps = (int32_t)one[r].steps;
    }
    const myr_status status = molecule_clear(m);
    return status ? status : molecule_launch(m, &unused);
}

/* Takes replicas that stopped back to the start, and repeats the steps that they can make. */
static myr_status molecule_finish(myr_cuda_molecule *m, myr_cuda_molecule_one *one, const int64_t *made)
{
    int again = 0;
    myr_status status = MYR_OK;
    for (int64_t r = 0; r < m->replicas && !status; r++) {
        const int stopped = made[r] < one[r].steps;
        one[r].steps = stopped ? made[r] : 0;
        again |= stopped;
        if (stopped)
            status = cuda_molecule_back(m, r);
    }
    return status || !again ? status : cuda_molecule_again(m, one);
}

static int molecule_all_made(const myr_cuda_molecule *m, const myr_cuda_molecule_one *one, const int64_t *made)
{
    for (int64_t r = 0; r < m->replicas; r++)
        if (made[r] < one[r].steps)
            return 0;
    return 1;
}

myr_status cuda_molecule_steps(myr_cuda_molecule *m, const myr_cuda_molecule_one *one,
                               const myr_cuda_molecule_steps *steps, int64_t *made, double *seconds)
{
    const size_t entries = (size_t)(m->replicas * steps->most);
    float milliseconds = 0;
    myr_status status = cuda_molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    if (!status)
        status = molecule_step_room(m, steps->most);
    if (!status)
        status = molecule_copy(m, m->heat, steps->heat, 2 * (size_t)(m->replicas * steps->heats) * sizeof(double),
                               cudaMemcpyHostToDevice);
    if (!status && steps->furthest2)
        status = cuda_molecule_check(m, cudaMemsetAsync(m->fastest, 0, entries * sizeof(double), m->device.stream),
                                     "clearing velocities");
    if (!status)
        status = molecule_keep(m, 0, m->replicas, 0);
    if (status)
        return status;
    m->all.heat = m->heat;
    m->all.fastest = steps->furthest2 ? m->fastest : NULL;
    m->all.heats = (int32_t)steps->heats;
    m->all.most = (int32_t)steps->most;
    m->all.dt = steps->dt;
    m->all.limit2 = steps->limit2;
    for (int64_t r = 0; r < m->replicas; r++) {
        molecule_describe(m, &one[r], &m->one[r]);
        m->first[r] = m->one[r];
    }
    status = molecule_launch(m, &milliseconds);
    *seconds = 1e-3 * (double)milliseconds;
    for (int64_t r = 0; r < m->replicas && !status; r++)
        made[r] = molecule_made(&m->one[r]);
    if (!status && steps->furthest2)
        status = molecule_copy(m, steps->furthest2, m->fastest, entries * sizeof(double), cudaMemcpyDeviceToHost);
    if (!status)
        status = cuda_molecule_wait(m);
    if (status || molecule_all_made(m, one, made))
        return status;
    myr_cuda_molecule_one *copy = malloc((size_t)m->replicas * sizeof *copy);
    if (!copy)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld molecules",
                                   (long long)m->replicas);
    memcpy(copy, one, (size_t)m->replicas * sizeof *copy);
    status = molecule_finish(m, copy, made);
    free(copy);
    return status;
}

void cuda_molecule_chain(const myr_cuda_molecule *m, int64_t replica, box_chain *chain)
{
    *chain = m->chain[replica];
}

void cuda_molecule_report(const myr_cuda_molecule *m, double *bytes, int *blocks, int *threads)
{
    *bytes = (double)m->bytes;
    if (blocks)
        *blocks = m->all.blocks;
    if (threads)
        *threads = m->threads;
}
