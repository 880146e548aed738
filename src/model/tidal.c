/* tidal.c - the tide of a distant point mass, to first order in r/distance:
 *   a = G M/d^3 (3 (n.x) n - x),   Phi = -G M/(2 d^3) (3 (n.x)^2 - r^2),
 * n the direction to the point, from the centre of the field. The frame does not rotate and falls with the system at
 * the origin, so that only the difference of pulls is felt; there is no Coriolis force. With rate 0 the point stands on
 * the x axis, the tide is static and energy is conserved; otherwise n turns about z with that rate (on a circular orbit
 * sqrt(G M/d^3) for a light system) and the energy changes as the tide does. */
#include <math.h>

#include "model/external.h"

enum { G, MASS, DISTANCE, RATE };

static void tidal_at(const double *p, const double x[3], const double v[3], double time, myr_external_field *field)
{
    const double strength = p[G] * p[MASS] / (p[DISTANCE] * p[DISTANCE] * p[DISTANCE]);
    const double c = cos(p[RATE] * time), s = sin(p[RATE] * time);
    const double n[3] = {c, s, 0}, dn[3] = {-p[RATE] * s, p[RATE] * c, 0};
    double along = 0, dalong = 0, r2 = 0; /* n.x, its time derivative */
    for (int k = 0; k < 3; k++) {
        along += n[k] * x[k];
        dalong += n[k] * v[k] + dn[k] * x[k];
        r2 += x[k] * x[k];
    }
    field->potential = -0.5 * strength * (3 * along * along - r2);
    for (int k = 0; k < 3; k++) {
        field->acceleration[k] = strength * (3 * along * n[k] - x[k]);
        field->jerk[k] = strength * (3 * (dalong * n[k] + along * dn[k]) - v[k]);
    }
}

const myr_external_class myr_tidal_external = {
    .info = {"tidal", "linear tide of a distant point mass, static or turning; frame without rotation", 1},
    .at = tidal_at,
    .param = {[G] = MYR_EXTERNAL_G,
              [MASS] = MYR_EXTERNAL_M("mass of the distant point"),
              [DISTANCE] = {{"distance", "of the point; on the x axis at time 0", 10, 1e-100, 1e100}, MYR_LENGTH},
              [RATE] = {{"rate", "angular velocity of the point about z", 0, -MYR_HUGE, MYR_HUGE}, MYR_RATE}},
};
