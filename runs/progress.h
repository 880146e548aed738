/* progress.h - says how far long work is (common.h); silent for the first two seconds, and where it is to be quiet. */
#ifndef MYR_RUNS_PROGRESS_H
#define MYR_RUNS_PROGRESS_H

#include <myriad/myriad.h>

typedef struct {
    int quiet;
    int shown;
    double start, last; /* seconds: when the work began, when something was said */
    double fraction;    /* when last called */
    char label[96];
} progress;

/* Makes it the progress and warning callback of a context. */
void progress_attach(progress *p, myr_context *context, int quiet);

/* Names the work that begins now. */
void progress_begin(progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How much of it is done; the callback does the same. */
void progress_show(progress *p, double fraction);

/* Says that the work has ended. */
void progress_end(progress *p);

#endif
