/* test_stars.c - systems of stars that move together on a GPU: each has the bits of its run alone (`fixed`, portable
 * arithmetic: those of the processor; on a real GPU also those of mixed arithmetic alone there), with other numbers of
 * bodies and parameters, close binaries, coincident bodies, grids chosen again, teams of several blocks, calls of a few
 * steps. usage: test_stars [name of a test] */
#include "unit/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/ensemble.h>
#include <myriad/machine.h>
#include <myriad/model.h>

#include "gpu/needs_gpu.h"

enum { MOST = 12 };

/* One system. */
typedef struct {
    int64_t n;
    uint64_t seed;
    double eps, eta, dt_max; /* 0 = the default, but for eps */
    double pair;             /* distance of two bodies; 0 = none */
    int coincide;            /* 1 = two bodies are at one place */
    int64_t massless;        /* bodies without mass, at the end */
} star;

/* How all of them are computed. */
typedef struct {
    const char *arithmetic, *backend; /* of the simulations */
    int systems;
    star at[MOST];
    double end;
    int64_t most; /* steps of each call; 0 = all */
    int in_two;   /* 1 = with a time in between that is no end of a block */
} stars;

typedef struct {
    uint64_t position, velocity;
    int64_t steps, pairs;
    double time;
    myr_status status;
    char message[256];
} outcome;

static myr_simulation *make(const stars *t, const star *one, myr_context *context)
{
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *s = NULL;
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    assert_int_equal(myr_model_create(context, "plummer", one->n, one->seed, &p), MYR_OK);
    for (int c = 0; (one->pair > 0 || one->coincide) && c < 3; c++) {
        double *x = myr_particles_component(p, "position", c), *v = myr_particles_component(p, "velocity", c);
        x[1] = x[0] + one->pair * (c == 0);
        v[1] = v[0] + (one->pair > 0 && c == 1 ? sqrt(2 / (double)one->n / one->pair) : 0);
    }
    for (int64_t i = one->n - one->massless; i < one->n; i++)
        myr_particles_component(p, "mass", 0)[i] = 0;
    assert_int_equal(myr_interaction_create(context, "gravity_jerk", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", t->arithmetic), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "backend", t->backend), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "eps", one->eps), MYR_OK);
    assert_int_equal(myr_simulation_create(context, p, f, &s), MYR_OK);
    assert_int_equal(myr_simulation_choose(s, "hermite4"), MYR_OK);
    if (one->eta > 0)
        assert_int_equal(myr_simulation_set(s, "eta", one->eta), MYR_OK);
    if (one->dt_max > 0)
        assert_int_equal(myr_simulation_set(s, "dt_max", one->dt_max), MYR_OK);
    return s;
}

static outcome look(myr_context *context, myr_simulation *s, myr_status status)
{
    outcome o = {.steps = myr_simulation_steps(s), .time = myr_simulation_time(s), .status = status};
    const myr_particles *p;
    myr_progress progress;
    snprintf(o.message, sizeof o.message, "%.255s", status ? myr_context_message(context) : "");
    assert_int_equal(myr_simulation_progress(s, &progress), MYR_OK);
    o.pairs = progress.pairs;
    assert_int_equal(myr_simulation_particles(s, &p), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "position", &o.position), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &o.velocity), MYR_OK);
    return o;
}

/* One system alone. */
static outcome alone(const stars *t, int k)
{
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_simulation *s = make(t, &t->at[k], context);
    myr_status status = MYR_OK;
    const double until[] = {t->in_two ? 0.4 * t->end : t->end, t->end};
    for (int part = 0; part < 2; part++)
        while (!status && myr_simulation_time(s) < until[part])
            status = myr_simulation_advance(s, t->end, until[part], INT64_MAX);
    const outcome o = look(context, s, status);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return o;
}

