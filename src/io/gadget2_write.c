/* gadget2_write.c - writes binary snapshots of GADGET-2 in the byte order of this machine. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/gadget2.h"
#include "io/fields_by_type.h"

enum {
    GADGET2_BLOCK_MAX = INT32_MAX, /* bytes; readers treat length markers as signed */
    GADGET2_OVERHEAD = 512         /* approximate bytes besides the numbers */
};

/* Snapshot being written, with particles sorted by type. */
typedef struct {
    const myr_format_job *job;
    const char *format;
    int named; /* 1 = SnapFormat 2 with doubles */
    int mixed; /* 1 = the order differs from 0, 1, 2, ... */
    int64_t *order;
    int64_t first[MYR_GADGET2_TYPES + 1];
    myr_binary_out out;
} gadget2_writer;

static int gadget2_is_written(const gadget2_writer *w, const char *field)
{
    for (int k = 0; k < w->job->fields; k++)
        if (strcmp(w->job->field[k], field) == 0)
            return 1;
    return 0;
}

/* Sorts the particles by type; the order within a type is kept. */
static myr_status gadget2_sort(gadget2_writer *w)
{
    const myr_particles *p = w->job->particles;
    const int64_t n = myr_particles_count(p);
    const int32_t *type = myr_particles_types(p);
    int64_t next[MYR_GADGET2_TYPES];
    w->order = myr_memory_zeros(n, sizeof *w->order);
    if (!w->order)
        return myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY, "no memory to sort %lld particles",
                                (long long)n);
    for (int64_t i = 0; i < n; i++)
        w->first[type[i] + 1]++;
    for (int t = 0; t < MYR_GADGET2_TYPES; t++)
        w->first[t + 1] += next[t] = w->first[t];
    for (int64_t i = 0; i < n; i++) {
        w->mixed |= next[type[i]] != i;
        w->order[next[type[i]]++] = i;
    }
    return MYR_OK;
}

/* Number of rows of a block: the gas, or all particles, since the header gives no masses and every particle has its
 * own. */
static int64_t gadget2_rows(const gadget2_writer *w, const myr_gadget2_block *block)
{
    return block->rows == MYR_GADGET2_GAS ? w->first[1] : w->first[MYR_GADGET2_TYPES];
}

/* Ids have 64 bits only if one of them needs that, because most readers expect 32. */
static myr_binary_kind gadget2_id_kind(const gadget2_writer *w)
{
    const int64_t *ids = myr_particles_ids(w->job->particles);
    for (int64_t i = 0; i < myr_particles_count(w->job->particles); i++)
        if (ids[i] < 0 || ids[i] > (int64_t)UINT32_MAX)
            return MYR_BINARY_INT64;
    return MYR_BINARY_UINT32;
}

static void gadget2_put_header(gadget2_writer *w)
{
    unsigned char h[MYR_GADGET2_HEADER] = {0};
    const uint32_t one = 1;
    const double unit = 1, *box = w->job->header.box;
    for (int t = 0; t < MYR_GADGET2_TYPES; t++) {
        const uint32_t count = (uint32_t)(w->first[t + 1] - w->first[t]);
        memcpy(h + MYR_GADGET2_COUNTS + 4 * t, &count, sizeof count);
        memcpy(h + MYR_GADGET2_TOTALS + 4 * t, &count, sizeof count);
    }
    memcpy(h + MYR_GADGET2_TIME, &w->job->header.time, sizeof(double));
    if (box[0] == box[1] && box[0] == box[2])
        memcpy(h + MYR_GADGET2_BOX, box, sizeof(double));
    memcpy(h + MYR_GADGET2_FILES, &one, sizeof one);
    memcpy(h + MYR_GADGET2_HUBBLE, &unit, sizeof unit);
    if (w->named)
        memcpy(h + MYR_GADGET2_DOUBLES, &one, sizeof one);
    myr_binary_put(&w->out, h, sizeof h);
}

/* Writes the block name and the first length marker. */
static void gadget2_open_block(gadget2_writer *w, const char *name, uint32_t bytes)
{
    if (w->named) {
        myr_binary_put_u32(&w->out, 8);
        myr_binary_put(&w->out, name, MYR_GADGET2_NAME);
        myr_binary_put_u32(&w->out, bytes + 8);
        myr_binary_put_u32(&w->out, 8);
    }
    myr_binary_put_u32(&w->out, bytes);
}

/* 1 if a block must be written with zeros. Blocks without names are identified by their position: blocks that readers
 * expect are always written, and so are gas blocks that precede a written gas block. */
static int gadget2_is_filled(const gadget2_writer *w, const myr_gadget2_block *block)
{
    int filled = !w->named && block->rows != MYR_GADGET2_GAS && block - myr_gadget2_blocks <= 3;
    for (const myr_gadget2_block *b = block + 1; b->name && !w->named && block->rows == MYR_GADGET2_GAS; b++)
        filled |= b->field && b->rows == MYR_GADGET2_GAS && gadget2_is_written(w, b->field);
    return filled;
}

