/* point_mass.c - fixed point mass with Plummer softening: Phi = -G M/sqrt(r^2 + eps^2). */
#include <math.h>

#include "model/external.h"

enum { G, MASS, EPS };

static void point_mass_at(const double *p, const double x[3], const double v[3], double time, myr_external_field *field)
{
    (void)time;
    const double s2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + p[EPS] * p[EPS];
    const double potential = -p[G] * p[MASS] / sqrt(s2), pull = -potential / s2;
    field->potential = potential;
    myr_external_central(x, v, pull, -3 * pull / s2, field);
}

const myr_external_class myr_point_mass_external = {
    .info = {"point_mass", "fixed point mass: -G M/sqrt(r^2 + eps^2)", 1},
    .at = point_mass_at,
    .param = {[G] = MYR_EXTERNAL_G,
              [MASS] = MYR_EXTERNAL_M("mass of the point"),
              [EPS] = {{"eps", "softening length", 0, 0, MYR_HUGE}, MYR_LENGTH}},
};
