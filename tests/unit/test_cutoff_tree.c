/* test_cutoff_tree.c - method neighbour in open space: the bits of the direct sum with fixed sums, sums over all pairs
 * written out here, the pairs within the cutoff counted one by one, and the pairs looked at, of which 8 times as many
 * particles have at most 9 times as many. Kernels of the library whose cutoff is a field: SPH density (the target's
 * smoothing length) and SPH force (both). Kernels of users, whose cutoff is a parameter: test_pipelines.c. */
#include "physics/physics.h"

enum { N = 2200 };

/* --- sets of particles -------------------------------------------------------------------------------------------- */

static double *component(myr_particles *p, const char *name, int c)
{
    double *x = myr_particles_component(p, name, c);
    assert_non_null(x);
    return x;
}

/* All fields of SPH, with places that the caller overwrites. */
static myr_particles *fluid(myr_context *context, int64_t n, uint64_t seed)
{
    static const char *const positive[] = {"mass", "density", "pressure", "sound_speed"};
    myr_particles *p = new_particles(context, n);
    uint64_t state = seed;
    for (int k = 0; k < 4; k++) {
        fill_field(p, positive[k], 0);
        for (int64_t i = 0; i < n; i++)
            component(p, positive[k], 0)[i] = 0.5 + uniform(&state);
    }
    expect_ok(context, myr_particles_add_field(p, "position", 3));
    expect_ok(context, myr_particles_add_field(p, "velocity", 3));
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < n; i++) {
            component(p, "position", c)[i] = uniform(&state);
            component(p, "velocity", c)[i] = uniform(&state) - 0.5;
        }
    fill_field(p, "smoothing_length", 0.08);
    return p;
}

/* Most particles in ever denser clumps; smoothing lengths follow their distance from the middle of the clumps over a
 * factor of 1000, and one particle in 100 has a long one. */
static void cluster(myr_particles *p)
{
    uint64_t state = 77;
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const double scale = pow(10, -3 * uniform(&state));
        for (int c = 0; c < 3; c++)
            component(p, "position", c)[i] = (double)(i % 3) + scale * (uniform(&state) - 0.5);
        component(p, "smoothing_length", 0)[i] = i % 100 ? 0.3 * scale : 0.7;
    }
}

/* Several particles at each of a few places, so that leaves are full. */
static void heap(myr_particles *p)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        for (int c = 0; c < 3; c++)
            component(p, "position", c)[i] = 0.25 * (double)((i / (c * c + 1)) % 4);
}

/* Places that floats cannot tell apart: pairs differ in the low words of mixed arithmetic alone. */
static void dust(myr_particles *p)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        for (int c = 0; c < 3; c++)
            component(p, "position", c)[i] = 1e4 + 1e-4 * component(p, "position", c)[i];
        component(p, "smoothing_length", 0)[i] = 1e-5;
    }
}

/* --- comparisons -------------------------------------------------------------------------------------------------- */

static const char *output_of(const char *kernel)
{
    return strcmp(kernel, "sph_density") == 0 ? "density" : "acceleration";
}

/* Evaluates by one method and gives a copy of the output, [components][n]. What the field held before is NaN, so that a
 * method that leaves a target out is seen. Densities go to a set of their own: force reads the field. */
static double *evaluated(const char *kernel, const char *arithmetic, const char *method, myr_particles *p,
                         const myr_particles *sources, myr_far_report *report)
{
    myr_context *context = myr_particles_context(p);
    const int64_t n = myr_particles_count(p);
    const int components = strcmp(kernel, "sph_density") == 0 ? 1 : 3;
    double *kept = calloc((size_t)(n * components) + 1, sizeof *kept), *before = calloc((size_t)n + 1, sizeof *before);
    assert_true(kept && before);
    memcpy(before, component(p, "density", 0), (size_t)n * sizeof *before);
    if (components == 3)
        expect_ok(context, myr_particles_add_field(p, "acceleration", 3));
    for (int c = 0; components == 3 && c < 3; c++)
        for (int64_t i = 0; i < n; i++)
            component(p, "acceleration", c)[i] = NAN;
    for (int64_t i = 0; components == 1 && i < n; i++)
        component(p, "density", 0)[i] = NAN;
    myr_interaction *f = new_interaction(context, kernel, arithmetic);
    expect_ok(context, myr_interaction_choose(f, "accumulator", "fixed"));
    expect_ok(context, myr_interaction_choose(f, "method", method));
    expect_ok(context, myr_interaction_evaluate(f, p, sources ? sources : p));
    for (int c = 0; c < components; c++)
        memcpy(kept + c * n, component(p, output_of(kernel), c), (size_t)n * sizeof *kept);
    if (report)
        expect_ok(context, myr_interaction_far(f, report));
    memcpy(component(p, "density", 0), before, (size_t)n * sizeof *before);
    free(before);
    myr_interaction_destroy(&f);
    return kept;
}

