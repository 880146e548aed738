/* molecule.c - molecules on a device: memory, and the launches of molecule.cuh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/molecule_args.h"

enum { MOLECULE_ROOMS = 48, MOLECULE_THREADS = 256, MOLECULE_THREADS_MANY = 512, MOLECULE_SMALL = 64 };

struct myr_cuda_molecule {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* device with its own stream */
    int64_t replicas, n, padded;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    void *room[MOLECULE_ROOMS]; /* device memory, freed at the end */
    int rooms;
    size_t bytes;
    myr_molecule_steps all;  /* arguments of launches */
    myr_molecule_one *one;   /* [replicas], host copy */
    myr_molecule_one *first; /* [replicas]: what the first launch of a call was given */
    box_chain *chain;        /* [replicas]: states of the thermostats after the last steps */
    uint64_t *kept_q;        /* state at the start of a call, to which replicas return that need the processor */
    double *kept_v, *kept_f;
    double *heat;
    unsigned long long *fastest;
    int64_t heats; /* steps for which there is room in these */
    int threads, targets, types;
    size_t shared;
    cudaEvent_t mark[2];
};

static myr_status molecule_check(const myr_cuda_molecule *m, cudaError_t error, const char *what)
{
    return cuda_check(m->cuda, m->context, error, what);
}

/* Device memory, cleared; `pointer` is the address of the pointer that receives it. */
static myr_status molecule_room(myr_cuda_molecule *m, void *pointer, size_t bytes)
{
    void *at = NULL;
    if (m->rooms == MOLECULE_ROOMS)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "GPU: too many arrays");
    if (m->cuda->limit && m->bytes + bytes > m->cuda->limit)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY,
                                   "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it",
                                   bytes, m->cuda->limit);
    myr_status status =
        molecule_check(m, cudaMallocAsync(&at, bytes ? bytes : 1, m->device.stream), "allocating memory");
    if (status)
        return status;
    m->room[m->rooms++] = at;
    m->bytes += bytes;
    memcpy(pointer, &at, sizeof at);
    return molecule_check(m, cudaMemsetAsync(at, 0, bytes, m->device.stream), "clearing memory");
}

static myr_status molecule_copy(const myr_cuda_molecule *m, void *to, const void *from, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return bytes ? molecule_check(m, cudaMemcpyAsync(to, from, bytes, kind, m->device.stream), "copying") : MYR_OK;
}

/* Device memory with a copy of an array of the host. */
static myr_status molecule_place(myr_cuda_molecule *m, void *pointer, const void *from, size_t bytes)
{
    void *at;
    const myr_status status = molecule_room(m, pointer, bytes);
    memcpy(&at, pointer, sizeof at);
    return status ? status : molecule_copy(m, at, from, bytes, cudaMemcpyHostToDevice);
}

/* --- shape and program -------------------------------------------------------------------------------------------- */

/* Blocks of a replica, threads, and how the pairs are divided. Many replicas have one block each; a few share the
 * multiprocessors, with one block on each, since the blocks of a replica wait for each other. */
static void molecule_shape(myr_cuda_molecule *m)
{
    const int all = m->device.properties.cooperativeLaunch ? m->device.properties.multiProcessorCount : 1;
    const int64_t words = m->padded / MYR_MOLECULE_WORD;
    const int64_t share = all / m->replicas, useful = (words * words + 7) / 8;
    const int64_t blocks = share < useful ? share : useful;
    m->all.blocks = (int32_t)(blocks > 1 ? blocks : 1);
    m->threads = m->n <= MOLECULE_SMALL ? 128 : m->all.blocks > 1 ? MOLECULE_THREADS_MANY : MOLECULE_THREADS;
    m->targets = m->n <= MOLECULE_SMALL || m->all.blocks > 1 ? 1 : 2;
    const int64_t groups = (m->n + 32 * m->targets - 1) / (32 * m->targets);
    const int64_t warps = (int64_t)m->all.blocks * m->threads / 32;
    /* about four items for each warp, or one if there are fewer words */
    const int64_t chunk = m->all.blocks > 1 ? (groups * words + warps - 1) / warps : groups * words / (4 * warps);
    m->all.chunk = (int32_t)(chunk < 1 ? 1 : chunk);
}

