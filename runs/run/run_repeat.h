/* run_repeat.h - what a report carries so that its run can be repeated: the effective input, the pair formula where the
 * user wrote it, and the hash of the last particles. */
#ifndef MYR_RUNS_RUN_REPEAT_H
#define MYR_RUNS_RUN_REPEAT_H

#include <stddef.h>

enum { REPEAT_INPUT_MOST = 1 << 20, REPEAT_KERNEL_MOST = 1 << 20, REPEAT_HASH = 24, REPEAT_VERSION = 64 };

/* The id of the element of the page that holds it, in base 64. */
#define REPEAT_ID "myriad-run"

typedef struct {
    char version[REPEAT_VERSION]; /* of the program that made the run */
    char hash[REPEAT_HASH];       /* "" = there is none */
    char *input;                  /* ended by 0 */
    size_t input_size;
    char *kernel; /* null = the kernel is one of the library */
} repeat_parts;

/* Whether a path is that of a page. */
int repeat_is_report(const char *path);

/* Packs the parts into one text, to be freed by the caller; null without memory. */
char *repeat_pack(const repeat_parts *parts, size_t *size);

/* Reads them from a page. Prints why it cannot and gives the exit code. Memory is bounded, whatever the file says. */
int repeat_read(const char *path, repeat_parts *parts);
void repeat_free(repeat_parts *parts);

#endif
