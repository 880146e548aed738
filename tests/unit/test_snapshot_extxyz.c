/* test_snapshot_extxyz.c - extended XYZ: every bit comes back, frames, files of others, and what is said of bad ones.
 */
#include "unit/snapshot_set.h"

static void test_round_trip(void **state)
{
    (void)state;
    round_trip("extxyz", "a.xyz", 1, INT32_MAX);
}

static myr_status read_text(scratch *s, const char *text, int64_t frame, myr_particles **p, myr_snapshot_header *header)
{
    scratch_store(scratch_path(s, "a.xyz"), text, strlen(text));
    s->warnings = 0;
    return myr_snapshot_read_frame(s->context, s->path, "extxyz", frame, p, header);
}

/* What OVITO and ASE want to see, to the letter. */
static void test_text(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    scratch_begin(&s);
    myr_particles *p = NULL;
    assert_int_equal(myr_particles_create(s.context, 1, &p), MYR_OK);
    myr_particles_set(p, "position", 3, (const double[]){0.5, -0.0, 0.1});
    myr_particles_set(p, "force", 3, (const double[]){1, 2, 3});
    myr_particles_set(p, "a b", 1, (const double[]){4});
    const myr_snapshot_header header = {.time = 2, .unit_time = 1e-12, .box = {5, 0, 7}};
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.xyz"), NULL, NULL, &header), MYR_OK);
    char *text = (char *)scratch_load(s.path, &size);
    static const char wanted[] = "1\nLattice=\"5 0 0 0 1 0 0 0 7\" pbc=\"T F T\" "
                                 "Properties=id:I:1:type:I:1:pos:R:3:forces:R:3:_a%20b:R:1 time=2 "
                                 "unit_time_in_s=9.9999999999999998e-13\n"
                                 "0 0 0.5 -0 0.10000000000000001 1 2 3 4\n";
    assert_int_equal(size, sizeof wanted - 1);
    assert_memory_equal(text, wanted, size);
    free(text);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static const char three[] = "1\nProperties=id:I:1:pos:R:3 time=0\n7 1 2 3\n"
                            "2\nProperties=id:I:1:pos:R:3 Time=1.5\n7 4 5 6\n8 7 8 9\n"
                            "1\nproperties=id:I:1:pos:R:3 TIME=3\n9 10 11 12\n\n  \n";

static void test_frames(void **state)
{
    (void)state;
    static const struct {
        int64_t frame, is;
        int n;
        double time, x;
    } wanted[] = {{0, 0, 1, 0, 1}, {1, 1, 2, 1.5, 4}, {2, 2, 1, 3, 10}, {-1, 2, 1, 3, 10}, {-3, 0, 1, 0, 1}};
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        myr_particles *p = NULL;
        myr_snapshot_header header;
        assert_int_equal(read_text(&s, three, wanted[k].frame, &p, &header), MYR_OK);
        assert_int_equal(header.frame, wanted[k].is);
        assert_int_equal(header.frames, 3);
        assert_int_equal(myr_particles_count(p), wanted[k].n);
        assert_true(header.time == wanted[k].time && myr_particles_component(p, "position", 0)[0] == wanted[k].x);
        myr_particles_destroy(&p);
    }
    myr_particles *p = NULL;
    assert_int_equal(read_text(&s, three, 3, &p, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "has no frame 3: it has 3, counted from 0");
    assert_int_equal(read_text(&s, three, -4, &p, NULL), MYR_ERROR_VALUE);
    assert_null(p);
    scratch_end(&s);
}

/* A run that is going on has half a frame at the end of its file: the whole ones can be read. */
static void test_half_a_frame(void **state)
{
    (void)state;
    static const char half[] = "1\nProperties=pos:R:3\n1 2 3\n3\nProperties=pos:R:3\n1 2 3\n4 5 6\n";
    scratch s;
    myr_particles *p = NULL;
    scratch_begin(&s);
    assert_int_equal(read_text(&s, half, MYR_SNAPSHOT_LAST, &p, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, ":8:1: the file is cut short: this frame has 2 of 3 particles");
    assert_int_equal(read_text(&s, half, 0, &p, NULL), MYR_OK);
    assert_int_equal(myr_particles_count(p), 1);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* As other programs write it: species by name, names of their own, Windows lines, logical columns, quotes of all kinds.
 */
static void test_of_others(void **state)
{
    (void)state;
    static const char ase[] = "3\r\nLattice=\"2.0 0.0 0.0 0.0 3.0 0.0 0.0 0.0 4.0\" config_type={a b} flag "
                              "Properties=species:S:1:pos:R:3:masses:R:1:move:L:1:tag:I:1:label:S:2 energy=-1.5 "
                              "pbc=\"T T F\"\r\n"
                              "O  0 0 1e0  16.0 T -3 a b\r\nH\t1 0 0  1.0 F 4 c d\r\nO 0 1 0 16 F 5 e f\r\n";
    static const char plain[] = "2\n\nAr 1 2 3\nAr 4 5 6";
    scratch s;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    assert_int_equal(read_text(&s, ase, 0, &p, &header), MYR_OK);
    assert_int_equal(s.warnings, 2); /* the labels, and which type each species became */
    assert_non_null(strstr(s.warning, "they become types: O = 0, H = 1"));
    assert_true(header.box[0] == 2 && header.box[1] == 3 && header.box[2] == 0);
    assert_int_equal(myr_particles_types(p)[0], 0);
    assert_int_equal(myr_particles_types(p)[1], 1);
    assert_int_equal(myr_particles_types(p)[2], 0);
    assert_true(myr_particles_component(p, "mass", 0)[1] == 1 && myr_particles_component(p, "move", 0)[0] == 1);
    assert_true(myr_particles_component(p, "move", 0)[1] == 0 && myr_particles_component(p, "tag", 0)[0] == -3);
    assert_null(myr_particles_component(p, "label", 0));
    myr_particles_destroy(&p);
    assert_int_equal(read_text(&s, plain, 0, &p, &header), MYR_OK);
    assert_true(myr_particles_component(p, "position", 2)[1] == 6);
    myr_particles_destroy(&p);
    assert_int_equal(read_text(&s, "1\nProperties=Z:I:1:pos:R:3\n18 0 0 0\n", 0, &p, &header), MYR_OK);
    assert_int_equal(myr_particles_types(p)[0], 18);
    myr_particles_destroy(&p);
    assert_int_equal(
        read_text(&s, "1\nProperties=pos:R:3:flags:L:17\n0 0 0 T T T T T T T T T T T T T T T T T\n", 0, &p, &header),
        MYR_OK);
    assert_non_null(strstr(s.warning, "a property 'flags' that is left out"));
    myr_particles_destroy(&p);
    static const char tilted[] = "1\nLattice=\"1 0 0 .5 1 0 0 0 1\" Properties=pos:R:3\n1 1 1\n";
    assert_int_equal(read_text(&s, tilted, 0, &p, &header), MYR_OK);
    assert_non_null(strstr(s.warning, "edges that are not along the axes"));
    assert_true(header.box[0] == 0);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"two\n\n", ":1:1: an integer was expected"},
        {"1 2\n\nH 0 0 0\n", ":1:3: only the number of particles was expected in this line"},
        {"-1\n\n", "the number of particles is out of range"},
        {"99999999999999999999\n\n", "the number of particles is out of range"},
        {"1000000000000\n\nH 0 0 0\n", ":1:1: this frame says that it has 1000000000000 particles, but only 10 bytes"},
        {"2\n\nH 0 0 0\n", ":4:1: the file is cut short: this frame has 1 of 2 particles"},
        {"1\n\nH 0 0\n", ":3:6: this line ends after 3 of 4 values (particle 0 of 1"},
        {"1\n\nH 0 0 0 0\n", ":3:9: the line should end here"},
        {"1\n\nH 0 x 0\n", ":3:5: a number was expected"},
        {"1\n\nH 0 0.5e 0\n", ":3:8: a blank was expected"},
        {"1\nProperties=pos:R\n1 2 3\n", ":2:12: a property is name:type:columns"},
        {"1\nProperties=pos:Q:3\n1 2 3\n", "with a type R, I, S or L"},
        {"1\nProperties=pos:R:0\n1 2 3\n", ":2:18: a property has 1 to"},
        {"1\nProperties=pos:R:2\n1 2\n", "the property 'pos' must have 3 columns, not 2"},
        {"1\nProperties=pos:R:3:pos:R:3\n", "the property 'pos' is there already"},
        {"1\nProperties=vel:R:3:velo:R:3\n", "the property 'velo' is there already"},
        {"1\nProperties=id:I:1:id:I:1\n1 1\n", "the property 'id' is there already"},
        {"1\nProperties=a:R:1 Properties=b:R:1\n1\n", "Properties are there already"},
        {"1\nLattice=\"1 2 3\"\nH 0 0 0\n", "Lattice must have 9 numbers"},
        {"1\nOrigin=\"1 2\"\nH 0 0 0\n", "Origin must have 3 numbers"},
        {"1\nOrigin=\"1 2 inf\"\nH 0 0 0\n", "its origin of the box is inf"},
        {"1\ntime=noon\nH 0 0 0\n", ":2:6: time must be a number"},
        {"1\nProperties=type:I:1:pos:R:3\n-1 0 0 0\n", ":3:1: type out of range"},
        {"2\nProperties=id:I:1:pos:R:3\n5 0 0 0\n5 1 1 1\n", "id 5"},
        {"1\nProperties=pos:R:3\n0 nan 0\n", "1 value that is not finite in 'position'"},
        {"1\nProperties=pos:R:3 time=inf\n0 0 0\n", "its time is inf"},
        {"1\nLattice=\"-5 0 0 0 1 0 0 0 1\"\nH 0 0 0\n", "its box is -5"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        myr_particles *p = NULL;
        assert_int_equal(read_text(&s, bad[k].text, MYR_SNAPSHOT_LAST, &p, NULL), MYR_ERROR_FORMAT);
        assert_null(p);
        scratch_says(&s, bad[k].says);
    }
    scratch_end(&s);
}

/* A file tells its format by its bytes: a number alone in the first line and properties in the second. */
static void test_probe(void **state)
{
    (void)state;
    scratch s;
    const char *format = NULL;
    scratch_begin(&s);
    scratch_store(scratch_path(&s, "a"), three, sizeof three - 1);
    assert_int_equal(myr_snapshot_format_of(s.context, s.path, &format), MYR_OK);
    assert_string_equal(format, "extxyz");
    scratch_store(scratch_path(&s, "a"), "id,x\n1,2\n", 9);
    assert_int_equal(myr_snapshot_format_of(s.context, s.path, &format), MYR_OK);
    assert_string_equal(format, "csv");
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),   cmocka_unit_test(test_text),      cmocka_unit_test(test_frames),
        cmocka_unit_test(test_half_a_frame), cmocka_unit_test(test_of_others), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
