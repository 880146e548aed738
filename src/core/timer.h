/* timer.h - wall-clock time from a monotonic clock, and processor time, in seconds. */
#ifndef MYR_CORE_TIMER_H
#define MYR_CORE_TIMER_H

#include <time.h>

static inline double myr_timer_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of the process in seconds, summed over all threads. */
static inline double myr_timer_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
