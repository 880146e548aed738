/* test_mesh.c - method mesh: vortex elements in a periodic box against sums over all waves that the test writes out,
 * against the fast multipole method's images and a flow that has a formula; the same bits on any number of threads and
 * for any order of the elements; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "method/mesh/mesh_choice.h"
#include "unit/clouds.h"

#define PI 3.14159265358979323846

static const double cube[3] = {2.7, 2.7, 2.7}, bar[3] = {2.7, 4.1, 1.9}, corner[3] = {-1.1, 0.4, 3.0};

static int warnings, notes;

static void count_warning(void *user, const char *text)
{
    (void)user, (void)text;
    warnings++;
}

static void count_note(void *user, const char *text)
{
    (void)user, (void)text;
    notes++;
}

static myr_context *new_context(int threads)
{
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    myr_context_set_warning(context, count_warning, NULL);
    return context;
}

/* Elements at random, some of them a few boxes away, in this order or the reverse. */
static myr_particles *make_elements(myr_context *context, int64_t n, const double edge[3], double core, int reverse)
{
    myr_particles *p;
    assert_int_equal(myr_particles_create(context, n, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "strength", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "core", 1), MYR_OK);
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = reverse ? n - 1 - k : k;
        double x[3], strength[3];
        cloud_point(0, 0, k, x);
        cloud_point(0, 1, k, strength);
        for (int c = 0; c < 3; c++) {
            myr_particles_component(p, "position", c)[i] =
                corner[c] + edge[c] * (x[c] + (k % 5 == c ? (double)(k % 7 - 3) : 0));
            myr_particles_component(p, "strength", c)[i] = strength[c] - 0.5;
        }
        myr_particles_component(p, "core", 0)[i] = core;
    }
    return p;
}

static myr_interaction *choose(myr_context *context, const char *kernel, const char *method, double tolerance,
                               const double edge[3])
{
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "double"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", method), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "tolerance", tolerance), MYR_OK);
    assert_int_equal(myr_interaction_set_box(f, edge, corner), MYR_OK);
    return f;
}

/* --- sums over waves ---------------------------------------------------------------------------------------------- */

/* Transform of the strengths at k. */
static void transform(const myr_particles *p, const double k[3], double re[3], double im[3])
{
    memset(re, 0, 3 * sizeof *re);
    memset(im, 0, 3 * sizeof *im);
    for (int64_t j = 0; j < myr_particles_count(p); j++) {
        double phase = 0;
        for (int c = 0; c < 3; c++)
            phase += k[c] * myr_particles_component_const(p, "position", c)[j];
        for (int c = 0; c < 3; c++) {
            const double a = myr_particles_component_const(p, "strength", c)[j];
            re[c] += a * cos(phase);
            im[c] -= a * sin(phase);
        }
    }
}

/* Adds one wave to velocity and gradient d u_a/d x_b of all elements: u = Re(i k x S/k^2 exp(-(core k)^2/2) exp(i k
 * x)). */
static void add_wave(const myr_particles *p, const double k[3], double factor, double (*u)[3], double (*g)[3][3])
{
    double re[3], im[3];
    transform(p, k, re, im);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        double phase = 0;
        for (int c = 0; c < 3; c++)
            phase += k[c] * myr_particles_component_const(p, "position", c)[i];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const double wre = factor * (k[b] * re[c] - k[c] * re[b]), wim = factor * (k[b] * im[c] - k[c] * im[b]);
            u[i][a] += -(wre * sin(phase) + wim * cos(phase));
            for (int d = 0; d < 3; d++)
                g[i][a][d] -= k[d] * (wre * cos(phase) - wim * sin(phase));
        }
    }
}

static void all_waves(const myr_particles *p, const double edge[3], double (*u)[3], double (*g)[3][3])
{
    const double core = myr_particles_component_const(p, "core", 0)[0], most = 7.5 / core;
    int modes[3];
    for (int c = 0; c < 3; c++)
        modes[c] = (int)ceil(most * edge[c] / (2 * PI));
    for (int z = -modes[2]; z <= modes[2]; z++)
        for (int y = -modes[1]; y <= modes[1]; y++)
            for (int x = -modes[0]; x <= modes[0]; x++) {
                const double k[3] = {2 * PI * x / edge[0], 2 * PI * y / edge[1], 2 * PI * z / edge[2]};
                const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                if (k2 > 0 && k2 < most * most)
                    add_wave(p, k, exp(-0.5 * core * core * k2) / (k2 * edge[0] * edge[1] * edge[2]), u, g);
            }
}

