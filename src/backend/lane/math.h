/* math.h - rounding, exp, 2^x, log, erf, sin and cos of a lane. See lane.h; errors and costs are listed in
 * functions.def.
 *
 *   lane_round                      nearest integer, ties to even
 *   lane_exp                        infinity above 88.7 (709.8 in double), denormal below -87.3 (-708.4), then 0
 *   lane_exp2                       2^x; infinity from 128 on (1024 in double), denormal below -126 (-1022), then 0
 *   lane_exp2_normal                2^x if the result is neither infinite nor denormal; undefined for NaN
 *   lane_log_pos                    natural logarithm of positive normal numbers; undefined for all others
 *   lane_erf                        odd; 1 from 3.92 (5.92) on
 *   lane_sin_turns, lane_cos_turns  of 2 pi t; every finite t; exact at multiples of 1/4
 *   lane_sin, lane_cos              of x in radians, |x| <= LANE_SIN_MAX; NaN beyond
 *
 * NaN gives NaN everywhere, and infinity gives NaN in sines and cosines. The sign of a zero sine is undefined. For
 * loops prefer turns, which cost half as much and whose reduction is exact, and powers of two: if a formula makes its
 * exponent from constants, these can include log2(e).
 *
 * On CUDA, except in portable and double arithmetic, 2^x is the device function and exp is computed from it: relative
 * error 2^-22, and 0 if the result would be denormal.
 *
 * One source for every lane type and arithmetic, without branches and tables. Portable arithmetic uses IEEE additions
 * and multiplications and integer operations only: its bits are the same everywhere, except those of a NaN. The
 * polynomials are in coefficients.h. */
#ifndef MYR_BACKEND_LANE_MATH_H
#define MYR_BACKEND_LANE_MATH_H

#include "backend/lane/coefficients.h"

#if MYR_ARITH == MYR_ARITH_DOUBLE
#define LANE_TWO_MANTISSA K(0x1p52)
#define LANE_BIAS 1023
#define LANE_EXP_LOWEST K(-746)   /* exponential rounds to 0 */
#define LANE_EXP_HIGHEST K(710)   /* exponential is infinite */
#define LANE_EXP2_LOWEST K(-1076) /* power rounds to 0 */
#define LANE_EXP2_HIGHEST K(1025) /* power is infinite */
#define LANE_ERF_TOP K(6)         /* erf is 1 */
#define LANE_SIN_MAX K(1e6)
#else
#define LANE_TWO_MANTISSA K(0x1p23)
#define LANE_BIAS 127
#define LANE_EXP_LOWEST K(-104)
#define LANE_EXP_HIGHEST K(89)
#define LANE_EXP2_LOWEST K(-151)
#define LANE_EXP2_HIGHEST K(129)
#define LANE_ERF_TOP K(4)
#define LANE_SIN_MAX K(12800)
#endif

/* Adding this constant leaves the nearest integer in the low bits, as two's complement, for |x| < 2^(mantissa - 1). */
#define LANE_MAGIC (K(1.5) * LANE_TWO_MANTISSA)

/* |a| with the sign of b. */
MYR_FN lane lane_copysign(lane a, lane b)
{
    const ilane sign = ilane_shift_left(ilane_set(1), (int)sizeof(real) * 8 - 1);
    return lane_from_bits((lane_bits(a) & ~sign) | (lane_bits(b) & sign));
}

/* y with the sign of x, for y >= 0 and a = |x|. */
MYR_FN lane lane_with_sign(lane y, lane x, lane a)
{
#if MYR_LANE_BYTES == 64
    /* gcc would use two instructions */
    return (lane)_mm512_ternarylogic_epi64((__m512i)y, (__m512i)x, (__m512i)a, 0x96);
#else
    return lane_from_bits(lane_bits(y) ^ (lane_bits(x) ^ lane_bits(a)));
#endif
}

/* x with its sign changed if the lowest bit of i is set. */
MYR_FN lane lane_flip(lane x, ilane i)
{
    return lane_from_bits(lane_bits(x) ^ ilane_shift_left(i, (int)sizeof(real) * 8 - 1));
}

