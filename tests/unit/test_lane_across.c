/* test_lane_across.c - conversions of coordinates and sums, sums across lanes, masks and tables, on every instruction
 * set that this machine runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "core/random.h"
#include "unit/lane_across.h"

#define MYR_ISA(name)                                                                                                  \
    extern const lane_across_unit lane_across_single_##name, lane_across_portable_##name, lane_across_double_##name;
#include "backend/isas_built.def"
#undef MYR_ISA

static const lane_across_unit *const units[][3] = {
#define MYR_ISA(name) {&lane_across_single_##name, &lane_across_portable_##name, &lane_across_double_##name},
#include "backend/isas_built.def"
#undef MYR_ISA
};

enum { LANES_MOST = 16, ROUNDS = 2000 };

/* The next unit that can be run here; null at the end. */
static const lane_across_unit *next(int *at)
{
    for (; *at < 3 * (int)(sizeof units / sizeof *units); ++*at)
        if (myr_backend_isa_usable(myr_backend_isa(*at / 3))) {
            const lane_across_unit *u = units[*at / 3][*at % 3];
            ++*at;
            return u;
        }
    return NULL;
}

/* In [-1, 1). */
static double random_at(int round, int l)
{
    double u[2];
    myr_random_uniform(3, 1, (uint64_t)round, (uint32_t)l, u);
    return 2 * u[0] - 1;
}

/* Nearest, ties to even, odd in its argument, up to the ends of the range. */
static void test_to_int(void **state)
{
    (void)state;
    const lane_across_unit *u;
    for (int at = 0; (u = next(&at));) {
        const double range = u->real_bytes == 4 ? 0x1.fffffep30 : 0x1p50;
        for (int n = 0; n < ROUNDS; n++) {
            double x[LANES_MOST], minus[LANES_MOST];
            int64_t y[LANES_MOST], z[LANES_MOST];
            for (int l = 0; l < u->lanes; l++) {
                x[l] = n == 0 ? range : n < 40 ? n + l - 20.5 : random_at(n, l) * ldexp(1, n % 31);
                x[l] = u->real_bytes == 4 ? (double)(float)x[l] : x[l];
                minus[l] = -x[l];
            }
            u->to_int(x, y);
            u->to_int(minus, z);
            for (int l = 0; l < u->lanes; l++) {
                assert_true(y[l] == (int64_t)rint(x[l]));
                assert_true(z[l] == -y[l]);
            }
        }
    }
}

/* Differences of coordinates: exact in double (52 bits), rounded once in float. */
static void test_from_coord(void **state)
{
    (void)state;
    const lane_across_unit *u;
    for (int at = 0; (u = next(&at));)
        for (int n = 0; n < ROUNDS; n++) {
            int64_t x[LANES_MOST];
            double y[LANES_MOST];
            for (int l = 0; l < u->lanes; l++) {
                const double size = u->real_bytes == 4 ? ldexp(1, n % 32) : ldexp(1, n % 64);
                x[l] = (int64_t)(random_at(n, l) * size * 0.999);
                if (u->real_bytes == 8)
                    x[l] = (int64_t)((uint64_t)x[l] >> 12 << 12);
            }
            u->from_coord(x, y);
            for (int l = 0; l < u->lanes; l++) {
                const double exact = u->real_bytes == 4 ? (double)(float)x[l] : (double)x[l];
                assert_true(y[l] == (u->coord_bits == 52 ? exact * 0x1p-12 : exact));
            }
        }
}

/* Whole numbers, so that the order of a sum does not show. */
static void test_sums(void **state)
{
    (void)state;
    const lane_across_unit *u;
    for (int at = 0; (u = next(&at));)
        for (int n = 0; n < ROUNDS; n++) {
            double x[3 * LANES_MOST], expected[3] = {0}, sum[3];
            int64_t isum[3];
            for (int l = 0; l < 3 * u->lanes; l++) {
                x[l] = rint(10000 * random_at(n, l));
                expected[l / u->lanes] += x[l];
            }
            u->sum3(x, sum, isum);
            for (int k = 0; k < 3; k++) {
                assert_true(sum[k] == expected[k]);
                assert_true((double)isum[k] == expected[k]);
            }
        }
}

static void test_masks_and_tables(void **state)
{
    (void)state;
    const lane_across_unit *u;
    for (int at = 0; (u = next(&at));)
        for (int n = 0; n < ROUNDS; n++) {
            double x[LANES_MOST], table[64], y[LANES_MOST], most, largest = -2;
            int64_t index[LANES_MOST];
            uint32_t bits = 0;
            const int count = 1 + n % 64;
            for (int k = 0; k < 64; k++)
                table[k] = k + 0.5;
            for (int l = 0; l < u->lanes; l++) {
                x[l] = (double)(float)random_at(n, l);
                bits |= (uint32_t)(x[l] < 0.25) << l;
                largest = fmax(largest, x[l]);
                index[l] = (int64_t)((random_at(n, l) + 1) / 2 * count);
            }
            assert_int_equal(u->mask(x, 0.25, &most), bits);
            assert_true(most == largest);
            u->lookup(table, count, index, y);
            for (int l = 0; l < u->lanes; l++)
                assert_true(y[l] == table[index[l]]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_int),
        cmocka_unit_test(test_from_coord),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_masks_and_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
