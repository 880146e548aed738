/* nfw.c - halo of Navarro, Frenk and White (1997): rho ~ 1/(s (1 + s)^2), s = r/scale.
 *
 * The mass inside r is M m(s)/m(c), m(s) = ln(1 + s) - s/(1 + s), with M the mass inside the virial radius c scale; Phi
 * = -G M/(m(c) scale) ln(1 + s)/s. The acceleration is finite near the centre, and 0 at the centre. */
#include <math.h>

#include "model/external.h"

enum { G, MASS, SCALE, CONCENTRATION, TERMS = 16 };

/* m(s)/s^2; for small s by the series sum (-s)^k (k + 1)/(k + 2), because the difference would lose digits. */
static double nfw_mass(double s)
{
    if (s > 0.1)
        return (log1p(s) - s / (1 + s)) / (s * s);
    double sum = 0;
    for (int k = TERMS - 1; k >= 0; k--)
        sum = (k + 1.0) / (k + 2.0) - s * sum;
    return sum;
}

static void nfw_at(const double *p, const double x[3], const double v[3], double time, myr_external_field *field)
{
    (void)time;
    const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), s = r / p[SCALE];
    const double c = p[CONCENTRATION], unit = p[G] * p[MASS] / (nfw_mass(c) * c * c * p[SCALE]);
    if (!(r > 0)) {
        *field = (myr_external_field){.potential = -unit};
        return;
    }
    /* pull = unit m(s)/(s^3 scale^2); d pull/dr / r = (dm/dr / m - 3/r) pull/r, dm/ds = s/(1 + s)^2 */
    const double pull = unit * nfw_mass(s) / (s * p[SCALE] * p[SCALE]);
    const double slope = unit / ((1 + s) * (1 + s) * s * p[SCALE] * p[SCALE]); /* s dm/ds in place of m */
    field->potential = -unit * log1p(s) / s;
    myr_external_central(x, v, pull, (slope - 3 * pull) / (r * r), field);
}

const myr_external_class myr_nfw_external = {
    .info = {"nfw", "Navarro-Frenk-White halo", 1},
    .at = nfw_at,
    .param = {[G] = MYR_EXTERNAL_G,
              [MASS] = MYR_EXTERNAL_M("mass inside the virial radius, concentration times scale"),
              [SCALE] = {{"scale", "scale radius, where the density falls as r^-2", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [CONCENTRATION] = {{"concentration", "virial radius over scale radius", 10, 1e-3, 1e6}, MYR_NUMBER}},
};
