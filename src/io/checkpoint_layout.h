/* checkpoint_layout.h - binary layout of a checkpoint, shared by the writer, the reader and their tests. */
#ifndef MYR_IO_CHECKPOINT_LAYOUT_H
#define MYR_IO_CHECKPOINT_LAYOUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/checkpoint.h"

#define MYR_CHECKPOINT_MAGIC "MYRIADCK"
#define MYR_CHECKPOINT_ORDER 0x01020304u

/* Header. In every version the first 64 bytes are a header whose last 8 bytes are the hash of the others. */
typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t order; /* MYR_CHECKPOINT_ORDER in the byte order of the writer */
    uint64_t length;
    uint64_t table; /* offset of the table, which ends at the end of the file */
    uint32_t sections;
    uint32_t parts; /* number of sections that are parts, the first ones */
    myr_hash table_hash;
    uint64_t header_hash; /* low 64 bits of the hash of all bytes before this field */
} myr_checkpoint_header;

typedef struct {
    char name[MYR_CHECKPOINT_NAME_MAX + 1]; /* null-terminated, padded with zeros */
    uint64_t offset, size;
    myr_hash hash;
} myr_checkpoint_entry;

_Static_assert(sizeof(myr_checkpoint_header) == MYR_CHECKPOINT_BEGIN, "the header has 64 bytes");
_Static_assert(sizeof(myr_checkpoint_entry) == 64, "an entry has 64 bytes");

/* Name of part k. */
static inline void myr_checkpoint_part_name(int64_t k, char name[MYR_CHECKPOINT_NAME_MAX + 1])
{
    memset(name, 0, MYR_CHECKPOINT_NAME_MAX + 1);
    snprintf(name, MYR_CHECKPOINT_NAME_MAX + 1, "particles %lld", (long long)k);
}

/* Error of a build without xxHash. */
static inline myr_status myr_checkpoint_unavailable(myr_context *context)
{
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "this build has no checkpoints: it was made without xxHash (Debian: libxxhash-dev)");
}

#endif
