/* test_snapshot_some.c - a part of the particles of a file: the same ones of every file and format that has them, each
 * with all that is its own. */
#include "unit/scratch.h"

#include <myriad/particles.h>
#include <myriad/snapshot.h>

enum { N = 20000, MANY = 300, FEW = 40 }; /* more than the rows that a reader takes at once */

/* Everything follows from the id, and the order of the ids is none: another one with every `step`. */
static int64_t id_of(int64_t i, int64_t step)
{
    return (step * i + 13) % N * 5 - 1000;
}

static double value_of(int64_t id, int c)
{
    return (double)id * 0.37 + c;
}

static myr_particles *make(const scratch *s, int64_t step)
{
    myr_particles *p;
    int64_t *ids = calloc(N, sizeof *ids);
    int32_t *types = calloc(N, sizeof *types);
    assert_true(ids && types);
    assert_int_equal(myr_particles_create(s->context, N, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "charge", 1), MYR_OK);
    for (int64_t i = 0; i < N; i++) {
        ids[i] = id_of(i, step);
        types[i] = (int32_t)((ids[i] + 1000) % 3);
        for (int c = 0; c < 3; c++)
            myr_particles_component(p, "position", c)[i] = value_of(ids[i], c);
        myr_particles_component(p, "charge", 0)[i] = value_of(ids[i], 7);
    }
    assert_int_equal(myr_particles_set_ids(p, ids), MYR_OK);
    assert_int_equal(myr_particles_set_types(p, types), MYR_OK);
    free(ids);
    free(types);
    return p;
}

static void assert_own(const myr_particles *p)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const int64_t id = myr_particles_ids(p)[i];
        assert_int_equal(myr_particles_types(p)[i], (id + 1000) % 3);
        for (int c = 0; c < 3; c++)
            assert_true(myr_particles_component_const(p, "position", c)[i] == value_of(id, c));
        assert_true(myr_particles_component_const(p, "charge", 0)[i] == value_of(id, 7));
    }
}

/* The particles of a part are in the order of the whole. */
static void assert_in_order(const myr_particles *all, const myr_particles *part)
{
    int64_t k = 0;
    for (int64_t i = 0; i < myr_particles_count(all) && k < myr_particles_count(part); i++)
        k += myr_particles_ids(all)[i] == myr_particles_ids(part)[k];
    assert_int_equal(k, myr_particles_count(part));
}

static int64_t shared_ids(const myr_particles *p, const myr_particles *q)
{
    int64_t shared = 0;
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        for (int64_t k = 0; k < myr_particles_count(q); k++)
            shared += myr_particles_ids(p)[i] == myr_particles_ids(q)[k];
    return shared;
}

static myr_particles *read_some(scratch *s, const char *name, int64_t most)
{
    myr_snapshot_header header;
    myr_particles *p;
    int64_t of;
    assert_int_equal(myr_snapshot_read_some(s->context, scratch_path(s, name), NULL, most, NULL, &p, &header, &of),
                     MYR_OK);
    assert_int_equal(of, N);
    assert_true(header.time == 2.5);
    assert_int_equal(myr_particles_count(p), most < N ? most : N);
    assert_own(p);
    return p;
}

/* Without the fields that nobody asked for, where the format can leave them. */
static void check_fields(scratch *s, const char *name, const myr_particles *same)
{
    static const char *const fields[] = {"position", "mass", NULL};
    myr_particles *p;
    int64_t of;
    assert_int_equal(myr_snapshot_read_some(s->context, scratch_path(s, name), NULL, MANY, fields, &p, NULL, &of),
                     MYR_OK);
    assert_int_equal(shared_ids(p, same), MANY);
    assert_non_null(myr_particles_component(p, "position", 2));
    if (strstr(name, "h5md"))
        assert_int_equal(myr_particles_fields(p), 1);
    myr_particles_destroy(&p);
}

