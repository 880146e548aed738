/* tipsy_read.c - reads Tipsy files: either byte order, with and without padding, positions in floats or doubles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/tipsy.h"

enum { TIPSY_FIELDS_MAX = 16 };

/* Tipsy file being read. */
typedef struct {
    myr_binary in;
    uint64_t start; /* offset of the first particle */
    int wide;       /* 1 = positions are doubles */
    int64_t count[MYR_TIPSY_KINDS], n;
    double *optional[TIPSY_FIELDS_MAX]; /* values of optional fields, which are kept only if one is not 0 */
    myr_particles *into;
} tipsy_reader;

/* 1 if the header is plausible in the byte order that is set. */
static int tipsy_plausible(tipsy_reader *r, const unsigned char *h)
{
    const uint32_t dimensions = myr_binary_u32(&r->in, h + 12);
    r->n = 0;
    for (int k = 0; k < MYR_TIPSY_KINDS; k++)
        r->n += r->count[k] = myr_binary_u32(&r->in, h + 16 + 4 * k);
    return dimensions >= 1 && dimensions <= 3 && r->n == (int64_t)myr_binary_u32(&r->in, h + 8);
}

static myr_status tipsy_header(tipsy_reader *r, myr_snapshot_header *header)
{
    unsigned char h[MYR_TIPSY_HEADER];
    const myr_status status = myr_binary_read(&r->in, 0, "the header of a Tipsy file", h, sizeof h);
    if (status)
        return status;
    r->in.swapped = 0;
    if (!tipsy_plausible(r, h)) {
        r->in.swapped = 1;
        if (!tipsy_plausible(r, h)) {
            const uint32_t swapped_dimensions = myr_binary_u32(&r->in, h + 12);
            r->in.swapped = swapped_dimensions >= 1 && swapped_dimensions <= 3;
            const uint32_t dimensions = myr_binary_u32(&r->in, h + 12);
            tipsy_plausible(r, h);
            if (dimensions < 1 || dimensions > 3)
                return myr_binary_fail(&r->in, 12, "this is no Tipsy file: it would have %u dimensions",
                                       (unsigned)dimensions);
            return myr_binary_fail(&r->in, 8,
                                   "the header says that there are %u particles, but %lld gas, %lld dark and %lld star "
                                   "particles are %lld",
                                   (unsigned)myr_binary_u32(&r->in, h + 8), (long long)r->count[0],
                                   (long long)r->count[1], (long long)r->count[2], (long long)r->n);
        }
    }
    header->time = myr_binary_f64(&r->in, h);
    return isfinite(header->time) ? MYR_OK : myr_binary_fail(&r->in, 0, "the time is %g", header->time);
}

/* Determines padding and position type from the size of the file, which must match the particles exactly. */
static myr_status tipsy_layout(tipsy_reader *r)
{
    uint64_t narrow = 0;
    for (int wide = 0; wide < 2; wide++) {
        uint64_t bytes = 0;
        for (int k = 0; k < MYR_TIPSY_KINDS; k++)
            bytes += (uint64_t)r->count[k] * myr_tipsy_record(k, wide);
        narrow = wide ? narrow : bytes;
        for (uint64_t start = MYR_TIPSY_HEADER; start <= MYR_TIPSY_PADDED; start += 4)
            if (r->in.size == start + bytes) {
                r->start = start;
                r->wide = wide;
                return MYR_OK;
            }
    }
    const int is_short = r->in.size < MYR_TIPSY_HEADER + narrow;
    return myr_binary_fail(&r->in, MYR_TIPSY_HEADER,
                           "%s: %lld gas, %lld dark and %lld star particles take %llu bytes, and the file ends at byte "
                           "%llu",
                           is_short ? "the file is cut short" : "the length of the file does not fit its particles",
                           (long long)r->count[0], (long long)r->count[1], (long long)r->count[2],
                           (unsigned long long)narrow, (unsigned long long)r->in.size);
}

/* Index of an optional field; -1 for position, velocity and mass, which are always present. */
static int tipsy_optional(const char *field)
{
    for (int k = 3; myr_tipsy_fields[k].name; k++)
        if (strcmp(myr_tipsy_fields[k].name, field) == 0)
            return k - 3;
    return -1;
}