/* All together on the GPU. */
static void together(const stars *t, outcome *o, myr_ensemble_report *report)
{
    scratch s;
    myr_context *context[MOST] = {NULL};
    myr_simulation *one[MOST] = {NULL};
    myr_ensemble *e = NULL;
    scratch_begin(&s);
    for (int k = 0; k < t->systems; k++) {
        assert_int_equal(myr_context_create(&context[k]), MYR_OK);
        one[k] = make(t, &t->at[k], context[k]);
    }
    assert_int_equal(myr_context_set_threads(s.context, 2), MYR_OK);
    if (myr_ensemble_create(s.context, t->systems, one, &e) || myr_ensemble_choose(e, "cuda"))
        fail_msg("%s", myr_context_message(s.context));
    const double until[] = {t->in_two ? 0.4 * t->end : t->end, t->end};
    for (int part = 0; part < 2; part++)
        for (int going = 1; going;) {
            if (myr_ensemble_advance(e, t->end, until[part], t->most ? t->most : INT64_MAX))
                fail_msg("%s", myr_context_message(s.context));
            going = 0;
            for (int k = 0; k < t->systems; k++)
                going |= !myr_ensemble_status(e, k) && myr_simulation_time(one[k]) < until[part];
        }
    assert_int_equal(myr_ensemble_describe(e, report), MYR_OK);
    for (int k = 0; k < t->systems; k++)
        o[k] = look(context[k], one[k], myr_ensemble_status(e, k));
    myr_ensemble_destroy(&e);
    scratch_end(&s); /* before the systems, which may share its GPU */
    for (int k = 0; k < t->systems; k++) {
        myr_simulation_destroy(&one[k]);
        myr_context_destroy(&context[k]);
    }
}

static void check(const stars *t)
{
    outcome o[MOST];
    myr_ensemble_report report;
    together(t, o, &report);
    assert_int_equal(report.on_gpu, 1);
    for (int k = 0; k < t->systems; k++) {
        const outcome right = alone(t, k);
        if (right.position != o[k].position || right.velocity != o[k].velocity || right.time != o[k].time ||
            right.steps != o[k].steps || right.pairs != o[k].pairs || right.status != o[k].status ||
            strcmp(right.message, o[k].message) != 0)
            fail_msg("system %d: %lld steps to t = %.17g with %lld pairs alone (%s), %lld to %.17g with %lld among "
                     "others (%s), positions %s",
                     k, (long long)right.steps, right.time, (long long)right.pairs, right.message,
                     (long long)o[k].steps, o[k].time, (long long)o[k].pairs, o[k].message,
                     right.position == o[k].position ? "the same" : "others");
    }
}

/* Systems of one size with other seeds. */
static void test_seeds(void **state)
{
    (void)state;
    stars t = {.arithmetic = "portable", .backend = "auto", .systems = 6, .end = 0.125};
    for (int k = 0; k < t.systems; k++)
        t.at[k] = (star){.n = 48, .seed = (uint64_t)k + 1, .eps = 0.03125};
    check(&t);
    t.in_two = 1;
    check(&t);
    t.most = 7;
    check(&t);
}

/* Other numbers of bodies and other parameters, more bodies than threads, and test particles. */
static void test_others(void **state)
{
    (void)state;
    const stars t = {.arithmetic = "portable",
                     .backend = "simd",
                     .systems = 6,
                     .end = 0.0625,
                     .at = {{.n = 40, .seed = 3, .eps = 0.02},
                            {.n = 1, .seed = 3, .eps = 0.02},
                            {.n = 2, .seed = 4, .eps = 0.1},
                            {.n = 300, .seed = 5, .eps = 0.05, .dt_max = 0.03125},
                            {.n = 40, .seed = 3, .eps = 0.04, .eta = 0.005},
                            {.n = 90, .seed = 6, .eps = 0.03, .massless = 37}}};
    check(&t);
}

/* Close binaries: contributions beyond the grid, and many small blocks. Two bodies at one place without softening are
 * found, and both machines do with them what they do alone; the other systems go on. */
static void test_close(void **state)
{
    (void)state;
    stars t = {.arithmetic = "portable",
               .backend = "auto",
               .systems = 4,
               .end = 0.015625,
               .at = {{.n = 48, .seed = 1, .eps = 1e-4, .pair = 0.01},
                      {.n = 48, .seed = 2, .eps = 0},
                      {.n = 48, .seed = 3, .eps = 0, .coincide = 1},
                      {.n = 48, .seed = 4, .eps = 0, .pair = 0.002}}};
    check(&t);
}