/* What is read of one file; null in a build without its format. */
static myr_particles *check_file(scratch *s, const char *name, int64_t step)
{
    const myr_snapshot_header header = {.time = 2.5};
    myr_particles *all = make(s, step), *many = NULL;
    const myr_status status = myr_snapshot_write(all, scratch_path(s, name), NULL, NULL, &header);
    if (status != MYR_ERROR_UNAVAILABLE) {
        assert_int_equal(status, MYR_OK);
        many = read_some(s, name, MANY);
        myr_particles *few = read_some(s, name, FEW), *none = read_some(s, name, 0), *whole = read_some(s, name, N + 1);
        assert_int_equal(shared_ids(few, many), FEW);
        assert_in_order(all, many);
        check_fields(s, name, many);
        myr_particles_destroy(&few);
        myr_particles_destroy(&none);
        myr_particles_destroy(&whole);
    }
    myr_particles_destroy(&all);
    return many;
}

static void test_some(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    myr_particles *a = check_file(&s, "a.h5md", 3), *b = check_file(&s, "b.csv", 7919),
                  *c = check_file(&s, "c.csv", 11);
    assert_int_equal(shared_ids(b, c), MANY);
    if (a)
        assert_int_equal(shared_ids(a, b), MANY);
    myr_particles_destroy(&a);
    myr_particles_destroy(&b);
    myr_particles_destroy(&c);
    scratch_end(&s);
}

/* None is preferred: of ids that count up, as many come from each quarter as chance would have it. */
static void test_spread(void **state)
{
    (void)state;
    const myr_snapshot_header header = {.time = 2.5};
    int quarter[4] = {0};
    scratch s;
    scratch_begin(&s);
    myr_particles *all = make(&s, 7919);
    assert_int_equal(myr_snapshot_write(all, scratch_path(&s, "a.csv"), NULL, NULL, &header), MYR_OK);
    myr_particles *some = read_some(&s, "a.csv", 4 * MANY);
    for (int64_t i = 0; i < 4 * MANY; i++)
        quarter[(myr_particles_ids(some)[i] + 1000) / 5 / (N / 4)]++;
    for (int k = 0; k < 4; k++) {
        print_message("quarter %d: %d\n", k, quarter[k]);
        assert_true(quarter[k] > MANY - 75 && quarter[k] < MANY + 75); /* 5 sigma of 15 */
    }
    myr_particles_destroy(&some);
    myr_particles_destroy(&all);
    scratch_end(&s);
}

/* Shares are rows that follow each other, and together all; other formats have none. */
static void test_shares(void **state)
{
    enum { SHARES = 3 };
    (void)state;
    const myr_snapshot_header header = {.time = 2.5};
    myr_snapshot_format_info info;
    myr_particles *part;
    int64_t next = 0, first, of;
    scratch s;
    scratch_begin(&s);
    myr_particles *all = make(&s, 7);
    assert_true(myr_snapshot_format_describe("csv", &info) && !info.in_parts);
    assert_int_equal(myr_snapshot_write(all, scratch_path(&s, "a.csv"), NULL, NULL, &header), MYR_OK);
    assert_int_equal(
        myr_snapshot_read_share(s.context, scratch_path(&s, "a.csv"), NULL, 0, SHARES, &part, NULL, &first, &of),
        MYR_ERROR_FORMAT);
    const myr_status status = myr_snapshot_write(all, scratch_path(&s, "a.h5md"), NULL, NULL, &header);
    for (int k = 0; status != MYR_ERROR_UNAVAILABLE && k < SHARES; k++) {
        myr_snapshot_header found;
        assert_int_equal(
            myr_snapshot_read_share(s.context, scratch_path(&s, "a.h5md"), NULL, k, SHARES, &part, &found, &first, &of),
            MYR_OK);
        assert_true(found.time == 2.5 && of == N && first == next);
        assert_own(part);
        for (int64_t i = 0; i < myr_particles_count(part); i++)
            assert_int_equal(myr_particles_ids(part)[i], id_of(first + i, 7));
        next += myr_particles_count(part);
        myr_particles_destroy(&part);
    }
    assert_true(status == MYR_ERROR_UNAVAILABLE || next == N);
    myr_particles_destroy(&all);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_some), cmocka_unit_test(test_spread),
                                       cmocka_unit_test(test_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
