/* direct.c - one evaluation on GPUs: particles are copied to the device as records, sums are copied back. Targets are
 * distributed over the GPUs; if a GPU's share of the targets, or the sources, exceed its memory, they are processed in
 * parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int record_reals(const myr_unit *u, int lanes)
{
    const int piece = MYR_CUDA_BAG_ALIGN / u->real_bytes;
    return (lanes + piece - 1) / piece * piece;
}

/* --- choice of the program ---------------------------------------------------------------------------------------- */
/* Masking needed by a job: 2 for exclusions, 1 for coincident particles or self pairs, else 0. */
static int job_is_careful(const myr_direct *job)
{
    if (job->excluded.offset)
        return 2;
    return job->careful || (job->self && job->unit->desc->self == MYR_SELF_SKIPPED);
}

/* Limits of a strength that may be factored out: contributions without the strength must stay as far from overflow and
 * underflow. */
#define STRENGTH_LEAST 0x1p-40
#define STRENGTH_MOST 1.0

/* Common strength of all sources if the loop can omit it (floating-point sums, whose contributions have no grid); else
 * 1. */
static double evaluation_strength(const myr_direct *job)
{
    const myr_unit *u = job->unit;
    if (!u->desc->proportional || job->loops - u->loops != MYR_ACC_single || job->source.n < 1)
        return 1;
    const void *all = job->source.component[u->desc->coords * u->coord_lanes + myr_kernel_strength(u->desc)];
    const double first = u->real_bytes == sizeof(float) ? (double)*(const float *)all : *(const double *)all;
    if (!(first >= STRENGTH_LEAST && first < STRENGTH_MOST))
        return 1;
    int differ = 0;
    for (int64_t j = 0; j < job->source.n && !differ; j++)
        differ = u->real_bytes == sizeof(float) ? ((const float *)all)[j] != (float)first
                                                : ((const double *)all)[j] != first;
    return differ ? 1 : first;
}

static cuda_variant evaluation_variant(const cuda_evaluation *e)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    cuda_variant v = {.kernel = u->desc->name, .kernel_text = job->kernel_text};
    v.kernel_file = cuda_kernel_file(v.kernel);
    v.loop = cuda_loop_name(job);
    v.arithmetic = u->arithmetic;
    v.fold = job->scale[0].fold;
    v.slices = e->shape.slices;
    v.targets = e->shape.targets;
    v.steps = e->shape.steps;
    v.careful = job_is_careful(job);
    v.unlimited = job->unlimited;
    v.equal = e->strength != 1;
    v.types = cuda_evaluation_types(job);
    v.table = u->pair && (int64_t)job->types * e->pair_row * u->real_bytes <= 16 << 10;
    v.threads = e->shape.threads;
    v.blocks = e->shape.blocks;
    return v;
}

/* --- launches ----------------------------------------------------------------------------------------------------- */
void cuda_evaluation_arguments(const cuda_evaluation *e, int64_t targets, myr_cuda_sweep *a)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    const cuda_buffer *b = e->device->buffer;
    memset(a, 0, sizeof *a);
    a->target = b[BUFFER_TARGETS].at;
    a->source = b[BUFFER_SOURCES].at;
    a->self = job->self && u->desc->self != MYR_SELF_COUNTED ? b[BUFFER_SELF].at : NULL;
    a->row = cuda_evaluation_has_rows(job) ? b[BUFFER_ROW].at : NULL;
    a->target_type = b[BUFFER_TARGET_TYPE].at;
    a->pair_table = b[BUFFER_PAIR_TABLE].at;
    if (job->excluded.offset) {
        a->excluded.offset = b[BUFFER_EXCLUDED_OFFSET].at;
        a->excluded.partner = b[BUFFER_EXCLUDED_PARTNER].at;
    }
    a->part = b[BUFFER_PART].at;
    a->report = b[BUFFER_REPORT].at;
    a->over = b[BUFFER_OVER].at;
    a->over_used = b[BUFFER_OVER_USED].at;
    a->targets = targets;
    a->types = job->types;
    a->bag = (int32_t)e->shape.bag;
    a->careful = job->careful;
    a->factor = job->factor * e->strength;
    cuda_arguments_numbers(job, a);
    for (int k = 0; k < u->outputs; k++)
        a->value[k] = (double *)b[BUFFER_VALUES].at + k * targets;
}

