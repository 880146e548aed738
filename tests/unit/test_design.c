/* test_design.c - spherical designs: numbers of points as paper 004's Table 1, and every harmonic up to twice the order
 * averages to nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "method/tree/spherical_design.h"

enum { DEGREE = 2 * MYR_SPHERICAL_DESIGN_ORDER + 1 };

/* Harmonics of x, Schmidt's normalisation, by the textbook's associated Legendre functions and angles: h[n][n + m]. */
static void harmonics(const double *x, double h[DEGREE + 1][2 * DEGREE + 1])
{
    const double phi = atan2(x[1], x[0]), z = x[2], s = sqrt(x[0] * x[0] + x[1] * x[1]);
    for (int m = 0; m <= DEGREE; m++) {
        double legendre[DEGREE + 2] = {0};
        legendre[m] = 1; /* over sqrt((2m)!)/(2^m m!) sin^m */
        for (int k = 1; k <= m; k++)
            legendre[m] *= s * sqrt((2.0 * k - 1) / (2.0 * k));
        for (int n = m; n < DEGREE; n++) {
            const double below = n > m ? sqrt((double)(n * n - m * m)) * legendre[n - 1] : 0;
            legendre[n + 1] = ((2 * n + 1) * z * legendre[n] - below) / sqrt((double)((n + 1) * (n + 1) - m * m));
        }
        for (int n = m; n <= DEGREE; n++) {
            h[n][n + m] = (m ? sqrt(2) : 1) * legendre[n] * cos(m * phi);
            h[n][n - m] = m ? sqrt(2) * legendre[n] * sin(m * phi) : h[n][n];
        }
    }
}

/* Largest mean of a harmonic of degree n over the design. */
static double design_residual(int order, int n)
{
    static double h[DEGREE + 1][2 * DEGREE + 1];
    double point[MYR_SPHERICAL_DESIGN_POINTS][3], mean[2 * DEGREE + 1] = {0}, most = 0;
    const int points = myr_spherical_design_points(order);
    myr_spherical_design_fill(order, point);
    for (int k = 0; k < points; k++) {
        harmonics(point[k], h);
        for (int m = 0; m <= 2 * n; m++)
            mean[m] += h[n][m] / points;
    }
    for (int m = 0; m <= 2 * n; m++)
        most = fmax(most, fabs(mean[m]));
    return most;
}

static void test_points(void **state)
{
    static const int points[] = {1, 4, 14, 26, 36, 60, 84, 108, 144, 180, 216};
    (void)state;
    for (int order = 0; order <= MYR_SPHERICAL_DESIGN_ORDER; order++)
        assert_int_equal(myr_spherical_design_points(order), points[order]);
}

static void test_unit_sphere(void **state)
{
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        double point[MYR_SPHERICAL_DESIGN_POINTS][3];
        myr_spherical_design_fill(order, point);
        for (int k = 0; k < myr_spherical_design_points(order); k++) {
            const double *x = point[k];
            assert_true(fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1) <= 1e-15); /* measured: 2.3e-16 */
        }
    }
}

static void test_degree(void **state)
{
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        for (int n = 1; n <= 2 * order; n++) {
            const double residual = design_residual(order, n);
            if (!(residual <= 8e-16)) /* measured: 1.8e-16 */
                fail_msg("order %d: a harmonic of degree %d averages to %g", order, n, residual);
        }
        /* and one of the next degree does not: the test sees what it looks for */
        const double next = design_residual(order, 2 * order + 1); /* measured: 0.019 to 0.75 */
        assert_true(next > 5e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_unit_sphere),
        cmocka_unit_test(test_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
