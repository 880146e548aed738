/* nitadori.h - accumulator D: a float pair and a fast two-sum, 4 operations (paper 000, Fig. 5); accumulator E,
 * `nitadori_large`: the same with an offset, so that the running sum always dominates (Fig. 6).
 *
 * Error bound of D: a contribution no larger than the running sum is split exactly; a larger one loses up to 2^-24 of
 * itself. The float sum of the low words is rounded too: |sum - exact sum of the rounded contributions| <=
 *   2^-24 * (sum of the contributions that exceeded the running sum) + n^2 * 2^-49 * sum|f|.
 * Error bound of E: every contribution is split exactly; |sum - exact sum of the rounded contributions| <= n^2 * 2^-26
 * units of the grid of the offset, 2^(e-23), reached only if all remainders have the same sign. E flags a running sum
 * that is outside the binade of the offset at the end of a bag, |sum| >= 2^(e-1). The results depend on the order. */
#ifndef MYR_ACCUMULATOR_NITADORI_H
#define MYR_ACCUMULATOR_NITADORI_H

#define nitadori_MAX_STEPS 4096
#define nitadori_REGISTERS 2

typedef struct {
    lane hi, lo;
} nitadori_state;

MYR_FN nitadori_state nitadori_begin(const myr_word *w, const myr_acc_scale *c)
{
    const nitadori_state sum = {lane_from_wide(wlane_load(&w[0].f)) + K(c->large),
                                lane_from_wide(wlane_load(&w[LANES].f))};
    return sum;
}

MYR_FN void nitadori_add(nitadori_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    lane_pair z = pair_fast_two_sum(a->hi, s * d);
    a->hi = z.hi;
    a->lo = a->lo + z.lo;
}

/* The words hold the sum without its offset: hi - large is exact as long as hi stays in the binade of the offset. */
MYR_FN uint32_t nitadori_end(const nitadori_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)steps;
    lane off = a->hi - K(c->large);
    wlane_store(&w[0].f, wlane_from(off));
    wlane_store(&w[LANES].f, wlane_from(a->lo));
    if (c->large == 0)
        return 0;
    return !lane_all(lane_lt(lane_abs(off), lane_set(K(c->large / 3))));
}

static inline void nitadori_merge(myr_word *into, const myr_word *from)
{
    into[0].f += from[0].f;
    into[1].f += from[1].f;
}

static inline void nitadori_negate(myr_word *w)
{
    w[0].f = -w[0].f;
    w[1].f = -w[1].f;
}

static inline double nitadori_value(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    return w[0].f + w[1].f;
}
#endif
