/* test_random.c - random numbers without state: the published test vectors, the range, the independence of keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/elementary.h"
#include "core/elementary_inside.h"
#include "core/random.h"

/* Known answers of Philox 4x32-10 as published with Random123 (Salmon et al. 2011). */
static void test_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, id;
        uint32_t stream, index, word[4];
    } rows[] = {
        {0, 0, 0, 0, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {~(uint64_t)0, ~(uint64_t)0, ~0u, ~0u, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {0x299f31d0a4093822u,
         0x85a308d3243f6a88u,
         0x13198a2eu,
         0x03707344u,
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint32_t word[4];
        myr_random_words(rows[k].seed, rows[k].stream, rows[k].id, rows[k].index, word);
        assert_memory_equal(word, rows[k].word, sizeof word);
    }
}

/* Every part of the key matters, also above 32 bits. */
static void test_keys(void **state)
{
    (void)state;
    uint32_t first[4], other[4];
    myr_random_words(1, 2, 3, 4, first);
    for (int k = 0; k < 6; k++) {
        myr_random_words(1 + (k == 0 ? (uint64_t)1 << 32 : 0) + (k == 1), 2 + (k == 2),
                         3 + (k == 3 ? (uint64_t)1 << 40 : 0) + (k == 4), 4 + (k == 5), other);
        assert_memory_not_equal(first, other, sizeof first);
    }
    myr_random_words(1, 2, 3, 4, other);
    assert_memory_equal(first, other, sizeof first);
}

/* Uniform in (0, 1): mean 1/2, variance 1/12, and neither depends on its neighbour. 5 sigma each. */
static void test_uniform(void **state)
{
    (void)state;
    enum { N = 100000 };
    double mean = 0, square = 0, product = 0, least = 1, most = 0;
    for (int i = 0; i < N; i++) {
        double u[2];
        myr_random_uniform(7, 1, (uint64_t)i, 0, u);
        for (int k = 0; k < 2; k++) {
            assert_true(u[k] > 0 && u[k] < 1);
            mean += u[k] / (2 * N);
            square += (u[k] - 0.5) * (u[k] - 0.5) / (2 * N);
            least = fmin(least, u[k]);
            most = fmax(most, u[k]);
        }
        product += (u[0] - 0.5) * (u[1] - 0.5) / N;
    }
    assert_true(fabs(mean - 0.5) < 5 * sqrt(1.0 / 12 / (2 * N)));
    assert_true(fabs(square - 1.0 / 12) < 5 * sqrt(1.0 / 180 / (2 * N)));
    assert_true(fabs(product) < 5.0 / 12 / sqrt(N));
    assert_true(least < 1e-4 && most > 1 - 1e-4);
}

/* Normal: mean 0, variance 1, fourth moment 3, and none of the four depends on another. 5 sigma each. */
static void test_normal(void **state)
{
    (void)state;
    enum { N = 100000 };
    double mean = 0, square = 0, fourth = 0, product = 0, most = 0;
    for (int i = 0; i < N; i++) {
        double z[4];
        myr_random_normal(7, 1, (uint64_t)i, 0, z);
        for (int k = 0; k < 4; k++) {
            mean += z[k];
            square += z[k] * z[k];
            fourth += z[k] * z[k] * z[k] * z[k];
            product += z[k] * z[(k + 1) % 4];
            most = fabs(z[k]) > most ? fabs(z[k]) : most;
        }
    }
    const double n = 4 * N;
    assert_true(fabs(mean / n) < 5 / sqrt(n));
    assert_true(fabs(square / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(fourth / n - 3) < 5 * sqrt(96 / n));
    assert_true(fabs(product / n) < 5 / sqrt(n));
    assert_true(most > 4 && most < 6.7);
}

/* What they are made of, against libm. */
static void test_elementary(void **state)
{
    (void)state;
    double worst[3] = {0};
    for (int i = 0; i <= 200000; i++) {
        const double x = -40 + 4e-4 * i, y = exp(x), turns = i / 2e5;
        double cosine, sine;
        elementary_turn(turns, &cosine, &sine);
        const long double angle = 6.283185307179586476925286766559L * (long double)turns;
        worst[0] = fmax(worst[0], fabs(myr_elementary_exp(x) / y - 1));
        worst[1] = fmax(worst[1], fabs(myr_elementary_log(y) - log(y)) / fmax(1, fabs(x)));
        worst[2] = fmax(worst[2], fmax(fabs((double)(cosine - cosl(angle))), fabs((double)(sine - sinl(angle)))));
    }
    /* measured 3.4e-16, 2.3e-16, 2.8e-16 */
    for (int k = 0; k < 3; k++)
        assert_true(worst[k] < 8e-16);
    assert_true(myr_elementary_exp(0) == 1 && myr_elementary_log(1) == 0);
    double off = 0;
    for (int i = 1; i <= 200000; i++) {
        const long double angle = 3.141592653589793238462643383280L * i / 200000, size = powl(10, i % 41 - 20);
        const double x = (double)(size * cosl(angle)), y = fabs((double)(size * sinl(angle)));
        off = fmax(off, (double)fabsl(elementary_angle(y, x) / atan2l(y, x) - 1));
    }
    assert_true(off < 1e-15); /* measured 3.9e-16 */
    assert_true(elementary_angle(0, 2) == 0 && elementary_angle(0, -2) == 0x1.921fb54442d18p+1 &&
                elementary_angle(3, 0) == 0x1.921fb54442d18p+0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_keys),       cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),        cmocka_unit_test(test_elementary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
