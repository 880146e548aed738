/* clock.c - times of fixed steps. */
#include "integrator/clock.h"

#include <float.h>
#include <math.h>

#include "core/context.h"

#define CLOCK_ROUNDING 1e-9 /* part of a step: smaller differences of times are rounding of the user's numbers */
#define CLOCK_REST 1e-6     /* part of a step: a rest below is added to the step instead of being a step of its own */

double myr_clock_rounding(double time)
{
    return 4 * DBL_EPSILON * fabs(time);
}

double myr_clock_shown(double time, double asked)
{
    return fabs(time - asked) <= myr_clock_rounding(time) ? asked : time;
}

/* Difference of times that is not worth a step next to steps of `length`. */
static double clock_slack(double time, double length)
{
    return fmin(0.25 * length, fmax(CLOCK_ROUNDING * length, myr_clock_rounding(time)));
}

/* Next multiple of `length` from the origin on; *dt receives the length of the step to it, exactly `length` if the
 * present time is a multiple. */
static double clock_next(const myr_integration *s, double length, double forward, double *dt)
{
    const double passed = (s->time - s->origin) / length, nearest = rint(passed);
    const double here = s->origin + nearest * length;
    if (fabs(s->time - here) <= clock_slack(fmax(fabs(s->time), fabs(s->origin)), length)) {
        *dt = forward * length;
        return s->origin + (nearest + forward) * length;
    }
    const double multiple = forward > 0 ? ceil(passed) : floor(passed);
    double next = s->origin + multiple * length;
    if (fabs(next - s->time) < CLOCK_REST * length)
        next = s->origin + (multiple + forward) * length;
    *dt = next - s->time;
    return next;
}

/* Time that the step must not pass: `end`, or with a limit on the step the time asked for, if that is earlier. */
static double clock_target(const myr_integration *s, double end, double forward)
{
    const int lands = s->number[MYR_NUMBER_LONGEST] > 0 && forward * (s->until - s->shown) > 0;
    return lands && forward * (end - s->until) > 0 ? s->until : end;
}

myr_status myr_clock_begin(myr_integration *s, double end, myr_clock_step *step)
{
    const double longest = s->number[MYR_NUMBER_LONGEST], forward = end > s->shown ? 1 : -1;
    double length = fabs(s->parameter[0]);
    if (s->unit != length) {
        s->origin = s->time;
        s->unit = length;
    }
    while (longest > 0 && length > longest)
        length *= 0.5;
    step->time = clock_next(s, length, forward, &step->dt);
    const double target = clock_target(s, end, forward), rest = forward * (target - step->time);
    const double slack = clock_slack(target, length);
    if (rest < -slack || (rest > slack && rest < CLOCK_REST * length)) {
        step->time = target;
        step->dt = target - s->time;
    }
    const double near = fmin(slack, clock_slack(target, fabs(step->dt))); /* of a step that was cut short, too */
    step->shown = fabs(rest) <= slack ? target : fabs(step->time - s->until) <= near ? s->until : step->time;
    if (step->time != s->time && s->time + step->dt != s->time)
        return MYR_OK;
    return myr_context_fail(
        s->context, MYR_ERROR_RANGE,
        "a step of %g%s does not change the time %.17g%s any more: neighbouring numbers there are %g%s "
        "apart; use a longer dt%s",
        myr_context_time(s->context, step->dt), myr_context_time_name(s->context),
        myr_context_time(s->context, s->time), myr_context_time_name(s->context),
        myr_context_time(s->context, nextafter(fabs(s->time), INFINITY) - fabs(s->time)),
        myr_context_time_name(s->context), length < s->unit ? ", or a looser limit on the step" : "");
}

void myr_clock_end(myr_integration *s, const myr_clock_step *step)
{
    s->time = step->time;
    s->shown = step->shown;
    s->steps++;
    s->particle_steps += s->n;
    s->active = s->n;
}
