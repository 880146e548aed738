/* integer256.h - integers of 256 bits for exact sums of terms that differ by many orders of magnitude. Two's
 * complement, lowest word first. Compiled for processors and GPUs. */
#ifndef MYR_ACCUMULATOR_INTEGER256_H
#define MYR_ACCUMULATOR_INTEGER256_H

#include <stdint.h>

#if defined(__CUDACC__) /* the compiler of GPUs has the functions of math.h without a header, and no __extension__ */
#define MYR_EXTENSION
#else
#include <math.h>
#define MYR_EXTENSION __extension__
#endif

enum { MYR_INTEGER256_WORDS = 4 };

MYR_EXTENSION typedef __int128 myr_integer128;
MYR_EXTENSION typedef unsigned __int128 myr_integer256_high;
#undef MYR_EXTENSION

typedef struct {
    uint64_t word[MYR_INTEGER256_WORDS];
} myr_integer256;

static inline myr_integer256 myr_integer256_add(myr_integer256 a, myr_integer256 b)
{
    uint64_t carry = 0;
    for (int k = 0; k < MYR_INTEGER256_WORDS; k++) {
        const uint64_t sum = a.word[k] + b.word[k], with = sum + carry;
        carry = (sum < a.word[k]) | (with < sum);
        a.word[k] = with;
    }
    return a;
}

static inline myr_integer256 myr_integer256_negate(myr_integer256 a)
{
    const myr_integer256 one = {{1}};
    for (int k = 0; k < MYR_INTEGER256_WORDS; k++)
        a.word[k] = ~a.word[k];
    return myr_integer256_add(a, one);
}

static inline int myr_integer256_is_negative(myr_integer256 a)
{
    return a.word[MYR_INTEGER256_WORDS - 1] >> 63 != 0;
}

/* x 2^shift, which must fit. */
static inline myr_integer256 myr_integer256_from(myr_integer128 x, int shift)
{
    const uint64_t word[3] = {(uint64_t)x, (uint64_t)(x >> 64), x < 0 ? ~(uint64_t)0 : 0};
    const int whole = shift / 64, part = shift % 64;
    myr_integer256 a;
    for (int k = 0; k < MYR_INTEGER256_WORDS; k++) {
        const int j = k - whole;
        const uint64_t here = j < 0 ? 0 : word[j < 2 ? j : 2], below = j < 1 ? 0 : word[j < 3 ? j - 1 : 2];
        a.word[k] = part ? here << part | below >> (64 - part) : here;
    }
    return a;
}

/* Exact value of a double without fraction and below 2^255. */
static inline myr_integer256 myr_integer256_from_double(double x)
{
    int exponent;
    const double part = frexp(fabs(x), &exponent); /* x = part 2^exponent, and part has 53 bits */
    const int shift = exponent > 53 ? exponent - 53 : 0, words = shift / 64;
    const myr_integer256_high size = (myr_integer256_high)ldexp(part, exponent - shift) << shift % 64;
    myr_integer256 a = {{0}};
    for (int k = words; k < MYR_INTEGER256_WORDS && k < words + 2; k++)
        a.word[k] = (uint64_t)(k == words ? size : size >> 64);
    return x < 0 ? myr_integer256_negate(a) : a;
}

/* Nearest double, ties to even, of a 2^exponent. */
static inline double myr_integer256_value(myr_integer256 a, int exponent)
{
    const int negative = myr_integer256_is_negative(a);
    if (negative)
        a = myr_integer256_negate(a);
    int top = MYR_INTEGER256_WORDS - 1;
    while (top > 1 && !a.word[top])
        top--;
    uint64_t below = 0;
    for (int k = 0; k < top - 1; k++)
        below |= a.word[k];
    /* the last of at least 65 bits stands for all bits below it */
    const myr_integer256_high high = (myr_integer256_high)a.word[top] << 64 | a.word[top - 1] | (below != 0);
    const double value = ldexp((double)high, 64 * (top - 1) + exponent);
    return negative ? -value : value;
}

#endif
