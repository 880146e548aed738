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
 * The integer of a contribution is thus rint(s*d / fine unit), fine unit = 2^(e-45) (2^(e-103) in double arithmetic).
 * A contribution that rounds to 2^(e-1) or more, or to less than -2^(e-1), on the coarse grid is beyond the range of
 * the loop, and so are infinities and NaN: the exponent or the sign of q then differs from those of L, which one
 * register per target collects over all outputs. A kernel that proves its contributions small by their distances needs
 * no such test (kernel/kernel.h, NAME_inside). At the end of a bag such contributions are taken out of the sums
 * (which are modulo 2^32, so that nothing is lost), and the same integer, rint(s*d / fine unit), is added to a wide
 * integer beside the sums. Where a contribution is added does therefore not change the sum.
 *
 * Guarantees, for contributions of any sizes: the same bits for any order, tiling and splitting of the contributions;
 * the sum of f and -f is exactly 0; |sum - exact| <= n/2 fine units, before the sum is rounded to a double once. */
#ifndef MYR_ACCUMULATOR_FIXED_H
#define MYR_ACCUMULATOR_FIXED_H

#include "accumulator/wide_product.h"

/* the sum of 256 contributions of at most 2^22 units stays below 2^31 */
#define fixed_MAX_STEPS 256
#define fixed_REGISTERS 2
#define fixed_WIDE 1

typedef struct {
    ulane coarse, fine;
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
    const fixed_state sum = {ulane_set(0), ulane_set(0), ilane_set(0), 0};
#else
    const fixed_state sum = {ulane_set(0), ulane_set(0)};
#endif
    return sum;
}

/* Constants of the two words: bits of L and of 3u. */
MYR_FN ulane fixed_large(const myr_acc_scale *c)
{
    return (ulane)lane_bits(lane_set(K(c->large)));
}

MYR_FN ulane fixed_three(const myr_acc_scale *c)
{
    return (ulane)lane_bits(lane_set(K(3 * c->coarse)));
}

/* The two words of a contribution: bits of q and of r. */
MYR_FN void fixed_round(const myr_acc_scale *c, lane s, lane d, ulane *coarse, ulane *fine)
{
    lane q = lane_madd(s, d, lane_set(K(c->large)));
    lane r = lane_madd(s, d, K(c->both) - q);
    *coarse = (ulane)lane_bits(q);
    *fine = (ulane)lane_bits(r);
}

#if defined(__CUDACC__)
#define fixed_HOLDS 1

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

/* Marks the range of a contribution that waits. */
MYR_FN void fixed_flush(fixed_state *a, ilane *range, const myr_acc_scale *c)
{
    if (a->odd)
        *range |= a->held ^ (ilane)fixed_large(c);
    a->odd = 0;
}
#endif

/* Adds s*d without a test of its range; returns the bits of q. */
MYR_FN ulane fixed_sum(fixed_state *a, const myr_acc_scale *c, lane s, lane d)
{
    ulane coarse, fine;
    fixed_round(c, s, d, &coarse, &fine);
    a->coarse += coarse;
    a->fine += fine;
    return coarse;
}

MYR_FN void fixed_add(fixed_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    const ulane coarse = fixed_sum(a, c, s, d);
#if defined(__CUDACC__)
    if (a->odd)
        *range |= fixed_either(a->held, (ilane)coarse, (ilane)fixed_large(c));
    a->held = (ilane)coarse;
    a->odd = !a->odd;
#else
    *range = ilane_mark(*range, (ilane)coarse, (ilane)fixed_large(c));
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
    fixed_fold_word(w, (ilane)(a->coarse - n * fixed_large(c)));
    fixed_fold_word(w + LANES, (ilane)(a->fine - n * fixed_three(c)));
    return 0;
}

static inline __int128 fixed_word(const myr_word *w)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return (__int128)w[2].i * ((__int128)1 << 64) + (uint64_t)w[0].i;
#else
    return w[0].i;
#endif
}

/* Binary exponent of the fine unit. */
static inline int fixed_unit(const myr_acc_scale *c)
{
    return c->exponent - 2 * REAL_MANTISSA + 1;
}

/* Value of coarse and fine units and a wide integer of fine units, which are combined so that the integer is rounded to
 * double once. A coarse unit is 2^22 (in double arithmetic 2^51) fine units. */
