/* across.h - operations of the loops over windows in addition to lane.h: unaligned loads and stores, integer
 * coordinates and sums, reductions across a vector, table lookup. Include it after lane.h.
 *
 *   lane_from_coord   difference of integer coordinates as a real, in units of 2^-LANE_COORD_BITS of the box
 *   lane_to_int       nearest integer, ties to even, of any real below 2^31 (2^51 in double arithmetic)
 * Both round at most once, as IEEE specifies, and so give the same bits everywhere. */
#ifndef MYR_BACKEND_LANE_ACROSS_H
#define MYR_BACKEND_LANE_ACROSS_H

#include <math.h>
#include <string.h>

MYR_FN lane lane_load(const real *p)
{
    lane a;
    memcpy(&a, p, sizeof a);
    return a;
}

MYR_FN void lane_store(real *p, lane a)
{
    memcpy(p, &a, sizeof a);
}

MYR_FN ilane ilane_load(const real_int *p)
{
    ilane a;
    memcpy(&a, p, sizeof a);
    return a;
}

MYR_FN void ilane_store(real_int *p, ilane a)
{
    memcpy(p, &a, sizeof a);
}

/* Difference modulo 2^32 or 2^64. */
MYR_FN ilane ilane_sub(ilane a, ilane b)
{
    return (ilane)((ulane)a - (ulane)b);
}

/* Coordinates are multiples of 2^12 in double arithmetic: 52 bits, which a double holds exactly. AVX2 and SSE2 cannot
 * convert 64-bit integers; there the difference, with its sign turned into an offset, is put into the significand of
 * 2^52, which divides it by 2^12. */
#if MYR_ARITH == MYR_ARITH_DOUBLE && defined(__x86_64__) && (MYR_LANE_BYTES == 16 || MYR_LANE_BYTES == 32)
#define LANE_COORD_BITS 52
MYR_FN lane lane_from_coord(ilane a)
{
    const ulane offset = (ulane)a + ulane_set((real_uint)1 << 63);
    const lane shifted = lane_from_bits((ilane)((offset >> 12) | (ulane)lane_bits(lane_set(0x1p52))));
    return shifted - lane_set(0x1p52 + 0x1p51);
}
#else
#if MYR_ARITH == MYR_ARITH_DOUBLE
#define LANE_COORD_BITS 64
#else
#define LANE_COORD_BITS 32
#endif
MYR_FN lane lane_from_coord(ilane a)
{
    return lane_from_int(a);
}
#endif

#if MYR_ARITH == MYR_ARITH_DOUBLE
MYR_FN ilane lane_to_int(lane a)
{
#if MYR_LANE_BYTES == 64
    return (ilane)_mm512_cvtpd_epi64((__m512d)a);
#elif MYR_LANE_BYTES == 0
    return (ilane)llrint(a);
#else
    const lane magic = lane_set(0x1.8p52);
    return ilane_sub(lane_bits(a + magic), lane_bits(magic));
#endif
}
#else
MYR_FN ilane lane_to_int(lane a)
{
#if MYR_LANE_BYTES == 64
    return (ilane)_mm512_cvtps_epi32((__m512)a);
#elif MYR_LANE_BYTES == 32
    return (ilane)_mm256_cvtps_epi32((__m256)a);
#elif MYR_LANE_BYTES == 0
    return (ilane)lrintf(a);
#elif defined(__x86_64__)
    return (ilane)_mm_cvtps_epi32((__m128)a);
#else
    return (ilane)vcvtnq_s32_f32((float32x4_t)a);
#endif
}
#endif

/* Bit mask: bit l is the truth value of lane l. */
MYR_FN uint32_t mask_bits(lmask m)
{
#if MYR_LANE_BYTES == 64
    return (uint32_t)m;
#elif MYR_LANE_BYTES == 0
    return m != 0;
#elif MYR_LANE_BYTES == 32
    return (uint32_t)MYR_TYPE(_mm256_movemask_ps((__m256)m), _mm256_movemask_pd((__m256d)m));
#elif defined(__x86_64__)
    return (uint32_t)MYR_TYPE(_mm_movemask_ps((__m128)m), _mm_movemask_pd((__m128d)m));
#else
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++)
        bits |= (uint32_t)(m[l] != 0) << l;
    return bits;
#endif
}

/* table[index[l]] in lane l. A table that fits one register (count <= LANES, padded to LANES entries) is looked up
 * without memory access. */
