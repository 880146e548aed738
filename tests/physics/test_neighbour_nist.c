/* test_neighbour_nist.c - the reference configurations of the Lennard-Jones fluid that NIST publishes, by the list of
 * neighbours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "method/neighbour/neighbour.h"
#include "neighbour_forces.h"
#include "physics/nist_configurations.h"

enum { DOUBLE = 3 };

static uint64_t q[3][NIST_MOST];

static void load(const nist_configuration *r, myr_neighbour_set *set)
{
    static double x[3][NIST_MOST];
    nist_load(r, x);
    set->n = r->n;
    for (int k = 0; k < 3; k++) {
        set->box.length[k] = r->edge;
        for (int64_t i = 0; i < r->n; i++)
            q[k][i] = myr_box_coordinate(&set->box, k, x[k][i], NULL);
    }
}

static void test_configurations(void **state)
{
    (void)state;
    static double f[3][NIST_MOST];
    double *const force[3] = {f[0], f[1], f[2]};
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (size_t k = 0; k < NIST_CONFIGURATIONS; k++)
        for (int fixed = 0; fixed < 2; fixed++) {
            const nist_configuration *r = &nist_configurations[k];
            const myr_pair_potential pair = {1, 1, r->cutoff, 0};
            myr_neighbour_set set = {.box = {{0}, {0}, {1, 1, 1}}, .q = {q[0], q[1], q[2]}, .types = 1, .pair = &pair};
            myr_neighbour *list;
            myr_neighbour_sums sums = {0};
            load(r, &set);
            set.arithmetic = DOUBLE;
            set.fixed = fixed;
            assert_int_equal(myr_neighbour_create(context, &set, &list), MYR_OK);
            assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
            assert_int_equal(neighbour_forces(list, force, &sums), MYR_OK);
            const double virial = sums.virial[0] + sums.virial[1] + sums.virial[2];
            const double volume = set.box.length[0] * set.box.length[1] * set.box.length[2], n = (double)set.n;
            double tail, pressure;
            myr_cut_tail(&pair, &tail, &pressure);
            print_message("%s rc %g: U %.7f W %.6f tail %.4f\n", r->file, r->cutoff, sums.energy, virial,
                          n * n / volume / 2 * tail);
            assert_true(fabs(sums.energy - r->energy) <= r->energy_bar);
            assert_true(fabs(virial - r->virial) <= r->virial_bar);
            if (r->tail_bar > 0)
                assert_true(fabs(n * n / volume / 2 * tail - r->tail) <= r->tail_bar);
            myr_neighbour_destroy(&list);
        }
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_configurations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
