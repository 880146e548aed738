/* approx.h - square root, reciprocal square root and reciprocal of a lane. See lane.h; errors are listed in
 * functions.def.
 *
 * lane_sqrt and lane_rsqrt are valid on the whole range: 0, denormals and infinity give the exact limit, negative
 * numbers give NaN, and the reciprocal root of -0 is minus infinity.
 *
 * lane_rsqrt_pos and lane_recip_pos are for the hot loops. Their domain is the positive normal numbers; for
 * lane_recip_pos without those whose reciprocal is nearly denormal (above 2^125, in double 2^1021). At 0 they give
 * infinity or NaN: the tile loop relies on singular pairs making the sum not finite. Results for denormals and infinity
 * are undefined. On CUDA the device functions are used: 2 ulp and 1 ulp. */
#ifndef MYR_BACKEND_LANE_APPROX_H
#define MYR_BACKEND_LANE_APPROX_H

#include <math.h>

/* One Newton step for y ~ 1/sqrt(x): the error e becomes 1.5 e^2; 4 operations. */
MYR_FN lane rsqrt_newton(lane x, lane y)
{
    lane xy = x * y;
    lane e = lane_madd(-xy, y, lane_set(K(1)));
    return lane_madd(K(0.5) * y, e, y);
}

/* One Newton step for y ~ 1/x: the error e becomes e^2; 2 operations. */
MYR_FN lane recip_newton(lane x, lane y)
{
    return lane_madd(y, lane_madd(-x, y, lane_set(K(1))), y);
}

#if MYR_ARITH == MYR_ARITH_PORTABLE

/* The number with the bits a - b, modulo 2^32. */
MYR_FN lane approx_guess(real_uint a, ilane b)
{
    return lane_from_bits((ilane)(ulane_set(a) - (ulane)b));
}

/* IEEE operations and integers only: an initial guess from the bits, one Newton step and one step of third order. The
 * initial guess is 0.79/sqrt(x), for which Newton's factor is a - x y^2 and needs no halving. tools/lane_guess.py finds
 * the constants; the remaining errors 9e-4 and 1.3e-3 become 2e-9 in the last step. */
MYR_FN lane lane_rsqrt_pos(lane x)
{
    lane y = approx_guess(0x5f0b4000, ilane_shift_right(lane_bits(x), 1));
    y = y * (K(1.891) - x * y * y);
    lane e = K(1) - x * y * y;
    y = y + (y * e) * (K(0.5) + K(0.375) * e);
    return lane_select(lane_lt(x, lane_set(K(0x1p-126))), lane_set(K(INFINITY)), y);
}

MYR_FN lane lane_recip_pos(lane x)
{
    lane y = approx_guess(0x7ef33000, lane_bits(x));
    y = y * (K(2.001284) - x * y);
    lane e = K(1) - x * y;
    return y + y * (e + e * e);
}

#elif MYR_LANE_BYTES == 0

