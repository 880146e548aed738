/* rk4.c - the classical Runge-Kutta method of order 4 for any first-order motion. Four evaluations a step. */
#include "integrator/symplectic.h"

#include <string.h>

/* A column of the room: n doubles. */
static double *rk4_column(const myr_integration *s, int k)
{
    return s->room + k * s->n;
}

static myr_status rk4_step(myr_integration *s, double end)
{
    static const double reach[] = {0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const double dt = myr_integrator_fixed_step(s, end), begin = s->time;
    const int m = s->variables;
    double *first[MYR_MOTION_VARIABLES], *sum[MYR_MOTION_VARIABLES], *rate[MYR_MOTION_VARIABLES];
    for (int k = 0; k < m; k++) {
        first[k] = rk4_column(s, k); /* where the step began */
        sum[k] = rk4_column(s, m + k);
        rate[k] = rk4_column(s, 2 * m + k);
        memcpy(first[k], s->variable[k], (size_t)s->n * sizeof(double));
        memset(sum[k], 0, (size_t)s->n * sizeof(double));
    }
    for (int stage = 0; stage < 4; stage++) {
        const myr_status status = s->rates.rates(s->rates.user, begin + (stage ? reach[stage - 1] * dt : 0));
        if (status)
            return status;
        myr_integrator_add(s, sum, (const double *const *)s->rate, m, weight[stage]);
        if (stage == 3)
            break;
        for (int k = 0; k < m; k++) /* rates of positions are velocities, themselves variables: keep their old values */
            memcpy(rate[k], s->rate[k], (size_t)s->n * sizeof(double));
        for (int k = 0; k < m; k++)
            for (int64_t i = 0; i < s->n; i++)
                s->variable[k][i] = first[k][i] + reach[stage] * dt * rate[k][i];
    }
    for (int k = 0; k < m; k++)
        for (int64_t i = 0; i < s->n; i++)
            s->variable[k][i] = first[k][i] + dt * sum[k][i];
    s->time = dt == end - begin ? end : begin + dt;
    s->steps++;
    s->particle_steps += s->n;
    s->active = s->n;
    return MYR_OK;
}

static myr_status rk4_start(myr_integration *s)
{
    (void)s;
    return MYR_OK;
}

const myr_integrator_table myr_integrator_rk4 = {
    .info = {.name = "rk4", .text = "Runge-Kutta, fixed step", .order = 4, .param = MYR_FIXED_STEP_PARAMETER},
    .start = rk4_start,
    .step = rk4_step,
};
