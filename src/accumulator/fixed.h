/* fixed.h - accumulator of Myriad: each contribution is rounded once to a fixed grid, and its bits are summed as
 * integers.
 *
 * With L = 1.5 * 2^e, u = unit in the last place of L, and S = L + 3u (exact):
 *   q = s*d + L          rounds s*d to the coarse grid: bits(q) - bits(L) = k, the nearest multiple of u
 *   t = S - q            = (3 - k) u, exact
 *   r = s*d + t          = 3u + (s*d - k u), rounded to the unit of 3u: 2^-22 u, the fine grid
 * bits(q) and bits(r) are summed as unsigned integers, and the constants are subtracted at the fold. Rounding to
 * nearest even about even constants is symmetric, so that s*d and -s*d add exactly opposite integers. With fma, s*d is
 * not rounded by itself; without fma (portable arithmetic, SSE2) s*d is rounded once before.
 *
 * Guarantees: the same bits for any order, tiling and splitting of the contributions; the sum of f and -f is exactly 0;
 * |sum - exact| <= n/2 fine units, fine unit = 2^(e-45) (2^(e-103) in double arithmetic), before the sum is rounded to
 * a double once. Every contribution out of range is flagged, independently of the sum that it joins: one that rounds to
 * 2^(e-1) or more, or to less than -2^(e-1), on the coarse grid, and NaN. */
#ifndef MYR_ACCUMULATOR_FIXED_H
#define MYR_ACCUMULATOR_FIXED_H

/* the sum of 256 contributions of at most 2^22 units stays below 2^31 */
#define fixed_MAX_STEPS 256
#define fixed_REGISTERS 3

typedef struct {
    ulane coarse, fine;
    ilane range;
#if defined(__CUDACC__)
    /* bits of a contribution that waits for the next one; one three-input operation checks two contributions */
    ilane held;
    int odd; /* 1 = a contribution waits; known at compile time, because the loop adds two at a time */
#endif
} fixed_state;

MYR_FN fixed_state fixed_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)w;
    (void)c;
#if defined(__CUDACC__)
    const fixed_state sum = {ulane_set(0), ulane_set(0), ilane_set(0), ilane_set(0), 0};
#else
    const fixed_state sum = {ulane_set(0), ulane_set(0), ilane_set(0)};
#endif
    return sum;
}

#if defined(__CUDACC__)
/* (x ^ limit) | (y ^ limit) */
MYR_FN ilane fixed_either(ilane x, ilane y, ilane limit)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return (x ^ limit) | (y ^ limit);
#else
    ilane z; /* inline assembly, because the compiler emits an instruction for each operation */
    asm("lop3.b32 %0, %1, %2, %3, 0x7e;" : "=r"(z) : "r"(x), "r"(y), "r"(limit));
    return z;
#endif
}
#endif

MYR_FN void fixed_add(fixed_state *a, const myr_acc_scale *c, lane s, lane d)
{
    lane large = lane_set(K(c->large));
    lane q = lane_madd(s, d, large);
    lane r = lane_madd(s, d, K(c->both) - q);
    a->coarse += (ulane)lane_bits(q);
    a->fine += (ulane)lane_bits(r);
#if defined(__CUDACC__)
    const ilane limit = lane_bits(large);
    if (a->odd)
        a->range |= fixed_either(a->held, lane_bits(q), limit);
    a->held = lane_bits(q);
    a->odd = !a->odd;
#else
    a->range = a->range | (lane_bits(q) ^ lane_bits(large));
#endif
}

/* Adds units to a carried sum: words 0 and 2 are the low and high 64 bits of the coarse units, words 1 and 3 of the
 * fine units. In single arithmetic the low words suffice for 2^41 contributions of 2^22 units. */
#if MYR_ARITH == MYR_ARITH_DOUBLE
MYR_FN void fixed_fold_word(myr_word *w, ilane units)
{
    for (int l = 0; l < LANES; l++) {
        __int128 sum = (__int128)w[2 * LANES + l].i * ((__int128)1 << 64) + (uint64_t)w[l].i + LANE_AT(units, l);
        w[l].i = (int64_t)sum;
        w[2 * LANES + l].i = (int64_t)(sum >> 64);
    }
}
#else
MYR_FN void fixed_fold_word(myr_word *w, ilane units)
{
    ilane_add_to(&w[0].i, units);
}
#endif

MYR_FN uint32_t fixed_end(const fixed_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    ulane n = ulane_set((real_uint)steps);
    ulane large = (ulane)lane_bits(lane_set(K(c->large)));
    ulane three = (ulane)lane_bits(lane_set(K(3 * c->coarse)));
    fixed_fold_word(w, (ilane)(a->coarse - n * large));
    fixed_fold_word(w + LANES, (ilane)(a->fine - n * three));
    ilane range = a->range;
#if defined(__CUDACC__)
    if (a->odd)
        range |= a->held ^ (ilane)large;
#endif
    return ilane_any(ilane_shift_right(range, REAL_MANTISSA));
}

static inline __int128 fixed_word(const myr_word *w)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return (__int128)w[2].i * ((__int128)1 << 64) + (uint64_t)w[0].i;
#else
    return w[0].i;
#endif
}

static inline void fixed_merge(myr_word *into, const myr_word *from)
{
    for (int k = 0; k < 2; k++) {
        __int128 sum = fixed_word(into + k) + fixed_word(from + k);
        into[k].i = (int64_t)sum;
        into[k + 2].i = (int64_t)(sum >> 64);
    }
}

static inline void fixed_negate(myr_word *w)
{
    for (int k = 0; k < 2; k++) {
        const __int128 sum = -fixed_word(w + k);
        w[k].i = (int64_t)sum;
        w[k + 2].i = (int64_t)(sum >> 64);
    }
}

/* Value of the sum: both parts are combined in fine units, so that the integer is rounded to double once. A coarse unit
 * is 2^22 (in double arithmetic 2^51) fine units; in double arithmetic the shifted coarse sum may not fit into 128
 * bits, and is then so large that two roundings lose nothing. */
static inline double fixed_value(const myr_word *w, const myr_acc_scale *c)
{
    __int128 coarse = fixed_word(w), fine = fixed_word(w + 1);
    const int shift = REAL_MANTISSA - 1;
    const __int128 most = ((__int128)1 << 126) >> shift;
    if (coarse < most && coarse > -most)
        return (double)(coarse * ((__int128)1 << shift) + fine) * c->fine;
    return (double)coarse * c->coarse + (double)fine * c->fine;
}
#endif
