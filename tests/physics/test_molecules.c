/* test_molecules.c - Lennard-Jones and charges against answers that are known: the pair's minimum, the lattice sums of
 * the face-centred cubic crystal, Madelung's constant, the published dielectric, and forces as gradients. */
#include "physics/physics.h"

static void set_pair(myr_context *context, myr_interaction *f, const char *name, double value)
{
    expect_ok(context, myr_interaction_set_pair(f, name, 1, &value));
}

/* At r = 2^(1/6) sigma the force is 0 and the potential -epsilon; at r = sigma the potential is 0 and the force
 * 24 epsilon/sigma. Two types, so that the table is read where it should be. */
static void minimum_and_zero(void **state)
{
    /* epsilon and sigma of (0,0), (0,1), (1,0), (1,1) */
    const double epsilon[4] = {1.5, 0.25, 0.25, 4.0}, sigma[4] = {1.0, 2.0, 2.0, 3.0};
    /* measured 7.2e-7, 7.2e-7, 1.1e-7, 9.9e-17 */
    const double bound[ARITHMETICS] = {2e-6, 2e-6, 5e-7, 5e-16};
    myr_context *context = new_context();
    (void)state;
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        for (int types = 0; types < 4; types++) {
            const double s = sigma[types], e = epsilon[types];
            myr_interaction *f = new_interaction(context, "lennard_jones_potential", arithmetics[a]);
            myr_particles *p = new_particles(context, 2);
            expect_ok(context, myr_interaction_set_pair(f, "epsilon", 2, epsilon));
            expect_ok(context, myr_interaction_set_pair(f, "sigma", 2, sigma));
            expect_ok(context, myr_particles_set_types(p, (const int32_t[]){types / 2, types % 2}));

            set_field(p, "position", 3, (const double[]){0.0, 0.0, 0.0, 0.0, pow(2.0, 1.0 / 6.0) * s, 0.0});
            expect_ok(context, myr_interaction_evaluate(f, p, p));
            keep_largest(&worst, fabs(result(p, "force", 1)[0] * s / (24.0 * e)));
            keep_largest(&worst, fabs(result(p, "potential", 0)[0] / -e - 1.0));

            set_field(p, "position", 3, (const double[]){0.0, 0.0, 0.0, 0.0, s, 0.0});
            expect_ok(context, myr_interaction_evaluate(f, p, p));
            keep_largest(&worst, fabs(result(p, "force", 1)[0] * s / (-24.0 * e) - 1.0));
            keep_largest(&worst, fabs(result(p, "potential", 0)[1] / e));
            myr_particles_destroy(&p);
            myr_interaction_destroy(&f);
        }
        expect_below("minimum and zero", worst, bound[a]);
    }
    myr_context_destroy(&context);
}

/* Lattice points (x + y + z even) within `radius` nearest-neighbour distances of the origin, which comes first. */
static int64_t cubic_close_packing(double radius, double *x, int64_t most)
{
    const int reach = (int)(radius * 1.5) + 1;
    int64_t n = 1;
    x[0] = x[1] = x[2] = 0.0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach; k <= reach; k++) {
                const int r2 = i * i + j * j + k * k; /* nearest neighbours: 2 */
                if ((i + j + k) % 2 != 0 || r2 == 0 || r2 > 2.0 * radius * radius)
                    continue;
                assert_true(n < most);
                x[3 * n] = i;
                x[3 * n + 1] = j;
                x[3 * n + 2] = k;
                n++;
            }
    return n;
}

/* The energy of an atom in the face-centred cubic crystal: sums over d^12/r^12 and d^6/r^6 are 12.13188 and 14.45392
 * (Kittel, Introduction to Solid State Physics). The attraction beyond the radius R of the cluster is added as that
 * of a continuum, 4 pi sqrt(2)/(3 R^3). */
static void crystal(void **state)
{
    enum { MOST = 12000 };
    static double x[3 * MOST];
    const double radius = 11.0, tail = 4.0 * PI * sqrt(2.0) / (3.0 * pow(radius, 3.0));
    const double known = 4.0 * (12.13188 / 64.0 - (14.45392 - tail) / 8.0); /* sigma^2 = 1 = half the neighbour's r^2 */
    /* measured 2.3e-6 */
    const int64_t n = cubic_close_packing(radius, x, MOST);
    myr_context *context = new_context();
    myr_particles *crystal_atoms = new_particles(context, n), *centre = new_particles(context, 1);
    (void)state;
    set_field(crystal_atoms, "position", 3, x);
    set_field(centre, "position", 3, x);
    for (int a = 0; a < ARITHMETICS; a++) {
        myr_interaction *f = new_interaction(context, "lennard_jones_potential", arithmetics[a]);
        myr_evaluation last;
        set_pair(context, f, "epsilon", 1.0);
        set_pair(context, f, "sigma", 1.0);
        expect_ok(context, myr_interaction_evaluate(f, centre, crystal_atoms));
        expect_ok(context, myr_interaction_last(f, &last));
        assert_int_equal(last.skipped, 1); /* the atom itself: the probe is another set */
        expect_below("energy per atom", fabs(result(centre, "potential", 0)[0] / known - 1.0), 1e-5);
        assert_true(result(centre, "force", 0)[0] == 0.0); /* by symmetry, and `fixed` keeps it */
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&centre);
    myr_particles_destroy(&crystal_atoms);
    myr_context_destroy(&context);
}

