/* file.h - files that are there whole or not at all: written under a temporary name, flushed to the disk, renamed.
 *
 * The temporary name of PATH is PATH.partial. It is fixed, so that a writer that was killed leaves at most one of them,
 * and it is locked, so that two writers of one path cannot spoil each other's work. */
#ifndef MYR_IO_FILE_H
#define MYR_IO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

/* A file being written. */
typedef struct {
    myr_context *context;
    char *target;    /* where it lands: the path, or what a symbolic link there points to */
    char *temporary; /* where it is written */
    int descriptor;
} myr_file;

/* Stores "cannot <doing> '<path>': <text of the errno value>" in the context; MYR_ERROR_FILE. */
myr_status myr_file_fail(myr_context *context, const char *doing, const char *path, int error);

/* Opens the temporary file of a path. Refuses a path where something that is not a regular file stands. */
myr_status myr_file_create(myr_context *context, const char *path, myr_file *file);

/* Writes at an offset. */
myr_status myr_file_write(myr_file *file, uint64_t offset, const void *bytes, size_t size);

/* Makes sure that what was written is on the disk. */
myr_status myr_file_flush(myr_file *file);

/* Renames the temporary file to its target, makes sure that the directory has it, and closes. On an error the temporary
 * file is removed and the target is as it was. */
myr_status myr_file_publish(myr_file *file);

/* Closes and removes the temporary file. Does nothing for a file that is not open. */
void myr_file_discard(myr_file *file);

/* For other processes that help to write a file: opens the temporary one, which must be there; and closes it again,
 * when all is on the disk. */
myr_status myr_file_join(myr_context *context, const char *temporary, myr_file *file);
myr_status myr_file_leave(myr_file *file);

/* Opens a regular file for reading. The size is the file's own, to check every size in it against. */
myr_status myr_file_open(myr_context *context, const char *path, int *descriptor, uint64_t *size);

/* Reads exactly size bytes at an offset. A file that ends before is MYR_ERROR_FORMAT. */
myr_status myr_file_read(myr_context *context, const char *path, int descriptor, uint64_t offset, void *bytes,
                         size_t size);

/* A copy of path with an ending added; free it. Null where memory is short. */
char *myr_file_name(const char *path, const char *ending);

/* The path itself, or what a symbolic link there points to; free it. */
myr_status myr_file_resolve(myr_context *context, const char *path, char **target);

#endif
