/* test_formats_nemo.c - NEMO snapshots: made byte by byte as NEMO's structured files are described, the round trip of
 * ours, and what is wrong with a file, in words. */
#include "unit/formats.h"

enum { N = 4 };

typedef struct {
    int big, wide, phase; /* order of bytes, doubles, PhaseSpace instead of Position and Velocity */
} variant;

static void put_item(bytes *b, int array, const char *type, const char *tag)
{
    bytes_u16(b, array ? 0x0b92 : 0x0992);
    bytes_text(b, type, 2);
    if (tag)
        bytes_text(b, tag, strlen(tag) + 1);
}

/* An array's dimensions end with 0. */
static void put_array(bytes *b, const char *type, const char *tag, uint32_t first, uint32_t second, uint32_t third)
{
    put_item(b, 1, type, tag);
    bytes_u32(b, first);
    if (second)
        bytes_u32(b, second);
    if (third)
        bytes_u32(b, third);
    bytes_u32(b, 0);
}

static double value(int field, int i, int c)
{
    return 100.0 * field + i + c / 4.0;
}

static void put_values(bytes *b, const variant *v, const char *tag, int field, uint32_t columns)
{
    put_array(b, v->wide ? "d" : "f", tag, N, columns > 1 ? columns : 0, 0);
    for (int i = 0; i < N; i++)
        for (uint32_t c = 0; c < columns; c++)
            bytes_real(b, v->wide, value(field, i, (int)c));
}

static void put_particles(bytes *b, const variant *v, int with_mass, double shift)
{
    put_item(b, 0, "(", "Particles");
    put_item(b, 0, "i", "CoordSystem");
    bytes_u32(b, 0x10302);
    if (with_mass)
        put_values(b, v, "Mass", 1, 1);
    if (v->phase) {
        put_array(b, v->wide ? "d" : "f", "PhaseSpace", N, 2, 3);
        for (int i = 0; i < N; i++)
            for (int c = 0; c < 6; c++)
                bytes_real(b, v->wide, value(c < 3 ? 2 : 3, i, c % 3) + shift);
    } else {
        put_values(b, v, "Position", 2, 3);
        put_values(b, v, "Velocity", 3, 3);
    }
    put_values(b, v, "Potential", 4, 1);
    put_values(b, v, "Acceleration", 5, 3);
    put_values(b, v, "Aux", 6, 1);
    put_values(b, v, "MyOwn", 7, 2);
    put_array(b, "i", "Key", N, 0, 0);
    for (int i = 0; i < N; i++)
        bytes_u32(b, (uint32_t)(10 - 7 * i));
    put_item(b, 0, ")", NULL);
}

static void put_snapshot(bytes *b, const variant *v, int with_mass, double time)
{
    put_item(b, 0, "(", "SnapShot");
    put_item(b, 0, "(", "Parameters");
    put_item(b, 0, "i", "Nobj");
    bytes_u32(b, N);
    put_item(b, 0, v->wide ? "d" : "f", "Time");
    bytes_real(b, v->wide, time);
    put_item(b, 0, ")", NULL);
    put_particles(b, v, with_mass, time - 2.5);
    put_item(b, 0, "(", "Diagnostics");
    put_array(b, "d", "Energy", 3, 0, 0);
    for (int k = 0; k < 3; k++)
        bytes_double(b, -0.25);
    put_item(b, 0, ")", NULL);
    put_item(b, 0, ")", NULL);
}

static void make_file(bytes *b, const variant *v)
{
    *b = (bytes){.big = v->big};
    put_array(b, "c", "History", 14, 0, 0);
    bytes_text(b, "mkplummer out", 14);
    put_snapshot(b, v, 1, 2.5);
}

static void check_field(const myr_particles *p, const char *name, int field, int components, double shift)
{
    for (int c = 0; c < components; c++) {
        const double *x = myr_particles_component_const(p, name, c);
        if (!x)
            fail_msg("there is no field '%s'", name);
        for (int i = 0; i < N; i++)
            if (x[i] != value(field, i, c) + shift)
                fail_msg("'%s' of particle %d is %g", name, i, x[i]);
    }
    assert_null(myr_particles_component_const(p, name, components));
}

