/* clock.h - time of each step on each rank: computation, communication and waiting (paper 003, section 5). */
#ifndef MYR_DOMAIN_CLOCK_H
#define MYR_DOMAIN_CLOCK_H

#include "core/context.h"
#include "domain/ranks.h"

enum { MYR_CLOCK_STEPS = 1024 }; /* number of latest steps whose times are recorded */

/* Running totals of this rank in seconds, from an arbitrary origin. */
typedef struct {
    double force, list;   /* force evaluation; pair list builds and validity checks */
    double communication; /* communication with other ranks, waiting included */
    double all;           /* integration steps as a whole */
    int64_t reductions;   /* number of collective operations */
    int64_t lists;        /* number of pair lists built */
} myr_clock_seconds;

typedef struct myr_clock {
    int64_t steps;
    double first; /* seconds and collective operations at the start of the measurement */
    int64_t first_reductions;
    int64_t kept, kept_reductions; /* steps that reused the pair list, and collective operations in those steps */
    myr_clock_seconds last;        /* totals at the end of the latest step */
    myr_clock_seconds total;       /* sums over all measured steps; the field `all` is unused */
    double force[MYR_CLOCK_STEPS], communication[MYR_CLOCK_STEPS];
} myr_clock;

/* Starts the measurement. */
void myr_clock_start(myr_clock *clock, const myr_clock_seconds *now);

/* Starts a sequence of steps: excludes the time since the last step from the measurement. */
void myr_clock_mark(myr_clock *clock, const myr_clock_seconds *now);

/* Records one step. */
void myr_clock_step(myr_clock *clock, const myr_clock_seconds *now);

/* Reduces the times over all ranks and returns the result on every rank; `now` holds the present totals of this
 * rank. */
myr_status myr_clock_read(const myr_clock *clock, myr_context *context, const myr_clock_seconds *now,
                          myr_rank_times *times);

#endif
