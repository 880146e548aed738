/* checkpoint.h - checkpoint file: a container of named sections of bytes, written completely or not at all, in which
 * every changed byte is detected.
 *
 * Layout, in the byte order of the machine that wrote the file:
 *
 *   0   header, 64 bytes    magic "MYRIADCK", version, byte order mark, length of the file, offset of the table, number
 *                           of sections and how many of them are parts, hash of the table (128 bits), hash of the
 *                           header up to here (64 bits)
 *   64  sections            one after the other, without gaps; the parts first
 *       table               one entry of 64 bytes per section: name[32], offset, size, hash (128 bits)
 *
 * The hashes are XXH3. The header is written last, and the file is renamed to its final name only when it is complete.
 *
 * Parts, named "particles 0", "particles 1" and so on, are sections that need not fit into the memory of one process:
 * several processes can write and read them, each some of the parts. All other sections are small, and every process
 * has them.
 *
 * Two generations are kept: PATH, and PATH.previous, the checkpoint before PATH. */
#ifndef MYR_IO_CHECKPOINT_H
#define MYR_IO_CHECKPOINT_H

#include <stddef.h>

#include "core/context.h"
#include "core/hash.h"

enum {
    MYR_CHECKPOINT_VERSION = 2,         /* version 1 had no parts and is no longer read */
    MYR_CHECKPOINT_NAME_MAX = 31,       /* longest name of a section, in characters */
    MYR_CHECKPOINT_SECTIONS_MAX = 1024, /* largest number of sections other than parts */
    MYR_CHECKPOINT_PARTS_MAX = 1 << 20,
    MYR_CHECKPOINT_BEGIN = 64 /* offset of the first part */
};

/* Size and hash of a part, for the table. */
typedef struct {
    uint64_t size;
    myr_hash hash;
} myr_checkpoint_part;

typedef struct myr_checkpoint_writer myr_checkpoint_writer;
typedef struct myr_checkpoint_part_writer myr_checkpoint_part_writer;
typedef struct myr_checkpoint myr_checkpoint;

/* Starts a checkpoint that will replace the file at path. MYR_ERROR_UNAVAILABLE if the build has no xxHash. */
myr_status myr_checkpoint_create(myr_context *context, const char *path, myr_checkpoint_writer **writer);

/* Writer of parts, which starts at an offset of the temporary file; used by the process of the checkpoint writer and by
 * other processes. The parts of all part writers together are contiguous from MYR_CHECKPOINT_BEGIN on. */
const char *myr_checkpoint_temporary(const myr_checkpoint_writer *writer);
myr_status myr_checkpoint_join(myr_context *context, const char *temporary, uint64_t offset,
                               myr_checkpoint_part_writer **writer);

/* Appends bytes to the present part; and ends the part. */
myr_status myr_checkpoint_write(myr_checkpoint_part_writer *writer, const void *bytes, size_t size);
myr_checkpoint_part myr_checkpoint_end_part(myr_checkpoint_part_writer *writer);

/* Flushes the file to disk, frees the part writer and sets *writer to null, also after an error. A null part writer is
 * allowed. */
myr_status myr_checkpoint_leave(myr_checkpoint_part_writer **writer);

/* Enters the parts that were written into the table, in file order; called before any section is added. */
myr_status myr_checkpoint_add_parts(myr_checkpoint_writer *writer, const myr_checkpoint_part *part, int64_t parts);

/* Adds a section with a unique name. The bytes are written at once and may be changed afterwards. After an error the
 * temporary file is removed, and only commit (which returns the same status) or abandon may follow. */
myr_status myr_checkpoint_add(myr_checkpoint_writer *writer, const char *name, const void *bytes, size_t size);

/* Writes table and header, flushes, renames the file to path and flushes the directory; frees the writer and sets
 * *writer to null, also after an error. On an error the temporary file is removed and the old file is unchanged.
 * keep: 1 = the old file becomes PATH.previous (myr_checkpoint_rotate), so that the last two are kept. */
myr_status myr_checkpoint_commit(myr_checkpoint_writer **writer, int keep);

/* Discards a checkpoint; the old file is unchanged. Sets *writer to null; a null writer is allowed. */
void myr_checkpoint_abandon(myr_checkpoint_writer **writer);

/* Makes PATH.previous a copy of PATH if PATH is a valid checkpoint: a hard link, or a rename on file systems without
 * hard links. A valid checkpoint exists at every moment. A damaged file never replaces PATH.previous; a warning is
 * given instead. */
myr_status myr_checkpoint_rotate(myr_context *context, const char *path);

/* Reads a checkpoint, with share number `share` of `shares` contiguous shares of the parts; the other parts are not
 * read. Any deviation from what was written is an error that names the section and the offset. Parts are verified but
 * not kept in memory. */
myr_status myr_checkpoint_open_share(myr_context *context, const char *path, int64_t share, int64_t shares,
                                     myr_checkpoint **checkpoint);

/* Verifies a checkpoint as myr_checkpoint_open_share does, without keeping its sections in memory. */
myr_status myr_checkpoint_verify(myr_context *context, const char *path);

/* Opens PATH or, if PATH is missing or damaged, PATH.previous, with a warning; *used_previous (may be null) says which.
 * Collective over the ranks: each rank gets its share of the parts, and all ranks use the same file; if one rank cannot
 * read a file, no rank uses it. */
myr_status myr_checkpoint_open_latest(myr_context *context, const char *path, myr_checkpoint **checkpoint,
                                      int *used_previous);

/* Number of parts of the file, and the range [*first, *last) of parts on this rank; size of part k in bytes; and bytes
 * [offset, offset + size) of part k. */
int64_t myr_checkpoint_parts(const myr_checkpoint *checkpoint, int64_t *first, int64_t *last);
uint64_t myr_checkpoint_part_size(const myr_checkpoint *checkpoint, int64_t k);
myr_status myr_checkpoint_part_read(const myr_checkpoint *checkpoint, int64_t k, uint64_t offset, void *bytes,
                                    size_t size);

/* Reads the file again with all parts on this rank, unless it has them; the checkpoint is closed on failure. */
myr_status myr_checkpoint_take_all(myr_context *context, myr_checkpoint **checkpoint);

/* Restricts the range of parts on this rank to part k. */
void myr_checkpoint_select_part(myr_checkpoint *checkpoint, int64_t k);

/* The name of section k, parts left out; null past the last. */
const char *myr_checkpoint_section_name(const myr_checkpoint *checkpoint, int k);

/* Bytes of a section, aligned for any SIMD lane, and their number; null if there is no such section. Valid until the
 * checkpoint is closed. */
const void *myr_checkpoint_section(const myr_checkpoint *checkpoint, const char *name, size_t *size);

/* Frees the checkpoint and sets *checkpoint to null. A null checkpoint is allowed. */
void myr_checkpoint_close(myr_checkpoint **checkpoint);

#endif
