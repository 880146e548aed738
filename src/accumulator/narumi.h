/* narumi.h - accumulator F: a float with an offset and a 32-bit integer below it, fixed point (paper 000, Fig. 8),
 * folded into 64-bit integers every 16 additions.
 *
 * The high word rounds a contribution to the coarse grid, unit u = 2^(e-23). The remainder, at most u/2, is added to
 * 1.5 u, whose unit in the last place is 2^-23 u, and the bits of that sum are the low word: a conversion to integer
 * without a conversion instruction, rounded to nearest (the paper truncates, which is symmetric too but biases sums of
 * equal signs towards zero). If two coarse neighbours tie, the running sum decides, but the remainder is then exactly
 * half a unit and the total is the same. Each contribution thus adds the same number in any order. The paper folds
 * every 128 additions, for which its low word can overflow; folding every 16 leaves two bits of the high word for
 * resolution.
 *
 * Guarantees, for contributions below 2^(e-5), of which 16 fit with any signs: the same bits for any order and tiling;
 * the sum of f and -f is exactly 0; |sum - exact| <= n/2 fine units of 2^(e-46), before the sum is rounded to a double
 * (with fma a contribution is not rounded by itself; without fma once before). A running sum that leaves the range
 * between two folds is flagged; for contributions between 2^(e-5) and 2^(e-1) the flag can depend on their order. */
#ifndef MYR_ACCUMULATOR_NARUMI_H
#define MYR_ACCUMULATOR_NARUMI_H

#include "accumulator/fixed.h"

#if defined(__CUDACC__)
/* sums of 16 contributions are accumulated in 32 bits: 16 such sums stay below 2^31 */
#define narumi_MAX_STEPS 256
#define narumi_REFOLD 16
#define narumi_HOLDS 1
#else
#define narumi_MAX_STEPS 16
#endif
#define narumi_REGISTERS 2

typedef struct {
    lane hi;
    ulane lo;
#if defined(__CUDACC__)
    ulane coarse; /* sum of the bits of the high words since begin */
    int folds;
    ilane held; /* as in fixed.h */
    int odd;
#endif
} narumi_state;

MYR_FN narumi_state narumi_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)w;
#if defined(__CUDACC__)
    const narumi_state sum = {K(c->large), 0, 0, 0, 0, 0};
#else
    const narumi_state sum = {lane_set(K(c->large)), ulane_set(0)};
#endif
    return sum;
}

/* With z = hi + f on the coarse grid, f - (z - hi) is the remainder; 1.5 u - (z - hi) is exact, so that the remainder
 * is rounded once. */
MYR_FN void narumi_add(narumi_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    lane z = lane_madd(s, d, a->hi);
    lane rest = lane_madd(s, d, K(c->middle) - (z - a->hi));
    a->hi = z;
    a->lo += (ulane)lane_bits(rest);
#if defined(__CUDACC__)
    if (a->odd)
        *range |= fixed_either(a->held, lane_bits(z), lane_bits(K(c->large)));
    a->held = lane_bits(z);
    a->odd = !a->odd;
#else
    *range = ilane_mark(*range, lane_bits(z), lane_bits(lane_set(K(c->large))));
#endif
}

#if defined(__CUDACC__)
/* Marks the range of a contribution that waits. */
MYR_FN void narumi_flush(narumi_state *a, ilane *range, const myr_acc_scale *c)
{
    if (a->odd)
        *range |= a->held ^ lane_bits(K(c->large));
    a->odd = 0;
}

/* Adds the high word to `coarse` and resets it to the offset; called after every narumi_REFOLD additions. */
MYR_FN void narumi_refold(narumi_state *a, const myr_acc_scale *c)
{
    a->coarse += (ulane)lane_bits(a->hi);
    a->folds++;
    a->hi = K(c->large);
}
#endif

/* Folds the state: word 0 holds coarse units, word 1 fine units. */
MYR_FN uint32_t narumi_end(const narumi_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    const ulane n = ulane_set((real_uint)steps), middle = (ulane)lane_bits(lane_set(K(c->middle)));
    /* unsigned arithmetic: a sum that left its range, which the flag reports, may have any value */
#if defined(__CUDACC__)
    narumi_state b = *a;
    narumi_refold(&b, c); /* additions since the last refold; no effect if there were none */
    ilane_add_to(&w[0].i, (ilane)(b.coarse - (ulane)b.folds * (ulane)lane_bits(K(c->large))));
    a = &b;
#else
    ilane_add_to(&w[0].i, (ilane)((ulane)lane_bits(a->hi) - (ulane)lane_bits(lane_set(K(c->large)))));
#endif
    ilane_add_to(&w[LANES].i, (ilane)(a->lo - n * middle));
    return 0;
}

static inline void narumi_merge(myr_word *into, const myr_word *from)
{
    into[0].i += from[0].i;
    into[1].i += from[1].i;
}

static inline void narumi_negate(myr_word *w)
{
    w[0].i = -w[0].i;
    w[1].i = -w[1].i;
}

static inline double narumi_value(const myr_word *w, const myr_acc_scale *c)
{
    return (double)w[0].i * c->coarse + (double)w[1].i * c->fine;
}
#endif
