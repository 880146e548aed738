/* send.c - data copied to a GPU for an evaluation: records of sources and targets, pair table, exclusions. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"

/* Number of types for which the pair table has room: a power of two, so that few programs serve all. */
int cuda_evaluation_types(const myr_direct *job)
{
    int room = 1;
    while (room < job->types)
        room *= 2;
    return room;
}

static myr_status send_upload(const cuda_evaluation *e, cuda_buffer_id id, const void *from, size_t size)
{
    return cuda_upload(e->cuda, e->job->context, e->device, id, from, size);
}

static myr_status send_pack(const cuda_evaluation *e, const cuda_program *program, myr_cuda_pack *p, cuda_buffer_id to)
{
    const size_t size = (size_t)p->records * (size_t)p->stride * (size_t)e->job->unit->real_bytes;
    const myr_status status = cuda_room(e->cuda, e->job->context, e->device, to, size);
    if (status)
        return status;
    p->record = e->device->buffer[to].at;
    if (p->records == 0)
        return MYR_OK; /* an empty grid is an invalid launch */
    const dim3 grid = {(unsigned)((p->records + MYR_CUDA_BLOCK - 1) / MYR_CUDA_BLOCK), 1, 1};
    const cuda_call call = {program->pack, grid, MYR_CUDA_BLOCK, 0, p, sizeof *p, "packing", 0};
    return cuda_launch(e->cuda, e->job->context, e->device, &call);
}

/* Copies sources begin .. begin + n - 1 as records. */
myr_status cuda_evaluation_send_sources(const cuda_evaluation *e, const cuda_program *program, int64_t begin, int64_t n)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    const size_t column = (size_t)n * (size_t)u->real_bytes;
    myr_status status =
        cuda_room(e->cuda, job->context, e->device, BUFFER_COMPONENTS, column * (size_t)u->source_lanes);
    for (int c = 0; !status && c < u->source_lanes; c++) {
        const char *from = (const char *)job->source.component[c] + (size_t)begin * (size_t)u->real_bytes;
        char *to = (char *)e->device->buffer[BUFFER_COMPONENTS].at + (size_t)c * column;
        status = cuda_check(e->cuda, job->context,
                            cudaMemcpyAsync(to, from, column, cudaMemcpyHostToDevice, e->device->stream),
                            "copying sources to the device");
    }
    if (!status && u->pair)
        status = send_upload(e, BUFFER_SOURCE_TYPE, job->source.type + begin, (size_t)n * sizeof *job->source.type);
    myr_cuda_pack p = {.component = e->device->buffer[BUFFER_COMPONENTS].at,
                       .type = u->pair ? e->device->buffer[BUFFER_SOURCE_TYPE].at : NULL,
                       .n = n,
                       .records = n,
                       .components = u->source_lanes,
                       .stride = e->source_stride,
                       .row = e->pair_row * u->real_bytes};
    return status ? status : send_pack(e, program, &p, BUFFER_SOURCES);
}

static int64_t target_place(const myr_direct *job, int64_t i)
{
    return job->at ? job->at[i] : i;
}

/* Copies records of targets first .. first + n - 1, gathered on the host because they may be anywhere in the arrays. */
static myr_status send_targets(const cuda_evaluation *e, int64_t first, int64_t n)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    const size_t real = (size_t)u->real_bytes, record = (size_t)e->target_stride * real;
    memset(e->staging, 0, (size_t)n * record);
    for (int c = 0; c < u->target_lanes; c++) {
        const char *from = job->target.component[c];
        char *to = e->staging + (size_t)c * real;
        if (real == sizeof(float))
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * record, from + (size_t)target_place(job, first + i) * real, sizeof(float));
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * record, from + (size_t)target_place(job, first + i) * real, sizeof(double));
    }
    return send_upload(e, BUFFER_TARGETS, e->staging, (size_t)n * record);
}