static myr_status molecule_program(myr_cuda_molecule *m, const myr_direct *job)
{
    char text[1024];
    void *code = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/%s\"\n#define MYR_ARITH %d\n"
             "#define MYR_LANE_BYTES 0\n#define MYR_ACC_NAME fixed\n#define MYR_ACC_FILE \"accumulator/fixed.h\"\n"
             "#define CUDA_FOLD 0\n#define CUDA_TYPES %d\n#define CUDA_TARGETS %d\n#define CUDA_THREADS %d\n"
             "#define CUDA_BLOCKS %d\n#include \"backend/cuda/molecule.cuh\"\n",
             job->unit->desc->name, cuda_kernel_file(job->unit->desc->name), job->unit->arithmetic, m->types,
             m->targets, m->threads,
             m->all.blocks > 1   ? 1
             : m->threads == 128 ? 4
                                 : 2);
    myr_status status =
        cuda_compile(m->cuda, m->context, &m->device, "the program of molecules", text, NULL, &code, &size);
    if (!status)
        status = molecule_check(m, cudaLibraryLoadData(&m->library, code, NULL, NULL, 0, NULL, NULL, 0),
                                "loading a program");
    free(code);
    return status ? status : molecule_check(m, cudaLibraryGetKernel(&m->kernel, m->library, "molecule"), "molecule");
}

/* --- what does not change ----------------------------------------------------------------------------------------- */

/* Pair table: [target][source][parameter] becomes [source][parameter][target]. */
static myr_status molecule_pairs(myr_cuda_molecule *m, const myr_direct *job)
{
    const myr_unit *u = job->unit;
    const size_t row = (size_t)u->pair * (size_t)m->types, reals = row * (size_t)job->types;
    char *table = calloc(reals + 1, (size_t)u->real_bytes);
    void *at = NULL;
    if (!table)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", job->types);
    for (int64_t k = 0; k < (int64_t)job->types * job->types; k++)
        for (int p = 0; p < u->pair; p++) {
            const size_t target = (size_t)(k / job->types), source = (size_t)(k % job->types);
            const size_t to = source * row + (size_t)p * (size_t)m->types + target;
            const double value = job->pair_table[k * u->pair + p];
            if (u->real_bytes == sizeof(float))
                ((float *)(void *)table)[to] = (float)value;
            else
                ((double *)(void *)table)[to] = value;
        }
    m->all.row = (int32_t)(row * (size_t)u->real_bytes);
    const myr_status status = molecule_place(m, &at, table, reals * (size_t)u->real_bytes);
    m->all.sweep.pair_table = at;
    m->all.sweep.types = job->types;
    m->shared += reals * (size_t)u->real_bytes;
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream); /* the copy reads the table */
    free(table);
    return status;
}

static myr_status molecule_mask(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const int64_t n = m->n, words = m->padded / MYR_MOLECULE_WORD;
    uint32_t *mask = calloc((size_t)(words * n), sizeof *mask);
    if (!mask)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        mask[i / 32 * n + i] |= 1u << i % 32;
        for (int64_t k = set->offset[i]; k < set->offset[i + 1]; k++)
            mask[set->partner[k] / 32 * n + i] |= 1u << set->partner[k] % 32;
        for (int64_t j = n; j < m->padded; j++)
            mask[j / 32 * n + i] |= 1u << j % 32;
    }
    const myr_status status = molecule_place(m, &m->all.mask, mask, (size_t)(words * n) * sizeof *mask);
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream);
    free(mask);
    return status;
}

static myr_status molecule_terms(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < MYR_BONDED_KINDS && !status; k++) {
        m->all.terms[k] = set->terms[k];
        status = molecule_place(m, &m->all.term[k], set->term[k], (size_t)set->terms[k] * sizeof *set->term[k]);
    }
    const size_t units = (size_t)set->units + 1;
    if (!status)
        status = molecule_place(m, &m->all.unit_atoms, set->unit_atoms, units * sizeof(int32_t));
    if (!status)
        status = molecule_place(m, &m->all.unit_bonds, set->unit_bonds, units * sizeof(int32_t));
    if (!status)
        status = molecule_place(m, &m->all.unit_star, set->unit_star, units * sizeof(int32_t));
    if (!status)
        status = molecule_place(m, &m->all.unit_atom, set->unit_atom, (size_t)m->n * sizeof(int32_t));
    if (!status)
        status = molecule_place(m, &m->all.bond, set->bond, (size_t)set->bonds * sizeof *set->bond);
    m->all.units = (int32_t)set->units;
    m->all.law = *set->law;
    return status;
}

static myr_status molecule_atoms(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const myr_direct *job = set->job[0];
    const size_t n = (size_t)m->n;
    const void *charge = job->source.component[job->unit->desc->coords * job->unit->coord_lanes];
    myr_status status = molecule_place(m, &m->all.inverse, set->inverse, n * sizeof(double));
    if (!status)
        status = molecule_place(m, &m->all.mass, set->mass, n * sizeof(double));
    if (!status)
        status = molecule_place(m, &m->all.id, set->id, n * sizeof(int64_t));
    if (!status)
        status = molecule_place(m, &m->all.type, job->source.type, n * sizeof(int32_t));
    return status ? status : molecule_place(m, &m->all.charge, charge, n * (size_t)job->unit->real_bytes);
}

