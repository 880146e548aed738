/* test_snapshot.c - particle files: what goes in comes out with the same bits, in every format; what makes no sense is
 * refused in words. Files that only a foreign program would write are in test_snapshot_hdf5.c. */
#include "unit/snapshot_set.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static void test_gadget_round_trip(void **state)
{
    (void)state;
    if (!have("gadget_hdf5"))
        skip();
    round_trip("gadget_hdf5", "a.hdf5", 1, 6);
}

static void test_csv_round_trip(void **state)
{
    (void)state;
    round_trip("csv", "a.csv", 0, INT32_MAX);
}

/* A program in a language with decimal commas. */
static void test_csv_in_another_language(void **state)
{
    (void)state;
    const char *languages[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    int k = 0;
    while (k < 4 && !setlocale(LC_ALL, languages[k]))
        k++;
    if (k == 4) {
        print_message("skipped: no language with decimal commas is installed\n");
        skip();
    }
    round_trip("csv", "a.csv", 0, INT32_MAX);
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* and the program keeps its language */
    setlocale(LC_ALL, "C");
}

/* The same particles make the same bytes: no times, no addresses. */
static void test_same_bytes(void **state)
{
    (void)state;
    if (!have("gadget_hdf5"))
        skip();
    scratch s;
    size_t size[2];
    scratch_begin(&s);
    myr_particles *p = make(&s, 100, 3, 1);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.hdf5"), NULL, NULL, &full), MYR_OK);
    unsigned char *a = scratch_load(s.path, &size[0]);
    const struct timespec a_while = {1, 100000000};
    nanosleep(&a_while, NULL); /* HDF5 stores seconds where it stores times */
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "b.h5"), NULL, NULL, &full), MYR_OK);
    unsigned char *b = scratch_load(s.path, &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(a, b, size[0]);
    free(a);
    free(b);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static void test_chosen_fields(void **state)
{
    (void)state;
    static const char *const some[] = {"mass", "id", "position", "mass", NULL}, *const wrong[] = {"maas", NULL};
    static const char *const names[] = {"a.hdf5", "a.csv"};
    scratch s;
    scratch_begin(&s);
    for (int k = have("gadget_hdf5") ? 0 : 1; k < 2; k++) {
        myr_particles *p = make(&s, 10, 1, 0), *q = NULL;
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, names[k]), NULL, some, NULL), MYR_OK);
        assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
        assert_int_equal(myr_particles_fields(q), 2);
        assert_non_null(myr_particles_component(q, "mass", 0));
        assert_non_null(myr_particles_component(q, "position", 2));
        assert_int_equal(myr_snapshot_write(p, s.path, NULL, wrong, NULL), MYR_ERROR_FIELD);
        scratch_says(&s, "'maas'");
        myr_particles_destroy(&p);
        myr_particles_destroy(&q);
    }
    scratch_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    myr_particles *p = make(&s, 10, 1, 1), *q = NULL;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.txt"), NULL, NULL, NULL), MYR_ERROR_NAME);
    scratch_says(&s, ".hdf5, .h5, .hdf, .vtkhdf, .csv");
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a"), "gadget_hdf", NULL, NULL), MYR_ERROR_NAME);
    scratch_says(&s, "did you mean 'gadget_hdf5'?");
    static const char *const asked[] = {"mass", "x", NULL};
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.csv"), NULL, asked, NULL), MYR_ERROR_FIELD);
    scratch_says(&s, "the format csv cannot carry a field of the name 'x'");
    const myr_snapshot_header bad[] = {{.time = NAN}, {.unit_mass = -1}, {.box = {0, INFINITY, 0}}};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.hdf5"), NULL, NULL, &bad[k]), MYR_ERROR_VALUE);
        scratch_says(&s, k == 0 ? "time" : k == 1 ? "unit of mass" : "box");
    }
    assert_int_equal(scratch_entries(&s), 0);
    assert_int_equal(myr_snapshot_read(s.context, scratch_path(&s, "none.csv"), NULL, &q, NULL), MYR_ERROR_FILE);
    scratch_says(&s, "No such file or directory");
    scratch_store(scratch_path(&s, "empty.csv"), "", 0);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, "is empty");
    scratch_store(scratch_path(&s, "noise.hdf5"), "\x89PNG\r\n\x1a\n....", 12);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_FORMAT);
    scratch_says(&s, "no format that can be read; those are: gadget_hdf5, csv");
    assert_int_equal(myr_snapshot_read(s.context, "/dev/null", NULL, &q, NULL), MYR_ERROR_FILE);
    assert_int_equal(myr_snapshot_read(s.context, s.path, "cvs", &q, NULL), MYR_ERROR_NAME);
    scratch_says(&s, "did you mean 'csv'?");
    assert_int_equal(myr_snapshot_read_frame(s.context, s.path, "csv", 1, &q, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "has no frame 1: it has 1, counted from 0");
    assert_null(q);
    assert_null(myr_snapshot_format(-1));
    assert_null(myr_snapshot_format(99));
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* What cannot be carried is left out with its name where everything was to be written. */
static void test_left_out(void **state)
{
    (void)state;
    static const char *const name[] = {"f[0]", "with,comma", "id", "x"};
    scratch s;
    scratch_begin(&s);
    myr_particles *p = make(&s, 3, 1, 1), *q = NULL;
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.csv"), NULL, NULL, NULL), MYR_OK);
    assert_int_equal(s.warnings, 4);
    assert_non_null(strstr(s.warning, "is written without the field 'f[0]': the format csv cannot carry a field of"));
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
    assert_int_equal(myr_particles_fields(q), FIELDS - 4);
    for (int k = 0; k < 4; k++)
        assert_null(myr_particles_component(q, name[k], 0));
    myr_particles_destroy(&q);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* The tables of the formats can be asked for: names, units, descriptions. */
static void test_tables(void **state)
{
    (void)state;
    myr_snapshot_format_info format;
    myr_snapshot_field_info entry;
    const char *name;
    for (int k = 0; myr_snapshot_format(k); k++) {
        name = myr_snapshot_format(k)->name;
        assert_true(myr_snapshot_format_describe(name, &format));
        assert_string_equal(format.info.name, name);
        assert_true(*format.ending && *format.ending != '.' && (format.bits == 64 || format.bits == 32));
        int positions = 0, f = 0;
        for (; myr_snapshot_format_field(name, f, &entry); f++) {
            assert_true(*entry.stored && *entry.text && *entry.unit && (entry.bits == 64 || entry.bits == 32));
            if (strcmp(entry.name, "position") == 0) {
                assert_string_equal(entry.unit, "length");
                positions++;
            }
        }
        assert_int_equal(positions, 1);
        assert_false(myr_snapshot_format_field(name, f + 1, &entry));
        assert_false(myr_snapshot_format_field(name, -1, &entry));
    }
    assert_false(myr_snapshot_format_describe("cvs", &format));
    assert_false(myr_snapshot_format_field("cvs", 0, &entry));
}

/* From the units of a file to others: every field by its dimension, and what has none is told by name. */
static void test_convert(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double factor;
    } wanted[] = {{"position", 2},  {"velocity", 8}, {"mass", 0.5},   {"charge", 16},
                  {"strength", 32}, {"my_own", 1},   {"potential", 1}};
    scratch s;
    scratch_begin(&s);
    myr_particles *p = NULL;
    assert_int_equal(myr_particles_create(s.context, 1, &p), MYR_OK);
    for (int k = 0; k < 7; k++)
        myr_particles_set(p, wanted[k].name, 1, (const double[]){3});
    myr_snapshot_header header = {
        .time = 4, .unit_length = 2, .unit_mass = 1, .unit_time = 5, .unit_charge = 16, .box = {1, 0, 3}};
    const myr_snapshot_header units = {.unit_length = 1, .unit_mass = 2, .unit_time = 20, .unit_charge = 1};
    assert_int_equal(myr_snapshot_convert(p, &header, &units), MYR_OK);
    for (int k = 0; k < 7; k++)
        assert_true(myr_particles_component(p, wanted[k].name, 0)[0] == 3 * wanted[k].factor);
    assert_true(header.time == 1 && header.box[0] == 2 && header.box[1] == 0 && header.box[2] == 6);
    assert_true(header.unit_length == 1 && header.unit_mass == 2 && header.unit_time == 20);
    assert_int_equal(s.warnings, 2); /* my_own; and a potential that may be of anything */
    assert_non_null(strstr(s.warning, "'potential' has no known dimension"));
    const myr_snapshot_header nothing = {0};
    assert_int_equal(myr_snapshot_convert(p, &header, &nothing), MYR_OK);
    assert_true(header.unit_length == 1 && header.time == 1);
    assert_int_equal(s.warnings, 2);
    /* in a set that tells which: per mass beside an acceleration, an energy beside a force, with or without the other
     */
    for (int k = 0; k < 2; k++) {
        const double factor = 3 * (k ? 32 : 64); /* (2 * 4)^2, and a mass of 1/2 */
        myr_snapshot_header from = {.unit_length = 2, .unit_mass = 1, .unit_time = 5};
        myr_particles_set(p, "potential", 1, (const double[]){3});
        myr_particles_set(p, k ? "force" : "acceleration", 1, (const double[]){3});
        assert_int_equal(myr_snapshot_convert(p, &from, &units), MYR_OK);
        assert_true(myr_particles_component(p, "potential", 0)[0] == factor);
    }
    myr_particles_destroy(&p);
    scratch_end(&s);
}

/* One line of text that must be refused, and with what words. */
static void test_csv_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"x,y,z\n1,2\n", ":2:4: this line has 2 values; the first line names 3"},
        {"x,y,z\n1,2,3\n\n# comment\n1,2,3,4\n", ":5:6: the line should end here"},
        {"x,y,z\n1,two,3\n", ":2:3: a number was expected"},
        {"x,y,z\n1,,3\n", ":2:3: a number was expected"},
        {"x,y,z\n1,2 2,3\n", ":2:5: a comma was expected"},
        {"x,y,z\n1,\v\n2,3\n", ":2:3: a number was expected"},
        {"x,z,m\n1,2,3\n", "the columns of 'position' are not components 0, 1, 2"},
        {"f[1],m\n1,2\n", "the columns of 'f' are not components"},
        {"f,f[1]\n1,2\n", "the columns of 'f' are not components"},
        {"x,y,z,x\n", ":1:7: column 'x' is there already"},
        {"id,x,y,z,id\n", ":1:10: there are two columns 'id'"},
        {"x,,z\n", ":1:3: a column needs a name of 1 to 63 characters"},
        {"\"x,y\n", "this quote is not closed"},
        {"\"x\"y,z\n", ":1:4: a comma was expected"},
        {"_,1.5\n", "the first line must name the columns"},
        {"id,mass\n1.5,1\n", ":2:2: a comma was expected"},
        {"id,mass\n99999999999999999999,1\n", ":2:1: id out of range"},
        {"type,mass\n-1,1\n", ":2:1: type out of range"},
        {"type,mass\n2147483648,1\n", ":2:1: type out of range"},
        {"id,mass\n7,1\n8,1\n7,1\n", "id 7 is given to more than one particle"},
        {"id,mass\n7,1\n8,nan\n", "1 value that is not finite in 'mass'; the first is of particle 1 (id 8)"},
        {"id,mass\n7,1e999\n8,1\n", "not finite in 'mass'; the first is of particle 0 (id 7)"},
    };
    scratch s;
    myr_particles *q = NULL;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        scratch_store(scratch_path(&s, "b.csv"), bad[k].text, strlen(bad[k].text));
        if (myr_snapshot_read(s.context, s.path, "csv", &q, NULL) != MYR_ERROR_FORMAT)
            fail_msg("not refused: %s", bad[k].text);
        scratch_says(&s, s.path);
        scratch_says(&s, bad[k].says);
        assert_null(q);
    }
    scratch_end(&s);
}

