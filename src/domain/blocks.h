/* blocks.h - blocks of bytes of different sizes, one for each rank, and their exchange between all ranks. */
#ifndef MYR_DOMAIN_BLOCKS_H
#define MYR_DOMAIN_BLOCKS_H

#include <stdint.h>

#include "core/context.h"

/* Block k, for or from rank k, has the bytes bytes[at[k]] .. bytes[at[k + 1] - 1]. */
typedef struct {
    int64_t *at; /* [ranks + 1] */
    char *bytes;
} myr_blocks;

/* Allocates the offsets; returns 0 if memory is short. The blocks may be freed afterwards in any case. */
int myr_blocks_open(myr_blocks *blocks, int ranks);

/* Allocates the bytes for the sizes that at[1] .. at[ranks] hold, and replaces the sizes by offsets, each a multiple of
 * 8. Returns 0 if memory is short. */
int myr_blocks_room(myr_blocks *blocks, int ranks);

void myr_blocks_free(myr_blocks *blocks);

/* Sends block k of `out` to rank k, and receives block k of `in` from rank k; collective. A rank that could not make
 * its blocks gives its status: all ranks fail then. `in` must be open; its sizes are exchanged, unless the offsets are
 * there already (known = 1, with room). Seconds spent in it, and bytes sent to others, are added to seconds and sent.
 */
myr_status myr_blocks_swap(myr_context *context, myr_status status, const myr_blocks *out, myr_blocks *in, int known,
                           double *seconds, int64_t *sent);

#endif