static inline double fixed_total(const myr_word *w, myr_integer256 wide, const myr_acc_scale *c)
{
    const int shift = REAL_MANTISSA - 1;
    wide = myr_integer256_add(wide, myr_integer256_from(fixed_word(w), shift));
    return myr_integer256_value(myr_integer256_add(wide, myr_integer256_from(fixed_word(w + 1), 0)), fixed_unit(c));
}

/* Value of coarse and fine units. */
static inline double fixed_narrow(const myr_word *w, const myr_acc_scale *c)
{
    const myr_integer256 none = {{0}};
    const int shift = REAL_MANTISSA - 1;
    const __int128 coarse = fixed_word(w), fine = fixed_word(w + 1), most = ((__int128)1 << 126) >> shift;
    if (coarse >= most || coarse <= -most)
        return fixed_total(w, none, c);
    const __int128 units = coarse * ((__int128)1 << shift) + fine;
    const int64_t low = (int64_t)units; /* most sums fit 64 bits, which a processor converts by itself */
    return (low == units ? (double)low : (double)units) * c->fine;
}

#if !defined(__CUDACC__) /* a GPU keeps wide integers in digits, see cuda/sweep.cuh */
/* Wide integer in rows of `stride` words. */
static inline myr_integer256 fixed_wide(const myr_word *w, int stride)
{
    myr_integer256 a;
    for (int k = 0; k < MYR_ACC_WIDE_WORDS; k++)
        a.word[k] = (uint64_t)w[k * stride].i;
    return a;
}

static inline void fixed_set_wide(myr_word *w, int stride, myr_integer256 a)
{
    for (int k = 0; k < MYR_ACC_WIDE_WORDS; k++)
        w[k * stride].i = (int64_t)a.word[k];
}

static inline int fixed_has_wide(const myr_word *w)
{
    int64_t any = 0;
    for (int k = 0; k < MYR_ACC_WIDE_WORDS; k++)
        any |= w[MYR_ACC_LOOP_WORDS + k].i;
    return any != 0;
}

/* Takes a contribution s*d with words `coarse` and `fine` out of lane l of a state and adds it to the wide integers
 * `over`; returns 1 if the contribution is not finite or too large. */
static inline uint32_t fixed_take_out(fixed_state *a, int l, myr_word *over, const myr_acc_scale *c, real s, real d,
                                      real_uint coarse, real_uint fine)
{
    const ulane large = fixed_large(c), three = fixed_three(c);
    myr_integer256 product;
    (void)l;
    LANE_AT(a->coarse, l) -= coarse - LANE_AT(large, l);
    LANE_AT(a->fine, l) -= fine - LANE_AT(three, l);
    if (!wide_product(s, d, fixed_unit(c), &product))
        return 1;
    fixed_set_wide(over + l, LANES, myr_integer256_add(fixed_wide(over + l, LANES), product));
    return 0;
}
#endif

static inline void fixed_merge(myr_word *into, const myr_word *from)
{
    for (int k = 0; k < 2; k++) {
        __int128 sum = fixed_word(into + k) + fixed_word(from + k);
        into[k].i = (int64_t)sum;
        into[k + 2].i = (int64_t)(sum >> 64);
    }
#if !defined(__CUDACC__)
    if (fixed_has_wide(from))
        fixed_set_wide(
            into + MYR_ACC_LOOP_WORDS, 1,
            myr_integer256_add(fixed_wide(into + MYR_ACC_LOOP_WORDS, 1), fixed_wide(from + MYR_ACC_LOOP_WORDS, 1)));
#endif
}

static inline void fixed_negate(myr_word *w)
{
    for (int k = 0; k < 2; k++) {
        const __int128 sum = -fixed_word(w + k);
        w[k].i = (int64_t)sum;
        w[k + 2].i = (int64_t)(sum >> 64);
    }
#if !defined(__CUDACC__)
    fixed_set_wide(w + MYR_ACC_LOOP_WORDS, 1, myr_integer256_negate(fixed_wide(w + MYR_ACC_LOOP_WORDS, 1)));
#endif
}

/* Value of the sum, rounded to double once. */
static inline double fixed_value(const myr_word *w, const myr_acc_scale *c)
{
#if !defined(__CUDACC__)
    if (fixed_has_wide(w))
        return fixed_total(w, fixed_wide(w + MYR_ACC_LOOP_WORDS, 1), c);
#endif
    return fixed_narrow(w, c);
}
#endif
