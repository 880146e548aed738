/* lines.h - the text of a checkpoint's section "simulation", line by line. */
#ifndef MYR_SIMULATION_CHECKPOINT_LINES_H
#define MYR_SIMULATION_CHECKPOINT_LINES_H

#include <stddef.h>

/* A text that grows. */
typedef struct {
    char *at; /* characters with a final '\0'; null = none yet */
    size_t size, room;
    int failed; /* 1 if memory was short, or a line too long */
} myr_lines;

/* Adds formatted characters. */
__attribute__((format(printf, 2, 3))) void myr_lines_add(myr_lines *t, const char *format, ...);

#endif
