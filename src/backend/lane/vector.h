/* vector.h - lanes as GNU vectors of MYR_LANE_BYTES bytes: SSE2 and NEON (16), AVX2 (32), AVX-512 (64).
 *
 * Arithmetic operators come from the compiler; the functions below provide what operators cannot express. The
 * instruction set is that of the translation unit. See lane.h for the contract. */
#ifndef MYR_BACKEND_LANE_VECTOR_H
#define MYR_BACKEND_LANE_VECTOR_H

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LANES ((int)(MYR_LANE_BYTES / sizeof(real)))
typedef real lane __attribute__((vector_size(MYR_LANE_BYTES)));
typedef real_int ilane __attribute__((vector_size(MYR_LANE_BYTES)));
typedef real_uint ulane __attribute__((vector_size(MYR_LANE_BYTES)));

MYR_FN ilane lane_bits(lane x)
{
    return (ilane)x;
}

MYR_FN lane lane_from_bits(ilane i)
{
    return (lane)i;
}

MYR_FN ilane ilane_set(real_int i)
{
    return i - (ilane){0};
}

MYR_FN ulane ulane_set(real_uint i)
{
    return i - (ulane){0};
}

MYR_FN lane lane_set(real x)
{
    return x - (lane){0};
}

MYR_FN ilane ilane_shift_left(ilane a, int n)
{
    return (ilane)((ulane)a << n);
}

MYR_FN ilane ilane_shift_right(ilane a, int n)
{
    return a >> n;
}

MYR_FN ilane ilane_add(ilane a, ilane b)
{
    return (ilane)((ulane)a + (ulane)b);
}

/* marks | (a ^ b): in one instruction, where the compiler would take more after regrouping several of them. */
MYR_FN ilane ilane_mark(ilane marks, ilane a, ilane b)
{
#if MYR_LANE_BYTES == 64
    return (ilane)_mm512_ternarylogic_epi32((__m512i)marks, (__m512i)a, (__m512i)b, 0xf6);
#else
    return marks | (a ^ b);
#endif
}

MYR_FN lane lane_from_int(ilane a)
{
    return __builtin_convertvector(a, lane);
}

/* Nearest integer, ties to even; adding 1.5 * 2^23 (2^52) leaves it in the low bits, for |a| < 2^22 (2^51). */
#if MYR_ARITH == MYR_ARITH_DOUBLE || MYR_ARITH == MYR_ARITH_PORTABLE
MYR_FN ilane lane_nearest(lane a)
{
    const lane magic = lane_set((real)((real_uint)3 << (REAL_MANTISSA - 1)));
    return lane_bits(a + magic) - lane_bits(magic);
}
#else
MYR_FN ilane lane_nearest(lane a) /* any float whose integer fits */
{
#if MYR_LANE_BYTES == 64
    return (ilane)_mm512_cvtps_epi32((__m512)a);
#elif MYR_LANE_BYTES == 32
    return (ilane)_mm256_cvtps_epi32((__m256)a);
#elif defined(__x86_64__)
    return (ilane)_mm_cvtps_epi32((__m128)a);
#else
    return (ilane)vcvtnq_s32_f32((float32x4_t)a);
#endif
}
#endif

MYR_FN lane lane_abs(lane a)
{
    return (lane)((ulane)a & ulane_set((~(real_uint)0) >> 1));
}

/* Masks. AVX-512 has mask registers; elsewhere a mask is a vector of all-ones or zeros. */
#if MYR_LANE_BYTES == 64

#if MYR_ARITH == MYR_ARITH_DOUBLE
typedef __mmask8 lmask;
#define MYR_CMP(a, b, how) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), how)
#define MYR_BLEND(m, a, b) ((lane)_mm512_mask_blend_pd(m, (__m512d)(b), (__m512d)(a)))
#define MYR_KEEP(m, a) ((lane)_mm512_maskz_mov_pd(m, (__m512d)(a)))
#define MYR_COUNT(m) ((ilane)_mm512_maskz_set1_epi64(m, 1))
#else
typedef __mmask16 lmask;
#define MYR_CMP(a, b, how) _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), how)
#define MYR_BLEND(m, a, b) ((lane)_mm512_mask_blend_ps(m, (__m512)(b), (__m512)(a)))
#define MYR_KEEP(m, a) ((lane)_mm512_maskz_mov_ps(m, (__m512)(a)))
#define MYR_COUNT(m) ((ilane)_mm512_maskz_set1_epi32(m, 1))
#endif

