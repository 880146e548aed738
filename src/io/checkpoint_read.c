/* checkpoint_read.c - reads checkpoints. No number in the file is used before its check, and no size larger than the
 * file itself leads to an allocation. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "domain/ranks.h"
#include "io/checkpoint_layout.h"
#include "io/file.h"

enum {
    CHECKPOINT_CHUNK = 1 << 20, /* bytes read and hashed at once, so that they stay in the processor cache */
    CHECKPOINT_ENTRIES = 256    /* table entries read at once */
};

struct myr_checkpoint {
    myr_context *context;
    char *path;
    int descriptor;
    int sections;                /* number of sections other than parts */
    myr_checkpoint_entry *entry; /* [sections] */
    void **bytes;                /* [sections] */
    int64_t parts, first, last;  /* number of parts of the file, and range [first, last) of parts on this rank */
    int64_t base;                /* index of the first entry in `part` */
    myr_checkpoint_entry *part;  /* entries of parts base, base + 1, ... */
};

/* Checkpoint file opened for reading. */
typedef struct {
    myr_context *context;
    const char *path;
    int descriptor;
    uint64_t size;
    int keep; /* 1 = keep the sections in memory */
    int64_t share, shares;
    myr_checkpoint_header header;
    myr_checkpoint *into;
} checkpoint_reader;

typedef unsigned long long ull;

/* Prefixes the sentence with "checkpoint '<path>' ". */
static myr_status checkpoint_fail(const checkpoint_reader *r, myr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static myr_status checkpoint_fail(const checkpoint_reader *r, myr_status status, const char *format, ...)
{
    char text[MYR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return myr_context_fail(r->context, status, "checkpoint '%s' %s", r->path, text);
}

static int checkpoint_same(myr_hash a, myr_hash b)
{
    return a.low == b.low && a.high == b.high;
}

static myr_status checkpoint_read_header(checkpoint_reader *r)
{
    myr_checkpoint_header *h = &r->header;
    const size_t size = r->size < sizeof *h ? (size_t)r->size : sizeof *h;
    myr_status status = myr_file_read(r->context, r->path, r->descriptor, 0, h, size);
    if (status)
        return status;
    if (memcmp(h->magic, MYR_CHECKPOINT_MAGIC, size < sizeof h->magic ? size : sizeof h->magic) != 0)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is damaged at byte 0, or no checkpoint of Myriad");
    if (size < sizeof *h)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is cut short: it has %llu bytes, the header alone has 64",
                               (ull)size);
    if (h->order == __builtin_bswap32(MYR_CHECKPOINT_ORDER))
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "comes from a machine of the other byte order");
    if (h->header_hash != myr_hash_bytes(h, offsetof(myr_checkpoint_header, header_hash)).low)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is damaged in its header (bytes 0 to 63)");
    if (h->version != MYR_CHECKPOINT_VERSION)
        return checkpoint_fail(r, MYR_ERROR_FORMAT,
                               "has version %u; this program reads version %d: go on with the program that wrote it",
                               (unsigned)h->version, MYR_CHECKPOINT_VERSION);
    if (r->size < h->length)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is cut short: it has %llu of %llu bytes", (ull)r->size,
                               (ull)h->length);
    if (r->size > h->length)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has %llu bytes after its end at byte %llu",
                               (ull)(r->size - h->length), (ull)h->length);
    if (h->order != MYR_CHECKPOINT_ORDER || h->parts > MYR_CHECKPOINT_PARTS_MAX || h->parts > h->sections ||
        h->sections - h->parts > MYR_CHECKPOINT_SECTIONS_MAX || h->table < sizeof *h || h->table > h->length ||
        h->length - h->table != h->sections * sizeof(myr_checkpoint_entry))
        return checkpoint_fail(r, MYR_ERROR_FORMAT,
                               "has a table of %u sections, %u of them parts, at byte %llu that does not fit its %llu "
                               "bytes",
                               (unsigned)h->sections, (unsigned)h->parts, (ull)h->table, (ull)h->length);
    return MYR_OK;
}

/* Checks the name of entry k: a part has a fixed name; any other name must be text, and unique. */
static myr_status checkpoint_check_name(const checkpoint_reader *r, uint32_t k, const myr_checkpoint_entry *e)
{
    const ull at = r->header.table + (ull)k * sizeof *e;
    const size_t length = strnlen(e->name, sizeof e->name);
    char part[MYR_CHECKPOINT_NAME_MAX + 1];
    myr_checkpoint_part_name(k, part);
    if (k < r->header.parts && memcmp(part, e->name, sizeof part) != 0)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has no '%s' in table entry %u at byte %llu", part, k, at);
    int zeros = length > 0 && length < sizeof e->name;
    for (size_t i = length; i < sizeof e->name; i++)
        zeros &= !e->name[i];
    if (!zeros)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has no proper name in table entry %u at byte %llu", k, at);
    for (uint32_t j = r->header.parts; j < k; j++)
        if (strcmp(r->into->entry[j - r->header.parts].name, e->name) == 0)
            return checkpoint_fail(r, MYR_ERROR_FORMAT,
                                   "has two sections '%s'; the second is table entry %u at byte %llu", e->name, k, at);
    return MYR_OK;
}

