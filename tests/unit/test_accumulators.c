/* test_accumulators.c - what each accumulator's header promises, in float arithmetic, on contributions whose exact sums
 * are known: error bounds, order, opposites, limits of the range. And the `sum_error` that the library itself reports,
 * per accumulator. test_accumulators_double.c has what exists in double arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MYR_ARITH 0
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"

#include "unit/accumulator_data.h"

#include "accumulator/single.h"
#define ACC single
#include "unit/accumulator_drive.h"
#include "accumulator/double.h"
#define ACC double
#include "unit/accumulator_drive.h"
#include "accumulator/takahashi.h"
#define ACC takahashi
#include "unit/accumulator_drive.h"
#include "accumulator/nitadori.h"
#define ACC nitadori
#include "unit/accumulator_drive.h"
#include "accumulator/narumi.h"
#define ACC narumi
#include "unit/accumulator_drive.h"
#include "accumulator/fixed.h"
#define ACC fixed
#include "unit/accumulator_drive.h"
#include "accumulator/exact.h"
#define ACC exact
#include "unit/accumulator_drive.h"
#include "accumulator/range.h"
#define ACC range
#include "unit/accumulator_drive.h"

#include "conformance/scene.h"
#include "interaction/interaction.h"

/* The grid that the library would make. */
static myr_acc_scale grid_of(int accumulator, int exponent)
{
    myr_problem p = {0};
    const myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS] = {{exponent, 1, 1}, {exponent, 1, 1}, {exponent, 1, 1}};
    p.direct.unit = myr_backend_isa(0)->units[myr_catalogue_kernel("gravity")][MYR_ARITH];
    myr_problem_use(&p, myr_catalogue_loop(accumulator), accumulator, grid);
    return p.direct.scale[0];
}

/* The tightest grid on which the data fit whatever their order. */
static myr_acc_scale tight(int accumulator, const data *x)
{
    const int sums = accumulator == MYR_ACCUMULATOR_narumi ? 4 : 0;
    const double largest = accumulator == MYR_ACCUMULATOR_nitadori_large ? x->size : x->most;
    return grid_of(accumulator, ilogb(largest) + 2 + sums);
}

static double square(double x)
{
    return x * x;
}

/* The sum of those contributions that are larger than the sum before them. */
static double larger_than_sum(const data *x)
{
    double sum = 0, larger = 0;
    for (int i = 0; i < DATA_N; i++) {
        const double y = (double)x->s[i];
        larger += fabs(y) > fabs(sum) ? fabs(y) : 0;
        sum += y;
    }
    return larger;
}

/* The bounds as the headers state them, n = DATA_N contributions folded every `steps`. */
static double bound_single(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    return DATA_N * 0x1p-24 * x->size;
}

static double bound_chamomile(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    return ((double)steps * 0x1p-24 + (double)(DATA_N / steps + 1) * 0x1p-53) * x->size;
}

static double bound_double(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    return DATA_N * 0x1p-53 * x->size;
}

static double bound_takahashi(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    return 2 * DATA_N * 0x1p-48 * x->size;
}

static double bound_nitadori(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    return 0x1p-24 * larger_than_sum(x) + square(DATA_N) * 0x1p-49 * x->size;
}

static double bound_nitadori_large(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)x;
    (void)steps;
    return square(DATA_N) * 0x1p-26 * c->coarse;
}

static double bound_grid(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)steps;
    return DATA_N / 2 * c->fine + 0x1p-53 * fabs(ldexp((double)x->products, DATA_UNIT));
}

static double bound_exact(const data *x, const myr_acc_scale *c, int64_t steps)
{
    (void)c;
    (void)steps;
    return DATA_N * 0x1p-104 * x->size + 0x1p-53 * fabs(ldexp((double)x->products, DATA_UNIT));
}

/* `fused`: whether the products are summed, or the products rounded to float. `used`: the largest share of the bound
 * that any data set takes, as measured; a bound of which nothing is used says nothing. */
typedef struct {
    const char *name;
    const drive *drive;
    int accumulator;
    int fused;
    double (*bound)(const data *x, const myr_acc_scale *c, int64_t steps);
    double used;
} promise;

