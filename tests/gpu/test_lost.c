/* test_lost.c - a GPU that is lost under backend auto: the processor goes on where it stopped, with the same bits, and
 * says so once. With a pretended GPU (pretended.c), so that it can be seen anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"

enum { N = 1100, STEPS = 6 }; /* pairs enough for auto to take a GPU */

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

static void lose_in(const char *evaluation)
{
    if (evaluation)
        assert_int_equal(setenv("PRETENDED_LOST", evaluation, 1), 0);
    else
        assert_int_equal(unsetenv("PRETENDED_LOST"), 0);
}

static myr_interaction *chosen(myr_context *context, const char *kernel, const char *isa)
{
    myr_interaction *f = scene_interaction(context, kernel);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "portable"), MYR_OK);
    scene_choose_isa(f, isa);
    return f;
}

/* The hash of an evaluation; in which of its evaluations the GPU is lost; warnings. */
static uint64_t evaluated(const char *isa, const char *lost, note *n)
{
    myr_context *context;
    uint64_t hash = 0;
    memset(n, 0, sizeof *n);
    lose_in(lost);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_warning(context, note_warning, n), MYR_OK);
    myr_particles *p = scene_particles(context, "lennard_jones", N, 1, 0, 0);
    myr_interaction *f = chosen(context, "lennard_jones", isa);
    for (int k = 0; k < 2; k++)
        scene_evaluate(context, f, p, p);
    assert_int_equal(strcmp(myr_interaction_choice(f, "backend"), "cuda") == 0, strcmp(isa, "auto") == 0 && !lost);
    assert_int_equal(myr_particles_hash(p, "force", &hash), MYR_OK);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
    lose_in(NULL);
    return hash;
}

static void test_evaluation(void **state)
{
    (void)state;
    note n;
    const uint64_t right = evaluated("scalar", NULL, &n);
    assert_true(evaluated("auto", NULL, &n) == right);
    assert_int_equal(n.calls, 0);
    static const char *const when[] = {"0", "1"}; /* the first time, the second; grids are found by the processor */
    for (int k = 0; k < 2; k++) {
        assert_true(evaluated("auto", when[k], &n) == right);
        assert_int_equal(n.calls, 1);
        assert_non_null(strstr(n.text, "lost, as pretended"));
        assert_non_null(strstr(n.text, "processor"));
    }
}

/* By name it is an error, with the reason; again and again. */
static void test_by_name(void **state)
{
    (void)state;
    myr_context *context;
    note n = {0};
    lose_in("0");
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_warning(context, note_warning, &n), MYR_OK);
    myr_particles *p = scene_particles(context, "gravity", N, 1, 0, 0);
    myr_interaction *f = chosen(context, "gravity", "cuda");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_UNAVAILABLE);
        assert_non_null(strstr(myr_context_message(context), "lost, as pretended"));
    }
    assert_int_equal(n.calls, 0);
    myr_interaction *other = chosen(context, "gravity", "auto"); /* which gives it up for all */
    scene_evaluate(context, other, p, p);
    assert_int_equal(n.calls, 1);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_UNAVAILABLE);
    assert_non_null(strstr(myr_context_message(context), "lost, as pretended"));
    myr_interaction_destroy(&other);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
    lose_in(NULL);
}

/* A motion: where it ends does not depend on when the GPU was lost. */
static uint64_t moved(const char *integrator, const char *kernel, const char *isa, const char *lost, note *n)
{
    myr_context *context;
    myr_simulation *s;
    const myr_particles *end;
    uint64_t hash = 0;
    memset(n, 0, sizeof *n);
    lose_in(lost);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_warning(context, note_warning, n), MYR_OK);
    myr_particles *p;
    assert_int_equal(myr_model_create(context, "plummer", N, 1, &p), MYR_OK);
    assert_int_equal(myr_simulation_create(context, p, chosen(context, kernel, isa), &s), MYR_OK);
    assert_int_equal(myr_simulation_choose(s, integrator), MYR_OK);
    for (int k = 0; k < STEPS; k++)
        if (myr_simulation_step(s, 1))
            fail_msg("%s, step %d: %s", integrator, k, myr_context_message(context));
    assert_int_equal(myr_simulation_particles(s, &end), MYR_OK);
    assert_int_equal(myr_particles_hash(end, "position", &hash), MYR_OK);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    lose_in(NULL);
    return hash;
}

static void test_motion(void **state)
{
    (void)state;
    static const struct {
        const char *integrator, *kernel;
    } runs[] = {{"leapfrog", "gravity"}, {"hermite4", "gravity_jerk"}};
    note n;
    for (int r = 0; r < 2; r++) {
        const uint64_t right = moved(runs[r].integrator, runs[r].kernel, "scalar", NULL, &n);
        assert_true(moved(runs[r].integrator, runs[r].kernel, "auto", NULL, &n) == right);
        assert_int_equal(n.calls, 0);
        assert_true(moved(runs[r].integrator, runs[r].kernel, "auto", "4", &n) == right);
        assert_int_equal(n.calls, 1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluation),
        cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_motion),
    };
    (void)scene_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
