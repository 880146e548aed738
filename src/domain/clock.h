/* clock.h - where the time of the ranks goes, step by step: who is the slowest, who waits (paper 003, section 5). */
#ifndef MYR_DOMAIN_CLOCK_H
#define MYR_DOMAIN_CLOCK_H

#include "core/context.h"
#include "domain/ranks.h"

enum { MYR_CLOCK_STEPS = 1024 }; /* the last ones, whose times are kept */

/* Seconds of this rank, counted from anywhere. */
typedef struct {
    double force, list; /* forces; lists and their proof */
    double spoken;      /* in what ranks say to each other, waiting for them included */
    double all;         /* in steps */
    int64_t meetings;   /* of all ranks */
    int64_t lists;      /* made */
} myr_clock_seconds;

typedef struct myr_clock {
    int64_t steps;
    double first; /* seconds in steps at the begin, and meetings */
    int64_t first_meetings;
    int64_t kept, kept_meetings; /* steps that kept their lists, and meetings in them */
    myr_clock_seconds last;      /* after the last step */
    myr_clock_seconds total;     /* of all steps; all is not counted here */
    double force[MYR_CLOCK_STEPS], spoken[MYR_CLOCK_STEPS];
} myr_clock;

/* Begins to count. */
void myr_clock_start(myr_clock *clock, const myr_clock_seconds *now);

/* Steps begin: what has passed since the last one is none of theirs. */
void myr_clock_mark(myr_clock *clock, const myr_clock_seconds *now);

/* A step has been made. */
void myr_clock_step(myr_clock *clock, const myr_clock_seconds *now);

/* What all ranks took, on all of them; `now` is what this one has taken up to now. */
myr_status myr_clock_read(const myr_clock *clock, myr_context *context, const myr_clock_seconds *now,
                          myr_rank_times *times);

#endif
