/* exact.h - reference sum for the errors of other accumulators: the same contributions summed in double-double, twice:
 * rounded to the arithmetic (as B to F sum them), and as unrounded products (as `single`, `chamomile` and `fixed` sum
 * them with fma).
 *
 * Error bound: |sum - exact| <= n * 2^-104 * sum|f|. In double arithmetic a product is exact only as a pair of
 * doubles. */
#ifndef MYR_ACCUMULATOR_EXACT_H
#define MYR_ACCUMULATOR_EXACT_H

#define exact_MAX_STEPS 4096
#define exact_REGISTERS 8

typedef struct {
    wlane hi, lo;   /* sum of the unrounded products */
    wlane rhi, rlo; /* sum of the rounded products */
} exact_state;

MYR_FN exact_state exact_begin(const myr_word *w, const myr_acc_scale *c)
{
    (void)c;
    const exact_state sum = {wlane_load(&w[0].f), wlane_load(&w[LANES].f), wlane_load(&w[2 * LANES].f),
                             wlane_load(&w[3 * LANES].f)};
    return sum;
}

MYR_FN void exact_two_sum(wlane *hi, wlane *lo, wlane y)
{
    wlane z = wlane_add(*hi, y);
    wlane w = wlane_sub(z, *hi);
    wlane e = wlane_add(wlane_sub(y, w), wlane_sub(*hi, wlane_sub(z, w)));
    *hi = z;
    *lo = wlane_add(*lo, e);
}

MYR_FN void exact_add(exact_state *a, ilane *range, const myr_acc_scale *c, lane s, lane d)
{
    (void)range;
    (void)c;
    exact_two_sum(&a->rhi, &a->rlo, wlane_from(s * d));
#if MYR_ARITH == MYR_ARITH_DOUBLE
    lane_pair p = pair_two_product(s, d);
    exact_two_sum(&a->hi, &a->lo, p.hi);
    a->lo = wlane_add(a->lo, p.lo);
#else
    exact_two_sum(&a->hi, &a->lo, wlane_mul(wlane_from(s), wlane_from(d)));
#endif
}

MYR_FN uint32_t exact_end(const exact_state *a, myr_word *w, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    wlane_store(&w[0].f, a->hi);
    wlane_store(&w[LANES].f, a->lo);
    wlane_store(&w[2 * LANES].f, a->rhi);
    wlane_store(&w[3 * LANES].f, a->rlo);
    return 0;
}

static inline void exact_merge(myr_word *into, const myr_word *from)
{
    for (int k = 0; k < 4; k += 2) {
        double z = into[k].f + from[k].f, w = z - into[k].f;
        double e = (from[k].f - w) + (into[k].f - (z - w));
        into[k].f = z;
        into[k + 1].f += from[k + 1].f + e;
    }
}

static inline void exact_negate(myr_word *w)
{
    for (int k = 0; k < 4; k++)
        w[k].f = -w[k].f;
}

/* Value of the sum of unrounded products, or of rounded products if c->fold is set. */
static inline double exact_value(const myr_word *w, const myr_acc_scale *c)
{
    return c->fold ? w[2].f + w[3].f : w[0].f + w[1].f;
}
#endif
