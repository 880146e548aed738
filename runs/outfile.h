/* outfile.h - files of the program, whole or not at all (myriad/output_file.h), with errors as exit codes. */
#ifndef MYR_CLI_OUTFILE_H
#define MYR_CLI_OUTFILE_H

#include <stdio.h>

#include <myriad/output_file.h>

typedef struct {
    FILE *out; /* null = not open */
    myr_context *context;
    myr_output_file *file;
} outfile;

/* Opens a file; prints the reason of a failure and returns the exit code. A second writer of the same path is refused.
 */
int outfile_open(outfile *file, const char *path);

/* Gives the file its name. If anything could not be written, prints the reason, removes the file and returns the exit
 * code; a file that had the name before stays. */
int outfile_finish(outfile *file);

/* Removes the unfinished file; does nothing if the file is not open. */
void outfile_discard(outfile *file);

#endif
