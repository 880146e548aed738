/* test_sph.c - smoothed particles against answers that are known: the density of a uniform lattice, the acceleration
 * by a pressure that grows linearly, and the conservation of momentum. */
#include "physics/physics.h"

enum { SIDE = 11, N = SIDE * SIDE * SIDE, MIDDLE = N / 2 };

/* A lattice of spacing `a` with the density 1, coordinates from -5a to 5a. */
static void lattice(myr_particles *p, double a, double h)
{
    static double x[3 * N];
    for (int i = 0; i < N; i++) {
        x[3 * i] = (i / (SIDE * SIDE) - SIDE / 2) * a;
        x[3 * i + 1] = (i / SIDE % SIDE - SIDE / 2) * a;
        x[3 * i + 2] = (i % SIDE - SIDE / 2) * a;
    }
    set_field(p, "position", 3, x);
    fill_field(p, "mass", a * a * a);
    fill_field(p, "smoothing_length", h);
}

/* The density in the middle of a uniform lattice is 1, within a per cent for every usual h. */
static void density_of_a_lattice(void **state)
{
    const double a = 0.25;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, N);
    (void)state;
    for (int k = 0; k < ARITHMETICS; k++) {
        double worst = 0.0;
        for (double h = 1.1; h < 2.05; h += 0.1) {
            lattice(p, a, h * a);
            evaluate(context, "sph_density", arithmetics[k], NULL, 0.0, p, p);
            keep_largest(&worst, fabs(result(p, "density", 0)[MIDDLE] - 1.0));
        }
        expect_below("density of a lattice, h = 1.1 to 2 spacings", worst, 0.01);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* A lone particle has the density m W(0) = m/(pi h^3); at distance h another adds m/(4 pi h^3), at 2h nothing. */
static void density_of_a_few(void **state)
{
    const double h = 0.5, unit = 3.0 / (PI * h * h * h);
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 3);
    set_field(p, "position", 3, (const double[]){0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, -1.0, 0.0});
    fill_field(p, "mass", 3.0);
    fill_field(p, "smoothing_length", h);
    (void)state;
    for (int k = 0; k < ARITHMETICS; k++) {
        const double bound = k == 3 ? 1e-15 : 1e-6; /* measured 2.3e-16, 2.4e-7 */
        double worst = 0.0;
        evaluate(context, "sph_density", arithmetics[k], NULL, 0.0, p, p);
        const double *rho = result(p, "density", 0);
        keep_largest(&worst, fabs(rho[0] / (1.25 * unit) - 1.0));
        keep_largest(&worst, fabs(rho[1] / (1.25 * unit) - 1.0));
        keep_largest(&worst, fabs(rho[2] / unit - 1.0));
        expect_below("density of a few", worst, bound);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* In a fluid of density 1 at rest with P = 2 + 0.3 x the acceleration is -0.3. */
static void pressure_gradient(void **state)
{
    const double a = 0.25;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, N);
    (void)state;
    lattice(p, a, 1.5 * a);
    set_field(p, "velocity", 3, (const double[3 * N]){0});
    fill_field(p, "density", 1.0);
    fill_field(p, "sound_speed", 1.0);
    fill_field(p, "pressure", 0.0);
    for (int i = 0; i < N; i++)
        myr_particles_component(p, "pressure", 0)[i] = 2.0 + 0.3 * result(p, "position", 0)[i];
    for (int k = 0; k < ARITHMETICS; k++) {
        evaluate(context, "sph_force", arithmetics[k], NULL, 0.0, p, p);
        /* the lattice, not the arithmetic: measured 1.1e-2 */
        expect_below("pressure gradient", fabs(result(p, "acceleration", 0)[MIDDLE] / -0.3 - 1.0), 0.03);
        assert_true(result(p, "acceleration", 1)[MIDDLE] == 0.0); /* by symmetry, and `fixed` keeps it */
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Two particles that approach are slowed down by the viscosity of Monaghan, two that part are not. */
static void viscosity(void **state)
{
    const double h = 1.0, r = 0.5, speed = 0.4, sound = 2.0, rho = 1.5, mass = 0.7;
    const double mu = -h * speed * r / (r * r + 0.01 * h * h);
    const double pi = (-1.0 * sound * mu + 2.0 * mu * mu) / rho;
    const double slope = 3.0 / (4.0 * PI) * (4.0 - 3.0 * r) * r; /* -dW/dr */
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    set_field(p, "position", 3, (const double[]){0.0, 0.0, 0.0, r, 0.0, 0.0});
    fill_field(p, "mass", mass);
    fill_field(p, "density", rho);
    fill_field(p, "pressure", 0.0);
    fill_field(p, "smoothing_length", h);
    fill_field(p, "sound_speed", sound);
    (void)state;
    for (int k = 0; k < ARITHMETICS; k++) {
        const double bound = k == 3 ? 5e-16 : 1e-6; /* measured 1.2e-16, 2.5e-7 */
        set_field(p, "velocity", 3, (const double[]){speed, 0.0, 0.0, 0.0, 0.0, 0.0});
        evaluate(context, "sph_force", arithmetics[k], NULL, 0.0, p, p);
        expect_below("approach", fabs(result(p, "acceleration", 0)[0] / (-mass * pi * slope) - 1.0), bound);
        set_field(p, "velocity", 3, (const double[]){-speed, 0.0, 0.0, 0.0, 0.0, 0.0});
        evaluate(context, "sph_force", arithmetics[k], NULL, 0.0, p, p);
        assert_true(result(p, "acceleration", 0)[0] == 0.0);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* For equal masses the accelerations sum to exactly 0 with `fixed`, whatever the rest. */
static void momentum(void **state)
{
    enum { FEW = 301 };
    static const char *const fields[] = {"density", "pressure", "smoothing_length", "sound_speed"};
    double x[3 * FEW], v[3 * FEW];
    uint64_t seed = 9;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, FEW);
    (void)state;
    for (int i = 0; i < 3 * FEW; i++) {
        x[i] = uniform(&seed);
        v[i] = uniform(&seed) - 0.5;
    }
    set_field(p, "position", 3, x);
    set_field(p, "velocity", 3, v);
    fill_field(p, "mass", 0.37);
    for (int k = 0; k < 4; k++) {
        double value[FEW];
        for (int i = 0; i < FEW; i++)
            value[i] = 0.1 + 0.2 * uniform(&seed);
        set_field(p, fields[k], 1, value);
    }
    for (int k = 0; k < ARITHMETICS; k++) {
        myr_interaction *f = new_interaction(context, "sph_force", arithmetics[k]);
        expect_ok(context, myr_interaction_evaluate(f, p, p));
        for (int c = 0; c < 3; c++) {
            double net = 1.0;
            expect_ok(context, myr_interaction_net(f, "acceleration", c, &net));
            assert_true(net == 0.0);
        }
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_of_a_lattice),
        cmocka_unit_test(density_of_a_few),
        cmocka_unit_test(pressure_gradient),
        cmocka_unit_test(viscosity),
        cmocka_unit_test(momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
