/* sum.h - order-independent sums in 128-bit integers: each contribution is rounded once to a multiple of 2^-62 of a
 * common bound. The bound comes from a maximum, which is independent of the order as well. */
#ifndef MYR_CORE_SUM_H
#define MYR_CORE_SUM_H

#include <math.h>
#include <stdint.h>

#include "core/wide.h"

/* Exponent e with |y| < 2^e for every |y| <= largest. */
static inline int myr_sum_exponent(double largest)
{
    return largest > 0 ? ilogb(largest) + 1 : 0;
}

/* Factor that converts a contribution to units of the integer grid. */
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
