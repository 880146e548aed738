/* test_csv_table.c - tables of numbers: names, units, values of any kind, and lines that are not whole. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/csv_table.h>

enum { COLUMNS = 3 };

static myr_csv_table *table_of(scratch *s, const char *text)
{
    myr_csv_table *t = NULL;
    scratch_store(scratch_path(s, "a.csv"), text, strlen(text));
    assert_int_equal(myr_csv_table_open(s->context, s->path, &t), MYR_OK);
    return t;
}

static void test_values(void **state)
{
    (void)state;
    scratch s;
    double row[COLUMNS];
    int found = 0;
    scratch_begin(&s);
    myr_csv_table *t =
        table_of(&s, "# a comment\n# units: ps,1,kcal/mol\ntime,step, \"energy, all\"\r\n0,1,nan\n0.5, 2 ,-1e-3\n");
    assert_int_equal(myr_csv_table_columns(t), COLUMNS);
    assert_string_equal(myr_csv_table_name(t, 0), "time");
    assert_string_equal(myr_csv_table_name(t, 2), "energy, all");
    assert_string_equal(myr_csv_table_unit(t, 0), "ps");
    assert_string_equal(myr_csv_table_unit(t, 1), "");
    assert_null(myr_csv_table_name(t, COLUMNS));
    assert_int_equal(myr_csv_table_next(t, row, &found), MYR_OK);
    assert_true(found && row[0] == 0 && row[1] == 1 && isnan(row[2]));
    assert_int_equal(myr_csv_table_next(t, row, &found), MYR_OK);
    assert_true(found && row[0] == 0.5 && row[1] == 2 && row[2] == -1e-3);
    assert_int_equal(myr_csv_table_next(t, row, &found), MYR_OK);
    assert_false(found);
    myr_csv_table_close(&t);
    assert_null(t);
    t = table_of(&s, "");
    assert_int_equal(myr_csv_table_columns(t), 0);
    myr_csv_table_close(&t);
    scratch_end(&s);
}

static void test_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } wrong[] = {{"1,2\n", "a.csv:2:4: this line has 2 values; the first line names 3"},
                 {"1,2,3,4\n", "the line should end here"},
                 {"1,x,3\n", "a.csv:2:3: a number was expected"},
                 {"1 2,3\n", "a comma was expected"},
                 {"1,2,3", "the line is cut short"}};
    scratch s;
    double row[COLUMNS];
    int found;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[64];
        snprintf(text, sizeof text, "a,b,c\n%s", wrong[k].line);
        myr_csv_table *t = table_of(&s, text);
        assert_int_equal(myr_csv_table_next(t, row, &found), MYR_ERROR_FORMAT);
        scratch_says(&s, wrong[k].says);
        myr_csv_table_close(&t);
    }
    myr_csv_table *t = NULL;
    assert_int_equal(myr_csv_table_open(s.context, scratch_path(&s, "nothing.csv"), &t), MYR_ERROR_FILE);
    scratch_says(&s, "No such file");
    assert_null(t);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
