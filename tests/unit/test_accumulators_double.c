/* test_accumulators_double.c - the promises of accumulators in double arithmetic: `double`, `fixed`, and `exact`, which
 * judges them. See test_accumulators.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MYR_ARITH 3
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"

#include "unit/accumulator_data.h"

#include "accumulator/double.h"
#define ACC double
#include "unit/accumulator_drive.h"
#include "accumulator/fixed.h"
#define ACC fixed
#include "unit/accumulator_drive.h"
#include "accumulator/exact.h"
#define ACC exact
#include "unit/accumulator_drive.h"

#include "interaction/interaction.h"

static myr_acc_scale grid_of(int exponent)
{
    myr_problem p = {0};
    const myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS] = {{exponent, 1, 1}, {exponent, 1, 1}, {exponent, 1, 1}};
    p.direct.unit = myr_backend_isa(0)->units[myr_catalogue_kernel("gravity")][MYR_ARITH];
    myr_problem_use(&p, MYR_ACC_fixed, MYR_ACCUMULATOR_fixed, grid);
    return p.direct.scale[0];
}

static double sum_of(const drive *d, const data *x, int64_t steps, const myr_acc_scale *c)
{
    myr_word words[MYR_ACC_WORDS];
    memset(words, 0, sizeof words);
    assert_int_equal(d->feed(x->s, x->d, DATA_N, steps, c, words), 0);
    return d->value(words, c);
}

static void test_bounds(void **state)
{
    (void)state;
    static data x;
    double used[3] = {0};
    for (int set = 0; set < DATA_SETS; set++) {
        data_make(set, &x);
        const myr_acc_scale c = grid_of(ilogb(x.most) + 2);
        const double last = 0x1p-53 * fabs(ldexp((double)x.products, DATA_UNIT)); /* rounding of the sum itself */
        const double bound[3] = {DATA_N * 0x1p-53 * x.size, DATA_N / 2 * c.fine + last,
                                 DATA_N * 0x1p-104 * x.size + last};
        for (int64_t steps = 1; steps <= 256; steps *= 16) {
            const double error[3] = {data_error(sum_of(&double_drive, &x, steps, &c), x.rounded),
                                     data_error(sum_of(&fixed_drive, &x, steps, &c), x.products),
                                     data_error(sum_of(&exact_drive, &x, steps, &c), x.products)};
            for (int k = 0; k < 3; k++) {
                if (!(error[k] <= bound[k]))
                    fail_msg("accumulator %d, data '%s': error %.3g, promised %.3g", k, x.name, error[k], bound[k]);
                used[k] = fmax(used[k], bound[k] > 0 ? error[k] / bound[k] : 0);
            }
        }
    }
    print_message("double uses %.3g of its bound, fixed %.3g, exact %.3g\n", used[0], used[1], used[2]);
}

/* The same bits for any order and any folding; f and -f give 0; 128-bit totals. */
static void test_order(void **state)
{
    (void)state;
    static data x;
    for (int set = 0; set < DATA_SETS; set++) {
        data_make(set, &x);
        const myr_acc_scale c = grid_of(ilogb(x.most) + 2);
        const double first = sum_of(&fixed_drive, &x, 256, &c);
        for (uint64_t seed = 1; seed < 5; seed++) {
            data_shuffle(&x, seed);
            const double now = sum_of(&fixed_drive, &x, (int64_t)(seed * 13), &c);
            assert_memory_equal(&now, &first, sizeof now);
        }
        for (int i = 0; i < DATA_N / 2; i++) {
            x.s[DATA_N / 2 + i] = -x.s[i];
            x.d[DATA_N / 2 + i] = x.d[i];
        }
        data_shuffle(&x, 7);
        assert_true(sum_of(&fixed_drive, &x, 99, &c) == 0);
    }
}

static int flags(double y, int64_t n)
{
    const myr_acc_scale c = grid_of(10);
    myr_word words[MYR_ACC_WORDS] = {{0}};
    double s[256], d[256];
    for (int64_t i = 0; i < n; i++) {
        s[i] = y;
        d[i] = 1;
    }
    const uint32_t flag = fixed_drive.feed(s, d, n, n, &c, words);
    if (!flag)
        assert_true(fixed_drive.value(words, &c) == (double)n * y);
    return flag != 0;
}

static void test_range(void **state)
{
    (void)state;
    const double half = 0x1p9, u = 0x1p-42;
    for (int64_t n = 1; n <= 256; n *= 256) {
        assert_int_equal(flags(half - 0.75 * u, n), 0);
        assert_int_equal(flags(half - 0.5 * u, n), 1);
        assert_int_equal(flags(half, n), 1);
        assert_int_equal(flags(-half, n), 0);
        assert_int_equal(flags(-half - 0.5 * u, n), 1);
        assert_int_equal(flags(1e300, n), 1);
        assert_int_equal(flags(-INFINITY, n), 1);
        assert_int_equal(flags(NAN, n), 1);
        assert_int_equal(flags(0.5 * u, n), 0);
        assert_int_equal(flags(-1.5 * u, n), 0);
    }
}

/* Totals beyond 64 bits: 4096 folds of contributions near the limit, then back to where they started. */
static void test_totals(void **state)
{
    (void)state;
    const myr_acc_scale c = grid_of(10);
    myr_word words[MYR_ACC_WORDS] = {{0}};
    double s[256], d[256];
    for (int i = 0; i < 256; i++) {
        s[i] = 0x1p9 - 0x1p-20;
        d[i] = 1;
    }
    for (int fold = 0; fold < 4096; fold++)
        assert_int_equal(fixed_drive.feed(s, d, 256, 256, &c, words), 0);
    assert_true(fixed_drive.value(words, &c) == 0x1p20 * (0x1p9 - 0x1p-20)); /* 2^71 units of the coarse grid */
    myr_word minus[MYR_ACC_WORDS];
    memcpy(minus, words, sizeof minus);
    fixed_drive.negate(minus);
    assert_true(fixed_drive.value(minus, &c) == -0x1p20 * (0x1p9 - 0x1p-20));
    fixed_drive.merge(words, minus);
    assert_true(fixed_drive.value(words, &c) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
