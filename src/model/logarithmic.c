/* logarithmic.c - logarithmic halo (Binney and Tremaine 2008, eq. 2.71) with a flat rotation curve,
 *   Phi = v0^2/2 ln(core^2 + x^2 + y^2/q_y^2 + z^2/q_z^2).
 * The circular speed at large radii of a spherical halo is v0. The zero point of the potential depends on the unit of
 * length. */
#include <math.h>

#include "model/external.h"

enum { SPEED, CORE, FLAT_Y, FLAT_Z };

static void logarithmic_at(const double *p, const double x[3], const double v[3], double time,
                           myr_external_field *field)
{
    (void)time;
    const double weight[3] = {1, 1 / (p[FLAT_Y] * p[FLAT_Y]), 1 / (p[FLAT_Z] * p[FLAT_Z])};
    const double v2 = p[SPEED] * p[SPEED];
    double s2 = p[CORE] * p[CORE], change = 0; /* change: d(s2)/dt */
    for (int c = 0; c < 3; c++) {
        s2 += weight[c] * x[c] * x[c];
        change += 2 * weight[c] * x[c] * v[c];
    }
    field->potential = 0.5 * v2 * log(s2);
    for (int c = 0; c < 3; c++) {
        field->acceleration[c] = -v2 * weight[c] * x[c] / s2;
        field->jerk[c] = -v2 * weight[c] * (v[c] - x[c] * change / s2) / s2;
    }
}

static int logarithmic_round(const double *p)
{
    return p[FLAT_Y] == 1;
}

const myr_external_class myr_logarithmic_external = {
    .info = {"logarithmic", "logarithmic halo: v0^2/2 ln(core^2 + x^2 + y^2/qy^2 + z^2/qz^2)", 1},
    .at = logarithmic_at,
    .round = logarithmic_round,
    .param = {[SPEED] = {{"v0", "circular speed far out", 1, -MYR_HUGE, MYR_HUGE}, MYR_VELOCITY},
              [CORE] = {{"core", "core radius", 0.1, 0, MYR_HUGE}, MYR_LENGTH},
              [FLAT_Y] = {{"qy", "axis ratio y/x of the potential", 1, 0.1, 10}, MYR_NUMBER},
              [FLAT_Z] = {{"qz", "axis ratio z/x of the potential", 1, 0.1, 10}, MYR_NUMBER}},
};
