/* elementary_inside.h - the functions of elementary.h, by argument reduction and a power series; the truncation error
 * is below 2e-17. Compiled for the processor by elementary.c, and for GPUs: the results have the same bits. */
#ifndef MYR_CORE_ELEMENTARY_INSIDE_H
#define MYR_CORE_ELEMENTARY_INSIDE_H

#include <math.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define MYR_ELEMENTARY static __device__ __forceinline__
#define MYR_ELEMENTARY_UNROLL _Pragma("unroll")
#else
#define MYR_ELEMENTARY static inline __attribute__((always_inline, unused))
#define MYR_ELEMENTARY_UNROLL _Pragma("GCC unroll 16")
#endif

#define LN2_HIGH 0x1.62e42fee00000p-1 /* leading 33 bits of ln 2, so that the product with a small integer is exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54 /* pi/2 less the above */
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdull
#define SIGNIFICAND_BITS 0x000fffffffffffffull

/* Value of sum c[k] x^k, split into even and odd powers so that two independent chains of operations run in
 * parallel. */
MYR_ELEMENTARY double elementary_polynomial(double x, int terms, const double *c)
{
    const double square = x * x;
    double even = 0, odd = 0;
    MYR_ELEMENTARY_UNROLL
    for (int k = terms - 1; k >= 0; k--)
        if (k % 2)
            odd = odd * square + c[k];
        else
            even = even * square + c[k];
    return even + x * odd;
}

/* Nearest integer of |x| < 2^51, by adding and subtracting 1.5 * 2^52 instead of calling libm. */
MYR_ELEMENTARY double elementary_whole(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

MYR_ELEMENTARY double elementary_exp(double x)
{
    /* coefficients 1/k! of the series of exp */
    static const double c[] = {1.0,
                               1.0,
                               1.0 / 2,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800,
                               1.0 / 39916800,
                               1.0 / 479001600,
                               1.0 / 6227020800,
                               1.0 / 87178291200};
    const double k = elementary_whole(x / (LN2_HIGH + LN2_LOW));
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    return ldexp(elementary_polynomial(r, sizeof c / sizeof *c, c), (int)k);
}

MYR_ELEMENTARY double elementary_log(double x)
{
    /* coefficients of artanh(s)/s in powers of s^2, for |s| < 0.172 */
    static const double c[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                               1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    union {
        double number;
        uint64_t bits;
    } u = {x};
    /* x = 2^e * u with sqrt(1/2) <= u < sqrt(2) */
    const uint64_t shifted = u.bits - SQRT_HALF_BITS;
    const int e = (int)((int64_t)shifted >> 52);
    u.bits = (shifted & SIGNIFICAND_BITS) + SQRT_HALF_BITS;
    const double s = (u.number - 1) / (u.number + 1);
    return e * LN2_HIGH + (2 * s * elementary_polynomial(s * s, sizeof c / sizeof *c, c) + e * LN2_LOW);
}

MYR_ELEMENTARY void elementary_turn(double turns, double *cosine, double *sine)
{
    /* coefficients of cos(r) in powers of r^2, for |r| < pi/4 */
    static const double even[] = {1.0,
                                  -1.0 / 2,
                                  1.0 / 24,
                                  -1.0 / 720,
                                  1.0 / 40320,
                                  -1.0 / 3628800,
                                  1.0 / 479001600,
                                  -1.0 / 87178291200,
                                  1.0 / 20922789888000};
    static const double odd[] = {1.0,
                                 -1.0 / 6,
                                 1.0 / 120,
                                 -1.0 / 5040,
                                 1.0 / 362880,
                                 -1.0 / 39916800,
                                 1.0 / 6227020800,
                                 -1.0 / 1307674368000,
                                 1.0 / 355687428096000};
    const double quarter = elementary_whole(4 * turns), r = (4 * turns - quarter) * HALF_PI;
    const double c = elementary_polynomial(r * r, sizeof even / sizeof *even, even);
    const double s = r * elementary_polynomial(r * r, sizeof odd / sizeof *odd, odd);
    const int turned = (int)quarter & 3;
    *cosine = turned == 0 ? c : turned == 1 ? -s : turned == 2 ? -c : s;
    *sine = turned == 0 ? s : turned == 1 ? c : turned == 2 ? -s : -c;
}

/* Angle between 0 and pi whose sine and cosine are in the ratio of y and x, y >= 0. The nearest of nine angles with a
 * known tangent is taken out of that in the first octant, and what is left has a short series. */
MYR_ELEMENTARY double elementary_angle(double y, double x)
{
    /* arc tangents of 0, 1/8, ..., 1, and what their rounding leaves */
    static const double high[] = {0,
                                  0x1.fd5ba9aac2f6ep-4,
                                  0x1.f5b75f92c80ddp-3,
                                  0x1.6f61941e4def1p-2,
                                  0x1.dac670561bb4fp-2,
                                  0x1.1e00babdefeb4p-1,
                                  0x1.4978fa3269ee1p-1,
                                  0x1.700a7c5784634p-1,
                                  0x1.921fb54442d18p-1};
    static const double low[] = {0,
                                 -0x1.cd37686760c17p-59,
                                 0x1.8ab6e3cf7afbdp-57,
                                 -0x1.c63aae6f6e918p-56,
                                 0x1.a2b7f222f65e2p-56,
                                 -0x1.928df287a668fp-58,
                                 0x1.2419a87f2a458p-56,
                                 -0x1.8c34d25aadef6p-56,
                                 0x1.1a62633145c07p-55};
    /* coefficients of arctan(t)/t in powers of t^2, for |t| < 0.07 */
    static const double c[] = {1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
    const double along = x < 0 ? -x : x, less = y < along ? y : along, more = y < along ? along : y;
    const int k = more > 0 ? (int)(8 * (less / more) + 0.5) : 0;
    const double t = more > 0 ? (less - 0.125 * k * more) / (more + 0.125 * k * less) : 0;
    const double rest = low[k] + t * elementary_polynomial(t * t, sizeof c / sizeof *c, c);
    if (y < along)
        return x < 0 ? 2 * HALF_PI - (high[k] + (rest - 2 * HALF_PI_LOW)) : high[k] + rest;
    return x < 0 ? HALF_PI + (high[k] + (rest + HALF_PI_LOW)) : HALF_PI - (high[k] + (rest - HALF_PI_LOW));
}

MYR_ELEMENTARY double elementary_power(double x, double y)
{
    enum { MOST = 700 }; /* range of elementary_exp */
    if (!(x >= 0x1p-1022) || !(x < (double)INFINITY))
        return x >= 0x1p-1022 ? (y > 0 ? x : 0) : y > 0 ? 0 : (double)INFINITY;
    const double t = y * elementary_log(x);
    return t > MOST ? (double)INFINITY : t < -MOST ? 0 : elementary_exp(t);
}

MYR_ELEMENTARY double elementary_whole_power(double x, int n)
{
    double power = 1;
    for (unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n; left; left >>= 1, x *= x)
        power = left & 1 ? power * x : power;
    return n < 0 ? 1 / power : power;
}

#endif