/* Stretching of an element; the own Gaussian adds nothing, because own strengths are parallel. */
static double stretching(const char *kernel, const double a[3], const double g[3][3], int c)
{
    double classical = 0, transposed = 0;
    for (int b = 0; b < 3; b++) {
        classical += a[b] * g[c][b];
        transposed += a[b] * g[b][c];
    }
    return strstr(kernel, "transposed") ? transposed
           : strstr(kernel, "mixed")    ? 0.5 * (classical + transposed)
                                        : classical;
}

/* Relative rms errors of velocity and stretching; -1 where the kernel does not have the output. */
static void compare(const myr_particles *p, const char *kernel, double (*u)[3], double (*g)[3][3], double error[2])
{
    double off[2] = {0}, all[2] = {0};
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        double a[3];
        for (int c = 0; c < 3; c++)
            a[c] = myr_particles_component_const(p, "strength", c)[i];
        for (int c = 0; c < 3; c++) {
            const double right[2] = {u[i][c], stretching(kernel, a, (const double(*)[3])g[i], c)};
            const double *found[2] = {myr_particles_component_const(p, "velocity", c),
                                      myr_particles_component_const(p, "stretching", c)};
            for (int k = 0; k < 2; k++) {
                off[k] += found[k] ? pow(found[k][i] - right[k], 2) : 0;
                all[k] += right[k] * right[k];
            }
        }
    }
    for (int k = 0; k < 2; k++)
        error[k] = myr_particles_component_const(p, k ? "stretching" : "velocity", 0) ? sqrt(off[k] / all[k]) : -1;
}

static const char *const kernels[] = {"biot_savart", "stretching", "velocity_stretching",
                                      "velocity_stretching_transposed", "velocity_stretching_mixed"};

/* Every kernel, tolerance and shape of the box; random strengths at random places are what the choice assumes. The
 * largest measured error is 0.70 of the tolerance in the cube and 0.64 in the bar. */
static void test_waves(void **state)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-8, 1e-10};
    enum { N = 60 };
    (void)state;
    for (int shape = 0; shape < 2; shape++) {
        const double *edge = shape ? bar : cube;
        myr_context *context = new_context(2);
        double u[N][3] = {{0}}, g[N][3][3] = {{{0}}}, largest = 0;
        myr_particles *p = make_elements(context, N, edge, 0.21, 0);
        all_waves(p, edge, u, g);
        myr_particles_destroy(&p);
        for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; t++)
            for (int k = 0; k < 5; k++) {
                double error[2];
                myr_far_report report;
                p = make_elements(context, N, edge, 0.21, 0);
                myr_interaction *f = choose(context, kernels[k], "mesh", tolerances[t], edge);
                warnings = 0;
                if (myr_interaction_evaluate(f, p, p))
                    fail_msg("%s", myr_context_message(context));
                assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
                compare(p, kernels[k], u, g, error);
                for (int o = 0; o < 2; o++)
                    if (error[o] > tolerances[t])
                        fail_msg("%s, tolerance %g: output %d is off by %g", kernels[k], tolerances[t], o, error[o]);
                largest = fmax(largest, fmax(error[0], error[1]) / tolerances[t]);
                assert_int_equal(warnings, 0);
                /* the measured error is that of a sample */
                for (int o = 0; o < 2 && report.output[o]; o++) {
                    const double whole = error[strcmp(report.output[o], "stretching") == 0];
                    assert_true(report.error[o] < 3 * whole && report.error[o] > whole / 3);
                }
                if (k == 2)
                    print_message("edges %g %g %g, tolerance %g: %lld x %lld x %lld points, width %d, velocity %.2g, "
                                  "stretching %.2g\n",
                                  edge[0], edge[1], edge[2], tolerances[t], (long long)report.mesh[0],
                                  (long long)report.mesh[1], (long long)report.mesh[2], report.order, error[0],
                                  error[1]);
                myr_interaction_destroy(&f);
                myr_particles_destroy(&p);
            }
        print_message("largest %g\n", largest);
        assert_true(largest > 0.2); /* nothing is much better than asked for: meshes are not too fine */
        myr_context_destroy(&context);
    }
}

