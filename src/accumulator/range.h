/* range.h - sizes of contributions instead of their sum: the largest |f| and the sum of |f|. `range` determines the
 * scales of `fixed`, `narumi` and `nitadori_large`, and its sum of |f| is the reference of every stated error bound.
 *
 * Guarantees: the maximum is exact and independent of the order; the sum has a relative error of n * 2^-24, folded per
 * bag. */
#ifndef MYR_ACCUMULATOR_RANGE_H
#define MYR_ACCUMULATOR_RANGE_H

#define range_MAX_STEPS 4096
#define range_REGISTERS 2

typedef struct {
    lane most, sum;
} range_state;

MYR_FN range_state range_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    const range_state sum = {lane_from_wide(wlane_load(&w[0].f)), lane_set(K(0))};
    return sum;
}

/* lane_max returns its second operand if either is NaN, so that `most` loses a NaN; `sum` keeps it. */
MYR_FN void range_add(range_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    lane y = lane_abs(s * d);
    a->most = lane_max(a->most, y);
    a->sum = a->sum + y;
}

MYR_FN uint32_t range_end(const range_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    wlane_store(&w[0].f, wlane_from(a->most));
    wlane_store(&w[LANES].f, wlane_add(wlane_load(&w[LANES].f), wlane_from(a->sum)));
    return 0;
}

static inline void range_merge(myr_word *into, const myr_word *from)
{
    if (from[0].f > into[0].f)
        into[0].f = from[0].f;
    into[1].f += from[1].f;
}

static inline void range_negate(myr_word *w)
{
    (void)w; /* sizes have no sign */
}

/* The sum of |f|, or the largest |f| if c->fold is set. A NaN is in the sum only. */
static inline double range_value(const myr_word *w, const myr_acc_scale *c)
{
    return c->fold && w[1].f - w[1].f == 0 ? w[0].f : w[1].f;
}
#endif
