/* test_formats_tipsy.c - Tipsy files: made byte by byte as the format is described, the round trip of ours, ids beside
 * them, and what is wrong with a file, in words. */
#include "unit/formats.h"

enum { GAS = 2, DARK = 3, STAR = 1, N = GAS + DARK + STAR };

typedef struct {
    int big, padded, wide; /* order of bytes, header of 32 bytes, positions in doubles */
} variant;

static double value(int field, int i, int c)
{
    return 100.0 * field + i + c / 4.0;
}

static void put_motion(bytes *b, const variant *v, int i)
{
    bytes_float(b, value(1, i, 0)); /* mass */
    for (int c = 0; c < 3; c++)
        bytes_real(b, v->wide, value(2, i, c));
    for (int c = 0; c < 3; c++)
        bytes_float(b, value(3, i, c));
}

static void make_file(bytes *b, const variant *v)
{
    *b = (bytes){.big = v->big};
    bytes_double(b, 2.5);
    bytes_u32(b, N);
    bytes_u32(b, 3);
    bytes_u32(b, GAS);
    bytes_u32(b, DARK);
    bytes_u32(b, STAR);
    if (v->padded)
        bytes_u32(b, 0);
    for (int i = 0; i < N; i++) {
        put_motion(b, v, i);
        if (i < GAS) {
            bytes_float(b, value(4, i, 0)); /* rho */
            bytes_float(b, value(5, i, 0)); /* temp */
            bytes_float(b, value(6, i, 0)); /* hsmooth */
            bytes_float(b, value(7, i, 0)); /* metals */
        } else if (i < GAS + DARK) {
            bytes_float(b, value(6, i, 0)); /* eps */
        } else {
            bytes_float(b, value(7, i, 0)); /* metals */
            bytes_float(b, value(8, i, 0)); /* tform */
            bytes_float(b, value(6, i, 0)); /* eps */
        }
        bytes_float(b, -value(9, i, 0)); /* phi */
    }
}

/* A field that the kinds of a mask have: 1 gas, 2 dark, 4 stars. */
static void check_field(const myr_particles *p, const char *name, int field, int kinds, int components, double sign)
{
    for (int c = 0; c < components; c++) {
        const double *x = myr_particles_component_const(p, name, c);
        if (!x)
            fail_msg("there is no field '%s'", name);
        for (int i = 0; i < N; i++) {
            const int kind = i < GAS ? 1 : i < GAS + DARK ? 2 : 4;
            if (x[i] != (kinds & kind ? sign * value(field, i, c) : 0))
                fail_msg("'%s' of particle %d is %g", name, i, x[i]);
        }
    }
}

static void test_known_bytes(void **state)
{
    (void)state;
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    for (int k = 0; k < 8; k++) {
        const variant v = {k & 1, k >> 1 & 1, k >> 2 & 1};
        myr_particles *p = NULL;
        myr_snapshot_header header = {.time = -1};
        make_file(b, &v);
        if (bytes_read(&s, b, NULL, &p, &header) != MYR_OK)
            fail_msg("big %d, padded %d, wide %d: %s", v.big, v.padded, v.wide, myr_context_message(s.context));
        assert_int_equal(myr_particles_count(p), N);
        assert_int_equal(myr_particles_fields(p), 9);
        for (int i = 0; i < N; i++) {
            assert_int_equal(myr_particles_types(p)[i], i < GAS ? 0 : i < GAS + DARK ? 1 : 4);
            assert_int_equal(myr_particles_ids(p)[i], i);
        }
        check_field(p, "mass", 1, 7, 1, 1);
        check_field(p, "position", 2, 7, 3, 1);
        check_field(p, "velocity", 3, 7, 3, 1);
        check_field(p, "density", 4, 1, 1, 1);
        check_field(p, "temperature", 5, 1, 1, 1);
        check_field(p, "softening", 6, 7, 1, 1);
        check_field(p, "metals", 7, 5, 1, 1);
        check_field(p, "formation_time", 8, 4, 1, 1);
        check_field(p, "potential", 9, 7, 1, -1);
        assert_true(header.time == 2.5 && header.box[0] == 0);
        myr_particles_destroy(&p);
    }
    assert_int_equal(s.warnings, 0);
    free(b);
    scratch_end(&s);
}

