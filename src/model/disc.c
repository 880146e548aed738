/* disc.c - the thin exponential disc (Freeman 1970, ApJ 160, 811). */
#include "model/disc.h"

#include <math.h>

double myr_disc_mass(double r)
{
    return -expm1(-r) - r * exp(-r);
}

double myr_disc_radius(double mass)
{
    double low = 0, high = 750;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (myr_disc_mass(middle) < mass)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Modified Bessel functions I0, I1 times exp(-y) and K0, K1 times exp(y), from their integrals by the trapezoidal rule,
 * whose error decays exponentially here: 1e-12 for y up to 100. */
static void disc_bessel(double y, double i[2], double k[2])
{
    enum { HALF_TURN = 64 };
    const double pi = acos(-1.0), step = 0.1;
    i[0] = i[1] = k[0] = k[1] = 0;
    for (int n = 0; n <= HALF_TURN; n++) {
        const double c = cos(pi * n / HALF_TURN),
                     f = exp(y * (c - 1)) * (n == 0 || n == HALF_TURN ? 0.5 : 1) / HALF_TURN;
        i[0] += f;
        i[1] += f * c;
    }
    for (int n = 0;; n++) {
        const double c = cosh(n * step), f = exp(-y * (c - 1)) * (n == 0 ? 0.5 : 1) * step;
        k[0] += f;
        k[1] += f * c;
        if (y * (c - 1) > 40)
            break;
    }
}

/* v^2 = 2 y^2 (I0 K0 - I1 K1) with y = r/2. */
double myr_disc_speed2(double r)
{
    const double y = 0.5 * r;
    double i[2], k[2];
    if (!(y > 1e-10))
        return 0;
    disc_bessel(y, i, k);
    return 2 * y * y * (i[0] * k[0] - i[1] * k[1]);
}
