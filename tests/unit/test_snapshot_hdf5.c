/* test_snapshot_hdf5.c - HDF5 files in the layout of GADGET that others wrote, or damaged, or meant badly. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <pthread.h>

#include <myriad/snapshot.h>

enum { N = 4 }; /* particles per type */

/* A file under construction: Header with N particles of type 1. */
static hid_t begin(scratch *s, const int64_t *counts, int types)
{
    const hid_t file = H5Fcreate(scratch_path(s, "f.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t size = (hsize_t)types;
    if (types) {
        const hid_t space = H5Screate_simple(1, &size, NULL);
        const hid_t a = H5Acreate_by_name(file, "Header", "NumPart_ThisFile", H5T_STD_I64LE, space, H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(a, H5T_NATIVE_INT64, counts);
        H5Aclose(a);
        H5Sclose(space);
    }
    return file;
}

static const int64_t one_type[6] = {0, N, 0, 0, 0, 0}, two_types[6] = {0, N, N, 0, 0, 0};

static void put_number(hid_t file, const char *object, const char *name, double value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate_by_name(file, object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(a);
    H5Sclose(space);
}

static void put_text(hid_t file, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t a = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, type, text);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_group(hid_t file, const char *name)
{
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* A table whose value in row r, column c is 1 + r + 10 c. */
static void put_table(hid_t file, const char *name, hid_t type, hsize_t rows, hsize_t columns, hid_t creation)
{
    const hsize_t size[2] = {rows, columns};
    const hid_t space = H5Screate_simple(columns ? 2 : 1, size, NULL);
    const hid_t table = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(table >= 0);
    if (rows <= 1000) {
        const hsize_t all = columns ? columns : 1;
        double *values = malloc((size_t)(rows * all + 1) * sizeof *values);
        for (hsize_t r = 0; r < rows; r++)
            for (hsize_t c = 0; c < all; c++)
                values[r * all + c] = (double)(1 + r + 10 * c);
        if (H5Tget_class(type) != H5T_STRING)
            H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        free(values);
    }
    H5Dclose(table);
    H5Sclose(space);
}

/* A good type: positions and ids. */
static void put_type(hid_t file, int type, hid_t numbers, hid_t ids)
{
    char name[64];
    snprintf(name, sizeof name, "PartType%d", type);
    put_group(file, name);
    snprintf(name, sizeof name, "PartType%d/Coordinates", type);
    put_table(file, name, numbers, N, 3, H5P_DEFAULT);
    snprintf(name, sizeof name, "PartType%d/ParticleIDs", type);
    if (ids)
        put_table(file, name, ids, N, 0, H5P_DEFAULT);
}

static void expect_refusal(scratch *s, hid_t file, const char *says)
{
    myr_particles *p = NULL;
    assert_true(H5Fclose(file) >= 0);
    if (myr_snapshot_read(s->context, scratch_path(s, "f.hdf5"), NULL, &p, NULL) != MYR_ERROR_FORMAT)
        fail_msg("not refused (%s); expected: %s", myr_context_message(s->context), says);
    assert_null(p);
    scratch_says(s, s->path);
    scratch_says(s, says);
}

static myr_particles *expect_particles(scratch *s, hid_t file, myr_snapshot_header *header)
{
    myr_particles *p = NULL;
    assert_true(H5Fclose(file) >= 0);
    if (myr_snapshot_read(s->context, scratch_path(s, "f.hdf5"), NULL, &p, header) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    return p;
}

/* Big-endian floats, short ids, masses in the header, units in cgs, a compressed table: all in use. */
static void test_files_of_others(void **state)
{
    (void)state;
    scratch s;
    myr_snapshot_header header;
    scratch_begin(&s);
    hid_t f = begin(&s, two_types, 6);
    put_type(f, 1, H5T_IEEE_F32BE, H5T_STD_I32BE);
    put_type(f, 2, H5T_IEEE_F32BE, 0);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {2, 3}, chunk1 = 3;
    H5Pset_chunk(chunked, 2, chunk);
    H5Pset_deflate(chunked, 6);
    put_table(f, "PartType1/Velocities", H5T_IEEE_F64BE, N, 3, chunked);
    H5Pset_chunk(chunked, 1, &chunk1);
    put_table(f, "PartType1/GFM_InitialMass", H5T_IEEE_F32LE, N, 0, chunked);
    put_table(f, "PartType2/HaloID", H5T_STD_U64LE, N, 0, chunked);
    H5Pclose(chunked);
    /* ids 5 to 8 for the second type */
    const int64_t ids[N] = {5, 6, 7, -8};
    const hsize_t n = N, types = 6;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t d = H5Dcreate2(f, "PartType2/ParticleIDs", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids);
    H5Dclose(d);
    H5Sclose(space);
    const double masses[6] = {0, 0.5, 0.25, 0, 0, 0};
    space = H5Screate_simple(1, &types, NULL);
    hid_t a = H5Acreate_by_name(f, "Header", "MassTable", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_DOUBLE, masses);
    H5Aclose(a);
    H5Sclose(space);
    put_number(f, "Header", "Time", 0.75);
    put_number(f, "Header", "BoxSize", 100);
    put_number(f, "Header", "Redshift", 0.5);
    put_group(f, "Units");
    put_number(f, "Units", "UnitLength_in_cm", 200);
    put_number(f, "Units", "UnitMass_in_g", 3000);
    put_number(f, "Units", "UnitTime_in_s", 4);
    myr_particles *p = expect_particles(&s, f, &header);
    assert_true(header.time == 0.75 && header.box[0] == 100 && header.unit_length == 2 && header.unit_mass == 3 &&
                header.unit_time == 4);
    assert_int_equal(myr_particles_count(p), 2 * N);
    for (int i = 0; i < 2 * N; i++) {
        assert_int_equal(myr_particles_types(p)[i], i < N ? 1 : 2);
        assert_int_equal(myr_particles_ids(p)[i], i == 7 ? -8 : i + 1);
        assert_true(myr_particles_component(p, "mass", 0)[i] == (i < N ? 0.5 : 0.25));
        for (int c = 0; c < 3; c++) {
            assert_true(myr_particles_component(p, "position", c)[i] == 1 + i % N + 10 * c);
            assert_true(myr_particles_component(p, "velocity", c)[i] == (i < N ? 1 + i + 10 * c : 0));
        }
        assert_true(myr_particles_component(p, "gfm_initial_mass", 0)[i] == (i < N ? 1 + i : 0));
        assert_true(myr_particles_component(p, "halo_id", 0)[i] == (i < N ? 0 : 1 + i - N));
    }
    /* comoving, 64-bit integers, and three fields that one type lacks */
    assert_int_equal(s.warnings, 5);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static void test_headers(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    hid_t f = H5Fcreate(scratch_path(&s, "f.hdf5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    expect_refusal(&s, f, "not in the layout of GADGET: it has no group Header");
    expect_refusal(&s, begin(&s, NULL, 0), "Header has no NumPart_ThisFile");
    f = begin(&s, NULL, 0);
    put_text(f, "Header", "NumPart_ThisFile", "many");
    expect_refusal(&s, f, "NumPart_ThisFile of Header that is not made of integers");
    f = begin(&s, NULL, 0);
    put_number(f, "Header", "NumPart_ThisFile", 4);
    expect_refusal(&s, f, "NumPart_ThisFile of Header that is not made of integers");
    const int64_t many[17] = {0}, negative[2] = {1, -1}, much[3] = {INT64_MAX / 1025, INT64_MAX / 1025, 1};
    expect_refusal(&s, begin(&s, many, 17), "has 17 numbers in attribute NumPart_ThisFile");
    expect_refusal(&s, begin(&s, negative, 2), "says that it has -1 particles of type 1, which cannot be");
    expect_refusal(&s, begin(&s, much, 3), "particles of type 1, which cannot be");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    const hid_t space = H5Screate(H5S_SCALAR);
    const int64_t files = 8;
    const hid_t a = H5Acreate_by_name(f, "Header", "NumFilesPerSnapshot", H5T_STD_I32LE, space, H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_INT64, &files);
    H5Aclose(a);
    H5Sclose(space);
    expect_refusal(&s, f, "is one of 8 files of a snapshot");
    f = begin(&s, one_type, 6);
    put_text(f, "Header", "Time", "now");
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    expect_refusal(&s, f, "Time of Header that is not made of numbers");
    scratch_end(&s);
}

static void test_missing_parts(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    expect_refusal(&s, begin(&s, one_type, 6),
                   "says that it has 4 particles of type 1, but there is no group PartType1");
    hid_t f = begin(&s, one_type, 6);
    put_group(f, "PartType1");
    expect_refusal(&s, f, "but PartType1 has no tables of numbers");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_table(f, "PartType1/Velocities", H5T_IEEE_F64LE, N - 1, 3, H5P_DEFAULT);
    expect_refusal(&s, f, "4 particles of type 1, but PartType1/Velocities has 3 rows");
    f = begin(&s, one_type, 6);
    put_group(f, "PartType1");
    put_table(f, "PartType1/Coordinates", H5T_IEEE_F64LE, N, 2, H5P_DEFAULT);
    expect_refusal(&s, f, "PartType1/Coordinates that is not 3 numbers per particle");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_table(f, "PartType1/Masses", H5T_C_S1, N, 0, H5P_DEFAULT);
    expect_refusal(&s, f, "PartType1/Masses that is not 1 number per particle");
    f = begin(&s, two_types, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_type(f, 2, H5T_IEEE_F64LE, 0);
    expect_refusal(&s, f, "ParticleIDs for some types of particles and not for others");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_IEEE_F64LE);
    expect_refusal(&s, f, "ParticleIDs that is not one integer per particle");
    f = begin(&s, two_types, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_type(f, 2, H5T_IEEE_F64LE, H5T_STD_U64LE);
    expect_refusal(&s, f, "id 1 is given to more than one particle");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_table(f, "PartType1/InternalEnergy", H5T_IEEE_F64LE, N, 0, H5P_DEFAULT);
    put_table(f, "PartType1/internal_energy", H5T_IEEE_F64LE, N, 0, H5P_DEFAULT);
    expect_refusal(&s, f, "two tables for the field 'internal_energy' of type 1");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    put_table(f, "PartType1/OriginalIndex", H5T_STD_U64LE, N, 0, H5P_DEFAULT); /* 1 to 4 */
    expect_refusal(&s, f, "a place 4 in OriginalIndex that is out of range");
    scratch_end(&s);
}

/* What cannot be read and is not needed is left out aloud. */
static void test_left_out(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    hid_t f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, 0);
    put_text(f, "PartType1/Coordinates", "field", "mass"); /* a lie, not believed */
    put_table(f, "PartType1/Wide", H5T_IEEE_F64LE, N, 17, H5P_DEFAULT);
    put_group(f, "PartType1/Elements");
    myr_particles *p = expect_particles(&s, f, NULL);
    assert_int_equal(myr_particles_fields(p), 1);
    assert_non_null(myr_particles_component(p, "position", 2));
    assert_int_equal(myr_particles_ids(p)[3], 3);
    assert_int_equal(s.warnings, 3); /* no ids, Wide, Elements */
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* Counts that no file of this size can hold must not cost memory. */
static void test_huge_counts(void **state)
{
    (void)state;
    const int64_t much = (int64_t)1 << 46, counts[6] = {0, much, 0, 0, 0, 0};
    scratch s;
    scratch_begin(&s);
    hid_t f = begin(&s, counts, 6);
    put_group(f, "PartType1");
    put_table(f, "PartType1/Coordinates", H5T_IEEE_F64LE, (hsize_t)much, 3, H5P_DEFAULT);
    expect_refusal(&s, f, "has 70368744177664 rows of 24 bytes, but stores only 0 bytes");
    f = begin(&s, counts, 6);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {1024, 3};
    H5Pset_chunk(chunked, 2, chunk);
    H5Pset_deflate(chunked, 9);
    put_group(f, "PartType1");
    put_table(f, "PartType1/Coordinates", H5T_IEEE_F64LE, (hsize_t)much, 3, chunked);
    H5Pclose(chunked);
    expect_refusal(&s, f, "but stores only 0 bytes");
    f = begin(&s, counts, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    expect_refusal(&s, f, "says that it has 70368744177664 particles of type 1, but PartType1/Coordinates has 4 rows");
    const int64_t beyond[6] = {much, INT64_MAX, 0, 0, 0, 0}; /* their sum is no number */
    f = begin(&s, beyond, 6);
    expect_refusal(&s, f, "says that it has 9223372036854775807 particles of type 1, which cannot be");
    scratch_end(&s);
}

/* A snapshot must not make us read other files. */
static void test_data_elsewhere(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    hid_t f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    H5Lcreate_external("other.hdf5", "/x", f, "PartType1/Velocities", H5P_DEFAULT, H5P_DEFAULT);
    expect_refusal(&s, f, "has data in another file: PartType1/Velocities");
    f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    const hid_t elsewhere = H5Pcreate(H5P_DATASET_CREATE);
    char other[200];
    snprintf(other, sizeof other, "%s/raw", s.folder);
    H5Pset_external(elsewhere, other, 0, N * 3 * 8);
    put_table(f, "PartType1/Velocities", H5T_IEEE_F64LE, N, 3, elsewhere);
    H5Pclose(elsewhere);
    expect_refusal(&s, f, "has data in another file: PartType1/Velocities");
    scratch_end(&s);
}

/* Cut at many places: never particles, never a crash, and mostly the right reason. */
static void test_cut_short(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    int cut = 0, tried = 0;
    scratch_begin(&s);
    hid_t f = begin(&s, one_type, 6);
    put_type(f, 1, H5T_IEEE_F64LE, H5T_STD_U64LE);
    H5Fclose(f);
    unsigned char *bytes = scratch_load(scratch_path(&s, "f.hdf5"), &size);
    for (size_t n = 1; n < size; n += 61, tried++) {
        myr_particles *p = NULL;
        scratch_store(scratch_path(&s, "cut.hdf5"), bytes, n);
        assert_int_equal(myr_snapshot_read(s.context, s.path, "gadget_hdf5", &p, NULL), MYR_ERROR_FORMAT);
        assert_null(p);
        cut += strstr(myr_context_message(s.context), "cut short") != NULL;
    }
    assert_true(cut > tried * 9 / 10); /* all but those cut within the first 96 bytes */
    free(bytes);
    scratch_end(&s);
}

static void test_types_beyond(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p = NULL;
    const int32_t types[2] = {5, 6};
    scratch_begin(&s);
    assert_int_equal(myr_particles_create(s.context, 2, &p), MYR_OK);
    assert_int_equal(myr_particles_set_types(p, types), MYR_OK);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.hdf5"), NULL, NULL, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "cannot carry type 6 of particle 1 (id 1): it has types 0 to 5");
    assert_int_equal(scratch_entries(&s), 0);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* What a program that uses HDF5 itself may have set. */
static herr_t handler_of_the_program(hid_t stack, void *user)
{
    (void)stack, (void)user;
    return 0;
}

/* HDF5 prints on its own when something fails: not from inside our calls, and as before afterwards. */
static void test_silence(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    H5E_auto2_t original = NULL, after = NULL;
    void *data, *after_data = NULL;
    myr_particles *p = NULL;
    scratch_begin(&s);
    scratch_store(scratch_path(&s, "bad.hdf5"), "\x89HDF\r\n\x1a\n....................", 28);
    H5Eget_auto2(H5E_DEFAULT, &original, &data);
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)H5Eprint2, stderr);
    char log[200];
    snprintf(log, sizeof log, "%s/log", s.folder);
    fflush(stderr);
    const int standard = dup(2), captured = open(log, O_RDWR | O_CREAT | O_TRUNC, 0666);
    dup2(captured, 2);
    const myr_status status = myr_snapshot_read(s.context, s.path, NULL, &p, NULL);
    fflush(stderr);
    dup2(standard, 2);
    close(captured);
    close(standard);
    assert_int_equal(status, MYR_ERROR_FORMAT);
    scratch_says(&s, "is damaged, or no HDF5 file (HDF5: ");
    free(scratch_load(log, &size));
    assert_int_equal(size, 0);
    H5Eset_auto2(H5E_DEFAULT, handler_of_the_program, &s);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &p, NULL), MYR_ERROR_FORMAT);
    H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
    assert_true(after == handler_of_the_program && after_data == &s);
    H5Eset_auto2(H5E_DEFAULT, original, data);
    scratch_end(&s);
}

/* Two contexts, two threads. */
static void *write_and_read(void *user)
{
    scratch *s = user;
    for (int k = 0; k < 20; k++) {
        myr_particles *p = NULL, *q = NULL;
        if (myr_particles_create(s->context, 1000, &p) || myr_particles_add_field(p, "position", 3))
            return "no particles";
        myr_particles_component(p, "position", 1)[500] = k;
        if (myr_snapshot_write(p, s->path, NULL, NULL, NULL) || myr_snapshot_read(s->context, s->path, NULL, &q, NULL))
            return (void *)myr_context_message(s->context);
        if (myr_particles_component(q, "position", 1)[500] != k)
            return "other data";
        myr_particles_destroy(&p);
        myr_particles_destroy(&q);
    }
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    scratch s[2];
    pthread_t thread[2];
    void *problem = NULL;
    for (int k = 0; k < 2; k++) {
        scratch_begin(&s[k]);
        scratch_path(&s[k], "a.hdf5");
        assert_int_equal(pthread_create(&thread[k], NULL, write_and_read, &s[k]), 0);
    }
    for (int k = 0; k < 2; k++) {
        pthread_join(thread[k], &problem);
        if (problem)
            fail_msg("%s", (const char *)problem);
        scratch_end(&s[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_others), cmocka_unit_test(test_headers),
        cmocka_unit_test(test_missing_parts),   cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_huge_counts),     cmocka_unit_test(test_data_elsewhere),
        cmocka_unit_test(test_cut_short),       cmocka_unit_test(test_types_beyond),
        cmocka_unit_test(test_silence),         cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
