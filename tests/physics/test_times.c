/* test_times.c - times of steps: counted instead of summed, equal to the times asked for to the last bit, the same
 * after a restart; and steps that are too short to change the time. */
#include "physics/liquid.h"
#include "physics/motion.h"
#include "physics/rings.h"

#include <stdio.h>

static myr_simulation *ellipse(const char *integrator, const setting *settings)
{
    return new_motion(make_model(context, "kepler", 0, 1, SETTINGS({"a", 1, NULL}, {"e", 0.5, NULL})), "double", 0,
                      integrator, settings);
}

/* Steps to `end`, looking at every multiple of `interval` on the way; the time must be that multiple exactly. */
static void look_at_multiples(myr_simulation *s, double interval, double end)
{
    double k = floor(myr_simulation_time(s) / interval) + 1, next = k * interval;
    for (; next < end; next = ++k * interval) {
        while (myr_simulation_time(s) < next)
            expect_ok(context, myr_simulation_advance(s, end, next, INT64_MAX));
        if (myr_simulation_time(s) != next)
            fail_msg("look %g: the time is %.17g instead of %.17g", k, myr_simulation_time(s), next);
    }
    while (myr_simulation_time(s) < end)
        expect_ok(context, myr_simulation_advance(s, end, end, INT64_MAX));
    assert_true(myr_simulation_time(s) == end);
}

/* A sum of a thousand steps of 0.1 misses 100 by 1.4e-12, and 36525 days of a Julian century make 36526 steps. */
static void test_fixed(void **state)
{
    (void)state;
    static const char *const integrator[] = {"leapfrog", "yoshida4", "yoshida6", "rk4", "rk3", "ab2"};
    for (size_t k = 0; k < sizeof integrator / sizeof *integrator; k++) {
        myr_simulation *s = ellipse(integrator[k], SETTINGS({"dt", 0.1, NULL}));
        look_at_multiples(s, 0.3, 100);
        assert_int_equal(myr_simulation_steps(s), 1000);
        myr_simulation_destroy(&s);
    }
    myr_simulation *s = ellipse("leapfrog", SETTINGS({"dt", 1 / 365.25, NULL}));
    look_at_multiples(s, 4, 100);
    assert_int_equal(myr_simulation_steps(s), 36525);
    myr_simulation_destroy(&s);
}

/* An end between two steps shortens one step; the next ones end at multiples again, also on the way back. */
static void test_between(void **state)
{
    (void)state;
    myr_simulation *s = ellipse("leapfrog", SETTINGS({"dt", 0.25, NULL}));
    run_to(context, s, 0.9);
    assert_int_equal(myr_simulation_steps(s), 4);
    expect_ok(context, myr_simulation_step(s, 2));
    assert_true(myr_simulation_time(s) == 1);
    run_to(context, s, 0.9);
    run_to(context, s, -1);
    assert_true(myr_simulation_time(s) == -1);
    assert_int_equal(myr_simulation_steps(s), 5 + 1 + 8);
    myr_simulation_destroy(&s);
}

/* Block and individual steps: looks between two blocks do not change the motion. */
static void test_blocks(void **state)
{
    (void)state;
    static const char *const integrator[] = {"hermite4", "hermite4_individual"};
    for (int k = 0; k < 2; k++) {
        myr_simulation *s = ellipse(integrator[k], NULL), *unseen = ellipse(integrator[k], NULL);
        look_at_multiples(s, 0.3, 5);
        run_to(context, unseen, 5);
        const bodies a = bodies_now(context, s), b = bodies_now(context, unseen);
        assert_int_equal(myr_simulation_steps(s), myr_simulation_steps(unseen));
        assert_true(farthest(&a, &b) == 0);
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&unseen);
    }
}

