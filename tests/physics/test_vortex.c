/* test_vortex.c - vortex elements against answers that are known: a straight filament, and stretching as the derivative
 * of the velocity. */
#include "physics/physics.h"

/* A straight row of elements is a vortex of Lamb and Oseen: u = Gamma/(2 pi r) (1 - exp(-r^2/(2 sigma^2))) around it.
 * What is missing beyond +-L is that of a thin filament: 1 - L/sqrt(L^2 + r^2). The sum over equal steps below sigma
 * is as good as the integral. */
static void straight_filament(void **state)
{
    enum { N = 4000, PROBES = 6 };
    static double x[3 * N], strength[3 * N];
    const double length = 200.0, circulation = 3.0, core = 0.4, step = 2.0 * length / N;
    const double radii[PROBES] = {0.01, 0.2, 0.5, 1.0, 3.0, 10.0};
    /* measured 1.1e-7, 1.1e-7, 9.8e-8, 6.2e-11 (the steps at the ends) */
    const double bound[ARITHMETICS] = {4e-7, 4e-7, 4e-7, 2e-10};
    double probes[3 * PROBES];
    myr_context *context = new_context();
    myr_particles *row = new_particles(context, N), *probe = new_particles(context, PROBES);
    (void)state;
    for (int i = 0; i < N; i++) {
        x[3 * i + 2] = -length + (i + 0.5) * step;
        strength[3 * i + 2] = circulation * step;
    }
    for (int i = 0; i < PROBES; i++) {
        probes[3 * i] = 0.6 * radii[i];
        probes[3 * i + 1] = 0.8 * radii[i];
        probes[3 * i + 2] = 0.0;
    }
    set_field(row, "position", 3, x);
    set_field(row, "strength", 3, strength);
    fill_field(row, "core", core);
    set_field(probe, "position", 3, probes);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "biot_savart", arithmetics[a], NULL, 0.0, probe, row);
        for (int i = 0; i < PROBES; i++) {
            const double r = radii[i], missing = 1.0 - length / sqrt(length * length + r * r);
            const double u = circulation / (2.0 * PI * r) * (-expm1(-r * r / (2.0 * core * core)) - missing);
            keep_largest(&worst, fabs(result(probe, "velocity", 0)[i] + 0.8 * u) / u); /* counter-clockwise */
            keep_largest(&worst, fabs(result(probe, "velocity", 1)[i] - 0.6 * u) / u);
            keep_largest(&worst, fabs(result(probe, "velocity", 2)[i]) / u);
        }
        expect_below("straight filament", worst, bound[a]);
    }
    myr_particles_destroy(&probe);
    myr_particles_destroy(&row);
    myr_context_destroy(&context);
}

enum { ELEMENTS = 97, TARGETS = 23 };

static void random_elements(myr_particles *p, uint64_t seed, int64_t n)
{
    double x[3 * ELEMENTS], strength[3 * ELEMENTS], core[ELEMENTS];
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = uniform(&seed);
            strength[3 * i + k] = uniform(&seed) - 0.5;
        }
        core[i] = 0.05 + 0.3 * uniform(&seed);
    }
    set_field(p, "position", 3, x);
    set_field(p, "strength", 3, strength);
    set_field(p, "core", 1, core);
}

/* d alpha/dt = (alpha.grad) u, u by differences of the fourth order along alpha. */
static void stretching_is_a_derivative(void **state)
{
    const double h = 1e-3;
    double moved[3 * TARGETS], u[4][3][TARGETS];
    myr_context *context = new_context();
    myr_particles *sources = new_particles(context, ELEMENTS), *targets = new_particles(context, TARGETS);
    myr_particles *probe = new_particles(context, TARGETS);
    (void)state;
    random_elements(sources, 11, ELEMENTS);
    random_elements(targets, 77, TARGETS);
    for (int m = 0; m < 4; m++) {
        const double step = (m < 2 ? m - 2 : m - 1) * h;
        for (int i = 0; i < TARGETS; i++)
            for (int k = 0; k < 3; k++)
                moved[3 * i + k] = result(targets, "position", k)[i] + step * result(targets, "strength", k)[i];
        set_field(probe, "position", 3, moved);
        evaluate(context, "biot_savart", "double", NULL, 0.0, probe, sources);
        for (int k = 0; k < 3; k++)
            memcpy(u[m][k], result(probe, "velocity", k), sizeof u[m][k]);
    }
    double worst = 0.0, size = 0.0;
    evaluate(context, "stretching", "double", NULL, 0.0, targets, sources);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < TARGETS; i++) {
            const double slope = (u[0][k][i] - 8.0 * u[1][k][i] + 8.0 * u[2][k][i] - u[3][k][i]) / (12.0 * h);
            keep_largest(&worst, fabs(result(targets, "stretching", k)[i] - slope));
            keep_largest(&size, fabs(slope));
        }
    }
    expect_below("stretching against differences of the velocity", worst / size, 5e-9); /* measured 1.1e-9 */
    myr_particles_destroy(&probe);
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
    myr_context_destroy(&context);
}

