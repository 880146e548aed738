/* orbit.c - the two-body problem (Murray and Dermott 1999, chapter 2). */
#include "model/orbit.h"

#include <math.h>

/* Solves Kepler's equation E - e sin E = M by Newton's method, kept inside an interval that contains the root. */
static double orbit_eccentric_anomaly(double e, double mean)
{
    double low = mean - e, high = mean + e, x = mean + 0.85 * copysign(e, sin(mean));
    for (int k = 0; k < 100; k++) {
        const double f = x - e * sin(x) - mean;
        if (f > 0)
            high = x;
        else
            low = x;
        double next = x - f / (1 - e * cos(x));
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        const int close = fabs(next - x) <= 0x1p-52 * fabs(next);
        x = next;
        if (close)
            break;
    }
    return x;
}

static void orbit_rotate(double angle, double *a, double *b)
{
    const double c = cos(angle), s = sin(angle), x = *a, y = *b;
    *a = c * x - s * y;
    *b = s * x + c * y;
}

void myr_orbit_turn(double inclination, double node, double pericentre, double vector[3])
{
    orbit_rotate(pericentre, &vector[0], &vector[1]);
    orbit_rotate(inclination, &vector[1], &vector[2]);
    orbit_rotate(node, &vector[0], &vector[1]);
}

void myr_orbit_place(const myr_orbit *orbit, double mu, double position[3], double velocity[3])
{
    const double turn = 2 * acos(-1.0), e = orbit->e, a = orbit->a, flat = sqrt((1 - e) * (1 + e));
    const double anomaly = orbit_eccentric_anomaly(e, remainder(orbit->anomaly, turn));
    const double c = cos(anomaly), s = sin(anomaly), rate = sqrt(mu / a) / (1 - e * c); /* a dE/dt */
    position[0] = a * (c - e);
    position[1] = a * flat * s;
    velocity[0] = -rate * s;
    velocity[1] = rate * flat * c;
    position[2] = velocity[2] = 0;
    myr_orbit_turn(orbit->inclination, orbit->node, orbit->pericentre, position);
    myr_orbit_turn(orbit->inclination, orbit->node, orbit->pericentre, velocity);
}

void myr_orbit_share(double m1, double m2, const double relative[3], double first[3], double second[3])
{
    for (int c = 0; c < 3; c++) {
        first[c] = -m2 / (m1 + m2) * relative[c];
        second[c] = m1 / (m1 + m2) * relative[c];
    }
}
