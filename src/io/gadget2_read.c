/* gadget2_read.c - reads binary snapshots of GADGET-2 from any program: both formats, both byte orders, floats or
 * doubles, ids of 32 or 64 bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/gadget2.h"

enum { GADGET2_FOUND_MAX = 64, GADGET2_LABEL = 8 };

/* Block found in the file. */
typedef struct {
    char name[MYR_GADGET2_NAME + 1]; /* empty with SnapFormat 1, until the block is identified by its position */
    uint64_t offset, bytes;          /* offset and size of the data between the length markers */
    const myr_gadget2_block *block;  /* null = unknown block */
    myr_binary_kind kind;
} gadget2_found;

/* Snapshot file being read. */
typedef struct {
    myr_binary in;
    int named; /* 1 = SnapFormat 2 */
    int blocks;
    gadget2_found found[GADGET2_FOUND_MAX];
    int64_t count[MYR_GADGET2_TYPES], first[MYR_GADGET2_TYPES + 1];
    double mass[MYR_GADGET2_TYPES]; /* mass of all particles of a type; 0 = each particle has its own */
    int64_t *place;                 /* [n], index in the set of row i; null = i */
    myr_particles *into;
} gadget2_reader;

/* Determines format and byte order from the first number: 256 or 8, or one of these with swapped bytes. */
static myr_status gadget2_recognise(gadget2_reader *r)
{
    unsigned char start[4];
    myr_status status = myr_binary_read(&r->in, 0, "the first length of a block", start, sizeof start);
    if (status)
        return status;
    for (int swapped = 0; swapped < 2; swapped++) {
        r->in.swapped = swapped;
        const uint32_t length = myr_binary_u32(&r->in, start);
        if (length == MYR_GADGET2_HEADER || length == GADGET2_LABEL) {
            r->named = length == GADGET2_LABEL;
            return MYR_OK;
        }
    }
    r->in.swapped = 0;
    return myr_binary_fail(&r->in, 0,
                           "this is no snapshot of GADGET-2: it should start with the length 256 or 8 of a block, not "
                           "with %u",
                           (unsigned)myr_binary_u32(&r->in, start));
}

/* Reads one record: length marker, offset of the data, and second length marker, which must equal the first. */
static myr_status gadget2_record(const gadget2_reader *r, const char *name, uint64_t at, uint64_t *offset,
                                 uint64_t *bytes)
{
    unsigned char marker[4];
    char what[48];
    snprintf(what, sizeof what, "block '%s' with its two lengths", name);
    myr_status status = myr_binary_read(&r->in, at, "the length before a block", marker, sizeof marker);
    if (status)
        return status;
    const uint32_t before = myr_binary_u32(&r->in, marker);
    if (r->in.size - at < (uint64_t)before + 8)
        return myr_binary_fail(&r->in, at, "the file is cut short: %s should take %llu bytes, and it ends at byte %llu",
                               what, (unsigned long long)before + 8, (unsigned long long)r->in.size);
    status = myr_binary_read(&r->in, at + 4 + before, "the length behind a block", marker, sizeof marker);
    if (status)
        return status;
    const uint32_t behind = myr_binary_u32(&r->in, marker);
    if (behind != before)
        return myr_binary_fail(&r->in, at,
                               "the lengths around block '%s' disagree: %u before it, %u behind it at byte %llu", name,
                               (unsigned)before, (unsigned)behind, (unsigned long long)at + 4 + before);
    *offset = at + 4;
    *bytes = before;
    return MYR_OK;
}

