/* elementary.c - series after a reduction of the argument; the number of terms leaves less than 2e-17. */
#include "core/elementary.h"

#include <math.h>

#define LN2_HIGH 0x1.62e42fee00000p-1 /* the first 33 bits, so that a small whole number times it is exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define HALF_PI 0x1.921fb54442d18p+0
#define SQRT_HALF 0x1.6a09e667f3bcdp-1

double myr_elementary_exp(double x)
{
    const double k = rint(x / (LN2_HIGH + LN2_LOW));
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 1;
    for (int n = 14; n >= 1; n--)
        sum = 1 + r / n * sum;
    return ldexp(sum, (int)k);
}

double myr_elementary_log(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < SQRT_HALF) {
        m *= 2;
        e--;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int n = 23; n >= 1; n -= 2) /* |s| < 0.172 */
        sum = sum * s2 + 1.0 / n;
    return e * LN2_HIGH + (2 * s * sum + e * LN2_LOW);
}

void myr_elementary_turn(double turns, double *cosine, double *sine)
{
    const double quarter = rint(4 * turns), r = (4 * turns - quarter) * HALF_PI, r2 = r * r;
    double c = 1, s = 1;
    for (int n = 16; n >= 2; n -= 2) { /* |r| < pi/4 */
        c = 1 - r2 / (n * (n - 1)) * c;
        s = 1 - r2 / (n * (n + 1)) * s;
    }
    s *= r;
    const int turned = (int)quarter & 3;
    *cosine = turned == 0 ? c : turned == 1 ? -s : turned == 2 ? -c : s;
    *sine = turned == 0 ? s : turned == 1 ? c : turned == 2 ? -s : -c;
}
