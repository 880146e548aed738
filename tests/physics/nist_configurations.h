/* nist_configurations.h - the reference configurations of the Lennard-Jones fluid that NIST publishes: positions from
 * tests/data, energies, virials and long-range corrections to all digits given. */
#ifndef MYR_TEST_NIST_CONFIGURATIONS_H
#define MYR_TEST_NIST_CONFIGURATIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "source_file.h"

enum { NIST_MOST = 800, NIST_CONFIGURATIONS = 4 };

/* Half a unit of the last digit given is the bar; 0 where nothing is given. */
typedef struct {
    const char *file;
    int64_t n;
    double edge, cutoff;
    double energy, energy_bar, virial, virial_bar, tail, tail_bar;
} nist_configuration;

static const nist_configuration nist_configurations[NIST_CONFIGURATIONS] = {
    {"tests/data/nist_lj_1.csv", 800, 10, 3, -4351.540195, 0.5e-6, -568.66547, 0.5e-5, -198.49, 0.5e-2},
    {"tests/data/nist_lj_2.csv", 200, 8, 3, -690.004045, 0.5e-6, -568.45734, 0.5e-5, -24.230, 0.5e-3},
    {"tests/data/nist_lj_1.csv", 800, 10, 4, -4467.5, 0.05, -1263.88337, 0.5e-5, 0, 0},
    {"tests/data/nist_lj_2.csv", 200, 8, 4, -704.60, 0.5e-2, -655.98756, 0.5e-5, 0, 0},
};

/* Reads the n positions; the origin is the middle of the box. */
static inline void nist_load(const nist_configuration *r, double x[3][NIST_MOST])
{
    int64_t n = 0;
    double at[3];
    FILE *file = fopen(source_file(r->file), "r");
    if (!file)
        fail_msg("%s cannot be opened", source_file(r->file));
    assert_int_equal(fscanf(file, "x,y,z\n"), 0);
    for (; fscanf(file, "%lf,%lf,%lf", at, at + 1, at + 2) == 3; n++) {
        assert_true(n < r->n);
        for (int k = 0; k < 3; k++)
            x[k][n] = at[k];
    }
    assert_true(feof(file) && n == r->n);
    fclose(file);
}

#endif