/* Reads the name that precedes a block of SnapFormat 2. */
static myr_status gadget2_label(const gadget2_reader *r, uint64_t *at, char name[MYR_GADGET2_NAME + 1])
{
    uint64_t offset = 0, bytes = 0;
    myr_status status = gadget2_record(r, "name of a block", *at, &offset, &bytes);
    if (status)
        return status;
    if (bytes != GADGET2_LABEL)
        return myr_binary_fail(&r->in, *at, "the name of a block was expected, in 8 bytes, not %llu",
                               (unsigned long long)bytes);
    status = myr_binary_read(&r->in, offset, "the name of a block", name, MYR_GADGET2_NAME);
    name[MYR_GADGET2_NAME] = 0;
    for (int k = 0; k < MYR_GADGET2_NAME; k++)
        if (name[k] < ' ' || name[k] > '~') /* some writers pad with zeros */
            name[k] = ' ';
    *at += GADGET2_LABEL + 8;
    return status;
}

/* Finds all blocks. */
static myr_status gadget2_scan(gadget2_reader *r)
{
    myr_status status = MYR_OK;
    for (uint64_t at = 0; !status && at < r->in.size;) {
        gadget2_found *f = &r->found[r->blocks];
        char number[32];
        if (r->blocks == GADGET2_FOUND_MAX)
            return myr_binary_fail(&r->in, at, "there are more than %d blocks", GADGET2_FOUND_MAX);
        if (r->named)
            status = gadget2_label(r, &at, f->name);
        snprintf(number, sizeof number, "%d", r->blocks);
        if (!status)
            status = gadget2_record(r, r->named ? f->name : number, at, &f->offset, &f->bytes);
        at = f->offset + f->bytes + 4;
        r->blocks++;
    }
    return status;
}

static myr_status gadget2_counts(gadget2_reader *r, const unsigned char *h)
{
    for (int t = 0; t < MYR_GADGET2_TYPES; t++) {
        r->count[t] = myr_binary_u32(&r->in, h + MYR_GADGET2_COUNTS + 4 * t);
        r->first[t + 1] = r->first[t] + r->count[t];
        r->mass[t] = myr_binary_f64(&r->in, h + MYR_GADGET2_MASSES + 8 * t);
        if (!isfinite(r->mass[t]) || r->mass[t] < 0)
            return myr_binary_fail(&r->in, r->found[0].offset + MYR_GADGET2_MASSES + 8 * (uint64_t)t,
                                   "the header gives the particles of type %d the mass %g", t, r->mass[t]);
    }
    return MYR_OK;
}

static myr_status gadget2_header(gadget2_reader *r, myr_snapshot_header *header)
{
    unsigned char h[MYR_GADGET2_HEADER];
    const gadget2_found *f = r->found;
    if (f->bytes != sizeof h || (r->named && strcmp(f->name, "HEAD") != 0))
        return myr_binary_fail(&r->in, f->offset, "the header HEAD of 256 bytes was expected, not '%s' of %llu",
                               f->name, (unsigned long long)f->bytes);
    myr_status status = myr_binary_read(&r->in, f->offset, "the header", h, sizeof h);
    if (!status)
        status = gadget2_counts(r, h);
    if (status)
        return status;
    const int32_t files = (int32_t)myr_binary_u32(&r->in, h + MYR_GADGET2_FILES);
    if (files > 1)
        return myr_binary_fail(&r->in, f->offset + MYR_GADGET2_FILES,
                               "this is one of %d files of a snapshot; only snapshots in one file can be read", files);
    header->time = myr_binary_f64(&r->in, h + MYR_GADGET2_TIME);
    for (int c = 0; c < 3; c++)
        header->box[c] = myr_binary_f64(&r->in, h + MYR_GADGET2_BOX);
    const double redshift = myr_binary_f64(&r->in, h + MYR_GADGET2_REDSHIFT);
    if (redshift != 0)
        myr_context_warn(r->in.context,
                         "'%s' is of a run in comoving coordinates (redshift %g): its numbers are taken as they are",
                         r->in.path, redshift);
    return MYR_OK;
}

/* 1 if particles of a type have rows in a block. */
static int gadget2_has(const gadget2_reader *r, const myr_gadget2_block *block, int type)
{
    return block->rows == MYR_GADGET2_ALL || (block->rows == MYR_GADGET2_GAS && type == 0) ||
           (block->rows == MYR_GADGET2_VARIABLE && r->mass[type] == 0);
}

