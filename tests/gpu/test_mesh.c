/* test_mesh.c - vortex elements on the mesh of a periodic box, on a GPU: beside the processor's mesh to a hundredth of
 * the tolerance, and measured errors by Ewald sums; the same bits again and for any order of the elements; simulations
 * that stay there; what is refused. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "unit/clouds.h"

static const char *gpu = "cuda";
static const double cube[3] = {2.7, 2.7, 2.7}, bar[3] = {2.7, 4.1, 1.9}, corner[3] = {-1.1, 0.4, 3.0};
static int warnings;

static void count_warning(void *user, const char *text)
{
    (void)user, (void)text;
    warnings++;
}

static myr_context *new_context(void)
{
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_context_set_warning(context, count_warning, NULL);
    return context;
}

static int setup(void **state)
{
    myr_gpu_info info;
    myr_context *context;
    if (myr_context_create(&context))
        return -1;
    myr_context_set_warning(context, count_warning, NULL);
    if (myr_machine_gpu(context, 0, &info)) {
        print_message("skipped: %s\n", myr_context_message(context));
        gpu = NULL;
    }
    *state = context;
    return 0;
}

static int teardown(void **state)
{
    myr_context *context = *state;
    myr_context_destroy(&context);
    return 0;
}

static void expect_ok(myr_context *context, myr_status status)
{
    if (status)
        fail_msg("%s", myr_context_message(context));
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

/* Elements in this order or the reverse, `part` of the edges, some of them a few boxes away. */
static myr_particles *make_elements(myr_context *context, int64_t n, const double edge[3], double core, double part,
                                    int reverse)
{
    myr_particles *p;
    expect_ok(context, myr_particles_create(context, n, &p));
    expect_ok(context, myr_particles_add_field(p, "position", 3));
    expect_ok(context, myr_particles_add_field(p, "strength", 3));
    expect_ok(context, myr_particles_add_field(p, "core", 1));
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = reverse ? n - 1 - k : k;
        double x[3], strength[3];
        cloud_point(0, 0, k, x);
        cloud_point(0, 1, k, strength);
        for (int c = 0; c < 3; c++) {
            const double away = k % 5 == c ? (double)(k % 7 - 3) : 0;
            myr_particles_component(p, "position", c)[i] = corner[c] + edge[c] * (part * x[c] + away);
            myr_particles_component(p, "strength", c)[i] = strength[c] - 0.5;
        }
        myr_particles_component(p, "core", 0)[i] = core;
    }
    return p;
}

static myr_interaction *choose(myr_context *context, const char *kernel, const char *backend, double tolerance,
                               const double edge[3])
{
    myr_interaction *f;
    expect_ok(context, myr_interaction_create(context, kernel, &f));
    expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", "double"));
    expect_ok(context, myr_interaction_choose(f, "method", "mesh"));
    expect_ok(context, myr_interaction_choose(f, "backend", backend));
    expect_ok(context, myr_interaction_set(f, "tolerance", tolerance));
    expect_ok(context, myr_interaction_set_box(f, edge, corner));
    return f;
}

/* Relative rms difference of an output; 0 if the particles have none. */
static double difference(const myr_particles *a, const myr_particles *b, const char *output)
{
    double off = 0, all = 0;
    const double *x, *y;
    for (int c = 0; c < 3; c++) {
        x = myr_particles_component_const(a, output, c);
        y = myr_particles_component_const(b, output, c);
        for (int64_t i = 0; x && y && i < myr_particles_count(a); i++) {
            off += pow(x[i] - y[i], 2);
            all += y[i] * y[i];
        }
    }
    return all > 0 ? sqrt(off / all) : sqrt(off);
}

static double differences(const myr_particles *a, const myr_particles *b)
{
    return fmax(difference(a, b, "velocity"), difference(a, b, "stretching"));
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refuse(myr_context *context, myr_interaction *f, myr_particles *p, const char *reason)
{
    assert_int_not_equal(myr_interaction_evaluate(f, p, p), MYR_OK);
    if (!strstr(myr_context_message(context), reason))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), reason);
    myr_interaction_destroy(&f);
}

