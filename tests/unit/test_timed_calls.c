/* test_timed_calls.c - functions that are called at times while a simulation moves. */
#include "physics/motion.h"

enum { MOST = 64 };

typedef struct {
    double time[MOST];
    int calls, stop_after; /* stop_after: 0 = never */
} seen;

static int note(void *user, myr_simulation *s)
{
    seen *all = user;
    if (all->stop_after && all->calls == all->stop_after)
        return 1;
    all->time[all->calls++] = myr_simulation_time(s);
    return 0;
}

static myr_simulation *cluster(myr_context *context, const char *integrator)
{
    const int hermite = strcmp(integrator, "hermite4") == 0;
    return new_motion(make_model(context, "plummer", 32, 3, NULL), "double", 0.05, integrator,
                      hermite ? NULL : SETTINGS({"dt", 1 / 64., NULL}));
}

/* Times are met exactly, at the start and at the end too, and the motion is that without calls. */
static void test_times(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"};
    for (int k = 0; k < 2; k++) {
        myr_context *context = new_context();
        myr_simulation *s = cluster(context, integrators[k]), *plain = cluster(context, integrators[k]);
        seen often = {.calls = 0}, rare = {.calls = 0};
        myr_timed_call call[] = {{0, 0.125, note, &often, 0}, {0.25, 0.5, note, &rare, 0}};
        expect_ok(context, myr_simulation_run(s, 1, call, 2));
        assert_int_equal(often.calls, 9);
        assert_int_equal(rare.calls, 2);
        for (int n = 0; n < 9; n++)
            assert_true(often.time[n] == 0.125 * n);
        assert_true(rare.time[0] == 0.25 && rare.time[1] == 0.75);
        expect_ok(context, myr_simulation_run(s, 1.5, call, 2)); /* goes on counting */
        assert_int_equal(often.calls, 13);
        assert_true(often.time[9] == 1.125);
        if (k == 0) {
            run_to(context, plain, 1.5);
            bodies x = bodies_now(context, s), y = bodies_now(context, plain);
            assert_true(farthest(&x, &y) == 0);
        }
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&plain);
        myr_context_destroy(&context);
    }
}

/* A call that stops leaves the motion at its time, and is repeated; other intervals than steps are passed once. */
static void test_stop(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_simulation *s = cluster(context, "leapfrog");
    seen all = {.stop_after = 3};
    myr_timed_call call = {0, 0.1, note, &all, 0};
    assert_int_equal(myr_simulation_run(s, 1, &call, 1), MYR_ERROR_CANCELLED);
    assert_true(all.calls == 3 && call.calls == 3);
    const double time = myr_simulation_time(s);
    assert_true(time >= 0.3 && time < 0.3 + 1 / 64.);
    all.stop_after = 0;
    expect_ok(context, myr_simulation_run(s, 1, &call, 1));
    assert_int_equal(all.calls, 11);
    assert_true(all.time[3] == time && myr_simulation_time(s) == 1);
    assert_int_equal(myr_simulation_run(s, 0.5, &call, 1), MYR_ERROR_VALUE);
    call.interval = 0;
    assert_int_equal(myr_simulation_run(s, 2, &call, 1), MYR_ERROR_VALUE);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times), cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