static int64_t gadget2_rows(const gadget2_reader *r, const myr_gadget2_block *block)
{
    int64_t rows = 0;
    for (int t = 0; t < MYR_GADGET2_TYPES; t++)
        rows += gadget2_has(r, block, t) ? r->count[t] : 0;
    return rows;
}

/* 1 if the size of a block in the file fits: the expected count of numbers of 4 or 8 bytes. */
static int gadget2_fits(const gadget2_reader *r, const myr_gadget2_block *block, gadget2_found *f)
{
    const uint64_t numbers = (uint64_t)gadget2_rows(r, block) * (uint64_t)block->components;
    const int wide = f->bytes == numbers * 8;
    if (numbers == 0 || (!wide && f->bytes != numbers * 4))
        return 0;
    if (block->field)
        f->kind = wide ? MYR_BINARY_DOUBLE : MYR_BINARY_FLOAT;
    else
        f->kind = wide ? MYR_BINARY_INT64 : MYR_BINARY_UINT32;
    f->block = block;
    return 1;
}

static const gadget2_found *gadget2_find(const gadget2_reader *r, const char *name)
{
    for (int k = 1; k < r->blocks; k++)
        if (r->found[k].block && strcmp(r->found[k].block->name, name) == 0)
            return &r->found[k];
    return NULL;
}

static const myr_gadget2_block *gadget2_block(const char *name)
{
    const myr_gadget2_block *b = myr_gadget2_blocks;
    while (b->name && strcmp(b->name, name) != 0)
        b++;
    return b->name ? b : NULL;
}

/* 1 if a snapshot must have this block: a wrong size is then an error. Other blocks are skipped with a warning. */
static int gadget2_required(const myr_gadget2_block *block)
{
    return block - myr_gadget2_blocks <= 3 || strcmp(block->name, MYR_GADGET2_INDEX) == 0;
}

static void gadget2_skip_block(const gadget2_reader *r, const gadget2_found *f, const char *why)
{
    myr_context_warn(r->in.context, "'%s' at byte %llu: the block '%s' of %llu bytes is left out: %s", r->in.path,
                     (unsigned long long)f->offset, f->name, (unsigned long long)f->bytes, why);
}

/* Identifies a block of SnapFormat 2 by its name. */
static myr_status gadget2_assign_named(gadget2_reader *r, gadget2_found *f)
{
    const myr_gadget2_block *block = gadget2_block(f->name);
    if (block && gadget2_find(r, f->name))
        return myr_binary_fail(&r->in, f->offset, "there is a second block '%s'", f->name);
    if (block && (gadget2_fits(r, block, f) || (f->bytes == 0 && gadget2_rows(r, block) == 0)))
        return MYR_OK;
    if (block && gadget2_required(block))
        return myr_binary_fail(&r->in, f->offset,
                               "block '%s' has %llu bytes; the header's %lld particles would take %lld numbers of 4 or "
                               "8 bytes",
                               f->name, (unsigned long long)f->bytes, (long long)r->first[MYR_GADGET2_TYPES],
                               (long long)gadget2_rows(r, block) * block->components);
    gadget2_skip_block(r, f, block ? "its length does not fit the particles" : "its name is not known");
    return MYR_OK;
}

/* Identifies a block of SnapFormat 1 by its position, and optional blocks by their length too. The numbers of optional
 * blocks are as wide as those of the positions; otherwise doubles of the gas could not be distinguished from floats of
 * twice as many particles. */