/* The gradient of the velocity at the targets, gradient[k][m] = du_k/dx_m, by differences of the fourth order. */
static void differentiate(myr_context *context, const myr_particles *targets, const myr_particles *sources,
                          double gradient[3][3][TARGETS])
{
    static const double weight[4] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0};
    const double h = 1e-3;
    double moved[3 * TARGETS];
    myr_particles *probe = new_particles(context, TARGETS);
    memset(gradient, 0, 9 * sizeof gradient[0][0]);
    for (int axis = 0; axis < 3; axis++)
        for (int m = 0; m < 4; m++) {
            for (int i = 0; i < 3 * TARGETS; i++)
                moved[i] =
                    result(targets, "position", i % 3)[i / 3] + (i % 3 == axis ? (m < 2 ? m - 2 : m - 1) * h : 0);
            set_field(probe, "position", 3, moved);
            evaluate(context, "biot_savart", "double", NULL, 0.0, probe, sources);
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < TARGETS; i++)
                    gradient[k][axis][i] += weight[m] / h * result(probe, "velocity", k)[i];
        }
    myr_particles_destroy(&probe);
}

/* The three schemes against the gradient of the velocity: alpha.grad u, its transpose, and their mean. */
static void schemes_of_stretching(void **state)
{
    static const struct {
        const char *kernel;
        double straight, transposed;
    } scheme[] = {{"velocity_stretching", 1, 0},
                  {"velocity_stretching_transposed", 0, 1},
                  {"velocity_stretching_mixed", 0.5, 0.5}};
    static double gradient[3][3][TARGETS];
    myr_context *context = new_context();
    myr_particles *sources = new_particles(context, ELEMENTS), *targets = new_particles(context, TARGETS);
    (void)state;
    random_elements(sources, 11, ELEMENTS);
    random_elements(targets, 77, TARGETS);
    differentiate(context, targets, sources, gradient);
    for (int a = 0; a < ARITHMETICS; a++)
        for (int k = 0; k < 3; k++) {
            double worst = 0, size = 0;
            evaluate(context, scheme[k].kernel, arithmetics[a], NULL, 0.0, targets, sources);
            for (int i = 0; i < TARGETS; i++)
                for (int c = 0; c < 3; c++) {
                    double rate = 0;
                    for (int m = 0; m < 3; m++)
                        rate += (scheme[k].straight * gradient[c][m][i] + scheme[k].transposed * gradient[m][c][i]) *
                                result(targets, "strength", m)[i];
                    keep_largest(&worst, fabs(result(targets, "stretching", c)[i] - rate));
                    keep_largest(&size, fabs(rate));
                }
            /* measured: 6e-9 in double, 5.7e-7 in others */
            expect_below(scheme[k].kernel, worst / size, strcmp(arithmetics[a], "double") == 0 ? 3e-8 : 2.5e-6);
        }
    myr_particles_destroy(&targets);
    myr_particles_destroy(&sources);
    myr_context_destroy(&context);
}

/* One pass gives the bits of two. */
static void one_pass_or_two(void **state)
{
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, ELEMENTS), *q = new_particles(context, ELEMENTS);
    (void)state;
    random_elements(p, 3, ELEMENTS);
    random_elements(q, 3, ELEMENTS);
    for (int a = 0; a < ARITHMETICS; a++) {
        evaluate(context, "velocity_stretching", arithmetics[a], NULL, 0.0, p, p);
        evaluate(context, "biot_savart", arithmetics[a], NULL, 0.0, q, q);
        evaluate(context, "stretching", arithmetics[a], NULL, 0.0, q, q);
        for (int k = 0; k < 3; k++) {
            assert_memory_equal(result(p, "velocity", k), result(q, "velocity", k), ELEMENTS * sizeof(double));
            assert_memory_equal(result(p, "stretching", k), result(q, "stretching", k), ELEMENTS * sizeof(double));
        }
    }
    myr_particles_destroy(&q);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_filament),
        cmocka_unit_test(stretching_is_a_derivative),
        cmocka_unit_test(schemes_of_stretching),
        cmocka_unit_test(one_pass_or_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
