/* test_lists_periodic.c - periodic boxes by the tree code and the pseudo-particle method: against Ewald sums and sums
 * over images, against the fast multipole method, a flow whose velocity is known, threads, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "unit/far.h"
#include "unit/periodic.h"

static const char *const methods[] = {"tree", "pseudo"};

static myr_interaction *choose(myr_context *context, const char *kernel, const char *method, int axes)
{
    const double edges[3] = {edge, axes > 1 ? edge : 0, axes > 2 ? edge : 0};
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", method), MYR_OK);
    assert_int_equal(myr_interaction_set_box(f, edges, corner), MYR_OK);
    return f;
}

static void show(const char *what, const char *method, const char *kernel, int axes, double setting, double error,
                 double bar)
{
    if (getenv("SHOW"))
        print_message("%s %s %s, %d axes, %g: %.2g (bar %.2g)\n", what, method, kernel, axes, setting, error, bar);
    if (!(error <= bar))
        fail_msg("%s %s %s, %d axes, %g: %g is above %g", what, method, kernel, axes, setting, error, bar);
}

/* --- Ewald sums --------------------------------------------------------------------------------------------------- */

enum { FEW = 60, SOURCES = 1500, TARGETS = 6 };

/* The largest difference of charges' and masses' field and potential at the first n of N particles. */
static double off_by(myr_context *context, const char *method, int axes, int64_t all, int64_t n, const double *right,
                     int masses, double tolerance)
{
    myr_particles *p = make_box(context, all, axes == 3);
    myr_interaction *f = choose(context, masses ? "gravity_potential" : "laplace", method, axes);
    double most = 0;
    set(f, "tolerance", tolerance);
    set(f, "leaf", 8);
    evaluate(context, f, p);
    for (int axis = 0; axis < 3; axis++)
        most = fmax(most, off(myr_particles_component(p, masses ? "acceleration" : "field", axis),
                              right + (axis + 1) * n, n, masses ? -1 : 1));
    if (!masses || axes == 3) /* else the constant of the potential is open */
        most = fmax(most, off(myr_particles_component(p, "potential", 0), right, n, masses ? -1 : 1));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return most;
}

static void test_against_ewald(void **state)
{
    static const reference references[3] = {line, ewald_plane, ewald_space};
    static double charges[4 * FEW], masses[4 * FEW];
    myr_context *context = new_context(1);
    (void)state;
    for (int axes = 1; axes <= 3; axes++) {
        myr_particles *p = make_box(context, FEW, 0);
        refer(p, FEW, references[axes - 1], charges, masses);
        for (int m = 0; m < 2; m++)
            for (int k = 0; k < 2; k++) /* all pairs of images that are near one by one: measured 4.1e-7, 6.3e-9 */
                show("Ewald", methods[m], k ? "masses" : "charges", axes, FEW,
                     off_by(context, methods[m], axes, FEW, FEW, k ? masses : charges, k, 1e-5),
                     axes < 3 ? 1.2e-6 : 3e-8);
        myr_particles_destroy(&p);
    }
    myr_particles *p = make_box(context, SOURCES, 0);
    refer(p, TARGETS, ewald_space, charges, masses);
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 2; k++) /* measured 1.4e-4, 4.9e-5: each axis of a few targets by itself */
            show("Ewald", methods[m], k ? "masses" : "charges", 3, SOURCES,
                 off_by(context, methods[m], 3, SOURCES, TARGETS, k ? masses : charges, k, 1e-4), 3e-4);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* --- the fast multipole method ------------------------------------------------------------------------------------ */

/* Adds velocities, vortex strengths and cores to charges and masses. */
static myr_particles *make_all(myr_context *context, int64_t n)
{
    myr_particles *p = make_box(context, n, 0);
    assert_int_equal(myr_particles_add_field(p, "velocity", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "strength", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "core", 1), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        double u[3];
        cloud_point(0, 1, i, u);
        for (int c = 0; c < 3; c++) {
            myr_particles_component(p, "velocity", c)[i] = u[(c + 1) % 3] - 0.5;
            myr_particles_component(p, "strength", c)[i] = u[c] - 0.5;
        }
        myr_particles_component(p, "core", 0)[i] = 0.02;
    }
    return p;
}

