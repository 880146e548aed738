/* checkpoint_write.c - writes checkpoints and keeps the last two. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checkpoint_layout.h"
#include "io/file.h"

struct myr_checkpoint_writer {
    myr_context *context;
    myr_file file;
    char *path;
    uint64_t end;               /* file offset of the next section */
    int64_t parts;              /* number of parts, which precede the other sections in the table */
    int sections;               /* number of sections other than parts */
    myr_checkpoint_entry *part; /* [parts] */
    myr_checkpoint_entry entry[MYR_CHECKPOINT_SECTIONS_MAX];
    myr_status status; /* first error; its message is in `message` */
    char message[MYR_MESSAGE_MAX];
};

myr_status myr_checkpoint_create(myr_context *context, const char *path, myr_checkpoint_writer **writer)
{
    if (!context || !path || !writer)
        return MYR_ERROR_ARGUMENT;
    *writer = NULL;
    if (!myr_hash_available())
        return myr_checkpoint_unavailable(context);
    myr_checkpoint_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->path = strdup(path))) {
        free(w);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write the checkpoint '%s'", path);
    }
    w->context = context;
    w->end = sizeof(myr_checkpoint_header);
    const myr_status status = myr_file_create(context, path, &w->file);
    if (status) {
        free(w->path);
        free(w);
        return status;
    }
    *writer = w;
    return MYR_OK;
}

const char *myr_checkpoint_temporary(const myr_checkpoint_writer *writer)
{
    return writer ? writer->file.temporary : NULL;
}

/* Keeps the first error for commit, and removes the temporary file. */
static myr_status checkpoint_record_error(myr_checkpoint_writer *w, myr_status status)
{
    if (status && !w->status) {
        w->status = status;
        snprintf(w->message, sizeof w->message, "%s", myr_context_message(w->context));
        myr_file_discard(&w->file);
    }
    return status;
}

static myr_status checkpoint_check_name(const myr_checkpoint_writer *w, const char *name)
{
    if (!name || !*name || strlen(name) > MYR_CHECKPOINT_NAME_MAX)
        return myr_context_fail(w->context, MYR_ERROR_ARGUMENT,
                                "a section of a checkpoint needs a name of 1 to %d characters, not '%s'",
                                MYR_CHECKPOINT_NAME_MAX, name ? name : "(null)");
    for (int k = 0; k < w->sections; k++)
        if (strcmp(w->entry[k].name, name) == 0)
            return myr_context_fail(w->context, MYR_ERROR_NAME, "the checkpoint has a section '%s' already", name);
    if (w->sections == MYR_CHECKPOINT_SECTIONS_MAX)
        return myr_context_fail(w->context, MYR_ERROR_VALUE,
                                "no room for section '%s': a checkpoint has at most %d sections", name,
                                MYR_CHECKPOINT_SECTIONS_MAX);
    return MYR_OK;
}

myr_status myr_checkpoint_add(myr_checkpoint_writer *writer, const char *name, const void *bytes, size_t size)
{
    if (!writer)
        return MYR_ERROR_ARGUMENT;
    myr_checkpoint_writer *w = writer;
    if (w->status)
        return myr_context_fail(w->context, w->status, "%s", w->message);
    if (!bytes && size > 0)
        return checkpoint_record_error(
            w, myr_context_fail(w->context, MYR_ERROR_ARGUMENT, "section '%s' has no bytes", name ? name : "(null)"));
    myr_status status = checkpoint_check_name(w, name);
    if (!status)
        status = myr_file_write(&w->file, w->end, bytes, size);
    if (status)
        return checkpoint_record_error(w, status);
    myr_checkpoint_entry *e = &w->entry[w->sections++];
    strcpy(e->name, name);
    e->offset = w->end;
    e->size = size;
    e->hash = myr_hash_bytes(bytes, size);
    w->end += size;
    return MYR_OK;
}

static myr_status checkpoint_check_parts(const myr_checkpoint_writer *w, int64_t parts)
{
    if (w->sections > 0 || w->parts > 0)
        return myr_context_fail(w->context, MYR_ERROR_ARGUMENT, "parts come before the other sections of a checkpoint");
    if (parts < 0 || parts > MYR_CHECKPOINT_PARTS_MAX)
        return myr_context_fail(w->context, MYR_ERROR_VALUE, "a checkpoint has at most %d parts, not %lld",
                                MYR_CHECKPOINT_PARTS_MAX, (long long)parts);
    return MYR_OK;
}