static void check_particles(const myr_particles *p, double shift)
{
    assert_int_equal(myr_particles_count(p), N);
    assert_int_equal(myr_particles_fields(p), 7);
    check_field(p, "mass", 1, 1, 0);
    check_field(p, "position", 2, 3, shift);
    check_field(p, "velocity", 3, 3, shift);
    check_field(p, "potential", 4, 1, 0);
    check_field(p, "acceleration", 5, 3, 0);
    check_field(p, "Aux", 6, 1, 0);
    check_field(p, "MyOwn", 7, 2, 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(myr_particles_ids(p)[i], 10 - 7 * i);
        assert_int_equal(myr_particles_types(p)[i], 0);
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
            fail_msg("big %d, wide %d, phase %d: %s", v.big, v.wide, v.phase, myr_context_message(s.context));
        check_particles(p, 0);
        assert_true(header.time == 2.5 && header.frames == 1);
        myr_particles_destroy(&p);
    }
    assert_int_equal(s.warnings, 0);
    free(b);
    scratch_end(&s);
}

/* A run: several snapshots, masses only in the first, and some without particles. */
static void test_frames(void **state)
{
    (void)state;
    const variant v = {0, 1, 1};
    scratch s;
    bytes *b = malloc(sizeof *b);
    myr_particles *p = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    make_file(b, &v);
    put_snapshot(b, &v, 0, 3.5);
    put_item(b, 0, "(", "SnapShot"); /* diagnostics only */
    put_item(b, 0, ")", NULL);
    put_snapshot(b, &v, 0, 4.5);
    assert_int_equal(bytes_read(&s, b, NULL, &p, &header), MYR_OK);
    check_particles(p, 2);
    assert_true(header.time == 4.5 && header.frame == 2 && header.frames == 3);
    myr_particles_destroy(&p);
    for (int k = -3; k < 3; k++) {
        const int frame = k < 0 ? k + 3 : k;
        assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &p, &header), MYR_OK);
        check_particles(p, frame);
        assert_true(header.time == 2.5 + frame && header.frame == frame && header.frames == 3);
        myr_particles_destroy(&p);
    }
    assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, 3, &p, &header), MYR_ERROR_VALUE);
    scratch_says(&s, "has no frame 3");
    free(b);
    scratch_end(&s);
}

/* Where a text stands in the file. */
static size_t place(const bytes *b, const char *text)
{
    for (size_t k = 0; k + strlen(text) < b->size; k++)
        if (memcmp(b->data + k, text, strlen(text) + 1) == 0)
            return k;
    fail_msg("'%s' is not in the file", text);
    return 0;
}