#if defined(__CUDACC__) && MYR_ARITH != MYR_ARITH_DOUBLE
/* One instruction each; the forms that flush denormals suffice, because denormals are outside the domain. */
MYR_FN lane lane_rsqrt_pos(lane x)
{
    lane y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

MYR_FN lane lane_recip_pos(lane x)
{
    lane y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#elif defined(__CUDACC__)
MYR_FN lane lane_rsqrt_pos(lane x)
{
    return rsqrt(x);
}

MYR_FN lane lane_recip_pos(lane x)
{
    return K(1) / x;
}
#else
MYR_FN lane lane_rsqrt_pos(lane x)
{
    return K(1) / (sizeof(real) == 4 ? (lane)sqrtf((float)x) : (lane)sqrt((double)x));
}

MYR_FN lane lane_recip_pos(lane x)
{
    return K(1) / x;
}
#endif

#elif MYR_ARITH == MYR_ARITH_DOUBLE

#if MYR_LANE_BYTES == 64 && !defined(MYR_SEPARATE)
MYR_FN lane lane_rsqrt_pos(lane x)
{
    lane y = (lane)_mm512_rsqrt14_pd((__m512d)x);
    y = rsqrt_newton(x, y);
    return rsqrt_newton(x, y);
}

MYR_FN lane lane_recip_pos(lane x)
{
    lane y = (lane)_mm512_rcp14_pd((__m512d)x);
    y = recip_newton(x, y);
    return recip_newton(x, y);
}
#else
MYR_FN lane lane_rsqrt_pos(lane x)
{
#if MYR_LANE_BYTES == 64
    return K(1) / (lane)_mm512_sqrt_pd((__m512d)x);
#elif MYR_LANE_BYTES == 32
    return K(1) / (lane)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    return K(1) / (lane)_mm_sqrt_pd((__m128d)x);
#else
    return K(1) / (lane)vsqrtq_f64((float64x2_t)x);
#endif
}

MYR_FN lane lane_recip_pos(lane x)
{
    return K(1) / x;
}
#endif

#else /* float vectors: hardware approximation and one Newton step (two on NEON, whose approximation has 8 bits) */

MYR_FN lane lane_rsqrt_pos(lane x)
{
#if MYR_LANE_BYTES == 64
    return rsqrt_newton(x, (lane)_mm512_rsqrt14_ps((__m512)x));
#elif MYR_LANE_BYTES == 32
    return rsqrt_newton(x, (lane)_mm256_rsqrt_ps((__m256)x));
#elif defined(__x86_64__)
    return rsqrt_newton(x, (lane)_mm_rsqrt_ps((__m128)x));
#else
    return rsqrt_newton(x, rsqrt_newton(x, (lane)vrsqrteq_f32((float32x4_t)x)));
#endif
}

MYR_FN lane lane_recip_pos(lane x)
{
#if MYR_LANE_BYTES == 64
    return recip_newton(x, (lane)_mm512_rcp14_ps((__m512)x));
#elif MYR_LANE_BYTES == 32
    return recip_newton(x, (lane)_mm256_rcp_ps((__m256)x));
#elif defined(__x86_64__)
    return recip_newton(x, (lane)_mm_rcp_ps((__m128)x));
#else
    return recip_newton(x, recip_newton(x, (lane)vrecpeq_f32((float32x4_t)x)));
#endif
}

#endif

#if MYR_ARITH == MYR_ARITH_PORTABLE

/* x or, if x is denormal, x 2^24; *scale becomes 1 or 2^12. */
MYR_FN lane approx_normal(lane x, lane *scale)
{
    lmask tiny = lane_lt(x, lane_set(K(0x1p-126)));
    *scale = lane_select(tiny, lane_set(K(0x1p12)), lane_set(K(1)));
    return lane_select(tiny, K(0x1p24) * x, x);
}

MYR_FN lane lane_sqrt(lane x)
{
    lane scale;
    lane m = approx_normal(x, &scale);
    lane y = lane_rsqrt_pos(m);
    lane s = m * y;
    s = s + (K(0.5) * s) * (K(1) - s * y);
    s = lane_select(lane_eq(scale, lane_set(K(1))), s, K(0x1p-12) * s);
    s = lane_select(lane_lt(lane_set(K(0)), x), s, lane_set(K(NAN)));
    return lane_select(mask_or(lane_eq(x, lane_set(K(0))), lane_eq(x, lane_set(K(INFINITY)))), x, s);
}

MYR_FN lane lane_rsqrt(lane x)
{
    const lane infinity = lane_set(K(INFINITY));
    lane scale;
    lane y = lane_rsqrt_pos(approx_normal(x, &scale)) * scale;
    y = lane_select(lane_lt(lane_set(K(0)), x), y, lane_set(K(NAN)));
    y = lane_select(lane_eq(x, lane_set(K(0))), lane_from_bits(lane_bits(x) | lane_bits(infinity)), y);
    return lane_select(lane_eq(x, infinity), lane_set(K(0)), y);
}

#else

MYR_FN lane lane_sqrt(lane x)
{
#if MYR_LANE_BYTES == 0
    return sizeof(real) == 4 ? (lane)sqrtf((float)x) : (lane)sqrt((double)x);
#elif MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_sqrt_ps((__m512)x), _mm512_sqrt_pd((__m512d)x));
#elif MYR_LANE_BYTES == 32
    return (lane)MYR_TYPE(_mm256_sqrt_ps((__m256)x), _mm256_sqrt_pd((__m256d)x));
#elif defined(__x86_64__)
    return (lane)MYR_TYPE(_mm_sqrt_ps((__m128)x), _mm_sqrt_pd((__m128d)x));
#else
    return (lane)MYR_TYPE(vsqrtq_f32((float32x4_t)x), vsqrtq_f64((float64x2_t)x));
#endif
}

MYR_FN lane lane_rsqrt(lane x)
{
#if MYR_LANE_BYTES == 64
    /* the approximation is valid everywhere, but Newton's step turns it into NaN at 0 and infinity */
    lane guess = (lane)MYR_TYPE(_mm512_rsqrt14_ps((__m512)x), _mm512_rsqrt14_pd((__m512d)x));
    lane y = lane_rsqrt_pos(x);
    return lane_select(lane_eq(y, y), y, guess);
#else
    return K(1) / lane_sqrt(x);
#endif
}

#endif

#endif
