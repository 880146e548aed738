/* test_far.c - the fast multipole method on a GPU beside the processor's: the same tree and the same numbers of pairs
 * and translations, and results that differ by rounding. Sets that break trees, arithmetics, accumulators, orders; the
 * same bits again; what is refused. */
#include "gpu/far_problems.h"

/* Sets that break trees. Half of one at one place: 3.2e-6 measured, at order 30. */
static void test_clouds(void **state)
{
    if (!gpu)
        skip();
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        const problem q = {
            .name = clouds[cloud].name, .cloud = cloud, .n = 3000, .bar = clouds[cloud].heavy ? 1e-5 : 0};
        compare(*state, &q);
    }
}

static void test_sizes(void **state)
{
    static const int64_t sizes[] = {1, 2, 31, 97, 300};
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const problem q = {.name = "few", .cloud = 1, .n = sizes[k]};
        compare(*state, &q);
        const problem deep = {.name = "few and far", .cloud = CLOUDS - 1, .n = sizes[k], .leaf = 8};
        compare(*state, &deep);
    }
}

/* Measured: sums that do not round 8.6e-8, chamomile 1.7e-7, mixed 6.6e-8, double with fixed sums 3.1e-16. The
 * processor uses fewer degrees for far offsets from order 16 or separation 2 on: 7.1e-11 and 2.1e-5. */
