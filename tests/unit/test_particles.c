/* test_particles.c - the particle store: fields, ids, types, hashes. */
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

static int setup(void **state)
{
    myr_context *context;
    if (myr_context_create(&context))
        return -1;
    *state = context;
    return 0;
}

static int teardown(void **state)
{
    myr_context *context = *state;
    myr_context_destroy(&context);
    return 0;
}

static myr_particles *make(void **state, int64_t n)
{
    myr_particles *p = NULL;
    assert_int_equal(myr_particles_create(*state, n, &p), MYR_OK);
    assert_non_null(p);
    assert_int_equal(myr_particles_count(p), n);
    assert_ptr_equal(myr_particles_context(p), *state);
    return p;
}

static void test_fields(void **state)
{
    enum { N = 13 };
    double in[N * 3], out[N * 3];
    myr_particles *p = make(state, N);
    assert_int_equal(myr_particles_fields(p), 0);
    for (int i = 0; i < N * 3; i++)
        in[i] = i + 0.25;
    assert_int_equal(myr_particles_set(p, "position", 3, in), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "mass", 1), MYR_OK);
    assert_int_equal(myr_particles_fields(p), 2);
    assert_string_equal(myr_particles_field_name(p, 1), "mass");
    assert_int_equal(myr_particles_field_components(p, 0), 3);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++)
            assert_true(myr_particles_component(p, "position", c)[i] == in[3 * i + c]);
        assert_true(myr_particles_component(p, "mass", 0)[i] == 0);
    }
    assert_ptr_equal(myr_particles_component_const(p, "mass", 0), myr_particles_component(p, "mass", 0));
    myr_particles_component(p, "mass", 0)[3] = 7;
    assert_int_equal(myr_particles_add_field(p, "mass", 1), MYR_OK); /* there already: stays as it is */
    assert_true(myr_particles_component(p, "mass", 0)[3] == 7);
    assert_int_equal(myr_particles_get(p, "position", out), MYR_OK);
    assert_memory_equal(in, out, sizeof in);
    assert_null(myr_particles_component(p, "position", 3));
    assert_null(myr_particles_component(p, "position", -1));
    assert_null(myr_particles_component(p, "velocity", 0));
    assert_null(myr_particles_component(p, NULL, 0));
    assert_null(myr_particles_field_name(p, 2));
    assert_null(myr_particles_field_name(p, -1));
    assert_int_equal(myr_particles_field_components(p, 2), 0);
    myr_particles_destroy(&p);
    assert_null(p);
}

/* Copies in and out of arrays at any address. */
static void test_unaligned(void **state)
{
    enum { N = 5 };
    char in[N * 3 * sizeof(double) + 1], out[N * 3 * sizeof(double) + 3];
    myr_particles *p = make(state, N);
    for (int i = 0; i < N * 3; i++) {
        const double x = 1.5 * i;
        memcpy(in + 1 + (size_t)i * sizeof x, &x, sizeof x);
    }
    assert_int_equal(myr_particles_set(p, "position", 3, (const double *)(const void *)(in + 1)), MYR_OK);
    assert_true(myr_particles_component(p, "position", 2)[4] == 1.5 * 14);
    assert_int_equal(myr_particles_get(p, "position", (double *)(void *)(out + 3)), MYR_OK);
    assert_memory_equal(in + 1, out + 3, N * 3 * sizeof(double));
    myr_particles_destroy(&p);
}