size_t cuda_evaluation_shared(const cuda_evaluation *e)
{
    const size_t real = (size_t)e->job->unit->real_bytes, types = (size_t)e->job->types;
    size_t shared = 2 * (size_t)e->shape.bag * (size_t)e->source_stride * real;
    if (e->variant.table)
        shared += types * (size_t)e->pair_row * real;
    const size_t merging = (size_t)e->shape.threads * CUDA_SUM;
    return e->shape.slices > 1 && shared < merging ? merging : shared;
}

myr_status cuda_evaluation_sweep(const cuda_evaluation *e, const cuda_program *program, myr_cuda_sweep *a,
                                 int64_t splits)
{
    const size_t shared = cuda_evaluation_shared(e);
    const int64_t wide = (int64_t)(e->shape.threads / e->shape.slices) * e->shape.targets;
    a->per_split = (a->sources + splits - 1) / splits;
    const dim3 grid = {(unsigned)((a->targets + wide - 1) / wide), (unsigned)splits, 1};
    const cuda_call call = {program->sweep, grid, (unsigned)e->shape.threads, shared, a, sizeof *a, "summing", 0};
    return cuda_launch(e->cuda, e->job->context, e->device, &call);
}

static int64_t finish_blocks(int64_t targets)
{
    return (targets + MYR_CUDA_BLOCK - 1) / MYR_CUDA_BLOCK;
}

myr_status cuda_evaluation_finish(const cuda_evaluation *e, const cuda_program *program, const myr_cuda_sweep *a,
                                  int64_t splits)
{
    const myr_direct *job = e->job;
    const cuda_buffer *b = e->device->buffer;
    myr_cuda_finish f;
    memset(&f, 0, sizeof f); /* clears the padding too, because batches are compared as bytes */
    f.sweep = *a;
    f.net = b[BUFFER_NET].at;
    f.keep = e->result && e->result->sum;
    f.splits = splits;
    if (job->subtracted.offset) {
        f.subtracted.offset = b[BUFFER_EXCLUDED_OFFSET].at;
        f.subtracted.partner = b[BUFFER_EXCLUDED_PARTNER].at;
    }
    const dim3 grid = {(unsigned)finish_blocks(a->targets), 1, 1};
    const cuda_call call = {program->finish, grid, MYR_CUDA_BLOCK, 0, &f, sizeof f, "merging", 0};
    return cuda_launch(e->cuda, job->context, e->device, &call);
}

/* --- results ------------------------------------------------------------------------------------------------------ */
static myr_status evaluation_fetch(const cuda_evaluation *e, void *to, const void *from, size_t size)
{
    return cuda_check(e->cuda, e->job->context,
                      cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, e->device->stream),
                      "copying from the device");
}

__extension__ typedef __int128 digit_sum;

/* Adds a sum in device format, and digits of a wide integer (null = 0), to a sum of the result. */
static void result_merge(const myr_direct *job, myr_word *into, const myr_word *words, const myr_cuda_digits *digits)
{
    myr_word sum[MYR_ACC_WORDS] = {{0}};
    memcpy(sum, words, CUDA_SUM);
    for (int k = 0; digits && k < MYR_CUDA_DIGITS; k++) { /* adds digit * 2^(32 k), with its carry */
        digit_sum carry = (digit_sum)digits->digit[k] * ((digit_sum)1 << (k % 2 ? 32 : 0));
        for (int w = k / 2; w < MYR_ACC_WIDE_WORDS; w++) {
            carry += (uint64_t)sum[MYR_ACC_LOOP_WORDS + w].i;
            sum[MYR_ACC_LOOP_WORDS + w].i = (int64_t)carry;
            carry >>= 64;
        }
    }
    job->loops->merge(into, sum);
}

static void result_note(const cuda_evaluation *e, const myr_cuda_report *report, int64_t first)
{
    static const myr_word none[MYR_ACC_LOOP_WORDS];
    myr_direct_result *r = e->result;
    r->flag |= report->flag;
    r->skipped += (int64_t)report->skipped;
    for (int k = 0; k < e->job->unit->outputs; k++) {
        r->beyond[k] += (int64_t)report->beyond[k];
        if (report->beyond[k])
            result_merge(e->job, r->net[k], none, &report->net[k]);
    }
    if (report->bad) {
        const int64_t bad = first + (0x7fffffff - report->bad);
        if (r->first_bad < 0 || bad < r->first_bad)
            r->first_bad = bad;
    }
}