MYR_FN lmask lane_lt(lane a, lane b)
{
    return MYR_CMP(a, b, _CMP_LT_OQ);
}

MYR_FN lmask lane_le(lane a, lane b)
{
    return MYR_CMP(a, b, _CMP_LE_OQ);
}

MYR_FN lmask lane_eq(lane a, lane b)
{
    return MYR_CMP(a, b, _CMP_EQ_OQ);
}

MYR_FN lmask mask_and(lmask a, lmask b)
{
    return (lmask)(a & b);
}

MYR_FN lmask mask_or(lmask a, lmask b)
{
    return (lmask)(a | b);
}

MYR_FN lmask mask_andnot(lmask a, lmask b)
{
    return (lmask)(a & ~b);
}

MYR_FN ilane mask_count(lmask m)
{
    return MYR_COUNT(m);
}

MYR_FN lmask mask_from_bits(uint32_t bits)
{
    return (lmask)bits;
}

MYR_FN lane lane_select(lmask m, lane a, lane b)
{
    return MYR_BLEND(m, a, b);
}

MYR_FN lane lane_keep(lmask m, lane a)
{
    return MYR_KEEP(m, a);
}

#undef MYR_CMP
#undef MYR_BLEND
#undef MYR_KEEP
#undef MYR_COUNT

#else

typedef ilane lmask;

MYR_FN lmask lane_lt(lane a, lane b)
{
    return a < b;
}

MYR_FN lmask lane_le(lane a, lane b)
{
    return a <= b;
}

MYR_FN lmask lane_eq(lane a, lane b)
{
    return a == b;
}

MYR_FN lmask mask_and(lmask a, lmask b)
{
    return a & b;
}

MYR_FN lmask mask_or(lmask a, lmask b)
{
    return a | b;
}

MYR_FN lmask mask_andnot(lmask a, lmask b)
{
    return a & ~b;
}

MYR_FN ilane mask_count(lmask m)
{
    return m & ilane_set(1);
}

MYR_FN lmask mask_from_bits(uint32_t bits)
{
    ilane bit;
    for (int l = 0; l < LANES; l++)
        bit[l] = (real_int)((real_uint)1 << l);
    return (ilane_set((real_int)bits) & bit) != 0;
}

MYR_FN lane lane_select(lmask m, lane a, lane b)
{
    return (lane)((m & (ilane)a) | (~m & (ilane)b));
}

MYR_FN lane lane_keep(lmask m, lane a)
{
    return (lane)(m & (ilane)a);
}

#endif

/* Operations that an operator would not compile to one instruction: minimum, maximum (second operand if either is NaN)
 * and fused multiply-add. */
#if MYR_ARITH == MYR_ARITH_DOUBLE
#define MYR_TYPE(ps, pd) pd
#else
#define MYR_TYPE(ps, pd) ps
#endif

#if MYR_LANE_BYTES == 64
MYR_FN lane lane_min(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm512_min_ps((__m512)a, (__m512)b), _mm512_min_pd((__m512d)a, (__m512d)b));
}

MYR_FN lane lane_max(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm512_max_ps((__m512)a, (__m512)b), _mm512_max_pd((__m512d)a, (__m512d)b));
}
#elif MYR_LANE_BYTES == 32
MYR_FN lane lane_min(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm256_min_ps((__m256)a, (__m256)b), _mm256_min_pd((__m256d)a, (__m256d)b));
}

MYR_FN lane lane_max(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm256_max_ps((__m256)a, (__m256)b), _mm256_max_pd((__m256d)a, (__m256d)b));
}
#elif defined(__x86_64__)
MYR_FN lane lane_min(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm_min_ps((__m128)a, (__m128)b), _mm_min_pd((__m128d)a, (__m128d)b));
}

MYR_FN lane lane_max(lane a, lane b)
{
    return (lane)MYR_TYPE(_mm_max_ps((__m128)a, (__m128)b), _mm_max_pd((__m128d)a, (__m128d)b));
}
#else
MYR_FN lane lane_min(lane a, lane b)
{
    return lane_select(a < b, a, b);
}

MYR_FN lane lane_max(lane a, lane b)
{
    return lane_select(a > b, a, b);
}
#endif

#if defined(MYR_SEPARATE) || (defined(__x86_64__) && !defined(__FMA__))
#define LANE_HAS_FMA 0
MYR_FN lane lane_madd(lane a, lane b, lane c)
{
    return a * b + c;
}
#else
#define LANE_HAS_FMA 1
/* a*b + c rounded once. */
MYR_FN lane lane_fma_exact(lane a, lane b, lane c)
{
#if MYR_LANE_BYTES == 64
    return (lane)MYR_TYPE(_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c),
                          _mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c));
