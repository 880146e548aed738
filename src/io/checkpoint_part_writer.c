/* checkpoint_part_writer.c - writes parts of a checkpoint, in one of several processes. */
#include <stdlib.h>

#include "io/checkpoint_layout.h"
#include "io/file.h"

struct myr_checkpoint_hand {
    myr_file file;
    uint64_t at;   /* file offset of the next bytes */
    uint64_t size; /* bytes of the present part */
    myr_hash_state *hash;
};

myr_status myr_checkpoint_join(myr_context *context, const char *temporary, uint64_t offset, myr_checkpoint_hand **hand)
{
    if (!context || !temporary || !hand)
        return MYR_ERROR_ARGUMENT;
    *hand = NULL;
    if (!myr_hash_available())
        return myr_checkpoint_unavailable(context);
    myr_checkpoint_hand *h = calloc(1, sizeof *h);
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
    *hand = h;
    return MYR_OK;
}

myr_status myr_checkpoint_write(myr_checkpoint_hand *hand, const void *bytes, size_t size)
{
    if (!hand || (!bytes && size > 0))
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_file_write(&hand->file, hand->at, bytes, size);
    if (size > 0)
        myr_hash_add(hand->hash, bytes, size);
    hand->at += size;
    hand->size += size;
    return status;
}

myr_checkpoint_part myr_checkpoint_end_part(myr_checkpoint_hand *hand)
{
    const myr_checkpoint_part part = {hand->size, myr_hash_value(hand->hash)};
    myr_hash_restart(hand->hash);
    hand->size = 0;
    return part;
}

myr_status myr_checkpoint_leave(myr_checkpoint_hand **hand)
{
    if (!hand || !*hand)
        return MYR_OK;
    const myr_status status = myr_file_leave(&(*hand)->file);
    myr_hash_destroy(&(*hand)->hash);
    free(*hand);
    *hand = NULL;
    return status;
}