/* Steps that vary end at the times asked for: one step for all bodies, and a limit of strain. */
static void test_varying(void **state)
{
    (void)state;
    myr_simulation *s = ellipse("hermite4_shared", NULL);
    look_at_multiples(s, 0.3, 3);
    myr_simulation_destroy(&s);
    s = new_rings("ring_collision", 2 * 9 * 12, SETTINGS({"core", 0.4, NULL}, {"layers", 1, NULL}),
                  "velocity_stretching", "mixed", "rk4", 0.1);
    expect_ok(context, myr_simulation_limit_strain(s, 0.05));
    look_at_multiples(s, 0.3, 0.6);
    look_at_multiples(s, 0.22, 1.1);
    assert_true(myr_simulation_steps(s) > 11); /* the limit was felt */
    myr_simulation_destroy(&s);
}

static void test_box(void **state)
{
    (void)state;
    const liquid l = {
        .n = 256, .density = 0.8, .temperature = 1, .integrator = "verlet", .settings = SETTINGS({"dt", 0.001, NULL})};
    myr_simulation *s = new_liquid(context, &l);
    look_at_multiples(s, 0.007, 0.1);
    assert_int_equal(myr_simulation_steps(s), 100);
    myr_simulation_destroy(&s);
}

/* A checkpoint between two looks: times and bodies are those of a run that was not interrupted. */
static void test_restart(void **state)
{
    (void)state;
    static const char *const integrator[] = {"leapfrog", "ab2", "hermite4", "hermite4_shared"};
    for (size_t k = 0; k < sizeof integrator / sizeof *integrator; k++) {
        const setting *const settings = k < 2 ? SETTINGS({"dt", 0.07, NULL}) : NULL;
        myr_simulation *s = ellipse(integrator[k], settings), *again = NULL;
        for (int look = 1; look <= 2; look++)
            while (myr_simulation_time(s) < look * 0.3)
                expect_ok(context, myr_simulation_advance(s, 2, look * 0.3, INT64_MAX));
        expect_ok(context, myr_simulation_save(s, "times.myr"));
        expect_ok(context, myr_simulation_load(context, "times.myr", &again));
        assert_true(myr_simulation_time(s) == myr_simulation_time(again));
        myr_simulation *const both[] = {s, again};
        for (int i = 0; i < 2; i++) {
            while (myr_simulation_time(both[i]) < 0.9)
                expect_ok(context, myr_simulation_advance(both[i], 2, 0.9, INT64_MAX));
            run_to(context, both[i], 2);
        }
        const bodies a = bodies_now(context, s), b = bodies_now(context, again);
        assert_int_equal(myr_simulation_steps(s), myr_simulation_steps(again));
        assert_true(farthest(&a, &b) == 0);
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&again);
        remove("times.myr");
        remove("times.myr.previous");
    }
}

/* A step much longer than the run ends with the run, whatever is asked for before. */
static void test_too_long(void **state)
{
    (void)state;
    static const double dt[] = {10, 1e10, 1e300};
    for (size_t k = 0; k < sizeof dt / sizeof *dt; k++) {
        myr_simulation *s = ellipse("leapfrog", SETTINGS({"dt", dt[k], NULL}));
        expect_ok(context, myr_simulation_advance(s, 1, 0.01, INT64_MAX));
        assert_true(myr_simulation_time(s) == 1);
        assert_int_equal(myr_simulation_steps(s), 1);
        myr_simulation_destroy(&s);
    }
}

/* Steps beside a time whose digits do not reach so far are refused; half of its last digit is the border. */
static void test_too_short(void **state)
{
    (void)state;
    const struct {
        double dt;
        myr_status status;
    } run[] = {{1e-18, MYR_ERROR_RANGE}, {1e-16, MYR_ERROR_RANGE}, {3e-16, MYR_OK}};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        myr_simulation *s = ellipse("leapfrog", SETTINGS({"dt", run[k].dt, NULL}));
        expect_ok(context, myr_simulation_set_time(s, 1));
        assert_int_equal(myr_simulation_step(s, 2), run[k].status);
        if (run[k].status)
            assert_non_null(strstr(myr_context_message(context), "does not change the time"));
        assert_true((myr_simulation_time(s) > 1) == (run[k].status == MYR_OK));
        myr_simulation_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed),     cmocka_unit_test(test_between),  cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_varying),   cmocka_unit_test(test_box),      cmocka_unit_test(test_restart),
        cmocka_unit_test(test_too_short), cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