#elif MYR_LANE_BYTES == 32
    return (lane)MYR_TYPE(_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c),
                          _mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c));
#elif defined(__x86_64__)
    return (lane)MYR_TYPE(_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c),
                          _mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c));
#else
    return (lane)MYR_TYPE(vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b),
                          vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b));
#endif
}

MYR_FN lane lane_madd(lane a, lane b, lane c)
{
    return lane_fma_exact(a, b, c);
}
#endif

MYR_FN uint32_t ilane_any(ilane a)
{
#if MYR_LANE_BYTES == 64
    return _mm512_test_epi32_mask((__m512i)a, (__m512i)a) != 0;
#else
    real_int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= a[l];
    return any != 0;
#endif
}

MYR_FN int lane_all(lmask m)
{
#if MYR_LANE_BYTES == 64
    return m == (lmask) ~(lmask)0;
#else
    return !ilane_any(~m);
#endif
}

#define LANE_AT(v, l) ((v)[l])

/* Wide lanes: the same number of doubles, in one register (double arithmetic) or two halves. */
#if MYR_ARITH == MYR_ARITH_DOUBLE

typedef lane wlane;

MYR_FN wlane wlane_from(lane a)
{
    return a;
}

MYR_FN lane lane_from_wide(wlane a)
{
    return a;
}

MYR_FN wlane wlane_zero(void)
{
    return (wlane){0};
}

MYR_FN wlane wlane_load(const double *p)
{
    wlane a;
    memcpy(&a, p, sizeof a);
    return a;
}

MYR_FN void wlane_store(double *p, wlane a)
{
    memcpy(p, &a, sizeof a);
}

MYR_FN wlane wlane_add(wlane a, wlane b)
{
    return a + b;
}

MYR_FN wlane wlane_sub(wlane a, wlane b)
{
    return a - b;
}

MYR_FN wlane wlane_mul(wlane a, wlane b)
{
    return a * b;
}

MYR_FN void ilane_add_to(int64_t *p, ilane a)
{
    ilane sum;
    memcpy(&sum, p, sizeof sum);
    sum += a;
    memcpy(p, &sum, sizeof sum);
}

#else

typedef double half_wide __attribute__((vector_size(MYR_LANE_BYTES)));
typedef int64_t half_int64 __attribute__((vector_size(MYR_LANE_BYTES)));
typedef float half_lane __attribute__((vector_size(MYR_LANE_BYTES / 2)));
typedef int32_t half_ilane __attribute__((vector_size(MYR_LANE_BYTES / 2)));
typedef struct {
    half_wide a, b;
} wlane;

MYR_FN wlane wlane_from(lane x)
{
    half_lane h[2];
    memcpy(h, &x, sizeof x);
    return (wlane){__builtin_convertvector(h[0], half_wide), __builtin_convertvector(h[1], half_wide)};
}

MYR_FN lane lane_from_wide(wlane w)
{
    half_lane h[2] = {__builtin_convertvector(w.a, half_lane), __builtin_convertvector(w.b, half_lane)};
    lane x;
    memcpy(&x, h, sizeof x);
    return x;
}

MYR_FN wlane wlane_zero(void)
{
    return (wlane){{0}, {0}};
}

MYR_FN wlane wlane_load(const double *p)
{
    wlane w;
    memcpy(&w, p, sizeof w);
    return w;
}

MYR_FN void wlane_store(double *p, wlane w)
{
    memcpy(p, &w, sizeof w);
}

MYR_FN wlane wlane_add(wlane x, wlane y)
{
    return (wlane){x.a + y.a, x.b + y.b};
}

MYR_FN wlane wlane_sub(wlane x, wlane y)
{
    return (wlane){x.a - y.a, x.b - y.b};
}

MYR_FN wlane wlane_mul(wlane x, wlane y)
{
    return (wlane){x.a * y.a, x.b * y.b};
}

MYR_FN void ilane_add_to(int64_t *p, ilane x)
{
    half_ilane h[2];
    half_int64 sum[2];
    memcpy(h, &x, sizeof x);
    memcpy(sum, p, sizeof sum);
    sum[0] += __builtin_convertvector(h[0], half_int64);
    sum[1] += __builtin_convertvector(h[1], half_int64);
    memcpy(p, sum, sizeof sum);
}

#endif

#endif
