/* test_far_bits.c - what portable arithmetic promises about the methods with a far field (fmm, tree, pseudo): the same
 * bits on all instruction sets and any number of threads, for single evaluations of every kernel with an expansion over
 * distributions of all kinds, in periodic boxes, and over 200 steps of stars and of vortex elements. The order of
 * operations is written down in backend/expansion_order.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"
#include "unit/clouds.h"

enum { BODIES = 600, TARGETS = 400, STEPS = 200 }; /* fewer than half as many targets as sources are summed directly */

static const char *const methods[] = {"fmm", "tree", "pseudo"};

/* An evaluation whose bits are compared. */
typedef struct {
    const char *kernel, *method;
    void (*cloud)(int64_t i, const double u[3], double x[3]);
    int apart; /* 1 = targets are not the sources */
    int axes;  /* periodic axes of a cube of edge 2 */
    double tolerance;
} far_case;

/* Particles of a kernel's scene at the points of a cloud; cores narrow enough for far cells, and of different widths.
 */
static myr_particles *cloud_particles(myr_context *context, const far_case *c, int64_t n, uint64_t seed, int target)
{
    myr_particles *p = scene_particles(context, c->kernel, n, seed, target, 0);
    for (int64_t i = 0; i < n; i++) {
        const double u[3] = {scene_uniform(seed, 20, i), scene_uniform(seed, 21, i), scene_uniform(seed, 22, i)};
        double x[3];
        c->cloud(i, u, x);
        for (int axis = 0; axis < 3; axis++)
            myr_particles_component(p, "position", axis)[i] = x[axis];
        if (myr_particles_component(p, "core", 0))
            myr_particles_component(p, "core", 0)[i] = 0.01 * (1 + scene_uniform(seed, 23, i));
    }
    return p;
}

static myr_interaction *far_interaction(myr_context *context, const char *kernel, const char *method, double tolerance,
                                        const char *isa)
{
    myr_interaction *f = scene_interaction(context, kernel);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "portable"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", method), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "tolerance", tolerance), MYR_OK);
    scene_choose_isa(f, isa);
    return f;
}

/* Hash of numbers by their bits, after another hash. */
static uint64_t bits_hash(const double *x, int64_t n, uint64_t hash)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Hash of all results of a case. */
static uint64_t case_hash(const far_case *c, const char *isa, int threads)
{
    myr_context *context;
    double value[SCENE_OUTPUTS * BODIES];
    myr_far_report report;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    myr_particles *sources = cloud_particles(context, c, BODIES, 1, 0);
    myr_particles *targets = c->apart ? cloud_particles(context, c, TARGETS, 2, 1) : sources;
    myr_interaction *f = far_interaction(context, c->kernel, c->method, c->tolerance, isa);
    if (strncmp(c->kernel, "gravity", 7) == 0)
        assert_int_equal(myr_interaction_set(f, strstr(c->kernel, "spline") ? "h" : "eps", 0.001), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "leaf", 8), MYR_OK);
    const double edges[3] = {c->axes > 0 ? 2 : 0, c->axes > 1 ? 2 : 0, c->axes > 2 ? 2 : 0};
    assert_int_equal(myr_interaction_set_box(f, edges, NULL), MYR_OK);
    scene_evaluate(context, f, targets, sources);
    const int outputs = scene_copy(c->kernel, targets, value);
    assert_int_equal(myr_interaction_far(f, &report), MYR_OK);
    assert_true(report.cells > 8); /* there is a tree */
    const uint64_t hash = bits_hash(value, outputs * myr_particles_count(targets), 0);
    myr_interaction_destroy(&f);
    if (c->apart)
        myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
    myr_context_destroy(&context);
    return hash;
}

static void case_check(const far_case *c)
{
    const uint64_t first = case_hash(c, scene_isa(0), 1);
    for (int i = 0; scene_isa(i); i++)
        if (case_hash(c, scene_isa(i), 3 - i % 2) != first)
            fail_msg("%s %s, %d periodic axes: other bits on %s with %d threads", c->method, c->kernel, c->axes,
                     scene_isa(i), 3 - i % 2);
}

