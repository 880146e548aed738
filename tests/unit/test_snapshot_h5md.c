/* test_snapshot_h5md.c - H5MD: every bit comes back, frame by frame; files that others wrote, or damaged, or meant
 * badly. */
#include "unit/snapshot_set.h"

#include <hdf5.h>

static void test_round_trip(void **state)
{
    (void)state;
    round_trip("h5md", "a.h5md", 1, INT32_MAX);
}

enum { FRAMES = 3 };

/* Several sets of particles as one file, in each format that can, and back. */
static void frames(const char *name, int same_particles)
{
    scratch s;
    myr_snapshot_header header[FRAMES] = {0}, back;
    myr_particles *p[FRAMES], *q = NULL;
    scratch_begin(&s);
    for (int k = 0; k < FRAMES; k++) {
        header[k] = full;
        header[k].time = 0.25 * k;
        header[k].box[1] = 1 + k;
        p[k] = make(&s, same_particles ? 100 : 10 * k, 5, 1);
    }
    if (myr_snapshot_write_frames(FRAMES, (const myr_particles *const *)p, scratch_path(&s, name), NULL, NULL,
                                  header) != MYR_OK)
        fail_msg("%s", myr_context_message(s.context));
    for (int k = -1; k < FRAMES; k++) {
        const int is = k < 0 ? FRAMES - 1 : k;
        assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &q, &back), MYR_OK);
        assert_same(p[is], q);
        assert_same_header(&header[is], &back);
        assert_int_equal(back.frame, is);
        assert_int_equal(back.frames, FRAMES);
        myr_particles_destroy(&q);
    }
    assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, FRAMES, &q, &back), MYR_ERROR_VALUE);
    scratch_says(&s, "has no frame 3: it has 3, counted from 0");
    assert_int_equal(s.warnings, 0);
    for (int k = 0; k < FRAMES; k++)
        myr_particles_destroy(&p[k]);
    scratch_end(&s);
}

static void test_frames(void **state)
{
    (void)state;
    frames("a.h5md", 1);
    frames("a.xyz", 1);
    frames("a.xyz", 0);
}

/* Boxes that begin at different places: what counts is where particles are in theirs, and it is told. */
static void test_frames_of_moving_box(void **state)
{
    (void)state;
    scratch s;
    myr_snapshot_header header[2] = {{.box = {8, 8, 8}, .origin = {-4, -4, -4}}}, back;
    scratch_begin(&s);
    myr_particles *p = make(&s, 5, 1, 0), *q = NULL;
    for (int64_t i = 0; i < 5; i++)
        myr_particles_component(p, "position", 0)[i] = 0.25 * (double)i;
    header[1] = header[0];
    header[1].box[0] = 10;
    header[1].origin[0] = -5;
    const myr_particles *const both[2] = {p, p};
    assert_int_equal(myr_snapshot_write_frames(2, both, scratch_path(&s, "a.h5md"), NULL, NULL, header), MYR_OK);
    assert_int_equal(s.warnings, 1);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &q, &back), MYR_OK);
        assert_true(back.box[0] == header[k].box[0] && back.origin[0] == -4);
        for (int64_t i = 0; i < 5; i++)
            for (int c = 0; c < 3; c++)
                assert_true(myr_particles_component_const(q, "position", c)[i] ==
                            myr_particles_component_const(p, "position", c)[i] + (k && c == 0));
        myr_particles_destroy(&q);
    }
    header[1].strict = 1;
    header[0].strict = 1;
    assert_true(myr_snapshot_write_frames(2, both, s.path, NULL, NULL, header) != MYR_OK);
    scratch_says(&s, "one origin of the box for all frames");
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static void test_frames_refused(void **state)
{
    (void)state;
    scratch s;
    const myr_snapshot_header nothing[2] = {0}, boxes[2] = {{.box = {1, 1, 1}}, {.box = {1, 0, 1}}};
    scratch_begin(&s);
    myr_particles *a = make(&s, 3, 1, 0), *b = make(&s, 4, 1, 0), *c = NULL;
    assert_int_equal(myr_particles_create(s.context, 3, &c), MYR_OK);
    const myr_particles *const more[2] = {a, b}, *const bare[2] = {a, c}, *const same[2] = {a, a};
    const char *path = scratch_path(&s, "a.h5md");
    assert_int_equal(myr_snapshot_write_frames(2, more, path, NULL, NULL, nothing), MYR_ERROR_VALUE);
    scratch_says(&s, "as many particles in all frames: frame 0 has 3, frame 1 has 4");
    assert_int_equal(myr_snapshot_write_frames(2, bare, path, NULL, NULL, nothing), MYR_ERROR_FIELD);
    scratch_says(&s, "frame 1 of");
    assert_int_equal(myr_snapshot_write_frames(2, same, path, NULL, NULL, boxes), MYR_ERROR_VALUE);
    scratch_says(&s, "y is periodic in one of the frames 0 and 1 only");
    assert_int_equal(myr_snapshot_write_frames(2, same, path, "csv", NULL, nothing), MYR_ERROR_VALUE);
    scratch_says(&s, "the format csv cannot carry more than one frame");
    assert_int_equal(myr_snapshot_write_frames(0, same, path, NULL, NULL, nothing), MYR_ERROR_ARGUMENT);
    assert_int_equal(scratch_entries(&s), 0);
    myr_particles_destroy(&a);
    myr_particles_destroy(&b);
    myr_particles_destroy(&c);
    scratch_end(&s);
}

