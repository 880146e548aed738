/* ab2.c - Adams-Bashforth method of order 2 for any first-order motion: y += dt (3/2 f_n - 1/2 f_(n-1)), one evaluation
 * per step. The first step, and a step of different length, is a Heun step, so that the start keeps the order. */
#include "integrator/clock.h"
#include "integrator/symplectic.h"

#include <string.h>

/* Heun step. state: rates of the previous step; number[0]: length of the previous step, 0 before the first. */
static myr_status ab2_heun(myr_integration *s, double dt)
{
    const int m = s->variables;
    double *const *last = s->state;
    for (int k = 0; k < m; k++)
        memcpy(last[k], s->rate[k], (size_t)s->n * sizeof(double));
    myr_integrator_add(s, s->variable, (const double *const *)last, m, dt);
    const myr_status status = s->rates.rates(s->rates.user, s->time + dt);
    if (status)
        return status;
    for (int k = 0; k < m; k++)
        memcpy(s->room + (int64_t)k * s->n, s->rate[k], (size_t)s->n * sizeof(double));
    for (int k = 0; k < m; k++)
        for (int64_t i = 0; i < s->n; i++)
            s->variable[k][i] += 0.5 * dt * (s->room[(int64_t)k * s->n + i] - last[k][i]);
    return MYR_OK;
}

static void ab2_regular(myr_integration *s, double dt)
{
    const int m = s->variables;
    double *const *last = s->state;
    for (int k = 0; k < m; k++)
        memcpy(s->room + (int64_t)k * s->n, s->rate[k], (size_t)s->n * sizeof(double));
    for (int k = 0; k < m; k++)
        for (int64_t i = 0; i < s->n; i++) {
            const double rate = s->room[(int64_t)k * s->n + i];
            s->variable[k][i] += dt * (1.5 * rate - 0.5 * last[k][i]);
            last[k][i] = rate;
        }
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
    if (s->number[0] == dt)
        ab2_regular(s, dt);
    else
        status = ab2_heun(s, dt);
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
    .start = ab2_start,
    .step = ab2_step,
};