/* Pseudo-particles have fields of the place alone: no jerks. The far field of boundary elements is not known. */
static int is_refused(const far_case *c)
{
    return (strcmp(c->method, "pseudo") == 0 && strstr(c->kernel, "jerk")) || strncmp(c->kernel, "bem", 3) == 0;
}

/* Every kernel with every method, targets among the sources and apart. */
static void test_kernels(void **state)
{
    (void)state;
    int ran = 0;
    for (int k = 0; scene_kernel(k); k++)
        for (int m = 0; scene_kernel(k)->has_expansion && m < 3; m++) {
            far_case c = {scene_kernel(k)->name, methods[m], cloud_sphere, 0, 0, 1e-3};
            if (is_refused(&c))
                continue;
            case_check(&c);
            c.apart = 1;
            case_check(&c);
            ran++;
        }
    assert_true(ran >= 1);
}

/* Distributions that stretch a tree, and tolerances with expansions in double. */
static void test_distributions(void **state)
{
    (void)state;
    static void (*const shapes[])(int64_t, const double *, double *) = {
        cloud_uniform, cloud_clustered, cloud_line, cloud_plane, cloud_half, cloud_outlier,
    };
    for (int m = 0; m < 3; m++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            const far_case c = {"gravity_potential", methods[m], shapes[k], 0, 0, 1e-4};
            case_check(&c);
        }
    const far_case fine = {"gravity_potential", "fmm", cloud_clustered, 0, 0, 2e-7};
    case_check(&fine);
}

static void test_boxes(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int axes = 1; axes <= 3; axes++) {
            const far_case c = {
                axes == 3 ? "biot_savart" : "gravity_potential", methods[m], cloud_uniform, 0, axes, 1e-2};
            case_check(&c);
        }
}

/* --- motions ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *model, *kernel, *integrator;
    int64_t n;
    double dt, tolerance;
} far_motion;

static uint64_t motion_hash(const far_motion *m, const char *isa, int threads)
{
    myr_context *context;
    myr_model_spec *spec;
    myr_particles *p;
    myr_simulation *s;
    const myr_particles *now;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    assert_int_equal(myr_model_spec_create(context, m->model, &spec), MYR_OK);
    assert_int_equal(myr_model_spec_make(spec, m->n, 1, &p), MYR_OK);
    myr_model_spec_destroy(&spec);
    myr_interaction *f = far_interaction(context, m->kernel, "fmm", m->tolerance, isa);
    assert_int_equal(myr_interaction_set(f, "leaf", 8), MYR_OK);
    assert_int_equal(myr_simulation_create(context, p, f, &s), MYR_OK);
    assert_int_equal(myr_simulation_choose(s, m->integrator), MYR_OK);
    assert_int_equal(myr_simulation_set(s, "dt", m->dt), MYR_OK);
    for (int k = 0; k < STEPS; k++)
        if (myr_simulation_step(s, 1e9))
            fail_msg("%s: %s", m->model, myr_context_message(context));
    assert_int_equal(myr_simulation_particles(s, &now), MYR_OK);
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++)
        hash = bits_hash(myr_particles_component_const(now, "position", axis), m->n, hash);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return hash;
}

/* 200 steps of a Plummer sphere, and of a ring of vortex elements. */
static void test_motions(void **state)
{
    (void)state;
    static const far_motion motions[] = {
        {"plummer", "gravity", "leapfrog", 300, 1.0 / 128, 1e-3},
        {"vortex_ring", "velocity_stretching", "ab2", 49 * 6, 0.01, 1e-2},
    };
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
        const uint64_t first = motion_hash(&motions[k], scene_isa(0), 1);
        for (int i = 0; scene_isa(i); i++)
            if (motion_hash(&motions[k], scene_isa(i), 2 + i % 2) != first)
                fail_msg("%d steps of %s: other bits on %s", STEPS, motions[k].model, scene_isa(i));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_motions),
    };
    const int failed = scene_begin(argc, argv);
    if (failed)
        return failed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