static const promise promises[] = {
    {"single", &single_drive, MYR_ACCUMULATOR_single, 1, bound_single, 0.75},
    {"chamomile", &single_drive, MYR_ACCUMULATOR_chamomile, 1, bound_chamomile, 0.75},
    {"double", &double_drive, MYR_ACCUMULATOR_double, 0, bound_double, 0.0018},
    {"takahashi", &takahashi_drive, MYR_ACCUMULATOR_takahashi, 0, bound_takahashi, 0.0009},
    {"nitadori", &nitadori_drive, MYR_ACCUMULATOR_nitadori, 0, bound_nitadori, 0.0127},
    {"nitadori_large", &nitadori_drive, MYR_ACCUMULATOR_nitadori_large, 0, bound_nitadori_large, 0.0095},
    {"narumi", &narumi_drive, MYR_ACCUMULATOR_narumi, 1, bound_grid, 0.25},
    {"fixed", &fixed_drive, MYR_ACCUMULATOR_fixed, 1, bound_grid, 0.0127},
    {"exact", &exact_drive, MYR_ACCUMULATOR_double, 1, bound_exact, 0.778},
};

enum { PROMISES = sizeof promises / sizeof *promises };

static double share_of_bound(const promise *p, const data *x, int64_t steps)
{
    const myr_acc_scale c = tight(p->accumulator, x);
    myr_word words[MYR_ACC_WORDS];
    memset(words, 0, sizeof words);
    const uint32_t flag = p->drive->feed(x->s, x->d, DATA_N, steps, &c, words);
    const double error = data_error(p->drive->value(words, &c), p->fused ? x->products : x->rounded);
    const double bound = p->bound(x, &c, steps);
    assert_int_equal(flag, 0);
    if (!(error <= bound))
        fail_msg("%s, data '%s', %lld at a time: error %.3g, promised %.3g", p->name, x->name, (long long)steps, error,
                 bound);
    return bound > 0 ? error / bound : 0;
}

static void test_bounds(void **state)
{
    (void)state;
    static data x;
    for (int k = 0; k < PROMISES; k++) {
        double most = 0;
        for (int set = 0; set < DATA_SETS; set++) {
            const int64_t steps[] = {1, 13, promises[k].drive->max_steps};
            data_make(set, &x);
            for (int n = 0; n < 3; n++)
                most = fmax(most, share_of_bound(&promises[k], &x, steps[n]));
        }
        print_message("%-15s uses %.3g of its bound, at least %.3g wanted\n", promises[k].name, most,
                      promises[k].used / 5);
        assert_true(most >= promises[k].used / 5);
    }
}

/* Where the plain sum is stuck at its first contribution, the others are not. */
static void test_hidden_contributions(void **state)
{
    (void)state;
    static data x;
    data_make(1, &x);
    const double all = ldexp((double)x.products, DATA_UNIT), rest = all - 1;
    for (int k = 0; k < PROMISES; k++) {
        const myr_acc_scale c = tight(promises[k].accumulator, &x);
        myr_word words[MYR_ACC_WORDS];
        memset(words, 0, sizeof words);
        promises[k].drive->feed(x.s, x.d, DATA_N, promises[k].drive->max_steps, &c, words);
        const double got = promises[k].drive->value(words, &c);
        if (promises[k].drive == &single_drive)
            assert_true(got == 1);
        else
            assert_true(fabs(got - all) < 1e-3 * rest);
    }
}

static const promise *promise_of(const char *name)
{
    for (int k = 0; k < PROMISES; k++)
        if (strcmp(promises[k].name, name) == 0)
            return &promises[k];
    return NULL;
}

