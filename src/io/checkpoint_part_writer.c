/* checkpoint_part_writer.c - writes parts of a checkpoint, in one of several processes. */
#include <stdlib.h>

#include "io/checkpoint_layout.h"
#include "io/file.h"

struct myr_checkpoint_part_writer {
    myr_file file;
    uint64_t at;   /* file offset of the next bytes */
    uint64_t size; /* bytes of the present part */
    myr_hash_state *hash;
};

myr_status myr_checkpoint_join(myr_context *context, const char *temporary, uint64_t offset,
                               myr_checkpoint_part_writer **writer)
{
    if (!context || !temporary || !writer)
        return MYR_ERROR_ARGUMENT;
    *writer = NULL;
    if (!myr_hash_available())
        return myr_checkpoint_unavailable(context);
    myr_checkpoint_part_writer *h = calloc(1, sizeof *h);
    if (!h || !(h->hash = myr_hash_create())) {
        free(h);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", temporary);
    }
    const myr_status status = myr_file_join(context, temporary, &h->file);
    if (status) {
        myr_hash_destroy(&h->hash);
        free(h);
        return status;
    }
    h->at = offset;
    *writer = h;
    return MYR_OK;
}

myr_status myr_checkpoint_write(myr_checkpoint_part_writer *writer, const void *bytes, size_t size)
{
    if (!writer || (!bytes && size > 0))
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_file_write(&writer->file, writer->at, bytes, size);
    if (size > 0)
        myr_hash_add(writer->hash, bytes, size);
    writer->at += size;
    writer->size += size;
    return status;
}

myr_checkpoint_part myr_checkpoint_end_part(myr_checkpoint_part_writer *writer)
{
    const myr_checkpoint_part part = {writer->size, myr_hash_value(writer->hash)};
    myr_hash_restart(writer->hash);
    writer->size = 0;
    return part;
}

myr_status myr_checkpoint_leave(myr_checkpoint_part_writer **writer)
{
    if (!writer || !*writer)
        return MYR_OK;
    const myr_status status = myr_file_leave(&(*writer)->file);
    myr_hash_destroy(&(*writer)->hash);
    free(*writer);
    *writer = NULL;
    return status;
}
