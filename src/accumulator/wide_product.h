/* wide_product.h - exact products of reals as integers of 256 bits, for the few contributions of `fixed` sums that are
 * beyond the range of their grid. Compiled for processors and GPUs, after lane/lane.h. */
#ifndef MYR_ACCUMULATOR_WIDE_PRODUCT_H
#define MYR_ACCUMULATOR_WIDE_PRODUCT_H

#include "accumulator/integer256.h"

enum { WIDE_MOST_BITS = 64 * MYR_INTEGER256_WORDS - 32 }; /* bits of a contribution: 2^31 of them can be added */

/* A real as an integer times a power of two; returns 0 if it is not finite. */
static inline int wide_split(real x, int64_t *integer, int *exponent)
{
    union {
        real number;
        real_uint bits;
    } both;
    const real_uint hidden = (real_uint)1 << REAL_MANTISSA;
    const int bias = (int)(sizeof(real) == 4 ? 127 : 1023);
    both.number = x;
    const real_uint bits = both.bits;
    const int field = (int)(bits >> REAL_MANTISSA) & (2 * bias + 1);
    const int64_t size = (int64_t)((bits & (hidden - 1)) | (field ? hidden : 0));
    *integer = bits >> (8 * sizeof(real) - 1) ? -size : size;
    *exponent = (field ? field : 1) - bias - REAL_MANTISSA;
    return field != 2 * bias + 1;
}

/* x / 2^n rounded to the nearest integer, ties to even. */
static inline myr_integer128 wide_round(myr_integer128 x, int n)
{
    if (n > 126)
        return 0;
    const myr_integer128 floor = x >> n, rest = x - floor * ((myr_integer128)1 << n),
                         half = (myr_integer128)1 << (n - 1);
    return floor + (rest > half || (rest == half && (floor & 1)));
}

/* Number of leading zeros of x, which is not 0. */
static inline int wide_zeros(uint64_t x)
{
#if defined(__CUDACC__)
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

/* Number of bits of |x|. */
static inline int wide_length(myr_integer128 x)
{
    const myr_integer256_high size = x < 0 ? -(myr_integer256_high)x : (myr_integer256_high)x;
    const uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    return high ? 128 - wide_zeros(high) : low ? 64 - wide_zeros(low) : 0;
}

/* s*d in units of 2^unit, rounded as the loops round it: once, or (without fused operations) s*d before. Returns 0 if
 * the product is not finite or too large. */
static inline int wide_product(real s, real d, int unit, myr_integer256 *product)
{
    int64_t a, b = 1;
    int exponent, second = 0;
#if LANE_HAS_FMA
    const int finite = wide_split(s, &a, &exponent) && wide_split(d, &b, &second);
#else
    const int finite = wide_split(s * d, &a, &exponent);
    (void)d;
#endif
    myr_integer128 x = (myr_integer128)a * b;
    int shift = exponent + second - unit;
    if (shift < 0) {
        x = wide_round(x, -shift);
        shift = 0;
    }
    if (!finite || wide_length(x) + shift > WIDE_MOST_BITS)
        return 0;
    *product = myr_integer256_from(x, shift);
    return 1;
}
#endif
