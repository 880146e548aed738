/* runge_kutta.c - one step of a Runge-Kutta method, for any first-order motion. */
#include "integrator/runge_kutta.h"

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

/* Arrays of a step, by variable. */
typedef struct {
    double *first[MYR_MOTION_VARIABLES]; /* variables at the beginning of the step */
    double *sum[MYR_MOTION_VARIABLES];   /* weighted rates */
    double *rate[MYR_MOTION_VARIABLES];  /* rates of the present stage */
} runge_kutta_room;

/* variable = first + factor * rate, for all variables. */
static myr_status runge_kutta_set(const myr_integration *s, double *const *first, double *const *rate, double factor)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < s->variables && !status; k++)
        status = myr_integrator_sum(
            s, &(motion_sum){.to = s->variable[k], .base = first[k], .from = rate[k], .factor = factor, .p = 1});
    return status;
}

static myr_status runge_kutta_begin(const myr_integration *s, runge_kutta_room *r)
{
    const int m = s->variables;
    for (int k = 0; k < m; k++) {
        r->first[k] = runge_kutta_column(s, k);
        r->sum[k] = runge_kutta_column(s, m + k);
        r->rate[k] = runge_kutta_column(s, 2 * m + k);
    }
    myr_status status = myr_integrator_copy(s, r->first, (const double *const *)s->variable, m);
    for (int k = 0; k < m && !status; k++)
        status = myr_integrator_sum(s, &(motion_sum){.to = r->sum[k]});
    return status;
}

myr_status myr_runge_kutta_step(myr_integration *s, double end, int stages, const double *reach, const double *weight)
{
    myr_clock_step next;
    runge_kutta_room r;
    const int m = s->variables;
    myr_status status = myr_clock_begin(s, end, &next);
    if (status)
        return status;
    status = runge_kutta_begin(s, &r);
    const double dt = next.dt, begin = s->time;
    for (int stage = 0; stage < stages && !status; stage++) {
        status = s->rates.rates(s->rates.user, begin + (stage ? reach[stage - 1] * dt : 0));
        if (!status)
            status = myr_integrator_add(s, r.sum, (const double *const *)s->rate, m, weight[stage]);
        if (status || stage == stages - 1)
            break;
        /* the rate of a position is a velocity, itself a variable: the old values are needed */
        status = myr_integrator_copy(s, r.rate, (const double *const *)s->rate, m);
        if (!status)
            status = runge_kutta_set(s, r.first, r.rate, reach[stage] * dt);
    }
    if (!status)
        status = runge_kutta_set(s, r.first, r.sum, dt);
    if (!status)
        myr_clock_end(s, &next);
    return status;
}
