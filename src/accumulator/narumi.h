/* narumi.h - F: a float with an offset and a 32-bit integer below it, fixed point (paper 000, Fig. 8), folded into
 * 64-bit integers every 16 sums.
 *
 * The high word rounds a contribution to the coarse grid, unit u = 2^(e-23); the rest, at most u/2, is added to 1.5 u,
 * whose last place is 2^-23 u, and the bits of that are the low word: a conversion to integers without a conversion
 * instruction, rounded to nearest (the paper truncates, which is as symmetric but pulls every sum of equal signs
 * towards zero). Where two coarse neighbours tie, the running sum decides, but the remainder is then exactly half a
 * unit and the total is the same. So each contribution adds the same number whatever came before. The paper folds every
 * 128 sums, for which its low word can overflow; every 16 leaves two bits of the high word for resolution.
 *
 * Promise, for contributions below 2^(e-5), of which 16 fit whatever their signs: the same bits for any order and any
 *   tiling; the sum of f and -f is exactly 0; |sum - exact| <= n/2 fine units of 2^(e-46), before the sum is rounded
 *   to a double (with fma a contribution is never rounded by itself; without, once before). A running sum that leaves
 *   the range between two folds is flagged; for contributions between 2^(e-5) and 2^(e-1) that can depend on their
 *   order. */
#ifndef MYR_ACCUMULATOR_NARUMI_H
#define MYR_ACCUMULATOR_NARUMI_H

#include "accumulator/fixed.h"

#if defined(__CUDACC__)
/* the sums of 16 are kept in 32 bits a while longer: 16 such sums stay below 2^31 */
#define narumi_MAX_STEPS 256
#define narumi_REFOLD 16
#else
#define narumi_MAX_STEPS 16
#endif
#define narumi_REGISTERS 3

typedef struct {
    lane hi;
    ulane lo;
    ilane range;
#if defined(__CUDACC__)
    ulane coarse; /* bits of the high words so far */
    int folds;
    ilane held; /* as in fixed.h */
    int odd;
#endif
} narumi_state;

MYR_FN narumi_state narumi_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)w;
#if defined(__CUDACC__)
    const narumi_state sum = {K(c->large), 0, 0, 0, 0, 0, 0};
#else
    const narumi_state sum = {lane_set(K(c->large)), ulane_set(0), ilane_set(0)};
#endif
    return sum;
}

/* With z = hi + f on the coarse grid, f - (z - hi) is the rest; 1.5 u - (z - hi) is exact, so the rest is rounded once.
 */
MYR_FN void narumi_add(narumi_state *a, const myr_acc_scale *c, lane s, lane d)
{
    lane z = lane_madd(s, d, a->hi);
    lane rest = lane_madd(s, d, K(c->middle) - (z - a->hi));
    a->hi = z;
    a->lo += (ulane)lane_bits(rest);
#if defined(__CUDACC__)
    if (a->odd)
        a->range |= fixed_either(a->held, lane_bits(z), lane_bits(K(c->large)));
    a->held = lane_bits(z);
    a->odd = !a->odd;
#else
    a->range = a->range | (lane_bits(z) ^ lane_bits(lane_set(K(c->large))));
#endif
}

#if defined(__CUDACC__)
/* Called after every narumi_REFOLD sums. */
MYR_FN void narumi_refold(narumi_state *a, const myr_acc_scale *c)
{
    if (a->odd)
        a->range |= a->held ^ lane_bits(K(c->large));
    a->odd = 0;
    a->coarse += (ulane)lane_bits(a->hi);
    a->folds++;
    a->hi = K(c->large);
}
#endif

/* word 0: coarse units; word 1: fine units */
MYR_FN uint32_t narumi_end(const narumi_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    const ulane n = ulane_set((real_uint)steps), middle = (ulane)lane_bits(lane_set(K(c->middle)));
    /* unsigned: a sum that left its range, which the flag tells, may be anywhere */
#if defined(__CUDACC__)
    narumi_state b = *a;
    narumi_refold(&b, c); /* what has come since the last; nothing changes where nothing has */
    ilane_add_to(&w[0].i, (ilane)(b.coarse - (ulane)b.folds * (ulane)lane_bits(K(c->large))));
    a = &b;
#else
    ilane_add_to(&w[0].i, (ilane)((ulane)lane_bits(a->hi) - (ulane)lane_bits(lane_set(K(c->large)))));
#endif
    ilane_add_to(&w[LANES].i, (ilane)(a->lo - n * middle));
    return ilane_any(ilane_shift_right(a->range, REAL_MANTISSA));
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
