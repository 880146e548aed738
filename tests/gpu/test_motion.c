/* test_motion.c - whole trajectories: every integrator on the GPU has the bits of the processor (`fixed`, portable
 * arithmetic), step by step or many steps at a time, with contributions beyond the grid, with a grid that is chosen
 * again on the way, with test particles, and across a checkpoint that the other one continues.
 * usage: test_motion [name of a test] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "core/hash.h"
#include "interaction/interaction.h"

/* One run. */
typedef struct {
    const char *integrator, *isa;
    int64_t n, massless; /* particles; how many of them, at the end, have no mass */
    double eps, pair;    /* pair: distance of a close binary; 0 = none */
    double end;
    int one_by_one; /* steps asked for one at a time */
    int halfway;    /* stops half way: steps of shared length end at times that are asked for */
    int save_on;    /* a checkpoint there; the rest from that, on "other" */
    const char *other;
    int coarser; /* powers of two by which the first grid is made too coarse */
} motion;

typedef struct {
    uint64_t position, velocity;
    int64_t steps, pairs;
    double time;
    int raised; /* by how many powers of two the grid of the accelerations rose */
} outcome;

static myr_simulation *motion_make(const motion *m, myr_context *context)
{
    const int jerk = myr_integrator_find(m->integrator)->needs_jerk;
    myr_particles *p;
    myr_interaction *f;
    myr_simulation *s;
    assert_int_equal(myr_model_create(context, "plummer", m->n, 1, &p), MYR_OK);
    for (int c = 0; m->pair > 0 && c < 3; c++) {
        myr_particles_component(p, "position", c)[1] =
            myr_particles_component(p, "position", c)[0] + m->pair * (c == 0);
        myr_particles_component(p, "velocity", c)[1] = myr_particles_component(p, "velocity", c)[0];
    }
    for (int64_t i = m->n - m->massless; i < m->n; i++)
        myr_particles_component(p, "mass", 0)[i] = 0;
    assert_int_equal(myr_interaction_create(context, jerk ? "gravity_jerk" : "gravity", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "portable"), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "eps", m->eps), MYR_OK);
    scene_choose_isa(f, m->isa);
    assert_int_equal(myr_simulation_create(context, p, f, &s), MYR_OK);
    assert_int_equal(myr_simulation_choose(s, m->integrator), MYR_OK);
    return s;
}

static void motion_go(const motion *m, myr_context *context, myr_simulation *s, double end)
{
    while (myr_simulation_time(s) < end)
        if (m->one_by_one ? myr_simulation_step(s, m->end) : myr_simulation_advance(s, m->end, end, INT64_MAX))
            fail_msg("%s on %s, t = %g: %s", m->integrator, m->isa, myr_simulation_time(s),
                     myr_context_message(context));
}

static outcome motion_run(const motion *m)
{
    myr_context *context;
    const myr_particles *p;
    outcome o;
    int first, last;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_simulation *s = motion_make(m, context);
    assert_int_equal(myr_simulation_step(s, m->end), MYR_OK);
    assert_int_equal(myr_interaction_scale(myr_simulation_interaction(s), "acceleration", &first), MYR_OK);
    myr_simulation_interaction(s)->grid[0].exponent += m->coarser;
    if (m->halfway)
        motion_go(m, context, s, 0.5 * m->end);
    if (m->save_on) {
        char path[] = "/tmp/myriad-motion-XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        unlink(path);
        assert_int_equal(myr_simulation_save(s, path), MYR_OK);
        myr_simulation_destroy(&s);
        assert_int_equal(myr_simulation_load(context, path, &s), MYR_OK);
        scene_choose_isa(myr_simulation_interaction(s), m->other);
        unlink(path);
    }
    motion_go(m, context, s, m->end);
    assert_int_equal(myr_interaction_scale(myr_simulation_interaction(s), "acceleration", &last), MYR_OK);
    o.raised = last - first;
    o.steps = myr_simulation_steps(s);
    o.time = myr_simulation_time(s);
    myr_progress progress;
    assert_int_equal(myr_simulation_progress(s, &progress), MYR_OK);
    o.pairs = progress.pairs;
    assert_int_equal(myr_simulation_particles(s, &p), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "position", &o.position), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &o.velocity), MYR_OK);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return o;
}

