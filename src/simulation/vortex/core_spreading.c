/* core_spreading.c - spreading cores, and steps limited by the strain. */
#include "simulation/vortex/core_spreading.h"

#include <math.h>

#include "simulation/vortex/element_motion.h"

#define VORTEX_WEAK 1e-3 /* weakest element that limits the step, relative to the largest strength */

/* Refuses settings of vortex elements for other particles, or after the first step. */
static myr_status vortex_check(myr_simulation *s, const char *what, double value)
{
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the %s cannot change after the first step", what);
    if (!(value >= 0) || !isfinite(value))
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the %s cannot be %g; it is 0 or more", what, value);
    if (value > 0 && myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the %s is one of vortex elements, whose kernel gives velocities", what);
    return MYR_OK;
}

myr_status myr_simulation_set_viscosity(myr_simulation *simulation, double viscosity)
{
    const myr_status status = vortex_check(simulation, "viscosity", viscosity);
    if (!status)
        simulation->elements->viscosity = viscosity;
    return status;
}

myr_status myr_simulation_limit_strain(myr_simulation *simulation, double strain)
{
    const myr_status status = vortex_check(simulation, "limit of the strain", strain);
    if (!status)
        simulation->elements->strain = strain;
    return status;
}

void myr_core_spreading_rates(const myr_simulation *s, const double *core, double *rate)
{
    for (int64_t i = 0; i < s->motion.n; i++)
        rate[i] = s->elements->viscosity / core[i];
}

static double vortex_square(double *const v[3], int64_t i)
{
    return v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i];
}

double myr_core_spreading_longest_step(const myr_simulation *s, double *const strength[3], double *const rate[3])
{
    double strongest = 0, fastest = 0;
    for (int64_t i = 0; i < s->motion.n; i++)
        strongest = fmax(strongest, vortex_square(strength, i));
    for (int64_t i = 0; i < s->motion.n; i++) {
        const double square = vortex_square(strength, i);
        if (square > VORTEX_WEAK * VORTEX_WEAK * strongest)
            fastest = fmax(fastest, vortex_square(rate, i) / square);
    }
    return fastest > 0 ? s->elements->strain / sqrt(fastest) : 0;
}
