/* pair.h - sums and products kept as two lanes, hi + lo, without loss (Knuth, Dekker). See lane.h. */
#ifndef MYR_LANE_PAIR_H
#define MYR_LANE_PAIR_H

typedef struct {
    lane hi, lo;
} lane_pair;

/* a + b exactly, for any a and b: 6 operations */
MYR_FN lane_pair pair_two_sum(lane a, lane b)
{
    lane hi = a + b;
    lane w = hi - a;
    lane lo = (b - w) - ((hi - w) - a);
    return (lane_pair){hi, lo};
}

/* a + b exactly where |a| >= |b|, or a is 0: 3 operations */
MYR_FN lane_pair pair_fast_two_sum(lane a, lane b)
{
    lane hi = a + b;
    lane w = hi - a;
    return (lane_pair){hi, b - w};
}

/* a * b exactly (no overflow, no underflow) */
MYR_FN lane_pair pair_two_product(lane a, lane b)
{
    lane p = a * b;
#if LANE_HAS_FMA
    return (lane_pair){p, lane_fma_exact(a, b, -p)};
#else
    /* Dekker: split each factor into halves whose products are exact */
    const real split = (real)(((real_uint)1 << ((REAL_MANTISSA + 2) / 2)) + 1);
    lane ca = split * a, cb = split * b;
    lane ah = ca - (ca - a), bh = cb - (cb - b);
    lane al = a - ah, bl = b - bh;
    return (lane_pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}

#endif