/* Pairs nearer than the cutoff, one by one: 2 h_i for the density, h_i + h_j for the force. */
static int64_t count_within(const char *kernel, const myr_particles *p, const myr_particles *sources)
{
    const myr_particles *s = sources ? sources : p;
    const double *h = result(p, "smoothing_length", 0), *hs = result(s, "smoothing_length", 0), *x[3], *xs[3];
    int64_t count = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = result(p, "position", c);
        xs[c] = result(s, "position", c);
    }
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        for (int64_t j = 0; j < myr_particles_count(s); j++) {
            const double reach = strcmp(kernel, "sph_density") == 0 ? 2 * h[i] : h[i] + hs[j];
            double square = 0;
            for (int c = 0; c < 3; c++)
                square += (xs[c][j] - x[c][i]) * (xs[c][j] - x[c][i]);
            count += square < reach * reach;
        }
    return count;
}

/* The neighbour method has the bits of the direct sum in every arithmetic, looks at no more than all pairs, and at all
 * within the cutoff. fewer: whether it must look at less than half of all pairs. */
static void compare(const char *what, myr_particles *p, const myr_particles *sources, int fewer)
{
    static const char *const kernels[] = {"sph_density", "sph_force"};
    const int64_t n = myr_particles_count(p), all = n * myr_particles_count(sources ? sources : p);
    for (int k = 0; k < 2; k++) {
        const int64_t within = count_within(kernels[k], p, sources);
        for (int a = 0; a < ARITHMETICS; a++) {
            myr_far_report report;
            double *direct = evaluated(kernels[k], arithmetics[a], "direct", p, sources, NULL);
            double *near = evaluated(kernels[k], arithmetics[a], "neighbour", p, sources, &report);
            for (int64_t i = 0; i < n * (k ? 3 : 1); i++)
                if (memcmp(&direct[i], &near[i], sizeof *near) != 0)
                    fail_msg("%s, %s in %s: value %lld is %.17g by neighbour and %.17g by direct", what, kernels[k],
                             arithmetics[a], (long long)i, near[i], direct[i]);
            free(direct);
            free(near);
            assert_true(report.near_pairs <= all && (!fewer || 2 * report.near_pairs < all));
            assert_true(report.near_pairs >= report.within_pairs);
            if (a == 3) /* others round the places */
                assert_int_equal(report.within_pairs, within);
        }
    }
}

static void test_bits(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = fluid(context, N, 1), *few = fluid(context, 1100, 2);
    compare("uniform", p, NULL, 1);
    compare("targets other than sources", few, p, 1);
    compare("more targets than sources", p, few, 1);
    cluster(p);
    compare("clustered", p, NULL, 1);
    cluster(few);
    compare("targets in other clusters", few, p, 0);
    heap(p);
    compare("many at one place", p, NULL, 1);
    fill_field(p, "smoothing_length", 100);
    compare("a cutoff larger than the set", p, NULL, 0);
    myr_particles_destroy(&p);
    p = fluid(context, 1200, 3);
    dust(p);
    compare("places that differ in low words", p, NULL, 0);
    myr_particles_destroy(&p);
    myr_particles_destroy(&few);
    myr_context_destroy(&context);
}

