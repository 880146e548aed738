/* clock.h - times of fixed steps. Steps are counted: they end at origin + k dt, and with a limit on the step at origin
 * + k dt / 2^j, where each is rounded once. A sum of steps would collect rounding errors, miss `end`, and need one more
 * step of almost no length. */
#ifndef MYR_INTEGRATOR_CLOCK_H
#define MYR_INTEGRATOR_CLOCK_H

#include "integrator/integrator.h"

typedef struct {
    double dt;    /* length of the step; negative = backwards in time */
    double time;  /* time of the variables after the step */
    double shown; /* time shown to the caller after the step (myr_integration) */
} myr_clock_step;

/* Chooses the next fixed step: parameter dt, halved until the rates allow it, and shortened so as not to pass `end`. A
 * step with such a limit is shortened to end at s->until as well. Fails if the step is too short to change the time. */
myr_status myr_clock_begin(myr_integration *s, double end, myr_clock_step *step);

/* Sets the time after a step of all particles, and counts the step. */
void myr_clock_end(myr_integration *s, const myr_clock_step *step);

/* Largest difference that rounding makes between two ways to compute a time. */
double myr_clock_rounding(double time);

/* Time shown for `time`: `asked` if both agree up to rounding, otherwise `time`. */
double myr_clock_shown(double time, double asked);

#endif