/* Fields of nothing but zeros were not meant: an N-body file has no densities. */
static void test_zeros(void **state)
{
    (void)state;
    scratch s;
    bytes *b = calloc(1, sizeof *b);
    myr_particles *p = NULL;
    scratch_begin(&s);
    b->big = 1;
    bytes_double(b, 0);
    bytes_u32(b, 1);
    bytes_u32(b, 3);
    bytes_u32(b, 1); /* one of gas */
    b->size += 8 + 48;
    assert_int_equal(bytes_read(&s, b, NULL, &p, NULL), MYR_OK);
    assert_int_equal(myr_particles_fields(p), 3);
    myr_particles_destroy(&p);
    free(b);
    scratch_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    const variant v = {1, 1, 0};
    const size_t unpadded[] = {276, 0}; /* without its last 4 bytes it could be a file without padding */
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    make_file(b, &v);
    bytes_cut(&s, b, "tipsy", unpadded);
    bytes_u32(b, 0);
    bytes_refused(&s, b, "tipsy",
                  "at byte 28: the length of the file does not fit its particles: 2 gas, 3 dark and 1 star");
    make_file(b, &v);
    b->size -= 40;
    bytes_refused(
        &s, b, NULL,
        "the file is cut short: 2 gas, 3 dark and 1 star particles take 248 bytes, and the file ends at byte 240");
    make_file(b, &v);
    bytes_patch_u32(b, 12, 4);
    bytes_refused(&s, b, "tipsy", "at byte 12: this is no Tipsy file: it would have");
    make_file(b, &v);
    bytes_patch_u32(b, 20, 0xfffffff0u);
    bytes_refused(
        &s, b, "tipsy",
        "at byte 8: the header says that there are 6 particles, but 2 gas, 4294967280 dark and 1 star particles");
    bytes_patch_u32(b, 8, 0xfffffff3u);
    bytes_refused(&s, b, NULL, "the file is cut short: 2 gas, 4294967280 dark");
    make_file(b, &v);
    bytes_patch_real(b, 0, 1, INFINITY);
    bytes_refused(&s, b, NULL, "time");
    make_file(b, &v);
    bytes_patch_real(b, 32 + 48 + 4, 0, NAN);
    bytes_refused(&s, b, NULL, "1 value that is not finite in 'position'; the first is of particle 1 (id 1)");
    free(b);
    scratch_end(&s);
}

/* Ids that other programs put beside the file, as text or as numbers. */
static void test_ids(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* of an error or a warning */
        int warns;
    } bad[] = {{"5\n1\n2\n3\n4\n5\n", "is not used: it does not begin with the number 6", 1},
               {"six\n", "is not used", 1},
               {"6\n1\n2\n3\n4\n5\n", "at byte 12: id 6 of 6 was expected", 0},
               {"6\n1\n2\nx\n4\n5\n6\n", "at byte 6: id 3 of 6 was expected", 0},
               {"6\n1 2 3 4 5 99999999999999999999\n", "id 6 of 6 was expected", 0},
               {"6\n1 2 3 4 5 6 7\n", "at byte 14: there is more than 6 ids", 0},
               {"6\n1 2 3 4 5 3\n", "id 3 is given to more than one particle", 0}};
    const variant v = {1, 0, 0};
    scratch s;
    bytes *b = malloc(sizeof *b), *ids = calloc(1, sizeof *ids);
    myr_particles *p = NULL;
    scratch_begin(&s);
    make_file(b, &v);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        scratch_store(scratch_path(&s, "file.iord"), bad[k].text, strlen(bad[k].text));
        if (bad[k].warns)
            bytes_warned(&s, b, NULL, bad[k].says);
        else
            bytes_refused(&s, b, NULL, bad[k].says);
    }
    for (int wide = 0; wide < 2; wide++) {
        ids->size = 0;
        ids->big = 1;
        bytes_u32(ids, N);
        for (int i = 0; i < N; i++)
            bytes_put(ids, (uint64_t)(int64_t)(7 - 3 * i), wide ? 8 : 4);
        scratch_store(scratch_path(&s, "file.iord"), ids->data, ids->size);
        assert_int_equal(bytes_read(&s, b, NULL, &p, NULL), MYR_OK);
        assert_int_equal(myr_particles_ids(p)[0], 7);
        assert_int_equal(myr_particles_ids(p)[5], -8);
        myr_particles_destroy(&p);
    }
    free(ids);
    free(b);
    scratch_end(&s);
}

static const formats_field fields[] = {
    {"position", 3, 0},  {"velocity", 3, 0},  {"mass", 1, 0},        {"density", 1, 1},         {"temperature", 1, 1},
    {"softening", 1, 0}, {"potential", 1, 0}, {"metals", 1, 1 | 16}, {"formation_time", 1, 16}, {0, 0, 0}};

