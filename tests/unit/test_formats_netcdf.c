/* test_formats_netcdf.c - AMBER's NetCDF files: those that ncgen of the NetCDF library made, frames that come back,
 * restart files, damage, and files of others. */
#include "source_file.h"
#include "unit/formats.h"

static const formats_field fields[] = {{"position", 3, 0}, {"velocity", 3, 0}, {0, 0, 0}};
static const int32_t types[] = {0};

#define PS (1e-12 / 4.888821290839616e-14)

/* Both offsets of 4 and of 8 bytes; the numbers are those of the text from which ncgen made the files. */
static void test_files_of_the_library(void **state)
{
    (void)state;
    static const char *const files[] = {"ncgen_classic.nc", "ncgen_64bit.nc"};
    for (size_t k = 0; k < 2; k++) {
        scratch s;
        scratch_begin(&s);
        for (int64_t frame = 0; frame < 2; frame++) {
            char path[128];
            myr_particles *p = NULL;
            myr_snapshot_header header;
            snprintf(path, sizeof path, "tests/fuzz/corpus/netcdf/%s", files[k]);
            if (myr_snapshot_read_frame(s.context, source_file(path), NULL, frame, &p, &header) != MYR_OK)
                fail_msg("%s", myr_context_message(s.context));
            assert_true(header.frames == 2 && header.frame == frame && myr_particles_count(p) == 2);
            assert_true(fabs(header.time - (0.5 + (double)frame) * PS) < 1e-12 * PS);
            assert_true(header.box[0] == 20 && header.box[1] == 21 && header.box[2] == 22 + (double)frame);
            assert_true(header.unit_length == 1e-10);
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < 2; i++)
                    assert_true(myr_particles_component(p, "position", c)[i] == 1 + c + 3 * i + 0.5 * (double)frame);
            const double v = myr_particles_component(p, "velocity", frame ? 1 : 0)[frame ? 0 : 1];
            assert_true(fabs(v - (frame ? 2 : 1) * 20.455 / PS) < 1e-6); /* the factor is stored as a float */
            myr_particles_destroy(&p);
        }
        scratch_end(&s);
    }
}

static myr_particles *make(scratch *s, int64_t n, int bits)
{
    myr_particles *p = formats_make(s, n, types, 1, fields, bits, 0);
    int64_t *ids = calloc((size_t)n, sizeof *ids);
    for (int64_t i = 0; i < n; i++)
        ids[i] = i;
    myr_particles_set_ids(p, ids);
    free(ids);
    return p;
}

/* Velocities are divided by a factor that is no power of two, which costs the last bit. */
static void same(const myr_particles *p, const myr_particles *q, double error)
{
    static const char *const name[] = {"position", "velocity"};
    assert_true(myr_particles_count(p) == myr_particles_count(q));
    for (int f = 0; f < 2; f++)
        for (int c = 0; c < 3; c++)
            for (int64_t i = 0; i < myr_particles_count(p); i++) {
                const double x = myr_particles_component_const(p, name[f], c)[i];
                const double y = myr_particles_component_const(q, name[f], c)[i];
                if (!(fabs(x - y) <= error * fabs(x) + 1e-44))
                    fail_msg("%s %d of %lld: %.17g instead of %.17g", name[f], c, (long long)i, y, x);
            }
}

static void test_round_trip(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 400; n += 133)
        for (int box = 0; box < 2; box++) {
            scratch s;
            myr_particles *p[3], *q = NULL;
            myr_snapshot_header header[3], back;
            scratch_begin(&s);
            for (int k = 0; k < 3; k++) {
                p[k] = make(&s, n, 32);
                header[k] = (myr_snapshot_header){.time = 0.25 * k, .box = {box * 1.5, box * 2, box * (3. + k)}};
            }
            const myr_particles *const *frames = (const myr_particles *const *)p;
            assert_int_equal(myr_snapshot_write_frames(3, frames, scratch_path(&s, "a.nc"), NULL, NULL, header),
                             MYR_OK);
            for (int k = 0; k < 3; k++) {
                assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &q, &back), MYR_OK);
                same(p[k], q, 1e-7);
                assert_true(fabs(back.time - header[k].time) < 1e-6);
                assert_memory_equal(back.box, header[k].box, sizeof back.box);
                myr_particles_destroy(&q);
            }
            assert_int_equal(myr_snapshot_write(p[0], scratch_path(&s, "a.ncrst"), NULL, NULL, &header[1]), MYR_OK);
            assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, &back), MYR_OK);
            same(p[0], q, 1e-15);
            assert_true(back.frames == 1 && fabs(back.time - 0.25) < 1e-15);
            myr_particles_destroy(&q);
            for (int k = 0; k < 3; k++)
                myr_particles_destroy(&p[k]);
            scratch_end(&s);
        }
}

/* A file that is cut anywhere is an error, or has whole frames and a warning. */
static void test_cut_short(void **state)
{
    (void)state;
    size_t size;
    unsigned char *whole = scratch_load(source_file("tests/fuzz/corpus/netcdf/ncgen_64bit.nc"), &size);
    for (size_t length = 0; length < size; length += 1 + length / 40) {
        scratch s;
        myr_particles *p = NULL;
        myr_snapshot_header header;
        scratch_begin(&s);
        scratch_store(scratch_path(&s, "cut.nc"), whole, length);
        const myr_status status = myr_snapshot_read(s.context, s.path, "netcdf", &p, &header);
        if (status == MYR_OK)
            assert_true(header.frames == 1 && s.warnings > 0);
        else
            assert_non_null(strstr(myr_context_message(s.context), "cut.nc"));
        myr_particles_destroy(&p);
        scratch_end(&s);
    }
    free(whole);
}

/* Replaces a name in the file by another of the same length. */
static void expect_foreign(const char *name, const char *other, const char *words)
{
    size_t size;
    scratch s;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    unsigned char *file = scratch_load(source_file("tests/fuzz/corpus/netcdf/ncgen_classic.nc"), &size);
    size_t at = 0;
    while (at + strlen(name) < size && memcmp(file + at, name, strlen(name)) != 0)
        at++;
    assert_true(at + strlen(name) < size);
    memcpy(file + at, other, strlen(name));
    scratch_begin(&s);
    scratch_store(scratch_path(&s, "foreign.nc"), file, size);
    assert_int_not_equal(myr_snapshot_read(s.context, s.path, NULL, &p, &header), MYR_OK);
    if (!strstr(myr_context_message(s.context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(s.context), words);
    scratch_end(&s);
    free(file);
}

static void test_foreign(void **state)
{
    (void)state;
    expect_foreign("coordinates", "temperature", "no positions as AMBER writes them");
    expect_foreign("CDF\001", "CDF\005", "CDF-1 and CDF-2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_the_library),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