/* Sets a variable of the environment for a while; returns a copy of what it was, which `put_back` frees. */
static char *set_aside(const char *name, const char *value)
{
    char *before = getenv(name) ? strdup(getenv(name)) : NULL;
    setenv(name, value, 1);
    return before;
}

static void put_back(const char *name, char *before)
{
    if (before)
        setenv(name, before, 1);
    else
        unsetenv(name);
    free(before);
}

/* First of all tests: cuFFT is opened once. */
static void test_refused(void **state)
{
    const double plane[3] = {2.7, 2.7, 0};
    if (!gpu)
        skip();
    myr_particles *p = make_elements(*state, 10, cube, 0.2, 1, 0);
    char *before = set_aside("MYRIAD_CUFFT", "/nonexistent/libcufft.so");
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-3, cube), p, "needs cuFFT");
    setenv("MYRIAD_CUFFT", "libm.so.6", 1);
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-3, cube), p, "has no cufftCreate");
    put_back("MYRIAD_CUFFT", before);
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-4, plane), p, "open axes");
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-13, cube), p, "below what method mesh can reach");
    before = set_aside("MYRIAD_CUDA_MEMORY", "30000");
    myr_context *context = new_context();
    refuse(context, choose(context, "biot_savart", gpu, 1e-3, cube), p, "would pass MYRIAD_CUDA_MEMORY");
    myr_context_destroy(&context);
    put_back("MYRIAD_CUDA_MEMORY", before);
    myr_particles_component(p, "core", 0)[3] = 0.21;
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-4, cube), p, "element 3 one of 0.21");
    for (int i = 0; i < 10; i++)
        myr_particles_component(p, "core", 0)[i] = 1e-4;
    refuse(*state, choose(*state, "biot_savart", gpu, 1e-4, cube), p, "too narrow for a mesh");
    myr_particles_destroy(&p);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *kernel;
    const double *edge;
    double tolerance, core;
    int64_t n;
    double part; /* of the box that holds the elements */
    int in_double;
} problem;

/* Evaluates on the GPU, and on the processor to a hundredth of the tolerance; returns the error over the tolerance. */
static double compare(myr_context *context, const problem *q)
{
    myr_far_report report;
    myr_particles *there = make_elements(context, q->n, q->edge, q->core, q->part, 0);
    myr_particles *here = make_elements(context, q->n, q->edge, q->core, q->part, 0);
    myr_interaction *f = choose(context, q->kernel, gpu, q->tolerance, q->edge);
    myr_interaction *g = choose(context, q->kernel, "simd", 0.01 * q->tolerance, q->edge);
    warnings = 0;
    expect_ok(context, myr_interaction_evaluate(f, there, there));
    assert_int_equal(warnings, 0);
    expect_ok(context, myr_interaction_evaluate(g, here, here));
    expect_ok(context, myr_interaction_far(f, &report));
    const double off = differences(there, here);
    print_message("%s, edges %g %g %g, tolerance %g: %lld x %lld x %lld points, width %d, %s: off by %.2g\n", q->kernel,
                  q->edge[0], q->edge[1], q->edge[2], q->tolerance, (long long)report.mesh[0],
                  (long long)report.mesh[1], (long long)report.mesh[2], report.order,
                  report.in_double ? "double" : "floats", off);
    assert_int_equal(report.in_double, q->in_double);
    for (int o = 0; o < 2 && report.output[o]; o++) /* of a sample, by Ewald sums */
        assert_true(report.error[o] <= q->tolerance &&
                    report.error[o] > 0.1 * difference(there, here, report.output[o]));
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
    myr_particles_destroy(&there);
    myr_particles_destroy(&here);
    return off / q->tolerance;
}

/* All kernels, edges, tolerances of floats and doubles; sources in an eighth of each edge need the integers of doubles.
 */