/* Checks one entry, whose bytes must follow those of the previous section, and stores it. */
static myr_status checkpoint_take_entry(checkpoint_reader *r, uint32_t k, const myr_checkpoint_entry *e,
                                        uint64_t *offset)
{
    const myr_status status = checkpoint_check_name(r, k, e);
    if (status)
        return status;
    if (e->offset != *offset || e->size > r->header.table - *offset)
        return checkpoint_fail(r, MYR_ERROR_FORMAT,
                               "says that section '%s' has %llu bytes at byte %llu, which cannot be", e->name,
                               (ull)e->size, (ull)e->offset);
    *offset += e->size;
    if (k >= r->header.parts)
        r->into->entry[k - r->header.parts] = *e;
    else if (k >= r->into->first && k < r->into->last)
        r->into->part[k - r->into->first] = *e;
    return MYR_OK;
}

/* Reads the table in pieces and stores the entries of this rank. offset null = only computes the hash. */
static myr_status checkpoint_scan_table(checkpoint_reader *r, uint64_t *offset, myr_hash_state *hash)
{
    myr_checkpoint_entry piece[CHECKPOINT_ENTRIES];
    const uint32_t n = r->header.sections;
    myr_status status = MYR_OK;
    for (uint32_t k = 0; k < n && !status; k += CHECKPOINT_ENTRIES) {
        const uint32_t count = n - k < CHECKPOINT_ENTRIES ? n - k : CHECKPOINT_ENTRIES;
        status = myr_file_read(r->context, r->path, r->descriptor, r->header.table + (uint64_t)k * sizeof *piece, piece,
                               count * sizeof *piece);
        if (!status)
            myr_hash_add(hash, piece, count * sizeof *piece);
        for (uint32_t i = 0; i < count && offset && !status; i++)
            status = checkpoint_take_entry(r, k + i, &piece[i], offset);
    }
    return status;
}

/* Reads the table twice, because no entry may be used before the hash of the table is verified. */
static myr_status checkpoint_verify_table(checkpoint_reader *r, uint64_t *offset, myr_hash_state *hash)
{
    for (int pass = 0; pass < 2; pass++) {
        myr_hash_restart(hash);
        const myr_status status = checkpoint_scan_table(r, pass ? offset : NULL, hash);
        if (status)
            return status;
        if (!checkpoint_same(myr_hash_value(hash), r->header.table_hash))
            return checkpoint_fail(r, MYR_ERROR_FORMAT, "is damaged in its section table (bytes %llu to %llu)",
                                   (ull)r->header.table, (ull)r->header.length - 1);
    }
    return MYR_OK;
}

static myr_status checkpoint_read_table(checkpoint_reader *r)
{
    myr_checkpoint *c = r->into;
    uint64_t offset = sizeof r->header;
    c->parts = r->header.parts;
    c->first = c->base = c->parts * r->share / r->shares;
    c->last = c->parts * (r->share + 1) / r->shares;
    c->part = myr_memory_zeros(c->last - c->first, sizeof *c->part);
    c->entry = myr_memory_zeros(r->header.sections - r->header.parts, sizeof *c->entry);
    c->bytes = myr_memory_zeros(r->header.sections - r->header.parts, sizeof *c->bytes);
    myr_hash_state *hash = myr_hash_create();
    if (!c->part || !c->entry || !c->bytes || !hash) {
        if (hash)
            myr_hash_destroy(&hash);
        return checkpoint_fail(r, MYR_ERROR_MEMORY, "does not fit in memory");
    }
    myr_status status = checkpoint_verify_table(r, &offset, hash);
    myr_hash_destroy(&hash);
    if (!status && offset != r->header.table)
        status = checkpoint_fail(r, MYR_ERROR_FORMAT, "has bytes %llu to %llu that belong to no section", (ull)offset,
                                 (ull)r->header.table - 1);
    return status;
}

