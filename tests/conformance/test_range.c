/* test_range.c - grids of `fixed`, `narumi` and `nitadori_large`: a contribution that does not fit is found, on every
 * instruction set and in every lane. `fixed` adds it all the same; elsewhere what was set by the user is refused, what
 * was chosen is chosen again; a grid that is too coarse for most is said so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "unit/alone.h"

enum { N = 97 };

static myr_interaction *choose(myr_context *context, const char *kernel, const char *accumulator,
                               const char *arithmetic, const char *isa)
{
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
    scene_choose_isa(f, isa);
    return f;
}

/* Walks instruction sets and the arithmetics of an accumulator. */
static void for_each(myr_context *context, const char *accumulator,
                     void (*check)(myr_context *context, const char *accumulator, const char *arithmetic,
                                   const char *isa))
{
    const myr_accumulator_info *acc = myr_accumulator(0);
    for (int a = 0; strcmp(acc->name, accumulator) != 0; a++)
        acc = myr_accumulator(a);
    for (int r = 0; myr_arithmetic(r); r++)
        for (int i = 0; scene_isa(i); i++)
            if (strstr(acc->arithmetics, myr_arithmetic(r)->name))
                check(context, accumulator, myr_arithmetic(r)->name, scene_isa(i));
}

static void check_too_small(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    myr_particles *p = scene_particles(context, "gravity_potential", N, 1, 0, 0);
    myr_interaction *f = choose(context, "gravity_potential", accumulator, arithmetic, isa);
    assert_int_equal(myr_interaction_set_scale(f, "potential", -40), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_RANGE);
    assert_non_null(strstr(myr_context_message(context), "potential"));
    assert_non_null(strstr(myr_context_message(context), "-40"));
    assert_null(myr_particles_component(p, "potential", 0)); /* no answer is better than a wrong one */
    assert_int_equal(myr_interaction_set_scale(f, "potential", 20), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    assert_int_equal(myr_interaction_set_scale(f, "acceleration", -30), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_RANGE);
    assert_non_null(strstr(myr_context_message(context), "acceleration"));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

/* On a grid far below all contributions `fixed` adds every one of them to its wide integers, and loses nothing. */
static void check_all_beyond(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    myr_particles *p = scene_particles(context, "gravity_potential", N, 1, 0, 0);
    double right[4][N];
    for (int way = 0; way < 2; way++) {
        myr_interaction *f = choose(context, "gravity_potential", accumulator, arithmetic, isa);
        if (way) {
            assert_int_equal(myr_interaction_set_scale(f, "acceleration", -30), MYR_OK);
            assert_int_equal(myr_interaction_set_scale(f, "potential", -30), MYR_OK);
        }
        scene_evaluate(context, f, p, p);
        for (int k = 0; k < 4; k++) {
            const double *got = myr_particles_component(p, k < 3 ? "acceleration" : "potential", k < 3 ? k : 0);
            for (int64_t i = 0; i < N; i++)
                if (!way)
                    right[k][i] = got[i];
                else if (!(fabs(got[i] - right[k][i]) <= 1e-11 * fabs(right[3][i]))) /* measured: 3e-12 */
                    fail_msg("%s %s: component %d of target %d is %.17g, not %.17g", arithmetic, isa, k, (int)i, got[i],
                             right[k][i]);
        }
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
}

static void test_all_beyond(void **state)
{
    for_each(*state, "fixed", check_all_beyond);
}

static void test_scale_too_small(void **state)
{
    for_each(*state, "narumi", check_too_small);
    for_each(*state, "nitadori_large", check_too_small);
}

/* In the Kolmogorov-Smirnov kernel a contribution is the source's weight, so the limit can be met to the bit. Source
 * `where` has it, all others count for nothing; and no target but itself sees it, a target sees the sources up to its
 * own value: one lane alone has to raise the flag. */
static myr_status weigh(myr_interaction *f, myr_particles *p, int64_t where, double weight)
{
    double *w = myr_particles_component(p, "weight_a", 0);
    for (int64_t i = 0; i < N; i++) {
        w[i] = i == where ? weight : 0;
        myr_particles_component(p, "value", 0)[i] = i == where ? N : (double)i;
    }
    const myr_status status = myr_interaction_evaluate(f, p, p);
    const double *count = myr_particles_component(p, "count_a", 0);
    for (int64_t i = 0; status == MYR_OK && i < N; i++)
        assert_true(count[i] == w[i]);
    return status;
}

/* tests/unit/test_accumulators.c has the exact limits; here every place in the list meets them. */
static void check_limit(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    const double unit = ldexp(1, 10 - (strcmp(arithmetic, "double") == 0 ? 52 : 23));
    const myr_status beyond = strcmp(accumulator, "fixed") == 0 ? MYR_OK : MYR_ERROR_RANGE;
    myr_particles *p = scene_particles(context, "ks", N, 1, 0, 0);
    myr_interaction *f = choose(context, "ks", accumulator, arithmetic, isa);
    assert_int_equal(myr_interaction_set_scale(f, "count_a", 10), MYR_OK);
    assert_int_equal(myr_interaction_set_scale(f, "count_b", 10), MYR_OK);
    for (int64_t where = 0; where < N; where++) {
        assert_int_equal(weigh(f, p, where, 0x1p9 - unit), MYR_OK);
        assert_int_equal(weigh(f, p, where, 0x1p9), beyond);
        assert_int_equal(weigh(f, p, where, -0x1p9 + unit), MYR_OK);
        assert_int_equal(weigh(f, p, where, 0x1.23456p100), beyond);
        assert_int_equal(weigh(f, p, where, -0x1p9 - unit), beyond);
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_limit(void **state)
{
    for_each(*state, "fixed", check_limit);
    for_each(*state, "narumi", check_limit);
}

static void move_near(myr_particles *p, int64_t i, int64_t j, double distance)
{
    for (int c = 0; c < 3; c++)
        myr_particles_component(p, "position", c)[i] = myr_particles_component(p, "position", c)[j];
    myr_particles_component(p, "position", 0)[i] += distance;
}

/* The largest difference from the same sums in double arithmetic, relative to each target's own. */
static double error_against_double(myr_context *context, myr_particles *p)
{
    double got[3][N], worst = 0;
    for (int c = 0; c < 3; c++)
        memcpy(got[c], myr_particles_component(p, "acceleration", c), sizeof got[c]);
    myr_interaction *f = choose(context, "gravity", "double", "double", "scalar");
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    myr_interaction_destroy(&f);
    for (int64_t i = 0; i < N; i++) {
        double error = 0, length = 0;
        for (int c = 0; c < 3; c++) {
            const double right = myr_particles_component(p, "acceleration", c)[i];
            error += pow(got[c][i] - right, 2);
            length += right * right;
        }
        worst = fmax(worst, sqrt(error / length));
    }
    return worst;
}

/* The grid stays while the contributions fit; when two bodies come close that of `fixed` stays too, and others are
 * chosen again: once, with the right answer. */
static void check_repeat(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    myr_particles *p = scene_particles(context, "gravity", N, 1, 0, 0);
    myr_interaction *f = choose(context, "gravity", accumulator, arithmetic, isa);
    const double bar = strcmp(arithmetic, "double") == 0 ? 1e-14 : strcmp(arithmetic, "single") == 0 ? 1e-3 : 1e-5;
    myr_evaluation last;
    int first, kept, raised;
    scene_evaluate(context, f, p, p);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    assert_int_equal(last.repeats, 0);
    assert_int_equal(myr_interaction_scale(f, "acceleration", &first), MYR_OK);

    myr_particles_component(p, "position", 0)[3] += 1e-6;
    scene_evaluate(context, f, p, p);
    assert_int_equal(myr_interaction_scale(f, "acceleration", &kept), MYR_OK);
    assert_int_equal(kept, first);

    move_near(p, 3, 51, 3e-4);
    scene_evaluate(context, f, p, p);
    assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
    const int is_fixed = strcmp(accumulator, "fixed") == 0;
    assert_int_equal(last.repeats, !is_fixed);
    assert_int_equal(myr_interaction_scale(f, "acceleration", &raised), MYR_OK);
    assert_true(is_fixed ? raised == first : raised > first);
    const double error = error_against_double(context, p);
    if (!(error <= bar))
        fail_msg("%s %s %s: error %g after the grid was raised from 2^%d to 2^%d", accumulator, arithmetic, isa, error,
                 first, raised);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_repeat(void **state)
{
    for_each(*state, "fixed", check_repeat);
    for_each(*state, "narumi", check_repeat);
    for_each(*state, "nitadori_large", check_repeat);
}

typedef struct {
    int calls;
    char text[512];
} note;

static void note_warning(void *user, const char *text)
{
    note *n = user;
    n->calls++;
    strncpy(n->text, text, sizeof n->text - 1);
}

/* One hard pair coarsens the grid of `narumi` for all: said once per evaluation, and not for `fixed`. */
static void test_warning(void **state)
{
    myr_context *context = *state;
    myr_particles *p = scene_particles(context, "gravity", N, 1, 0, 0);
    note n = {0};
    assert_int_equal(myr_context_set_warning(context, note_warning, &n), MYR_OK);
    myr_interaction *f = choose(context, "gravity", "narumi", "mixed", scene_asked.cuda ? "cuda" : "auto");
    scene_evaluate(context, f, p, p);
    assert_int_equal(n.calls, 0);
    move_near(p, 3, 51, 1e-7);
    scene_evaluate(context, f, p, p);
    assert_int_equal(n.calls, 1);
    assert_non_null(strstr(n.text, "acceleration"));
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    scene_evaluate(context, f, p, p);
    assert_int_equal(n.calls, 1);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    scene_evaluate(context, f, p, p);
    assert_int_equal(n.calls, 1);
    assert_int_equal(myr_context_set_warning(context, NULL, NULL), MYR_OK);
    assert_int_equal(myr_context_set_warning(NULL, note_warning, NULL), MYR_ERROR_ARGUMENT);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

/* The warning starts where a unit of the fine grid is 1e-7 of the median: the exponent is known to one power of two. */
static void test_warning_threshold(void **state)
{
    myr_context *context = *state;
    myr_particles *p = scene_particles(context, "ks", N, 1, 0, 0);
    note n = {0};
    assert_int_equal(myr_context_set_warning(context, note_warning, &n), MYR_OK);
    for (int64_t i = 0; i < N; i++) {
        myr_particles_component(p, "value", 0)[i] = 1; /* so that every count is the same: N */
        myr_particles_component(p, "weight_a", 0)[i] = 1;
        myr_particles_component(p, "weight_b", 0)[i] = 1;
    }
    for (int exponent = 20; exponent < 40; exponent++) {
        myr_interaction *f = choose(context, "ks", "fixed", "mixed", scene_asked.cuda ? "cuda" : "auto");
        n.calls = 0;
        assert_int_equal(myr_interaction_set_scale(f, "count_a", exponent), MYR_OK);
        assert_int_equal(myr_interaction_set_scale(f, "count_b", 20), MYR_OK);
        scene_evaluate(context, f, p, p);
        assert_int_equal(n.calls, ldexp(1, exponent - 45) > 1e-7 * N);
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
}

/* Bodies at the same place give no number: that is not a matter of the scale, whoever chose it. */
static void check_coincident(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    myr_particles *p = scene_particles(context, "gravity", N, 1, 0, 0);
    for (int way = 0; way < 4; way++) {
        myr_interaction *f = choose(context, "gravity", accumulator, arithmetic, isa);
        myr_evaluation last;
        /* 4: so that the fast loop meets the pair; else the bags of the loops differ, and some may have met it masked
         */
        assert_int_equal(myr_interaction_tune(f, "bag", way / 2 ? 0 : 4), MYR_OK);
        if (way % 2)
            assert_int_equal(myr_interaction_set_scale(f, "acceleration", 30), MYR_OK);
        move_near(p, 3, 51, 0.1);
        scene_evaluate(context, f, p, p);
        move_near(p, 3, 51, 0);
        scene_evaluate(context, f, p, p);
        assert_int_equal(myr_interaction_last(f, &last), MYR_OK);
        assert_int_equal(last.skipped, 2);
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
}

static void test_coincident(void **state)
{
    for_each(*state, "fixed", check_coincident);
    for_each(*state, "narumi", check_coincident);
    for_each(*state, "nitadori_large", check_coincident);
}

/* Very small and very large numbers have grids too; below that of the smallest floats the warning is due. */
static void check_extremes(myr_context *context, const char *accumulator, const char *arithmetic, const char *isa)
{
    static const double sizes[] = {1e-35, 1e-30, 1e-25, 1e-20, 1e-10, 1, 1e10, 1e20, 1e30};
    note n = {0};
    assert_int_equal(myr_context_set_warning(context, note_warning, &n), MYR_OK);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        myr_particles *p = scene_particles(context, "ks", N, 1, 0, 0);
        myr_interaction *f = choose(context, "ks", accumulator, arithmetic, isa);
        double sum = 0;
        for (int64_t i = 0; i < N; i++) {
            myr_particles_component(p, "value", 0)[i] = 1;
            sum += myr_particles_component(p, "weight_a", 0)[i] = (float)(sizes[k] * (1 + (double)i / N));
        }
        n.calls = 0;
        scene_evaluate(context, f, p, p);
        const double got = myr_particles_component(p, "count_a", 0)[5];
        if (!(fabs(got - sum) <= (n.calls ? 0.05 : 1e-5) * sum))
            fail_msg("%s %s %s: weights of %g add up to %g, not %g", accumulator, arithmetic, isa, sizes[k], got, sum);
        assert_true(!n.calls || sizes[k] < 1e-27);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
}

static void test_extremes(void **state)
{
    for_each(*state, "fixed", check_extremes);
    for_each(*state, "narumi", check_extremes);
    for_each(*state, "nitadori_large", check_extremes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, alone_setup, alone_teardown)

int main(int argc, char **argv)
{
    const int skipped = scene_begin(argc, argv);
    if (skipped)
        return skipped;
    const struct CMUnitTest tests[] = {
        TEST(test_all_beyond), TEST(test_scale_too_small),   TEST(test_limit),      TEST(test_repeat),
        TEST(test_warning),    TEST(test_warning_threshold), TEST(test_coincident), TEST(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
