/* far_problems.h - problems of the tests of the fast multipole method on a GPU, evaluated there and by the processor.
 */
#ifndef MYR_TESTS_GPU_FAR_PROBLEMS_H
#define MYR_TESTS_GPU_FAR_PROBLEMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "turns.h"
#include "unit/clouds.h"

static const char *gpu = "cuda";

static inline int setup(void **state)
{
    myr_gpu_info info;
    myr_context *context;
    if (myr_context_create(&context))
        return -1;
    if (myr_machine_gpu(context, 0, &info)) {
        print_message("skipped: %s\n", myr_context_message(context));
        gpu = NULL;
    }
    *state = context;
    return 0;
}

static inline int teardown(void **state)
{
    myr_context *context = *state;
    myr_context_destroy(&context);
    return 0;
}

/* One problem. */
typedef struct {
    const char *name;
    int cloud;
    int64_t n;
    const char *kernel, *arithmetic, *accumulator;
    double tolerance;
    int order, separation, leaf;
    double eps;
    int massless; /* 1 = every second strength is 0, 2 = all are */
    double bar;   /* of the difference; 0 = ROUNDING */
    double cores; /* ratio of the largest vortex core to the smallest; 0 = all are equal */
    double pairs; /* every second particle is this far from the one before it; 0 = it is where the cloud says */
    int axes;     /* bit k: axis k is periodic, with a period of 1 */
    int images;
    double shift; /* of all particles along x */
    double scale; /* of all positions; 0 = 1 */
    int heavy;    /* 1 = one body has half of the mass */
    double apart; /* the second half of the set is this far away along x */
} problem;

/* Largest difference by rounding in floats: 8.2e-7 measured. */
#define ROUNDING 2e-6

static inline myr_particles *make_particles(myr_context *context, const problem *q)
{
    myr_particles *p;
    assert_int_equal(myr_particles_create(context, q->n, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "mass", 1), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "charge", 1), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "velocity", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "strength", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "core", 1), MYR_OK);
    for (int64_t i = 0; i < q->n; i++) {
        double x[3];
        const int none = q->massless == 2 || (q->massless && i % 2);
        cloud_point(q->cloud, 5, q->pairs > 0 ? i / 2 : i, x);
        x[i % 3] += q->pairs > 0 && i % 2 ? q->pairs : 0;
        x[0] += q->shift + (2 * i >= q->n ? q->apart : 0);
        for (int c = 0; c < 3 && q->scale > 0; c++)
            x[c] *= q->scale;
        for (int c = 0; c < 3; c++) /* what a float holds, so that every arithmetic solves one problem */
            myr_particles_component(p, "position", c)[i] = (double)(float)x[c];
        myr_particles_component(p, "mass", 0)[i] = none ? 0 : (1.0 + 0.1 * (double)(i % 7)) / 1024;
        if (q->heavy && i == q->n / 3)
            myr_particles_component(p, "mass", 0)[i] =
                1.3 * (double)q->n / 1024; /* the mean of the others is 1.3 / 1024 */
        myr_particles_component(p, "charge", 0)[i] = none ? 0 : i * 7 % 5 < 2 ? -1 : 1;
        myr_particles_component(p, "core", 0)[i] = 0.01 * (q->cores > 0 && i % 3 ? q->cores : 1);
        for (int c = 0; c < 3; c++) {
            myr_particles_component(p, "velocity", c)[i] = sin((double)(3 * i + c + 1));
            myr_particles_component(p, "strength", c)[i] = cos((double)(5 * i + 2 * c)) / 1024;
        }
    }
    return p;
}