/* What a spreadsheet makes of it: a mark at the start, quotes, blanks, lines that end in two characters, no ids. */
static void test_csv_of_others(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf\"vx\", vy ,vz,m\r\n 1, 2 ,3,0x1p-3\r\n\r\n#time = 4\n-1,+2,.5,1e-2";
    scratch s;
    myr_particles *q = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    scratch_store(scratch_path(&s, "b.csv"), text, sizeof text - 1);
    if (myr_snapshot_read(s.context, s.path, NULL, &q, &header) != MYR_OK)
        fail_msg("%s", myr_context_message(s.context));
    assert_int_equal(myr_particles_count(q), 2);
    assert_int_equal(myr_particles_ids(q)[1], 1);
    assert_true(header.time == 4);
    assert_true(myr_particles_component(q, "m", 0)[0] == 0.125);
    assert_true(myr_particles_component(q, "velocity", 2)[1] == 0.5);
    assert_true(myr_particles_component(q, "velocity", 0)[1] == -1);
    myr_particles_destroy(&q);
    scratch_end(&s);
}

/* A value that is not finite is an error where the motion depends on it, and a warning elsewhere. */
static void test_not_finite(void **state)
{
    (void)state;
    static const char *const names[] = {"a.hdf5", "a.csv"};
    scratch s;
    scratch_begin(&s);
    for (int k = have("gadget_hdf5") ? 0 : 1; k < 2; k++) {
        myr_particles *p = make(&s, 10, 1, 0), *q = NULL;
        myr_particles_component(p, "jerk", 1)[6] = INFINITY;
        s.warnings = 0;
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, names[k]), NULL, NULL, NULL), MYR_OK);
        assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
        assert_int_equal(s.warnings, 1);
        assert_non_null(strstr(s.warning, "1 value that is not finite in 'jerk'; the first is of particle 6"));
        assert_same(p, q);
        myr_particles_destroy(&q);
        for (int c = 0; c < 3; c++)
            myr_particles_component(p, "position", c)[c + 3] = NAN;
        assert_int_equal(myr_snapshot_write(p, s.path, NULL, NULL, NULL), MYR_OK);
        assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_FORMAT);
        scratch_says(&s, "3 values that are not finite in 'position'; the first is of particle 3 (id ");
        assert_null(q);
        myr_particles_destroy(&p);
    }
    scratch_end(&s);
}

