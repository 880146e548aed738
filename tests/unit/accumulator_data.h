/* accumulator_data.h - contributions with known exact sums. Include after cmocka.h and lane.h. All data are multiples
 * of 2^-80, and none is large, so that 128-bit integers hold every sum without rounding. */
#ifndef MYR_TEST_ACCUMULATOR_DATA_H
#define MYR_TEST_ACCUMULATOR_DATA_H

#include <math.h>
#include <string.h>

#include "accumulator/accumulator.h"
#include "core/random.h"

typedef struct {
    uint32_t (*feed)(const real *s, const real *d, int64_t n, int64_t steps, const myr_acc_scale *c, myr_word *words);
    void (*merge)(myr_word *into, const myr_word *from);
    void (*negate)(myr_word *w);
    double (*value)(const myr_word *w, const myr_acc_scale *c);
    int64_t max_steps;
} drive;

enum { DATA_N = 4096, DATA_UNIT = -80 };

/* A number as a multiple of 2^DATA_UNIT; all numbers here are one. */
static __int128 data_exact(double x)
{
    const double units = ldexp(x, -DATA_UNIT);
    assert_true(units == rint(units) && fabs(units) < 0x1p120);
    return (__int128)units;
}

typedef struct {
    const char *name;
    real s[DATA_N], d[DATA_N];
    __int128 products, rounded; /* exact sums of s*d and of s*d rounded to a real, in units of 2^DATA_UNIT */
    double size, most;          /* sum and largest of |s*d| */
} data;

static double data_uniform(uint64_t seed, int64_t i, int k)
{
    double u[2];
    myr_random_uniform(seed, 77, (uint64_t)i, 0, u);
    return u[k];
}

static real data_random(uint64_t seed, int64_t i)
{
    const double sign = data_uniform(seed, i, 1) < 0.5 ? -1 : 1;
    return (real)(sign * exp2(14 * data_uniform(seed, i, 0) - 10));
}

/* Random signs over 14 powers of two; with factors that are not powers of two. */
static real data_mixed(int64_t i)
{
    return data_random(1, i);
}

/* One large number, then such as fall under half of its last bit. */
static real data_hidden(int64_t i)
{
    return i == 0 ? K(1) : (real)ldexp(0.75, -REAL_MANTISSA - 1);
}

/* From small to large: each contribution exceeds the sum of those before it, over and over. */
static real data_growing(int64_t i)
{
    return (real)(ldexp(1 + data_uniform(3, i, 0), (int)(i % 10) - 10) * (i / 10 % 2 ? -1 : 1));
}

/* All of one sign and about one size. */
static real data_alike(int64_t i)
{
    return (real)(1 + data_uniform(4, i, 0));
}

/* A large sum that cancels, but for what was small. */
static real data_cancelling(int64_t i)
{
    const real large = (real)(8 * (1 + data_uniform(5, i / 4, 0)));
    const real small = (real)ldexp(1 + data_uniform(6, i, 0), -10);
    return i % 2 == 1 ? small : i % 4 == 0 ? large : -large;
}

/* Random signs over 40 powers of two, more than a double sum holds. */
static real data_wide(int64_t i)
{
    return (real)((data_uniform(9, i, 1) < 0.5 ? -1 : 1) * exp2(40 * data_uniform(9, i, 0) - 28));
}

/* The same, all of one sign. */
static real data_wide_up(int64_t i)
{
    return data_wide(i) < 0 ? -data_wide(i) : data_wide(i);
}

/* What the grid of an offset leaves over has the same sign every time. */
static real data_remainders(int64_t i)
{
    return (real)(1 + ldexp(0.4 + 0.09 * data_uniform(10, i, 0), -9));
}

/* One large number, then 1.875 units of the finest grid that goes with it: cutting them off is not rounding them. */
static real data_fractions(int64_t i)
{
    return i == 0 ? K(1) : K(1.875 * 0x1p-40);
}

static const struct {
    const char *name;
    real (*at)(int64_t i);
    int factors; /* whether d is a number with digits of its own */
} data_sets[] = {
    {"mixed", data_mixed, 1},         {"hidden", data_hidden, 0},          {"growing", data_growing, 0},
    {"alike", data_alike, 1},         {"cancelling", data_cancelling, 0},  {"signs", data_mixed, 0},
    {"wide", data_wide, 0},           {"wide, one sign", data_wide_up, 0}, {"remainders", data_remainders, 0},
    {"fractions", data_fractions, 0},
};

enum { DATA_SETS = sizeof data_sets / sizeof *data_sets };

static void data_finish(data *x)
{
    x->products = x->rounded = 0;
    x->size = x->most = 0;
    for (int i = 0; i < DATA_N; i++) {
        const real y = x->s[i] * x->d[i];
#if MYR_ARITH == MYR_ARITH_DOUBLE
        const double rest = fma(x->s[i], x->d[i], -y);
        x->products += data_exact(y) + (rest != 0 ? data_exact(rest) : 0);
#else
        x->products += data_exact((double)x->s[i] * (double)x->d[i]);
#endif
        x->rounded += data_exact((double)y);
        x->size += fabs((double)y);
        x->most = fmax(x->most, fabs((double)y));
    }
}

static void data_make(int set, data *x)
{
    memset(x, 0, sizeof *x);
    x->name = data_sets[set].name;
    for (int i = 0; i < DATA_N; i++) {
        x->s[i] = data_sets[set].at(i);
        /* 12 bits more: products of floats need double, products of doubles a pair */
        x->d[i] = data_sets[set].factors ? (real)(1 + ldexp((double)(int)(4096 * data_uniform(8, i, 0)), -12)) : K(1);
    }
    data_finish(x);
}

/* |value - exact| in units of 1 */
static double data_error(double value, __int128 exact)
{
    const __int128 difference = data_exact(value) - exact;
    return ldexp((double)(difference < 0 ? -difference : difference), DATA_UNIT);
}

/* The same contributions in another order. */
static void data_shuffle(data *x, uint64_t seed)
{
    for (int i = DATA_N - 1; i > 0; i--) {
        const int j = (int)(data_uniform(seed, i, 0) * (i + 1));
        const real s = x->s[i], d = x->d[i];
        x->s[i] = x->s[j];
        x->d[i] = x->d[j];
        x->s[j] = s;
        x->d[j] = d;
    }
}

#endif