/* Grids are chosen again after 256 evaluations of all bodies, and the run ends between two blocks. */
static void test_grids(void **state)
{
    (void)state;
    stars t = {.arithmetic = "portable", .backend = "auto", .systems = 3, .end = 1.7};
    for (int k = 0; k < t.systems; k++)
        t.at[k] = (star){.n = 12, .seed = (uint64_t)k + 9, .eps = 0.05, .dt_max = 0.0078125};
    check(&t);
}

/* One system that cannot make its steps is named, and the others go on. */
static void test_failure(void **state)
{
    (void)state;
    stars t = {.arithmetic = "portable", .backend = "auto", .systems = 3, .end = 0.5};
    outcome o[MOST];
    myr_ensemble_report report;
    for (int k = 0; k < t.systems; k++)
        t.at[k] = (star){.n = 24, .seed = (uint64_t)k + 1, .eps = k == 1 ? 0 : 0.05, .pair = k == 1 ? 1e-11 : 0};
    together(&t, o, &report);
    assert_int_equal(o[0].status, MYR_OK);
    assert_int_equal(o[2].status, MYR_OK);
    assert_true(o[1].status == MYR_ERROR_RANGE && strstr(o[1].message, "wants a step of"));
    check(&t);
}

/* Mixed and double arithmetic have the bits of a GPU, which evaluates as alone from the first step on. An emulated GPU
 * takes smaller systems. */
static void test_mixed(void **state)
{
    (void)state;
    scratch s;
    myr_gpu_info gpu;
    scratch_begin(&s);
    assert_int_equal(myr_machine_gpu(s.context, 0, &gpu), MYR_OK);
    scratch_end(&s);
    const int emulated = strcmp(gpu.name, "emulated") == 0;
    stars t = {.arithmetic = "mixed", .backend = "cuda", .systems = emulated ? 2 : 6, .end = emulated ? 0.03125 : 0.5};
    for (int k = 0; k < t.systems; k++)
        t.at[k] = (star){.n = emulated ? 24 : 256, .seed = (uint64_t)k + 1, .eps = 0.01};
    check(&t);
    t.arithmetic = "double";
    t.end *= 0.25;
    check(&t);
}

/* A few systems share the multiprocessors, with teams of several blocks; an emulated GPU has one multiprocessor. */
static void test_teams(void **state)
{
    (void)state;
    const stars t = {.arithmetic = "portable",
                     .backend = "auto",
                     .systems = 2,
                     .end = 0.015625,
                     .at = {{.n = 700, .seed = 3, .eps = 0.01}, {.n = 515, .seed = 4, .eps = 1e-3, .pair = 0.01}}};
    check(&t);
}

/* What cannot move together is refused with the number of the system. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        star second;
        const char *arithmetic, *says;
    } wrong[] = {
        {{.n = 4097, .seed = 1, .eps = 0.1}, "portable", "1 to 4096 bodies; larger ones fill a GPU alone (system 1)"},
        {{.n = 16, .seed = 1, .eps = 0.1}, "mixed", "arithmetic portable (system 0)"}};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        const stars t = {.arithmetic = wrong[w].arithmetic, .backend = "simd", .systems = 2, .end = 1};
        const star first = {.n = 16, .seed = 1, .eps = 0.1};
        scratch s;
        myr_context *context[2];
        myr_simulation *one[2];
        myr_ensemble *e = NULL;
        scratch_begin(&s);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(myr_context_create(&context[k]), MYR_OK);
            one[k] = make(&t, k ? &wrong[w].second : &first, context[k]);
        }
        assert_int_equal(myr_ensemble_create(s.context, 2, one, &e), MYR_OK);
        assert_int_equal(myr_ensemble_choose(e, "cuda"), MYR_OK);
        assert_int_equal(myr_ensemble_advance(e, 1, 1, 1), MYR_ERROR_COMBINATION);
        if (!strstr(myr_context_message(s.context), wrong[w].says))
            fail_msg("%s", myr_context_message(s.context));
        myr_ensemble_destroy(&e);
        for (int k = 0; k < 2; k++) {
            myr_simulation_destroy(&one[k]);
            myr_context_destroy(&context[k]);
        }
        scratch_end(&s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds), cmocka_unit_test(test_others),   cmocka_unit_test(test_close),
        cmocka_unit_test(test_grids), cmocka_unit_test(test_failure),  cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_teams), cmocka_unit_test(test_refusals),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int skipped = needs_gpu();
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