/* Converts 64-bit indices of targets to 32 bits and copies them; null = identity. */
static myr_status send_index(const cuda_evaluation *e, cuda_buffer_id id, const int64_t *from, int64_t first, int64_t n)
{
    int32_t *to = (int32_t *)(void *)e->staging;
    for (int64_t i = 0; i < n; i++)
        to[i] = (int32_t)(from ? from[first + i] : first + i);
    return send_upload(e, id, to, (size_t)n * sizeof *to);
}

int cuda_evaluation_has_rows(const myr_direct *job)
{
    return job->excluded.offset || job->subtracted.offset;
}

static myr_status send_target_types(const cuda_evaluation *e, int64_t first, int64_t n)
{
    const myr_direct *job = e->job;
    int32_t *to = (int32_t *)(void *)e->staging;
    if (!job->unit->pair)
        return MYR_OK;
    for (int64_t i = 0; i < n; i++)
        to[i] = job->target.type[target_place(job, first + i)];
    return send_upload(e, BUFFER_TARGET_TYPE, to, (size_t)n * sizeof *to);
}

myr_status cuda_evaluation_send_pairs(const cuda_evaluation *e)
{
    const myr_direct *job = e->job;
    const myr_unit *u = job->unit;
    const int64_t entries = (int64_t)job->types * job->types;
    if (!u->pair)
        return MYR_OK;
    const int64_t room = cuda_evaluation_types(job), reals = (int64_t)job->types * e->pair_row;
    char *table = calloc((size_t)reals + 1, (size_t)u->real_bytes);
    if (!table)
        return e->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", job->types);
    for (int64_t n = 0; n < entries; n++) /* [target][source][parameter] becomes [source][parameter][target] */
        for (int k = 0; k < u->pair; k++) {
            const int64_t target = n / job->types, source = n % job->types;
            const int64_t to = source * e->pair_row + k * room + target;
            const double value = job->pair_table[n * u->pair + k];
            if (u->real_bytes == sizeof(float))
                ((float *)(void *)table)[to] = (float)value;
            else
                ((double *)(void *)table)[to] = value;
        }
    const myr_status status = send_upload(e, BUFFER_PAIR_TABLE, table, (size_t)reals * (size_t)u->real_bytes);
    free(table);
    return status;
}

/* Copies the exclusions of either kind. */
myr_status cuda_evaluation_send_exclusions(const cuda_evaluation *e)
{
    const myr_direct *job = e->job;
    const myr_exclusions *list = job->excluded.offset ? &job->excluded : &job->subtracted;
    if (!list->offset)
        return MYR_OK;
    int64_t rows = 0;
    for (int64_t i = 0; i < job->targets; i++) {
        const int64_t row = job->original ? job->original[i] : i;
        rows = row >= rows ? row + 1 : rows;
    }
    const int64_t partners = list->offset[rows];
    int32_t *partner = malloc(((size_t)partners + 1) * sizeof *partner);
    if (!partner)
        return e->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for %lld exclusions",
                                   (long long)partners);
    for (int64_t k = 0; k < partners; k++)
        partner[k] = (int32_t)list->partner[k];
    myr_status status = send_upload(e, BUFFER_EXCLUDED_OFFSET, list->offset, (size_t)(rows + 1) * sizeof *list->offset);
    if (!status)
        status = send_upload(e, BUFFER_EXCLUDED_PARTNER, partner, (size_t)partners * sizeof *partner + 1);
    free(partner);
    return status;
}

myr_status cuda_evaluation_send_targets(const cuda_evaluation *e, int64_t first, int64_t n)
{
    const myr_direct *job = e->job;
    myr_status status = send_targets(e, first, n);
    if (!status && job->self)
        status = send_index(e, BUFFER_SELF, job->self, first, n);
    if (!status && cuda_evaluation_has_rows(job))
        status = send_index(e, BUFFER_ROW, job->original, first, n);
    return status ? status : send_target_types(e, first, n);
}