static void test_refused_fields(void **state)
{
    myr_particles *p = make(state, 2);
    const char *message = myr_context_message(*state);
    char name[65];
    memset(name, 'f', 64);
    name[64] = '\0';
    assert_int_equal(myr_particles_add_field(p, name, 1), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_add_field(p, "", 1), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_add_field(p, NULL, 1), MYR_ERROR_ARGUMENT);
    assert_true(strlen(message) > 5);
    name[63] = '\0';
    assert_int_equal(myr_particles_add_field(p, name, 1), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "x", 0), MYR_ERROR_VALUE);
    assert_int_equal(myr_particles_add_field(p, "x", -3), MYR_ERROR_VALUE);
    assert_int_equal(myr_particles_add_field(p, "x", 17), MYR_ERROR_VALUE);
    assert_non_null(strstr(message, "17"));
    assert_int_equal(myr_particles_add_field(p, "x", 16), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "x", 3), MYR_ERROR_FIELD);
    assert_non_null(strstr(message, "16"));
    assert_int_equal(myr_particles_fields(p), 2);
    double out[2];
    assert_int_equal(myr_particles_get(p, "y", out), MYR_ERROR_FIELD);
    assert_non_null(strstr(message, "'y'"));
    assert_int_equal(myr_particles_get(p, NULL, out), MYR_ERROR_FIELD);
    myr_particles_destroy(&p);
}

static void test_too_many_fields(void **state)
{
    myr_particles *p = make(state, 1);
    char name[24];
    for (int k = 0; k < 64; k++) {
        snprintf(name, sizeof name, "field%d", k);
        assert_int_equal(myr_particles_add_field(p, name, 1), MYR_OK);
    }
    assert_int_equal(myr_particles_add_field(p, "one more", 1), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(*state), "one more"));
    assert_int_equal(myr_particles_fields(p), 64);
    assert_int_equal(myr_particles_add_field(p, "field63", 1), MYR_OK);
    myr_particles_destroy(&p);
}

/* 64 bits, kept as they are. */
static void test_ids(void **state)
{
    enum { N = 4 };
    myr_particles *p = make(state, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(myr_particles_ids(p)[i], i);
    const int64_t ids[N] = {((int64_t)1 << 32) + 5, 5, INT64_MAX, ((int64_t)1 << 33) + 5};
    assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
    assert_memory_equal(myr_particles_ids(p), ids, sizeof ids);
    const int64_t twice[N] = {1, ((int64_t)1 << 40) + 2, 3, ((int64_t)1 << 40) + 2};
    assert_int_equal(myr_particles_set_ids(p, twice), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(*state), "1099511627778"));
    assert_memory_equal(myr_particles_ids(p), ids, sizeof ids);
    assert_int_equal(myr_particles_set_ids(p, NULL), MYR_ERROR_ARGUMENT);
    myr_particles_destroy(&p);
}

static void test_types(void **state)
{
    enum { N = 3 };
    myr_particles *p = make(state, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(myr_particles_types(p)[i], 0);
    const int32_t types[N] = {2, 0, INT32_MAX}, negative[N] = {1, -1, 1};
    assert_int_equal(myr_particles_set_types(p, types), MYR_OK);
    assert_memory_equal(myr_particles_types(p), types, sizeof types);
    assert_int_equal(myr_particles_set_types(p, negative), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(*state), "-1"));
    assert_memory_equal(myr_particles_types(p), types, sizeof types);
    assert_int_equal(myr_particles_set_types(p, NULL), MYR_ERROR_ARGUMENT);
    myr_particles_destroy(&p);
}