/* The relative L2 difference of a field of two sets. */
static double difference(const myr_particles *a, const myr_particles *b, const char *field)
{
    double apart = 0, all = 0;
    const double *x;
    for (int c = 0; (x = myr_particles_component_const(a, field, c)); c++) {
        const double *y = myr_particles_component_const(b, field, c);
        for (int64_t i = 0; i < myr_particles_count(a); i++) {
            apart += pow(x[i] - y[i], 2);
            all += y[i] * y[i];
        }
    }
    return sqrt(apart / all);
}

static void test_against_fmm(void **state)
{
    enum { COUNTED = 2000 };
    static const struct {
        const char *kernel;
        int axes, images, methods; /* methods: tree alone, or both */
    } rows[] = {{"gravity_potential", 1, 0, 2},   {"gravity_potential", 2, 0, 2},        {"gravity_potential", 3, 0, 2},
                {"gravity_potential", 3, 8, 2},   {"gravity_potential_spline", 3, 0, 2}, {"gravity_jerk", 3, 0, 1},
                {"velocity_stretching", 1, 0, 2}, {"velocity_stretching", 3, 0, 2},      {"laplace", 3, 0, 2}};
    myr_context *context = new_context(1);
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const myr_kernel_info *kernel = myr_kernel_find(rows[r].kernel);
        myr_particles *right = make_all(context, COUNTED);
        myr_interaction *f = choose(context, rows[r].kernel, "fmm", rows[r].axes);
        set(f, "tolerance", 1e-6);
        set(f, "images", rows[r].images);
        evaluate(context, f, right);
        myr_interaction_destroy(&f);
        for (int m = 0; m < rows[r].methods; m++) {
            myr_particles *p = make_all(context, COUNTED);
            f = choose(context, rows[r].kernel, methods[m], rows[r].axes);
            set(f, "tolerance", 1e-4);
            set(f, "images", rows[r].images);
            evaluate(context, f, p);
            for (int k = 0; kernel->output[k].name; k++) /* measured up to 6e-5 */
                show(kernel->output[k].name, methods[m], rows[r].kernel, rows[r].axes, rows[r].images,
                     difference(p, right, kernel->output[k].name), 1e-4);
            myr_interaction_destroy(&f);
            myr_particles_destroy(&p);
        }
        myr_particles_destroy(&right);
    }
    myr_context_destroy(&context);
}

