/* source_file.h - the path of a file of the repository, for tests that read reference data (tests/data, examples). */
#ifndef MYR_TEST_SOURCE_FILE_H
#define MYR_TEST_SOURCE_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* $MYRIAD_SOURCE/name, or ./name where a test is started by hand in the root of the repository; valid until the next
 * call. */
static inline const char *source_file(const char *name)
{
    static char path[4096];
    const char *root = getenv("MYRIAD_SOURCE");
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
    return path;
}

#endif
