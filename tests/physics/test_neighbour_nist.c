/* test_neighbour_nist.c - the reference configurations of the Lennard-Jones fluid that NIST publishes: energies,
 * virials and long-range corrections, to all digits given. */
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
#include "source_file.h"

enum { DOUBLE = 3, MOST = 800 };

static uint64_t q[3][MOST];

/* Half a unit of the last digit given is the bar; 0 where nothing is given. */
typedef struct {
    const char *file;
    double edge, cutoff;
    double energy, energy_bar, virial, virial_bar, tail, tail_bar;
} row;

static const row rows[] = {
    {"tests/data/nist_lj_1.csv", 10, 3, -4351.540195, 0.5e-6, -568.66547, 0.5e-5, -198.49, 0.5e-2},
    {"tests/data/nist_lj_2.csv", 8, 3, -690.004045, 0.5e-6, -568.45734, 0.5e-5, -24.230, 0.5e-3},
    {"tests/data/nist_lj_1.csv", 10, 4, -4467.5, 0.05, -1263.88337, 0.5e-5, 0, 0},
    {"tests/data/nist_lj_2.csv", 8, 4, -704.60, 0.5e-2, -655.98756, 0.5e-5, 0, 0},
};

static int64_t load(const row *r, myr_box *box)
{
    double x[3];
    int64_t n = 0;
    FILE *file = fopen(source_file(r->file), "r");
    if (!file)
        fail_msg("%s cannot be opened", source_file(r->file));
    for (int k = 0; k < 3; k++)
        box->length[k] = r->edge;
    assert_int_equal(fscanf(file, "x,y,z\n"), 0);
    for (; fscanf(file, "%lf,%lf,%lf", x, x + 1, x + 2) == 3; n++) {
        assert_true(n < MOST);
        for (int k = 0; k < 3; k++)
            q[k][n] = myr_box_coordinate(box, k, x[k], NULL);
    }
    assert_true(feof(file));
    fclose(file);
    return n;
}

static void test_configurations(void **state)
{
    (void)state;
    static double f[3][MOST];
    double *const force[3] = {f[0], f[1], f[2]};
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int fixed = 0; fixed < 2; fixed++) {
            const myr_pair_potential pair = {1, 1, rows[k].cutoff, 0};
            myr_neighbour_set set = {.box = {{0}, {0}, {1, 1, 1}}, .q = {q[0], q[1], q[2]}, .types = 1, .pair = &pair};
            myr_neighbour *list;
            myr_neighbour_sums sums;
            set.n = load(&rows[k], &set.box);
            assert_int_equal(set.n, rows[k].edge == 10 ? 800 : 200);
            set.arithmetic = DOUBLE;
            set.fixed = fixed;
            assert_int_equal(myr_neighbour_create(context, &set, &list), MYR_OK);
            assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
            assert_int_equal(neighbour_forces(list, force, &sums), MYR_OK);
            const double virial = sums.virial[0] + sums.virial[1] + sums.virial[2];
            const double volume = set.box.length[0] * set.box.length[1] * set.box.length[2], n = (double)set.n;
            double tail, pressure;
            myr_cut_tail(&pair, &tail, &pressure);
            print_message("%s rc %g: U %.7f W %.6f tail %.4f\n", rows[k].file, rows[k].cutoff, sums.energy, virial,
                          n * n / volume / 2 * tail);
            assert_true(fabs(sums.energy - rows[k].energy) <= rows[k].energy_bar);
            assert_true(fabs(virial - rows[k].virial) <= rows[k].virial_bar);
            if (rows[k].tail_bar > 0)
                assert_true(fabs(n * n / volume / 2 * tail - rows[k].tail) <= rows[k].tail_bar);
            myr_neighbour_destroy(&list);
        }
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_configurations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
