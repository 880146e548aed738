/* rk4.c - classical Runge-Kutta method of order 4 for any first-order motion, four evaluations per step. */
#include "integrator/runge_kutta.h"

static myr_status rk4_step(myr_integration *s, double end)
{
    static const double reach[] = {0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    return myr_runge_kutta_step(s, end, 4, reach, weight);
}

const myr_integrator_table myr_integrator_rk4 = {
    .info = {.name = "rk4", .text = "Runge-Kutta, fixed step", .order = 4, .param = MYR_FIXED_STEP_PARAMETER},
    .resident = MYR_RESIDENT_FIXED,
    .columns = 3,
    .start = myr_runge_kutta_start,
    .step = rk4_step,
};
