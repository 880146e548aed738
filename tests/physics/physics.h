/* physics.h - what the known-answer tests share: a set of particles in one line, an evaluation in one line, and
 * quadrature on the sphere. A failed call of the library fails the test with its message. Errors that are noted as
 * measured are the largest over the instruction sets scalar, sse2, avx2 and avx512. */
#ifndef MYR_TEST_PHYSICS_H
#define MYR_TEST_PHYSICS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#define PI 3.14159265358979323846

static const char *const arithmetics[] = {"single", "mixed", "portable", "double"};
enum { ARITHMETICS = 4 };

static inline void expect_ok(myr_context *context, myr_status status)
{
    if (status != MYR_OK)
        fail_msg("%s: %s", myr_status_text(status), myr_context_message(context));
}

static inline myr_context *new_context(void)
{
    myr_context *context = NULL;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    expect_ok(context, myr_context_set_threads(context, 2));
    return context;
}

static inline myr_particles *new_particles(myr_context *context, int64_t n)
{
    myr_particles *particles = NULL;
    expect_ok(context, myr_particles_create(context, n, &particles));
    return particles;
}

static inline void set_field(myr_particles *particles, const char *name, int components, const double *values)
{
    expect_ok(myr_particles_context(particles), myr_particles_set(particles, name, components, values));
}

/* the same value for every particle */
static inline void fill_field(myr_particles *particles, const char *name, double value)
{
    expect_ok(myr_particles_context(particles), myr_particles_add_field(particles, name, 1));
    double *x = myr_particles_component(particles, name, 0);
    for (int64_t i = 0; i < myr_particles_count(particles); i++)
        x[i] = value;
}

static inline const double *result(const myr_particles *particles, const char *name, int component)
{
    const double *x = myr_particles_component_const(particles, name, component);
    assert_non_null(x);
    return x;
}

/* MYRIAD_TEST_ISA forces an instruction set. */
static inline myr_interaction *new_interaction(myr_context *context, const char *kernel, const char *arithmetic)
{
    myr_interaction *f = NULL;
    expect_ok(context, myr_interaction_create(context, kernel, &f));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", arithmetic));
    if (getenv("MYRIAD_TEST_ISA"))
        expect_ok(context, myr_interaction_choose(f, "isa", getenv("MYRIAD_TEST_ISA")));
    return f;
}

/* One evaluation with one parameter (null: none), then gone. */
static inline void evaluate(myr_context *context, const char *kernel, const char *arithmetic, const char *parameter,
                            double value, myr_particles *targets, const myr_particles *sources)
{
    myr_interaction *f = new_interaction(context, kernel, arithmetic);
    if (parameter)
        expect_ok(context, myr_interaction_set(f, parameter, value));
    expect_ok(context, myr_interaction_evaluate(f, targets, sources));
    myr_interaction_destroy(&f);
}

/* Fails unless |got - want| <= bound; says by how much. */
static inline void expect_near(const char *what, double got, double want, double bound)
{
    if (!(fabs(got - want) <= bound))
        fail_msg("%s: %.17g instead of %.17g, off by %.3g, allowed %.3g", what, got, want, fabs(got - want), bound);
}

/* Keeps the largest of the errors seen, a NaN above all. */
static inline void keep_largest(double *worst, double error)
{
    if (!(error <= *worst))
        *worst = error;
}

/* Fails unless `worst` is at most the bound. MYRIAD_SHOW_ERRORS prints both. */
static inline void expect_below(const char *what, double worst, double bound)
{
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "%-60s %9.2e  bound %9.2e\n", what, worst, bound);
    if (!(worst <= bound))
        fail_msg("%s: %.3g, allowed %.3g", what, worst, bound);
}

/* 0 <= x < 1, the same numbers in every run */
static inline double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Node and weight k of the Gauss-Legendre rule of n points on [-1, 1], by Newton's method. */
static inline double gauss_node(int n, int k, double *weight)
{
    double x = cos(PI * (k + 0.75) / (n + 0.5)), slope = 1.0;
    for (int step = 0; step < 50; step++) {
        double before = 1.0, p = x;
        for (int m = 2; m <= n; m++) {
            const double next = ((2 * m - 1) * x * p - (m - 1) * before) / m;
            before = p;
            p = next;
        }
        slope = n * (x * p - before) / (x * x - 1.0);
        x -= p / slope;
    }
    *weight = 2.0 / ((1.0 - x * x) * slope * slope);
    return x;
}

/* Points of the unit sphere (rings x 2 rings of them) and their weights, the sum of which is 4 pi: integrates every
 * polynomial of degree below 2 rings exactly. */
static inline int64_t sphere_rule(int rings, double *points, double *weights)
{
    int64_t n = 0;
    for (int k = 0; k < rings; k++) {
        double weight;
        const double z = gauss_node(rings, k, &weight), rho = sqrt(1.0 - z * z);
        for (int m = 0; m < 2 * rings; m++, n++) {
            const double angle = PI * (m + 0.5) / rings;
            points[3 * n] = rho * cos(angle);
            points[3 * n + 1] = rho * sin(angle);
            points[3 * n + 2] = z;
            weights[n] = weight * PI / rings;
        }
    }
    return n;
}

#endif