static void test_round_trip(void **state)
{
    (void)state;
    static const int32_t types[] = {4, 0, 1};
    static const char *const names[] = {"tipsy", "tipsy_native"};
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 8; k++) {
        const myr_snapshot_header header = {.time = 0.1};
        myr_snapshot_header back = {.time = -1};
        myr_particles *p = formats_make(&s, k < 2 ? 1 : 300 * k, types, 3, fields, 32, k % 4 > 1), *q = NULL;
        if (myr_snapshot_write(p, scratch_path(&s, "a"), names[k % 2], NULL, &header) != MYR_OK)
            fail_msg("%s", myr_context_message(s.context));
        if (myr_snapshot_read(s.context, s.path, NULL, &q, &back) != MYR_OK)
            fail_msg("%s", myr_context_message(s.context));
        if (k >= 2) /* one particle may have the values that are not stored */
            formats_same(p, q, 0);
        assert_true(back.time == 0.1);
        myr_particles_destroy(&p);
        myr_particles_destroy(&q);
    }
    if (s.warnings)
        fail_msg("%d warnings, the last: %s", s.warnings, s.warning);
    scratch_end(&s);
}

/* The standard form, byte by byte. */
static void test_written_bytes(void **state)
{
    (void)state;
    const variant v = {1, 1, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    myr_particles *p = NULL;
    myr_snapshot_header header;
    size_t size;
    scratch_begin(&s);
    make_file(b, &v);
    assert_int_equal(bytes_read(&s, b, NULL, &p, &header), MYR_OK);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, &header), MYR_OK);
    unsigned char *written = scratch_load(s.path, &size);
    assert_int_equal(size, b->size);
    assert_memory_equal(written, b->data, size);
    free(written);
    free(b);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* A file of plain ids over one that had others: the old ids must not stay. */
static void test_ids_of_before(void **state)
{
    (void)state;
    static const int32_t types[] = {1};
    static const formats_field some[] = {{"position", 3, 0}, {"velocity", 3, 0}, {"mass", 1, 0}, {0, 0, 0}};
    scratch s;
    myr_particles *q = NULL;
    scratch_begin(&s);
    myr_particles *p = formats_make(&s, 4, types, 1, some, 32, 0);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(scratch_entries(&s), 2);
    const int64_t plain[4] = {0, 1, 2, 3};
    assert_int_equal(myr_particles_set_ids(p, plain), MYR_OK);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    formats_same(p, q, 1);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "b.tipsy"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(scratch_entries(&s), 3); /* nothing to keep beside this one */
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    scratch_end(&s);
}

/* All warnings, one after the other. */
static char said[4096];

static void collect(void *user, const char *text)
{
    scratch_warn(user, text);
    strncat(said, text, sizeof said - strlen(said) - 1);
}

/* What is lost is said by name. */
static void test_losses(void **state)
{
    (void)state;
    static const int32_t types[] = {3};
    static const formats_field some[] = {
        {"position", 3, 0}, {"velocity", 3, 0}, {"mass", 1, 0}, {"density", 1, 0}, {0, 0, 0}};
    scratch s;
    scratch_begin(&s);
    assert_int_equal(myr_context_set_warning(s.context, collect, &s), MYR_OK);
    myr_particles *p = formats_make(&s, 4, types, 1, some, 32, 0);
    myr_particles_component(p, "density", 0)[1] = 0;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 2);
    assert_non_null(strstr(s.warning, "the format tipsy has no 'density' for particles of type 3: 3 values are lost"));
    assert_non_null(strstr(said, "4 particles of other types (the first has type 3) are stored as dark"));
    for (int i = 0; i < 4; i++)
        myr_particles_component(p, "density", 0)[i] = 0;
    myr_particles_component(p, "position", 1)[2] = 0.1;
    s.warnings = 0;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 2);
    assert_non_null(strstr(said, "the format tipsy stores 'position' in 32 bits, and 1 of 12 change"));
    const myr_snapshot_header strict = {.strict = 1};
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "b.tipsy"), NULL, NULL, &strict), MYR_ERROR_FIELD);
    scratch_says(&s, "'position' in 32 bits, and 1 of 12 change");
    assert_false(scratch_exists(&s, "b.tipsy"));
    static const char *const asked[] = {"position", NULL};
    said[0] = 0;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, asked, NULL), MYR_OK);
    assert_non_null(strstr(said, "is written with zeros as 'velocity'"));
    assert_non_null(strstr(said, "is written with zeros as 'mass'"));
    myr_particles_component(p, "position", 1)[2] = 1e39;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.tipsy"), NULL, NULL, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "'position'");
    myr_particles_destroy(&p);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes), cmocka_unit_test(test_zeros),         cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ids),         cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_ids_of_before),
        cmocka_unit_test(test_losses),      cmocka_unit_test(test_written_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
