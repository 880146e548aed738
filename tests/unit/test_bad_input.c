/* test_bad_input.c - what cannot be computed is refused with a status and a sentence that names the culprit: numbers
 * that are not finite, fields that are missing or do not fit, null pointers, lists that are not what they should be. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "unit/alone.h"

enum { N = 37 };

/* One field of a kernel's targets or sources. */
typedef struct {
    const char *kernel, *role, *name;
    int components;
} field;

/* Calls `check` for every field that any kernel reads whose turn it is, the position too. */
static void for_each_field(myr_context *context, void (*check)(myr_context *context, const field *f))
{
    for (int k = 0; scene_kernel(k); k++) {
        const myr_kernel_info *info = scene_kernel(k);
        const field place[] = {{info->name, "target", info->position, info->position_components},
                               {info->name, "source", info->position, info->position_components}};
        check(context, &place[0]);
        check(context, &place[1]);
        for (int n = 0; n < 8 && info->target[n].name; n++) {
            const field f = {info->name, "target", info->target[n].name, info->target[n].components};
            check(context, &f);
        }
        for (int n = 0; n < 8 && info->source[n].name; n++) {
            const field f = {info->name, "source", info->source[n].name, info->source[n].components};
            check(context, &f);
        }
    }
}

static int is_target(const field *f)
{
    return strcmp(f->role, "target") == 0;
}

static void check_nonfinite(myr_context *context, const field *f)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const char *message = myr_context_message(context);
    for (int r = 0; myr_arithmetic(r); r++) {
        myr_particles *set[2] = {scene_particles(context, f->kernel, N, 1, 1, 0),
                                 scene_particles(context, f->kernel, N, 2, 0, 0)};
        myr_interaction *g = scene_interaction(context, f->kernel);
        assert_int_equal(myr_interaction_choose(g, "arithmetic", myr_arithmetic(r)->name), MYR_OK);
        double *x = myr_particles_component(set[is_target(f) ? 0 : 1], f->name, f->components - 1);
        const double good = x[31];
        for (int k = 0; k < 3; k++) {
            x[31] = bad[k];
            assert_int_equal(myr_interaction_evaluate(g, set[0], set[1]), MYR_ERROR_NONFINITE);
            assert_non_null(strstr(message, f->name));
            assert_non_null(strstr(message, f->role));
            assert_non_null(strstr(message, "31"));
        }
        x[31] = 1e39; /* a double, no float */
        const myr_status status = myr_interaction_evaluate(g, set[0], set[1]);
        if (strcmp(myr_arithmetic(r)->name, "double") != 0) {
            assert_int_equal(status, MYR_ERROR_VALUE);
            assert_non_null(strstr(message, f->name));
            assert_non_null(strstr(message, "31"));
        }
        x[31] = good;
        assert_int_equal(myr_interaction_evaluate(g, set[0], set[1]), MYR_OK);
        myr_interaction_destroy(&g);
        myr_particles_destroy(&set[0]);
        myr_particles_destroy(&set[1]);
    }
}

static void test_nonfinite(void **state)
{
    for_each_field(*state, check_nonfinite);
}

/* The set without one of its fields, or with another number of components; 0 leaves it out. */
static myr_particles *with_field(const myr_particles *p, const char *name, int components)
{
    myr_particles *q;
    double values[N * 16] = {0};
    assert_int_equal(myr_particles_create(myr_particles_context(p), N, &q), MYR_OK);
    for (int f = 0; f < myr_particles_fields(p); f++) {
        const char *here = myr_particles_field_name(p, f);
        const int changed = strcmp(here, name) == 0;
        if (!changed)
            assert_int_equal(myr_particles_get(p, here, values), MYR_OK);
        if (!changed || components)
            assert_int_equal(
                myr_particles_set(q, here, changed ? components : myr_particles_field_components(p, f), values),
                MYR_OK);
    }
    return q;
}

static void check_missing(myr_context *context, const field *f)
{
    const char *message = myr_context_message(context);
    myr_particles *set[2] = {scene_particles(context, f->kernel, N, 1, 1, 0),
                             scene_particles(context, f->kernel, N, 2, 0, 0)};
    const int which = is_target(f) ? 0 : 1, wrong[] = {0, f->components + 1, f->components - 1};
    for (int k = 0; k < 3; k++) {
        if (wrong[k] < 1 && k > 0)
            continue;
        myr_particles *now[2] = {set[0], set[1]}, *changed = with_field(set[which], f->name, wrong[k]);
        myr_interaction *g = scene_interaction(context, f->kernel);
        now[which] = changed;
        assert_int_equal(myr_interaction_evaluate(g, now[0], now[1]), MYR_ERROR_FIELD);
        assert_non_null(strstr(message, f->name));
        assert_non_null(strstr(message, f->role));
        assert_non_null(strstr(message, f->kernel));
        myr_interaction_destroy(&g);
        myr_particles_destroy(&changed);
    }
    myr_particles_destroy(&set[0]);
    myr_particles_destroy(&set[1]);
}

