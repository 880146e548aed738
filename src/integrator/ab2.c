/* ab2.c - Adams-Bashforth method of order 2 for any first-order motion: y += dt (3/2 f_n - 1/2 f_(n-1)), one evaluation
 * per step. The first step, and a step of different length, is a Heun step, so that the start keeps the order. */
#include "integrator/clock.h"
#include "integrator/symplectic.h"

/* Columns of the scratch array, one per variable. */
static void ab2_columns(const myr_integration *s, double **column)
{
    for (int k = 0; k < s->variables; k++)
        column[k] = s->room + (int64_t)k * s->n;
}

/* Heun step. state: rates of the previous step; number[0]: length of the previous step, 0 before the first. */
static myr_status ab2_heun(const myr_integration *s, double dt)
{
    const int m = s->variables;
    double *const *last = s->state;
    double *now[MYR_MOTION_VARIABLES];
    ab2_columns(s, now);
    myr_status status = myr_integrator_copy(s, last, (const double *const *)s->rate, m);
    if (!status)
        status = myr_integrator_add(s, s->variable, (const double *const *)last, m, dt);
    if (!status)
        status = s->rates.rates(s->rates.user, s->time + dt);
    if (!status)
        status = myr_integrator_copy(s, now, (const double *const *)s->rate, m);
    for (int k = 0; k < m && !status; k++)
        status = myr_integrator_sum(s, &(motion_sum){.to = s->variable[k],
                                                     .base = s->variable[k],
                                                     .from = now[k],
                                                     .other = last[k],
                                                     .factor = 0.5 * dt,
                                                     .p = 1,
                                                     .q = -1});
    return status;
}

static myr_status ab2_regular(const myr_integration *s, double dt)
{
    const int m = s->variables;
    double *const *last = s->state;
    double *now[MYR_MOTION_VARIABLES];
    ab2_columns(s, now);
    /* the rate of a position is a velocity, itself a variable: the old values are needed */
    myr_status status = myr_integrator_copy(s, now, (const double *const *)s->rate, m);
    for (int k = 0; k < m && !status; k++)
        status = myr_integrator_sum(s, &(motion_sum){.to = s->variable[k],
                                                     .base = s->variable[k],
                                                     .from = now[k],
                                                     .other = last[k],
                                                     .factor = dt,
                                                     .p = 1.5,
                                                     .q = -0.5});
    return status ? status : myr_integrator_copy(s, last, (const double *const *)now, m);
}

static myr_status ab2_step(myr_integration *s, double end)
{
    myr_clock_step next;
    myr_status status = myr_clock_begin(s, end, &next);
    const double dt = next.dt;
    if (!status)
        status = s->rates.rates(s->rates.user, s->time);
    if (status)
        return status;
    status = s->number[0] == dt ? ab2_regular(s, dt) : ab2_heun(s, dt);
    if (status)
        return status;
    s->number[0] = dt;
    myr_clock_end(s, &next);
    return MYR_OK;
}

static myr_status ab2_start(myr_integration *s)
{
    s->number[0] = 0;
    return MYR_OK;
}

static const char *const ab2_state[] = {"ab2_last", NULL};

const myr_integrator_table myr_integrator_ab2 = {
    .info = {.name = "ab2",
             .text = "Adams-Bashforth with a Heun start, fixed step",
             .order = 2,
             .param = MYR_FIXED_STEP_PARAMETER},
    .state = ab2_state,
    .state_per_variable = 1,
    .resident = MYR_RESIDENT_FIXED,
    .columns = 1,
    .start = ab2_start,
    .step = ab2_step,
};