static void test_sums(void **state)
{
    static const problem problems[] = {
        {"biot_savart", cube, 1e-3, 0.21, 300, 1, 0},
        {"stretching", bar, 1e-3, 0.21, 300, 1, 0},
        {"velocity_stretching", cube, 1e-4, 0.21, 300, 1, 0},
        {"velocity_stretching", bar, 1e-4, 0.21, 300, 1, 0},
        {"velocity_stretching_transposed", bar, 1e-3, 0.21, 300, 1, 0},
        {"velocity_stretching_mixed", cube, 1e-3, 0.21, 300, 1, 0},
        {"velocity_stretching", bar, 1e-6, 0.21, 300, 1, 1},
        {"velocity_stretching", cube, 1e-3, 0.21, 2, 1, 0},
        {"velocity_stretching", cube, 1e-3, 0.5, 7, 1, 0},
    };
    double largest = 0;
    if (!gpu)
        skip();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const double off = compare(*state, &problems[k]);
        largest = fmax(largest, off);
        if (off > 1)
            fail_msg("case %zu: %g of the tolerance", k, off);
    }
    print_message("largest: %.2g of the tolerance\n", largest);
    assert_true(largest > 0.2); /* meshes are not too fine */
}

/* So many sources in one tile of the mesh that 32-bit integers leave too few bits for the tolerance. */
static void test_crowd(void **state)
{
    static const problem crowd = {"velocity_stretching", cube, 2e-5, 0.3, 4500, 0.01, 1};
    if (!gpu)
        skip();
    const double off = compare(*state, &crowd);
    assert_true(off <= 1);
}

/* --- bits and targets --------------------------------------------------------------------------------------------- */

/* Integers do not know the order of the sources, nor when a block adds them. */
static void test_bits(void **state)
{
    enum { N = 500 };
    myr_particles *p[3];
    if (!gpu)
        skip();
    for (int k = 0; k < 3; k++) {
        p[k] = make_elements(*state, N, bar, 0.21, 1, k == 2);
        myr_interaction *f = choose(*state, "velocity_stretching", gpu, 1e-3, bar);
        expect_ok(*state, myr_interaction_evaluate(f, p[k], p[k]));
        myr_interaction_destroy(&f);
    }
    for (int o = 0; o < 6; o++)
        for (int64_t i = 0; i < N; i++) {
            const double *x[3];
            for (int k = 0; k < 3; k++)
                x[k] = myr_particles_component(p[k], o < 3 ? "velocity" : "stretching", o % 3);
            assert_memory_equal(&x[0][i], &x[1][i], sizeof(double));
            assert_memory_equal(&x[0][i], &x[2][N - 1 - i], sizeof(double));
        }
    for (int k = 0; k < 3; k++)
        myr_particles_destroy(&p[k]);
}

/* Targets that are no sources, and a subset of the sources. */
static void test_targets(void **state)
{
    enum { N = 200, M = 37 };
    const char *backends[2] = {gpu, "simd"};
    myr_particles *at[2], *p[2];
    double part[2][6][M];
    int64_t index[M];
    if (!gpu)
        skip();
    for (int64_t i = 0; i < M; i++)
        index[i] = (7 * i + 3) % N;
    for (int k = 0; k < 2; k++) {
        p[k] = make_elements(*state, N, bar, 0.21, 1, 0);
        at[k] = make_elements(*state, M, bar, 0.21, 0.7, 0);
        myr_interaction *f = choose(*state, "velocity_stretching", backends[k], k ? 1e-5 : 1e-3, bar);
        expect_ok(*state, myr_interaction_evaluate(f, at[k], p[k]));
        expect_ok(*state, myr_interaction_evaluate_subset(f, p[k], M, index));
        for (int o = 0; o < 6; o++)
            for (int64_t i = 0; i < M; i++)
                part[k][o][i] = myr_particles_component(p[k], o < 3 ? "velocity" : "stretching", o % 3)[index[i]];
        myr_interaction_destroy(&f);
    }
    double off = 0, all = 0;
    for (int o = 0; o < 6; o++)
        for (int64_t i = 0; i < M; i++) {
            off += pow(part[0][o][i] - part[1][o][i], 2);
            all += pow(part[1][o][i], 2);
        }
    const double other = differences(at[0], at[1]);
    print_message("targets that are no sources: %.2g, some of the sources: %.2g\n", other, sqrt(off / all));
    assert_true(other <= 1e-3 && sqrt(off / all) <= 1e-3);
    for (int k = 0; k < 2; k++) {
        myr_particles_destroy(&p[k]);
        myr_particles_destroy(&at[k]);
    }
}

