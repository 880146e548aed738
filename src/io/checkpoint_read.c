/* checkpoint_read.c - reading checkpoints. No number in the file is believed before it is checked, and no size larger
 * than the file itself leads to an allocation. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "io/checkpoint_layout.h"
#include "io/file.h"

enum { CHECKPOINT_CHUNK = 1 << 20 }; /* read and hashed while it is in the cache */

struct myr_checkpoint {
    int sections;
    myr_checkpoint_entry *entry; /* [sections] */
    void **bytes;                /* [sections] */
};

/* A file being read. */
typedef struct {
    myr_context *context;
    const char *path;
    int descriptor;
    uint64_t size;
    int keep; /* whether the sections stay in memory */
    myr_checkpoint_header header;
    myr_checkpoint *into;
} checkpoint_reader;

typedef unsigned long long ull;

/* Puts "checkpoint '<path>' " before the sentence. */
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
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has version %u; this program reads version %d",
                               (unsigned)h->version, MYR_CHECKPOINT_VERSION);
    if (r->size < h->length)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is cut short: it has %llu of %llu bytes", (ull)r->size,
                               (ull)h->length);
    if (r->size > h->length)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has %llu bytes after its end at byte %llu",
                               (ull)(r->size - h->length), (ull)h->length);
    if (h->order != MYR_CHECKPOINT_ORDER || h->reserved != 0 || h->sections > MYR_CHECKPOINT_SECTIONS_MAX ||
        h->table < sizeof *h || h->table > h->length ||
        h->length - h->table != h->sections * sizeof(myr_checkpoint_entry))
        return checkpoint_fail(r, MYR_ERROR_FORMAT,
                               "has a table of %u sections at byte %llu that does not fit its %llu bytes",
                               (unsigned)h->sections, (ull)h->table, (ull)h->length);
    return MYR_OK;
}

/* One entry: a name that is text and new, and bytes that follow the section before. */
static myr_status checkpoint_check_entry(const checkpoint_reader *r, int k, uint64_t offset)
{
    const myr_checkpoint_entry *e = &r->into->entry[k];
    const ull at = r->header.table + (ull)k * sizeof *e;
    const size_t length = strnlen(e->name, sizeof e->name);
    if (length == 0 || length == sizeof e->name)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has no proper name in table entry %d at byte %llu", k, at);
    for (size_t i = length; i < sizeof e->name; i++)
        if (e->name[i])
            return checkpoint_fail(r, MYR_ERROR_FORMAT, "has no proper name in table entry %d at byte %llu", k, at);
    for (int j = 0; j < k; j++)
        if (strcmp(r->into->entry[j].name, e->name) == 0)
            return checkpoint_fail(r, MYR_ERROR_FORMAT,
                                   "has two sections '%s'; the second is table entry %d at byte %llu", e->name, k, at);
    if (e->offset != offset || e->size > r->header.table - offset)
        return checkpoint_fail(r, MYR_ERROR_FORMAT,
                               "says that section '%s' has %llu bytes at byte %llu, which cannot be", e->name,
                               (ull)e->size, (ull)e->offset);
    return MYR_OK;
}

static myr_status checkpoint_read_table(checkpoint_reader *r)
{
    const uint32_t n = r->header.sections;
    r->into->entry = myr_memory_zeros(n, sizeof *r->into->entry);
    r->into->bytes = myr_memory_zeros(n, sizeof *r->into->bytes);
    if (!r->into->entry || !r->into->bytes)
        return checkpoint_fail(r, MYR_ERROR_MEMORY, "does not fit in memory");
    const size_t size = n * sizeof *r->into->entry;
    myr_status status = myr_file_read(r->context, r->path, r->descriptor, r->header.table, r->into->entry, size);
    if (status)
        return status;
    if (!checkpoint_same(myr_hash_bytes(r->into->entry, size), r->header.table_hash))
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "is damaged in its section table (bytes %llu to %llu)",
                               (ull)r->header.table, (ull)r->header.length - 1);
    uint64_t offset = sizeof r->header;
    for (uint32_t k = 0; k < n; k++) {
        status = checkpoint_check_entry(r, (int)k, offset);
        if (status)
            return status;
        offset += r->into->entry[k].size;
    }
    if (offset != r->header.table)
        return checkpoint_fail(r, MYR_ERROR_FORMAT, "has bytes %llu to %llu that belong to no section", (ull)offset,
                               (ull)r->header.table - 1);
    return MYR_OK;
}

/* Reads a section in pieces to `to`, or where there is nothing to keep always to the same place, and checks its hash.
 */
