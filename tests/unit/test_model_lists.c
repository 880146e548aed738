/* test_model_lists.c - lists of parameters and options of models and external fields end inside their arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/external.h"
#include "model/model.h"

#define LAST(list) ((list)[sizeof(list) / sizeof *(list)-1])

static void test_models(void **state)
{
    (void)state;
    const myr_model_kind *kind;
    int models = 0;
    for (; (kind = myr_model_kind_at(models)); models++) {
        if (LAST(kind->param).info.name || LAST(kind->option).name)
            fail_msg("a list of model '%s' has no end", kind->info.name);
        int parameters = 0, options = 0;
        while (myr_model_parameter(models, parameters))
            parameters++;
        while (myr_model_option(models, options))
            options++;
        if (parameters > MYR_MODEL_PARAMETERS || options > MYR_MODEL_OPTIONS)
            fail_msg("model '%s' has %d parameters and %d options", kind->info.name, parameters, options);
    }
    assert_true(models > 0);
}

static void test_groups(void **state)
{
    (void)state;
    const myr_model_group *group[] = {&myr_masses_group, &myr_scales_group, &myr_centre_group, &myr_motion_group,
                                      &myr_binaries_group};
    for (size_t k = 0; k < sizeof group / sizeof *group; k++) {
        assert_null(LAST(group[k]->param).info.name);
        assert_null(LAST(group[k]->option).name);
    }
}

static void test_external_fields(void **state)
{
    (void)state;
#define MYR_EXTERNAL(field) assert_null(LAST(myr_##field##_external.param).info.name);
#include "model/externals.def"
#undef MYR_EXTERNAL
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_external_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