/* The same sums by the fast multipole method, whose images are a series: two methods without common parts. */
static void test_fmm(void **state)
{
    enum { N = 1500 };
    myr_context *context = new_context(2);
    myr_particles *one = make_elements(context, N, cube, 0.25, 0), *two = make_elements(context, N, cube, 0.25, 0);
    myr_interaction *mesh = choose(context, "velocity_stretching_transposed", "mesh", 1e-7, cube);
    myr_interaction *fmm = choose(context, "velocity_stretching_transposed", "fmm", 1e-7, cube);
    (void)state;
    assert_int_equal(myr_interaction_evaluate(mesh, one, one), MYR_OK);
    assert_int_equal(myr_interaction_evaluate(fmm, two, two), MYR_OK);
    for (int o = 0; o < 2; o++) {
        double off = 0, all = 0;
        for (int c = 0; c < 3; c++)
            for (int64_t i = 0; i < N; i++) {
                const double a = myr_particles_component(one, o ? "stretching" : "velocity", c)[i];
                const double b = myr_particles_component(two, o ? "stretching" : "velocity", c)[i];
                off += (a - b) * (a - b);
                all += b * b;
            }
        print_message("mesh and fmm, tolerances 1e-7: output %d differs by %.2g\n", o, sqrt(off / all));
        assert_true(sqrt(off / all) < 1.5e-7);
    }
    myr_interaction_destroy(&mesh);
    myr_interaction_destroy(&fmm);
    myr_particles_destroy(&one);
    myr_particles_destroy(&two);
    myr_context_destroy(&context);
}

/* Taylor and Green's flow u = (sin x cos y cos z, -cos x sin y cos z, 0) from its vorticity on a lattice of 20^3
 * elements: Gaussians multiply it by exp(-3 core^2/2), and waves that the lattice takes for others are below 1e-16.
 * The formula for the mesh takes strengths for random ones; with this smooth flow the first mesh misses 1e-6 and is
 * chosen again. Gives the error of velocity and stretching. */
static void taylor_green(double tolerance, double error[2])
{
    enum { SIDE = 20, N = SIDE * SIDE * SIDE };
    const double edge[3] = {2 * PI, 2 * PI, 2 * PI}, h = 2 * PI / SIDE, core = 1.6 * h;
    myr_context *context = new_context(2);
    myr_particles *p = make_elements(context, N, edge, core, 0);
    myr_interaction *f = choose(context, "velocity_stretching", "mesh", tolerance, edge);
    double *x[3], *a[3], off[2] = {0}, all[2] = {0};
    myr_far_report report;
    warnings = notes = 0;
    myr_context_set_notice(context, count_note, NULL);
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component(p, "position", c);
        a[c] = myr_particles_component(p, "strength", c);
    }
    for (int64_t i = 0; i < N; i++) {
        const int64_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int c = 0; c < 3; c++)
            x[c][i] = h * ((double)at[c] + 0.3);
        const double s[3] = {sin(x[0][i]), sin(x[1][i]), sin(x[2][i])};
        const double k[3] = {cos(x[0][i]), cos(x[1][i]), cos(x[2][i])};
        a[0][i] = h * h * h * (-k[0] * s[1] * s[2]);
        a[1][i] = h * h * h * (-s[0] * k[1] * s[2]);
        a[2][i] = h * h * h * (2 * s[0] * s[1] * k[2]);
    }
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    for (int64_t i = 0; i < N; i++) {
        const double less = exp(-1.5 * core * core);
        const double s[3] = {sin(x[0][i]), sin(x[1][i]), sin(x[2][i])};
        const double k[3] = {cos(x[0][i]), cos(x[1][i]), cos(x[2][i])};
        const double u[3] = {less * s[0] * k[1] * k[2], -less * k[0] * s[1] * k[2], 0};
        const double g[3][3] = {{less * k[0] * k[1] * k[2], -less * s[0] * s[1] * k[2], -less * s[0] * k[1] * s[2]},
                                {less * s[0] * s[1] * k[2], -less * k[0] * k[1] * k[2], less * k[0] * s[1] * s[2]},
                                {0, 0, 0}};
        for (int c = 0; c < 3; c++) {
            const double right = g[c][0] * a[0][i] + g[c][1] * a[1][i] + g[c][2] * a[2][i];
            off[0] += pow(myr_particles_component(p, "velocity", c)[i] - u[c], 2);
            all[0] += u[c] * u[c];
            off[1] += pow(myr_particles_component(p, "stretching", c)[i] - right, 2);
            all[1] += right * right;
        }
    }
    assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
    for (int o = 0; o < 2; o++)
        error[o] = sqrt(off[o] / all[o]);
    print_message("Taylor-Green, tolerance %g: velocity %.2g, stretching %.2g, %lld points, width %d, %d note\n",
                  tolerance, error[0], error[1], (long long)report.mesh[0], report.order, notes);
    /* again: the same mesh, with nothing to tell */
    const int before = notes;
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    assert_int_equal(notes, before);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

static void test_taylor_green(void **state)
{
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10};
    int chosen_again = 0;
    (void)state;
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        double error[2];
        taylor_green(tolerances[k], error);
        assert_true(error[0] <= tolerances[k] && error[1] <= tolerances[k] && warnings == 0 && notes <= 1);
        chosen_again += notes;
    }
    assert_true(chosen_again > 0);
}

