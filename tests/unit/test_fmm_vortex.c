/* test_fmm_vortex.c - vortex elements by the fast multipole method: against direct sums, with cores wider and narrower
 * than the leaves; against a filament that has a formula; the same bits on any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "unit/clouds.h"

#define PI 3.14159265358979323846

static void ignore_warning(void *user, const char *text)
{
    (void)user, (void)text;
}

static myr_context *new_context(int threads)
{
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    myr_context_set_warning(context, ignore_warning, NULL);
    return context;
}

/* Elements of a cloud, cores `core` times the mean distance of a unit cube; vary: every core has its own width, over a
 * factor of 1 + vary. */
static myr_particles *make_elements(myr_context *context, int cloud, int64_t n, double core, double vary)
{
    myr_particles *p;
    assert_int_equal(myr_particles_create(context, n, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "strength", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "core", 1), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        double x[3], strength[3];
        cloud_point(cloud, 0, i, x);
        cloud_point(0, 1, i, strength);
        for (int c = 0; c < 3; c++) { /* what a float holds, so that every arithmetic solves one problem */
            myr_particles_component(p, "position", c)[i] = (double)(float)x[c];
            myr_particles_component(p, "strength", c)[i] = (double)(float)(strength[c] - 0.5);
        }
        const double width = core * cbrt(1.0 / (double)n) * (1 + vary * (double)(i * 7 % 11) / 10);
        myr_particles_component(p, "core", 0)[i] = (double)(float)width;
    }
    return p;
}

static myr_interaction *choose(myr_context *context, const char *kernel, const char *arithmetic, const char *method)
{
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", method), MYR_OK);
    return f;
}

static double difference(const myr_particles *a, const myr_particles *b, const char *field)
{
    double off = 0, all = 0;
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(a, field, c), *y = myr_particles_component_const(b, field, c);
        for (int64_t i = 0; i < myr_particles_count(a); i++) {
            off += pow(x[i] - y[i], 2);
            all += y[i] * y[i];
        }
    }
    return sqrt(off / all);
}

typedef struct {
    const char *arithmetic;
    int cloud, order, separation, leaf;
    int64_t n;
    double core, vary, tolerance;
    double velocity, stretching; /* bars; those of the orders are about three times what was measured */
} vortex_case;

