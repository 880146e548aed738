/* pair.h - exact sums and products as two lanes, hi + lo (Knuth, Dekker). See lane.h. */
#ifndef MYR_BACKEND_LANE_PAIR_H
#define MYR_BACKEND_LANE_PAIR_H

typedef struct {
    lane hi, lo;
} lane_pair;

/* a + b exactly, for any a and b: 6 operations. */
MYR_FN lane_pair pair_two_sum(lane a, lane b)
{
    lane hi = a + b;
    lane w = hi - a;
    lane lo = (b - w) - ((hi - w) - a);
    const lane_pair both = {hi, lo};
    return both;
}

/* a + b exactly if |a| >= |b| or a is 0: 3 operations. */
MYR_FN lane_pair pair_fast_two_sum(lane a, lane b)
{
    lane hi = a + b;
    lane w = hi - a;
    const lane_pair both = {hi, b - w};
    return both;
}

/* a * b exactly, barring overflow and underflow. */
MYR_FN lane_pair pair_two_product(lane a, lane b)
{
    lane p = a * b;
#if LANE_HAS_FMA
    const lane_pair both = {p, lane_fma_exact(a, b, -p)};
    return both;
#else
    /* Dekker: splits each factor into halves whose products are exact */
    const real split = (real)(((real_uint)1 << ((REAL_MANTISSA + 2) / 2)) + 1);
    lane ca = split * a, cb = split * b;
    lane ah = ca - (ca - a), bh = cb - (cb - b);
    lane al = a - ah, bl = b - bh;
    const lane_pair both = {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
    return both;
#endif
}

#endif