/* No room: a clear error, the old file stays, nothing is left behind, and the process goes on and ends quietly. */
static void test_no_room(void **state)
{
    (void)state;
    static const char *const names[] = {"a.hdf5", "a.csv"};
    scratch s;
    struct rlimit before, limit;
    scratch_begin(&s);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int k = have("gadget_hdf5") ? 0 : 1; k < 2; k++) {
        myr_particles *p = make(&s, 20, 1, 0), *big = make(&s, 5000, 1, 0), *q = NULL;
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, names[k]), NULL, NULL, NULL), MYR_OK);
        limit = before;
        limit.rlim_cur = 100000;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const myr_status status = myr_snapshot_write(big, s.path, NULL, NULL, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, MYR_ERROR_FILE);
        scratch_says(&s, "File too large");
        scratch_says(&s, s.path);
        assert_int_equal(scratch_entries(&s), k == 0 || !have("gadget_hdf5") ? 1 : 2);
        assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_OK);
        assert_same(p, q);
        myr_particles_destroy(&p);
        myr_particles_destroy(&q);
        myr_particles_destroy(&big);
    }
    signal(SIGXFSZ, SIG_DFL);
    scratch_end(&s);
}

static void test_without_hdf5(void **state)
{
    (void)state;
    if (have("gadget_hdf5"))
        skip();
    scratch s;
    myr_particles *q = NULL;
    scratch_begin(&s);
    myr_particles *p = make(&s, 10, 1, 0);
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.hdf5"), NULL, NULL, NULL), MYR_ERROR_UNAVAILABLE);
    scratch_says(&s, "libhdf5-dev");
    scratch_store(scratch_path(&s, "b.hdf5"), "\x89HDF\r\n\x1a\n....", 12);
    assert_int_equal(myr_snapshot_read(s.context, s.path, NULL, &q, NULL), MYR_ERROR_UNAVAILABLE);
    scratch_says(&s, "libhdf5-dev");
    assert_null(q);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gadget_round_trip),
        cmocka_unit_test(test_csv_round_trip),
        cmocka_unit_test(test_csv_in_another_language),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_chosen_fields),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_csv_messages),
        cmocka_unit_test(test_csv_of_others),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_without_hdf5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
