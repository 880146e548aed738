/* test_formats_gadget2.c - binary snapshots of GADGET-2: files made byte by byte as the users' guide describes them,
 * the round trip of ours, and what is wrong with a file, in words. */
#include "unit/formats.h"

enum { N = 5 };
static const uint32_t counts[6] = {2, 2, 0, 0, 1, 0};
static const double table[6] = {0, 0.5, 0, 0, 0, 0}; /* the halo particles share a mass */
static const int32_t expected_type[N] = {0, 0, 1, 1, 4};
static const uint32_t expected_id[N] = {11, 7, 3, 4000000000u, 5};

typedef struct {
    int form, big, wide, long_ids; /* SnapFormat, order of bytes, doubles, ids of 64 bits */
    int entropy;                   /* with a block that is left out */
} variant;

/* A block opens with its name (SnapFormat 2) and its length; gives where the length stands. */
static size_t open_block(bytes *b, const variant *v, const char *name)
{
    if (v->form == 2) {
        bytes_u32(b, 8);
        bytes_text(b, name, 4);
        bytes_u32(b, 0); /* set when the block is closed */
        bytes_u32(b, 8);
    }
    bytes_u32(b, 0);
    return b->size - 4;
}

static void close_block(bytes *b, const variant *v, size_t at)
{
    const uint32_t length = (uint32_t)(b->size - at - 4);
    bytes_patch_u32(b, at, length);
    if (v->form == 2)
        bytes_patch_u32(b, at - 8, length + 8);
    bytes_u32(b, length);
}

static void put_header(bytes *b, const variant *v)
{
    const size_t at = open_block(b, v, "HEAD");
    for (int t = 0; t < 6; t++)
        bytes_u32(b, counts[t]);
    for (int t = 0; t < 6; t++)
        bytes_double(b, table[t]);
    bytes_double(b, 2.5); /* time */
    bytes_double(b, 0);   /* redshift */
    bytes_u32(b, 0);      /* star formation */
    bytes_u32(b, 0);      /* feedback */
    for (int t = 0; t < 6; t++)
        bytes_u32(b, counts[t]); /* in all files */
    bytes_u32(b, 0);             /* cooling */
    bytes_u32(b, 1);             /* files */
    bytes_double(b, 100);        /* box */
    bytes_double(b, 0);          /* Omega_0 */
    bytes_double(b, 0);          /* Omega_Lambda */
    bytes_double(b, 1);          /* h */
    while (b->size < at + 4 + 256)
        bytes_text(b, "", 1);
    close_block(b, v, at);
}

/* Values that a float can hold: 100 * field + particle + component / 4. */
static double value(int field, int i, int c)
{
    return 100.0 * field + i + c / 4.0;
}

static void put_block(bytes *b, const variant *v, const char *name, int field, int first, int count, int components)
{
    const size_t at = open_block(b, v, name);
    for (int i = first; i < first + count; i++)
        for (int c = 0; c < components; c++)
            bytes_real(b, v->wide, value(field, i, c));
    close_block(b, v, at);
}

/* Where things stand in a file with SnapFormat 1, floats and short ids: for those who damage it. */
enum {
    AT_POS = 264,
    AT_VEL = AT_POS + 8 + 60,
    AT_ID = AT_VEL + 8 + 60,
    AT_MASS = AT_ID + 8 + 20,
    AT_U = AT_MASS + 8 + 12
};

static void make_file(bytes *b, const variant *v)
{
    *b = (bytes){.big = v->big};
    put_header(b, v);
    put_block(b, v, "POS ", 1, 0, N, 3);
    put_block(b, v, "VEL ", 2, 0, N, 3);
    size_t at = open_block(b, v, "ID  ");
    for (int i = 0; i < N; i++)
        bytes_put(b, expected_id[i], v->long_ids ? 8 : 4);
    close_block(b, v, at);
    at = open_block(b, v, "MASS"); /* of the types whose mass is not in the header: 0, 1 and 4 */
    for (int i = 0; i < N; i++)
        if (i != 2 && i != 3)
            bytes_real(b, v->wide, value(3, i, 0));
    close_block(b, v, at);
    put_block(b, v, "U   ", 4, 0, 2, 1);
    put_block(b, v, "RHO ", 5, 0, 2, 1);
    put_block(b, v, "HSML", 6, 0, 2, 1);
    put_block(b, v, "POT ", 7, 0, N, 1);
    put_block(b, v, "ACCE", 8, 0, N, 3);
    if (v->entropy)
        put_block(b, v, "ENDT", 9, 0, 2, 1);
    put_block(b, v, "TSTP", 10, 0, N, 1);
}

static void check_field(const myr_particles *p, const char *name, int field, int gas, int components)
{
    for (int c = 0; c < components; c++) {
        const double *x = myr_particles_component_const(p, name, c);
        if (!x)
            fail_msg("there is no field '%s'", name);
        for (int i = 0; i < N; i++)
            if (x[i] != (gas && i > 1 ? 0 : value(field, i, c)))
                fail_msg("'%s' of particle %d is %g", name, i, x[i]);
    }
}

