/* test_context.c - contexts: messages, threads, callbacks; two of them in two threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"

static void test_life(void **state)
{
    (void)state;
    myr_context *context = NULL;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_non_null(context);
    assert_string_equal(myr_context_message(context), "");
    myr_context_destroy(&context);
    assert_null(context);
    myr_context_destroy(&context); /* null is allowed */
    myr_context_destroy(NULL);
    assert_int_equal(myr_context_create(NULL), MYR_ERROR_ARGUMENT);
    assert_string_equal(myr_context_message(NULL), "");
}

static void test_threads(void **state)
{
    (void)state;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_true(myr_context_threads(context) >= 1);
    assert_int_equal(myr_context_set_threads(context, 3), MYR_OK);
    assert_true(myr_context_threads(context) == 3 || myr_context_threads(context) == 1); /* 1 without OpenMP */
    assert_int_equal(myr_context_set_threads(context, -1), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "-1"));
    assert_int_equal(myr_context_set_threads(context, 4097), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "4097"));
    assert_true(myr_context_threads(context) == 3 || myr_context_threads(context) == 1);
    assert_int_equal(myr_context_set_threads(context, 4096), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 0), MYR_OK);
    assert_int_equal(myr_context_set_threads(NULL, 1), MYR_ERROR_ARGUMENT);
    assert_true(myr_context_threads(NULL) >= 1);
    myr_context_destroy(&context);
}

/* A message as long as anybody likes to make it is cut, not overrun. */
static void test_long_message(void **state)
{
    (void)state;
    myr_context *context;
    char *name = calloc(5000, 1);
    assert_non_null(name);
    memset(name, 'n', 4999);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_kernel_from_file(context, name, NULL), MYR_ERROR_FILE);
    assert_true(strlen(myr_context_message(context)) > 900 && strlen(myr_context_message(context)) < 1100);
    free(name);
    myr_context_destroy(&context);
}

typedef struct {
    int calls, stop_at;
    double last;
    int backwards;
} progress;

static int progress_note(void *user, double fraction)
{
    progress *p = user;
    p->backwards |= fraction < p->last || fraction < 0 || fraction > 1;
    p->last = fraction;
    p->calls++;
    return p->stop_at && p->calls >= p->stop_at;
}

/* Eight splits of the sources: a call for each, and for each block of targets; the second answer stops the work. */
static void test_progress(void **state)
{
    (void)state;
    myr_context *context;
    progress p = {0};
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    myr_particles *sources = scene_particles(context, "gravity", 3000, 1, 0, 0);
    myr_particles *targets = scene_particles(context, "gravity", 1100, 2, 1, 0);
    myr_interaction *f = scene_interaction(context, "gravity");
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    assert_int_equal(myr_interaction_tune(f, "splits", 8), MYR_OK);
    assert_int_equal(myr_context_set_progress(context, progress_note, &p), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, targets, sources), MYR_OK);
    assert_true(p.calls >= 8);
    assert_true(p.last == 1 && !p.backwards);
    uint64_t whole, after;
    assert_int_equal(myr_particles_hash(targets, "acceleration", &whole), MYR_OK);

    p = (progress){.stop_at = 2};
    assert_int_equal(myr_interaction_evaluate(f, targets, sources), MYR_ERROR_CANCELLED);
    assert_int_equal(p.calls, 2);
    assert_true(strlen(myr_context_message(context)) > 5);
    assert_int_equal(myr_particles_hash(targets, "acceleration", &after), MYR_OK);
    assert_true(whole == after); /* what was there stays */

    assert_int_equal(myr_context_set_progress(context, NULL, NULL), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, targets, sources), MYR_OK);
    assert_int_equal(p.calls, 2);
    assert_int_equal(myr_context_set_progress(NULL, progress_note, NULL), MYR_ERROR_ARGUMENT);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
    myr_context_destroy(&context);
}

typedef struct {
    const char *kernel;
    uint64_t seed, hash, want;
    int failures;
} worker;

/* Contexts are made, used and asked for their messages; cmocka's checks belong to the main thread. */
static void *worker_run(void *user)
{
    worker *w = user;
    for (int round = 0; round < 20; round++) {
        myr_context *context = NULL;
        myr_interaction *f = NULL;
        myr_particles *p = NULL;
        w->failures += myr_context_create(&context) != MYR_OK;
        w->failures += myr_context_set_threads(context, 2) != MYR_OK;
        w->failures += myr_model_create(context, "plummer", 600, w->seed, &p) != MYR_OK;
        w->failures += myr_interaction_create(context, w->kernel, &f) != MYR_OK;
        w->failures += myr_interaction_set(f, "eps", 0.01) != MYR_OK;
        w->failures += myr_interaction_evaluate(f, p, p) != MYR_OK;
        w->failures += myr_particles_hash(p, "acceleration", &w->hash) != MYR_OK;
        w->failures += w->want && w->hash != w->want;
        w->failures += myr_interaction_choose(f, "accumulator", w->kernel) != MYR_ERROR_NAME;
        w->failures += strstr(myr_context_message(context), w->kernel) == NULL;
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
        myr_context_destroy(&context);
    }
    return NULL;
}

static void test_two_contexts(void **state)
{
    (void)state;
    worker alone[2] = {{.kernel = "gravity", .seed = 1}, {.kernel = "gravity_potential", .seed = 2}};
    worker both[2] = {alone[0], alone[1]};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++) {
        worker_run(&alone[k]);
        assert_int_equal(alone[k].failures, 0);
        both[k].want = alone[k].hash;
    }
    assert_true(alone[0].hash != alone[1].hash);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, worker_run, &both[k]), 0);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    assert_int_equal(both[0].failures, 0);
    assert_int_equal(both[1].failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),     cmocka_unit_test(test_threads),      cmocka_unit_test(test_long_message),
        cmocka_unit_test(test_progress), cmocka_unit_test(test_two_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