/* Sums the data in parts of uneven lengths, each folded in its own way, and merges the parts. */
static double in_parts(const drive *d, const data *x, const myr_acc_scale *c, uint64_t seed)
{
    myr_word sum[MYR_ACC_WORDS];
    memset(sum, 0, sizeof sum);
    for (int64_t begin = 0, part = 0; begin < DATA_N; part++) {
        const int64_t rest = DATA_N - begin, wanted = 1 + (int64_t)(900 * data_uniform(seed, part, 0));
        const int64_t count = wanted < rest ? wanted : rest;
        const int64_t steps = 1 + (int64_t)((double)(d->max_steps - 1) * data_uniform(seed, part, 1));
        myr_word words[MYR_ACC_WORDS];
        memset(words, 0, sizeof words);
        assert_int_equal(d->feed(x->s + begin, x->d + begin, count, steps, c, words), 0);
        d->merge(sum, words);
        begin += count;
    }
    return d->value(sum, c);
}

/* The same bits for any order, any folding, any parts; the plain sum shows that the data can tell. */
static void test_order(void **state)
{
    (void)state;
    static data x;
    static const char *const ordered[] = {"narumi", "fixed", "single"};
    int differs = 0;
    for (int k = 0; k < 3; k++)
        for (int set = 0; set < DATA_SETS; set++) {
            const promise *p = promise_of(ordered[k]);
            data_make(set, &x);
            const myr_acc_scale c = tight(p->accumulator, &x);
            const double first = in_parts(p->drive, &x, &c, 1);
            for (uint64_t seed = 2; seed < 6; seed++) {
                data_shuffle(&x, seed);
                const double now = in_parts(p->drive, &x, &c, seed);
                if (k < 2 && memcmp(&now, &first, sizeof now) != 0)
                    fail_msg("%s, data '%s': %a, was %a", p->name, x.name, now, first);
                differs += now != first;
            }
        }
    assert_true(differs > 0);
}

/* f and -f add up to exactly 0, in any order; so does a sum merged with its negative. */
static void test_opposites(void **state)
{
    (void)state;
    static data x;
    static const char *const ordered[] = {"narumi", "fixed"};
    for (int k = 0; k < 2; k++)
        for (int set = 0; set < DATA_SETS; set++) {
            const promise *p = promise_of(ordered[k]);
            data_make(set, &x);
            for (int i = 0; i < DATA_N / 2; i++) {
                x.s[DATA_N / 2 + i] = -x.s[i];
                x.d[DATA_N / 2 + i] = x.d[i];
            }
            data_shuffle(&x, 9);
            data_finish(&x);
            const myr_acc_scale c = tight(p->accumulator, &x);
            assert_true(in_parts(p->drive, &x, &c, 1) == 0);

            data_make(set, &x);
            myr_word words[MYR_ACC_WORDS] = {{0}}, minus[MYR_ACC_WORDS];
            assert_int_equal(p->drive->feed(x.s, x.d, DATA_N, p->drive->max_steps, &c, words), 0);
            assert_true(p->drive->value(words, &c) != 0);
            memcpy(minus, words, sizeof minus);
            p->drive->negate(minus);
            assert_true(p->drive->value(minus, &c) == -p->drive->value(words, &c));
            p->drive->merge(words, minus);
            assert_true(p->drive->value(words, &c) == 0);
        }
}

/* Whether an accumulator flags n equal contributions; the sum must be right where it does not. */
static int flags(const char *name, int exponent, real y, int64_t n)
{
    const promise *p = promise_of(name);
    const myr_acc_scale c = grid_of(p->accumulator, exponent);
    myr_word words[MYR_ACC_WORDS] = {{0}};
    real s[256], d[256];
    assert_true(n <= 256 && n <= p->drive->max_steps);
    for (int64_t i = 0; i < n; i++) {
        s[i] = y;
        d[i] = K(1);
    }
    const uint32_t flag = p->drive->feed(s, d, n, n, &c, words);
    if (!flag)
        assert_true(data_error(p->drive->value(words, &c), (__int128)n * data_exact((double)y)) <=
                    (double)n / 2 * c.fine);
    return flag != 0;
}

/* `fixed`: what rounds to half the constant or more is flagged, each contribution for itself; all that fits can be
 * added max_steps times without a fold. u: unit of the coarse grid. */
