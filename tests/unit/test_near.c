/* test_near.c - lists of sources near targets are those of a comparison of all pairs, one by one.
 * usage: test_near [cuda] */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/physics.h"

static const char *backend = "simd";

/* One request. */
typedef struct {
    int64_t targets, sources;
    int ahead, by_mass;
    double radius;
} request;

/* n particles of a model at the places of others, the first of them the same as those of any other set. */
static myr_particles *bodies(myr_context *context, int64_t n)
{
    myr_particles *p = NULL;
    expect_ok(context, myr_model_create(context, "plummer", n, 5, &p));
    for (int64_t i = 0; i < n; i++)
        myr_particles_component(p, "mass", 0)[i] = 0.5 + (double)(i % 7);
    return p;
}

static int is_near(const myr_particles *t, int64_t i, const myr_particles *s, int64_t j, double ahead, double bound)
{
    double now = 0, then = 0;
    for (int c = 0; c < 3; c++) {
        const double r =
            myr_particles_component_const(s, "position", c)[j] - myr_particles_component_const(t, "position", c)[i];
        const double u =
            myr_particles_component_const(s, "velocity", c)[j] - myr_particles_component_const(t, "velocity", c)[i];
        now += r * r;
        then += (r + ahead * u) * (r + ahead * u);
    }
    return now < bound || then < bound;
}

/* Compares the lists; returns their number of entries. */
static int64_t check_lists(const request *q, const myr_particles *t, const myr_particles *s, const double *radius2,
                           const double *ahead, const myr_near_lists *found)
{
    const double *mass = myr_particles_component_const(s, "mass", 0);
    assert_int_equal(found->targets, q->targets);
    assert_int_equal(found->offset[0], 0);
    for (int64_t i = 0; i < q->targets; i++) {
        int64_t at = found->offset[i];
        for (int64_t j = 0; j < q->sources; j++) {
            const double bound = q->by_mass ? radius2[i] * mass[j] : radius2[i];
            if (is_near(t, i, s, j, q->ahead ? ahead[i] : 0, bound)) {
                assert_true(at < found->offset[i + 1]);
                assert_int_equal(found->source[at++], j);
            }
        }
        assert_int_equal(at, found->offset[i + 1]);
    }
    return found->offset[q->targets];
}

static int64_t try_request(myr_context *context, myr_interaction *f, const request *q)
{
    myr_particles *t = bodies(context, q->targets), *s = bodies(context, q->sources);
    double *radius2 = calloc((size_t)q->targets + 1, sizeof *radius2),
           *ahead = calloc((size_t)q->targets + 1, sizeof *ahead);
    myr_near_lists found;
    for (int64_t i = 0; i < q->targets; i++) {
        radius2[i] = pow(q->radius * (1 + 0.1 * (double)(i % 5)), 2);
        ahead[i] = 0.1 * (double)(i % 3);
    }
    myr_near_query query = {radius2, q->ahead ? ahead : NULL, q->by_mass, 0};
    expect_ok(context, myr_interaction_near(f, t, s, &query, &found));
    const int64_t entries = check_lists(q, t, s, radius2, ahead, &found);
    query.same_sources = 1; /* the sources are there still, and are not read again */
    for (int64_t j = 0; j < q->sources; j++)
        myr_particles_component(s, "position", 0)[j] += 1e6;
    expect_ok(context, myr_interaction_near(f, t, s, &query, &found));
    assert_int_equal(found.offset[q->targets], entries);
    query.same_sources = 0;
    expect_ok(context, myr_interaction_near(f, t, s, &query, &found));
    assert_int_equal(found.offset[q->targets], 0);
    free(radius2);
    free(ahead);
    myr_particles_destroy(&t);
    myr_particles_destroy(&s);
    return entries;
}

static void test_lists(void **state)
{
    (void)state;
    static const request requests[] = {
        {100, 1000, 0, 0, 0.2}, {100, 1000, 1, 0, 0.2}, {33, 1000, 1, 1, 0.15}, {1, 31, 0, 0, 1},   {9, 33, 1, 0, 10},
        {300, 700, 1, 0, 1e3},  {5, 64, 0, 0, 0},       {7, 1, 0, 0, 1},        {700, 32, 1, 1, 1},
    };
    myr_context *context = new_context();
    myr_interaction *f = new_interaction(context, "gravity", "double");
    expect_ok(context, myr_interaction_choose(f, "backend", backend));
    int64_t entries = 0;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        entries += try_request(context, f, &requests[k]);
    assert_true(entries > 200000); /* the sixth has all pairs */
    myr_interaction_destroy(&f);
    myr_context_destroy(&context);
}

static void test_refused(void **state)
{
    (void)state;
    myr_context *context = new_context();
    myr_interaction *f = new_interaction(context, "gravity", "double");
    myr_particles *p = bodies(context, 3), *bare = NULL;
    double radius2[3] = {1, NAN, 1};
    myr_near_lists found;
    expect_ok(context, myr_interaction_choose(f, "backend", backend));
    assert_int_equal(myr_interaction_near(f, p, p, &(myr_near_query){.radius2 = radius2}, &found), MYR_ERROR_NONFINITE);
    assert_int_equal(myr_interaction_near(f, p, p, &(myr_near_query){.radius2 = NULL}, &found), MYR_ERROR_ARGUMENT);
    radius2[1] = 1;
    expect_ok(context, myr_particles_create(context, 3, &bare));
    assert_int_equal(myr_interaction_near(f, bare, p, &(myr_near_query){.radius2 = radius2}, &found), MYR_ERROR_FIELD);
    myr_particles_destroy(&bare);
    expect_ok(context, myr_particles_create(context, 0, &bare));
    expect_ok(context, myr_interaction_near(f, bare, p, &(myr_near_query){.radius2 = NULL}, &found));
    assert_int_equal(found.targets, 0);
    expect_ok(context, myr_interaction_near(f, p, bare, &(myr_near_query){.radius2 = radius2}, &found));
    assert_int_equal(found.offset[3], 0);
    myr_particles_destroy(&bare);
    myr_particles_destroy(&p);
    myr_interaction_destroy(&f);
    myr_context_destroy(&context);
}

/* Without a GPU that is asked for, the test is skipped. */
static int has_gpu(void)
{
    myr_gpu_info gpu;
    myr_context *context = new_context();
    const myr_status status = myr_machine_gpu(context, 0, &gpu);
    printf("%s%s\n", status ? "skipped: " : "on ", status ? myr_context_message(context) : gpu.name);
    myr_context_destroy(&context);
    return !status;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_refused)};
    backend = argc > 1 ? argv[1] : backend;
    return argc > 1 && !has_gpu() ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
