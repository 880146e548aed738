/* clock.c - sum, maximum and minimum over the ranks of the times of each step. */
#include "domain/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

#define NANO 1e-9

void myr_clock_start(myr_clock *clock, const myr_clock_seconds *now)
{
    clock->steps = 0;
    clock->first = now->all;
    clock->first_reductions = now->reductions;
    clock->kept = clock->kept_reductions = 0;
    clock->last = *now;
    clock->total = (myr_clock_seconds){0};
}

void myr_clock_mark(myr_clock *clock, const myr_clock_seconds *now)
{
    clock->last = *now;
}

void myr_clock_step(myr_clock *clock, const myr_clock_seconds *now)
{
    const int64_t at = clock->steps++ % MYR_CLOCK_STEPS;
    clock->force[at] = now->force - clock->last.force;
    clock->communication[at] = now->communication - clock->last.communication;
    clock->total.force += clock->force[at];
    clock->total.communication += clock->communication[at];
    clock->total.list += now->list - clock->last.list;
    if (now->lists == clock->last.lists) {
        clock->kept++;
        clock->kept_reductions += now->reductions - clock->last.reductions;
    }
    clock->last = *now;
}

/* --- reductions over all ranks ------------------------------------------------------------------------------------ */

/* Times of all ranks for each recorded step, oldest first: maximum and minimum in seconds. */
typedef struct {
    double most[MYR_CLOCK_STEPS], least[MYR_CLOCK_STEPS];
    int64_t sum[MYR_CLOCK_STEPS]; /* sum over the ranks, in nanoseconds */
} clock_steps;

/* Integer nanoseconds, so that sums are independent of the order. */
static int64_t clock_nanoseconds(double seconds)
{
    return (int64_t)llrint(seconds / NANO);
}

static myr_status clock_reduce(const myr_clock *clock, myr_context *context, const double *each, int n,
                               clock_steps *all)
{
    const int64_t first = clock->steps - n;
    for (int k = 0; k < n; k++) {
        const double seconds = each[(first + k) % MYR_CLOCK_STEPS];
        all->most[k] = seconds;
        all->least[k] = -seconds;
        all->sum[k] = clock_nanoseconds(seconds);
    }
    myr_status status = myr_ranks_max(context, all->most, n);
    if (!status)
        status = myr_ranks_max(context, all->least, n);
    if (!status)
        status = myr_ranks_sum(context, all->sum, n);
    for (int k = 0; k < n; k++)
        all->least[k] = -all->least[k];
    return status;
}

/* t_diff of each step: (maximum - minimum) / mean of the force times over the ranks. */
static void clock_differences(const clock_steps *force, int n, int ranks, myr_rank_times *times)
{
    for (int k = 0; k < n; k++) {
        const double mean = NANO * (double)force->sum[k] / ranks;
        const double difference = mean > 0 ? (force->most[k] - force->least[k]) / mean : 0;
        times->difference += difference / n;
        times->difference_most = fmax(times->difference_most, difference);
        if (k >= n - MYR_RANK_TIMES_SHOWN)
            times->last[k - (n > MYR_RANK_TIMES_SHOWN ? n - MYR_RANK_TIMES_SHOWN : 0)] = difference;
    }
}

/* Fraction of the communication time that is not waiting, estimated as minimum over mean: the last rank to arrive does
 * not wait. */
static double clock_share(const clock_steps *communication, int n, int ranks)
{
    double least = 0, mean = 0;
    for (int k = 0; k < n; k++) {
        least += communication->least[k];
        mean += NANO * (double)communication->sum[k] / ranks;
    }
    return mean > 0 ? least / mean : 0;
}

static myr_status clock_totals(const myr_clock *clock, myr_context *context, double all, double share,
                               myr_rank_times *times)
{
    enum { TOTAL, FORCE, LIST, COMMUNICATION, TOTALS };
    const double mine[TOTALS] = {all - clock->first, clock->total.force, clock->total.list, clock->total.communication};
    double most[TOTALS], mean[TOTALS];
    int64_t sum[TOTALS];
    for (int k = 0; k < TOTALS; k++) {
        most[k] = mine[k];
        sum[k] = clock_nanoseconds(mine[k]);
    }
    myr_status status = myr_ranks_max(context, most, TOTALS);
    if (!status)
        status = myr_ranks_sum(context, sum, TOTALS);
    for (int k = 0; k < TOTALS; k++)
        mean[k] = NANO * (double)sum[k] / times->ranks;
    times->seconds = most[TOTAL];
    times->force = mean[FORCE];
    times->force_most = most[FORCE];
    times->list = mean[LIST];
    times->list_most = most[LIST];
    times->communication = share * mean[COMMUNICATION];
    times->idle = (1 - share) * mean[COMMUNICATION];
    times->idle_most = most[COMMUNICATION] - times->communication;
    times->rest = mean[TOTAL] - mean[FORCE] - mean[LIST] - mean[COMMUNICATION];
    return status;
}

/* Gathers the times of the first MYR_RANK_TIMES_EACH ranks on rank 0. */
static myr_status clock_each(const myr_clock *clock, myr_context *context, myr_rank_times *times)
{
    const double mine[4] = {clock->total.force, clock->total.list, clock->total.communication,
                            (double)myr_memory_peak()};
    const int shown = myr_ranks_me(context) < MYR_RANK_TIMES_EACH;
    times->memory_most = mine[3];
    const myr_status status = myr_ranks_max(context, &times->memory_most, 1);
    return status ? status : myr_ranks_gather(context, mine, shown ? sizeof mine : 0, times->each);
}

static double clock_mean(int64_t count, int64_t steps)
{
    return steps > 0 ? (double)count / (double)steps : 0;
}

myr_status myr_clock_read(const myr_clock *clock, myr_context *context, const myr_clock_seconds *now,
                          myr_rank_times *times)
{
    const int n = clock->steps < MYR_CLOCK_STEPS ? (int)clock->steps : MYR_CLOCK_STEPS;
    const int ranks = myr_ranks_count(context);
    memset(times, 0, sizeof *times);
    times->ranks = ranks;
    times->steps = clock->steps;
    times->shown = n < MYR_RANK_TIMES_SHOWN ? n : MYR_RANK_TIMES_SHOWN;
    times->meetings = clock_mean(now->reductions - clock->first_reductions, clock->steps);
    times->meetings_kept = clock_mean(clock->kept_reductions, clock->kept);
    clock_steps *steps = malloc(sizeof *steps);
    if (!steps)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the times of %d steps", n);
    myr_status status = clock_reduce(clock, context, clock->force, n, steps);
    if (!status) {
        clock_differences(steps, n, ranks, times);
        status = clock_reduce(clock, context, clock->communication, n, steps);
    }
    const double share = clock_share(steps, n, ranks);
    free(steps);
    if (!status)
        status = clock_totals(clock, context, now->all, share, times);
    return status ? status : clock_each(clock, context, times);
}