MYR_FN lane lane_lookup(const real *table, ilane index, int count)
{
#if MYR_LANE_BYTES == 64
    if (count <= LANES)
        return (lane)MYR_TYPE(_mm512_permutexvar_ps((__m512i)index, _mm512_loadu_ps((const float *)table)),
                              _mm512_permutexvar_pd((__m512i)index, _mm512_loadu_pd((const double *)table)));
#elif MYR_LANE_BYTES == 32 && MYR_ARITH != MYR_ARITH_DOUBLE
    if (count <= LANES)
        return (lane)_mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)index);
#endif
    (void)count;
#if MYR_LANE_BYTES == 0
    return table[index];
#else
    lane a;
    for (int l = 0; l < LANES; l++)
        a[l] = table[index[l]];
    return a;
#endif
}

/* Sums over the lanes of each of three vectors. Halves are added first, so that all three take as many operations as
 * the last steps of one alone. */
#if MYR_LANE_BYTES == 0
MYR_FN void lane_sum3(const lane *a, real *sum)
{
    for (int k = 0; k < 3; k++)
        sum[k] = a[k];
}

MYR_FN void ilane_sum3(const ilane *a, real_int *sum)
{
    for (int k = 0; k < 3; k++)
        sum[k] = a[k];
}
#else
#define ACROSS_BYTES (MYR_LANE_BYTES > 32 ? 32 : MYR_LANE_BYTES)
typedef real across_lane __attribute__((vector_size(ACROSS_BYTES)));
typedef real_uint across_ulane __attribute__((vector_size(ACROSS_BYTES)));

MYR_FN across_lane across_half(lane a)
{
#if MYR_LANE_BYTES == 64
    across_lane h[2];
    memcpy(h, &a, sizeof a);
    return h[0] + h[1];
#else
    return a;
#endif
}

MYR_FN across_ulane across_ihalf(ilane a)
{
#if MYR_LANE_BYTES == 64
    across_ulane h[2];
    memcpy(h, &a, sizeof a);
    return h[0] + h[1];
#else
    return (across_ulane)a;
#endif
}

MYR_FN void lane_sum3(const lane *a, real *sum)
{
    across_lane h[3] = {across_half(a[0]), across_half(a[1]), across_half(a[2])};
#if ACROSS_BYTES == 32 && MYR_ARITH == MYR_ARITH_DOUBLE
    const __m256d two = _mm256_hadd_pd((__m256d)h[0], (__m256d)h[1]),
                  one = _mm256_hadd_pd((__m256d)h[2], (__m256d)h[2]);
    const __m128d both = _mm_add_pd(_mm256_castpd256_pd128(two), _mm256_extractf128_pd(two, 1));
    const __m128d last = _mm_add_pd(_mm256_castpd256_pd128(one), _mm256_extractf128_pd(one, 1));
    sum[0] = both[0];
    sum[1] = both[1];
    sum[2] = last[0];
#elif ACROSS_BYTES == 32
    const __m256 two = _mm256_hadd_ps((__m256)h[0], (__m256)h[1]), one = _mm256_hadd_ps((__m256)h[2], (__m256)h[2]);
    const __m256 all = _mm256_hadd_ps(two, one);
    const __m128 last = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    for (int k = 0; k < 3; k++)
        sum[k] = last[k];
#else
    for (int k = 0; k < 3; k++) {
        sum[k] = h[k][0];
        for (int l = 1; l < LANES; l++)
            sum[k] += h[k][l];
    }
#endif
}

MYR_FN void ilane_sum3(const ilane *a, real_int *sum)
{
    across_ulane h[3] = {across_ihalf(a[0]), across_ihalf(a[1]), across_ihalf(a[2])};
#if ACROSS_BYTES == 32 && MYR_ARITH != MYR_ARITH_DOUBLE
    const __m256i two = _mm256_hadd_epi32((__m256i)h[0], (__m256i)h[1]);
    const __m256i one = _mm256_hadd_epi32((__m256i)h[2], (__m256i)h[2]), all = _mm256_hadd_epi32(two, one);
    const __m128i last = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    sum[0] = _mm_cvtsi128_si32(last);
    sum[1] = _mm_extract_epi32(last, 1);
    sum[2] = _mm_extract_epi32(last, 2);
#else
    for (int k = 0; k < 3; k++) {
        real_uint all = h[k][0];
        for (int l = 1; l < (int)(sizeof h[k] / sizeof(real)); l++)
            all += h[k][l];
        sum[k] = (real_int)all;
    }
#endif
}
#endif

/* Largest lane. */
MYR_FN real lane_most(lane a)
{
#if MYR_LANE_BYTES == 0
    return a;
#else
    real most = a[0];
    for (int l = 1; l < LANES; l++)
        most = a[l] > most ? a[l] : most;
    return most;
#endif
}

#endif