/* Size of a block in bytes; 0 if the block is not written. */
static uint64_t gadget2_bytes(const gadget2_writer *w, const myr_gadget2_block *block, myr_binary_kind *kind)
{
    const int index = strcmp(block->name, MYR_GADGET2_INDEX) == 0;
    if (!block->field && !index && strcmp(block->name, MYR_GADGET2_IDS) != 0)
        return 0;
    if (block->field)
        *kind = w->named ? MYR_BINARY_DOUBLE : MYR_BINARY_FLOAT;
    else
        *kind = index ? MYR_BINARY_INT64 : gadget2_id_kind(w);
    if ((block->field && !gadget2_is_written(w, block->field) && !gadget2_is_filled(w, block)) ||
        (index && !(w->mixed && w->named)))
        return 0;
    return (uint64_t)gadget2_rows(w, block) * (uint64_t)block->components * myr_binary_width(*kind);
}

static void gadget2_put_block(gadget2_writer *w, const myr_gadget2_block *block)
{
    const myr_particles *p = w->job->particles;
    myr_binary_kind kind;
    const uint64_t bytes = gadget2_bytes(w, block, &kind);
    if (bytes == 0)
        return;
    gadget2_open_block(w, block->name, (uint32_t)bytes);
    if (!block->field) {
        const int index = strcmp(block->name, MYR_GADGET2_INDEX) == 0;
        const int64_t n = myr_particles_count(p);
        myr_binary_put_integers(&w->out, n, kind, index ? NULL : w->order, index ? w->order : myr_particles_ids(p));
    } else {
        myr_binary_column from[3] = {{.kind = kind}, {.kind = kind}, {.kind = kind}};
        for (int c = 0; c < block->components && gadget2_is_written(w, block->field); c++)
            from[c].from = myr_particles_component_const(p, block->field, c);
        myr_binary_put_columns(&w->out, gadget2_rows(w, block), block->components, from, w->order);
    }
    myr_binary_put_u32(&w->out, (uint32_t)bytes);
}

/* Reports losses, fails if the particles cannot be stored, and computes the size of the file. */
static myr_status gadget2_check(const gadget2_writer *w, uint64_t *size)
{
    myr_context *context = myr_particles_context(w->job->particles);
    const double *box = w->job->header.box;
    myr_binary_kind kind;
    myr_status status = MYR_OK;
    *size = GADGET2_OVERHEAD;
    for (const myr_gadget2_block *b = myr_gadget2_blocks; !status && b->name; b++) {
        const uint64_t bytes = gadget2_bytes(w, b, &kind);
        *size += bytes;
        if (bytes > GADGET2_BLOCK_MAX)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "'%s': block '%s' would take %llu bytes, and the format %s has blocks of at most "
                                    "%d; write gadget_hdf5 instead",
                                    w->job->path, b->name, (unsigned long long)bytes, w->format, GADGET2_BLOCK_MAX);
        if (b->field && b->rows == MYR_GADGET2_GAS && gadget2_is_written(w, b->field))
            status = myr_fields_by_type_check(w->job, w->format, b->field, 1);
        if (bytes > 0 && b->field && !gadget2_is_written(w, b->field))
            status =
                myr_format_report_loss(w->job, "'%s' is written with zeros as '%s': the format %s cannot do without",
                                       w->job->path, b->field, w->format);
    }
    if (!status && (box[0] != box[1] || box[0] != box[2]))
        status = myr_format_report_loss(w->job,
                                        "'%s' is written without the periodic box: the format %s can only carry cubes",
                                        w->job->path, w->format);
    return status;
}

static myr_status gadget2_write(const myr_format_job *job, const char *format, int named)
{
    gadget2_writer w = {.job = job, .format = format, .named = named};
    uint64_t size = 0;
    myr_status status = gadget2_sort(&w);
    if (!status)
        status = gadget2_check(&w, &size);
    if (!status)
        status = myr_binary_create(myr_particles_context(job->particles), job->path, size, &w.out);
    if (!status) {
        gadget2_open_block(&w, "HEAD", MYR_GADGET2_HEADER);
        gadget2_put_header(&w);
        myr_binary_put_u32(&w.out, MYR_GADGET2_HEADER);
        for (const myr_gadget2_block *b = myr_gadget2_blocks; b->name; b++)
            gadget2_put_block(&w, b);
        status = myr_binary_publish(&w.out);
    }
    free(w.order);
    return status;
}

myr_status myr_gadget2_write(const myr_format_job *job)
{
    return gadget2_write(job, "gadget2", 1);
}

myr_status myr_gadget2_write_float(const myr_format_job *job)
{
    return gadget2_write(job, "gadget2_float", 0);
}
