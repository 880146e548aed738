/* sum.h - sums in integers: each contribution is rounded once, onto a grid of 2^-62 of a bound that all share, so that
 * the sum does not depend on the order. The bound comes from a maximum, which does not either. */
#ifndef MYR_CORE_SUM_H
#define MYR_CORE_SUM_H

#include <math.h>
#include <stdint.h>

#include "core/wide.h"

/* The power of two above every |y| <= largest. */
static inline int myr_sum_exponent(double largest)
{
    return largest > 0 ? ilogb(largest) + 1 : 0;
}

/* What contributions are multiplied by before they are rounded. */
static inline double myr_sum_scale(int exponent)
{
    return ldexp(1, 62 - exponent);
}

static inline int64_t myr_sum_round(double y, double scale)
{
    return llrint(y * scale);
}

static inline double myr_sum_value(myr_wide sum, int exponent)
{
    return ldexp((double)sum, exponent - 62);
}

#endif