/* Sums of targets first .. first + n - 1 in device format, fetched for the caller. */
typedef struct {
    myr_word (*words)[MYR_ACC_LOOP_WORDS];
    myr_cuda_digits *over;
} kept_sums;

static myr_status kept_fetch(const cuda_evaluation *e, int64_t n, kept_sums *kept)
{
    const cuda_buffer *b = e->device->buffer;
    const size_t sums = (size_t)(n * e->job->unit->outputs);
    kept->words = malloc(sums * sizeof *kept->words + 1);
    kept->over = malloc(sums * sizeof *kept->over + 1);
    if (!kept->words || !kept->over)
        return e->cuda->host->fail(e->job->context, MYR_ERROR_MEMORY, "no memory for the sums of %lld targets",
                                   (long long)n);
    myr_status status = evaluation_fetch(e, kept->words, b[BUFFER_PART].at, sums * sizeof *kept->words);
    if (!status)
        status = evaluation_fetch(e, kept->over, b[BUFFER_OVER].at, sums * sizeof *kept->over);
    if (!status)
        status = cuda_check(e->cuda, e->job->context,
                            cudaMemsetAsync(b[BUFFER_OVER].at, 0, b[BUFFER_OVER].size, e->device->stream),
                            "clearing wide integers");
    if (!status)
        status = cuda_check(e->cuda, e->job->context,
                            cudaMemsetAsync(b[BUFFER_OVER_USED].at, 0, b[BUFFER_OVER_USED].size, e->device->stream),
                            "clearing wide integers");
    return status;
}

/* Copies the sums to the result. */
static void kept_store(const cuda_evaluation *e, int64_t first, int64_t n, const kept_sums *kept)
{
    const int64_t outputs = e->job->unit->outputs;
    myr_word *to = e->result->sum + first * outputs * MYR_ACC_WORDS;
    for (int64_t i = 0; i < n * outputs; i++, to += MYR_ACC_WORDS) {
        memset(to, 0, sizeof(myr_word[MYR_ACC_WORDS]));
        result_merge(e->job, to, kept->words[i], &kept->over[i]);
    }
}

/* Copies values, net sums and the report of targets first .. first + n - 1 to the host. */
static myr_status evaluation_collect(const cuda_evaluation *e, int64_t first, int64_t n)
{
    const myr_direct *job = e->job;
    const cuda_buffer *b = e->device->buffer;
    const int outputs = job->unit->outputs;
    const int64_t blocks = finish_blocks(n);
    myr_cuda_report report;
    kept_sums kept = {NULL, NULL};
    myr_word(*net)[MYR_ACC_LOOP_WORDS] = calloc((size_t)(blocks * outputs), sizeof *net);
    if (!net)
        return e->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for net sums");
    myr_status status = evaluation_fetch(e, &report, b[BUFFER_REPORT].at, sizeof report);
    if (!status)
        status = evaluation_fetch(e, net, b[BUFFER_NET].at, (size_t)(blocks * outputs) * sizeof *net);
    for (int k = 0; !status && k < outputs; k++)
        if (e->result->value[k])
            status = evaluation_fetch(e, e->result->value[k] + first, (const double *)b[BUFFER_VALUES].at + k * n,
                                      (size_t)n * sizeof(double));
    if (!status && e->result->sum)
        status = kept_fetch(e, n, &kept);
    if (!status)
        status = cuda_check(e->cuda, job->context, cudaStreamSynchronize(e->device->stream), "summing");
    if (!status) {
        result_note(e, &report, first);
        for (int64_t block = 0; block < blocks; block++)
            for (int k = 0; k < outputs; k++)
                result_merge(job, e->result->net[k], net[block * outputs + k], NULL);
    }
    if (!status && e->result->sum)
        kept_store(e, first, n, &kept);
    free(kept.words);
    free(kept.over);
    free(net);
    return status;
}

/* --- one device --------------------------------------------------------------------------------------------------- */
enum { PART_LEAST = 32 }; /* smallest useful part */

