/* math.h - rounding, exp, erf, sin and cos of a lane. See lane.h.
 *
 * One source for every lane type and arithmetic: no branches, no tables; portable arithmetic uses IEEE additions and
 * multiplications and integer operations only, so its bits are the same everywhere (but for the bits of a NaN). */
#ifndef MYR_LANE_MATH_H
#define MYR_LANE_MATH_H

#include "backend/lane/coefficients.h"

#if MYR_ARITH == MYR_ARITH_DOUBLE
#define LANE_TWO_MANTISSA K(0x1p52)
#define LANE_BIAS 1023
#define LANE_EXP_LOWEST K(-746)  /* 2^-1076: rounds to 0 */
#define LANE_EXP_HIGHEST K(710) /* overflows */
#define LANE_ERF_TOP K(6)       /* erf rounds to 1 from 5.93 on */
#define LANE_SIN_MAX K(1e6)
#else
#define LANE_TWO_MANTISSA K(0x1p23)
#define LANE_BIAS 127
#define LANE_EXP_LOWEST K(-104)
#define LANE_EXP_HIGHEST K(89)
#define LANE_ERF_TOP K(4) /* from 3.92 on */
#define LANE_SIN_MAX K(12800)
#endif

/* Adding this leaves the nearest integer in the low bits, two's complement, for |x| < 2^(mantissa - 1). */
#define LANE_MAGIC (K(1.5) * LANE_TWO_MANTISSA)

/* |a| with the sign of b */
MYR_FN lane lane_copysign(lane a, lane b)
{
    const ilane sign = ilane_shift_left(ilane_set(1), (int)sizeof(real) * 8 - 1);
    return lane_from_bits((lane_bits(a) & ~sign) | (lane_bits(b) & sign));
}

/* the sign of x changed where the lowest bit of i is set */
MYR_FN lane lane_flip(lane x, ilane i)
{
    return lane_from_bits(lane_bits(x) ^ ilane_shift_left(i, (int)sizeof(real) * 8 - 1));
}

/* nearest integer, ties to even; the whole range */
MYR_FN lane lane_round(lane x)
{
#if MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                          _mm512_roundscale_pd((__m512d)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 32
    return (lane)MYR_TYPE(_mm256_round_ps((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                          _mm256_round_pd((__m256d)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    lane big = lane_copysign(lane_set(LANE_TWO_MANTISSA), x);
    lane near = lane_copysign((x + big) - big, x);
    return lane_select(lane_lt(lane_abs(x), lane_set(LANE_TWO_MANTISSA)), near, x);
#endif
}

/* 2^k for the integer k in the low bits of t = k + LANE_MAGIC + LANE_BIAS */
MYR_FN lane lane_power_of_two(lane t)
{
    return lane_from_bits(ilane_shift_left(lane_bits(t), REAL_MANTISSA));
}

/* y 2^k, rounded once, also where the result is denormal or infinite; 1/2 <= y <= 2, k as exp has it */
MYR_FN lane lane_scale(lane y, lane k)
{
#if MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_scalef_ps((__m512)y, (__m512)k), _mm512_scalef_pd((__m512d)y, (__m512d)k));
#else
    /* in two halves, the first of which stays normal */
    const lane magic = lane_set(LANE_MAGIC + K(LANE_BIAS));
    lane t = lane_madd(k, lane_set(K(0.5)), magic);
    lane rest = k - (t - magic);
    return (y * lane_power_of_two(t)) * lane_power_of_two(rest + magic);
#endif
}

/* exp(x) = y 2^k with y near 1; returns y */
MYR_FN lane exp_reduced(lane x, lane *k)
{
    const lane magic = lane_set(LANE_MAGIC);
    lane n = lane_madd(x, lane_set(K(1.4426950408889634)), magic) - magic;
    lane r = lane_madd(-n, ln2_part(0), x); /* exact */
    *k = n;
    return poly_exp(lane_madd(-n, ln2_part(1), r));
}

MYR_FN lane lane_exp(lane x)
{
    lane k;
    lane inside = lane_min(lane_set(LANE_EXP_HIGHEST), lane_max(lane_set(LANE_EXP_LOWEST), x)); /* NaN stays */
    lane y = exp_reduced(inside, &k);
    return lane_scale(y, k);
}

MYR_FN lane lane_erf(lane x)
{
    const lane one = lane_set(K(1));
    lane a = lane_abs(x), k;
    lane low = lane_madd(x, poly_erf(x * x), x);
    lane y = exp_reduced(poly_log_erfc(lane_min(lane_set(LANE_ERF_TOP), a) - one), &k);
    lane erfc = y * lane_power_of_two(k + lane_set(LANE_MAGIC + K(LANE_BIAS)));
    return lane_select(lane_lt(a, one), low, lane_copysign(one - erfc, x));
}

/* sin(2 pi f), |f| <= 1/4; exact at 0 and at 1/4 */
MYR_FN lane sin_quarter(lane f)
{
    lane v = lane_madd(-f, f, lane_set(K(0.0625)));
    return lane_madd(f, v * poly_turn(v), K(4) * f);
}

MYR_FN lane lane_sin_turns(lane t)
{
    lane r = t - lane_round(t); /* exact */
    lane a = lane_abs(r);
    return lane_copysign(sin_quarter(lane_min(a, K(0.5) - a)), r);
}

MYR_FN lane lane_cos_turns(lane t)
{
    return sin_quarter(K(0.25) - lane_abs(t - lane_round(t)));
}

/* sin(x - n pi), |x - n pi| <= pi/2, n a multiple of 1/2 */
MYR_FN lane sin_reduced(lane x, lane n)
{
    /* the first part, without fma in float the first two, leaves no rounding error; the rest of the reduction is kept
     * in two lanes, because near a multiple of pi all but the last bits cancel */
    lane r = lane_madd(-n, pi_part(0), x), lo = lane_set(K(0));
#if !LANE_HAS_FMA && MYR_ARITH != MYR_ARITH_DOUBLE
    r = lane_madd(-n, pi_part(1), r);
    const int first = 2;
#else
    const int first = 1;
#endif
    MYR_UNROLL
    for (int i = first; i < PI_PARTS - 1; i++) {
        lane next = lane_madd(-n, pi_part(i), r);
        lo = lo + lane_madd(-n, pi_part(i), r - next);
        r = next;
    }
    lo = lane_madd(-n, pi_part(PI_PARTS - 1), lo);
    lane s = r * r;
    return r + lane_madd(r * s, poly_sin(s), lo);
}

MYR_FN lane nan_outside(lane x, lane y)
{
    return lane_select(lane_le(lane_abs(x), lane_set(LANE_SIN_MAX)), y, lane_set(K(NAN)));
}

MYR_FN lane lane_sin(lane x)
{
    const lane magic = lane_set(LANE_MAGIC);
    lane t = lane_madd(x, lane_set(K(0.31830988618379067)), magic);
    return nan_outside(x, lane_flip(sin_reduced(x, t - magic), lane_bits(t)));
}

MYR_FN lane lane_cos(lane x)
{
    const lane magic = lane_set(LANE_MAGIC), half = lane_set(K(0.5));
    lane t = lane_madd(x, lane_set(K(0.31830988618379067)), -half) + magic;
    lane y = sin_reduced(x, (t - magic) + half);
    return nan_outside(x, lane_flip(-y, lane_bits(t)));
}

#endif
