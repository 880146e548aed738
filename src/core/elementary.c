/* elementary.c - exp, log, powers, cosine and sine with the same bits on every machine. */
#include "core/elementary.h"

#include <float.h>

#include "core/elementary_inside.h"

double myr_elementary_exp(double x)
{
    return elementary_exp(x);
}

double myr_elementary_log(double x)
{
    return elementary_log(x);
}

void myr_elementary_turn(double turns, double *cosine, double *sine)
{
    elementary_turn(turns, cosine, sine);
}

double myr_elementary_power(double x, double y)
{
    enum { MOST = 700 }; /* range of elementary_exp */
    if (!(x >= DBL_MIN) || !(x < (double)INFINITY))
        return x >= DBL_MIN ? (y > 0 ? x : 0) : y > 0 ? 0 : (double)INFINITY;
    const double t = y * elementary_log(x);
    return t > MOST ? (double)INFINITY : t < -MOST ? 0 : elementary_exp(t);
}

double myr_elementary_whole_power(double x, int n)
{
    double power = 1;
    for (unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n; left; left >>= 1, x *= x)
        power = left & 1 ? power * x : power;
    return n < 0 ? 1 / power : power;
}

double myr_elementary_power_of_two(double x)
{
    int exponent;
    const double part = frexp(x, &exponent); /* x = part 2^exponent, 1/2 <= part < 1 */
    return ldexp(1, part > 0.5 ? exponent : exponent - 1);
}