myr_status myr_checkpoint_add_parts(myr_checkpoint_writer *writer, const myr_checkpoint_part *part, int64_t parts)
{
    if (!writer || (!part && parts > 0))
        return MYR_ERROR_ARGUMENT;
    myr_checkpoint_writer *w = writer;
    if (w->status)
        return myr_context_fail(w->context, w->status, "%s", w->message);
    myr_status status = checkpoint_check_parts(w, parts);
    if (!status && !(w->part = calloc((size_t)parts + 1, sizeof *w->part)))
        status = myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory for the checkpoint '%s'", w->path);
    if (status)
        return checkpoint_record_error(w, status);
    for (; w->parts < parts; w->parts++) {
        myr_checkpoint_entry *e = &w->part[w->parts];
        myr_checkpoint_part_name(w->parts, e->name);
        e->offset = w->end;
        e->size = part[w->parts].size;
        e->hash = part[w->parts].hash;
        w->end += e->size;
    }
    return MYR_OK;
}

/* Hash of the table, whose entries are in two arrays: parts and other sections. */
static myr_status checkpoint_hash_table(const myr_checkpoint_writer *w, myr_hash *value)
{
    myr_hash_state *hash = myr_hash_create();
    if (!hash)
        return myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory for the checkpoint '%s'", w->path);
    if (w->parts > 0)
        myr_hash_add(hash, w->part, (size_t)w->parts * sizeof *w->part);
    myr_hash_add(hash, w->entry, (size_t)w->sections * sizeof *w->entry);
    *value = myr_hash_value(hash);
    myr_hash_destroy(&hash);
    return MYR_OK;
}

/* Writes the table, then the header, then flushes to disk. */
static myr_status checkpoint_finish(myr_checkpoint_writer *w)
{
    const size_t parts = (size_t)w->parts * sizeof *w->part, size = (size_t)w->sections * sizeof *w->entry;
    myr_checkpoint_header h = {
        .magic = MYR_CHECKPOINT_MAGIC,
        .version = MYR_CHECKPOINT_VERSION,
        .order = MYR_CHECKPOINT_ORDER,
        .length = w->end + parts + size,
        .table = w->end,
        .sections = (uint32_t)(w->parts + w->sections),
        .parts = (uint32_t)w->parts,
    };
    myr_status status = checkpoint_hash_table(w, &h.table_hash);
    h.header_hash = myr_hash_bytes(&h, offsetof(myr_checkpoint_header, header_hash)).low;
    if (!status && parts > 0)
        status = myr_file_write(&w->file, w->end, w->part, parts);
    if (!status)
        status = myr_file_write(&w->file, w->end + parts, w->entry, size);
    if (!status)
        status = myr_file_write(&w->file, 0, &h, sizeof h);
    if (!status)
        status = myr_file_flush(&w->file);
    return status;
}

myr_status myr_checkpoint_commit(myr_checkpoint_writer **writer, int keep)
{
    if (!writer || !*writer)
        return MYR_ERROR_ARGUMENT;
    myr_checkpoint_writer *w = *writer;
    myr_status status = w->status;
    if (status)
        status = myr_context_fail(w->context, status, "%s", w->message);
    else
        status = checkpoint_finish(w);
    if (!status && keep)
        status = myr_checkpoint_rotate(w->context, w->path);
    if (!status)
        status = myr_file_publish(&w->file);
    myr_checkpoint_abandon(writer);
    return status;
}

void myr_checkpoint_abandon(myr_checkpoint_writer **writer)
{
    if (!writer || !*writer)
        return;
    myr_file_discard(&(*writer)->file);
    free((*writer)->part);
    free((*writer)->path);
    free(*writer);
    *writer = NULL;
}

/* Atomically makes `to` a hard link to the file `from`; renames the file if the file system has no hard links. */
static myr_status checkpoint_link(myr_context *context, const char *from, const char *to)
{
    char *between = myr_file_name(to, ".partial");
    if (!between)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", to);
    int failed;
    unlink(between);
    if (link(from, between) == 0) {
        failed = rename(between, to) != 0 ? errno : 0;
        unlink(between); /* still exists if `to` was already the same file */
    } else {             /* the file system has no hard links */
        failed = rename(from, to) != 0 ? errno : 0;
    }
    free(between);
    return failed ? myr_file_fail(context, "write", to, failed) : MYR_OK;
}

myr_status myr_checkpoint_rotate(myr_context *context, const char *path)
{
    struct stat there;
    char *target = NULL, *previous = NULL;
    if (!context || !path)
        return MYR_ERROR_ARGUMENT;
    if (stat(path, &there) != 0 && errno == ENOENT)
        return MYR_OK;
    myr_status status = myr_checkpoint_verify(context, path);
    if (status == MYR_ERROR_FORMAT) {
        myr_context_warn(context, "%s; so it does not become the previous checkpoint", myr_context_message(context));
        return MYR_OK;
    }
    if (!status)
        status = myr_file_resolve(context, path, &target);
    if (!status) {
        previous = myr_file_name(target, ".previous");
        status = previous ? checkpoint_link(context, target, previous)
                          : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", path);
    }
    free(previous);
    free(target);
    return status;
}
