/* test_tree_grid.c - grids of `fixed` sums with method tree: a far cell contributes about as much as all particles
 * together, which no sample of pairs shows. Beyond the grid a contribution takes the time of hundreds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "unit/alone.h"

enum { N = 20000 };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* log2 of the largest contribution that the grid holds over the median force. */
static double room(myr_context *context, const char *method)
{
    static double size[N];
    int exponent;
    myr_particles *p;
    myr_interaction *f;
    assert_int_equal(myr_model_create(context, "uniform", N, 1, &p), MYR_OK);
    assert_int_equal(myr_interaction_create(context, "gravity", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "single"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", method), MYR_OK);
    if (myr_interaction_set(f, "tolerance", 1e-3) || myr_interaction_evaluate(f, p, p))
        fail_msg("%s", myr_context_message(context));
    assert_int_equal(myr_interaction_scale(f, "acceleration", &exponent), MYR_OK);
    for (int64_t i = 0; i < N; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += pow(myr_particles_component(p, "acceleration", c)[i], 2);
        size[i] = sqrt(square);
    }
    qsort(size, N, sizeof *size, compare_doubles);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return exponent - 1 - log2(size[N / 2]);
}

/* Before grids were chosen for cells, that of a tree was the fmm's, and every target of 10^5 uniform bodies went to
 * wide integers: 1.53 s instead of 0.17. */
static void test_cells(void **state)
{
    const double tree = room(*state, "tree"), pairs = room(*state, "fmm");
    print_message("    a grid holds 2^%.1f of a typical force with cells, 2^%.1f with pairs alone\n", tree, pairs);
    assert_true(tree > 1 && tree < 6);
    assert_true(pairs < 0.5); /* or this test shows nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_cells, alone_setup, alone_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
