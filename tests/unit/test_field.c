/* Flows on meshes from HDF5 files in every layout that is read; what is refused; and starts of both methods from a
 * velocity or a vorticity. */
#include <hdf5.h>

#include "physics/models.h"
#include "unit/scratch.h"

enum { SIDE = 8, N = SIDE * SIDE * SIDE };

static myr_context *context;
static scratch files;

static int set_up(void **state)
{
    (void)state;
    context = new_context();
    scratch_begin(&files);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_end(&files);
    myr_context_destroy(&context);
    return 0;
}

/* --- files of others ---------------------------------------------------------------------------------------------- */

static hid_t new_file(const char *name)
{
    const hid_t file = H5Fcreate(scratch_path(&files, name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void put_array(hid_t at, const char *name, int rank, const hsize_t *size, hid_t type, const double *values)
{
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t table = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(table >= 0 && H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(table);
    H5Sclose(space);
}

static void put_numbers(hid_t at, const char *name, hsize_t n, hid_t type, const void *values)
{
    const hid_t space = H5Screate_simple(1, &n, NULL),
                attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text(hid_t at, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text));
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

/* Component c at point i of the flow that all files hold, in single precision too. */
static double value(int c, int i)
{
    return c * 1000 + i + 0.5;
}

static const hsize_t columns_after[4] = {SIDE, SIDE, SIDE, 3}, columns_before[4] = {3, SIDE, SIDE, SIDE};

static const double *laid_out(int before)
{
    static double all[3 * N];
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            all[before ? c * N + i : 3 * i + c] = value(c, i);
    return all;
}

/* Image data as VTK 9 writes it. */
static void put_image(hid_t file, const char *array, int64_t last)
{
    const int64_t extent[6] = {0, last, 0, last, 0, last}, version[2] = {1, 0};
    const double origin[3] = {-2, -1, 0.5}, spacing[3] = {0.25, 0.25, 0.25}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t data = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_text(group, "Type", "ImageData");
    put_numbers(group, "Version", 2, H5T_NATIVE_INT64, version);
    put_numbers(group, "WholeExtent", 6, H5T_NATIVE_INT64, extent);
    put_numbers(group, "Origin", 3, H5T_NATIVE_DOUBLE, origin);
    put_numbers(group, "Spacing", 3, H5T_NATIVE_DOUBLE, spacing);
    put_numbers(group, "Direction", 9, H5T_NATIVE_DOUBLE, axes);
    put_array(data, array, 4, columns_after, H5T_IEEE_F32LE, laid_out(0));
    H5Gclose(data);
    H5Gclose(group);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void expect_flow(myr_particles *p, const char *field, const double origin[3], double spacing)
{
    assert_int_equal(myr_particles_count(p), N);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            assert_true(myr_particles_component_const(p, field, c)[i] == value(c, i));
            expect_near("place", myr_particles_component_const(p, "position", c)[i], origin[c] + spacing * at[c],
                        1e-14);
        }
    myr_particles_destroy(&p);
}

static void test_layouts(void **state)
{
    (void)state;
    static const double cube[3] = {-PI, -PI, -PI}, image[3] = {-2, -1, 0.5}, asked[3] = {-4, -4, -4};
    myr_particles *p;
    const char *format;
    hid_t file = new_file("after.h5");
    put_array(file, "Velocity", 4, columns_after, H5T_IEEE_F64LE, laid_out(0));
    H5Fclose(file);
    file = new_file("before.h5");
    put_array(file, "omega", 4, columns_before, H5T_IEEE_F64BE, laid_out(1));
    H5Fclose(file);
    file = new_file("three.h5");
    for (int c = 0; c < 3; c++)
        put_array(file, (const char *const[]){"u", "v", "w"}[c], 3, columns_after, H5T_IEEE_F32LE, laid_out(1) + c * N);
    H5Fclose(file);
    file = new_file("image.vtkhdf");
    put_image(file, "vorticity", SIDE - 1);
    H5Fclose(file);
    static const struct {
        const char *name, *field;
    } kind[] = {
        {"after.h5", "velocity"}, {"before.h5", "vorticity"}, {"three.h5", "velocity"}, {"image.vtkhdf", "vorticity"}};
    for (int k = 0; k < 4; k++) { /* found out by their bytes */
        myr_snapshot_header header;
        const char *path = scratch_path(&files, kind[k].name);
        expect_ok(context, myr_snapshot_format_of(context, path, &format));
        assert_string_equal(format, "field");
        expect_ok(context, myr_snapshot_read(context, path, NULL, &p, &header));
        expect_flow(p, kind[k].field, k == 3 ? image : cube, k == 3 ? 0.25 : 2 * PI / SIDE);
    }
    expect_ok(context, myr_flow_read(context, scratch_path(&files, "three.h5"), NULL, "u v w", 8, &p)); /* by name */
    expect_flow(p, "vorticity", asked, 1);
    expect_ok(context,
              myr_flow_read(context, scratch_path(&files, "image.vtkhdf"), "VTKHDF/PointData/vorticity", NULL, 0, &p));
    expect_flow(p, "velocity", image, 0.25);
}

/* The view of a mesh in a snapshot of ours, which shows the tables of the particles. */
static void test_snapshot(void **state)
{
    (void)state;
    myr_particles *mesh = make_model(context, "abc_flow", N, 1, NULL), *again = NULL;
    const myr_snapshot_header header = {0};
    const char *path = scratch_path(&files, "snapshot.hdf5");
    expect_ok(context, myr_snapshot_write(mesh, path, NULL, NULL, &header));
    expect_ok(context, myr_flow_read(context, path, NULL, NULL, 0, &again));
    assert_int_equal(myr_particles_count(again), N);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < N; i++) {
            assert_true(result(again, "velocity", c)[i] == result(mesh, "velocity", c)[i]);
            expect_near("place", result(again, "position", c)[i], result(mesh, "position", c)[i], 1e-14);
        }
    myr_particles_destroy(&again);
    myr_particles_destroy(&mesh);
}

/* A table that shows another one of this name, in this file or in another. */
static void put_shown(hid_t at, const char *name, const char *path, const char *source)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(4, columns_after, NULL);
    assert_true(H5Pset_virtual(creation, space, path, source, space) >= 0);
    const hid_t table = H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(table >= 0);
    H5Dclose(table);
    H5Sclose(space);
    H5Pclose(creation);
}

static void test_shown(void **state)
{
    (void)state;
    myr_particles *p = NULL;
    hid_t file = new_file("other.h5");
    put_array(file, "there", 4, columns_after, H5T_IEEE_F64LE, laid_out(0));
    H5Fclose(file);
    static const char *const source[][3] = {{"own.h5", ".", "/here"},
                                            {"file.h5", "other.h5", "there"},
                                            {"link.h5", ".", "/away"},
                                            {"twice.h5", ".", "/second"}};
    for (int k = 0; k < 4; k++) {
        file = new_file(source[k][0]);
        put_array(file, "here", 4, columns_after, H5T_IEEE_F64LE, laid_out(0));
        assert_true(H5Lcreate_external("other.h5", "there", file, "away", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        put_shown(file, "second", ".", "/here");
        put_shown(file, "velocity", source[k][1], source[k][2]);
        H5Fclose(file);
        const char *path = scratch_path(&files, source[k][0]);
        if (k == 0) {
            static const double cube[3] = {-PI, -PI, -PI};
            expect_ok(context, myr_flow_read(context, path, "velocity", NULL, 0, &p));
            expect_flow(p, "velocity", cube, 2 * PI / SIDE);
            continue;
        }
        assert_int_not_equal(myr_flow_read(context, path, "velocity", NULL, 0, &p), MYR_OK);
        assert_non_null(strstr(myr_context_message(context), "has data in another file"));
    }
}

static void expect_refused(const char *name, const char *velocity, const char *words)
{
    myr_particles *p = NULL;
    assert_int_not_equal(myr_flow_read(context, scratch_path(&files, name), velocity, NULL, 0, &p), MYR_OK);
    assert_null(p);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
}

static void test_refusals(void **state)
{
    (void)state;
    static const hsize_t flat[4] = {SIDE, SIDE, SIDE / 2, 3}, four[4] = {SIDE, SIDE, SIDE, 4};
    hid_t file = new_file("flat.h5");
    put_array(file, "velocity", 4, flat, H5T_IEEE_F64LE, laid_out(0));
    put_array(file, "other", 3, columns_after, H5T_IEEE_F64LE, laid_out(0));
    H5Fclose(file);
    expect_refused("flat.h5", NULL, "expected [n][n][n][3] or [3][n][n][n]");
    expect_refused("flat.h5", "other", "expected [n][n][n][3] or [3][n][n][n]");
    expect_refused("flat.h5", "nothing", "has no array 'nothing'");
    expect_refused("flat.h5", "a b", "the name of one array with three components, or of three");
    expect_refused("flat.h5", "a b c d", "more than three arrays");
    expect_refused("flat.h5", "other other velocity", "expected [n][n][n] of numbers, as the first");
    file = new_file("four.h5");
    static double zeros[4 * N];
    put_array(file, "velocity", 4, four, H5T_IEEE_F64LE, zeros);
    H5Fclose(file);
    expect_refused("four.h5", NULL, "is not on a cubic mesh");
    file = new_file("odd.vtkhdf");
    put_image(file, "velocity", SIDE);
    H5Fclose(file);
    expect_refused("odd.vtkhdf", NULL, "no image of a cube");
    file = new_file("empty.h5");
    H5Fclose(file);
    expect_refused("empty.h5", NULL, "has no flow on a mesh");
    expect_refused("nowhere.h5", NULL, "nowhere.h5");
}

/* --- starts ------------------------------------------------------------------------------------------------------- */

/* Points with one field of a model's, backwards. */
static myr_particles *only(const myr_particles *from, const char *field)
{
    static const char *const name[2] = {"position", NULL};
    myr_particles *p = NULL;
    expect_ok(context, myr_particles_create(context, N, &p));
    for (int f = 0; f < 2; f++) {
        const char *which = f ? field : name[0];
        expect_ok(context, myr_particles_add_field(p, which, 3));
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < N; i++)
                myr_particles_component(p, which, c)[i] = myr_particles_component_const(from, which, c)[N - 1 - i];
    }
    return p;
}

/* Velocity and elements of a model come back from its velocity, and from its vorticity. */
static void test_starts(void **state)
{
    (void)state;
    static const char *const field[] = {"velocity", "vorticity"}, *const compared[] = {"position", "velocity",
                                                                                       "strength"};
    if (!myr_flow_available())
        skip();
    myr_particles *model = make_model(context, "isotropic_turbulence", N, 4, SETTINGS({"peak", 2, NULL}));
    expect_ok(context, myr_flow_derive(model));
    for (int k = 0; k < 2; k++) {
        myr_particles *points = only(model, field[k]), *started = NULL;
        double worst = 0;
        expect_ok(context, myr_flow_start(points, 1, &started));
        for (int f = 0; f < 3; f++)
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < N; i++)
                    keep_largest(&worst, fabs(myr_particles_component_const(started, compared[f], c)[i] -
                                              myr_particles_component_const(model, compared[f], c)[i]));
        expect_below(field[k], worst, k ? 2e-12 : 0); /* measured: 0, 4.4e-13 */
        expect_near("core", myr_particles_component_const(started, "core", 0)[3], 2 * PI / SIDE, 1e-14);
        myr_particles_destroy(&points);
        myr_particles_destroy(&started);
    }
    myr_particles *points = only(model, "strength"), *started = NULL;
    assert_int_equal(myr_flow_start(points, 1, &started), MYR_ERROR_FIELD);
    assert_int_equal(myr_flow_start(model, 0, &started), MYR_ERROR_VALUE);
    myr_particles_component(model, "position", 1)[7] += 0.1;
    assert_int_not_equal(myr_flow_start(model, 1, &started), MYR_OK);
    myr_particles_destroy(&points);
    myr_particles_destroy(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts), cmocka_unit_test(test_snapshot),
                                       cmocka_unit_test(test_shown), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_starts)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
