/* yoshida.c - compositions of leapfrog steps of order 4 and 6 (Yoshida 1990, solution A of order 6). */
#include "integrator/symplectic.h"

#define V1 1.3512071919596578 /* 1 / (2 - 2^(1/3)) */
static const double weight4[] = {V1, 1.0 - 2.0 * V1, V1};

#define W1 (-1.17767998417887)
#define W2 0.235573213359357
#define W3 0.784513610477560
#define W0 (1.0 - 2.0 * (W1 + W2 + W3)) /* weights sum to one exactly, unlike the published digits */
static const double weight6[] = {W3, W2, W1, W0, W1, W2, W3};

static myr_status yoshida4_step(myr_integration *s, double end)
{
    return myr_symplectic_step(s, end, 3, weight4);
}

static myr_status yoshida6_step(myr_integration *s, double end)
{
    return myr_symplectic_step(s, end, 7, weight6);
}

const myr_integrator_table myr_integrator_yoshida4 = {
    .info = {.name = "yoshida4",
             .text = "three leapfrogs, order 4, fixed step",
             .order = 4,
             .symplectic = 1,
             .reversible = 1,
             .param = MYR_FIXED_STEP_PARAMETER},
    .second_order = 1,
    .resident = MYR_RESIDENT_FIXED,
    .start = myr_symplectic_start,
    .step = yoshida4_step,
};

const myr_integrator_table myr_integrator_yoshida6 = {
    .info = {.name = "yoshida6",
             .text = "seven leapfrogs, order 6, fixed step",
             .order = 6,
             .symplectic = 1,
             .reversible = 1,
             .param = MYR_FIXED_STEP_PARAMETER},
    .second_order = 1,
    .resident = MYR_RESIDENT_FIXED,
    .start = myr_symplectic_start,
    .step = yoshida6_step,
};