static void test_missing(void **state)
{
    for_each_field(*state, check_missing);
}

/* An output that is there already with other components is not overwritten; and there must be room for it. */
static void test_outputs_in_the_way(void **state)
{
    myr_particles *p = scene_particles(*state, "gravity", N, 1, 0, 0);
    myr_interaction *f = scene_interaction(*state, "gravity");
    assert_int_equal(myr_particles_add_field(p, "acceleration", 2), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_FIELD);
    assert_non_null(strstr(myr_context_message(*state), "acceleration"));
    myr_particles_destroy(&p);
    p = scene_particles(*state, "gravity", N, 1, 0, 0);
    while (myr_particles_fields(p) < 64) {
        char name[24];
        snprintf(name, sizeof name, "x%d", myr_particles_fields(p));
        assert_int_equal(myr_particles_add_field(p, name, 1), MYR_OK);
    }
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(*state), "acceleration"));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_null(void **state)
{
    myr_context *context = *state;
    myr_particles *p = scene_particles(context, "gravity", N, 1, 0, 0);
    myr_interaction *f = scene_interaction(context, "gravity"), *none = NULL;
    const int64_t index = 0;
    double rate;
    int lanes;
    assert_int_equal(myr_interaction_create(NULL, "gravity", &none), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_create(context, "gravity", NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_create(context, NULL, &none), MYR_ERROR_NAME);
    assert_null(none);
    myr_interaction_destroy(NULL);
    myr_interaction_destroy(&none);
    assert_int_equal(myr_interaction_choose(NULL, "kernel", "gravity"), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate(NULL, p, p), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate(f, NULL, p), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate(f, p, NULL), MYR_ERROR_ARGUMENT);
    assert_true(strlen(myr_context_message(context)) > 5);
    assert_int_equal(myr_interaction_evaluate_subset(NULL, p, 1, &index), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate_subset(f, NULL, 1, &index), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate_subset(f, p, 1, NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate_subset(f, p, -1, &index), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_set_exclusions(NULL, 0, NULL, NULL, MYR_EXCLUDE_ON_THE_FLY), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_machine_issue_rate(NULL, "scalar", "single", 0.001, &rate, &lanes), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_machine_issue_rate(context, "scalar", "single", 0.001, NULL, &lanes), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_machine_issue_rate(context, "scalar", "single", 0.001, &rate, NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_machine_issue_rate(context, NULL, "single", 0.001, &rate, &lanes), MYR_ERROR_UNAVAILABLE);
    assert_int_equal(myr_machine_issue_rate(context, "z80", "single", 0.001, &rate, &lanes), MYR_ERROR_UNAVAILABLE);
    assert_non_null(strstr(myr_context_message(context), "z80"));
    assert_int_equal(myr_machine_issue_rate(context, "scalar", "single", NAN, &rate, &lanes), MYR_ERROR_VALUE);
    assert_int_equal(myr_machine_issue_rate(context, "scalar", "single", -1, &rate, &lanes), MYR_ERROR_VALUE);
    assert_int_equal(myr_machine_issue_rate(context, "scalar", "single", 1e9, &rate, &lanes), MYR_ERROR_VALUE);
    assert_string_equal(myr_machine_loop_symbol(NULL, "gravity", "fixed", "single", "scalar", "one"), "");
    assert_string_equal(myr_machine_loop_symbol(context, NULL, "fixed", "single", "scalar", "one"), "");
    assert_string_equal(myr_machine_loop_symbol(context, "gravity", NULL, "single", "scalar", "one"), "");
    assert_string_equal(myr_machine_loop_symbol(context, "gravity", "fixed", NULL, "scalar", "one"), "");
    assert_string_equal(myr_machine_loop_symbol(context, "gravity", "fixed", "single", NULL, "one"), "");
    assert_string_equal(myr_machine_loop_symbol(context, "gravity", "fixed", "single", "scalar", NULL), "");
    assert_string_equal(myr_machine_loop_symbol(context, "gravity", "chamomile", "single", "scalar", "one"),
                        "myr_loop_gravity_single_scalar_single_one");
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_machine(void **state)
{
    for (int i = 0; myr_isa(i); i++) {
        double rate = 0;
        int lanes = 0;
        if (!myr_isa(i)->available)
            continue;
        assert_int_equal(myr_machine_issue_rate(*state, myr_isa(i)->name, "single", 0.01, &rate, &lanes), MYR_OK);
        assert_true(rate > 1e6 && rate < 1e11 && lanes >= 1 && lanes <= 16);
        assert_int_equal(myr_machine_issue_rate(*state, myr_isa(i)->name, "double", 0.01, &rate, &lanes), MYR_OK);
        assert_true(rate > 1e6 && rate < 1e11 && lanes >= 1 && lanes <= 8);
    }
}

static void test_models(void **state)
{
    myr_context *context = *state;
    const char *message = myr_context_message(context);
    myr_particles *p = NULL;
    assert_int_equal(myr_model_create(NULL, "plummer", 5, 1, &p), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_model_create(context, "plummer", 5, 1, NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_model_create(context, "plumer", 5, 1, &p), MYR_ERROR_NAME);
    assert_non_null(strstr(message, "plummer"));
    assert_int_equal(myr_model_create(context, NULL, 5, 1, &p), MYR_ERROR_NAME);
    assert_int_equal(myr_model_create(context, "plummer", -5, 1, &p), MYR_ERROR_VALUE);
    assert_non_null(strstr(message, "-5"));
    assert_null(p);
    for (int64_t n = 0; n < 3; n++) {
        assert_int_equal(myr_model_create(context, "plummer", n, 1, &p), MYR_OK);
        assert_int_equal(myr_particles_count(p), n);
        for (int k = 0; myr_kernel(k); k++)
            assert_int_equal(myr_model_fill(p, myr_kernel(k)->name, 2, 1), MYR_OK);
        assert_int_equal(myr_model_fill(p, "gravty", 2, 1), MYR_ERROR_NAME);
        assert_non_null(strstr(message, "gravty"));
        assert_int_equal(myr_model_fill(p, NULL, 2, 1), MYR_ERROR_NAME);
        assert_int_equal(myr_model_fill(p, "gravity", 0, 1), MYR_ERROR_VALUE);
        assert_int_equal(myr_model_fill(NULL, "gravity", 1, 1), MYR_ERROR_ARGUMENT);
        myr_particles_destroy(&p);
    }
}

/* Lists of exclusions: what is refused leaves the one before as it was. */
static void test_exclusion_lists(void **state)
{
    myr_context *context = *state;
    const char *message = myr_context_message(context);
    myr_particles *p = scene_particles(context, "gravity", 3, 1, 0, 0),
                  *q = scene_particles(context, "gravity", 4, 1, 0, 0);
    myr_interaction *f = scene_interaction(context, "gravity");
    static const struct {
        int64_t n, offset[4], partner[4];
        myr_status status;
        const char *word;
    } rows[] = {
        {3, {1, 1, 1, 1}, {0}, MYR_ERROR_VALUE, "first offset"},
        {3, {0, 2, 1, 2}, {0, 1}, MYR_ERROR_VALUE, "target 1"},
        {3, {0, 2, 2, 2}, {1, 0}, MYR_ERROR_VALUE, "sorted"},
        {3, {0, 2, 2, 2}, {1, 1}, MYR_ERROR_VALUE, "different"},
        {3, {0, 1, 1, 1}, {-1}, MYR_ERROR_VALUE, "negative"},
        {-1, {0}, {0}, MYR_ERROR_ARGUMENT, ""},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(
            myr_interaction_set_exclusions(f, rows[k].n, rows[k].offset, rows[k].partner, MYR_EXCLUDE_ON_THE_FLY),
            rows[k].status);
        assert_non_null(strstr(message, rows[k].word));
    }
    const int64_t offset[4] = {0, 1, 2, 2}, partner[2] = {1, 0}, far[2] = {3, 0}, falling[4] = {0, 2, 1, 0};
    assert_int_equal(myr_interaction_set_exclusions(f, 3, offset, NULL, MYR_EXCLUDE_ON_THE_FLY), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_set_exclusions(f, 3, falling, NULL, MYR_EXCLUDE_ON_THE_FLY), MYR_ERROR_VALUE);
    assert_int_equal(myr_interaction_set_exclusions(f, 3, offset, partner, (myr_exclusion_mode)7), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK); /* none was accepted */
    const double free_of = myr_particles_component(p, "acceleration", 0)[0];

    assert_int_equal(myr_interaction_set_exclusions(f, 3, offset, far, MYR_EXCLUDE_ON_THE_FLY), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_FIELD);
    assert_non_null(strstr(message, "source 3"));
    assert_int_equal(myr_interaction_set_exclusions(f, 3, offset, partner, MYR_EXCLUDE_AFTERWARDS), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, q, q), MYR_ERROR_FIELD);
    assert_non_null(strstr(message, "3 targets"));
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    assert_true(myr_particles_component(p, "acceleration", 0)[0] != free_of);
    assert_int_equal(myr_interaction_set_exclusions(f, 0, NULL, NULL, MYR_EXCLUDE_ON_THE_FLY), MYR_OK); /* removes */
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    assert_true(myr_particles_component(p, "acceleration", 0)[0] == free_of);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
}

/* Finite input whose result is not: said so, with the target, and in an arithmetic that holds it the right answer. */
static void test_overflow(void **state)
{
    static const double position[6] = {0, 0, 0, 1e-18, 0, 0}, mass[2] = {1e10, 1e10};
    myr_particles *p;
    assert_int_equal(myr_particles_create(*state, 2, &p), MYR_OK);
    assert_int_equal(myr_particles_set(p, "position", 3, position), MYR_OK);
    assert_int_equal(myr_particles_set(p, "mass", 1, mass), MYR_OK);
    for (int a = 0; myr_accumulator(a); a++)
        for (int i = 0; myr_isa(i); i++) {
            myr_interaction *f;
            if (!isas_tested(myr_backend_isa(i)))
                continue;
            assert_int_equal(myr_interaction_create(*state, "gravity", &f), MYR_OK);
            assert_int_equal(myr_interaction_choose(f, "accumulator", myr_accumulator(a)->name), MYR_OK);
            assert_int_equal(myr_interaction_choose(f, "isa", myr_isa(i)->name), MYR_OK);
            assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_NONFINITE);
            assert_non_null(strstr(myr_context_message(*state), "target 0"));
            assert_null(myr_particles_component(p, "acceleration", 0));
            myr_interaction_destroy(&f);
        }
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(*state, "gravity", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    assert_true(fabs(myr_particles_component(p, "acceleration", 0)[0] / 1e46 - 1) < 1e-14);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

/* The largest floats as input: finite answers or a clear refusal, never a quiet NaN. */
static void test_largest_floats(void **state)
{
    for (int k = 0; scene_kernel(k); k++)
        for (int r = 0; myr_arithmetic(r); r++) {
            const char *kernel = scene_kernel(k)->name;
            myr_particles *p = scene_particles(*state, kernel, N, 1, 0, 1);
            myr_interaction *f = scene_interaction(*state, kernel);
            const double *out[SCENE_OUTPUTS];
            assert_int_equal(myr_interaction_choose(f, "arithmetic", myr_arithmetic(r)->name), MYR_OK);
            for (int c = 0; c < scene_kernel(k)->position_components; c++) {
                myr_particles_component(p, scene_kernel(k)->position, c)[5] = FLT_MAX;
                myr_particles_component(p, scene_kernel(k)->position, c)[6] = -FLT_MAX;
            }
            const myr_status status = myr_interaction_evaluate(f, p, p);
            assert_true(status == MYR_OK || status == MYR_ERROR_NONFINITE);
            const int outputs = status ? 0 : scene_outputs(kernel, p, out);
            for (int o = 0; o < outputs; o++)
                for (int i = 0; i < N; i++)
                    assert_true(isfinite(out[o][i]));
            myr_interaction_destroy(&f);
            myr_particles_destroy(&p);
        }
}

/* Ids play no part in the sums, however large. */
static void test_large_ids(void **state)
{
    myr_particles *p = scene_particles(*state, "lennard_jones", N, 1, 0, 0);
    int64_t ids[N];
    uint64_t before, after;
    for (int i = 0; i < N; i++)
        ids[i] = ((int64_t)3 << 32) + 1000003LL * (N - i);
    for (int round = 0; round < 2; round++) {
        myr_interaction *f = scene_interaction(*state, "lennard_jones");
        scene_exclude(f, N, N, MYR_EXCLUDE_ON_THE_FLY);
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
        assert_int_equal(myr_particles_hash(p, "force", round ? &after : &before), MYR_OK);
        assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
        myr_interaction_destroy(&f);
    }
    assert_true(before == after);
    assert_memory_equal(myr_particles_ids(p), ids, sizeof ids);
    myr_particles_destroy(&p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, alone_setup, alone_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nonfinite),      TEST(test_missing),   TEST(test_outputs_in_the_way), TEST(test_null),
        TEST(test_machine),        TEST(test_models),    TEST(test_exclusion_lists),    TEST(test_overflow),
        TEST(test_largest_floats), TEST(test_large_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
