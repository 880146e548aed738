/* checkpoint.h - a container of named sections of bytes that is there whole or not at all, and that knows when a single
 * byte of it has changed.
 *
 * The file, in the byte order of the machine that wrote it:
 *
 *   0   header, 64 bytes    magic "MYRIADCK", version, byte order mark, length of the file, offset of the table, number
 *                           of sections, hash of the table (128 bits), hash of the header up to here (64 bits)
 *   64  sections            one after the other, without gaps
 *       table               one entry of 64 bytes per section: name[32], offset, size, hash (128 bits)
 *
 * The hashes are XXH3. The header comes last on the disk, and the file gets its name only when all of it is there.
 *
 * Two generations: PATH, and PATH.previous, the one before it. */
#ifndef MYR_IO_CHECKPOINT_H
#define MYR_IO_CHECKPOINT_H

#include <stddef.h>

#include "core/context.h"

enum {
    MYR_CHECKPOINT_VERSION = 1,
    MYR_CHECKPOINT_NAME_MAX = 31, /* characters of a section's name */
    MYR_CHECKPOINT_SECTIONS_MAX = 1024
};

typedef struct myr_checkpoint_writer myr_checkpoint_writer;
typedef struct myr_checkpoint myr_checkpoint;

/* Begins a checkpoint that will replace what stands at path. Without xxHash in the build: MYR_ERROR_UNAVAILABLE. */
myr_status myr_checkpoint_create(myr_context *context, const char *path, myr_checkpoint_writer **writer);

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

/* Reads a checkpoint. Anything that is not as it was written is refused with the section and the offset. */
myr_status myr_checkpoint_open(myr_context *context, const char *path, myr_checkpoint **checkpoint);

/* Checks a checkpoint as open does, without keeping its sections in memory. */
myr_status myr_checkpoint_verify(myr_context *context, const char *path);

/* Opens PATH or, where that is missing or damaged, PATH.previous, with a warning that says so; *used_previous (which
 * may be null) tells which. */
myr_status myr_checkpoint_open_latest(myr_context *context, const char *path, myr_checkpoint **checkpoint,
                                      int *used_previous);

/* The number of sections, and the name of section k (null past the end). */
int myr_checkpoint_sections(const myr_checkpoint *checkpoint);
const char *myr_checkpoint_section_name(const myr_checkpoint *checkpoint, int k);

/* The bytes of a section, aligned for any lane, and their number; null where there is none of that name. Valid until
 * the checkpoint is closed. */
const void *myr_checkpoint_section(const myr_checkpoint *checkpoint, const char *name, size_t *size);

/* Frees the checkpoint and clears the pointer. Null is allowed. */
void myr_checkpoint_close(myr_checkpoint **checkpoint);

#endif
