/* tidal.c - tidal field of a distant point mass, to first order in r/distance:
 *   a = G M/d^3 (3 (n.x) n - x),   Phi = -G M/(2 d^3) (3 (n.x)^2 - r^2),
 * with n the direction from the centre of the field to the point mass. The frame falls freely with the system and does
 * not rotate, so that only the difference of accelerations appears, without a Coriolis force. With rate 0 the point
 * mass is on the x axis, the field is static and energy is conserved; otherwise n rotates about z with that rate
 * (sqrt(G M/d^3) for a light system on a circular orbit), the energy changes with the field, and the Jacobi integral is
 * conserved. */
#include <math.h>

#include "model/external.h"

enum { G, MASS, DISTANCE, RATE };

static void tidal_at(const double *p, const double x[3], const double v[3], double time, myr_external_field *field)
{
    const double strength = p[G] * p[MASS] / (p[DISTANCE] * p[DISTANCE] * p[DISTANCE]);
    const double c = cos(p[RATE] * time), s = sin(p[RATE] * time);
    const double n[3] = {c, s, 0}, dn[3] = {-p[RATE] * s, p[RATE] * c, 0};
    double along = 0, dalong = 0, r2 = 0; /* n.x, its time derivative, and |x|^2 */
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

static double tidal_rate(const double *p)
{
    return p[RATE];
}

static int tidal_round(const double *p)
{
    (void)p;
    return 0;
}

const myr_external_class myr_tidal_external = {
    .info = {"tidal", "linear tide of a distant point mass, static or turning; frame without rotation", 1},
    .at = tidal_at,
    .rate = tidal_rate,
    .round = tidal_round,
    .param = {[G] = MYR_EXTERNAL_G,
              [MASS] = MYR_EXTERNAL_M("mass of the distant point"),
              [DISTANCE] = {{"distance", "distance of the point, which is on the x axis at time 0", 10, 1e-100, 1e100},
                            MYR_LENGTH},
              [RATE] = {{"rate", "angular velocity of the point about z", 0, -MYR_HUGE, MYR_HUGE}, MYR_RATE}},
};