/* Reads a section in pieces into `to`, or, if keep is 0, into a buffer of one piece, and verifies its hash. */
static myr_status checkpoint_read_bytes(const checkpoint_reader *r, const myr_checkpoint_entry *e, int keep, char *to,
                                        myr_hash_state *hash)
{
    myr_hash_restart(hash);
    for (uint64_t done = 0; done < e->size; done += CHECKPOINT_CHUNK) {
        const size_t piece = e->size - done < CHECKPOINT_CHUNK ? (size_t)(e->size - done) : CHECKPOINT_CHUNK;
        char *at = keep ? to + done : to;
        const myr_status status = myr_file_read(r->context, r->path, r->descriptor, e->offset + done, at, piece);
        if (status)
            return status;
        myr_hash_add(hash, at, piece);
    }
    if (!checkpoint_same(myr_hash_value(hash), e->hash))
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is damaged in section '%s' (bytes %llu to %llu)", e->name,
                               (ull)e->offset, (ull)(e->offset + e->size) - (e->size > 0));
    return MYR_OK;
}

static myr_status checkpoint_read_sections(checkpoint_reader *r, char *scratch, myr_hash_state *hash)
{
    myr_checkpoint *c = r->into;
    myr_status status = MYR_OK;
    for (int64_t k = 0; !status && k < c->last - c->first; k++)
        status = checkpoint_read_bytes(r, &c->part[k], 0, scratch, hash);
    for (int k = 0; !status && k < c->sections; k++) {
        const myr_checkpoint_entry *e = &c->entry[k];
        if (r->keep && !(c->bytes[k] = myr_memory_zeros((int64_t)e->size, 1)))
            status = checkpoint_fail(r, MYR_ERROR_MEMORY, "has a section '%s' of %llu bytes: no memory", e->name,
                                     (ull)e->size);
        else
            status = checkpoint_read_bytes(r, e, r->keep, r->keep ? c->bytes[k] : scratch, hash);
    }
    return status;
}

static myr_status checkpoint_read_all(checkpoint_reader *r)
{
    myr_status status = checkpoint_read_header(r);
    if (!status)
        status = checkpoint_read_table(r);
    if (status)
        return status;
    r->into->sections = (int)(r->header.sections - r->header.parts);
    myr_hash_state *hash = myr_hash_create();
    char *scratch = malloc(CHECKPOINT_CHUNK);
    status = hash && scratch ? checkpoint_read_sections(r, scratch, hash)
                             : checkpoint_fail(r, MYR_ERROR_MEMORY, "cannot be checked: no memory");
    if (hash)
        myr_hash_destroy(&hash);
    free(scratch);
    return status;
}

static myr_status checkpoint_read(checkpoint_reader *r, myr_checkpoint **checkpoint)
{
    *checkpoint = NULL;
    if (!myr_hash_available())
        return myr_checkpoint_unavailable(r->context);
    myr_status status = myr_file_open(r->context, r->path, &r->descriptor, &r->size);
    if (status)
        return status;
    r->into = calloc(1, sizeof *r->into);
    if (!r->into || !(r->into->path = strdup(r->path))) {
        close(r->descriptor);
        free(r->into);
        return checkpoint_fail(r, MYR_ERROR_MEMORY, "cannot be read: no memory");
    }
    r->into->context = r->context;
    r->into->descriptor = r->descriptor;
    status = checkpoint_read_all(r);
    if (status)
        myr_checkpoint_close(&r->into);
    *checkpoint = r->into;
    return status;
}

myr_status myr_checkpoint_open_share(myr_context *context, const char *path, int64_t share, int64_t shares,
                                     myr_checkpoint **checkpoint)
{
    if (!context || !path || !checkpoint || share < 0 || share >= shares)
        return MYR_ERROR_ARGUMENT;
    checkpoint_reader r = {.context = context, .path = path, .keep = 1, .share = share, .shares = shares};
    return checkpoint_read(&r, checkpoint);
}

myr_status myr_checkpoint_take_all(myr_context *context, myr_checkpoint **checkpoint)
{
    myr_checkpoint *part = *checkpoint;
    int64_t first, last;
    if (myr_checkpoint_parts(part, &first, &last) == last - first)
        return MYR_OK;
    const myr_status status = myr_checkpoint_open_share(context, part->path, 0, 1, checkpoint);
    myr_checkpoint_close(&part);
    return status;
}

myr_status myr_checkpoint_verify(myr_context *context, const char *path)
{
    myr_checkpoint *c = NULL;
    checkpoint_reader r = {.context = context, .path = path, .shares = 1};
    const myr_status status = context && path ? checkpoint_read(&r, &c) : MYR_ERROR_ARGUMENT;
    myr_checkpoint_close(&c);
    return status;
}

/* Copies the error message of the context, truncated to `size`. */
static void checkpoint_copy_message(const myr_context *context, char *to, size_t size)
{
    const char *message = myr_context_message(context);
    const size_t length = strnlen(message, size - 1);
    memcpy(to, message, length);
    to[length] = 0;
}