/* Chooses how many targets and sources are processed at a time: all if memory allows. */
static myr_status evaluation_parts(cuda_evaluation *e)
{
    const myr_unit *u = e->job->unit;
    const size_t real = (size_t)u->real_bytes;
    size_t available, all;
    myr_status status = cuda_check(e->cuda, e->job->context, cudaMemGetInfo(&available, &all), "asking for memory");
    if (status)
        return status;
    for (int k = 0; k < BUFFER_COUNT; k++)
        available += e->device->buffer[k].size; /* own buffers can be reused */
    if (e->cuda->limit && available > e->cuda->limit)
        available = e->cuda->limit;
    const cuda_buffer *b = e->device->buffer;
    const size_t whole = b[BUFFER_PAIR_TABLE].size + b[BUFFER_EXCLUDED_OFFSET].size + b[BUFFER_EXCLUDED_PARTNER].size;
    available -= whole < available ? whole : available; /* data that are always complete in memory */
    const double room = 0.6 * (double)available;        /* buffers are allocated with a margin of a quarter */
    const double source = (double)((size_t)(u->source_lanes + e->source_stride) * real) + 4;
    const double target =
        (double)((size_t)e->target_stride * real) + 24 +
        (double)u->outputs * (sizeof(double) + sizeof(myr_cuda_digits) + (double)e->shape.splits * CUDA_SUM);
    e->source_part = e->job->source.n;
    e->target_part = e->count;
    if (source * (double)e->source_part + target * (double)e->target_part <= room)
        return MYR_OK;
    e->shape.splits = 1;
    const double single = (double)((size_t)e->target_stride * real) + 24 +
                          (double)u->outputs * (sizeof(double) + sizeof(myr_cuda_digits) + CUDA_SUM);
    e->target_part = smaller(e->count, (int64_t)(0.5 * room / single));
    const int64_t some = (int64_t)(0.5 * room / source);
    e->source_part = smaller(e->job->source.n, some > e->shape.bag ? some / e->shape.bag * e->shape.bag : some);
    if (e->target_part < smaller(e->count, PART_LEAST) || e->source_part < smaller(e->job->source.n, PART_LEAST))
        return e->cuda->host->fail(e->job->context, MYR_ERROR_MEMORY,
                                   "GPU: %.3g MB of memory are left, too little for any part of %lld sources",
                                   1e-6 * (double)available, (long long)e->job->source.n);
    if (e->source_part < e->job->source.n && e->job->subtracted.offset)
        return e->cuda->host->fail(
            e->job->context, MYR_ERROR_MEMORY,
            "GPU: %lld sources do not fit the memory at once, which exclusions that are taken off "
            "afterwards need; exclude on the fly",
            (long long)e->job->source.n);
    return MYR_OK;
}

static myr_status evaluation_rooms(const cuda_evaluation *e, int64_t n)
{
    const int outputs = e->job->unit->outputs;
    myr_context *c = e->job->context;
    myr_status status =
        cuda_room(e->cuda, c, e->device, BUFFER_PART, (size_t)(n * outputs * e->shape.splits) * CUDA_SUM);
    if (!status)
        status = cuda_room(e->cuda, c, e->device, BUFFER_VALUES, (size_t)(n * outputs) * sizeof(double));
    if (!status)
        status = cuda_room(e->cuda, c, e->device, BUFFER_NET, (size_t)(finish_blocks(n) * outputs) * CUDA_SUM);
    if (!status)
        status = cuda_room_over(e->cuda, c, e->device, n, outputs);
    if (!status)
        status = cuda_room(e->cuda, c, e->device, BUFFER_REPORT, sizeof(myr_cuda_report));
    if (!status)
        status = cuda_check(
            e->cuda, c,
            cudaMemsetAsync(e->device->buffer[BUFFER_REPORT].at, 0, sizeof(myr_cuda_report), e->device->stream),
            "clearing the report");
    return status;
}

/* Evaluates targets first .. first + n - 1 against all sources, part by part. */
static myr_status evaluation_some(cuda_evaluation *e, int64_t first, int64_t n, int sources_are_there)
{
    const myr_direct *job = e->job;
    const cuda_program *program = NULL;
    myr_cuda_sweep a;
    myr_status status = cuda_evaluation_send_targets(e, first, n);
    if (!status)
        status = evaluation_rooms(e, n);
    int64_t begin = 0;
    do { /* at least once: without sources the sums are 0 */
        const int64_t some = smaller(e->source_part, job->source.n - begin);
        e->variant.carry = begin > 0;
        if (!status)
            status = cuda_program_get(e->cuda, job->context, e->device, &e->variant, &program);
        if (!status && !sources_are_there)
            status = cuda_evaluation_send_sources(e, program, begin, some);
        if (status)
            return status;
        cuda_evaluation_arguments(e, n, &a);
        a.sources = some;
        a.origin = begin;
        status = cuda_evaluation_sweep(e, program, &a, e->shape.splits);
        begin += some;
    } while (!status && begin < job->source.n);
    return status ? status : cuda_evaluation_finish(e, program, &a, e->shape.splits);
}