/* The error that an evaluation measures on a few targets is what it is. */
static void test_measured(void **state)
{
    static const char *const all[] = {"fmm", "tree", "pseudo"};
    enum { COUNTED = 2000 };
    myr_context *context = new_context(1);
    myr_particles *right = make_all(context, COUNTED);
    myr_interaction *f = choose(context, "gravity_potential", "fmm", 3);
    (void)state;
    set(f, "tolerance", 1e-7);
    evaluate(context, f, right);
    myr_interaction_destroy(&f);
    for (int m = 0; m < 3; m++) {
        myr_particles *p = make_all(context, COUNTED);
        myr_far_report report;
        f = choose(context, "gravity_potential", all[m], 3);
        set(f, "tolerance", 1e-3);
        evaluate(context, f, p);
        assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
        const double error = difference(p, right, "acceleration");
        if (getenv("SHOW"))
            print_message("%s: measured %.2g on %d targets, all %.2g\n", all[m], report.error[0], (int)report.samples,
                          error);
        assert_true(report.tolerance == 1e-3 && report.samples > 20);
        assert_true(report.error[0] > error / 3 && report.error[0] < 3 * error); /* measured: 0.7 to 1 of it */
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    myr_particles_destroy(&right);
    myr_context_destroy(&context);
}

/* --- others ------------------------------------------------------------------------------------------------------- */

static void test_flow(void **state)
{
    static const double edges[3] = {2 * PI, 2 * PI, 2 * PI};
    static const double bars[2][2] = {{2.4e-4, 3.3e-4}, {6e-5, 3e-4}}; /* three times */
    myr_context *context = new_context(1);
    (void)state;
    for (int m = 0; m < 2; m++) {
        double velocity, stretching;
        myr_particles *p = make_flow(context, 1);
        myr_interaction *f = choose(context, "velocity_stretching", methods[m], 3);
        assert_int_equal(myr_interaction_set_box(f, edges, corner), MYR_OK);
        set(f, "tolerance", 1e-4);
        evaluate(context, f, p);
        flow_errors(p, 1, &velocity, &stretching);
        show("velocity", methods[m], "flow", 3, 1e-4, velocity, bars[m][0]);
        show("stretching", methods[m], "flow", 3, 1e-4, stretching, bars[m][1]);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

/* Targets that are not the sources, each set in boxes of its own choice; any number of threads. */
static void test_targets(void **state)
{
    enum { COUNTED = 1500, OTHERS = 700 };
    (void)state;
    for (int m = 0; m < 2; m++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            myr_context *context = new_context(k ? 3 : 1);
            myr_particles *sources = make_box(context, COUNTED, k), *targets = make_box(context, OTHERS, 0);
            myr_particles *right = make_box(context, OTHERS, 0);
            for (int64_t i = 0; i < OTHERS; i++) {
                myr_particles_component(targets, "position", 1)[i] += 0.25 * edge;
                myr_particles_component(right, "position", 1)[i] += 0.25 * edge;
            }
            myr_interaction *f = choose(context, "gravity_potential", methods[m], 3);
            myr_interaction *fmm = choose(context, "gravity_potential", "fmm", 3);
            assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
            set(f, "tolerance", 1e-4);
            set(fmm, "tolerance", 1e-6);
            assert_int_equal(myr_interaction_evaluate(f, targets, sources), MYR_OK);
            assert_int_equal(myr_interaction_evaluate(fmm, right, sources), MYR_OK);
            show("targets", methods[m], "gravity_potential", 3, k, difference(targets, right, "acceleration"), 1e-4);
            show("targets", methods[m], "gravity_potential", 3, k, difference(targets, right, "potential"), 1e-4);
            if (k == 0) { /* the same sources elsewhere have other roundings: threads alone */
                hash[0] = 0;
                assert_int_equal(myr_particles_hash(targets, "acceleration", &hash[0]), MYR_OK);
                assert_int_equal(myr_context_set_threads(context, 3), MYR_OK);
                assert_int_equal(myr_interaction_evaluate(f, targets, sources), MYR_OK);
                assert_int_equal(myr_particles_hash(targets, "acceleration", &hash[1]), MYR_OK);
                assert_true(hash[0] == hash[1]);
            }
            myr_interaction_destroy(&f);
            myr_interaction_destroy(&fmm);
            myr_particles_destroy(&sources);
            myr_particles_destroy(&targets);
            myr_particles_destroy(&right);
            myr_context_destroy(&context);
        }
    }
}

static void refuse(myr_context *context, myr_interaction *f, myr_status status, const char *reason)
{
    myr_particles *p = make_box(context, 50, 0);
    assert_int_equal(myr_interaction_evaluate(f, p, p), status);
    if (!strstr(myr_context_message(context), reason))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), reason);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void keep_warning(void *user, const char *text)
{
    strncpy(user, text, 199);
}

static void test_refused(void **state)
{
    myr_context *context = new_context(1);
    char text[200] = "";
    (void)state;
    for (int m = 0; m < 2; m++) {
        const double thin[3] = {0.5 * edge, 0, 0};
        myr_interaction *f = choose(context, "gravity", methods[m], 3);
        set(f, "images", 7);
        refuse(context, f, MYR_ERROR_VALUE, "their number is even");
        f = choose(context, "gravity", methods[m], 1);
        assert_int_equal(myr_interaction_set_box(f, thin, corner), MYR_OK);
        refuse(context, f, MYR_ERROR_VALUE, "within one length");
        myr_particles *p = make_box(context, 50, 0); /* softening that is felt in images which are taken to have none */
        f = choose(context, "gravity", methods[m], 3);
        set(f, "eps", 0.1);
        myr_context_set_warning(context, keep_warning, text);
        evaluate(context, f, p);
        assert_non_null(strstr(text, "act as if there were none"));
        myr_context_set_warning(context, NULL, NULL);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    refuse(context, choose(context, "gravity", "direct", 3), MYR_ERROR_COMBINATION, "use method fmm, tree or pseudo");
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_ewald), cmocka_unit_test(test_against_fmm),
                                       cmocka_unit_test(test_measured),      cmocka_unit_test(test_flow),
                                       cmocka_unit_test(test_targets),       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