/* --- files of others ---------------------------------------------------------------------------------------------- */

static void put_group(hid_t file, const char *name)
{
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* A table whose numbers are 1, 2, 3, ...; extents end with 0. A scalar where there are none. */
static void put_numbers(hid_t file, const char *name, hid_t type, const hsize_t *extents)
{
    int rank = 0;
    hsize_t all = 1;
    double values[1000];
    for (; extents[rank]; rank++)
        all *= extents[rank];
    for (hsize_t k = 0; k < 1000; k++)
        values[k] = (double)(k + 1);
    const hid_t space = rank ? H5Screate_simple(rank, extents, NULL) : H5Screate(H5S_SCALAR);
    const hid_t table = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(table >= 0);
    const signed char species[4] = {0, 1, 1, 0};
    if (H5Tget_class(type) == H5T_ENUM)
        H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, species);
    else if (all <= 1000)
        H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(table);
    H5Sclose(space);
}
#define EXTENTS(...) ((const hsize_t[]){__VA_ARGS__, 0})
#define SCALAR ((const hsize_t[]){0})

static void put_text(hid_t file, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t a = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, type, &text);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

/* Two frames of four particles. */
static hid_t begin(scratch *s, int positions)
{
    const hid_t file = H5Fcreate(scratch_path(s, "f.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_group(file, "h5md");
    put_group(file, "particles");
    put_group(file, "particles/atoms");
    if (positions) {
        put_group(file, "particles/atoms/position");
        put_numbers(file, "particles/atoms/position/value", H5T_IEEE_F32BE, EXTENTS(2, 4, 3));
        put_numbers(file, "particles/atoms/position/step", H5T_STD_I32LE, EXTENTS(2));
        put_numbers(file, "particles/atoms/position/time", H5T_IEEE_F64LE, EXTENTS(2));
    }
    return file;
}

static myr_particles *expect_particles(scratch *s, hid_t file, int64_t frame, myr_snapshot_header *header)
{
    myr_particles *p = NULL;
    assert_true(H5Fclose(file) >= 0);
    s->warnings = 0;
    if (myr_snapshot_read_frame(s->context, scratch_path(s, "f.h5"), NULL, frame, &p, header) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    return p;
}

static void expect_refusal(scratch *s, hid_t file, const char *says)
{
    myr_particles *p = NULL;
    assert_true(H5Fclose(file) >= 0);
    if (myr_snapshot_read(s->context, scratch_path(s, "f.h5"), NULL, &p, NULL) != MYR_ERROR_FORMAT)
        fail_msg("not refused (%s); expected: %s", myr_context_message(s->context), says);
    assert_null(p);
    scratch_says(s, s->path);
    scratch_says(s, says);
}

/* Big-endian floats, units by name, a fixed box with words of variable length, fixed intervals, species by name. */
static void test_of_others(void **state)
{
    (void)state;
    scratch s;
    myr_snapshot_header header;
    scratch_begin(&s);
    hid_t f = begin(&s, 1);
    put_text(f, "particles/atoms/position/value", "unit", "nm");
    put_text(f, "particles/atoms/position/time", "unit", "fs");
    put_group(f, "particles/atoms/box");
    put_numbers(f, "particles/atoms/box/edges", H5T_IEEE_F32LE, EXTENTS(3));
    const hid_t species = H5Tenum_create(H5T_STD_I8LE);
    const signed char hydrogen = 0, oxygen = 1;
    H5Tenum_insert(species, "H", &hydrogen);
    H5Tenum_insert(species, "O", &oxygen);
    put_numbers(f, "particles/atoms/species", species, EXTENTS(4));
    H5Tclose(species);
    put_numbers(f, "particles/atoms/mass", H5T_IEEE_F64LE, EXTENTS(4));
    put_group(f, "particles/atoms/image");
    put_numbers(f, "particles/atoms/image/value", H5T_STD_I32LE, EXTENTS(2, 4, 3));
    put_group(f, "particles/atoms/velocity"); /* every other frame only */
    put_numbers(f, "particles/atoms/velocity/value", H5T_IEEE_F64LE, EXTENTS(1, 4, 3));
    myr_particles *p = expect_particles(&s, f, 1, &header);
    assert_int_equal(s.warnings, 2); /* velocities, ids */
    assert_non_null(strstr(s.warning, "has no ids"));
    assert_true(myr_particles_component(p, "position", 2)[1] == 18 && myr_particles_component(p, "mass", 0)[3] == 4);
    assert_true(myr_particles_component(p, "image", 0)[0] == 13);
    assert_null(myr_particles_component(p, "velocity", 0));
    assert_int_equal(myr_particles_types(p)[0], 0);
    assert_int_equal(myr_particles_types(p)[1], 1);
    assert_true(header.box[0] == 1 && header.box[1] == 2 && header.box[2] == 3 && header.time == 2);
    assert_true(header.unit_length == 1e-9 && header.unit_time == 1e-15 && header.unit_mass == 0);
    myr_particles_destroy(&p);
    /* an interval instead of times */
    f = begin(&s, 0);
    put_group(f, "particles/atoms/position");
    put_numbers(f, "particles/atoms/position/value", H5T_IEEE_F64LE, EXTENTS(5, 2, 3));
    put_numbers(f, "particles/atoms/position/time", H5T_IEEE_F64LE, SCALAR);
    p = expect_particles(&s, f, 4, &header);
    assert_true(header.time == 4 && header.frames == 5);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* Positions of one particle in so many frames, of which the first alone is there. */
static void put_one_frame_of_many(hid_t file, const char *name, hsize_t frames)
{
    const hsize_t size[3] = {frames, 1, 3}, chunk[3] = {1, 1, 3}, start[3] = {0};
    const double zero[3] = {0};
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, NULL);
    const hid_t memory = H5Screate_simple(3, chunk, NULL);
    H5Pset_chunk(creation, 3, chunk);
    const hid_t table = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, chunk, NULL);
    assert_true(H5Dwrite(table, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, zero) >= 0);
    H5Dclose(table);
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(creation);
}

static void test_refusals(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    hid_t f = begin(&s, 0);
    expect_refusal(&s, f, "has no tables of numbers in particles/atoms");
    f = begin(&s, 1);
    put_numbers(f, "particles/atoms/mass", H5T_IEEE_F64LE, EXTENTS(5));
    expect_refusal(&s, f, "has 5 particles in particles/atoms/mass, but 4 in others");
    f = begin(&s, 0);
    put_group(f, "particles/atoms/position");
    put_numbers(f, "particles/atoms/position/value", H5T_IEEE_F64LE, EXTENTS(2, 4, 2));
    expect_refusal(&s, f, "has 2 numbers per particle in particles/atoms/position/value; 3 were expected");
    f = begin(&s, 0);
    put_group(f, "particles/atoms/position");
    put_numbers(f, "particles/atoms/position/value", H5T_IEEE_F64LE, EXTENTS(1, (hsize_t)1 << 40, 3));
    expect_refusal(&s, f, "has 1099511627776 rows of 24 bytes, but stores only 0 bytes");
    f = begin(&s, 0);
    put_group(f, "particles/atoms/position");
    put_numbers(f, "particles/atoms/position/value", H5T_IEEE_F64LE, EXTENTS((hsize_t)1 << 40, 2, 3));
    expect_refusal(&s, f, "but stores only 0 bytes");
    f = begin(&s, 0);
    put_group(f, "particles/atoms/position");
    put_one_frame_of_many(f, "particles/atoms/position/value", (hsize_t)1 << 40);
    expect_refusal(&s, f, "has 1099511627776 frames of 24 bytes, but stores only 24 bytes");
    f = begin(&s, 1);
    put_numbers(f, "particles/atoms/id", H5T_IEEE_F64LE, EXTENTS(4));
    expect_refusal(&s, f, "particles/atoms/id that is not one integer per particle");
    f = begin(&s, 1);
    put_numbers(f, "particles/atoms/_mass", H5T_IEEE_F64LE, EXTENTS(4));
    put_numbers(f, "particles/atoms/mass", H5T_IEEE_F64LE, EXTENTS(4));
    expect_refusal(&s, f, "has two elements for the field 'mass'");
    f = begin(&s, 1);
    put_group(f, "particles/atoms/box");
    put_numbers(f, "particles/atoms/box/edges", H5T_IEEE_F64LE, EXTENTS(2));
    expect_refusal(&s, f, "that are not 3 numbers or 3 x 3 per frame");
    f = H5Fcreate(scratch_path(&s, "f.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_group(f, "h5md");
    put_group(f, "particles");
    expect_refusal(&s, f, "has no group of particles");
    scratch_end(&s);
}

/* Ids twice, numbers that are none, a file that is cut: each has its own words. */
static void test_damage(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    scratch_begin(&s);
    hid_t f = begin(&s, 1);
    const int64_t ids[4] = {3, 4, 3, 5};
    const hsize_t n = 4;
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t table =
        H5Dcreate2(f, "particles/atoms/id", H5T_STD_I64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(table, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids);
    H5Dclose(table);
    H5Sclose(space);
    expect_refusal(&s, f, "id 3");
    myr_particles *p = make(&s, 50, 1, 0), *q = NULL;
    myr_particles_component(p, "velocity", 1)[7] = NAN;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.h5md"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, "1 value that is not finite in 'velocity'; the first is of particle 7");
    unsigned char *bytes = scratch_load(s.path, &size);
    scratch_store(s.path, bytes, size / 2);
    assert_int_equal(myr_snapshot_read(s.context, s.path, "h5md", &q, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, "is cut short");
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, "is cut short");
    free(bytes);
    assert_null(q);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_frames_of_moving_box),
        cmocka_unit_test(test_frames_refused),
        cmocka_unit_test(test_of_others),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