/* Opens the share of this rank; fails on all ranks if one of them fails. */
static myr_status checkpoint_open_collective(myr_context *context, const char *path, myr_checkpoint **checkpoint)
{
    const myr_status opened =
        myr_checkpoint_open_share(context, path, myr_ranks_me(context), myr_ranks_count(context), checkpoint);
    const myr_status status = myr_ranks_settle(context, opened);
    if (status && !opened)
        myr_checkpoint_close(checkpoint);
    return status;
}

myr_status myr_checkpoint_open_latest(myr_context *context, const char *path, myr_checkpoint **checkpoint,
                                      int *used_previous)
{
    char reason[MYR_MESSAGE_MAX / 2], again[MYR_MESSAGE_MAX / 2];
    if (used_previous)
        *used_previous = 0;
    myr_status status = checkpoint_open_collective(context, path, checkpoint);
    if (status != MYR_ERROR_FORMAT && status != MYR_ERROR_FILE)
        return status;
    checkpoint_copy_message(context, reason, sizeof reason);
    /* in the folder of the target of a symbolic link, as in myr_checkpoint_rotate */
    char *target = NULL, *previous = NULL;
    if (myr_file_resolve(context, path, &target) == MYR_OK)
        previous = myr_file_name(target, ".previous");
    const myr_status named =
        myr_ranks_settle(context, previous ? MYR_OK : myr_file_fail(context, "find the previous of", path, ENOENT));
    if (!named && checkpoint_open_collective(context, previous, checkpoint) == MYR_OK) {
        status = MYR_OK;
        if (used_previous)
            *used_previous = 1;
        myr_context_warn(context, "%s; the previous checkpoint '%s' is used instead", reason, previous);
    } else {
        checkpoint_copy_message(context, again, sizeof again);
        myr_context_fail(context, status, "%s; nor is there a previous one: %s", reason, again);
    }
    free(previous);
    free(target);
    return status;
}

int64_t myr_checkpoint_parts(const myr_checkpoint *checkpoint, int64_t *first, int64_t *last)
{
    *first = checkpoint ? checkpoint->first : 0;
    *last = checkpoint ? checkpoint->last : 0;
    return checkpoint ? checkpoint->parts : 0;
}

uint64_t myr_checkpoint_part_size(const myr_checkpoint *checkpoint, int64_t k)
{
    const myr_checkpoint *c = checkpoint;
    return c && k >= c->first && k < c->last ? c->part[k - c->base].size : 0;
}

void myr_checkpoint_select_part(myr_checkpoint *checkpoint, int64_t k)
{
    checkpoint->first = k;
    checkpoint->last = k + 1;
}

myr_status myr_checkpoint_part_read(const myr_checkpoint *checkpoint, int64_t k, uint64_t offset, void *bytes,
                                    size_t size)
{
    const myr_checkpoint *c = checkpoint;
    if (!c || (!bytes && size > 0))
        return MYR_ERROR_ARGUMENT;
    const uint64_t all = myr_checkpoint_part_size(c, k);
    if (k < c->first || k >= c->last || offset > all || size > all - offset)
        return myr_context_fail(c->context, MYR_ERROR_FORMAT, "checkpoint '%s' has no bytes %llu to %llu in part %lld",
                                c->path, (ull)offset, (ull)offset + (ull)size, (long long)k);
    return myr_file_read(c->context, c->path, c->descriptor, c->part[k - c->base].offset + offset, bytes, size);
}

const char *myr_checkpoint_section_name(const myr_checkpoint *checkpoint, int k)
{
    return checkpoint && k >= 0 && k < checkpoint->sections ? checkpoint->entry[k].name : NULL;
}

const void *myr_checkpoint_section(const myr_checkpoint *checkpoint, const char *name, size_t *size)
{
    if (checkpoint && name)
        for (int k = 0; k < checkpoint->sections; k++)
            if (strcmp(checkpoint->entry[k].name, name) == 0) {
                if (size)
                    *size = (size_t)checkpoint->entry[k].size;
                return checkpoint->bytes[k];
            }
    if (size)
        *size = 0;
    return NULL;
}

void myr_checkpoint_close(myr_checkpoint **checkpoint)
{
    if (!checkpoint || !*checkpoint)
        return;
    for (int k = 0; k < (*checkpoint)->sections; k++)
        free((*checkpoint)->bytes[k]);
    close((*checkpoint)->descriptor);
    free((*checkpoint)->path);
    free((*checkpoint)->part);
    free((*checkpoint)->bytes);
    free((*checkpoint)->entry);
    free(*checkpoint);
    *checkpoint = NULL;
}
