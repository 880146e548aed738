/* blocks.c - blocks of bytes of different sizes, one for each rank, and their exchange between all ranks. */
#include "domain/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/ranks.h"

enum { BLOCKS_TAG = 61 };

int myr_blocks_open(myr_blocks *blocks, int ranks)
{
    *blocks = (myr_blocks){.at = calloc((size_t)ranks + 1, sizeof *blocks->at)};
    return blocks->at != NULL;
}

int myr_blocks_room(myr_blocks *blocks, int ranks)
{
    for (int k = 0; k < ranks; k++)
        blocks->at[k + 1] = blocks->at[k] + (blocks->at[k + 1] + 7) / 8 * 8;
    blocks->bytes = myr_memory_some(blocks->at[ranks] + 8, 1);
    return blocks->bytes != NULL;
}

void myr_blocks_free(myr_blocks *blocks)
{
    free(blocks->at);
    free(blocks->bytes);
    *blocks = (myr_blocks){0};
}

static int64_t block_size(const myr_blocks *b, int k)
{
    return b->at[k + 1] - b->at[k];
}

/* Sizes of the blocks that will be received, and room for them. */
static myr_status blocks_expect(myr_context *context, const myr_blocks *out, myr_blocks *in)
{
    const int ranks = myr_ranks_count(context);
    int64_t *size = malloc((size_t)ranks * sizeof *size);
    if (!size)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", ranks);
    for (int k = 0; k < ranks; k++)
        size[k] = block_size(out, k);
    myr_status status = myr_ranks_swap(context, size, in->at + 1);
    free(size);
    if (!status && !myr_blocks_room(in, ranks))
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld bytes of other ranks",
                                  (long long)in->at[ranks]);
    return status;
}

static myr_status blocks_move(myr_context *context, const myr_blocks *out, const myr_blocks *in,
                              myr_rank_message *message, int64_t *sent)
{
    const int ranks = myr_ranks_count(context), me = myr_ranks_me(context);
    int n = 0;
    for (int step = 1; step < ranks; step++) { /* not all to rank 0 first */
        const int from = (me + ranks - step) % ranks;
        if (block_size(in, from))
            message[n++] =
                (myr_rank_message){in->bytes + in->at[from], (size_t)block_size(in, from), from, BLOCKS_TAG, 0, NULL};
    }
    for (int step = 1; step < ranks; step++) {
        const int to = (me + step) % ranks;
        if (block_size(out, to))
            message[n++] =
                (myr_rank_message){out->bytes + out->at[to], (size_t)block_size(out, to), to, BLOCKS_TAG, 1, NULL};
        *sent += block_size(out, to);
    }
    if (block_size(out, me))
        memcpy(in->bytes + in->at[me], out->bytes + out->at[me], (size_t)block_size(out, me));
    const myr_status status = myr_ranks_start(context, message, n);
    return status ? status : myr_ranks_finish(context, message, n);
}

myr_status myr_blocks_swap(myr_context *context, myr_status status, const myr_blocks *out, myr_blocks *in, int known,
                           double *seconds, int64_t *sent)
{
    const double start = myr_timer_now();
    myr_rank_message *message = NULL;
    if (!status && !known)
        status = blocks_expect(context, out, in);
    if (!status) {
        message = calloc(2 * (size_t)myr_ranks_count(context), sizeof *message);
        if (!message)
            status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the messages of a rank");
    }
    status = myr_ranks_agree(context, status); /* nobody waits for the messages of a rank that has failed */
    if (!status)
        status = blocks_move(context, out, in, message, sent);
    free(message);
    *seconds += myr_timer_now() - start;
    return status;
}