static myr_status gadget2_assign_ordered(gadget2_reader *r, gadget2_found *f, const myr_gadget2_block **next)
{
    for (const myr_gadget2_block *b = *next; b->name && strcmp(b->name, MYR_GADGET2_INDEX) != 0; b++) {
        const int required = gadget2_required(b);
        if (gadget2_fits(r, b, f) && (required || myr_binary_width(f->kind) == myr_binary_width(r->found[1].kind))) {
            strcpy(f->name, b->name);
            *next = b + 1;
            return MYR_OK;
        }
        f->block = NULL;
        if (required && gadget2_rows(r, b) > 0)
            return myr_binary_fail(&r->in, f->offset,
                                   "block '%s' was expected: %lld numbers of 4 or 8 bytes for the header's %lld "
                                   "particles, not %llu bytes",
                                   b->name, (long long)gadget2_rows(r, b) * b->components,
                                   (long long)r->first[MYR_GADGET2_TYPES], (unsigned long long)f->bytes);
    }
    gadget2_skip_block(r, f, "it is none that is known");
    return MYR_OK;
}

/* Identifies all blocks. Afterwards the number of particles is confirmed by the size of the positions. */
static myr_status gadget2_assign(gadget2_reader *r)
{
    const myr_gadget2_block *next = myr_gadget2_blocks;
    const int64_t n = r->first[MYR_GADGET2_TYPES];
    myr_status status = MYR_OK;
    for (int k = 1; !status && k < r->blocks; k++)
        status = r->named ? gadget2_assign_named(r, &r->found[k]) : gadget2_assign_ordered(r, &r->found[k], &next);
    if (!status && n > 0 && !gadget2_find(r, "POS "))
        return myr_binary_fail(&r->in, r->found[0].offset,
                               "the header says that there are %lld particles, but there is no block 'POS '",
                               (long long)n);
    return status;
}

/* Reads the index of each row in the set, if the file has it, and checks that every index occurs once. */
static myr_status gadget2_places(gadget2_reader *r, int64_t n)
{
    const gadget2_found *f = gadget2_find(r, MYR_GADGET2_INDEX);
    if (!f)
        return MYR_OK;
    char *taken = myr_memory_zeros(n, 1);
    r->place = myr_memory_zeros(n, sizeof *r->place);
    if (!taken || !r->place) {
        free(taken);
        return myr_context_fail(r->in.context, MYR_ERROR_MEMORY, "no memory for the order of '%s'", r->in.path);
    }
    myr_status status = myr_binary_get_integers(&r->in, f->offset, n, f->kind, NULL, r->place);
    for (int64_t i = 0; !status && i < n; i++) {
        const int64_t to = r->place[i];
        if (to < 0 || to >= n || taken[to])
            status = myr_binary_fail(&r->in, f->offset + (uint64_t)i * myr_binary_width(f->kind),
                                     "the place %lld in block '" MYR_GADGET2_INDEX "' is %s", (long long)to,
                                     to < 0 || to >= n ? "out of range" : "taken twice");
        else
            taken[to] = 1;
    }
    free(taken);
    return status;
}

static myr_status gadget2_types(gadget2_reader *r, int64_t n)
{
    int32_t *types = myr_memory_zeros(n, sizeof *types);
    if (!types)
        return myr_context_fail(r->in.context, MYR_ERROR_MEMORY, "no memory for the types of '%s'", r->in.path);
    for (int t = 0; t < MYR_GADGET2_TYPES; t++)
        for (int64_t i = r->first[t]; i < r->first[t + 1]; i++)
            types[r->place ? r->place[i] : i] = t;
    const myr_status status = myr_particles_set_types(r->into, types);
    free(types);
    return status;
}

static myr_status gadget2_ids(gadget2_reader *r, int64_t n)
{
    const gadget2_found *f = gadget2_find(r, MYR_GADGET2_IDS);
    if (!f) {
        if (n > 0)
            myr_context_warn(r->in.context, "'%s' has no block 'ID  '; the particles are numbered from 0", r->in.path);
        return MYR_OK;
    }
    int64_t *ids = myr_memory_zeros(n, sizeof *ids);
    if (!ids)
        return myr_context_fail(r->in.context, MYR_ERROR_MEMORY, "no memory for the ids of '%s'", r->in.path);
    myr_status status = myr_binary_get_integers(&r->in, f->offset, n, f->kind, r->place, ids);
    if (!status)
        status = myr_format_set_ids(r->into, r->in.path, ids);
    free(ids);
    return status;
}