static inline myr_interaction *make_interaction(myr_context *context, const problem *q, const char *backend)
{
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, q->kernel ? q->kernel : "gravity_potential", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", q->accumulator ? q->accumulator : "single"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", q->arithmetic ? q->arithmetic : "single"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", "fmm"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "backend", backend), MYR_OK);
    const struct {
        const char *name;
        double value;
    } settings[] = {{"tolerance", q->tolerance > 0 ? q->tolerance : 1e-4},
                    {"order", q->order},
                    {"separation", q->separation},
                    {"leaf", q->leaf},
                    {"eps", q->eps},
                    {"images", q->images}};
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        if (settings[k].value > 0)
            assert_int_equal(myr_interaction_set(f, settings[k].name, settings[k].value), MYR_OK);
    const double edges[3] = {q->axes & 1 ? 1 : 0, q->axes & 2 ? 1 : 0, q->axes & 4 ? 1 : 0};
    if (q->axes)
        assert_int_equal(myr_interaction_set_box(f, edges, (const double[3]){0, 0, 0}), MYR_OK);
    return f;
}

static inline void evaluate(myr_context *context, myr_interaction *f, myr_particles *p)
{
    if (myr_interaction_evaluate(f, p, p))
        fail_msg("%s", myr_context_message(context));
}

/* The relative L2 difference of a field of two sets. */
static inline double difference(const myr_particles *a, const myr_particles *b, const char *field)
{
    double off = 0, all = 0;
    const double *x, *y;
    for (int c = 0; (x = myr_particles_component_const(a, field, c)); c++) {
        y = myr_particles_component_const(b, field, c);
        for (int64_t i = 0; i < myr_particles_count(a); i++) {
            off += pow(x[i] - y[i], 2);
            all += y[i] * y[i];
        }
    }
    return all > 0 ? sqrt(off / all) : sqrt(off);
}

static const char *const fields[] = {"acceleration", "potential", "field", "jerk", "velocity", "stretching"};

/* Both evaluate a problem: the largest difference of a field is within its bar. */
static inline void compare(myr_context *context, const problem *q)
{
    myr_particles *here = make_particles(context, q), *there = make_particles(context, q);
    myr_interaction *f = make_interaction(context, q, "simd"), *g = make_interaction(context, q, gpu);
    myr_far_report a, b;
    double worst = 0;
    evaluate(context, f, here);
    evaluate(context, g, there);
    assert_int_equal(myr_interaction_far(f, &a), MYR_OK);
    assert_int_equal(myr_interaction_far(g, &b), MYR_OK);
    assert_string_equal(myr_interaction_choice(g, "backend"), "cuda");
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (myr_particles_component_const(here, fields[k], 0))
            worst = fmax(worst, difference(there, here, fields[k]));
    print_message("%s: %lld cells, %lld levels, %lld pairs, %lld translations, order %d: differ by %.2g\n", q->name,
                  (long long)b.cells, (long long)b.levels, (long long)b.near_pairs, (long long)b.translations, b.order,
                  worst);
    assert_int_equal(a.cells, b.cells);
    assert_int_equal(a.leaves, b.leaves);
    assert_int_equal(a.levels, b.levels);
    assert_int_equal(a.largest, b.largest);
    const double acting = q->massless == 2 ? 0 : q->massless ? 0.5 : 1; /* 0.498 measured for every second one */
    assert_true(fabs((double)b.near_pairs - acting * (double)a.near_pairs) <=
                (q->massless == 1 ? 0.01 * (double)a.near_pairs : 0));
    assert_int_equal(a.translations, b.translations);
    assert_int_equal(a.order, b.order);
    const double bar = q->bar > 0 ? q->bar : q->bar < 0 ? (b.order < 16 ? 3e-14 : q->tolerance) : ROUNDING;
    assert_true(worst <= bar);
    myr_interaction_destroy(&f);
    myr_interaction_destroy(&g);
    myr_particles_destroy(&here);
    myr_particles_destroy(&there);
}

/* Values of two sets have the same bits. */
static inline void expect_same(const problem *q, const myr_particles *here, const myr_particles *there)
{
    const size_t bytes = (size_t)myr_particles_count(here) * sizeof(double);
    int found = 0;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        for (int c = 0; myr_particles_component_const(here, fields[k], c); c++, found = 1)
            if (memcmp(myr_particles_component_const(here, fields[k], c),
                       myr_particles_component_const(there, fields[k], c), bytes) != 0)
                fail_msg("%s: %s differs by %.2g", q->name, fields[k], difference(there, here, fields[k]));
    assert_true(found);
}

#endif
