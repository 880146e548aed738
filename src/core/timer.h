/* timer.h - wall-clock seconds from a clock that never jumps, and those of the processor. */
#ifndef MYR_CORE_TIMER_H
#define MYR_CORE_TIMER_H

#include <time.h>

static inline double myr_timer_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that the processors have spent on this process, all threads together. */
static inline double myr_timer_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