/* --- simulations -------------------------------------------------------------------------------------------------- */

enum { MOVED = 250 };

/* Positions and strengths after five steps. saved: 1 = a checkpoint after two, from which `backend` goes on. */
static void move(const char *kernel, const char *backend, double tolerance, int saved, double out[6][MOVED])
{
    char path[] = "/tmp/myriad-mesh-XXXXXX";
    const char *plugin = getenv("MYRIAD_CUDA_PLUGIN");
    void *library = plugin ? dlopen(plugin, RTLD_NOW | RTLD_NOLOAD) : NULL;
    const long long *copied = library ? dlsym(library, "emulated_bytes") : NULL;
    myr_context *context = new_context();
    const myr_particles *now;
    myr_simulation *s;
    expect_ok(context, myr_simulation_create(context, make_elements(context, MOVED, bar, 0.21, 1, 0),
                                             choose(context, kernel, backend, tolerance, bar), &s));
    expect_ok(context, myr_simulation_choose(s, "rk3"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.01));
    for (int64_t end = 2; end <= 4; end += 2) {
        while (myr_simulation_steps(s) < end)
            expect_ok(context, myr_simulation_advance(s, 1e9, 1e9, end - myr_simulation_steps(s)));
        if (!saved || end == 4)
            continue;
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        unlink(path);
        expect_ok(context, myr_simulation_save(s, path));
        myr_simulation_destroy(&s);
        expect_ok(context, myr_simulation_load(context, path, &s));
        expect_ok(context, myr_interaction_choose(myr_simulation_interaction(s), "backend", backend));
        unlink(path);
    }
    if (strcmp(backend, "simd") != 0 && copied) { /* the state of an evaluation: none of the arrays */
        const long long before = *copied;
        expect_ok(context, myr_simulation_advance(s, 1e9, 1e9, 1));
        assert_true(*copied > before && *copied - before < 1500); /* 688 measured; an array has 2000 bytes */
    } else
        expect_ok(context, myr_simulation_advance(s, 1e9, 1e9, 1));
    expect_ok(context, myr_simulation_particles(s, &now));
    for (int c = 0; c < 6; c++)
        memcpy(out[c], myr_particles_component_const(now, c < 3 ? "position" : "strength", c % 3), sizeof out[c]);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static double moved_apart(double a[6][MOVED], double b[6][MOVED])
{
    double off = 0;
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < MOVED; i++)
            off = fmax(off, fabs(a[c][i] - b[c][i]));
    return off;
}

/* Carried strengths, and strengths that do not change; beside the processor, the same bits again and from a checkpoint.
 */
static void test_motion(void **state)
{
    static const char *const kernels[] = {"velocity_stretching", "biot_savart"};
    static double here[6][MOVED], there[6][MOVED], again[6][MOVED];
    (void)state;
    if (!gpu)
        skip();
    for (int k = 0; k < 2; k++) { /* apart by 2.0e-5 and 1.7e-5 measured; edges are 1.9 to 4.1 */
        move(kernels[k], "simd", 1e-5, 0, here);
        move(kernels[k], gpu, 1e-3, 0, there);
        move(kernels[k], gpu, 1e-3, 1, again);
        const double off = moved_apart(here, there);
        print_message("%s: apart by %.2g after five steps\n", kernels[k], off);
        assert_memory_equal(there, again, sizeof there);
        assert_true(off > 0 && off < 7e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_sums),    cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_bits),    cmocka_unit_test(test_targets), cmocka_unit_test(test_motion),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
