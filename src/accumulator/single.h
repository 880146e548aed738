/* single.h - accumulator A: one sum in the precision of the arithmetic. chamomile: the same sum, folded into double
 * after every bag.
 *
 * Error bound of `single`: |sum - exact| <= n * 2^-24 * sum|f| for n contributions. The result depends on the order.
 * Error bound of `chamomile`: the same with n = contributions per bag, plus 2^-53 per bag. */
#ifndef MYR_ACCUMULATOR_SINGLE_H
#define MYR_ACCUMULATOR_SINGLE_H

#define single_MAX_STEPS 4096
#define single_REGISTERS 1

typedef struct {
    lane sum;
} single_state;

MYR_FN single_state single_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    const single_state sum = {lane_from_wide(wlane_load(&w[0].f))};
    return sum;
}

MYR_FN void single_add(single_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    a->sum = lane_madd(s, d, a->sum);
}

/* Folds the state: word 0 holds the running sum, word 1 the folded sums. */
MYR_FN uint32_t single_end(const single_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)steps;
    if (c->fold) {
        wlane_store(&w[LANES].f, wlane_add(wlane_load(&w[LANES].f), wlane_from(a->sum)));
    } else {
        wlane_store(&w[0].f, wlane_from(a->sum));
    }
    return 0;
}

static inline void single_merge(myr_word *into, const myr_word *from)
{
    into[0].f += from[0].f; /* partial sums of splits and replicas are added in double */
    into[1].f += from[1].f;
}

static inline void single_negate(myr_word *w)
{
    w[0].f = -w[0].f;
    w[1].f = -w[1].f;
}

static inline double single_value(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    return w[0].f + w[1].f;
}
#endif
