/* timed_calls.c - a motion up to a time, with calls of the user's functions at times. */
#include <math.h>

#include "integrator/clock.h"
#include "simulation/simulation.h"

/* Time of the next call of a function. */
static double calls_due(const myr_timed_call *call)
{
    return call->start + (double)call->calls * call->interval;
}

/* Calls the functions that are due at the present time; several calls if intervals have passed in one step. */
static myr_status calls_make(myr_simulation *s, myr_timed_call *call, int count)
{
    const double now = myr_simulation_time(s), here = now + myr_clock_rounding(now);
    for (int k = 0; k < count; k++)
        while (calls_due(&call[k]) <= here) {
            if (call[k].call(call[k].user, s))
                return myr_context_fail(s->context, MYR_ERROR_CANCELLED, "stopped on request at time %g%s",
                                        myr_context_time(s->context, now), myr_context_time_name(s->context));
            call[k].calls++;
        }
    return MYR_OK;
}

/* Time of the next call, at most `end`. */
static double calls_next(const myr_timed_call *call, int count, double end)
{
    double next = end;
    for (int k = 0; k < count; k++)
        next = fmin(next, calls_due(&call[k]));
    return next;
}

myr_status myr_simulation_run(myr_simulation *simulation, double end, myr_timed_call *call, int count)
{
    myr_simulation *s = simulation;
    if (!s || count < 0 || (count > 0 && !call))
        return MYR_ERROR_ARGUMENT;
    for (int k = 0; k < count; k++)
        if (!call[k].call || !(call[k].interval > 0) || !isfinite(call[k].start))
            return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                    "call %d needs a function, an interval above 0 and a time to start at", k);
    if (end < myr_simulation_time(s))
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "calls at times need a motion forward in time");
    myr_status status = myr_simulation_advance(s, end, end, 0); /* starts the motion, so that calls see it */
    if (!status)
        status = calls_make(s, call, count);
    while (!status && myr_simulation_time(s) < end) {
        status = myr_simulation_advance(s, end, calls_next(call, count, end), INT64_MAX);
        if (!status)
            status = calls_make(s, call, count);
    }
    return status;
}
