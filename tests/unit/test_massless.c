/* test_massless.c - particles of mass 0 at the end of a set: they feel the others at the cost of the others, and
 * the others do not know of them.
 * usage: test_massless [cuda] */
#include "physics/motion.h"
#include "simulation/simulation.h"

static const char *backend = "simd";

enum { MASSIVE = 64, MASSLESS = 300, MANY = 30 }; /* by cells MANY times as many */

/* A cluster of n stars and m test particles inside it. */
static myr_particles *cluster(myr_context *context, int64_t n, int64_t m)
{
    myr_particles *p = make_model(context, "plummer", n + m, 7, NULL);
    myr_particles *stars = make_model(context, "plummer", n, 3, NULL);
    static const char *const fields[] = {"position", "velocity", "mass"};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < (k < 2 ? 3 : 1); c++)
            memcpy(myr_particles_component(p, fields[k], c), myr_particles_component(stars, fields[k], c),
                   (size_t)n * sizeof(double));
    for (int64_t i = n; i < n + m; i++)
        myr_particles_component(p, "mass", 0)[i] = 0;
    myr_particles_destroy(&stars);
    return p;
}

typedef struct {
    const char *integrator, *method, *accumulator;
} way;

static myr_simulation *motion_of(myr_context *context, const way *w, myr_particles *p)
{
    const int hermite = strcmp(w->integrator, "hermite4") == 0;
    myr_simulation *s = new_motion(p, "double", 0.05, w->integrator, hermite ? NULL : SETTINGS({"dt", 1 / 64., NULL}));
    myr_interaction *f = myr_simulation_interaction(s);
    expect_ok(context, myr_interaction_choose(f, "backend", backend));
    expect_ok(context, myr_interaction_choose(f, "method", w->method));
    expect_ok(context, myr_interaction_choose(f, "accumulator", w->accumulator));
    return s;
}

/* The largest difference of positions between the first n of two motions. */
static double difference(myr_context *context, myr_simulation *a, myr_simulation *b, int64_t n)
{
    bodies x = bodies_now(context, a), y = bodies_now(context, b);
    x.n = n;
    return farthest(&x, &y);
}

/* By direct summation the stars move with the bits of the cluster alone, and test particles with those of a set whose
 * last particle has a mass that nobody feels, so that all are sources. */
static void test_bits(void **state)
{
    (void)state;
    static const way ways[] = {{"leapfrog", "direct", "fixed"}, {"hermite4", "direct", "fixed"}};
    for (int k = 0; k < 2; k++) {
        myr_context *context = new_context();
        myr_particles *all = cluster(context, MASSIVE, MASSLESS), *felt = cluster(context, MASSIVE, MASSLESS);
        myr_particles_component(felt, "mass", 0)[MASSIVE + MASSLESS - 1] = 1e-300;
        myr_simulation *s = motion_of(context, &ways[k], all), *t = motion_of(context, &ways[k], felt);
        myr_simulation *alone = motion_of(context, &ways[k], cluster(context, MASSIVE, 0));
        run_to(context, s, 0.25);
        run_to(context, t, 0.25);
        run_to(context, alone, 0.25);
        const double stars = difference(context, s, alone, MASSIVE);
        const double others = difference(context, s, t, MASSIVE + MASSLESS);
        assert_true(stars == 0 && others == 0);
        const myr_progress few = progress_of(context, s), many = progress_of(context, t);
        assert_int_equal(few.particle_steps, many.particle_steps);
        assert_int_equal(few.pairs * (MASSIVE + MASSLESS), many.pairs * MASSIVE);
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&t);
        myr_simulation_destroy(&alone);
        myr_context_destroy(&context);
    }
}

/* By cells they move as by direct summation. */
static void test_cells(void **state)
{
    (void)state;
    static const way direct = {"leapfrog", "direct", "double"};
    static const way ways[] = {{"leapfrog", "fmm", "double"}, {"leapfrog", "tree", "double"}};
    static const double bar[] = {1e-5, 8e-6}; /* measured: 3.65e-6, 1.65e-6 */
    const int64_t n = MANY * MASSIVE, m = MANY * MASSLESS;
    for (int k = 0; k < 2; k++) {
        myr_context *context = new_context();
        myr_simulation *s = motion_of(context, &ways[k], cluster(context, n, m));
        myr_simulation *t = motion_of(context, &direct, cluster(context, n, m));
        expect_ok(context, myr_interaction_set(s->interaction, "tolerance", 1e-4));
        run_to(context, s, 0.25);
        run_to(context, t, 0.25);
        const double apart = difference(context, s, t, n + m);
        assert_true(apart < bar[k]);
        assert_int_equal(s->interaction->last.sources, n);
        assert_true(s->interaction->last.pairs < n * (n + m)); /* there are cells far away */
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&t);
        myr_context_destroy(&context);
    }
}

/* Without a GPU that is asked for, the test is skipped. */
static int has_gpu(void)
{
    myr_gpu_info gpu;
    myr_context *context = new_context();
    const myr_status status = myr_machine_gpu(context, 0, &gpu);
    printf("%s%s\n", status ? "skipped: " : "on ", status ? myr_context_message(context) : gpu.name);
    myr_context_destroy(&context);
    return !status;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest on_gpu[] = {cmocka_unit_test(test_bits)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_cells)};
    if (argc > 1) { /* far fields of a GPU have one tree of all particles */
        backend = argv[1];
        return has_gpu() ? cmocka_run_group_tests(on_gpu, NULL, NULL) : 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