static void test_range_of_fixed(void **state)
{
    (void)state;
    const int e = 10;
    const real half = K(0x1p9), u = K(0x1p-13);
    for (int64_t n = 1; n <= 256; n *= 256) {
        assert_int_equal(flags("fixed", e, half - K(0.75) * u, n), 0);
        assert_int_equal(flags("fixed", e, half - K(0.5) * u, n), 1);
        assert_int_equal(flags("fixed", e, half, n), 1);
        assert_int_equal(flags("fixed", e, K(1000) * half, n), 1);
        assert_int_equal(flags("fixed", e, K(INFINITY), n), 1);
        assert_int_equal(flags("fixed", e, -half, n), 0);
        assert_int_equal(flags("fixed", e, -half - K(0.5) * u, n), 1);
        assert_int_equal(flags("fixed", e, K(-1000) * half, n), 1);
        assert_int_equal(flags("fixed", e, K(-INFINITY), n), 1);
        assert_int_equal(flags("fixed", e, K(NAN), n), 1);
        assert_int_equal(flags("fixed", e, K(0), n), 0);
        assert_int_equal(flags("fixed", e, K(0.5) * u, n), 0); /* ties, which carry the largest remainders */
        assert_int_equal(flags("fixed", e, K(-1.5) * u, n), 0);
        assert_int_equal(flags("fixed", e, K(0x1p-70), n), 0);
    }
    /* one that does not fit is not forgotten among those that do */
    const myr_acc_scale c = grid_of(MYR_ACCUMULATOR_fixed, e);
    real s[100], d[100];
    for (int i = 0; i < 100; i++) {
        s[i] = i == 37 ? half : i == 38 ? -half : K(1);
        d[i] = K(1);
    }
    myr_word words[MYR_ACC_WORDS] = {{0}};
    assert_int_equal(fixed_drive.feed(s, d, 100, 10, &c, words), 1);
}

/* `narumi`: 16 contributions up to 2^(e-5) less a unit always fit; the running sum between folds is what can leave. */
static void test_range_of_narumi(void **state)
{
    (void)state;
    const int e = 10;
    const real limit = K(0x1p5), u = K(0x1p-13);
    assert_int_equal(flags("narumi", e, limit - u, 16), 0);
    assert_int_equal(flags("narumi", e, -limit, 16), 0);
    assert_int_equal(flags("narumi", e, limit + u, 16), 1);
    assert_int_equal(flags("narumi", e, -limit - u, 16), 1);
    assert_int_equal(flags("narumi", e, limit + u, 15), 0);
    assert_int_equal(flags("narumi", e, K(0x1p9), 1), 1);
    assert_int_equal(flags("narumi", e, K(INFINITY), 1), 1);
    assert_int_equal(flags("narumi", e, K(NAN), 1), 1);
    assert_int_equal(flags("narumi", e, K(0.5) * u, 16), 0); /* the largest remainders */
    assert_int_equal(flags("narumi", e, K(-0.5) * u, 16), 0);
}