static void test_kinds(void **state)
{
    static const problem problems[] = {
        {"fixed", 1, 3000, .accumulator = "fixed", .bar = 3e-7},
        {"chamomile", 1, 3000, .accumulator = "chamomile", .bar = 6e-7},
        {"chamomile, mixed", 1, 3000, .arithmetic = "mixed", .accumulator = "chamomile", .bar = 6e-7},
        {"double sums", 1, 3000, .accumulator = "double", .bar = 3e-7},
        {"takahashi", 1, 2000, .accumulator = "takahashi", .bar = 3.5e-7},
        {"nitadori", 0, 2000, .kernel = "gravity", .accumulator = "nitadori", .bar = 3.5e-7},
        {"nitadori_large", 1, 2000, .accumulator = "nitadori_large", .bar = 3.5e-7},
        {"narumi", 1, 2000, .accumulator = "narumi", .bar = 3.5e-7},
        {"narumi, mixed", 2, 2000, .kernel = "gravity", .arithmetic = "mixed", .accumulator = "narumi", .bar = 3.5e-7},
        {"mixed", 2, 3000, .arithmetic = "mixed", .accumulator = "fixed", .tolerance = 1e-5, .bar = 2e-7},
        {"mixed, expansions in double", 0, 2000, .arithmetic = "mixed", .accumulator = "double", .tolerance = 1e-6,
         .bar = 2e-7},
        {"double", 1, 2000, .arithmetic = "double", .accumulator = "double", .tolerance = 1e-8, .bar = 3e-10},
        {"double, fixed", 2, 2000, .arithmetic = "double", .accumulator = "fixed", .tolerance = 1e-6, .bar = 4e-16},
        {"pairs in other leaves", 0, 4000, .accumulator = "fixed", .pairs = 1e-3, .bar = 5e-7},
        {"pairs in other leaves, double", 0, 4000, .arithmetic = "double", .accumulator = "fixed", .pairs = 1e-3,
         .bar = 1e-15},
        {"gravity", 1, 2000, .kernel = "gravity"},
        {"charges", 0, 3000, .kernel = "laplace"},
        {"spline", 1, 2000, .kernel = "gravity_potential_spline"},
        {"softened", 0, 3000, .eps = 1e-4},
        {"softened, wide", 0, 3000, .eps = 3e-3, .tolerance = 1e-3},
        {"half without mass, the last one with", 1, 2001, .massless = 1},
        {"without mass", 0, 2000, .massless = 2},
        {"separation 2", 0, 2000, .separation = 2, .order = 6, .bar = 6e-5},
        {"order 3", 0, 2000, .order = 3},
        {"order 12", 0, 2000, .order = 12},
        {"large leaves", 0, 2000, .leaf = 90},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        if (turns_takes((int)k))
            compare(*state, &problems[k]);
}

/* Several strengths per source, fields of targets in the far field, second derivatives. 2.2e-9 measured at order 18, of
 * which the processor uses fewer degrees for far offsets. */
static void test_vectors(void **state)
{
    static const problem problems[] = {
        {"velocity", 0, 3000, .kernel = "biot_savart", .tolerance = 1e-3},
        {"velocity, sphere", 1, 3000, .kernel = "biot_savart", .accumulator = "fixed", .tolerance = 1e-2},
        {"stretching", 0, 2000, .kernel = "stretching", .tolerance = 1e-2},
        {"velocity and stretching", 0, 3000, .kernel = "velocity_stretching", .accumulator = "fixed",
         .tolerance = 1e-2},
        {"clusters", 2, 3000, .kernel = "velocity_stretching", .tolerance = 1e-2},
        {"transposed", 0, 2000, .kernel = "velocity_stretching_transposed", .tolerance = 1e-2},
        {"mixed scheme", 0, 2000, .kernel = "velocity_stretching_mixed", .arithmetic = "mixed", .tolerance = 1e-3},
        {"cores of nearly one size", 0, 2000, .kernel = "biot_savart", .tolerance = 1e-2, .cores = 1.1},
        {"jerk", 1, 3000, .kernel = "gravity_jerk", .tolerance = 1e-3},
        {"jerk, clusters", 2, 3000, .kernel = "gravity_jerk", .accumulator = "fixed", .tolerance = 1e-3},
        {"jerk, double", 1, 2000, .kernel = "gravity_jerk", .arithmetic = "double", .accumulator = "double",
         .bar = 8e-15},
        {"jerk, series of more than 48 kB", 1, 600, .kernel = "gravity_jerk", .arithmetic = "double",
         .accumulator = "double", .order = 18, .leaf = 32, .bar = 8e-9},
        {"jerk, chamomile", 1, 600, .kernel = "gravity_jerk", .arithmetic = "mixed", .accumulator = "chamomile",
         .tolerance = 1e-3, .leaf = 32},
        {"jerk, spline", 1, 2000, .kernel = "gravity_jerk_spline", .tolerance = 1e-3},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        if (turns_takes((int)k))
            compare(*state, &problems[k]);
}

/* Translations by matrices that reflections share, which few cells do not have by themselves, beside the processor's
 * rotations; and beside those of the GPU, which have other bits. Measured 4.3e-7; potentials of
 * charges in a box 1.4e-4, as with rotations. */
static void test_matrices(void **state)
{
    static const problem problems[] = {
        {"matrices", 0, 3000, .leaf = 8},
        {"matrices, order 3", 0, 3000, .leaf = 4, .order = 3},
        {"matrices, order 4, fixed", 0, 3000, .leaf = 8, .order = 4, .accumulator = "fixed"},
        {"matrices, order 10", 0, 800, .leaf = 2, .order = 10},
        {"matrices, sphere", 1, 3000, .leaf = 8, .order = 4},
        {"matrices, clusters", 2, 3000, .leaf = 8, .order = 4},
        {"matrices, charges, periodic", 0, 2500, .kernel = "laplace", .axes = 7, .leaf = 8, .order = 4, .bar = 4e-4},
        {"matrices, one axis", 0, 2500, .axes = 4, .leaf = 8, .order = 4},
        {"matrices, elements", 0, 2000, .kernel = "velocity_stretching", .order = 3, .leaf = 8, .scale = 8},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        assert_int_equal(setenv("MYRIAD_FAR_PARITY", "1", 1), 0);
        compare(*state, &problems[k]);
    }
    myr_particles *by_matrices = make_particles(*state, &problems[1]), *turned = make_particles(*state, &problems[1]);
    myr_interaction *f = make_interaction(*state, &problems[1], gpu);
    evaluate(*state, f, by_matrices);
    assert_int_equal(unsetenv("MYRIAD_FAR_PARITY"), 0);
    evaluate(*state, f, turned);
    const double off = difference(by_matrices, turned, "acceleration");
    print_message("matrices and rotations differ by %.2g\n", off);
    assert_true(off > 0 && off <= ROUNDING);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&by_matrices);
    myr_particles_destroy(&turned);
}

/* Images of a periodic box. Boxes that are not neutral have potentials that nearly cancel with their background: 1.5e-4
 * measured for masses, 3.7e-5 for charges, 3.2e-6 for a sphere, fields 1.5e-6, in double 2.2e-13. */
static void test_periodic(void **state)
{
    static const problem problems[] = {
        {"periodic", 0, 3000, .kernel = "laplace", .axes = 7, .tolerance = 1e-3, .bar = 1e-4},
        {"periodic, gravity with a background", 0, 3000, .axes = 7, .tolerance = 1e-3, .bar = 4e-4},
        {"periodic, gravity without potential", 0, 3000, .kernel = "gravity", .axes = 7, .tolerance = 1e-3},
        {"periodic, fixed", 0, 2000, .kernel = "laplace", .axes = 7, .accumulator = "fixed", .tolerance = 1e-3,
         .bar = 1e-4},
        {"periodic, few images", 0, 2000, .kernel = "laplace", .axes = 7, .images = 4, .tolerance = 1e-3},
        {"periodic, outside", 0, 2000, .kernel = "laplace", .axes = 7, .shift = 3.25, .tolerance = 1e-3, .bar = 1e-4},
        {"periodic, one leaf", 0, 40, .axes = 7, .tolerance = 1e-3, .bar = 2e-4},
        {"periodic, mixed", 0, 2000, .kernel = "laplace", .axes = 7, .arithmetic = "mixed", .tolerance = 1e-3,
         .bar = 1e-4},
        {"periodic, double", 0, 1500, .axes = 7, .arithmetic = "double", .accumulator = "double", .bar = 6e-13},
        {"two axes", 0, 3000, .axes = 3, .tolerance = 1e-3},
        {"one axis", 0, 3000, .axes = 4, .tolerance = 1e-3},
        {"periodic, clusters on a line", 4, 2000, .axes = 1, .tolerance = 1e-3},
        {"periodic, elements", 0, 3000, .kernel = "velocity_stretching", .axes = 7, .tolerance = 1e-2},
        {"periodic, jerk", 0, 2000, .kernel = "gravity_jerk", .axes = 7, .tolerance = 1e-3, .bar = 4e-4},
        {"periodic, a sphere in the corners", 1, 2500, .axes = 7, .scale = 0.02, .tolerance = 1e-3, .bar = 1e-5},
        {"one axis, a sphere on a face", 1, 2000, .axes = 1, .scale = 0.02, .tolerance = 1e-3},
    };
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        if (turns_takes((int)k))
            compare(*state, &problems[k]);
}

/* --- portable arithmetic ------------------------------------------------------------------------------------------ */

/* A GPU and the processor find the same bits. */
static void same_bits(myr_context *context, const problem *q)
{
    myr_particles *here = make_particles(context, q), *there = make_particles(context, q);
    myr_interaction *f = make_interaction(context, q, "simd"), *g = make_interaction(context, q, gpu);
    myr_far_report a, b;
    evaluate(context, f, here);
    evaluate(context, g, there);
    assert_int_equal(myr_interaction_far(f, &a), MYR_OK);
    assert_int_equal(myr_interaction_far(g, &b), MYR_OK);
    assert_string_equal(myr_interaction_choice(g, "backend"), "cuda");
    print_message("%s: %lld cells, %lld levels, %lld translations, order %d\n", q->name, (long long)b.cells,
                  (long long)b.levels, (long long)b.translations, b.order);
    assert_int_equal(a.order, b.order);
    assert_int_equal(a.cells, b.cells);
    assert_int_equal(a.translations, b.translations);
    expect_same(q, here, there);
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
    myr_particles_destroy(&here);
    myr_particles_destroy(&there);
}

/* The first `few` problems, or all with MYRIAD_TEST_LONG: each kernel and order is a program to compile. */
static void all_portable(myr_context *context, const problem *problems, size_t few, size_t n)
{
    if (!gpu)
        skip();
    for (size_t k = 0; k < (getenv("MYRIAD_TEST_LONG") ? n : few); k++) {
        problem q = problems[k];
        q.arithmetic = "portable";
        q.accumulator = "fixed";
        same_bits(context, &q);
    }
}

/* Sets that break trees. */
static void test_portable_clouds(void **state)
{
    static const int64_t sizes[] = {1, 2, 31, 97, 20000};
    problem q[CLOUDS + sizeof sizes / sizeof *sizes];
    size_t n = 0;
    for (int cloud = CLOUDS; cloud-- > 0;) /* the worst first */
        q[n++] = (problem){.name = clouds[cloud].name, .cloud = cloud, .n = 300, .leaf = 8, .tolerance = 1e-2};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        q[n++] = (problem){.name = "few", .cloud = CLOUDS - 1, .n = sizes[k], .leaf = 8, .tolerance = 1e-2};
    all_portable(*state, q, n - 1, n);
}

/* Matrices and turned translations, fewer degrees for far offsets, expansions in double, strengths, targets' fields. */
static void test_portable_kinds(void **state)
{
    static const problem problems[] = {
        {"order 3", 0, 300, .order = 3, .leaf = 2},
        {"velocity and stretching, mixed", 0, 300, .kernel = "velocity_stretching_mixed", .tolerance = 3e-2, .leaf = 8},
        {"jerk, half without mass", 1, 300, .kernel = "gravity_jerk", .massless = 1, .tolerance = 1e-2, .leaf = 8},
        {"separation 2", 0, 700, .separation = 2, .order = 5, .leaf = 8},
        {"without mass", 0, 500, .massless = 2, .tolerance = 1e-2, .leaf = 8},
        {"order 12", 2, 1500, .order = 12},
        {"order 17, relaxed", 1, 600, .order = 17, .leaf = 16},
        {"expansions in double", 1, 600, .tolerance = 1e-6, .leaf = 8},
        {"pairs in other leaves", 0, 2000, .pairs = 1e-3, .tolerance = 1e-3},
        {"charges", 0, 2000, .kernel = "laplace", .tolerance = 1e-3},
        {"spline", 1, 2000, .kernel = "gravity_spline", .tolerance = 1e-3},
        {"softened", 0, 2000, .eps = 3e-3, .tolerance = 1e-3},
        {"half without mass", 1, 2000, .massless = 1, .tolerance = 1e-3},
        {"jerk", 1, 2000, .kernel = "gravity_jerk", .tolerance = 1e-3},
        {"velocity", 2, 2000, .kernel = "biot_savart", .tolerance = 1e-2},
        {"velocity and stretching", 0, 2000, .kernel = "velocity_stretching", .tolerance = 1e-2},
    };
    enum { FEW = 3 };
    all_portable(*state, problems, FEW, sizeof problems / sizeof *problems);
}

static void test_portable_periodic(void **state)
{
    static const problem problems[] = {
        {"periodic, outside", 0, 400, .axes = 7, .shift = 3.25, .tolerance = 1e-2, .leaf = 4},
        {"two axes", 0, 400, .axes = 3, .tolerance = 1e-2, .leaf = 4},
        {"periodic, clusters on a line", 4, 600, .axes = 1, .tolerance = 1e-2, .leaf = 8},
        {"periodic", 0, 2000, .kernel = "laplace", .axes = 7, .tolerance = 1e-3},
        {"periodic, elements", 0, 2000, .kernel = "velocity_stretching", .axes = 7, .tolerance = 1e-2},
        {"periodic, jerk", 0, 2000, .kernel = "gravity_jerk", .axes = 7, .tolerance = 1e-3},
        {"periodic, a sphere in the corners", 1, 2500, .axes = 7, .scale = 0.02, .tolerance = 1e-3},
    };
    enum { FEW = 2 };
    all_portable(*state, problems, FEW, sizeof problems / sizeof *problems);
}

/* Targets that are no sources, and some of the sources: cells have other numbers of targets than of sources. */
static void test_portable_targets(void **state)
{
    const problem q = {"other targets",   1,        2500, .arithmetic = "portable", .accumulator = "fixed",
                       .tolerance = 1e-2, .leaf = 8};
    problem elsewhere = q;
    int64_t index[1300];
    if (!gpu)
        skip();
    elsewhere.cloud = 2;
    elsewhere.n = 1500;
    for (int64_t k = 0; k < 1300; k++)
        index[k] = (k < 1200 ? 1200 : 2499) - k;
    myr_interaction *f = make_interaction(*state, &q, "simd"), *g = make_interaction(*state, &q, gpu);
    for (int subset = 0; subset < 2; subset++) {
        myr_particles *sources = make_particles(*state, &q);
        myr_particles *here = make_particles(*state, subset ? &q : &elsewhere);
        myr_particles *there = make_particles(*state, subset ? &q : &elsewhere);
        if (subset ? myr_interaction_evaluate_subset(f, here, 1300, index) ||
                         myr_interaction_evaluate_subset(g, there, 1300, index)
                   : myr_interaction_evaluate(f, here, sources) || myr_interaction_evaluate(g, there, sources))
            fail_msg("%s", myr_context_message(*state));
        expect_same(&q, here, there);
        myr_particles_destroy(&sources);
        myr_particles_destroy(&here);
        myr_particles_destroy(&there);
    }
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
}

/* The order in which blocks of threads run does not matter. */
static void test_again(void **state)
{
    const problem q = {"again", 2, 2000, .accumulator = "single"};
    if (!gpu)
        skip();
    myr_particles *p = make_particles(*state, &q);
    myr_interaction *f = make_interaction(*state, &q, gpu);
    double first[2000];
    for (int k = 0; k < 3; k++) {
        evaluate(*state, f, p);
        const double *x = myr_particles_component(p, "acceleration", 1);
        if (k == 0)
            memcpy(first, x, sizeof first);
        assert_memory_equal(first, x, sizeof first);
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void refused(myr_context *context, const problem *q, myr_status expected, const char *sentence)
{
    myr_particles *p = make_particles(context, q);
    myr_interaction *f = make_interaction(context, q, gpu);
    assert_int_equal(myr_interaction_evaluate(f, p, p), expected);
    if (!strstr(myr_context_message(context), sentence))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), sentence);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_refused(void **state)
{
    if (!gpu)
        skip();
    const problem halved = {.name = "halved",
                            .n = 4000,
                            .arithmetic = "portable",
                            .accumulator = "fixed",
                            .tolerance = 1e-2,
                            .leaf = 8,
                            .axes = 7,
                            .eps = 0.02};
    const problem sheet = {.name = "sheet", .cloud = 1, .n = 500, .axes = 3};
    refused(*state, &sheet, MYR_ERROR_VALUE, "along an axis that is not periodic");
    const problem cores = {
        "cores", 0, 2000, .kernel = "biot_savart", .cores = 2, .arithmetic = "portable", .accumulator = "fixed"};
    refused(*state, &cores, MYR_ERROR_COMBINATION, "cores of about one size");
    refused(*state, &halved, MYR_ERROR_COMBINATION, "cells of a periodic box that are no narrower than 0.24");
}

/* A set that does not fit the memory is refused with the bytes that are missing, and nothing is lost: a smaller one is
 * evaluated after it. */
static void test_memory(void **state)
{
    const problem large = {.name = "large", .n = 20000}, small = {.name = "small", .n = 300};
    myr_context *context;
    (void)state;
    if (!gpu)
        skip();
    setenv("MYRIAD_CUDA_MEMORY", "2000000", 1);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = make_particles(context, &large), *q = make_particles(context, &small);
    myr_interaction *f = make_interaction(context, &large, gpu);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_MEMORY);
    assert_non_null(strstr(myr_context_message(context), "bytes more would pass MYRIAD_CUDA_MEMORY = 2000000"));
    evaluate(context, f, q);
    unsetenv("MYRIAD_CUDA_MEMORY");
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    myr_context_destroy(&context);
}

/* A subset of the particles has the bits of all of them. */
static void test_subset(void **state)
{
    const problem q = {.name = "subset", .n = 5000, .kernel = "gravity_jerk", .tolerance = 1e-3};
    if (!gpu)
        skip();
    myr_particles *p = make_particles(*state, &q), *some = make_particles(*state, &q);
    myr_interaction *f = make_interaction(*state, &q, gpu);
    int64_t index[2000];
    for (int64_t k = 0; k < 2000; k++)
        index[k] = 4999 - 2 * k;
    evaluate(*state, f, p);
    if (myr_interaction_evaluate_subset(f, some, 2000, index))
        fail_msg("%s", myr_context_message(*state));
    for (int64_t k = 0; k < 2000; k++)
        for (int c = 0; c < 3; c++)
            assert_true(myr_particles_component(p, "jerk", c)[index[k]] ==
                        myr_particles_component(some, "jerk", c)[index[k]]);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_particles_destroy(&some);
}

/* Targets that are no sources, outside of the cube of the sources as well: the trees are not those of the processor,
 * and the fields differ by the errors of two evaluations: 7.8e-5 for gravity, 1.1e-4 for jerks and 1.5e-4 for
 * stretching measured, with tolerances of 1e-4, 1e-3 and 1e-2. */
static void others_compare(myr_context *context, const problem *q, const char *field, double bar)
{
    problem elsewhere = *q;
    elsewhere.cloud = 1;
    elsewhere.n = 2500;
    myr_particles *sources = make_particles(context, q), *here = make_particles(context, &elsewhere),
                  *there = make_particles(context, &elsewhere);
    myr_interaction *f = make_interaction(context, q, "simd"), *g = make_interaction(context, q, gpu);
    if (myr_interaction_evaluate(f, here, sources) || myr_interaction_evaluate(g, there, sources))
        fail_msg("%s", myr_context_message(context));
    const double off = difference(there, here, field);
    print_message("%s: differ by %.2g\n", q->name, off);
    assert_true(off > 0 && off <= bar);
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
    myr_particles_destroy(&sources);
    myr_particles_destroy(&here);
    myr_particles_destroy(&there);
}

static void test_others(void **state)
{
    static const problem gravity = {.name = "other targets", .n = 3000},
                         fixed = {.name = "other targets, fixed", .n = 3000, .accumulator = "fixed", .eps = 1e-3},
                         jerk = {.name = "other targets, jerk", .n = 3000, .kernel = "gravity_jerk", .tolerance = 1e-3},
                         vortex = {.name = "other targets, vortices",
                                   .n = 3000,
                                   .kernel = "velocity_stretching",
                                   .tolerance = 1e-2};
    if (!gpu)
        skip();
    others_compare(*state, &gravity, "acceleration", 2e-4);
    others_compare(*state, &fixed, "acceleration", 2e-4);
    others_compare(*state, &jerk, "jerk", 4e-4);
    others_compare(*state, &vortex, "stretching", 5e-4);
}

/* One argument: pattern of the tests to run. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_subset),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_portable_clouds),
        cmocka_unit_test(test_portable_kinds),
        cmocka_unit_test(test_portable_periodic),
        cmocka_unit_test(test_portable_targets),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, setup, teardown);
}
