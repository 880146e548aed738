/* output_file.h - text files that exist completely or not at all: written under a temporary name with a lock, flushed
 * to disk, renamed. The library writes its own files in the same way. */
#ifndef MYRIAD_OUTPUT_FILE_H
#define MYRIAD_OUTPUT_FILE_H

#include <stdio.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

typedef struct myr_output_file myr_output_file;

/* Creates the temporary file PATH.partial. Fails if another process is writing the same path, or if something other
 * than a regular file has the name. */
MYR_API myr_status myr_output_file_create(myr_context *context, const char *path, myr_output_file **file);

/* Stream to write to. */
MYR_API FILE *myr_output_file_stream(myr_output_file *file);

/* Flushes the file to disk, gives it its name, frees it and clears the pointer. On an error, also of an earlier write
 * to the stream, the temporary file is removed and a file that had the name stays as it was. */
MYR_API myr_status myr_output_file_publish(myr_output_file **file);

/* Removes the temporary file, frees it and clears the pointer. Null is allowed. */
MYR_API void myr_output_file_discard(myr_output_file **file);

MYR_END_DECLS

#endif
