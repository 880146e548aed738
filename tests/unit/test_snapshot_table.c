/* Tables of text from anywhere: separators, names in comments, names of particles, a choice of columns. */
#include "scratch.h"

#include <myriad/snapshot.h>

typedef struct {
    const char *text;
    const char *columns[10]; /* ended by null; empty = none */
} table;

static myr_status read_table(scratch *s, const table *t, const char *format, myr_particles **p)
{
    scratch_store(scratch_path(s, "t.txt"), t->text, strlen(t->text));
    return t->columns[0] ? myr_snapshot_read_columns(s->context, s->path, t->columns, p, NULL)
                         : myr_snapshot_read(s->context, s->path, format, p, NULL);
}

/* The same two particles, written in different ways. */
static void test_ways_to_write(void **state)
{
    (void)state;
    static const table ways[] = {
        {"x;y;z;vx;vy;vz;mass;name\n1;2;3;4;5;6;7;Sun\n-1;-2;-3;-4;-5;-6;-7;Old Moon\n", {0}},
        {"x y z  vx vy   vz mass name\n1 2 3 4 5 6 7 Sun\n -1 -2 -3 -4  -5 -6 -7 \"Old Moon\" \r\n", {0}},
        {"x\ty\tz\tvx\tvy\tvz\tmass\tname\n1\t2\t3\t4\t5\t6\t7\tSun\n-1\t-2\t-3\t-4\t-5\t-6\t-7\tOld Moon\r\n", {0}},
        {"\xef\xbb\xbf# made by hand\n# x y z vx vy vz mass name\n# pc pc pc km/s km/s km/s kg -\n1 2 3 4 5 6 7 Sun\n"
         "-1 -2 -3 -4 -5 -6 -7 \"Old Moon\"\n",
         {0}},
        {"name,mass,x,y,z,vx,vy,vz\n\"Sun\",\"7\",1,2,3,4,5,6\n\"Old Moon\",-7,-1,-2,-3,-4,-5,-6\n", {0}},
        {"Star, M, X pc, Y pc, Z pc, type of it, a, b, c\nSun,7,1,2,3,G2 V,4,5,6\nOld Moon,-7,-1,-2,-3,\"dM, "
         "e\",-4,-5,-6\n",
         {"name=Star", "mass=M", "x=X pc", "y=Y pc", "z=5", "vx=a", "vy=b", "vz=9"}},
        {"7 1 2 3 G2 4 5 6 Sun\n-7 -1 -2 -3 M -4 -5 -6 \"Old Moon\"\n",
         {"mass", "x", "y", "z", "skip", "vx", "vy", "vz", "name"}},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        myr_particles *p = NULL;
        if (read_table(&s, &ways[k], NULL, &p) != MYR_OK)
            fail_msg("way %zu: %s", k, myr_context_message(s.context));
        assert_int_equal(myr_particles_count(p), 2);
        for (int c = 0; c < 7; c++) {
            const double *x = c < 3   ? myr_particles_component(p, "position", c)
                              : c < 6 ? myr_particles_component(p, "velocity", c - 3)
                                      : myr_particles_component(p, "mass", 0);
            assert_non_null(x);
            assert_true(x[0] == c + 1 && x[1] == -c - 1);
        }
        assert_int_equal(myr_particles_fields(p), 3);
        assert_string_equal(myr_particles_name(p, 0), "Sun");
        assert_string_equal(myr_particles_name(p, 1), "Old Moon");
        assert_int_equal(s.warnings, 0);
        myr_particles_destroy(&p);
    }
    scratch_end(&s);
}

/* What is wrong, with what there is. */
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        table table;
        const char *says;
    } bad[] = {
        {{"x,y,z\n1,2,3\n", {"x=X", "y=y"}}, ":1:1: there is no column 'X'; the columns found are: x, y, z"},
        {{"1 2 3\n", {"x=4"}}, "there is no column '4'; the columns found are: numbered from 1, without names"},
        {{"x,y,z\n1,2,3\n", {"x=x", "y=1"}}, "column '1' is chosen twice"},
        {{"x,y,z\n1,2,3\n", {"x", "y"}}, "2 columns are named; the file has 3: x, y, z"},
        {{"1,2,3\n", {"x", "y"}}, "2 columns are named; the file has 3"},
        {{"x,y,z\n1,2,3\n", {"x", "y=2"}}, "mixes names and places"},
        {{"x,y,z\n1,2,3\n", {"=x"}}, "expected a name of 1 to 63 characters"},
        {{"x;y;z\n1,5;2;3\n", {0}}, ":2:2: numbers need a decimal point, not a comma"},
        {{"x y z\n1 2\n", {0}}, ":2:4: this line has 2 values; the first line names 3"},
        {{"x y z\n1 2 3 4\n", {0}}, ":2:7: the line should end here"},
        {{"x y spectrum\n1 2 G2\n", {0}}, ":2:5: a number was expected; only the column 'name' may hold text"},
        {{"x y z\n1 2 \"3", {0}}, ":2:7: the closing quote was expected"},
        {{"x y z name\n1 2 3 \"a\n", {0}}, ":2:8: this quote is not closed"},
        {{"x,y,z,name\n1,2,3,"
          "0123456789012345678901234567890123456789012345678901234567890123\n",
          {0}},
         ":2:7: a name has up to 63 characters"},
        {{"x,y,z,name\n1,2,3,a\tb\n", {0}}, ":2:7: a name has no control characters and quotes"},
        {{"1 2 3\n", {0}}, ":1:1: the first line must name the columns, such as x,y,z; this is a number: 1"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        myr_particles *p = NULL;
        if (read_table(&s, &bad[k].table, "csv", &p) != MYR_ERROR_FORMAT)
            fail_msg("not refused: %s", bad[k].table.text);
        scratch_says(&s, bad[k].says);
        assert_null(p);
    }
    scratch_end(&s);
}

/* Names of particles: kept by the set and by csv, reported by formats that lose them. */
static void test_names(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p = NULL, *q = NULL;
    scratch_begin(&s);
    assert_int_equal(myr_particles_create(s.context, 3, &p), MYR_OK);
    assert_int_equal(myr_particles_add_field(p, "position", 3), MYR_OK);
    assert_null(myr_particles_name(p, 0));
    assert_int_equal(myr_particles_set_name(p, 0, "a, b;c"), MYR_OK);
    assert_int_equal(myr_particles_set_name(p, 2, "5"), MYR_OK);
    assert_int_equal(myr_particles_set_name(p, 3, "d"), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_particles_set_name(p, 1, ""), MYR_ERROR_VALUE);
    assert_int_equal(myr_particles_set_name(p, 1, "a\nb"), MYR_ERROR_VALUE);
    assert_int_equal(myr_particles_set_name(p, 1, "\"a"), MYR_ERROR_VALUE);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.csv"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 0);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    assert_string_equal(myr_particles_name(q, 0), "a, b;c");
    assert_null(myr_particles_name(q, 1));
    assert_string_equal(myr_particles_name(q, 2), "5");
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.xyz"), "extxyz", NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 1);
    assert_non_null(strstr(s.warning, "is written without the names: the format extxyz cannot carry them"));
    assert_int_equal(myr_particles_set_name(p, 0, NULL), MYR_OK);
    assert_null(myr_particles_name(p, 0));
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_to_write),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
