/* test_sphere.c - fields on spherical designs: charges keep their multipoles, harmonic fields their values, up to the
 * order; beyond it the error is the first degree's that is left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "method/tree/sphere_values.h"

enum { CHARGES = 5 };

static void random_place(uint64_t id, double size, double *x)
{
    double u[4];
    myr_random_uniform(7, 0, id, 0, u);
    myr_random_uniform(7, 0, id, 1, u + 2);
    const double z = 2 * u[0] - 1, phi = 6.283185307179586 * u[1], s = sqrt(1 - z * z), r = size * cbrt(u[2]);
    x[0] = r * s * cos(phi);
    x[1] = r * s * sin(phi);
    x[2] = r * z;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* |a|^n |b|^n P_n of the angle between them. */
static double legendre(int n, const double *a, const double *b)
{
    const double c = dot(a, b), square = dot(a, a) * dot(b, b);
    double below = 1, now = c;
    if (n == 0)
        return 1;
    for (int k = 1; k < n; k++) {
        const double next = ((2 * k + 1) * c * now - k * square * below) / (k + 1);
        below = now;
        now = next;
    }
    return now;
}

/* sum q r^n P_n about a direction: all of them for all directions are the multipoles of degree n. */
static void test_multipoles(void **state)
{
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        myr_sphere_values s;
        _Alignas(64) double value[2 * MYR_SPHERE_VALUES_MOST] = {0};
        double x[CHARGES][3], charge[CHARGES][2], most = 0;
        myr_sphere_values_make(order, &s);
        for (int i = 0; i < CHARGES; i++) {
            random_place((uint64_t)i, 1.3, x[i]);
            myr_random_uniform(7, 1, (uint64_t)i, 0, charge[i]);
            charge[i][1] -= 0.5;
            myr_sphere_values_spread(&s, x[i], 2, charge[i], value);
        }
        for (int n = 0; n <= order; n++)
            for (int f = 0; f < 2; f++) {
                double about[3], want = 0, got = 0, size = 0;
                random_place((uint64_t)(100 + n), 1, about);
                for (int i = 0; i < CHARGES; i++) {
                    want += charge[i][f] * legendre(n, x[i], about);
                    size += fabs(charge[i][f]) * pow(dot(x[i], x[i]) * dot(about, about), 0.5 * n);
                }
                for (int k = 0; k < s.points; k++) {
                    const double point[3] = {s.x[0][k], s.x[1][k], s.x[2][k]};
                    got += value[f * s.padded + k] * legendre(n, point, about);
                }
                most = fmax(most, fabs(got - want) / size);
            }
        if (!(most <= 3e-14)) /* measured: 2e-16 to 7.3e-15 */
            fail_msg("order %d: multipoles are off by %g", order, most);
    }
}

/* A field of far charges: what is left is of the degrees beyond the order. */
static void test_inside(void **state)
{
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        myr_sphere_values s;
        _Alignas(64) double value[MYR_SPHERE_VALUES_MOST] = {0};
        double far[3], most = 0;
        myr_sphere_values_make(order, &s);
        random_place(200, 1, far);
        const double length = sqrt(dot(far, far));
        for (int axis = 0; axis < 3; axis++)
            far[axis] *= 8 / length;
        for (int k = 0; k < s.points; k++) {
            const double d[3] = {far[0] - s.x[0][k], far[1] - s.x[1][k], far[2] - s.x[2][k]};
            value[k] = 8 / sqrt(dot(d, d));
        }
        for (uint64_t i = 0; i < 50; i++) {
            double x[3], got;
            random_place(300 + i, 1, x);
            myr_sphere_values_read(&s, x, 1, value, &got);
            const double d[3] = {far[0] - x[0], far[1] - x[1], far[2] - x[2]};
            most = fmax(most, fabs(got - 8 / sqrt(dot(d, d))));
        }
        const double bar = 2 * pow(8, -order - 1); /* measured: 0.18 to 1.02 times 8^-(p+1) */
        if (!(most <= bar) || !(most >= bar / 20))
            fail_msg("order %d: a field is off by %g, expected about %g", order, most, bar / 2);
    }
}

/* Polynomials of the order's degree come back. */
static void test_polynomials(void **state)
{
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        myr_sphere_values s;
        _Alignas(64) double value[3 * MYR_SPHERE_VALUES_MOST] = {0};
        double about[3][3], most = 0;
        myr_sphere_values_make(order, &s);
        for (int f = 0; f < 3; f++) {
            random_place((uint64_t)(400 + f), 1, about[f]);
            for (int k = 0; k < s.points; k++) {
                const double point[3] = {s.x[0][k], s.x[1][k], s.x[2][k]};
                value[f * s.padded + k] = legendre(order - f < 0 ? 0 : order - f, point, about[f]);
            }
        }
        for (uint64_t i = 0; i < 20; i++) {
            double x[3], got[3];
            random_place(500 + i, 1, x);
            myr_sphere_values_read(&s, x, 3, value, got);
            for (int f = 0; f < 3; f++)
                most = fmax(most, fabs(got[f] - legendre(order - f < 0 ? 0 : order - f, x, about[f])));
        }
        if (!(most <= 2e-15)) /* measured: 4.4e-16 */
            fail_msg("order %d: a harmonic polynomial is off by %g", order, most);
    }
}

/* Slopes against differences. */
static void test_slopes(void **state)
{
    const double step = 1e-4;
    (void)state;
    for (int order = 1; order <= MYR_SPHERICAL_DESIGN_ORDER; order++) {
        myr_sphere_values s;
        _Alignas(64) double value[2 * MYR_SPHERE_VALUES_MOST] = {0};
        myr_sphere_values_make(order, &s);
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < s.points; k++)
                value[f * s.padded + k] = sin(7.0 * k + f);
        for (uint64_t i = 0; i < 10; i++) {
            double x[3], field[2], plain[2], slope[2][3];
            random_place(600 + i, 1, x);
            myr_sphere_values_slope(&s, x, 2, value, field, slope);
            myr_sphere_values_read(&s, x, 2, value, plain);
            for (int f = 0; f < 2; f++) {
                assert_true(fabs(field[f] - plain[f]) <= 1e-14);
                for (int axis = 0; axis < 3; axis++) {
                    double up[3], down[3], above[2], below[2];
                    memcpy(up, x, sizeof up);
                    memcpy(down, x, sizeof down);
                    up[axis] += step;
                    down[axis] -= step;
                    myr_sphere_values_read(&s, up, 2, value, above);
                    myr_sphere_values_read(&s, down, 2, value, below);
                    const double want = (above[f] - below[f]) / (2 * step);
                    if (!(fabs(slope[f][axis] - want) <= 2.5e-6)) /* measured: 5.1e-7, of the differences */
                        fail_msg("order %d: slope %d is %.15g, not %.15g", order, axis, slope[f][axis], want);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multipoles),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