static myr_status molecule_rooms(myr_cuda_molecule *m, const myr_direct *job)
{
    const size_t all = (size_t)(m->replicas * m->n), padded = (size_t)(m->replicas * m->padded);
    const size_t real = (size_t)job->unit->real_bytes, lanes = (size_t)job->unit->coord_lanes * 3 + 2;
    const size_t record = (lanes * real + MYR_CUDA_BAG_ALIGN - 1) / MYR_CUDA_BAG_ALIGN * MYR_CUDA_BAG_ALIGN;
    const size_t words = real == sizeof(double) ? 4 : 2; /* SUM_WORDS of molecule.cuh */
    m->all.sum_words = (int32_t)words;
    double **const wide[] = {&m->all.v, &m->all.f, &m->all.x, &m->all.g, &m->all.z, &m->kept_v, &m->kept_f};
    myr_status status = molecule_room(m, &m->all.q, 3 * all * sizeof(uint64_t));
    if (!status)
        status = molecule_room(m, &m->kept_q, 3 * all * sizeof(uint64_t));
    for (size_t k = 0; k < sizeof wide / sizeof *wide && !status; k++)
        status = molecule_room(m, wide[k], 3 * all * sizeof(double));
    if (!status)
        status = molecule_room(m, &m->all.record, padded * record);
    if (!status)
        status = molecule_room(m, &m->all.sum, 3 * words * padded * sizeof(unsigned long long));
    if (!status)
        status = molecule_room(m, &m->all.bonded, 3 * all * sizeof(unsigned long long));
    if (!status)
        status = molecule_room(m, &m->all.sweep.over, 3 * all * sizeof(myr_cuda_digits));
    if (!status)
        status = molecule_room(m, &m->all.sweep.over_used, all * sizeof(uint32_t));
    if (!status)
        status = molecule_room(m, &m->all.sweep.report, sizeof(myr_cuda_report));
    if (!status)
        status = molecule_room(m, &m->all.one, (size_t)m->replicas * sizeof *m->all.one);
    const size_t bag = (size_t)m->threads * record;
    m->shared += (sizeof(myr_cuda_sweep) + 15) / 16 * 16 + bag;
    return status;
}

static void molecule_free(myr_cuda_molecule *m)
{
    if (m) {
        free(m->one);
        free(m->first);
        free(m->chain);
    }
    free(m);
}

static int64_t power_of_two(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

myr_status cuda_molecule_open(myr_cuda *cuda, const myr_cuda_molecule_set *set, myr_cuda_molecule **molecule)
{
    *molecule = NULL;
    myr_cuda_molecule *m = calloc(1, sizeof *m);
    const myr_direct *job = set->job[0];
    if (m) {
        m->one = calloc((size_t)set->replicas, sizeof *m->one);
        m->first = calloc((size_t)set->replicas, sizeof *m->first);
        m->chain = calloc((size_t)set->replicas, sizeof *m->chain);
    }
    if (!m || !m->one || !m->first || !m->chain) {
        molecule_free(m);
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for %lld molecules",
                                (long long)set->replicas);
    }
    m->cuda = cuda;
    m->context = set->context;
    m->replicas = set->replicas;
    m->n = set->n;
    m->padded = (set->n + MYR_MOLECULE_WORD - 1) / MYR_MOLECULE_WORD * MYR_MOLECULE_WORD;
    m->types = (int)power_of_two(job->types);
    myr_status status = cuda_device_copy(cuda, m->context, &cuda->device[0], &m->device);
    molecule_shape(m);
    m->all.n = (int32_t)m->n;
    m->all.padded = (int32_t)m->padded;
    m->all.scheme = set->langevin ? MYR_MOLECULE_LANGEVIN : set->whole ? MYR_MOLECULE_BATH : MYR_MOLECULE_VERLET;
    m->all.sweep.factor = job->factor;
    cuda_arguments_numbers(job, &m->all.sweep);
    for (int k = 0; k < 2 && !status; k++)
        status = molecule_check(m, cudaEventCreate(&m->mark[k]), "preparing the clock");
    if (!status)
        status = molecule_program(m, job);
    if (!status)
        status = molecule_pairs(m, job);
    if (!status)
        status = molecule_mask(m, set);
    if (!status)
        status = molecule_terms(m, set);
    if (!status)
        status = molecule_atoms(m, set);
    if (!status)
        status = molecule_rooms(m, job);
    if (!status)
        status = molecule_check(m, cudaStreamSynchronize(m->device.stream), "preparing molecules");
    if (status)
        cuda_molecule_close(m);
    else
        *molecule = m;
    return status;
}

