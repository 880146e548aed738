/* takahashi.h - accumulator C: a float pair and a full two-sum, 10 operations (paper 000, Figs 3 and 4).
 *
 * Error bound: |sum - exact sum of the rounded contributions| <= 2 n * 2^-48 * sum|f|, for contributions of any sizes.
 * The result depends on the order. */
#ifndef MYR_ACCUMULATOR_TAKAHASHI_H
#define MYR_ACCUMULATOR_TAKAHASHI_H

#define takahashi_MAX_STEPS 4096
#define takahashi_REGISTERS 2

typedef struct {
    lane_pair sum;
} takahashi_state;

MYR_FN takahashi_state takahashi_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    const takahashi_state sum = {{lane_from_wide(wlane_load(&w[0].f)), lane_from_wide(wlane_load(&w[LANES].f))}};
    return sum;
}

MYR_FN void takahashi_add(takahashi_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    lane_pair z = pair_two_sum(a->sum.hi, s * d);
    a->sum = pair_fast_two_sum(z.hi, a->sum.lo + z.lo);
}

MYR_FN uint32_t takahashi_end(const takahashi_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    wlane_store(&w[0].f, wlane_from(a->sum.hi));
    wlane_store(&w[LANES].f, wlane_from(a->sum.lo));
    return 0;
}

static inline void takahashi_merge(myr_word *into, const myr_word *from)
{
    into[0].f += from[0].f;
    into[1].f += from[1].f;
}

static inline void takahashi_negate(myr_word *w)
{
    w[0].f = -w[0].f;
    w[1].f = -w[1].f;
}

static inline double takahashi_value(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    return w[0].f + w[1].f;
}
#endif
