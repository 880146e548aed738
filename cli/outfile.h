/* outfile.h - files that are there whole or not at all: written as PATH.new, flushed, then renamed. */
#ifndef MYR_CLI_OUTFILE_H
#define MYR_CLI_OUTFILE_H

#include <stdio.h>

enum { OUTFILE_PATH = 1040 };

typedef struct {
    FILE *out; /* null = not open */
    char path[OUTFILE_PATH], temporary[OUTFILE_PATH];
} outfile;

/* Opens PATH.new; prints why not and gives the exit code. A second writer of the same path is refused. */
int outfile_open(outfile *file, const char *path);

/* Gives the file its name. Where anything could not be written, says why, removes it and gives the exit code; what was
 * there before stays. */
int outfile_finish(outfile *file);

/* Removes what was written so far. Nothing where the file is not open. */
void outfile_discard(outfile *file);

#endif