static void test_refusals(void **state)
{
    (void)state;
    const variant v = {0, 1, 1};
    const size_t none[] = {0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    make_file(b, &v);
    bytes_cut(&s, b, "nemo", none);
    b->data[1] = 0x0c;
    bytes_refused(&s, b, "nemo", "at byte 0: an item of NEMO was expected");
    make_file(b, &v);
    b->data[place(b, "Mass") - 2] = 'x';
    bytes_refused(&s, b, NULL, "the type 0x7800 of an item is not known");
    make_file(b, &v);
    bytes_patch_u32(b, place(b, "Nobj") + 5, 0x7fffffff);
    bytes_refused(&s, b, NULL, "'Nobj' says that there are 2147483647 particles, but there is no array of so many");
    bytes_patch_u32(b, place(b, "Nobj") + 5, (uint32_t)-2);
    bytes_refused(&s, b, NULL, "'Nobj' cannot be -2");
    make_file(b, &v);
    bytes_patch_u32(b, place(b, "Potential") + 10, 0x7fffffff);
    bytes_refused(&s, b, NULL,
                  "the file is cut short: with its dimension 2147483647 'Potential' would take more bytes");
    make_file(b, &v);
    bytes_patch_u32(b, place(b, "Potential") + 10, (uint32_t)-1);
    bytes_refused(&s, b, NULL, "'Potential' has a dimension of -1");
    make_file(b, &v);
    b->data[place(b, "Nobj") + 2] = 'c';
    bytes_refused(&s, b, NULL, "there is no 'Nobj'");
    make_file(b, &v);
    bytes_patch_u32(b, place(b, "CoordSystem") + 12, 0x20302);
    bytes_refused(&s, b, NULL, "only Cartesian coordinates in 3 dimensions");
    make_file(b, &v);
    bytes_patch_real(b, place(b, "Time") + 5, 1, NAN);
    bytes_refused(&s, b, NULL, "'Time' is");
    make_file(b, &v);
    bytes_patch_real(b, place(b, "PhaseSpace") + 11 + 16 + 48 + 24, 1, NAN);
    bytes_refused(&s, b, NULL, "not finite in 'velocity'; the first is of particle 1 (id 3)");
    make_file(b, &v);
    bytes_patch_u32(b, place(b, "Key") + 4 + 8 + 4, 10);
    bytes_refused(&s, b, NULL, "id 10 is given to more than one particle");
    free(b);
    scratch_end(&s);
}

/* What cannot be right about the parts of a snapshot. */
static void test_shapes(void **state)
{
    (void)state;
    const variant v = {0, 1, 0};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    for (int k = 0; k < 6; k++) {
        static const char *const says[] = {"'Position' should have 3 numbers per particle, not 2",
                                           "'Eps' is for 3 particles, but 'Nobj' says that there are 4",
                                           "the set 'Particles' has two items 'Mass'",
                                           "more than 8 sets within each other",
                                           "a set ends here that did not begin",
                                           "there is no set 'SnapShot' with particles"};
        *b = (bytes){0};
        put_item(b, 0, "(", k == 5 ? "Snapshot" : "SnapShot");
        put_item(b, 0, "(", "Parameters");
        put_item(b, 0, "i", "Nobj");
        bytes_u32(b, N);
        put_item(b, 0, ")", NULL);
        put_item(b, 0, "(", "Particles");
        put_values(b, &v, "Mass", 1, 1);
        if (k == 0)
            put_values(b, &v, "Position", 2, 2);
        if (k == 1) {
            put_array(b, "d", "Eps", 3, 0, 0);
            b->size += 24;
        }
        if (k == 2)
            put_values(b, &v, "Mass", 1, 1);
        for (int d = 0; k == 3 && d < 8; d++)
            put_item(b, 0, "(", "Deep");
        put_item(b, 0, ")", NULL);
        put_item(b, 0, ")", NULL);
        if (k == 4)
            put_item(b, 0, ")", NULL);
        bytes_refused(&s, b, NULL, says[k]);
    }
    free(b);
    scratch_end(&s);
}

/* Items that are no fields are left out with a word. */
static void test_warnings(void **state)
{
    (void)state;
    const variant v = {0, 1, 1};
    scratch s;
    bytes *b = malloc(sizeof *b);
    scratch_begin(&s);
    *b = (bytes){0};
    put_item(b, 0, "(", "SnapShot");
    put_item(b, 0, "(", "Parameters");
    put_item(b, 0, "i", "Nobj");
    bytes_u32(b, N);
    put_item(b, 0, ")", NULL);
    put_item(b, 0, "(", "Particles");
    put_array(b, "s", "Flags", N, 0, 0);
    b->size += 2 * N;
    put_values(b, &v, "Mass", 1, 1);
    put_item(b, 0, ")", NULL);
    put_item(b, 0, ")", NULL);
    bytes_warned(&s, b, NULL, "'Flags' is left out");
    free(b);
    scratch_end(&s);
}

static const formats_field fields[] = {{"position", 3, 0},       {"velocity", 3, 0},     {"mass", 1, 0},
                                       {"density", 1, 0},        {"softening", 1, 0},    {"smoothing_length", 1, 0},
                                       {"potential", 1, 0},      {"acceleration", 3, 0}, {"jerk", 3, 0},
                                       {"my own, field", 16, 0}, {"strength", 3, 0},     {0, 0, 0}};

static const myr_snapshot_header full = {.time = 0.1,
                                         .unit_length = 3.0856775814913673e19,
                                         .unit_mass = 1.9884e30 / 3,
                                         .unit_time = 1e13 / 7,
                                         .unit_charge = 1.602176634e-19,
                                         .box = {12.3, 0, 45.6},
                                         .program = "a test"};

static void test_round_trip(void **state)
{
    (void)state;
    static const int32_t types[] = {0, 7, 1, 2147483647};
    static const int64_t sizes[] = {0, 1, 3, 1000, 20011};
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 5; k++)
        for (int some = 0; some < 2; some++) {
            /* without velocities there is no PhaseSpace */
            const formats_field *list = some ? fields : fields + 1;
            myr_snapshot_header back = {.time = -1};
            myr_particles *p = formats_make(&s, sizes[k], types, some ? 4 : 1, list, 64, 0), *q = NULL;
            if (myr_snapshot_write(p, scratch_path(&s, "a.nemo"), NULL, NULL, &full) != MYR_OK)
                fail_msg("%s", myr_context_message(s.context));
            assert_int_equal(scratch_entries(&s), 1);
            if (myr_snapshot_read(s.context, s.path, NULL, &q, &back) != MYR_OK)
                fail_msg("%s", myr_context_message(s.context));
            formats_same(p, q, 1);
            assert_true(back.time == full.time && back.unit_length == full.unit_length &&
                        back.unit_mass == full.unit_mass && back.unit_time == full.unit_time &&
                        back.unit_charge == full.unit_charge);
            assert_memory_equal(back.box, full.box, sizeof back.box);
            myr_particles_destroy(&p);
            myr_particles_destroy(&q);
        }
    if (s.warnings)
        fail_msg("%d warnings, the last: %s", s.warnings, s.warning);
    scratch_end(&s);
}