static myr_status checkpoint_read_bytes(const checkpoint_reader *r, const myr_checkpoint_entry *e, char *to,
                                        myr_hash_state *hash)
{
    myr_hash_restart(hash);
    for (uint64_t done = 0; done < e->size; done += CHECKPOINT_CHUNK) {
        const size_t piece = e->size - done < CHECKPOINT_CHUNK ? (size_t)(e->size - done) : CHECKPOINT_CHUNK;
        char *at = r->keep ? to + done : to;
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

static myr_status checkpoint_read_sections(checkpoint_reader *r)
{
    myr_status status = MYR_OK;
    myr_hash_state *hash = myr_hash_create();
    char *scratch = r->keep ? NULL : malloc(CHECKPOINT_CHUNK);
    if (!hash || (!r->keep && !scratch))
        status = checkpoint_fail(r, MYR_ERROR_MEMORY, "cannot be checked: no memory");
    for (uint32_t k = 0; !status && k < r->header.sections; k++) {
        const myr_checkpoint_entry *e = &r->into->entry[k];
        if (r->keep && !(r->into->bytes[k] = myr_memory_zeros((int64_t)e->size, 1)))
            status = checkpoint_fail(r, MYR_ERROR_MEMORY, "has a section '%s' of %llu bytes: no memory", e->name,
                                     (ull)e->size);
        else
            status = checkpoint_read_bytes(r, e, r->keep ? r->into->bytes[k] : scratch, hash);
    }
    if (hash)
        myr_hash_destroy(&hash);
    free(scratch);
    return status;
}

static myr_status checkpoint_read(myr_context *context, const char *path, int keep, myr_checkpoint **checkpoint)
{
    *checkpoint = NULL;
    if (!myr_hash_available())
        return myr_checkpoint_unavailable(context);
    checkpoint_reader r = {.context = context, .path = path, .keep = keep};
    myr_status status = myr_file_open(context, path, &r.descriptor, &r.size);
    if (status)
        return status;
    r.into = calloc(1, sizeof *r.into);
    if (!r.into) {
        close(r.descriptor);
        return checkpoint_fail(&r, MYR_ERROR_MEMORY, "cannot be read: no memory");
    }
    status = checkpoint_read_header(&r);
    if (!status)
        status = checkpoint_read_table(&r);
    if (!status) {
        r.into->sections = (int)r.header.sections;
        status = checkpoint_read_sections(&r);
    }
    close(r.descriptor);
    if (status)
        myr_checkpoint_close(&r.into);
    *checkpoint = r.into;
    return status;
}

myr_status myr_checkpoint_open(myr_context *context, const char *path, myr_checkpoint **checkpoint)
{
    return context && path && checkpoint ? checkpoint_read(context, path, 1, checkpoint) : MYR_ERROR_ARGUMENT;
}

myr_status myr_checkpoint_verify(myr_context *context, const char *path)
{
    myr_checkpoint *c = NULL;
    const myr_status status = context && path ? checkpoint_read(context, path, 0, &c) : MYR_ERROR_ARGUMENT;
    myr_checkpoint_close(&c);
    return status;
}

/* The context's sentence, cut where it does not fit. */
static void checkpoint_keep_message(const myr_context *context, char *to, size_t size)
{
    const char *message = myr_context_message(context);
    const size_t length = strnlen(message, size - 1);
    memcpy(to, message, length);
    to[length] = 0;
}

myr_status myr_checkpoint_open_latest(myr_context *context, const char *path, myr_checkpoint **checkpoint,
                                      int *used_previous)
{
    char reason[MYR_MESSAGE_MAX / 2], again[MYR_MESSAGE_MAX / 2];
    if (used_previous)
        *used_previous = 0;
    myr_status status = myr_checkpoint_open(context, path, checkpoint);
    if (status != MYR_ERROR_FORMAT && status != MYR_ERROR_FILE)
        return status;
    checkpoint_keep_message(context, reason, sizeof reason);
    /* Beside the target of a link, as myr_checkpoint_rotate puts it. */
    char *target = NULL, *previous = NULL;
    if (myr_file_resolve(context, path, &target) == MYR_OK)
        previous = myr_file_name(target, ".previous");
    if (previous && myr_checkpoint_open(context, previous, checkpoint) == MYR_OK) {
        status = MYR_OK;
        if (used_previous)
            *used_previous = 1;
        myr_context_warn(context, "%s; the previous checkpoint '%s' is used instead", reason, previous);
    } else {
        checkpoint_keep_message(context, again, sizeof again);
        myr_context_fail(context, status, "%s; nor is there a previous one: %s", reason, again);
    }
    free(previous);
    free(target);
    return status;
}

int myr_checkpoint_sections(const myr_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->sections : 0;
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
    free((*checkpoint)->bytes);
    free((*checkpoint)->entry);
    free(*checkpoint);
    *checkpoint = NULL;
}