/* Destination of a column, from particle `base` on; null if memory is short. */
static double *tipsy_target(tipsy_reader *r, const myr_tipsy_column *column, int64_t base)
{
    const int k = tipsy_optional(column->field);
    if (k < 0)
        return myr_particles_component(r->into, column->field, column->component) + base;
    if (!r->optional[k])
        r->optional[k] = myr_memory_zeros(r->n, sizeof(double));
    return r->optional[k] ? r->optional[k] + base : NULL;
}

static myr_status tipsy_particles(tipsy_reader *r)
{
    uint64_t at = r->start;
    int64_t base = 0;
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < MYR_TIPSY_KINDS; k++) {
        const myr_tipsy_kind *kind = &myr_tipsy_kinds[k];
        myr_binary_column to[MYR_TIPSY_COLUMNS];
        for (int c = 0; c < kind->columns; c++) {
            const int wide = r->wide && strcmp(kind->column[c].field, "position") == 0;
            to[c] = (myr_binary_column){.kind = wide ? MYR_BINARY_DOUBLE : MYR_BINARY_FLOAT};
            if (r->count[k] > 0 && !(to[c].to = tipsy_target(r, &kind->column[c], base)))
                return myr_context_fail(r->in.context, MYR_ERROR_MEMORY, "no memory to read '%s'", r->in.path);
        }
        status = myr_binary_get_columns(&r->in, at, r->count[k], kind->columns, to, NULL);
        at += (uint64_t)r->count[k] * myr_tipsy_record(k, r->wide);
        base += r->count[k];
    }
    return status;
}

/* Keeps optional fields with a nonzero value. Every record has room for densities, softenings and so on; a field of
 * zeros was not set by the writer. */
static myr_status tipsy_keep_optional(tipsy_reader *r)
{
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < TIPSY_FIELDS_MAX; k++) {
        const unsigned char *bytes = (const unsigned char *)r->optional[k];
        size_t zeros = 0, size = (size_t)r->n * sizeof(double);
        while (bytes && zeros < size && bytes[zeros] == 0)
            zeros++;
        if (bytes && zeros < size)
            status = myr_particles_set(r->into, myr_tipsy_fields[k + 3].name, 1, r->optional[k]);
    }
    return status;
}

static myr_status tipsy_identities(tipsy_reader *r)
{
    int found = 0;
    int64_t *ids = myr_memory_zeros(r->n, sizeof *ids);
    int32_t *types = myr_memory_zeros(r->n, sizeof *types);
    myr_status status =
        ids && types ? MYR_OK
                     : myr_context_fail(r->in.context, MYR_ERROR_MEMORY, "no memory for the ids of '%s'", r->in.path);
    if (!status)
        status = myr_tipsy_read_ids(&r->in, r->n, ids, &found);
    if (!status && found)
        status = myr_format_set_ids(r->into, r->in.path, ids);
    for (int64_t k = 0, i = 0; !status && k < MYR_TIPSY_KINDS; k++)
        for (int64_t end = i + r->count[k]; i < end; i++)
            types[i] = myr_tipsy_kinds[k].type;
    if (!status)
        status = myr_particles_set_types(r->into, types);
    free(types);
    free(ids);
    return status;
}

static myr_status tipsy_read(tipsy_reader *r, myr_snapshot_header *header)
{
    myr_status status = tipsy_header(r, header);
    if (!status)
        status = tipsy_layout(r);
    if (!status)
        status = myr_particles_create(r->in.context, r->n, &r->into);
    for (int k = 0; !status && k < 3; k++)
        status = myr_particles_add_field(r->into, myr_tipsy_fields[k].name, k < 2 ? 3 : 1);
    if (!status)
        status = tipsy_particles(r);
    if (!status)
        status = tipsy_keep_optional(r);
    return status ? status : tipsy_identities(r);
}

myr_status myr_tipsy_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                          myr_snapshot_header *header)
{
    (void)frame; /* the format has a single frame */
    tipsy_reader r = {.in.descriptor = -1};
    myr_status status = myr_binary_open(context, path, &r.in);
    if (!status)
        status = tipsy_read(&r, header);
    myr_binary_close(&r.in);
    for (int k = 0; k < TIPSY_FIELDS_MAX; k++)
        free(r.optional[k]);
    if (status)
        myr_particles_destroy(&r.into);
    *particles = r.into;
    return status;
}
