/* file.h - files that exist completely or not at all: written under a temporary name, flushed to disk, renamed.
 *
 * The temporary name of PATH is PATH.partial. The name is fixed, so that a killed writer leaves at most one temporary
 * file; the file is locked, so that two writers of the same path cannot interfere. */
#ifndef MYR_IO_FILE_H
#define MYR_IO_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/context.h"

/* File opened for writing. */
typedef struct {
    myr_context *context;
    char *target;    /* final path: the given path, or the target of a symbolic link there */
    char *temporary; /* path of the temporary file */
    int descriptor;
} myr_file;

/* Stores "cannot <doing> '<path>': <text of the errno value>" in the context; MYR_ERROR_FILE. */
myr_status myr_file_fail(myr_context *context, const char *doing, const char *path, int error);

/* Creates the temporary file of a path. Fails if the path exists and is not a regular file. */
myr_status myr_file_create(myr_context *context, const char *path, myr_file *file);

/* Writes bytes at an offset. */
myr_status myr_file_write(myr_file *file, uint64_t offset, const void *bytes, size_t size);

/* Flushes the written bytes to disk. */
myr_status myr_file_flush(myr_file *file);

/* Renames the temporary file to its target, flushes the directory and closes the file. On an error the temporary file
 * is removed and the target is unchanged. */
myr_status myr_file_publish(myr_file *file);

/* Closes and removes the temporary file. Does nothing if the file is not open. */
void myr_file_discard(myr_file *file);

/* For other processes that write into the same file: opens the existing temporary file; and flushes and closes it. */
myr_status myr_file_join(myr_context *context, const char *temporary, myr_file *file);
myr_status myr_file_leave(myr_file *file);

/* Opens a regular file for reading and returns its size, against which all sizes in the file are checked. */
myr_status myr_file_open(myr_context *context, const char *path, int *descriptor, uint64_t *size);

/* Reads exactly `size` bytes at an offset. A shorter file is MYR_ERROR_FORMAT. */
myr_status myr_file_read(myr_context *context, const char *path, int descriptor, uint64_t offset, void *bytes,
                         size_t size);

/* Copy of a path with an ending appended, to be freed by the caller; null if memory is short. */
char *myr_file_name(const char *path, const char *ending);

/* The path itself, or the target of a symbolic link there; to be freed by the caller. */
myr_status myr_file_resolve(myr_context *context, const char *path, char **target);

#endif
