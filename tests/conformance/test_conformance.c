/* test_conformance.c - every kernel x accumulator x arithmetic x instruction set against `ref` in double arithmetic.
 *
 * Bound, per output component of each target:  |result - reference| <= c * factor * 2^-24 * sum_j |f_ij|
 * with c per accumulator and factor per kernel from the two tables below, and 1e-14 in place of c 2^-24 in double
 * arithmetic. The catalogue is walked, so that a new member is tested the moment it is listed; a new accumulator needs
 * its row in `bars`. What is refused must be refused by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "interaction/interaction.h"

/* c, and what was measured: the worst over all kernels (divided by their factors), arithmetics and instruction sets. In
 * c the rounding of the pairs rules, so `sum` bounds what the sum itself adds, against the exact sum of the same
 * contributions: units of 2^-24 sum|f|, or of 2^-53 sum|f| in double arithmetic. */
static const struct {
    const char *accumulator;
    double c, measured;
    double sum, sum_measured;
    double sum_double, sum_double_measured;
} bars[] = {
    {"single", 20, 10.3, 20, 10.4, 0, 0},
    {"double", 12, 5.7, 7e-9, 3.4e-9, 20, 9.4},
    {"takahashi", 12, 5.7, 2e-7, 8.5e-8, 0, 0},
    {"nitadori", 12, 6.0, 2, 0.95, 0, 0},
    {"nitadori_large", 12, 5.7, 0.01, 0.0041, 0, 0},
    {"narumi", 12, 5.7, 0.5, 0.23, 0, 0},
    {"chamomile", 20, 10.3, 20, 10.4, 0, 0},
    {"fixed", 12, 5.7, 1.5, 0.74, 1, 0},
};

/* Formulas that amplify the rounding of their own steps, by the beginning of their names, and why. */
static const struct {
    const char *kernel;
    double factor;
    const char *why;
} amplified[] = {
    {"lennard_jones", 10, "(sigma/r)^14 takes the roundings of sigma^2 and r^2 seven times, less (sigma/r)^8: 41"},
    {"ljc_", 10, "as lennard_jones: 46"},
    {"gb_integral", 25, "s/r^2 - s/r^2 = s^3/r^4 for small spheres far away: 200"},
    {"gb_chain", 4, "as gb_integral, but most of the sum is near: 35"},
    {"gravity_jerk", 3, "v - 3 (r.v) r / R^2 cancels within one contribution: 11"},
};

enum { BARS = sizeof bars / sizeof *bars, AMPLIFIED = sizeof amplified / sizeof *amplified, MANY = 131, SEEDS = 4 };
static const double double_bar = 1e-14; /* measured 5.6e-15: ljc_constant; 1.2e-15 without that family */

static double worst[BARS]; /* in units of 2^-24 sum|f|, divided by the kernel's factor */
static double worst_double;
static double worst_sum[BARS][2]; /* in float arithmetics, in double */

static int bar_of(const char *accumulator)
{
    for (int k = 0; k < BARS; k++)
        if (strcmp(bars[k].accumulator, accumulator) == 0)
            return k;
    fail_msg("accumulator %s has no row in the table of bars", accumulator);
    return 0;
}

static double factor_of(const char *kernel)
{
    for (int k = 0; k < AMPLIFIED; k++)
        if (strncmp(amplified[k].kernel, kernel, strlen(amplified[k].kernel)) == 0)
            return amplified[k].factor;
    return 1;
}

/* One pair of sets; targets and sources may be the same. */
typedef struct {
    myr_context *context;
    const char *kernel;
    myr_particles *targets, *sources;
    int excludes;
    int sums; /* whether to look at the sums by themselves */
    int64_t n;
    int outputs;
    double reference[SCENE_OUTPUTS * MANY], size[SCENE_OUTPUTS * MANY]; /* [outputs][n]; size: sum_j |f_ij| */
} scene;