/* Potential of rock salt at an ion: Madelung's constant 1.7475645946, summed by Evjen's neutral cubes
 * (measured 3.7e-6). */
static void rock_salt(void **state)
{
    enum { HALF = 10, SIDE = 2 * HALF + 1, N = SIDE * SIDE * SIDE };
    static double x[3 * N], charge[N];
    int64_t n = 0;
    myr_context *context = new_context();
    myr_particles *salt = new_particles(context, N - 1), *ion = new_particles(context, 1);
    (void)state;
    for (int i = -HALF; i <= HALF; i++)
        for (int j = -HALF; j <= HALF; j++)
            for (int k = -HALF; k <= HALF; k++) {
                if (i == 0 && j == 0 && k == 0)
                    continue;
                const int faces = (abs(i) == HALF) + (abs(j) == HALF) + (abs(k) == HALF);
                x[3 * n] = i;
                x[3 * n + 1] = j;
                x[3 * n + 2] = k;
                charge[n++] = ((i + j + k) % 2 == 0 ? 1.0 : -1.0) / (1 << faces);
            }
    set_field(salt, "position", 3, x);
    set_field(salt, "charge", 1, charge);
    set_field(ion, "position", 3, (const double[]){0.0, 0.0, 0.0});
    set_field(ion, "charge", 1, (const double[]){2.0});
    for (int a = 0; a < ARITHMETICS; a++) {
        myr_interaction *f = new_interaction(context, "ljc_constant_potential", arithmetics[a]);
        set_pair(context, f, "epsilon", 0.0);
        set_pair(context, f, "sigma", 1.0);
        expect_ok(context, myr_interaction_set(f, "coulomb", 6.0));
        expect_ok(context, myr_interaction_set(f, "dielectric", 3.0));
        expect_ok(context, myr_interaction_evaluate(f, ion, salt));
        expect_below("Madelung", fabs(result(ion, "potential", 0)[0] / (-2.0 * 6.0 / 3.0 * 1.7475645946) - 1.0), 1e-5);
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&ion);
    myr_particles_destroy(&salt);
    myr_context_destroy(&context);
}

/* Two charges r apart along x: potential and force. */
static void two_charges(myr_context *context, myr_interaction *f, double r, double *potential, double *force)
{
    myr_particles *p = new_particles(context, 2);
    set_field(p, "position", 3, (const double[]){r, 0.0, 0.0, 0.0, 0.0, 0.0});
    set_field(p, "charge", 1, (const double[]){0.5, -1.5});
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    *potential = result(p, "potential", 0)[0];
    *force = result(p, "force", 0)[0];
    assert_true(*force == -result(p, "force", 0)[1]);
    myr_particles_destroy(&p);
}

/* Linear: U = C q q/(D r^2) and F = 2 U/r. Sigmoidal: the default zeta stays near the dielectric it was fitted to. */
static void dielectrics(void **state)
{
    myr_context *context = new_context();
    (void)state;
    for (int a = 0; a < ARITHMETICS; a++) {
        const double bound = a == 3 ? 3e-16 : 4e-7; /* measured 0, 9.4e-8 */
        double u, force, worst = 0.0, sum = 0.0;
        myr_interaction *f = new_interaction(context, "ljc_linear_potential", arithmetics[a]);
        set_pair(context, f, "epsilon", 0.0);
        set_pair(context, f, "sigma", 0.0);
        expect_ok(context, myr_interaction_set(f, "coulomb", 8.0));
        expect_ok(context, myr_interaction_set(f, "dielectric", 2.0));
        two_charges(context, f, 3.0, &u, &force);
        keep_largest(&worst, fabs(u / (-0.75 * 8.0 / (2.0 * 9.0)) - 1.0));
        keep_largest(&worst, fabs(force / (2.0 * -0.75 * 8.0 / (2.0 * 27.0)) - 1.0));
        expect_below("linear dielectric", worst, bound);
        myr_interaction_destroy(&f);

        f = new_interaction(context, "ljc_sigmoidal_potential", arithmetics[a]);
        set_pair(context, f, "epsilon", 0.0);
        set_pair(context, f, "sigma", 0.0);
        worst = 0.0;
        for (int i = 0; i <= 56; i++) {
            const double r = 1.0 + 0.25 * i;
            const double published = -8.5525 + 86.9525 / (1.0 + 7.7839 * exp(-0.003627 * 86.9525 * r));
            two_charges(context, f, r, &u, &force);
            const double error = fabs(-0.75 / (u * r) / published - 1.0);
            keep_largest(&worst, error);
            sum += error * error;
        }
        expect_below("sigmoidal dielectric, worst", worst, 0.1);            /* measured 0.099, at 1 angstrom */
        expect_below("sigmoidal dielectric, rms", sqrt(sum / 57.0), 0.025); /* measured 0.020 */
        myr_interaction_destroy(&f);
    }
    myr_context_destroy(&context);
}

