/* runge_kutta.c - one step of a Runge-Kutta method, for any first-order motion. */
#include "integrator/runge_kutta.h"

#include <string.h>

#include "integrator/clock.h"

myr_status myr_runge_kutta_start(myr_integration *s)
{
    (void)s;
    return MYR_OK;
}

/* Column k of the scratch array, n doubles. */
static double *runge_kutta_column(const myr_integration *s, int k)
{
    return s->room + k * s->n;
}

myr_status myr_runge_kutta_step(myr_integration *s, double end, int stages, const double *reach, const double *weight)
{
    myr_clock_step next;
    const myr_status planned = myr_clock_begin(s, end, &next);
    if (planned)
        return planned;
    const double dt = next.dt, begin = s->time;
    const int m = s->variables;
    double *first[MYR_MOTION_VARIABLES], *sum[MYR_MOTION_VARIABLES], *rate[MYR_MOTION_VARIABLES];
    for (int k = 0; k < m; k++) {
        first[k] = runge_kutta_column(s, k); /* variables at the beginning of the step */
        sum[k] = runge_kutta_column(s, m + k);
        rate[k] = runge_kutta_column(s, 2 * m + k);
        memcpy(first[k], s->variable[k], (size_t)s->n * sizeof(double));
        memset(sum[k], 0, (size_t)s->n * sizeof(double));
    }
    for (int stage = 0; stage < stages; stage++) {
        const myr_status status = s->rates.rates(s->rates.user, begin + (stage ? reach[stage - 1] * dt : 0));
        if (status)
            return status;
        myr_integrator_add(s, sum, (const double *const *)s->rate, m, weight[stage]);
        if (stage == stages - 1)
            break;
        for (int k = 0; k < m; k++) /* the rate of a position is a velocity, itself a variable: keep the old values */
            memcpy(rate[k], s->rate[k], (size_t)s->n * sizeof(double));
        for (int k = 0; k < m; k++)
            for (int64_t i = 0; i < s->n; i++)
                s->variable[k][i] = first[k][i] + reach[stage] * dt * rate[k][i];
    }
    for (int k = 0; k < m; k++)
        for (int64_t i = 0; i < s->n; i++)
            s->variable[k][i] = first[k][i] + dt * sum[k][i];
    myr_clock_end(s, &next);
    return MYR_OK;
}
