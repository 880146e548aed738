/* test_names.c - "did you mean", and the lists of the catalogue: every name is found, none past the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "interaction/catalogue.h"

static const char *metal(int k)
{
    static const char *const names[] = {"copper", "iron", "silver", "tin", "x"};
    return k >= 0 && k < 5 ? names[k] : NULL;
}

/* "irno" is a swap away from the first and a letter away from the second. */
static const char *alike(int k)
{
    static const char *const names[] = {"iron", "irxo"};
    return k >= 0 && k < 2 ? names[k] : NULL;
}

static const char *nothing(int k)
{
    (void)k;
    return NULL;
}

static void test_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *nearest;
    } rows[] = {
        {"copper", "copper"}, {"coper", "copper"},   {"coppre", "copper"}, {"kopper", "copper"}, {"coppper", "copper"},
        {"silber", "silver"}, {"irno", "iron"},      {"sil", "silver"},    {"copp", "copper"},   {"ti", "tin"},
        {"platinum", NULL},   {"quicksilver", NULL}, {"zz", NULL},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *got = myr_nearest(rows[k].typed, metal);
        if (rows[k].nearest ? !got || strcmp(got, rows[k].nearest) != 0 : got != NULL)
            fail_msg("'%s' is nearest to '%s'", rows[k].typed, got ? got : "nothing");
    }
    assert_string_equal(myr_nearest("irno", alike), "iron");
}

static void test_nearest_of_nothing(void **state)
{
    (void)state;
    char longest[2000];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(myr_nearest(NULL, metal));
    assert_null(myr_nearest("iron", NULL));
    assert_null(myr_nearest("iron", nothing));
    assert_null(myr_nearest(longest, metal));
    longest[64] = '\0'; /* the longest that is compared */
    assert_null(myr_nearest(longest, metal));
    assert_true(!myr_nearest("", metal) || strlen(myr_nearest("", metal)) == 1);
}

static void test_plurals(void **state)
{
    (void)state;
    assert_string_equal(myr_plural(1), "");
    assert_string_equal(myr_plural(0), "s");
    assert_string_equal(myr_plural(2), "s");
    assert_string_equal(myr_plural(INT64_C(0x100000001)), "s"); /* 1 in its low word */
}

/* Each list: names differ, the index comes back, and a name one letter off is found again. */
static void list_check(const char *(*name)(int k), int (*find)(const char *name), int at_least)
{
    int count = 0;
    for (; name(count); count++) {
        char typed[64];
        assert_int_equal(find(name(count)), count);
        strcpy(typed, name(count));
        typed[0] = '_';
        if (strlen(typed) > 3)
            assert_string_equal(myr_nearest(typed, name), name(count));
    }
    assert_true(count >= at_least);
    assert_null(name(-1));
    assert_int_equal(find("no such name"), -1);
    assert_int_equal(find(""), -1);
    assert_int_equal(find(NULL), -1);
}

static void test_lists(void **state)
{
    (void)state;
    list_check(myr_catalogue_kernel_name, myr_catalogue_kernel, 26);
    list_check(myr_catalogue_accumulator_name, myr_catalogue_accumulator, 8);
    list_check(myr_catalogue_arithmetic_name, myr_catalogue_arithmetic, 4);
    list_check(myr_catalogue_isa_name, myr_catalogue_isa, 1);
    list_check(myr_catalogue_method_name, myr_catalogue_method, 1);
    list_check(myr_catalogue_backend_name, myr_catalogue_backend, 3);
}

/* What the catalogue says of each kernel is complete. */
static void test_kernels(void **state)
{
    (void)state;
    const myr_kernel_info *k;
    for (int n = 0; (k = myr_kernel(n)); n++) {
        assert_ptr_equal(myr_kernel_find(k->name), k);
        assert_true(strlen(k->text) > 10 && strlen(k->formula) > 5);
        assert_true(k->position_components == 3 || k->position_components == 1);
        assert_non_null(k->output[0].name);
        assert_true(strstr("vanishes skipped counted", k->self) != NULL);
        assert_true(k->flops > 0 && k->flops_gpu >= k->flops && k->issue > 0);
        for (int f = 0; f < 8 && k->output[f].name; f++)
            assert_true(k->output[f].components >= 1 && k->output[f].components <= 3);
        for (int p = 0; p < 10 && k->param[p].name; p++) {
            assert_true(k->param[p].lower <= k->param[p].value && k->param[p].value <= k->param[p].upper);
            assert_true(strlen(k->param[p].text) > 5);
        }
    }
    assert_null(myr_kernel(-1));
    assert_null(myr_kernel_find("gravit"));
    assert_null(myr_kernel_find(NULL));
}

static void test_accumulators(void **state)
{
    (void)state;
    const myr_accumulator_info *a;
    for (int n = 0; (a = myr_accumulator(n)); n++) {
        assert_true(strlen(a->text) > 5);
        assert_non_null(strstr(a->arithmetics, "single"));
        assert_int_equal(a->order_independent, strcmp(a->name, "fixed") == 0 || strcmp(a->name, "narumi") == 0);
    }
    assert_null(myr_accumulator(-1));
    assert_null(myr_arithmetic(-1));
    assert_null(myr_method(-1));
    assert_null(myr_backend(-1));
    assert_null(myr_isa(-1));
    assert_null(myr_model(-1));
}

/* Codes and texts are one list; the version is that of the headers. */
static void test_texts(void **state)
{
    (void)state;
    assert_string_equal(myr_status_text(MYR_OK), "no error");
    assert_string_equal(myr_status_text(MYR_ERROR_CANCELLED), "stopped on request");
    assert_string_equal(myr_status_text((myr_status)1000), "unknown status");
    assert_string_equal(myr_status_text((myr_status)-1), "unknown status");
    int major, minor, patch;
    assert_int_equal(sscanf(myr_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major, MYR_VERSION_MAJOR);
    assert_int_equal(minor, MYR_VERSION_MINOR);
    assert_int_equal(patch, MYR_VERSION_PATCH);
    assert_true(strlen(myr_version_build()) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_nearest_of_nothing),
        cmocka_unit_test(test_plurals), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_kernels), cmocka_unit_test(test_accumulators),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