/* The hash sees every bit, the order, the sign of zero; FNV-1a of nothing is its offset. */
static void test_hash(void **state)
{
    myr_particles *p = make(state, 2), *none = make(state, 0);
    uint64_t first, now;
    const double values[2] = {1, 2};
    assert_int_equal(myr_particles_set(p, "x", 1, values), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "x", &first), MYR_OK);
    double *x = myr_particles_component(p, "x", 0);
    const double changed[][2] = {{2, 1}, {1, nextafter(2, 3)}, {-1, 2}, {1, 0}, {1, -0.0}};
    uint64_t seen[5];
    for (int k = 0; k < 5; k++) {
        memcpy(x, changed[k], 2 * sizeof *x);
        assert_int_equal(myr_particles_hash(p, "x", &now), MYR_OK);
        assert_true(now != first);
        seen[k] = now;
    }
    assert_true(seen[3] != seen[4]);
    memcpy(x, values, sizeof values);
    assert_int_equal(myr_particles_hash(p, "x", &now), MYR_OK);
    assert_true(now == first);
    assert_int_equal(myr_particles_hash(p, "y", &now), MYR_ERROR_FIELD);
    assert_int_equal(myr_particles_hash(p, NULL, &now), MYR_ERROR_FIELD);
    assert_int_equal(myr_particles_hash(p, "x", NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_hash(NULL, "x", &now), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_add_field(none, "x", 1), MYR_OK);
    assert_int_equal(myr_particles_hash(none, "x", &now), MYR_OK);
    assert_true(now == 0xcbf29ce484222325u);
    myr_particles_destroy(&p);
    myr_particles_destroy(&none);
}

static void test_no_particles(void **state)
{
    myr_particles *p = make(state, 0);
    double nothing = 3;
    assert_int_equal(myr_particles_set(p, "position", 3, NULL), MYR_OK);
    assert_int_equal(myr_particles_get(p, "position", &nothing), MYR_OK);
    assert_int_equal(myr_particles_get(p, "position", NULL), MYR_OK);
    assert_true(nothing == 3);
    assert_int_equal(myr_particles_set_ids(p, NULL), MYR_OK);
    assert_int_equal(myr_particles_set_types(p, NULL), MYR_OK);
    myr_particles_destroy(&p);
}

static void test_refused_sets(void **state)
{
    myr_particles *p = (myr_particles *)1;
    assert_int_equal(myr_particles_create(*state, -1, &p), MYR_ERROR_VALUE);
    assert_null(p);
    assert_non_null(strstr(myr_context_message(*state), "-1"));
    assert_int_equal(myr_particles_create(*state, INT64_MIN, &p), MYR_ERROR_VALUE);
    assert_int_equal(myr_particles_create(*state, INT64_MAX, &p), MYR_ERROR_MEMORY);
    assert_int_equal(myr_particles_create(*state, (int64_t)1 << 61, &p), MYR_ERROR_MEMORY);
    assert_null(p);
    assert_int_equal(myr_particles_create(*state, 1, NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_create(NULL, 1, &p), MYR_ERROR_ARGUMENT);
}

static void test_null(void **state)
{
    (void)state;
    double x = 0;
    int64_t id = 0;
    int32_t type = 0;
    myr_particles *none = NULL;
    myr_particles_destroy(NULL);
    myr_particles_destroy(&none);
    assert_int_equal(myr_particles_count(NULL), 0);
    assert_null(myr_particles_context(NULL));
    assert_int_equal(myr_particles_fields(NULL), 0);
    assert_null(myr_particles_field_name(NULL, 0));
    assert_int_equal(myr_particles_field_components(NULL, 0), 0);
    assert_null(myr_particles_component(NULL, "x", 0));
    assert_null(myr_particles_component_const(NULL, "x", 0));
    assert_null(myr_particles_ids(NULL));
    assert_null(myr_particles_types(NULL));
    assert_int_equal(myr_particles_add_field(NULL, "x", 1), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_set(NULL, "x", 1, &x), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_get(NULL, "x", &x), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_set_ids(NULL, &id), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_set_types(NULL, &type), MYR_ERROR_ARGUMENT);
    myr_particles *p = make(state, 1);
    assert_int_equal(myr_particles_set(p, "x", 1, NULL), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_add_field(p, "x", 1), MYR_OK);
    assert_int_equal(myr_particles_get(p, "x", NULL), MYR_ERROR_ARGUMENT);
    myr_particles_destroy(&p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fields), TEST(test_unaligned), TEST(test_refused_fields), TEST(test_too_many_fields), TEST(test_ids),
        TEST(test_types),  TEST(test_hash),      TEST(test_no_particles),   TEST(test_refused_sets),    TEST(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