/* Outputs of 3000 elements on some threads, in their own order. */
static void outputs(int threads, int reverse, double *out)
{
    enum { N = 3000 };
    myr_context *context = new_context(threads);
    myr_particles *p = make_elements(context, N, bar, 0.15, reverse);
    myr_interaction *f = choose(context, "velocity_stretching", "mesh", 1e-5, bar);
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    for (int o = 0; o < 6; o++)
        for (int64_t i = 0; i < N; i++)
            out[o * N + i] =
                myr_particles_component(p, o < 3 ? "velocity" : "stretching", o % 3)[reverse ? N - 1 - i : i];
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

static void test_bits(void **state)
{
    static double first[18000], other[18000];
    (void)state;
    outputs(1, 0, first);
    for (int threads = 2; threads < 5; threads++) {
        outputs(threads, 0, other);
        assert_memory_equal(first, other, sizeof first);
    }
    outputs(2, 1, other); /* integers do not know the order of sources */
    assert_memory_equal(first, other, sizeof first);
}

/* One element alone with its images, a wide core, targets that are no sources, elements without strength. */
static void test_few(void **state)
{
    myr_context *context = new_context(1);
    myr_particles *p = make_elements(context, 1, bar, 0.9, 0), *q = make_elements(context, 7, bar, 0.1, 0);
    myr_interaction *f = choose(context, "biot_savart", "mesh", 1e-8, bar);
    double u[7][3] = {{0}}, g[7][3][3] = {{{0}}}, error[2];
    (void)state;
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    for (int c = 0; c < 3; c++) /* by symmetry; |u| of another place is 0.02 */
        assert_true(fabs(myr_particles_component(p, "velocity", c)[0]) < 1e-10);
    for (int c = 0; c < 3; c++)
        memset(myr_particles_component(q, "strength", c) + 1, 0, 6 * sizeof(double));
    for (int64_t i = 1; i < 7; i++) /* the core of an element without strength does not matter */
        myr_particles_component(q, "core", 0)[i] = 0.01 * (double)i;
    all_waves(q, bar, u, g);
    assert_int_equal(myr_interaction_evaluate(f, q, q), MYR_OK);
    compare(q, "biot_savart", u, g, error);
    print_message("one element and six without strength: %.2g\n", error[0]);
    assert_true(error[0] < 1e-8);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    myr_context_destroy(&context);
}

static void refuse(myr_context *context, myr_interaction *f, myr_particles *p, const char *reason)
{
    assert_int_not_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    if (!strstr(myr_context_message(context), reason))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), reason);
    myr_interaction_destroy(&f);
}

static void test_refused(void **state)
{
    const double plane[3] = {2.7, 2.7, 0};
    myr_context *context = new_context(1);
    myr_particles *p = make_elements(context, 10, cube, 0.2, 0);
    (void)state;
    refuse(context, choose(context, "biot_savart", "mesh", 1e-4, plane), p, "open axes");
    refuse(context, choose(context, "biot_savart", "mesh", 1e-13, cube), p, "below what method mesh can reach");
    myr_interaction *f = choose(context, "biot_savart", "mesh", 1e-4, cube);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "portable"), MYR_OK);
    refuse(context, f, p, "portable");
    f = choose(context, "biot_savart", "mesh", 1e-4, bar);
    assert_int_equal(myr_interaction_choose(f, "method", "fmm"), MYR_OK);
    refuse(context, f, p, "equally long");
    assert_int_equal(myr_particles_add_field(p, "charge", 1), MYR_OK);
    refuse(context, choose(context, "laplace", "mesh", 1e-4, cube), p, "no form on a mesh");
    myr_particles_component(p, "core", 0)[3] = 0.21;
    refuse(context, choose(context, "biot_savart", "mesh", 1e-4, cube), p, "element 3 one of 0.21");
    for (int i = 0; i < 10; i++)
        myr_particles_component(p, "core", 0)[i] = 1e-4;
    refuse(context, choose(context, "biot_savart", "mesh", 1e-4, cube), p, "too narrow for a mesh");
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(myr_mesh_smooth(1), 2);
    assert_int_equal(myr_mesh_smooth(11), 12);
    assert_int_equal(myr_mesh_smooth(64.5), 70);
    assert_int_equal(myr_mesh_smooth(81), 84);
    assert_int_equal(myr_mesh_smooth(257), 270);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves), cmocka_unit_test(test_fmm), cmocka_unit_test(test_taylor_green),
        cmocka_unit_test(test_bits),  cmocka_unit_test(test_few), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
