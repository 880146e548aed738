/* leapfrog.c - kick-drift-kick leapfrog: second order, symplectic, time-reversible.
 *
 *   v += a dt/2;  x += v dt;  a = a(x);  v += a dt/2 */
#include "integrator/clock.h"
#include "integrator/symplectic.h"

myr_status myr_symplectic_start(myr_integration *s)
{
    return s->rates.rates(s->rates.user, s->time);
}

myr_status myr_symplectic_step(myr_integration *s, double end, int stages, const double *weight)
{
    myr_clock_step next;
    const myr_status planned = myr_clock_begin(s, end, &next);
    if (planned)
        return planned;
    const double dt = next.dt, begin = s->time;
    double passed = 0;
    for (int k = 0; k < stages; k++) {
        const double h = weight[k] * dt;
        passed += weight[k];
        const double now = k == stages - 1 ? next.time : begin + passed * dt;
        myr_status status = myr_integrator_add(s, s->v, (const double *const *)s->a, 3, 0.5 * h);
        if (!status)
            status = myr_integrator_add(s, s->x, (const double *const *)s->v, 3, h);
        if (!status)
            status = s->rates.rates(s->rates.user, now);
        if (!status)
            status = myr_integrator_add(s, s->v, (const double *const *)s->a, 3, 0.5 * h);
        if (status)
            return status;
    }
    myr_clock_end(s, &next);
    return MYR_OK;
}

static myr_status leapfrog_step(myr_integration *s, double end)
{
    static const double weight[] = {1.0};
    return myr_symplectic_step(s, end, 1, weight);
}

const myr_integrator_table myr_integrator_leapfrog = {
    .info = {.name = "leapfrog",
             .text = "kick-drift-kick, fixed step",
             .order = 2,
             .symplectic = 1,
             .reversible = 1,
             .param = MYR_FIXED_STEP_PARAMETER},
    .second_order = 1,
    .resident = MYR_RESIDENT_FIXED,
    .start = myr_symplectic_start,
    .step = leapfrog_step,
};