void cuda_evaluation_shape(cuda_evaluation *e)
{
    const myr_unit *u = e->job->unit;
    e->target_stride = record_reals(u, u->target_lanes);
    e->source_stride = record_reals(u, u->source_lanes + (u->pair ? 1 : 0));
    e->pair_row = u->pair * cuda_evaluation_types(e->job);
    e->shape = cuda_shape_of(e->device, e->job, e->count);
    e->strength = evaluation_strength(e->job);
    e->variant = evaluation_variant(e);
}

myr_status cuda_evaluation_run(cuda_evaluation *e)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    cuda_evaluation_shape(e);
    myr_status status = cuda_check(e->cuda, job->context, cudaSetDevice(e->device->id), "choosing a device");
    if (!status)
        status = cuda_evaluation_send_pairs(e);
    if (!status)
        status = cuda_evaluation_send_exclusions(e);
    if (!status)
        status = evaluation_parts(e);
    const size_t record = (size_t)e->target_stride * (size_t)u->real_bytes;
    e->staging = status ? NULL : malloc((size_t)e->target_part * record + 16);
    if (!status && !e->staging)
        status = e->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for %lld targets",
                                     (long long)e->target_part);
    for (int64_t at = 0; !status && at < e->count; at += e->target_part) {
        const int64_t n = smaller(e->target_part, e->count - at);
        status = evaluation_some(e, e->first + at, n, at > 0 && e->source_part == job->source.n);
        if (!status && e->count > e->target_part)
            status = evaluation_collect(e, e->first + at, n);
        const myr_context *c = job->context;
        if (!status && c->progress && c->progress(c->progress_user, (double)(e->first + at + n) / (double)job->targets))
            status = e->cuda->host->fail(job->context, MYR_ERROR_CANCELLED, "stopped on request during the evaluation");
    }
    return status;
}

/* Multiplies the net of floating-point sums by the strength omitted in the loop. */
static void result_strengthen(myr_direct_result *r, int outputs, double strength)
{
    for (int k = 0; k < outputs && strength != 1; k++)
        for (int w = 0; w < MYR_ACC_WORDS; w++)
            r->net[k][w].f *= strength;
}

myr_status cuda_run(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result)
{
    myr_direct_result_clear(result);
    if (job->targets > INT32_MAX || job->source.n > INT32_MAX)
        return cuda->host->fail(job->context, MYR_ERROR_VALUE, "GPU: at most %d targets or sources", INT32_MAX);
    const int devices = cuda->alone ? 1 : cuda->devices;
    cuda_device *device = &cuda->device[cuda->alone ? cuda->alone - 1 : 0];
    cuda_evaluation *all = calloc((size_t)devices, sizeof *all);
    if (!all)
        return cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for an evaluation");
    const int64_t share = (job->targets + devices - 1) / devices;
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < devices; k++) { /* starts all devices before waiting for any */
        const int64_t first = smaller(k * share, job->targets);
        all[k] = (cuda_evaluation){.cuda = cuda,
                                   .device = device + k,
                                   .job = job,
                                   .first = first,
                                   .count = smaller(share, job->targets - first),
                                   .result = result};
        if (all[k].count > 0)
            status = cuda_evaluation_run(&all[k]);
        result->splits = all[k].count > 0 && k == 0 ? all[k].shape.splits : result->splits;
    }
    for (int k = 0; k < devices; k++) {
        cuda_evaluation *e = &all[k];
        if (!status && e->count > 0 && e->count <= e->target_part) {
            status = cuda_check(cuda, job->context, cudaSetDevice(e->device->id), "choosing a device");
            if (!status)
                status = evaluation_collect(e, e->first, e->count);
        }
        free(e->staging);
    }
    result_strengthen(result, job->unit->outputs, all[0].strength);
    for (int k = 0; k < job->unit->outputs; k++)
        result->most[k] = result->net[k][0].f;
    free(all);
    return status;
}