static void check_particles(const myr_particles *p)
{
    assert_int_equal(myr_particles_count(p), N);
    assert_int_equal(myr_particles_fields(p), 9);
    for (int i = 0; i < N; i++) {
        assert_int_equal(myr_particles_types(p)[i], expected_type[i]);
        assert_int_equal(myr_particles_ids(p)[i], expected_id[i]);
        assert_true(myr_particles_component_const(p, "mass", 0)[i] == (i == 2 || i == 3 ? 0.5 : value(3, i, 0)));
    }
    check_field(p, "position", 1, 0, 3);
    check_field(p, "velocity", 2, 0, 3);
    check_field(p, "internal_energy", 4, 1, 1);
    check_field(p, "density", 5, 1, 1);
    check_field(p, "smoothing_length", 6, 1, 1);
    check_field(p, "potential", 7, 0, 1);
    check_field(p, "acceleration", 8, 0, 3);
    check_field(p, "time_step", 10, 0, 1);
}

/* All forms of a file of others. */
static void test_known_bytes(void **state)
{
    (void)state;
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    for (int k = 0; k < 16; k++) {
        const variant v = {1 + (k & 1), k >> 1 & 1, k >> 2 & 1, k >> 3 & 1, 0};
        myr_particles *p = NULL;
        myr_snapshot_header header = {.time = -1};
        make_file(b, &v);
        if (bytes_read(&s, b, NULL, &p, &header) != MYR_OK)
            fail_msg("SnapFormat %d, big %d, wide %d, long %d: %s", v.form, v.big, v.wide, v.long_ids,
                     myr_context_message(s.context));
        check_particles(p);
        assert_true(header.time == 2.5 && header.box[0] == 100 && header.box[1] == 100 && header.box[2] == 100);
        assert_true(header.unit_length == 0);
        myr_particles_destroy(&p);
    }
    assert_int_equal(s.warnings, 0);
    free(b);
    scratch_end(&s);
}

