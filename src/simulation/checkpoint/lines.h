/* lines.h - text of a checkpoint's section "simulation", line by line. */
#ifndef MYR_SIMULATION_CHECKPOINT_LINES_H
#define MYR_SIMULATION_CHECKPOINT_LINES_H

#include <stddef.h>

/* Growing text. */
typedef struct {
    char *at; /* characters with a final '\0'; null = empty */
    size_t size, room;
    int failed; /* 1 = memory was short, or a line too long */
} myr_lines;

/* Appends formatted text. */
__attribute__((format(printf, 2, 3))) void myr_lines_add(myr_lines *t, const char *format, ...);

#endif
