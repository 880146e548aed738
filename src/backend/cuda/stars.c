/* stars.c - many systems of stars on a device: memory, and the launches of stars.cuh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"

enum {
    /* the fastest of seven shapes for 1024 systems of 256 stars (docs/decisions/gpu.md) */
    STARS_THREADS = 128,
    STARS_BLOCKS = 4, /* blocks per multiprocessor for which registers must suffice */
    STARS_SLICES = 8, /* threads that share a target */
    STARS_OUTPUTS = 6,
    STARS_ROOM = 15,      /* columns of the state before a step */
    STARS_BAG = 16 << 10, /* bytes */
    STARS_TEAM = 64       /* bodies of a system for each block of a team that pay for its barriers */
};

struct myr_cuda_stars {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* device with its own stream and buffers */
    int64_t systems, bodies;
    int64_t *first;       /* [systems + 1]: first body of each system among all */
    int64_t *parts;       /* [systems + 1]: first place of its partial sums */
    int32_t *which;       /* [systems]: those that take part in a launch */
    int32_t *sources;     /* [systems] */
    int velocity, stride; /* lane component of the velocity, and reals of a record */
    size_t record, shared;
    int64_t bag;
    int blocks, threads; /* of a team, and of a block */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    myr_cuda_hermite *system;    /* [systems]: arguments of a launch */
    myr_cuda_progress *progress; /* [systems] */
    cudaEvent_t mark[2];
};

static myr_status stars_check(const myr_cuda_stars *s, cudaError_t error, const char *what)
{
    return cuda_check(s->cuda, s->context, error, what);
}

static myr_status stars_room(myr_cuda_stars *s, cuda_buffer_id id, size_t size)
{
    return cuda_room(s->cuda, s->context, &s->device, id, size);
}

/* --- creation ----------------------------------------------------------------------------------------------------- */

static void stars_free(myr_cuda_stars *s)
{
    free(s->first);
    free(s->parts);
    free(s->which);
    free(s->sources);
    free(s->system);
    free(s->progress);
    free(s);
}

static myr_cuda_stars *stars_make(myr_cuda *cuda, const myr_cuda_stars_set *set)
{
    const size_t all = (size_t)set->systems;
    myr_cuda_stars *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->first = calloc(all + 1, sizeof *s->first);
    s->parts = calloc(all + 1, sizeof *s->parts);
    s->which = calloc(all, sizeof *s->which);
    s->sources = calloc(all, sizeof *s->sources);
    s->system = calloc(all, sizeof *s->system);
    s->progress = calloc(all, sizeof *s->progress);
    if (!s->first || !s->parts || !s->which || !s->sources || !s->system || !s->progress) {
        stars_free(s);
        return NULL;
    }
    s->cuda = cuda;
    s->context = set->context;
    s->systems = set->systems;
    s->velocity = set->velocity;
    return s;
}

/* Where systems lie, threads of a block, records and bags. */
static void stars_shape(myr_cuda_stars *s, const myr_cuda_stars_set *set)
{
    const myr_unit *u = set->job[0]->unit;
    const int piece = MYR_CUDA_BAG_ALIGN / u->real_bytes;
    int64_t most = 1;
    for (int64_t k = 0; k < s->systems; k++) {
        s->first[k + 1] = s->first[k] + set->n[k];
        s->sources[k] = (int32_t)set->job[k]->source.n;
        most = set->n[k] > most ? set->n[k] : most;
    }
    s->bodies = s->first[s->systems];
    s->stride = (u->source_lanes + piece - 1) / piece * piece;
    s->record = (size_t)s->stride * (size_t)u->real_bytes;
    s->threads = STARS_THREADS;
    s->bag = STARS_BAG / (int64_t)s->record;
    s->bag = most < s->bag ? most : s->bag;
    const size_t bags = 2 * (size_t)s->bag * s->record, merging = (size_t)s->threads * sizeof(myr_word[MYR_ACC_WORDS]);
    s->shared = bags > merging ? bags : merging;
}

/* Blocks of a team: a few systems share all blocks that are resident at the same time. */
static myr_status stars_teams(myr_cuda_stars *s, const myr_cuda_stars_set *set)
{
    const struct cudaDeviceProp *p = &s->device.properties;
    int each = 1;
    int64_t most = 1;
    const myr_status status = stars_check(
        s, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)s->kernel, s->threads, s->shared),
        "preparing systems");
    for (int64_t k = 0; k < s->systems; k++)
        most = set->n[k] > most ? set->n[k] : most;
    each = each < STARS_BLOCKS ? each : STARS_BLOCKS;
    const int64_t share = (p->cooperativeLaunch ? (int64_t)each * p->multiProcessorCount : 1) / s->systems;
    const int64_t useful = most / STARS_TEAM, blocks = share < useful ? share : useful;
    s->blocks = blocks > 1 ? (int)blocks : 1;
    const int64_t wide = STARS_THREADS / STARS_SLICES;
    for (int64_t k = 0; k < s->systems; k++) /* work items: a group for every `wide` bodies, a split for idle blocks */
        s->parts[k + 1] = s->parts[k] + set->n[k] + (s->blocks > 1 ? wide * (s->blocks + 1) : 0);
    return status;
}

