/* test_formats_dcd.c - DCD: the bytes are those of the format, floats come back, frames, files of others, damage. */
#include "unit/formats.h"

static const formats_field position[] = {{"position", 3, 0}, {0, 0, 0}};
static const int32_t types[] = {0};

/* A head as CHARMM writes it, with the numbers that matter. */
static void put_head(bytes *b, uint32_t frames, uint32_t fixed, uint32_t cell, uint32_t version, uint32_t atoms)
{
    bytes_u32(b, 84);
    bytes_text(b, "CORD", 4);
    for (int k = 0; k < 20; k++)
        if (k == 9 && version)
            bytes_float(b, 0.5);
        else if (k == 9)
            bytes_double(b, 0.25);
        else if (k != 10 || version)
            bytes_u32(b, k == 0    ? frames
                         : k == 1  ? 4
                         : k == 2  ? 2
                         : k == 8  ? fixed
                         : k == 10 ? cell
                         : k == 19 ? version
                                   : 0);
    bytes_u32(b, 84);
    bytes_u32(b, 164);
    bytes_u32(b, 2);
    for (int k = 0; k < 160; k++)
        bytes_text(b, "t", 1);
    bytes_u32(b, 164);
    bytes_u32(b, 4);
    bytes_u32(b, atoms);
    bytes_u32(b, 4);
}

static void put_frame(bytes *b, int cell, double angle, int atoms, double first)
{
    if (cell) {
        bytes_u32(b, 48);
        for (int k = 0; k < 6; k++)
            bytes_double(b, k == 0 ? 10 : k == 2 ? 20 : k == 5 ? 30 : angle);
        bytes_u32(b, 48);
    }
    for (int c = 0; c < 3; c++) {
        bytes_u32(b, (uint32_t)(4 * atoms));
        for (int i = 0; i < atoms; i++)
            bytes_float(b, first + 10 * c + i);
        bytes_u32(b, (uint32_t)(4 * atoms));
    }
}

/* Files of CHARMM (angles in degrees), NAMD (cosines) and X-PLOR (no cell, the time step a double), either order. */
static void test_known_bytes(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 6; k++) {
        bytes *b = calloc(1, sizeof *b);
        myr_particles *p = NULL;
        myr_snapshot_header header;
        const int xplor = k / 2 == 2;
        b->big = k % 2;
        put_head(b, 2, 0, 1, xplor ? 0 : 24, 3);
        put_frame(b, !xplor, k / 2 == 0 ? 90 : 0, 3, 0.5);
        put_frame(b, !xplor, k / 2 == 0 ? 90 : 0, 3, 1.5);
        if (bytes_read(&s, b, NULL, &p, &header) != MYR_OK)
            fail_msg("%s", myr_context_message(s.context));
        assert_int_equal(s.warnings, 0);
        assert_true(header.frames == 2 && header.frame == 1 && myr_particles_count(p) == 3);
        assert_true(header.time == (4 + 2) * (xplor ? 0.25 : 0.5));
        assert_true(header.box[0] == (xplor ? 0 : 10) && header.box[1] == (xplor ? 0 : 20));
        assert_true(myr_particles_component(p, "position", 2)[1] == 22.5);
        myr_particles_destroy(&p);
        free(b);
    }
    scratch_end(&s);
}

static void test_round_trip(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p[3];
    myr_snapshot_header header[3];
    scratch_begin(&s);
    for (int64_t n = 1; n < 5000; n += 1666) {
        for (int k = 0; k < 3; k++) {
            p[k] = formats_make(&s, n, types, 1, position, 32, 0);
            int64_t *ids = calloc((size_t)n, sizeof *ids);
            for (int64_t i = 0; i < n; i++)
                ids[i] = i;
            myr_particles_set_ids(p[k], ids);
            free(ids);
            header[k] = (myr_snapshot_header){.box = {1.0 / 3, k, 3}};
        }
        assert_int_equal(myr_snapshot_write_frames(3, (const myr_particles *const *)p, scratch_path(&s, "a.dcd"), NULL,
                                                   NULL, header),
                         MYR_OK);
        for (int k = 0; k < 3; k++) {
            myr_particles *q = NULL;
            myr_snapshot_header back;
            assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &q, &back), MYR_OK);
            formats_same(p[k], q, 1);
            assert_memory_equal(back.box, header[k].box, sizeof back.box);
            myr_particles_destroy(&q);
        }
        for (int k = 0; k < 3; k++)
            myr_particles_destroy(&p[k]);
    }
    assert_int_equal(s.warnings, 0);
    scratch_end(&s);
}