/* An initial condition has no more than it must. */
static void test_few_blocks(void **state)
{
    (void)state;
    const variant v = {1, 0, 0, 0, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    myr_particles *p = NULL;
    scratch_begin(&s);
    make_file(b, &v);
    b->size = AT_U + 16; /* with U, and without what is behind it */
    assert_int_equal(bytes_read(&s, b, NULL, &p, NULL), MYR_OK);
    assert_int_equal(myr_particles_fields(p), 4);
    check_field(p, "internal_energy", 4, 1, 1);
    myr_particles_destroy(&p);
    assert_int_equal(s.warnings, 0);
    free(b);
    scratch_end(&s);
}

static void test_cut(void **state)
{
    (void)state;
    const size_t u = AT_U, whole[] = {u, u + 16, u + 32, u + 48, u + 76, u + 144, 0};
    const variant v = {1, 0, 0, 0, 0}, other = {2, 1, 1, 1, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    make_file(b, &v);
    bytes_cut(&s, b, "gadget2", whole);
    make_file(b, &other);
    b->size = 24 + 264 + 3 * (24 + 120) + 100; /* within velocities and ids */
    bytes_refused(&s, b, NULL, "cut short");
    free(b);
    scratch_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    const variant v = {1, 0, 0, 0, 0}, named = {2, 0, 0, 0, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    make_file(b, &v);
    bytes_patch_u32(b, 0, 255);
    bytes_refused(&s, b, "gadget2", "at byte 0: this is no snapshot of GADGET-2");
    make_file(b, &v);
    bytes_patch_u32(b, AT_VEL + 64, 61);
    bytes_refused(&s, b, NULL, "the lengths around block '2' disagree: 60 before it, 61 behind it at byte 396");
    make_file(b, &v);
    bytes_patch_u32(b, AT_VEL, 0xfffffff0u);
    bytes_refused(&s, b, NULL,
                  "at byte 332: the file is cut short: block '2' with its two lengths should take 4294967288 bytes");
    make_file(b, &v);
    bytes_patch_u32(b, 8, 0x7fffffff); /* very many halo particles */
    bytes_refused(&s, b, NULL, "at byte 268: block 'POS ' was expected: 6442450950 numbers");
    make_file(b, &v);
    bytes_patch_u32(b, 4 + 124, 8);
    bytes_refused(&s, b, NULL, "at byte 128: this is one of 8 files of a snapshot");
    make_file(b, &v);
    bytes_patch_real(b, 4 + 32, 1, -1);
    bytes_refused(&s, b, NULL, "at byte 36: the header gives the particles of type 1 the mass -1");
    make_file(b, &v);
    bytes_patch_real(b, 4 + 72, 1, NAN);
    bytes_refused(&s, b, NULL, "time");
    make_file(b, &v);
    bytes_patch_real(b, AT_POS + 4 + 4 * 4, 0, NAN);
    bytes_refused(&s, b, NULL, "1 value that is not finite in 'position'; the first is of particle 1 (id 7)");
    make_file(b, &v);
    bytes_patch_u32(b, AT_ID + 4, 3);
    bytes_refused(&s, b, NULL, "id 3 is given to more than one particle");
    make_file(b, &v);
    b->size = 264;
    bytes_refused(&s, b, NULL, "the header says that there are 5 particles, but there is no block 'POS '");
    make_file(b, &named);
    bytes_patch_u32(b, 24 + 256 + 8, 0x20534f50); /* the header's own name */
    memcpy(b->data + 4, "HAED", 4);
    bytes_refused(&s, b, "gadget2", "the header HEAD of 256 bytes was expected, not 'HAED'");
    make_file(b, &named);
    memcpy(b->data + 24 + 256 + 4 + 4 + (16 + 68) - 4, "POS ", 4);
    bytes_refused(&s, b, NULL, "there is a second block 'POS '");
    free(b);
    scratch_end(&s);
}

/* What is not taken over is said. */
static void test_warnings(void **state)
{
    (void)state;
    const variant v = {1, 0, 0, 0, 0}, named = {2, 0, 0, 0, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    make_file(b, &named);
    put_block(b, &named, "MAGN", 1, 0, N, 3);
    bytes_warned(&s, b, NULL, "the block 'MAGN' of 60 bytes is left out: its name is not known");
    make_file(b, &named);
    put_block(b, &named, "AGE ", 1, 0, 1, 1);
    bytes_warned(&s, b, NULL, "the block 'AGE ' of 4 bytes is left out");
    make_file(b, &v);
    put_block(b, &v, "", 1, 0, 1, 1);
    bytes_warned(&s, b, NULL, "the block '' of 4 bytes is left out: it is none that is known");
    for (int form = 1; form <= 2; form++) {
        const variant more = {.form = form, .entropy = 1};
        make_file(b, &more);
        bytes_warned(&s, b, NULL, "the block 'ENDT' of 8 bytes is left out: there is no field for it");
    }
    make_file(b, &v);
    bytes_patch_real(b, 4 + 80, 1, 1.5);
    bytes_warned(&s, b, NULL, "redshift 1.5");
    free(b);
    scratch_end(&s);
}

/* The first three only with names. */
static const formats_field fields[] = {{"potential", 1, 0},        {"acceleration", 3, 0},
                                       {"time_step", 1, 0},        {"position", 3, 0},
                                       {"velocity", 3, 0},         {"mass", 1, 0},
                                       {"density", 1, 1},          {"internal_energy", 1, 1},
                                       {"smoothing_length", 1, 1}, {0, 0, 0}};

static void round_trip(scratch *s, const char *format, int64_t n, int kinds, int bits, int long_ids)
{
    static const int32_t types[] = {0, 5, 1, 3, 4, 2};
    const myr_snapshot_header header = {.time = 0.1, .box = {12.3, 12.3, 12.3}};
    myr_snapshot_header back = {.time = -1};
    const formats_field *list = bits == 64 ? fields : fields + 3;
    myr_particles *p = formats_make(s, n, types, kinds, list, bits, long_ids), *q = NULL;
    if (myr_snapshot_write(p, scratch_path(s, "a"), format, NULL, &header) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    if (myr_snapshot_read(s->context, s->path, NULL, &q, &back) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    formats_same(p, q, bits == 64 || kinds == 1);
    assert_true(back.time == 0.1 && back.box[0] == 12.3 && back.box[2] == 12.3);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
}

static void test_round_trip(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 4; k++) {
        round_trip(&s, "gadget2", k == 0 ? 1 : 500 * k, k < 2 ? 1 : 6, 64, k % 2);
        round_trip(&s, "gadget2_float", k == 0 ? 1 : 500 * k, k < 2 ? 1 : 6, 32, k % 2);
    }
    round_trip(&s, "gadget2", 40000, 6, 64, 0); /* more than one piece of the buffer */
    if (s.warnings)
        fail_msg("%d warnings, the last: %s", s.warnings, s.warning);
    scratch_end(&s);
}

/* Blocks without names cannot be missing. */
static void test_filled(void **state)
{
    (void)state;
    const int32_t types[] = {0};
    static const formats_field some[] = {{"density", 1, 0}, {"position", 3, 0}, {"velocity", 3, 0}, {0, 0, 0}};
    scratch s;
    myr_particles *q = NULL;
    scratch_begin(&s);
    myr_particles *p = formats_make(&s, 10, types, 1, some, 32, 0);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.g2"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 2); /* mass and energy */
    assert_non_null(strstr(s.warning, "with zeros as 'internal_energy': the format gadget2_float"));
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    assert_int_equal(myr_particles_fields(q), 5);
    assert_memory_equal(myr_particles_component(p, "density", 0), myr_particles_component(q, "density", 0), 80);
    myr_particles_destroy(&q);
    static const char *const asked[] = {"position", NULL}; /* the velocities that there are were not asked for */
    assert_int_equal(myr_snapshot_write(p, s.path, NULL, asked, NULL), MYR_OK);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    assert_int_equal(myr_particles_fields(q), 3);
    for (int i = 0; i < 10; i++)
        assert_true(myr_particles_component(q, "velocity", 1)[i] == 0);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes), cmocka_unit_test(test_few_blocks), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_warnings),   cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