static void run_case(const vortex_case *c)
{
    static const char *const kernels[] = {"biot_savart", "stretching", "velocity_stretching"};
    myr_context *context = new_context(1);
    myr_particles *right = make_elements(context, c->cloud, c->n, c->core, c->vary);
    myr_interaction *all = choose(context, "velocity_stretching", "double", "direct");
    assert_int_equal(myr_interaction_evaluate(all, right, right), MYR_OK);
    for (int k = 0; k < 3; k++) {
        myr_particles *p = make_elements(context, c->cloud, c->n, c->core, c->vary);
        myr_interaction *f = choose(context, kernels[k], c->arithmetic, "fmm");
        myr_far_report report;
        assert_int_equal(myr_interaction_set(f, "tolerance", c->tolerance), MYR_OK);
        assert_int_equal(myr_interaction_set(f, "order", c->order), MYR_OK);
        assert_int_equal(myr_interaction_set(f, "leaf", c->leaf), MYR_OK);
        assert_int_equal(myr_interaction_set(f, "separation", c->separation), MYR_OK);
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
        assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
        const double u = k == 1 ? 0 : difference(p, right, "velocity");
        const double s = k == 0 ? 0 : difference(p, right, "stretching");
        if (getenv("SHOW"))
            print_message("%s %s %s n %d core %g vary %g tolerance %g order %d: %.2g %.2g, translations %d\n",
                          kernels[k], c->arithmetic, clouds[c->cloud].name, (int)c->n, c->core, c->vary, c->tolerance,
                          report.order, u, s, (int)report.translations);
        assert_true(report.translations > 0); /* else the test would be of direct sums */
        assert_true(u <= c->velocity);
        assert_true(s <= c->stretching);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    myr_interaction_destroy(&all);
    myr_particles_destroy(&right);
    myr_context_destroy(&context);
}

/* Orders: truncation alone, with cores that are too narrow to matter to the far field. */
static void test_orders(void **state)
{
    static const vortex_case cases[] = {
        {"double", 0, 6, 1, 16, 4000, 0.1, 0, 1e-9, 1e-3, 3e-4},
        {"double", 0, 10, 1, 16, 4000, 0.1, 0, 1e-9, 4.5e-5, 2e-5},
        {"double", 1, 10, 1, 16, 4000, 0.1, 0, 1e-9, 2.8e-5, 1e-5},
        {"double", 0, 16, 1, 16, 4000, 0.1, 0, 1e-9, 1e-6, 8e-7},
        {"double", 0, 26, 2, 16, 4000, 0.1, 0, 1e-12, 6e-15, 6e-15},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        run_case(&cases[k]);
}

/* Paper 004, Fig. 10, p = 10: an error of 1e-4 at most for every N, also the small ones (velocity 5e-5 at most was
 * measured, stretching 7.7e-5; larger N in `myriad bench vortex`). */
static void test_paper(void **state)
{
    static const vortex_case cases[] = {
        {"single", 0, 11, 0, 0, 1000, 1, 0, 1e-4, 1e-4, 1e-4},
        {"single", 0, 11, 0, 0, 3000, 1, 0, 1e-4, 1e-4, 1e-4},
        {"single", 0, 11, 0, 0, 10000, 1, 0, 1e-4, 1e-4, 1e-4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        run_case(&cases[k]);
}

/* What is asked for is kept: cores of a mean distance, wider, and of their own widths. */
static void test_tolerance(void **state)
{
    static const vortex_case cases[] = {
        {"single", 0, 0, 0, 0, 4000, 1, 0, 1e-3, 1e-3, 1e-3},
        {"single", 0, 0, 0, 0, 4000, 1, 0, 1e-4, 1e-4, 1e-4},
        {"single", 0, 0, 0, 0, 4000, 0.4, 2, 1e-4, 1e-4, 1e-4},
        {"single", 0, 0, 0, 8, 4000, 1.4, 0.5, 1e-3, 1e-3, 1e-3},
        {"single", 0, 0, 0, 0, 4000, 0.2, 9, 1e-4, 1e-4, 1e-4},
        {"double", 2, 0, 0, 16, 4000, 0.01, 9, 1e-5, 1e-5, 1e-5},
        {"double", 0, 20, 2, 8, 4000, 0.1, 9, 1e-7, 1e-7, 1e-7},
        {"mixed", 1, 0, 0, 0, 4000, 0.1, 0.2, 1e-4, 1e-4, 1e-4},
        {"double", 0, 0, 0, 16, 4000, 0.8, 0, 1e-6, 1e-6, 1e-6},
        {"double", 2, 0, 0, 16, 4000, 0.02, 0, 1e-5, 1e-5, 1e-5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        run_case(&cases[k]);
}

/* One core among many that is ten times as wide: what it reaches is summed one by one, and no more. */
static void test_one_wide(void **state)
{
    enum { N = 8000 };
    static const int clouds_of[] = {0, 1, 2};
    static const double cores[] = {0.4, 0.1, 0.01};
    (void)state;
    for (int k = 0; k < 3; k++) {
        myr_context *context = new_context(1);
        myr_particles *right = make_elements(context, clouds_of[k], N, cores[k], 0);
        myr_particles *p = make_elements(context, clouds_of[k], N, cores[k], 0);
        myr_interaction *all = choose(context, "velocity_stretching", "double", "direct");
        myr_interaction *f = choose(context, "velocity_stretching", "single", "fmm");
        myr_far_report report;
        myr_particles_component(right, "core", 0)[77] *= 10;
        myr_particles_component(p, "core", 0)[77] *= 10;
        assert_int_equal(myr_interaction_set(f, "tolerance", 1e-4), MYR_OK);
        assert_int_equal(myr_interaction_evaluate(all, right, right), MYR_OK);
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
        assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
        const double share = (double)report.near_pairs / ((double)N * N);
        if (getenv("SHOW"))
            print_message("one wide core, %s: %.2g %.2g, near %.3f\n", clouds[clouds_of[k]].name,
                          difference(p, right, "velocity"), difference(p, right, "stretching"), share);
        assert_true(difference(p, right, "velocity") < 1e-4);
        assert_true(difference(p, right, "stretching") < 1e-4);
        assert_true(
            share <
            0.3); /* 0.2 at most was measured; all pairs of the first set where the widest core sets all cells */
        myr_interaction_destroy(&all);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&right);
        myr_particles_destroy(&p);
        myr_context_destroy(&context);
    }
}

/* The other schemes of stretching, from the same gradient. */
static void test_schemes(void **state)
{
    static const char *const kernels[] = {"velocity_stretching_transposed", "velocity_stretching_mixed"};
    myr_context *context = new_context(1);
    (void)state;
    for (int k = 0; k < 2; k++) {
        myr_particles *right = make_elements(context, 0, 4000, 0.3, 0), *p = make_elements(context, 0, 4000, 0.3, 0);
        myr_interaction *all = choose(context, kernels[k], "double", "direct");
        myr_interaction *f = choose(context, kernels[k], "double", "fmm");
        assert_int_equal(myr_interaction_set(f, "tolerance", 1e-5), MYR_OK);
        assert_int_equal(myr_interaction_evaluate(all, right, right), MYR_OK);
        assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
        if (getenv("SHOW"))
            print_message("%s: %.2g %.2g\n", kernels[k], difference(p, right, "velocity"),
                          difference(p, right, "stretching"));
        assert_true(difference(p, right, "velocity") < 1e-5);
        assert_true(difference(p, right, "stretching") < 1e-5);
        myr_interaction_destroy(&all);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&right);
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

/* A straight row of elements is a vortex of Lamb and Oseen (tests/physics/test_vortex.c), here of three strengths side
 * by side in direction; probes all around, so many that the method is not by-passed. */
static void test_filament(void **state)
{
    enum { N = 6000, PROBES = 4000 };
    const double length = 60, circulation = 3, core = 0.4, step = 2 * length / N;
    myr_context *context = new_context(1);
    myr_particles *row = make_elements(context, 0, N, 1, 0), *probe = make_elements(context, 0, PROBES, 1, 0);
    (void)state;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) { /* along (1, 2, 2)/3 */
            const double along = (c ? 2.0 : 1.0) / 3;
            myr_particles_component(row, "position", c)[i] = along * (-length + (i + 0.5) * step);
            myr_particles_component(row, "strength", c)[i] = along * circulation * step;
            myr_particles_component(row, "core", 0)[i] = core;
        }
    const double e1[3] = {2.0 / 3, 1.0 / 3, -2.0 / 3}, e2[3] = {-2.0 / 3, 2.0 / 3, -1.0 / 3}; /* e1 x e2 = (1,2,2)/3 */
    for (int i = 0; i < PROBES; i++)
        for (int c = 0; c < 3; c++) {
            const double r = 0.05 + 10.0 * i / PROBES, angle = 0.7 * i;
            myr_particles_component(probe, "position", c)[i] = r * (cos(angle) * e1[c] + sin(angle) * e2[c]);
        }
    myr_interaction *f = choose(context, "biot_savart", "double", "fmm");
    assert_int_equal(myr_interaction_set(f, "tolerance", 1e-7), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(f, probe, row), MYR_OK);
    double worst = 0;
    for (int i = 0; i < PROBES; i++) {
        const double r = 0.05 + 10.0 * i / PROBES, angle = 0.7 * i, ends = 1 - length / sqrt(length * length + r * r);
        const double u = circulation / (2 * PI * r) * (-expm1(-r * r / (2 * core * core)) - ends);
        for (int c = 0; c < 3; c++) {
            const double right = u * (-sin(angle) * e1[c] + cos(angle) * e2[c]);
            worst = fmax(worst, fabs(myr_particles_component(probe, "velocity", c)[i] - right) / u);
        }
    }
    if (getenv("SHOW"))
        print_message("filament: %.2g\n", worst);
    assert_true(worst < 5e-7); /* measured 1.2e-7 */
    myr_interaction_destroy(&f);
    myr_particles_destroy(&row);
    myr_particles_destroy(&probe);
    myr_context_destroy(&context);
}

static void test_threads(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < 3; cloud++) {
        uint64_t hash[2][2];
        for (int k = 0; k < 2; k++) {
            myr_context *context = new_context(k ? 3 : 1);
            myr_particles *p = make_elements(context, cloud, 12000, 0.5, 1);
            myr_interaction *f = choose(context, "velocity_stretching", "single", "fmm");
            assert_int_equal(myr_interaction_choose(f, "accumulator", "single"), MYR_OK);
            assert_int_equal(myr_interaction_set(f, "order", 5), MYR_OK);
            assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
            assert_int_equal(myr_particles_hash(p, "velocity", &hash[k][0]), MYR_OK);
            assert_int_equal(myr_particles_hash(p, "stretching", &hash[k][1]), MYR_OK);
            myr_interaction_destroy(&f);
            myr_particles_destroy(&p);
            myr_context_destroy(&context);
        }
        assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),  cmocka_unit_test(test_paper),    cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_schemes), cmocka_unit_test(test_one_wide), cmocka_unit_test(test_filament),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
