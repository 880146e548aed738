/* elementary.c - exp, log, powers, cosine and sine with the same bits on every machine. */
#include "core/elementary.h"

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
    return elementary_power(x, y);
}

double myr_elementary_whole_power(double x, int n)
{
    return elementary_whole_power(x, n);
}

double myr_elementary_power_of_two(double x)
{
    int exponent;
    const double part = frexp(x, &exponent); /* x = part 2^exponent, 1/2 <= part < 1 */
    return ldexp(1, part > 0.5 ? exponent : exponent - 1);
}