static void same(const motion *m, const outcome *right, const outcome *got, const char *what)
{
    if (right->position != got->position || right->velocity != got->velocity || right->time != got->time ||
        right->steps != got->steps || right->raised != got->raised || right->pairs != got->pairs)
        fail_msg(
            "%s, %s: %lld steps to t = %.17g with %lld pairs on the processor, %lld to %.17g with %lld on the GPU, "
            "positions %s",
            m->integrator, what, (long long)right->steps, right->time, (long long)right->pairs, (long long)got->steps,
            got->time, (long long)got->pairs, right->position == got->position ? "the same" : "others");
}

/* The processor, then the GPU in two ways, then the two in turn. Gives by how much the grid rose. */
static int motion_check(motion m)
{
    m.isa = "scalar";
    const outcome right = motion_run(&m);
    assert_true(right.steps > 3);
    m.isa = "cuda";
    const outcome many = motion_run(&m);
    same(&m, &right, &many, "many at a time");
    m.one_by_one = 1;
    const outcome one = motion_run(&m);
    same(&m, &right, &one, "one by one");
    if (!myr_hash_available())
        return right.raised;
    m.one_by_one = 0;
    m.halfway = 1;
    m.isa = "scalar";
    const outcome stopped = motion_run(&m);
    m.save_on = 1;
    m.other = "cuda";
    const outcome back = motion_run(&m);
    same(&m, &stopped, &back, "ended on the GPU");
    m.isa = "cuda";
    m.other = "scalar";
    const outcome there = motion_run(&m);
    same(&m, &stopped, &there, "begun on the GPU");
    return right.raised;
}

static void test_integrators(void **state)
{
    (void)state;
    for (int k = 0; myr_integrator(k) && !myr_integrator(k)->needs_box; k++) {
        const motion m = {.integrator = myr_integrator(k)->name, .n = 300, .eps = 0.05, .end = 0.125};
        motion_check(m);
    }
}

/* More than one block of threads; sums in splits. */
static void test_larger(void **state)
{
    (void)state;
    const motion m = {.integrator = "hermite4", .n = 1500, .eps = 0.02, .end = 0.015625};
    motion_check(m);
}

/* Test particles, which are no sources: more of them than of the others. */
static void test_massless(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "yoshida4", "hermite4"};
    for (int k = 0; k < 3; k++) {
        const motion m = {.integrator = integrators[k], .n = 500, .massless = 311, .eps = 0.05, .end = 0.125};
        motion_check(m);
    }
}

/* Batches of 64 steps: the first is launched as it is, the second makes a graph, which the others are. */
static void test_batches(void **state)
{
    (void)state;
    const motion m = {.integrator = "leapfrog", .n = 200, .eps = 0.05, .end = 0.5};
    motion_check(m);
}

/* Two bodies fall together: contributions outgrow the grid, which stays, between one step and the next. */
static void test_close_pair(void **state)
{
    (void)state;
    const motion m = {.integrator = "hermite4", .n = 200, .eps = 1e-4, .pair = 0.01, .end = 0.015625};
    assert_int_equal(motion_check(m), 0);
    const motion fixed = {.integrator = "leapfrog", .n = 200, .eps = 1e-4, .pair = 0.001, .end = 0.015625};
    assert_int_equal(motion_check(fixed), 0);
}

/* A grid that is far too coarse is chosen again after 256 evaluations of all bodies, at the same step everywhere. */
static void test_grid_renewed(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"};
    for (int k = 0; k < 2; k++) {
        const motion m = {.integrator = integrators[k], .n = 64, .eps = 0.05, .end = 2, .coarser = 10};
        const int raised = motion_check(m);
        if (abs(raised) > 3)
            fail_msg("%s: the grid is %d powers of two too coarse at the end", integrators[k], raised);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrators), cmocka_unit_test(test_larger),     cmocka_unit_test(test_massless),
        cmocka_unit_test(test_batches),     cmocka_unit_test(test_close_pair), cmocka_unit_test(test_grid_renewed),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int skipped = scene_begin(2, cuda);
    if (!skipped && !myr_hash_available())
        printf("this build has no xxHash: no run goes across a checkpoint\n");
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