static void test_few(void **state)
{
    (void)state;
    myr_context *context = new_context();
    for (int64_t n = 0; n <= 3; n++) {
        myr_particles *p = fluid(context, n, 5);
        fill_field(p, "smoothing_length", 0.3);
        if (n)
            compare("few particles", p, NULL, 0);
        else /* nothing to sum, and no report */
            free(evaluated("sph_density", "mixed", "neighbour", p, NULL, NULL));
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

/* The density as it is written in sph_density.h, in double, over all pairs. */
static void test_written_out(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = fluid(context, N, 9);
    cluster(p);
    const double *x = result(p, "position", 0), *y = result(p, "position", 1), *z = result(p, "position", 2);
    const double *m = result(p, "mass", 0), *h = result(p, "smoothing_length", 0);
    double *rho = evaluated("sph_density", "double", "neighbour", p, NULL, NULL), worst = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t j = 0; j < N; j++) {
            const double q = sqrt(pow(x[j] - x[i], 2) + pow(y[j] - y[i], 2) + pow(z[j] - z[i], 2)) / h[i];
            sum += m[j] * (pow(fmax(2 - q, 0), 3) - 4 * pow(fmax(1 - q, 0), 3)) / (4 * PI * pow(h[i], 3));
        }
        keep_largest(&worst, fabs(rho[i] / sum - 1));
    }
    expect_below("density by method neighbour against all pairs", worst, 1e-12); /* measured 1.2e-14 */
    free(rho);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* The same bits on any number of threads, and the net force without rounding: 0 for equal masses. */
static void test_threads(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = fluid(context, N, 4);
    fill_field(p, "mass", 0.25);
    double *kept = evaluated("sph_force", "mixed", "neighbour", p, NULL, NULL);
    for (int threads = 1; threads <= 5; threads += 2) {
        expect_ok(context, myr_context_set_threads(context, threads));
        double *again = evaluated("sph_force", "mixed", "neighbour", p, NULL, NULL);
        assert_memory_equal(kept, again, 3 * N * sizeof *kept);
        free(again);
    }
    myr_interaction *f = new_interaction(context, "sph_force", "mixed");
    myr_evaluation last;
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    expect_ok(context, myr_interaction_last(f, &last));
    assert_int_equal(last.net_exact, 1);
    for (int c = 0; c < 3; c++) {
        double net;
        expect_ok(context, myr_interaction_net(f, "acceleration", c, &net));
        assert_true(net == 0);
    }
    myr_interaction_destroy(&f);
    free(kept);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* --- work --------------------------------------------------------------------------------------------------------- */

static myr_far_report work(myr_context *context, const char *kernel, int64_t n)
{
    myr_particles *p;
    myr_far_report report;
    expect_ok(context, myr_model_create(context, "uniform", n, 1, &p));
    expect_ok(context, myr_model_fill(p, kernel, 1, 1)); /* smoothing lengths follow the mean spacing */
    if (!myr_particles_component(p, "density", 0))
        fill_field(p, "density", 1);
    free(evaluated(kernel, "single", "neighbour", p, NULL, &report));
    myr_particles_destroy(&p);
    return report;
}

/* 8 times as many particles at the same number of neighbours: at most 9 times as many pairs are looked at, and the
 * lists hold more than the neighbours by no more than a factor. */
static void test_work(void **state)
{
    (void)state;
    myr_context *context = new_context();
    for (int k = 0; k < 2; k++) {
        const myr_far_report small = work(context, k ? "sph_force" : "sph_density", 32768);
        const myr_far_report large = work(context, k ? "sph_force" : "sph_density", 262144);
        const double more = (double)large.near_pairs / (double)small.near_pairs;
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "looked at %lld and %lld: %.3f; within %lld and %lld\n", (long long)small.near_pairs,
                    (long long)large.near_pairs, more, (long long)small.within_pairs, (long long)large.within_pairs);
        if (!(more <= 9))
            fail_msg("8 times as many particles have %.3f times as many pairs looked at", more);
        assert_true(large.near_pairs < 12 * large.within_pairs);
    }
    myr_context_destroy(&context);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void expect_refused(const char *kernel, myr_particles *p, const char *key, const char *value, myr_status status,
                           const char *words)
{
    myr_context *context = myr_particles_context(p);
    myr_interaction *f = new_interaction(context, kernel, "mixed");
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    if (key)
        expect_ok(context, myr_interaction_choose(f, key, value));
    assert_int_equal(myr_interaction_evaluate(f, p, p), status);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' is not in '%s'", words, myr_context_message(context));
    myr_interaction_destroy(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_particles *p = fluid(context, 20, 6);
    expect_refused("gravity", p, NULL, NULL, MYR_ERROR_COMBINATION, "kernel gravity has no cutoff");
    expect_refused("lennard_jones", p, NULL, NULL, MYR_ERROR_COMBINATION, "simulations of particles in a box");
    expect_refused("sph_density", p, "backend", "cuda", MYR_ERROR_UNAVAILABLE,
                   "method neighbour runs on the processor");
    component(p, "smoothing_length", 0)[7] = 0;
    expect_refused("sph_density", p, NULL, NULL, MYR_ERROR_VALUE, "smoothing_length of target 7 is not above 0");
    component(p, "smoothing_length", 0)[7] = -1;
    expect_refused("sph_force", p, NULL, NULL, MYR_ERROR_VALUE, "smoothing_length of target 7 is not above 0");
    component(p, "smoothing_length", 0)[7] = 0.1;
    myr_interaction *f = new_interaction(context, "sph_density", "mixed");
    const int64_t offset[21] = {0};
    myr_far_report report;
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    assert_int_equal(myr_interaction_far(f, &report), MYR_ERROR_VALUE);
    expect_ok(context, myr_interaction_set(f, "tolerance", 1e-3));
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_COMBINATION);
    assert_non_null(
        strstr(myr_context_message(context), "method neighbour has no tolerance; methods that have it: fmm, "));
    myr_interaction_destroy(&f);
    f = new_interaction(context, "sph_density", "mixed");
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_set_exclusions(f, 20, offset, offset, MYR_EXCLUDE_ON_THE_FLY));
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "use method direct, not neighbour"));
    expect_ok(context, myr_interaction_set_exclusions(f, 0, NULL, NULL, MYR_EXCLUDE_ON_THE_FLY));
    expect_ok(context, myr_interaction_set_box(f, (const double[]){1, 1, 1}, NULL));
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "method neighbour does not sum the images"));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),    cmocka_unit_test(test_few),  cmocka_unit_test(test_written_out),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_work), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
