/* checkpoint.h - a container of named sections of bytes that is there whole or not at all, and that knows when a single
 * byte of it has changed.
 *
 * The file, in the byte order of the machine that wrote it:
 *
 *   0   header, 64 bytes    magic "MYRIADCK", version, byte order mark, length of the file, offset of the table, number
 *                           of sections and how many of them are parts, hash of the table (128 bits), hash of the
 *                           header up to here (64 bits)
 *   64  sections            one after the other, without gaps; the parts first
 *       table               one entry of 64 bytes per section: name[32], offset, size, hash (128 bits)
 *
 * The hashes are XXH3. The header comes last on the disk, and the file gets its name only when all of it is there.
 *
 * Parts, "particles 0", "particles 1" and so on, are sections that need not be in the memory of one process: several
 * may write them, each some, and so may they read them. All other sections are small, and everyone has them.
 *
 * Two generations: PATH, and PATH.previous, the one before it. */
#ifndef MYR_IO_CHECKPOINT_H
#define MYR_IO_CHECKPOINT_H

#include <stddef.h>

#include "core/context.h"
#include "core/hash.h"

enum {
    MYR_CHECKPOINT_VERSION = 2,         /* 1 had no parts, and is not read any more */
    MYR_CHECKPOINT_NAME_MAX = 31,       /* characters of a section's name */
    MYR_CHECKPOINT_SECTIONS_MAX = 1024, /* that are no parts */
    MYR_CHECKPOINT_PARTS_MAX = 1 << 20,
    MYR_CHECKPOINT_BEGIN = 64 /* where the first part is */
};

/* What the table has to know of a part. */
typedef struct {
    uint64_t size;
    myr_hash hash;
} myr_checkpoint_part;

typedef struct myr_checkpoint_writer myr_checkpoint_writer;
typedef struct myr_checkpoint_hand myr_checkpoint_hand;
typedef struct myr_checkpoint myr_checkpoint;

/* Begins a checkpoint that will replace what stands at path. Without xxHash in the build: MYR_ERROR_UNAVAILABLE. */
myr_status myr_checkpoint_create(myr_context *context, const char *path, myr_checkpoint_writer **writer);

/* One who writes parts, from an offset of the temporary file on: the writer, or another process that helps it. Parts
 * stand one after the other, those of all hands together without gaps from MYR_CHECKPOINT_BEGIN on. */
const char *myr_checkpoint_temporary(const myr_checkpoint_writer *writer);
myr_status myr_checkpoint_join(myr_context *context, const char *temporary, uint64_t offset,
                               myr_checkpoint_hand **hand);

/* Adds bytes to the part that this hand is at; and ends it. */
myr_status myr_checkpoint_write(myr_checkpoint_hand *hand, const void *bytes, size_t size);
myr_checkpoint_part myr_checkpoint_end_part(myr_checkpoint_hand *hand);

/* Makes sure that all is on the disk; frees the hand and clears the pointer in any case. Null is allowed. */
myr_status myr_checkpoint_leave(myr_checkpoint_hand **hand);

/* The parts that hands have written, in the order of the file. No section has been added before. */
myr_status myr_checkpoint_add_parts(myr_checkpoint_writer *writer, const myr_checkpoint_part *part, int64_t parts);

/* Adds a section; its name must be new. The bytes go to the disk at once and may be changed afterwards. After an error
 * the temporary file is gone, and only commit (which gives the same status) or abandon may follow. */
myr_status myr_checkpoint_add(myr_checkpoint_writer *writer, const char *name, const void *bytes, size_t size);

/* Writes table and header, flushes, renames over path, flushes the directory; frees the writer and clears the pointer
 * in any case. On an error the temporary file is removed and the old file is untouched. */
myr_status myr_checkpoint_commit(myr_checkpoint_writer **writer);

/* The same, and the old file becomes PATH.previous in between (myr_checkpoint_rotate): the last two are kept. */
myr_status myr_checkpoint_commit_keeping(myr_checkpoint_writer **writer);

/* Gives a checkpoint up: the old file stays. Clears the pointer; null is allowed. */
void myr_checkpoint_abandon(myr_checkpoint_writer **writer);

/* Makes PATH.previous what PATH is, if there is a valid checkpoint at PATH; PATH itself stays where the file system has
 * hard links, and becomes PATH.previous where not. So there is a valid checkpoint at every moment. A damaged file never
 * replaces the previous one: that gives a warning. */
myr_status myr_checkpoint_rotate(myr_context *context, const char *path);

/* Reads a checkpoint. Anything that is not as it was written is refused with the section and the offset. Parts are
 * checked and stay where they are. */
myr_status myr_checkpoint_open(myr_context *context, const char *path, myr_checkpoint **checkpoint);

/* The same with one of so many shares of the parts, which follow each other: the others are not looked at. */
myr_status myr_checkpoint_open_share(myr_context *context, const char *path, int64_t share, int64_t shares,
                                     myr_checkpoint **checkpoint);

/* Checks a checkpoint as open does, without keeping its sections in memory. */
myr_status myr_checkpoint_verify(myr_context *context, const char *path);

/* Opens PATH or, where that is missing or damaged, PATH.previous, with a warning that says so; *used_previous (which
 * may be null) tells which. Of several ranks, all of which call this, each gets its share of the parts, and all have
 * the same file: where one of them cannot use it, nobody does. */
myr_status myr_checkpoint_open_latest(myr_context *context, const char *path, myr_checkpoint **checkpoint,
                                      int *used_previous);

/* How many parts there are, and which of them, [*first, *last), are here; what these have in bytes, and some of them:
 * [offset, offset + size) of part k. */
int64_t myr_checkpoint_parts(const myr_checkpoint *checkpoint, int64_t *first, int64_t *last);
uint64_t myr_checkpoint_part_size(const myr_checkpoint *checkpoint, int64_t k);
myr_status myr_checkpoint_part_read(const myr_checkpoint *checkpoint, int64_t k, uint64_t offset, void *bytes,
                                    size_t size);

/* From now on only part k, one of those, is taken to be here. */
void myr_checkpoint_look_at(myr_checkpoint *checkpoint, int64_t k);

/* The number of sections that are no parts, and the name of section k of these (null past the end). */
int myr_checkpoint_sections(const myr_checkpoint *checkpoint);
const char *myr_checkpoint_section_name(const myr_checkpoint *checkpoint, int k);

/* The bytes of a section, aligned for any lane, and their number; null where there is none of that name. Valid until
 * the checkpoint is closed. */
const void *myr_checkpoint_section(const myr_checkpoint *checkpoint, const char *name, size_t *size);

/* Frees the checkpoint and clears the pointer. Null is allowed. */
void myr_checkpoint_close(myr_checkpoint **checkpoint);

#endif
