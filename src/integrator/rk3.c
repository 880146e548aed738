/* rk3.c - Heun's method of order 3 for any first-order motion, three evaluations per step. */
#include "integrator/runge_kutta.h"

static myr_status rk3_step(myr_integration *s, double end)
{
    static const double reach[] = {1.0 / 3, 2.0 / 3}, weight[] = {0.25, 0, 0.75};
    return myr_runge_kutta_step(s, end, 3, reach, weight);
}

const myr_integrator_table myr_integrator_rk3 = {
    .info = {.name = "rk3", .text = "Heun's Runge-Kutta, fixed step", .order = 3, .param = MYR_FIXED_STEP_PARAMETER},
    .resident = MYR_RESIDENT_FIXED,
    .columns = 3,
    .start = myr_runge_kutta_start,
    .step = rk3_step,
};