/* No reader of others is at hand, so the bytes are compared: ours are those that the description of the format asks
 * for.
 */
static void test_written_bytes(void **state)
{
    (void)state;
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    const variant v = {.big = first == 0, .wide = 1, .phase = 1};
    scratch s;
    bytes *b = malloc(sizeof *b);
    myr_particles *p = NULL;
    size_t size;
    scratch_begin(&s);
    *b = (bytes){.big = v.big};
    put_item(b, 0, "(", "SnapShot");
    put_item(b, 0, "(", "Parameters");
    put_item(b, 0, "i", "Nobj");
    bytes_u32(b, N);
    put_item(b, 0, "d", "Time");
    bytes_double(b, 2.5);
    put_item(b, 0, ")", NULL);
    put_particles(b, &v, 1, 0);
    put_item(b, 0, ")", NULL);
    const myr_snapshot_header header = {.time = 2.5};
    assert_int_equal(bytes_read(&s, b, NULL, &p, NULL), MYR_OK);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.nemo"), NULL, NULL, &header), MYR_OK);
    unsigned char *written = scratch_load(s.path, &size);
    assert_int_equal(size, b->size);
    assert_memory_equal(written, b->data, size);
    free(written);
    free(b);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* Keys of 64 bits come back, and NEMO's users are told. */
static void test_long_ids(void **state)
{
    (void)state;
    static const int32_t types[] = {0};
    scratch s;
    myr_particles *q = NULL;
    scratch_begin(&s);
    myr_particles *p = formats_make(&s, 10, types, 1, fields, 64, 1);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.nemo"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 1);
    assert_non_null(strstr(s.warning, "keys of 32 bits"));
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    formats_same(p, q, 1);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes), cmocka_unit_test(test_frames),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_warnings),      cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_long_ids),    cmocka_unit_test(test_written_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