/* One line is one atom in all frames, in whatever order the particles are. */
static void test_order(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p = NULL, *q = NULL;
    scratch_begin(&s);
    assert_int_equal(myr_particles_create(s.context, 3, &p), MYR_OK);
    myr_particles_set(p, "position", 3, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    myr_particles_set_ids(p, (const int64_t[]){8, 2, 5});
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.dcd"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 1);
    assert_non_null(strstr(s.warning, "without the ids"));
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    const double *x = myr_particles_component(q, "position", 0);
    assert_true(x[0] == 4 && x[1] == 7 && x[2] == 1);
    myr_particles_destroy(&q);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* What all frames lose is told once. */
static void test_notes(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p[3];
    myr_snapshot_header header[3];
    scratch_begin(&s);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(myr_particles_create(s.context, 1, &p[k]), MYR_OK);
        myr_particles_set(p[k], "position", 3, (const double[]){k / 3.0, 0, 0});
        header[k] = (myr_snapshot_header){.time = k};
    }
    assert_int_equal(
        myr_snapshot_write_frames(3, (const myr_particles *const *)p, scratch_path(&s, "a.dcd"), NULL, NULL, header),
        MYR_OK);
    assert_int_equal(s.warnings, 2); /* numbers that are rounded from frame 1 on, and the time */
    header[0].strict = header[1].strict = header[2].strict = 1;
    assert_int_equal(myr_snapshot_write_frames(3, (const myr_particles *const *)p, s.path, NULL, NULL, header),
                     MYR_ERROR_FIELD);
    for (int k = 0; k < 3; k++)
        myr_particles_destroy(&p[k]);
    scratch_end(&s);
}

static void test_damage(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    bytes *b = calloc(1, sizeof *b), *changed = calloc(1, sizeof *b);
    put_head(b, 2, 0, 1, 24, 3);
    const size_t head = b->size;
    put_frame(b, 1, 90, 3, 0.5);
    const size_t one = b->size;
    put_frame(b, 1, 90, 3, 1.5);
    static const struct {
        size_t at;
        uint32_t value;
        const char *says;
    } bad[] = {{0, 85, "at byte 0: this is not the head of a DCD file"},
               {88, 83, "at byte 88: the block of the head does not end as it began"},
               {92, 4000000000u, "at byte 92: the file is cut short within the title"},
               {264, 5, "at byte 264: the block of the number of atoms has 5 bytes, not 4"},
               {268, 0, "at byte 268: the number of atoms cannot be 0"},
               {268, 0x7fffffff, "the number of atoms cannot be 2147483647"},
               {268, 3000, "the file is cut short: it has no whole frame"},
               {40, 1, "files with fixed atoms (1) cannot be read"},
               {276 + 136 - 16, 7, "the block of the positions"}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        memcpy(changed, b, sizeof *b);
        bytes_patch_u32(changed, k == 8 ? one + 56 : bad[k].at, bad[k].value);
        bytes_refused(&s, changed, "dcd", bad[k].says);
    }
    memcpy(changed, b, sizeof *b);
    bytes_patch_real(changed, one + 4 + 8, 1, 80); /* gamma */
    bytes_warned(&s, changed, "dcd", "edges that are not along the axes");
    memcpy(changed, b, sizeof *b);
    bytes_patch_u32(changed, 8, 7);
    bytes_warned(&s, changed, "dcd", "says that it has 7 frames, and has 2");
    changed->size = b->size - 1;
    bytes_warned(&s, changed, "dcd", "ends within a frame: 1 whole ones");
    /* what is cut before the end of the first frame is refused */
    memcpy(changed, b, sizeof *b);
    changed->size = one;
    bytes_cut(&s, changed, "dcd", (const size_t[]){0});
    assert_true(head < one);
    free(changed);
    free(b);
    scratch_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p[2] = {NULL};
    const myr_snapshot_header header[2] = {{.time = 0}, {.time = 0}};
    scratch_begin(&s);
    p[0] = formats_make(&s, 3, types, 1, position, 32, 0);
    p[1] = formats_make(&s, 4, types, 1, position, 32, 0);
    assert_int_equal(
        myr_snapshot_write_frames(2, (const myr_particles *const *)p, scratch_path(&s, "a.dcd"), NULL, NULL, header),
        MYR_ERROR_VALUE);
    scratch_says(&s, "as many particles in all frames: frame 0 has 3, frame 1 has 4");
    myr_particles_destroy(&p[0]);
    assert_int_equal(myr_particles_create(s.context, 0, &p[0]), MYR_OK);
    assert_int_equal(myr_snapshot_write(p[0], s.path, NULL, NULL, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "holds 1 to");
    assert_int_equal(scratch_entries(&s), 0);
    myr_particles_destroy(&p[0]);
    myr_particles_destroy(&p[1]);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bytes), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_order),
        cmocka_unit_test(test_notes),       cmocka_unit_test(test_damage),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("formats_dcd", tests, NULL, NULL);
}
