/* narumi.h - F: a float with an offset and a 32-bit integer below it, together 48 bits of fixed point (paper 000,
 * Fig. 8), folded into 64-bit integers every 64 sums (at the paper's 128 the low word can overflow).
 *
 * The high word rounds a contribution to the coarse grid, the low word takes the rest, rounded to the fine grid (the
 * paper truncates, which is as symmetric but pulls every sum of equal signs towards zero). Where two coarse neighbours
 * tie, the running sum decides, but the remainder is then exactly half a unit and the total is the same. So each
 * contribution adds the same number whatever came before.
 *
 * Promise, for contributions below 2^(e-7), of which 64 fit whatever their signs: the same bits for any order and any
 *   tiling; the sum of f and -f is exactly 0; |sum - exact sum of the rounded contributions| <= n/2 fine units of
 *   2^(e-48), before the sum is rounded to a double. A running sum that leaves the range between two folds is flagged;
 *   for contributions between 2^(e-7) and 2^(e-1) that can depend on their order. */
#ifndef MYR_ACC_NARUMI_H
#define MYR_ACC_NARUMI_H

#define narumi_MAX_STEPS 64
#define narumi_REGISTERS 3

typedef struct {
    lane hi;
    ilane lo;
    ilane range;
} narumi_state;

MYR_FN narumi_state narumi_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)w;
    const narumi_state sum = {lane_set(K(c->large)), ilane_set(0), ilane_set(0)};
    return sum;
}

MYR_FN void narumi_add(narumi_state *a, const myr_acc_scale *c, lane s, lane d)
{
    lane_pair z = pair_fast_two_sum(a->hi, s * d);
    a->hi = z.hi;
    a->lo = ilane_add(a->lo, lane_nearest(z.lo * K(c->to_int)));
    a->range = a->range | (lane_bits(z.hi) ^ lane_bits(lane_set(K(c->large))));
}

/* word 0: coarse units; word 1: fine units */
MYR_FN uint32_t narumi_end(const narumi_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)steps;
    /* unsigned: a sum that left its range, which the flag tells, may be anywhere */
    ilane_add_to(&w[0].i, (ilane)((ulane)lane_bits(a->hi) - (ulane)lane_bits(lane_set(K(c->large)))));
    ilane_add_to(&w[LANES].i, a->lo);
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