/* `nitadori_large`: a sum that ends a fold outside the offset's binade. */
static void test_range_of_nitadori_large(void **state)
{
    (void)state;
    const myr_acc_scale c = grid_of(MYR_ACCUMULATOR_nitadori_large, 10);
    const real half = K(0x1p9), one = K(1);
    static const struct {
        double y;
        int flag;
    } rows[] = {{511, 0}, {-511, 0}, {512, 1}, {-512, 1}, {1e30, 1}, {INFINITY, 1}, {-INFINITY, 1}, {NAN, 1}, {0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        myr_word words[MYR_ACC_WORDS] = {{0}};
        const real y = K(rows[k].y);
        assert_int_equal(nitadori_drive.feed(&y, &one, 1, 1, &c, words), rows[k].flag);
    }
    /* back inside before the fold: exact all the same */
    const real there[] = {half, half, half, -half, -half, K(0x1p-20)}, ones[] = {1, 1, 1, 1, 1, 1};
    myr_word words[MYR_ACC_WORDS] = {{0}};
    nitadori_drive.feed(there, ones, 6, 6, &c, words);
    assert_true(nitadori_drive.value(words, &c) == 0x1p9 + 0x1p-20);
}

/* `range`: the largest |f| exactly, whatever the order; a NaN shows in the sum. */
static void test_range_itself(void **state)
{
    (void)state;
    static data x;
    const myr_acc_scale c = {0};
    for (int set = 0; set < DATA_SETS; set++) {
        data_make(set, &x);
        for (uint64_t seed = 1; seed < 3; seed++) {
            myr_word words[MYR_ACC_WORDS] = {{0}};
            data_shuffle(&x, seed);
            range_drive.feed(x.s, x.d, DATA_N, 256, &c, words);
            assert_true(words[0].f == x.most);
            assert_true(fabs(range_drive.value(words, &c) - x.size) <= 256 * 0x1p-24 * x.size);
        }
        myr_word words[MYR_ACC_WORDS] = {{0}};
        x.s[100] = K(NAN);
        range_drive.feed(x.s, x.d, DATA_N, 256, &c, words);
        assert_true(isnan(range_drive.value(words, &c)));
    }
}

/* The sum_error that the library reports: rms over targets of |sum - exact sum of the same contributions|, relative.
 * 64 targets in a Plummer sphere of 16384, all instruction sets, single arithmetic. */
static const struct {
    const char *accumulator;
    double bar, measured;
} sum_errors[] = {
    {"single", 2e-6, 1.03e-6},   {"double", 1e-16, 4.5e-17},       {"takahashi", 5e-15, 2.1e-15},
    {"nitadori", 5e-9, 1.8e-9},  {"nitadori_large", 3e-9, 1.1e-9}, {"narumi", 4e-10, 1.8e-10},
    {"chamomile", 1e-7, 4.4e-8}, {"fixed", 4e-12, 8.9e-13},
};

static void test_sum_error(void **state)
{
    (void)state;
    myr_context *context;
    myr_particles *stars;
    int64_t index[64];
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    assert_int_equal(myr_model_create(context, "plummer", 16384, 1, &stars), MYR_OK);
    for (int64_t i = 0; i < 64; i++)
        index[i] = i;
    for (int a = 0; myr_accumulator(a); a++) {
        size_t row = 0;
        double worst = 0;
        while (row < sizeof sum_errors / sizeof *sum_errors &&
               strcmp(sum_errors[row].accumulator, myr_accumulator(a)->name) != 0)
            row++;
        if (row == sizeof sum_errors / sizeof *sum_errors)
            fail_msg("accumulator %s has no row in sum_errors", myr_accumulator(a)->name);
        for (int i = 0; myr_isa(i); i++) {
            myr_interaction *f;
            myr_accuracy accuracy;
            if (!myr_isa(i)->available)
                continue;
            assert_int_equal(myr_interaction_create(context, "gravity", &f), MYR_OK);
            assert_int_equal(myr_interaction_set(f, "eps", 0.01), MYR_OK);
            assert_int_equal(myr_interaction_choose(f, "arithmetic", "single"), MYR_OK);
            assert_int_equal(myr_interaction_choose(f, "accumulator", myr_accumulator(a)->name), MYR_OK);
            assert_int_equal(myr_interaction_choose(f, "isa", myr_isa(i)->name), MYR_OK);
            assert_int_equal(myr_interaction_evaluate_subset(f, stars, 64, index), MYR_OK);
            assert_int_equal(myr_interaction_accuracy(f, stars, stars, "acceleration", 64, &accuracy), MYR_OK);
            assert_int_equal(accuracy.samples, 64);
            worst = fmax(worst, accuracy.sum_error);
            myr_interaction_destroy(&f);
        }
        print_message("%-15s sum_error %.3g, bar %.3g\n", myr_accumulator(a)->name, worst, sum_errors[row].bar);
        assert_true(sum_errors[row].bar <= 5 * sum_errors[row].measured);
        assert_true(worst <= sum_errors[row].bar);
    }
    myr_particles_destroy(&stars);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_hidden_contributions),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_opposites),
        cmocka_unit_test(test_range_of_fixed),
        cmocka_unit_test(test_range_of_narumi),
        cmocka_unit_test(test_range_of_nitadori_large),
        cmocka_unit_test(test_range_itself),
        cmocka_unit_test(test_sum_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
