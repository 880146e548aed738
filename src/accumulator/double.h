/* double.h - accumulators B (float pairs) and G (double pairs): contributions are rounded to the arithmetic and summed
 * in double.
 *
 * Error bound: |sum - exact sum of the rounded contributions| <= n * 2^-53 * sum|f|. The result depends on the
 * order. */
#ifndef MYR_ACCUMULATOR_DOUBLE_H
#define MYR_ACCUMULATOR_DOUBLE_H

#define double_MAX_STEPS 4096
#define double_REGISTERS 2

typedef struct {
    wlane sum;
} double_state;

MYR_FN double_state double_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    const double_state sum = {wlane_load(&w[0].f)};
    return sum;
}

MYR_FN void double_add(double_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    a->sum = wlane_add(a->sum, wlane_from(s * d));
}

MYR_FN uint32_t double_end(const double_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    wlane_store(&w[0].f, a->sum);
    return 0;
}

static inline void double_merge(myr_word *into, const myr_word *from)
{
    into[0].f += from[0].f;
}

static inline void double_negate(myr_word *w)
{
    w[0].f = -w[0].f;
}

static inline double double_value(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    return w[0].f;
}
#endif