static myr_interaction *scene_choose(const scene *s, const char *accumulator, const char *arithmetic, const char *isa)
{
    myr_interaction *f = scene_interaction(s->context, s->kernel);
    if (s->excludes)
        scene_exclude(f, s->n, myr_particles_count(s->sources), MYR_EXCLUDE_ON_THE_FLY);
    assert_int_equal(myr_interaction_choose(f, "accumulator", accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
    scene_choose_isa(f, isa);
    return f;
}

/* sum_j |f_ij| with the library's own `range` sums in double arithmetic, without vectors. */
static void scene_measure(scene *s, const myr_interaction *f)
{
    myr_problem p;
    myr_direct_result result = {0};
    assert_int_equal(myr_problem_make(f, myr_catalogue_arithmetic("double"), myr_interaction_isa(f, 0), s->targets,
                                      s->n, NULL, s->sources, &p),
                     MYR_OK);
    myr_problem_use(&p, MYR_ACC_range, MYR_ACCUMULATOR_single, f->grid);
    for (int k = 0; k < s->outputs; k++)
        result.value[k] = s->size + k * s->n;
    assert_int_equal(myr_direct_run(&p.direct, &result), MYR_OK);
    myr_problem_free(&p);
}

static void scene_refer(scene *s)
{
    myr_interaction *f = scene_choose(s, "double", "double", "scalar");
    scene_evaluate(s->context, f, s->targets, s->sources);
    s->outputs = scene_copy(s->kernel, s->targets, s->reference);
    scene_measure(s, f);
    myr_interaction_destroy(&f);
}

/* The worst |result - reference| / sum|f|; a component to which nothing contributes must be 0. */
static double scene_error(const scene *s)
{
    const double *out[SCENE_OUTPUTS];
    double most = 0;
    scene_outputs(s->kernel, s->targets, out);
    for (int k = 0; k < s->outputs; k++)
        for (int64_t i = 0; i < s->n; i++) {
            const double error = fabs(out[k][i] - s->reference[k * s->n + i]), size = fabs(s->size[k * s->n + i]);
            if (!(error >= 0) || (size == 0 && error > 0))
                return INFINITY;
            most = size > 0 ? fmax(most, error / size) : most;
        }
    return most;
}

/* What the sum itself adds to the error of its pairs, over all outputs; in units of 2^-24 sum|f| (2^-53). */
static double scene_sum_error(const scene *s, myr_interaction *f)
{
    const myr_kernel_info *k = myr_kernel_find(s->kernel);
    double most = 0;
    for (int o = 0; s->sums && o < 8 && k->output[o].name; o++) {
        myr_accuracy a;
        assert_int_equal(myr_interaction_accuracy(f, s->targets, s->sources, k->output[o].name, s->n, &a), MYR_OK);
        most = fmax(most, a.sum_bound_used);
    }
    return most;
}

/* Runs one combination over a scene; returns whether it is one that exists. */
static int combination_runs(const scene *s, const myr_accumulator_info *acc, const char *arithmetic, const char *isa,
                            double *sum)
{
    myr_interaction *f = scene_choose(s, acc->name, arithmetic, isa);
    const myr_status status = myr_interaction_evaluate(f, s->targets, s->sources);
    const char *message = myr_context_message(s->context);
    *sum = status ? 0 : scene_sum_error(s, f);
    myr_interaction_destroy(&f);
    if (!strstr(acc->arithmetics, arithmetic)) {
        assert_int_equal(status, MYR_ERROR_COMBINATION);
        assert_non_null(strstr(message, acc->name));
        assert_non_null(strstr(message, arithmetic));
        return 0;
    }
    if (status)
        fail_msg("%s %s %s %s: %s", s->kernel, acc->name, arithmetic, isa, message);
    return 1;
}

static void combination_check(const scene *s, const myr_accumulator_info *acc, const char *arithmetic, const char *isa)
{
    double sum;
    if (!combination_runs(s, acc, arithmetic, isa, &sum))
        return;
    const int row = bar_of(acc->name), is_double = strcmp(arithmetic, "double") == 0;
    const double error = scene_error(s);
    const double units = error / (is_double ? double_bar : 0x1p-24) / (is_double ? 1 : factor_of(s->kernel));
    double *most = is_double ? &worst_double : &worst[row];
    *most = fmax(*most, units);
    if (getenv("MYR_CONFORMANCE_ALL"))
        print_message("%s %s %s %s %lld x %lld: %.3g\n", s->kernel, acc->name, arithmetic, isa, (long long)s->n,
                      (long long)myr_particles_count(s->sources), units);
    if (!(units <= (is_double ? 1 : bars[row].c)))
        fail_msg("%s %s %s %s, %lld targets: error %.3g sum|f|, %.3g of the unit, bar %g", s->kernel, acc->name,
                 arithmetic, isa, (long long)s->n, error, units, is_double ? 1 : bars[row].c);
    const double sum_bar = is_double ? bars[row].sum_double : bars[row].sum;
    worst_sum[row][is_double] = fmax(worst_sum[row][is_double], sum);
    if (!(sum <= sum_bar))
        fail_msg("%s %s %s %s, %lld targets: the sum adds %.3g units, bar %g", s->kernel, acc->name, arithmetic, isa,
                 (long long)s->n, sum, sum_bar);
}

/* All accumulators and instruction sets in one arithmetic. */
static void scene_check(const scene *s, const char *arithmetic)
{
    const myr_accumulator_info *acc;
    int ran = 0;
    for (int a = 0; (acc = myr_accumulator(a)); a++)
        for (int i = 0; scene_isa(i); i++, ran++)
            combination_check(s, acc, arithmetic, scene_isa(i));
    assert_true(ran >= 2);
}

/* targets 0: the sources themselves */
static void scene_run(myr_context *context, const char *kernel, int64_t targets, int64_t sources, int excludes,
                      uint64_t seed)
{
    for (int floats = 0; floats < 2; floats++) {
        scene *s = calloc(1, sizeof *s);
        assert_non_null(s);
        s->context = context;
        s->kernel = kernel;
        s->excludes = excludes;
        s->sums = seed == 1 && (targets == 0 || targets == 3);
        s->sources = scene_particles(context, kernel, sources, seed, 0, floats);
        s->targets = targets ? scene_particles(context, kernel, targets, seed + 1, 1, floats) : s->sources;
        s->n = myr_particles_count(s->targets);
        assert_true(s->n <= MANY);
        scene_refer(s);
        const myr_choice_info *arithmetic;
        for (int a = 0; (arithmetic = myr_arithmetic(a)); a++)
            if ((strcmp(arithmetic->name, "single") == 0) == floats) /* a float position is all that single can see */
                scene_check(s, arithmetic->name);
        if (targets)
            myr_particles_destroy(&s->targets);
        myr_particles_destroy(&s->sources);
        free(s);
    }
}

/* Not multiples of any lane width; 17, 3 and 1 targets are repeated across the lanes, each a different number of
 * times. */
static void test_every_combination(void **state)
{
    (void)state;
    static const struct {
        int64_t targets, sources;
    } sizes[] = {{0, 97}, {61, 130}, {17, 131}, {3, 131}, {1, 131}};
    myr_context *context;
    const myr_kernel_info *kernel;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    for (int k = 0; (kernel = scene_kernel(k)); k++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                scene_run(context, kernel->name, sizes[n].targets, sizes[n].sources, 0, seed);
        if (kernel->pair[0]) {
            scene_run(context, kernel->name, 0, 97, 1, 1);
            scene_run(context, kernel->name, 3, 131, 1, 1);
        }
    }
    myr_context_destroy(&context);
}

/* The bars stay within five times what is measured, and the suite says what it measured. */
static void test_bars_are_tight(void **state)
{
    (void)state;
    for (int k = 0; k < BARS; k++) {
        print_message("%-15s worst %.3g, bar %g (2^-24 sum|f|); the sum alone %.3g, bar %g; in double %.3g, bar %g\n",
                      bars[k].accumulator, worst[k], bars[k].c, worst_sum[k][0], bars[k].sum, worst_sum[k][1],
                      bars[k].sum_double);
        assert_true(bars[k].c <= 5 * bars[k].measured && bars[k].sum <= 5 * bars[k].sum_measured);
        /* one unit is the rounding of the result itself */
        assert_true(bars[k].sum_double <= fmax(1, 5 * bars[k].sum_double_measured));
    }
    print_message("double arithmetic worst %.3g sum|f|, bar %g\n", worst_double * double_bar, double_bar);
}

/* An instruction set belongs to one backend; the other does not have it. */
static void test_backends(void **state)
{
    (void)state;
    myr_context *context;
    myr_interaction *f;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = scene_particles(context, "gravity", 5, 1, 0, 0);
    assert_int_equal(myr_interaction_create(context, "gravity", &f), MYR_OK);
    for (int i = 0; myr_isa(i); i++) {
        const char *isa = myr_isa(i)->name, *its = myr_backend_isa(i)->backend;
        assert_int_equal(myr_interaction_choose(f, "isa", isa), MYR_OK);
        for (int b = 0; myr_backend(b); b++) {
            const char *backend = myr_backend(b)->name;
            const int fits = strcmp(backend, "auto") == 0 || strcmp(backend, its) == 0;
            assert_int_equal(myr_interaction_choose(f, "backend", backend), MYR_OK);
            const myr_status status = myr_interaction_evaluate(f, p, p);
            if (!fits) {
                assert_int_equal(status, MYR_ERROR_COMBINATION);
                assert_non_null(strstr(myr_context_message(context), isa));
                assert_non_null(strstr(myr_context_message(context), backend));
            } else if (!myr_isa(i)->available) {
                assert_int_equal(status, MYR_ERROR_UNAVAILABLE);
                assert_non_null(strstr(myr_context_message(context), isa));
            } else {
                assert_int_equal(status, MYR_OK);
                assert_string_equal(myr_interaction_choice(f, "isa"), isa);
                assert_string_equal(myr_interaction_choice(f, "backend"), its);
            }
        }
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(int argc, char **argv)
{
    const int skipped = scene_begin(argc, argv);
    if (skipped)
        return skipped;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination),
        cmocka_unit_test(test_bars_are_tight),
        cmocka_unit_test(test_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
