/* test_far_sets.c - the fast multipole method on a GPU: awkward sets, kernels and tolerances at random, vortex elements
 * with cores of several sizes, several devices. */
#include "gpu/far_problems.h"

/* Half of the mass in one body, and clusters that are 1e5 of their sizes apart, of which a float would tell no
 * particles apart. */
static void test_awkward(void **state)
{
    static const problem problems[] = {
        {"half of the mass in one body", 1, 3000, .heavy = 1},
        {"half of the mass in one body, fixed", 0, 3000, .heavy = 1, .accumulator = "fixed"},
        {"two clusters 1e5 apart", 0, 3000, .apart = 1e5, .arithmetic = "double", .accumulator = "fixed", .bar = 9e-16},
        {"two spheres 1e5 apart, portable", 1, 3000, .apart = 1e5, .arithmetic = "portable", .accumulator = "fixed",
         .bar = 1e-16},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        compare(*state, &problems[k]);
}

/* A problem of kernels, sets and tolerances. Differences in double arithmetic are measured up to 6.7e-15; from order 16
 * on the processor uses fewer degrees for far offsets. */
static void compare_one(myr_context *context, int kernel, int cloud, int tolerance)
{
    static const char *const kernels[] = {
        "gravity",     "gravity_potential", "gravity_jerk",        "gravity_spline",          "laplace",
        "biot_savart", "stretching",        "velocity_stretching", "gravity_potential_spline"};
    static const double tolerances[] = {1e-2, 1e-3, 1e-5};
    char name[96];
    snprintf(name, sizeof name, "%s, %s, %g", kernels[kernel], clouds[cloud].name, tolerances[tolerance]);
    const problem q = {.name = name,
                       .cloud = cloud,
                       .n = 1500,
                       .kernel = kernels[kernel],
                       .arithmetic = "double",
                       .accumulator = "double",
                       .tolerance = tolerances[tolerance],
                       .bar = -1};
    compare(context, &q);
}

enum { KERNELS = 9, TOLERANCES = 3 };

/* A case of the above by the clock, all of them with MYRIAD_TEST_LONG. */
static void test_everything(void **state)
{
    const char *given = getenv("MYRIAD_TEST_SEED");
    const int all = KERNELS * CLOUDS * TOLERANCES;
    const int one = (int)(given ? atol(given) : (long)(time(NULL) / 60)) % all;
    if (!gpu)
        skip();
    print_message("MYRIAD_TEST_SEED=%d\n", one);
    for (int k = 0; k < all; k++)
        if (k == one || getenv("MYRIAD_TEST_LONG"))
            compare_one(*state, k % KERNELS, k / KERNELS % CLOUDS, k / KERNELS / CLOUDS);
}

/* Cores of vortex elements over a factor of 2: no cell is narrower than the widest one requires, where the processor
 * keeps wide elements in cells of their own. Both have the tolerance of a sum over all pairs. */
static void test_cores(void **state)
{
    static const problem q = {"cores of two sizes", 0,           3000, .kernel = "velocity_stretching",
                              .tolerance = 1e-2,    .cores = 0.5};
    if (!gpu)
        skip();
    myr_particles *right = make_particles(*state, &q), *there = make_particles(*state, &q);
    myr_interaction *f = make_interaction(*state, &q, "simd"), *g = make_interaction(*state, &q, gpu);
    assert_int_equal(myr_interaction_choose(f, "method", "direct"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    evaluate(*state, f, right);
    evaluate(*state, g, there);
    for (int k = 4; k < 6; k++) {
        const double off = difference(there, right, fields[k]);
        print_message("%s: %s off by %.2g\n", q.name, fields[k], off);
        assert_true(off <= q.tolerance);
    }
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
    myr_particles_destroy(&right);
    myr_particles_destroy(&there);
}

/* Several devices share the targets, here one device that is listed three times: bits and numbers of one, also where
 * parts end in the middle of leaves, or where a leaf leaves nothing to others. */
static void test_several(void **state)
{
    static const problem problems[] = {
        {"uniform", 0, 3000, .accumulator = "fixed"},
        {"clustered", 2, 3100, .accumulator = "fixed"},
        {"half at one place", 6, 3000, .accumulator = "fixed"},
        {"all at one place", 5, 3000, .accumulator = "fixed"},
        {"portable", 1, 3000, .arithmetic = "portable", .accumulator = "fixed"},
        {"velocity and stretching", 0, 3000, .kernel = "velocity_stretching", .accumulator = "fixed",
         .tolerance = 1e-2},
        {"double", 1, 3000, .arithmetic = "double", .accumulator = "fixed", .tolerance = 1e-6},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        myr_context *several;
        setenv("MYRIAD_CUDA_DEVICES", "0,0,0", 1);
        assert_int_equal(myr_context_create(&several), MYR_OK);
        myr_particles *here = make_particles(*state, &problems[k]), *there = make_particles(several, &problems[k]);
        myr_interaction *f = make_interaction(*state, &problems[k], gpu),
                        *g = make_interaction(several, &problems[k], gpu);
        myr_far_report a, b;
        evaluate(*state, f, here);
        evaluate(several, g, there);
        unsetenv("MYRIAD_CUDA_DEVICES");
        assert_int_equal(myr_interaction_far(f, &a), MYR_OK);
        assert_int_equal(myr_interaction_far(g, &b), MYR_OK);
        expect_same(&problems[k], here, there);
        assert_int_equal(a.near_pairs, b.near_pairs);
        assert_int_equal(a.translations, b.translations);
        assert_int_equal(a.cells, b.cells);
        assert_true(b.bytes > 2 * a.bytes); /* each device has a tree of its own */
        myr_interaction_destroy(&f);
        myr_interaction_destroy(&g);
        myr_particles_destroy(&here);
        myr_particles_destroy(&there);
        myr_context_destroy(&several);
    }
}

/* One argument: pattern of the tests to run. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_awkward),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_several),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, setup, teardown);
}