/* Nearest integer, ties to even, on the whole range. */
MYR_FN lane lane_round(lane x)
{
#if MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                          _mm512_roundscale_pd((__m512d)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 32
    return (lane)MYR_TYPE(_mm256_round_ps((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                          _mm256_round_pd((__m256d)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__CUDACC__)
    return sizeof(real) == sizeof(float) ? (lane)rintf((float)x) : (lane)rint((double)x); /* one exact instruction */
#else
    lane big = lane_copysign(lane_set(LANE_TWO_MANTISSA), x);
    lane near = lane_copysign((x + big) - big, x);
    return lane_select(lane_lt(lane_abs(x), lane_set(LANE_TWO_MANTISSA)), near, x);
#endif
}

/* 2^k for the integer k in the low bits of t = k + LANE_MAGIC + LANE_BIAS. */
MYR_FN lane lane_power_of_two(lane t)
{
    return lane_from_bits(ilane_shift_left(lane_bits(t), REAL_MANTISSA));
}

/* y 2^k, rounded once, also if the result is denormal or infinite; 1/2 <= y <= 2, k in the range of exp. */
MYR_FN lane lane_scale(lane y, lane k)
{
#if MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_scalef_ps((__m512)y, (__m512)k), _mm512_scalef_pd((__m512d)y, (__m512d)k));
#else
    /* two factors, of which the first is normal */
    const lane magic = lane_set(LANE_MAGIC + K(LANE_BIAS));
    lane t = lane_madd(k, lane_set(K(0.5)), magic);
    lane rest = k - (t - magic);
    return (y * lane_power_of_two(t)) * lane_power_of_two(rest + magic);
#endif
}

#if defined(__CUDACC__) && MYR_ARITH != MYR_ARITH_PORTABLE && MYR_ARITH != MYR_ARITH_DOUBLE
MYR_FN lane lane_exp2(lane x)
{
    lane y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

MYR_FN lane lane_exp2_normal(lane x)
{
    return lane_exp2(x);
}

/* 2^(x log2(e)), with a correction for the rounding error of the product. */
MYR_FN lane lane_exp(lane x)
{
    const lane log2_e = K(0x1.715476p+0), log2_e_rest = K(0x1.4ae0cp-26);
    lane inside = lane_min(K(LANE_EXP_HIGHEST), lane_max(K(LANE_EXP_LOWEST), x));
    lane t = inside * log2_e;
    lane rest = lane_madd(inside, log2_e_rest, lane_madd(inside, log2_e, -t));
    return lane_exp2(t) * lane_madd(rest, K(0.69314718), K(1));
}
#else
/* exp(x) = y 2^k, y near 1, k = *t - LANE_MAGIC; returns y. */
MYR_FN lane exp_reduced(lane x, lane *t)
{
    *t = lane_madd(x, lane_set(K(1.4426950408889634)), lane_set(LANE_MAGIC));
    lane k = *t - lane_set(LANE_MAGIC);
    lane r = lane_madd(k, lane_set(MINUS_LN2_A), x); /* exact */
    return poly_exp(lane_madd(k, lane_set(MINUS_LN2_B), r));
}

MYR_FN lane lane_exp(lane x)
{
    lane t;
    lane inside = lane_min(lane_set(LANE_EXP_HIGHEST), lane_max(lane_set(LANE_EXP_LOWEST), x)); /* NaN stays NaN */
    lane y = exp_reduced(inside, &t);
    return lane_scale(y, t - lane_set(LANE_MAGIC));
}

/* 2^x = y 2^k, y near 1, k = *t - LANE_MAGIC; returns y. */
MYR_FN lane exp2_reduced(lane x, lane *t)
{
    *t = x + lane_set(LANE_MAGIC);
    return poly_exp2(x - (*t - lane_set(LANE_MAGIC)));
}

MYR_FN lane lane_exp2(lane x)
{
    lane t;
    lane inside = lane_min(lane_set(LANE_EXP2_HIGHEST), lane_max(lane_set(LANE_EXP2_LOWEST), x)); /* NaN stays NaN */
    lane y = exp2_reduced(inside, &t);
    return lane_scale(y, t - lane_set(LANE_MAGIC));
}

MYR_FN lane lane_exp2_normal(lane x)
{
    lane t;
    lane y = exp2_reduced(x, &t);
#if MYR_ARITH != MYR_ARITH_PORTABLE && MYR_LANE_BYTES == 64
    return lane_scale(y, t - lane_set(LANE_MAGIC));
#else
    return lane_from_bits(ilane_add(lane_bits(y), ilane_shift_left(lane_bits(t), REAL_MANTISSA)));
#endif
}
#endif

#if MYR_ARITH == MYR_ARITH_DOUBLE
#define LANE_ROOT_HALF 0x3fe6a09e667f3bcd /* bits of sqrt(1/2) */
#define LANE_FRACTION 0x000fffffffffffff  /* stored bits of the significand */
#else
#define LANE_ROOT_HALF 0x3f3504f3
#define LANE_FRACTION 0x007fffff
#endif

/* log(x) = k ln(2) + log(1 + f), sqrt(1/2) <= 1 + f < sqrt(2); f is exact, and so is k ln(2) but for its last part. */
MYR_FN lane lane_log_pos(lane x)
{
    const lane magic = lane_set(LANE_MAGIC);
    ilane over = ilane_add(lane_bits(x), ilane_set(-LANE_ROOT_HALF));
    lane k = lane_from_bits(ilane_add(ilane_shift_right(over, REAL_MANTISSA), lane_bits(magic))) - magic;
    lane f = lane_from_bits(ilane_add(over & ilane_set(LANE_FRACTION), ilane_set(LANE_ROOT_HALF))) - lane_set(K(1));
    lane bend = (f * f) * lane_madd(f, poly_log(f), lane_set(K(-0.5)));
    return lane_madd(-k, lane_set(MINUS_LN2_A), f + lane_madd(-k, lane_set(MINUS_LN2_B), bend));
}

/* Up to 1 a polynomial; beyond, 1 - erfc(|x|), where erfc is 2 to the power of a polynomial. */
MYR_FN lane lane_erf(lane x)
{
    const lane one = lane_set(K(1));
    lane a = lane_abs(x);
    lane low = lane_madd(x, poly_erf(x * x), x);
    lane erfc = lane_exp2_normal(poly_log2_erfc(lane_min(lane_set(LANE_ERF_TOP), a) - one));
    return lane_select(lane_le(one, a), lane_with_sign(one - erfc, x, a), low); /* `low` is NaN if x is */
}

/* sin(2 pi f), |f| <= 1/4; exact at 0 and at 1/4. */
MYR_FN lane sin_quarter(lane f)
{
    lane v = lane_madd(-f, f, lane_set(K(0.0625)));
    return lane_madd(f, v * poly_turn(v), K(4) * f);
}

MYR_FN lane lane_sin_turns(lane t)
{
    lane r = t - lane_round(t); /* exact */
    lane a = lane_abs(r);
    lane y = sin_quarter(lane_min(a, K(0.5) - a));
    return lane_with_sign(y, r, a);
}

MYR_FN lane lane_cos_turns(lane t)
{
    return sin_quarter(K(0.25) - lane_abs(t - lane_round(t)));
}

/* sin(x - n pi), |x - n pi| <= pi/2, n a multiple of 1/2. Near a multiple of pi all but the last bits cancel, so that
 * the difference is kept in two lanes, r + lo. */
MYR_FN lane sin_reduced(lane x, lane n)
{
    lane d = lane_madd(n, lane_set(MINUS_PI_A), x); /* exact */
#if !LANE_HAS_FMA
    d = lane_madd(n, lane_set(MINUS_PI_B), d); /* exact */
#endif
    lane r = lane_madd(n, lane_set(MINUS_PI_C), d);
    lane lo = lane_madd(n, lane_set(MINUS_PI_C), d - r); /* rounding error of the previous line */
    lo = lane_madd(n, lane_set(MINUS_PI_D), lo);
    lane s = r * r;
    lo = lo * lane_madd(s, lane_set(K(-0.405)), lane_set(K(1))); /* approximates cos(r) */
    return r + lane_madd(r * s, poly_sin(s), lo);
}

/* y, or NaN if |x| is too large or x is NaN. */
MYR_FN lane sin_checked(lane x, lane y)
{
    return lane_select(lane_le(lane_abs(x), lane_set(LANE_SIN_MAX)), y, lane_set(K(NAN)));
}

MYR_FN lane lane_sin(lane x)
{
    const lane magic = lane_set(LANE_MAGIC);
    lane t = lane_madd(x, lane_set(K(0.31830988618379067)), magic);
    return sin_checked(x, lane_flip(sin_reduced(x, t - magic), lane_bits(t)));
}

MYR_FN lane lane_cos(lane x)
{
    const lane magic = lane_set(LANE_MAGIC), half = lane_set(K(0.5));
    lane t = lane_madd(x, lane_set(K(0.31830988618379067)), half) + magic;
    return sin_checked(x, lane_flip(sin_reduced(x, (t - magic) - half), lane_bits(t)));
}

#endif