static myr_status stars_program(myr_cuda_stars *s, const myr_direct *job)
{
    char text[1024];
    void *code = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/%s\"\n#define MYR_ARITH %d\n"
             "#define MYR_LANE_BYTES 0\n#define MYR_ACC_NAME fixed\n#define MYR_ACC_FILE \"accumulator/fixed.h\"\n"
             "#define CUDA_FOLD %d\n#define CUDA_SLICES %d\n#define CUDA_TARGETS 1\n#define CUDA_STEPS 2\n"
             "#define CUDA_CAREFUL 0\n#define CUDA_CARRY 0\n#define CUDA_TABLE 0\n#define CUDA_TYPES 1\n"
             "#define CUDA_THREADS %d\n#define CUDA_BLOCKS %d\n#define CUDA_RESIDENT 1\n#define CUDA_OUTPUTS %d\n"
             "#define MYR_KERNEL_UNLIMITED %d\n#define MYR_KERNEL_EQUAL 0\n#include \"backend/cuda/stars.cuh\"\n",
             job->unit->desc->name, cuda_kernel_file(job->unit->desc->name), job->unit->arithmetic, job->scale[0].fold,
             STARS_SLICES, s->threads, STARS_BLOCKS, STARS_OUTPUTS, job->unlimited);
    myr_status status =
        cuda_compile(s->cuda, s->context, &s->device, "the program of many systems", text, NULL, &code, &size);
    if (!status)
        status =
            stars_check(s, cudaLibraryLoadData(&s->library, code, NULL, NULL, 0, NULL, NULL, 0), "loading a program");
    free(code);
    return status ? status : stars_check(s, cudaLibraryGetKernel(&s->kernel, s->library, "stars"), "loading stars");
}

static myr_status stars_rooms(myr_cuda_stars *s)
{
    const size_t bodies = (size_t)s->bodies, all = (size_t)s->systems;
    const struct {
        cuda_buffer_id id;
        size_t bytes;
    } room[] = {{BUFFER_ARRAYS, MYR_CUDA_STAR_COLUMNS * bodies * sizeof(double)},
                {BUFFER_SOURCES, bodies * s->record},
                {BUFFER_PART, (size_t)s->parts[s->systems] * STARS_OUTPUTS * sizeof(myr_word[MYR_ACC_WORDS])},
                {BUFFER_ACTIVE, bodies * sizeof(int32_t)},
                {BUFFER_ROOM, STARS_ROOM * bodies * sizeof(double)},
                {BUFFER_PROGRESS, all * sizeof *s->progress},
                {BUFFER_REPORT, all * sizeof(myr_cuda_report)},
                {BUFFER_TARGETS, all * sizeof *s->system},
                {BUFFER_AT, all * sizeof *s->which}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof room / sizeof *room && !status; k++)
        status = stars_room(s, room[k].id, room[k].bytes);
    return status ? status : cuda_room_over(s->cuda, s->context, &s->device, s->bodies, STARS_OUTPUTS);
}

/* Fills the records: fields that do not move are written here only. */
static myr_status stars_records(myr_cuda_stars *s, const myr_cuda_stars_set *set)
{
    const myr_unit *u = set->job[0]->unit;
    const size_t real = (size_t)u->real_bytes, bytes = (size_t)s->bodies * s->record;
    char *record = calloc(bytes + 1, 1);
    if (!record)
        return s->cuda->host->fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld bodies", (long long)s->bodies);
    for (int64_t k = 0; k < s->systems; k++)
        for (int c = 0; c < u->source_lanes; c++) {
            const char *from = set->job[k]->source.component[c];
            char *to = record + (size_t)s->first[k] * s->record + (size_t)c * real;
            for (int64_t i = 0; i < set->n[k]; i++, from += real, to += s->record)
                memcpy(to, from, real);
        }
    myr_status status = cuda_upload(s->cuda, s->context, &s->device, BUFFER_SOURCES, record, bytes);
    if (!status)
        status = stars_check(s, cudaStreamSynchronize(s->device.stream), "copying to the device");
    free(record);
    return status;
}

