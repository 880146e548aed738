/* kepler.c - two bodies on an ellipse with total mass 1 and G = 1: the period is 2 pi a^(3/2) and the energy is -m1
 * m2/(2 a). */
#include "model/model.h"
#include "model/orbit.h"

enum { A, E, MASS_RATIO, PHASE, INCLINATION, NODE, PERICENTRE };

static myr_status kepler_place(const myr_model_arrays *to)
{
    const double *p = to->value, m1 = 1 / (1 + p[MASS_RATIO]), m2 = p[MASS_RATIO] / (1 + p[MASS_RATIO]);
    const myr_orbit orbit = {p[A], p[E], p[INCLINATION], p[NODE], p[PERICENTRE], p[PHASE]};
    double x[3], v[3], at[2][3], along[2][3];
    myr_orbit_place(&orbit, 1, x, v);
    myr_orbit_share(m1, m2, x, at[0], at[1]);
    myr_orbit_share(m1, m2, v, along[0], along[1]);
    to->mass[0] = m1;
    to->mass[1] = m2;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = at[i][c];
            to->velocity[c][i] = along[i][c];
        }
    return MYR_OK;
}

const myr_model_kind myr_kepler_model = {
    .info = {"kepler", "two bodies on an ellipse, G = m1 + m2 = 1; starts at apocentre", 1},
    .place = kepler_place,
    .with = MYR_WITH_SCALES,
    .least = 2,
    .usual = 2,
    .most = 2,
    .param = {[A] = {{"a", "semi-major axis", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [E] = {{"e", "eccentricity", 0, 0, 0.9999999999}, MYR_NUMBER},
              [MASS_RATIO] = {{"mass_ratio", "second mass over first", 1, 0, MYR_HUGE}, MYR_NUMBER},
              [PHASE] = {{"phase", "mean anomaly at the start in radians: 0 = pericentre, pi = apocentre", MYR_PI,
                          -MYR_HUGE, MYR_HUGE},
                         MYR_NUMBER},
              [INCLINATION] = {{"inclination", "angle between the orbit and the x-y plane, in radians", 0, -4, 4},
                               MYR_NUMBER},
              [NODE] = {{"node", "longitude of the ascending node, in radians", 0, -7, 7}, MYR_NUMBER},
              [PERICENTRE] = {{"pericentre", "angle from the node to the pericentre, in radians", 0, -7, 7},
                              MYR_NUMBER}},
};
