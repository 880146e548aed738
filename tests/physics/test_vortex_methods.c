/* A ring with waves, moved by direct sums, by the fast multipole method, by pseudo-particles and by the tree code: the
 * same flow after 100 steps, to within the tolerance that was asked for. */
#include "physics/rings.h"

enum { PER_SECTION = 25, SECTIONS = 100, N = PER_SECTION * SECTIONS, STEPS = 100 };
#define TOLERANCE 1e-3

static const setting ring[] = {
    {"amplitude", 0.1, NULL}, {"waves", 3, NULL}, {"core", 0.2, NULL}, {"layers", 2, NULL}, {0}};

/* The elements after so many steps, to be destroyed with the simulation. */
static const myr_particles *move(const char *method, int steps, myr_simulation **s)
{
    myr_particles *p = make_model(context, "vortex_ring", N, 1, ring);
    myr_interaction *f = new_interaction(context, "velocity_stretching", "single");
    const myr_particles *now;
    myr_far_report report;
    const int far = strcmp(method, "direct") != 0;
    expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
    expect_ok(context, myr_interaction_choose(f, "method", method));
    if (far)
        expect_ok(context, myr_interaction_set(f, "tolerance", TOLERANCE));
    if (strcmp(method, "pseudo") == 0) /* so few elements would be one leaf, and all pairs */
        expect_ok(context, myr_interaction_set(f, "leaf", 250));
    expect_ok(context, myr_simulation_create(context, p, f, s));
    expect_ok(context, myr_simulation_choose(*s, "ab2"));
    expect_ok(context, myr_simulation_set(*s, "dt", 0.02));
    for (int k = 0; k < steps; k++)
        expect_ok(context, myr_simulation_step(*s, 1e300));
    assert_int_equal(myr_simulation_steps(*s), steps);
    if (far && steps) {
        expect_ok(context, myr_interaction_far(f, &report));
        assert_true(report.near_pairs < (int64_t)N * N); /* of the tree: pairs with pseudo-particles too */
    }
    expect_ok(context, myr_simulation_particles(*s, &now));
    return now;
}

/* The L2 difference of a field of two sets over that of two others. */
static double off(const myr_particles *a, const myr_particles *b, const myr_particles *from, const char *field)
{
    double apart = 0, all = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < N; i++) {
            const double right = result(b, field, c)[i];
            apart += pow(result(a, field, c)[i] - right, 2);
            all += pow(right - result(from, field, c)[i], 2);
        }
    return sqrt(apart / all);
}

static void test_methods(void **state)
{
    static const struct {
        const char *method;
        double position, strength; /* of the way that elements went, of the change of strengths */
    } rows[] = {{"fmm", 4e-5, 8e-4}, {"pseudo", 6e-5, 1e-3}, {"tree", 9e-5, 1e-3}};
    /* measured: 1.0e-5 and 2.2e-4, 1.9e-5 and 3.7e-4, 2.8e-5 and 3.2e-4 */
    myr_simulation *begin, *direct;
    (void)state;
    expect_ok(context, myr_context_set_threads(context, 1)); /* they would wait for each other on a busy machine */
    const myr_particles *from = move("direct", 0, &begin), *right = move("direct", STEPS, &direct);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        myr_simulation *s;
        const myr_particles *p = move(rows[k].method, STEPS, &s);
        const double position = off(p, right, from, "position"), strength = off(p, right, from, "strength");
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "%s: places %.2e, strengths %.2e\n", rows[k].method, position, strength);
        expect_below("places", position, rows[k].position);
        expect_below("strengths", strength, rows[k].strength);
        myr_simulation_destroy(&s);
    }
    myr_simulation_destroy(&direct);
    myr_simulation_destroy(&begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