myr_status cuda_stars_open(myr_cuda *cuda, const myr_cuda_stars_set *set, myr_cuda_stars **stars)
{
    myr_cuda_stars *s = stars_make(cuda, set);
    *stars = NULL;
    if (!s)
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for %lld systems", (long long)set->systems);
    myr_status status = cuda_device_copy(cuda, s->context, &cuda->device[0], &s->device);
    stars_shape(s, set);
    for (int k = 0; k < 2 && !status; k++)
        status = stars_check(s, cudaEventCreate(&s->mark[k]), "preparing the clock");
    if (!status)
        status = stars_program(s, set->job[0]);
    if (!status)
        status = stars_teams(s, set);
    if (!status)
        status = stars_rooms(s);
    if (!status)
        status = stars_records(s, set);
    if (status)
        cuda_stars_close(s);
    else
        *stars = s;
    return status;
}

void cuda_stars_close(myr_cuda_stars *s)
{
    if (!s)
        return;
    (void)cudaSetDevice(s->device.id);
    if (s->device.stream)
        (void)cudaStreamSynchronize(s->device.stream);
    for (int k = 0; k < 2; k++)
        if (s->mark[k])
            (void)cudaEventDestroy(s->mark[k]);
    if (s->library)
        (void)cudaLibraryUnload(s->library);
    cuda_device_release(&s->device);
    stars_free(s);
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

static double *stars_columns(const myr_cuda_stars *s, int64_t system)
{
    return (double *)s->device.buffer[BUFFER_ARRAYS].at + MYR_CUDA_STAR_COLUMNS * s->first[system];
}

/* Bytes of the columns of a system, or of all (-1). */
static size_t stars_bytes(const myr_cuda_stars *s, int64_t system)
{
    const int64_t bodies = system < 0 ? s->bodies : s->first[system + 1] - s->first[system];
    return MYR_CUDA_STAR_COLUMNS * (size_t)bodies * sizeof(double);
}

myr_status cuda_stars_send(myr_cuda_stars *s, int64_t system, const double *from)
{
    const myr_status status = stars_check(s, cudaSetDevice(s->device.id), "choosing a device");
    return status ? status
                  : stars_check(s,
                                cudaMemcpyAsync(stars_columns(s, system < 0 ? 0 : system), from, stars_bytes(s, system),
                                                cudaMemcpyHostToDevice, s->device.stream),
                                "copying to the device");
}

myr_status cuda_stars_fetch(myr_cuda_stars *s, int64_t system, double *to)
{
    myr_status status = stars_check(s, cudaSetDevice(s->device.id), "choosing a device");
    if (!status)
        status = stars_check(s,
                             cudaMemcpyAsync(to, stars_columns(s, system < 0 ? 0 : system), stars_bytes(s, system),
                                             cudaMemcpyDeviceToHost, s->device.stream),
                             "copying from the device");
    return status ? status : stars_check(s, cudaStreamSynchronize(s->device.stream), "copying from the device");
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Where a system lies in the arrays of all. */
static void stars_place(const myr_cuda_stars *s, int64_t k, myr_cuda_hermite *h)
{
    const cuda_buffer *b = s->device.buffer;
    const int64_t first = s->first[k], n = s->first[k + 1] - first;
    double *columns = stars_columns(s, k);
    for (int c = 0; c < 3; c++) {
        h->bodies.x[c] = columns + (MYR_CUDA_STAR_X + c) * n;
        h->bodies.v[c] = columns + (MYR_CUDA_STAR_V + c) * n;
        h->bodies.a[c] = columns + (MYR_CUDA_STAR_A + c) * n;
        h->bodies.j[c] = columns + (MYR_CUDA_STAR_J + c) * n;
    }
    h->bodies.own = columns + MYR_CUDA_STAR_OWN * n;
    h->bodies.step = columns + MYR_CUDA_STAR_STEP * n;
    h->bodies.end = columns + MYR_CUDA_STAR_END * n;
    h->bodies.record = (char *)b[BUFFER_SOURCES].at + (size_t)first * s->record;
    h->bodies.n = n;
    h->bodies.velocity = s->velocity;
    h->active = (int32_t *)b[BUFFER_ACTIVE].at + first;
    h->room = (double *)b[BUFFER_ROOM].at + STARS_ROOM * first;
    h->sweep.source = h->bodies.record;
    h->sweep.at = h->active;
    h->sweep.part = (myr_word *)b[BUFFER_PART].at + s->parts[k] * STARS_OUTPUTS * MYR_ACC_WORDS;
    h->sweep.over = (myr_cuda_digits *)b[BUFFER_OVER].at + first * STARS_OUTPUTS;
    h->sweep.over_used = (uint32_t *)b[BUFFER_OVER_USED].at + first;
    h->sweep.report = (myr_cuda_report *)b[BUFFER_REPORT].at + k;
}

static void stars_describe(const myr_cuda_stars *s, int64_t k, const myr_cuda_stars_one *one, double work,
                           double step_work)
{
    myr_cuda_hermite *h = &s->system[k];
    memset(h, 0, sizeof *h);
    stars_place(s, k, h);
    cuda_arguments_numbers(one->job, &h->sweep);
    h->sweep.sources = s->sources[k];
    h->sweep.types = 1;
    h->sweep.bag = (int32_t)s->bag;
    h->sweep.factor = one->job->factor;
    h->time = one->time;
    h->origin = one->origin;
    h->unit = one->unit;
    h->eta = one->eta;
    h->dt_min = one->dt_min;
    h->stop = one->stop;
    h->until = one->until;
    h->most = one->most;
    h->renew_after = one->renew_after;
    h->work = work;
    h->step_work = step_work;
    memset(&s->progress[k], 0, sizeof *s->progress);
    s->progress[k].next[0] = ~0ull;
}

static myr_status stars_launch(myr_cuda_stars *s, int64_t teams, float *milliseconds)
{
    const size_t all = (size_t)s->systems;
    const cuda_buffer *b = s->device.buffer;
    myr_cuda_stars_steps m = {b[BUFFER_TARGETS].at, b[BUFFER_PROGRESS].at, b[BUFFER_AT].at, s->blocks};
    const cuda_call call = {.kernel = s->kernel,
                            .grid = {(unsigned)(teams * s->blocks), 1, 1},
                            .threads = (unsigned)s->threads,
                            .shared = s->shared,
                            .arguments = &m,
                            .size = sizeof m,
                            .what = "moving stars",
                            .manner = s->blocks > 1 ? CUDA_CALL_COOPERATIVE : 0};
    myr_status status =
        cuda_upload(s->cuda, s->context, &s->device, BUFFER_TARGETS, s->system, all * sizeof *s->system);
    if (!status)
        status = cuda_upload(s->cuda, s->context, &s->device, BUFFER_PROGRESS, s->progress, all * sizeof *s->progress);
    if (!status)
        status = cuda_upload(s->cuda, s->context, &s->device, BUFFER_AT, s->which, (size_t)teams * sizeof *s->which);
    if (!status)
        status =
            stars_check(s, cudaMemsetAsync(b[BUFFER_REPORT].at, 0, all * sizeof(myr_cuda_report), s->device.stream),
                        "clearing the report");
    if (!status)
        status = stars_check(s, cudaEventRecord(s->mark[0], s->device.stream), "timing");
    if (!status)
        status = cuda_launch(s->cuda, s->context, &s->device, &call);
    if (!status)
        status = stars_check(s, cudaEventRecord(s->mark[1], s->device.stream), "timing");
    if (!status)
        status = stars_check(s,
                             cudaMemcpyAsync(s->progress, b[BUFFER_PROGRESS].at, all * sizeof *s->progress,
                                             cudaMemcpyDeviceToHost, s->device.stream),
                             "copying from the device");
    if (!status)
        status = stars_check(s, cudaStreamSynchronize(s->device.stream), "moving stars");
    return status ? status
                  : stars_check(s, cudaEventElapsedTime(milliseconds, s->mark[0], s->mark[1]), "reading the clock");
}

myr_status cuda_stars_steps(myr_cuda_stars *s, const myr_cuda_stars_one *one, double work, double step_work,
                            myr_cuda_stars_done *done, double *seconds)
{
    int64_t teams = 0;
    float milliseconds = 0;
    for (int64_t k = 0; k < s->systems; k++) {
        done[k] = (myr_cuda_stars_done){.time = one[k].time};
        if (one[k].most < 1)
            continue;
        s->which[teams++] = (int32_t)k;
        stars_describe(s, k, &one[k], work, step_work);
    }
    *seconds = 0;
    if (teams == 0)
        return MYR_OK;
    myr_status status = stars_check(s, cudaSetDevice(s->device.id), "choosing a device");
    if (!status)
        status = stars_launch(s, teams, &milliseconds);
    *seconds = 1e-3 * (double)milliseconds;
    for (int64_t k = 0; k < s->systems && !status; k++)
        if (one[k].most > 0) {
            const myr_cuda_progress *p = &s->progress[k];
            done[k] = (myr_cuda_stars_done){.time = p->time,
                                            .steps = p->steps,
                                            .particle_steps = p->particle_steps,
                                            .active = p->last,
                                            .at_end = p->state == MYR_CUDA_AT_END,
                                            .stopped = p->state == MYR_CUDA_STOPPED,
                                            .renew = p->state == MYR_CUDA_RENEW};
        }
    return status;
}

void cuda_stars_report(const myr_cuda_stars *s, double *bytes, int *blocks, int *threads)
{
    *bytes = 0;
    for (int k = 0; k < BUFFER_COUNT; k++)
        *bytes += (double)s->device.buffer[k].size;
    *blocks = s->blocks;
    *threads = s->threads;
}