/* F = -dU/dx by differences of the fourth order, in double; beyond the cutoff nothing. */
static void forces_are_gradients(void **state)
{
    static const char *const kernels[] = {"lennard_jones_potential", "ljc_constant_potential", "ljc_linear_potential",
                                          "ljc_sigmoidal_potential"};
    myr_context *context = new_context();
    (void)state;
    for (int k = 0; k < 4; k++) {
        myr_interaction *f = new_interaction(context, kernels[k], "double");
        double worst = 0.0, u[4], force, other;
        set_pair(context, f, "epsilon", 0.3);
        set_pair(context, f, "sigma", 1.1);
        for (int i = 0; i < 40; i++) {
            const double r = 1.0 + 0.13 * i, h = 1e-3 * r;
            for (int m = 0; m < 4; m++)
                two_charges(context, f, r + (m < 2 ? m - 2 : m - 1) * h, &u[m], &other);
            two_charges(context, f, r, &other, &force);
            const double slope = (u[0] - 8.0 * u[1] + 8.0 * u[2] - u[3]) / (12.0 * h);
            keep_largest(&worst, fabs(force + slope) / (fabs(force) + 0.1 / (r * r)));
        }
        expect_below(kernels[k], worst, 2.5e-8); /* measured 8.1e-9, from the steep wall at r = 1 */
        expect_ok(context, myr_interaction_set(f, "cutoff", 2.5));
        two_charges(context, f, 2.5001, &other, &force);
        assert_true(other == 0.0 && force == 0.0);
        two_charges(context, f, 2.4999, &other, &force);
        assert_true(other != 0.0 && force != 0.0);
        myr_interaction_destroy(&f);
    }
    myr_context_destroy(&context);
}

/* Newton's third law: the sum of all forces is exactly 0 with `fixed`, whatever the charges. */
static void net_force_is_zero(void **state)
{
    enum { N = 333 };
    static const char *const kernels[] = {"lennard_jones", "ljc_constant", "ljc_linear", "ljc_sigmoidal"};
    double x[3 * N], charge[N];
    int32_t type[N];
    uint64_t seed = 5;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, N);
    (void)state;
    for (int i = 0; i < N; i++) {
        x[3 * i] = i % 7 + 0.3 * uniform(&seed);
        x[3 * i + 1] = i / 7 % 7 + 0.3 * uniform(&seed);
        x[3 * i + 2] = i / 49 + 0.3 * uniform(&seed);
        charge[i] = uniform(&seed) - 0.5;
        type[i] = i % 2;
    }
    set_field(p, "position", 3, x);
    set_field(p, "charge", 1, charge);
    expect_ok(context, myr_particles_set_types(p, type));
    for (int k = 0; k < 4; k++) {
        for (int a = 0; a < ARITHMETICS; a++) {
            myr_interaction *f = new_interaction(context, kernels[k], arithmetics[a]);
            expect_ok(context, myr_interaction_set_pair(f, "epsilon", 2, (const double[]){1.0, 0.7, 0.7, 0.5}));
            expect_ok(context, myr_interaction_set_pair(f, "sigma", 2, (const double[]){0.8, 0.85, 0.85, 0.9}));
            expect_ok(context, myr_interaction_evaluate(f, p, p));
            for (int c = 0; c < 3; c++) {
                double net = 1.0;
                expect_ok(context, myr_interaction_net(f, "force", c, &net));
                assert_true(net == 0.0);
            }
            myr_interaction_destroy(&f);
        }
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimum_and_zero),
        cmocka_unit_test(crystal),
        cmocka_unit_test(rock_salt),
        cmocka_unit_test(dielectrics),
        cmocka_unit_test(forces_are_gradients),
        cmocka_unit_test(net_force_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