/* Reads one block into its field; types without rows keep zeros. */
static myr_status gadget2_field(gadget2_reader *r, const gadget2_found *f)
{
    const myr_gadget2_block *block = f->block;
    myr_binary_column to[3] = {{.kind = f->kind}, {.kind = f->kind}, {.kind = f->kind}};
    uint64_t at = f->offset;
    myr_status status = myr_particles_add_field(r->into, block->field, block->components);
    for (int t = 0; !status && t < MYR_GADGET2_TYPES; t++) {
        if (!gadget2_has(r, block, t))
            continue;
        for (int c = 0; c < block->components; c++)
            to[c].to = myr_particles_component(r->into, block->field, c) + (r->place ? 0 : r->first[t]);
        status = myr_binary_get_columns(&r->in, at, r->count[t], block->components, to,
                                        r->place ? r->place + r->first[t] : NULL);
        at += (uint64_t)r->count[t] * (uint64_t)block->components * myr_binary_width(f->kind);
    }
    return status;
}

/* Sets masses that the header gives for all particles of a type. */
static myr_status gadget2_masses(gadget2_reader *r)
{
    const myr_gadget2_block *block = gadget2_block("MASS");
    const int64_t n = r->first[MYR_GADGET2_TYPES], own = gadget2_rows(r, block);
    if (own > 0 && !gadget2_find(r, "MASS")) {
        if (own < n)
            return myr_binary_fail(&r->in, r->in.size, "%lld particle%s no mass: there is no block 'MASS'",
                                   (long long)own, own == 1 ? " has" : "s have");
        myr_context_warn(r->in.context, "'%s' has no masses", r->in.path);
        return MYR_OK;
    }
    const myr_status status = n > 0 ? myr_particles_add_field(r->into, block->field, 1) : MYR_OK;
    double *mass = status || n == 0 ? NULL : myr_particles_component(r->into, block->field, 0);
    for (int t = 0; mass && t < MYR_GADGET2_TYPES; t++)
        for (int64_t i = r->first[t]; r->mass[t] != 0 && i < r->first[t + 1]; i++)
            mass[r->place ? r->place[i] : i] = r->mass[t];
    return status;
}

static myr_status gadget2_read(gadget2_reader *r, myr_snapshot_header *header)
{
    myr_status status = gadget2_recognise(r);
    if (!status)
        status = gadget2_scan(r);
    if (!status)
        status = gadget2_header(r, header);
    if (!status)
        status = gadget2_assign(r);
    const int64_t n = r->first[MYR_GADGET2_TYPES];
    if (!status)
        status = myr_particles_create(r->in.context, n, &r->into);
    if (!status)
        status = gadget2_places(r, n);
    if (!status)
        status = gadget2_types(r, n);
    if (!status)
        status = gadget2_ids(r, n);
    for (int k = 1; !status && k < r->blocks; k++)
        if (r->found[k].block && r->found[k].block->field)
            status = gadget2_field(r, &r->found[k]);
        else if (r->found[k].block && !gadget2_required(r->found[k].block))
            gadget2_skip_block(r, &r->found[k], "there is no field for it");
    return status ? status : gadget2_masses(r);
}

myr_status myr_gadget2_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                            myr_snapshot_header *header)
{
    (void)frame; /* the format has a single frame */
    gadget2_reader r = {.in.descriptor = -1};
    myr_status status = myr_binary_open(context, path, &r.in);
    if (!status)
        status = gadget2_read(&r, header);
    myr_binary_close(&r.in);
    free(r.place);
    if (status)
        myr_particles_destroy(&r.into);
    *particles = r.into;
    return status;
}
