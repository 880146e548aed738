/* test_output_file.c - files that are there whole or not at all: what a writer sees before, and what others see after.
 */
#include "unit/scratch.h"

#include <fcntl.h>

#include <myriad/output_file.h>

static int holds(scratch *s, const char *name, const char *text)
{
    char got[64] = "";
    FILE *f = fopen(scratch_path(s, name), "r");
    if (!f)
        return 0;
    const size_t size = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    return size == strlen(text) && strcmp(got, text) == 0;
}

static void put(scratch *s, const char *text, myr_output_file **file)
{
    assert_int_equal(myr_output_file_create(s->context, scratch_path(s, "a"), file), MYR_OK);
    assert_true(fputs(text, myr_output_file_stream(*file)) >= 0);
}

static void test_whole_or_not(void **state)
{
    (void)state;
    scratch s;
    myr_output_file *file = NULL, *second = NULL;
    scratch_begin(&s);
    put(&s, "first\n", &file);
    assert_true(scratch_exists(&s, "a.partial") && !scratch_exists(&s, "a"));
    assert_int_equal(myr_output_file_create(s.context, scratch_path(&s, "a"), &second), MYR_ERROR_FILE);
    scratch_says(&s, "another process is writing it");
    assert_null(second);
    assert_int_equal(myr_output_file_publish(&file), MYR_OK);
    assert_true(!file && holds(&s, "a", "first\n") && !scratch_exists(&s, "a.partial"));
    put(&s, "second\n", &file);
    myr_output_file_discard(&file);
    assert_true(!file && holds(&s, "a", "first\n") && !scratch_exists(&s, "a.partial"));
    put(&s, "third\n", &file);
    assert_int_equal(myr_output_file_publish(&file), MYR_OK);
    assert_true(holds(&s, "a", "third\n"));
    scratch_end(&s);
}

/* A stream that has failed is not published. */
static void test_failed_write(void **state)
{
    (void)state;
    scratch s;
    myr_output_file *file = NULL;
    scratch_begin(&s);
    put(&s, "first\n", &file);
    assert_int_equal(myr_output_file_publish(&file), MYR_OK);
    put(&s, "second\n", &file);
    const int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0 && dup2(full, fileno(myr_output_file_stream(file))) >= 0);
    close(full);
    assert_int_equal(myr_output_file_publish(&file), MYR_ERROR_FILE);
    scratch_says(&s, "No space left");
    assert_true(!file && holds(&s, "a", "first\n") && !scratch_exists(&s, "a.partial"));
    assert_int_equal(myr_output_file_publish(&file), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_output_file_create(s.context, NULL, &file), MYR_ERROR_ARGUMENT);
    assert_null(myr_output_file_stream(NULL));
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole_or_not), cmocka_unit_test(test_failed_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