void cuda_molecule_close(myr_cuda_molecule *m)
{
    if (!m)
        return;
    (void)cudaSetDevice(m->device.id);
    for (int k = 0; k < m->rooms; k++)
        (void)cudaFreeAsync(m->room[k], m->device.stream);
    if (m->heat)
        (void)cudaFreeAsync(m->heat, m->device.stream);
    if (m->fastest)
        (void)cudaFreeAsync(m->fastest, m->device.stream);
    if (m->device.stream)
        (void)cudaStreamSynchronize(m->device.stream);
    for (int k = 0; k < 2; k++)
        if (m->mark[k])
            (void)cudaEventDestroy(m->mark[k]);
    if (m->library)
        (void)cudaLibraryUnload(m->library);
    cuda_device_release(&m->device);
    molecule_free(m);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

myr_status cuda_molecule_send(myr_cuda_molecule *m, int64_t replica, const myr_cuda_molecule_arrays *from)
{
    const size_t n = (size_t)m->n;
    myr_status status = molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    for (int c = 0; c < 3 && !status; c++) {
        const size_t at = (3 * (size_t)replica + (size_t)c) * n;
        status = molecule_copy(m, m->all.q + at, from->q[c], n * sizeof(uint64_t), cudaMemcpyHostToDevice);
        if (!status)
            status = molecule_copy(m, m->all.v + at, from->v[c], n * sizeof(double), cudaMemcpyHostToDevice);
    }
    return status;
}

myr_status cuda_molecule_fetch(myr_cuda_molecule *m, int64_t replica, const myr_cuda_molecule_arrays *to)
{
    const size_t n = (size_t)m->n;
    myr_status status = molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    for (int c = 0; c < 3 && !status; c++) {
        const size_t at = (3 * (size_t)replica + (size_t)c) * n;
        status = molecule_copy(m, to->q[c], m->all.q + at, n * sizeof(uint64_t), cudaMemcpyDeviceToHost);
        if (!status)
            status = molecule_copy(m, to->v[c], m->all.v + at, n * sizeof(double), cudaMemcpyDeviceToHost);
        if (!status)
            status = molecule_copy(m, to->f[c], m->all.f + at, n * sizeof(double), cudaMemcpyDeviceToHost);
    }
    return status;
}

myr_status cuda_molecule_wait(myr_cuda_molecule *m)
{
    return molecule_check(m, cudaStreamSynchronize(m->device.stream), "moving molecules");
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
    myr_status status = molecule_check(m, cudaMallocAsync(&heat, 2 * entries, m->device.stream), "allocating memory");
    m->heat = heat;
    if (!status)
        status = molecule_check(m, cudaMallocAsync(&fastest, entries, m->device.stream), "allocating memory");
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
        status = molecule_check(m, cudaEventRecord(m->mark[0], m->device.stream), "timing");
    if (!status)
        status = cuda_launch(m->cuda, m->context, &m->device, &call);
    if (!status)
        status = molecule_check(m, cudaEventRecord(m->mark[1], m->device.stream), "timing");
    if (!status)
        status = molecule_copy(m, m->one, m->all.one, ones, cudaMemcpyDeviceToHost);
    if (!status)
        status = cuda_molecule_wait(m);
    for (int64_t r = 0; r < m->replicas && !status; r++)
        if (m->one[r].steps > 0 && !m->one[r].stop)
            m->chain[r] = m->one[r].chain;
    return status ? status
                  : molecule_check(m, cudaEventElapsedTime(milliseconds, m->mark[0], m->mark[1]), "reading the clock");
}

/* Sums of a replica that stopped may be unfinished: all are 0 before a launch. */
static myr_status molecule_clear(const myr_cuda_molecule *m)
{
    const size_t all = (size_t)(3 * m->replicas * m->n), padded = (size_t)(3 * m->replicas * m->padded);
    const struct {
        void *at;
        size_t bytes;
    } sum[] = {{m->all.sum, padded * (size_t)m->all.sum_words * sizeof *m->all.sum},
               {m->all.bonded, all * sizeof *m->all.bonded},
               {m->all.sweep.over, all * sizeof(myr_cuda_digits)},
               {m->all.sweep.over_used, all / 3 * sizeof(uint32_t)}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof sum / sizeof *sum && !status; k++)
        status = molecule_check(m, cudaMemsetAsync(sum[k].at, 0, sum[k].bytes, m->device.stream), "clearing sums");
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
    myr_status status = molecule_check(m, cudaSetDevice(m->device.id), "choosing a device");
    if (!status)
        status = molecule_step_room(m, steps->most);
    if (!status)
        status = molecule_copy(m, m->heat, steps->heat, 2 * (size_t)(m->replicas * steps->heats) * sizeof(double),
                               cudaMemcpyHostToDevice);
    if (!status && steps->furthest2)
        status = molecule_check(m, cudaMemsetAsync(m->fastest, 0, entries * sizeof(double), m->device.stream),
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
