/* test_gravity.c - gravity against answers that are known: two bodies, a ring, a shell, a circular orbit, and the mass
 * inside a radius of the softening spline. */
#include "physics/physics.h"

/* rounding of one pair and of the sum: single, mixed, portable, double; measured 9.3e-8, 9.3e-8, 1.4e-7, 4.5e-16 */
static const double rounding[ARITHMETICS] = {4e-7, 4e-7, 5e-7, 1.5e-15};

static void two_bodies_attract(void **state)
{
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    set_field(p, "position", 3, (const double[]){1.0, 2.0, 3.0, 4.0, 6.0, 3.0}); /* 5 apart: 3, 4, 0 */
    set_field(p, "mass", 1, (const double[]){2.0, 7.0});
    (void)state;
    for (int a = 0; a < ARITHMETICS; a++) {
        evaluate(context, "gravity_potential", arithmetics[a], "G", 3.0, p, p);
        double worst = 0.0;
        keep_largest(&worst, fabs(result(p, "acceleration", 0)[0] / (3.0 * 7.0 / 25.0 * 0.6) - 1.0));
        keep_largest(&worst, fabs(result(p, "acceleration", 1)[0] / (3.0 * 7.0 / 25.0 * 0.8) - 1.0));
        keep_largest(&worst, fabs(result(p, "acceleration", 0)[1] / (-3.0 * 2.0 / 25.0 * 0.6) - 1.0));
        keep_largest(&worst, fabs(result(p, "potential", 0)[0] / (-3.0 * 7.0 / 5.0) - 1.0));
        keep_largest(&worst, fabs(result(p, "potential", 0)[1] / (-3.0 * 2.0 / 5.0) - 1.0));
        expect_near("no force along z", result(p, "acceleration", 2)[0], 0.0, 0.0);
        expect_below("two bodies", worst, rounding[a]);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Around a mass M at the distance r the jerk is -M/r^3 (v - 3 v_r), v_r being the radial part of v. */
static void jerk_of_an_orbit(void **state)
{
    static const char *const kernels[] = {"gravity_jerk", "gravity_jerk_spline"};
    const double r = 2.0, mass = 5.0, speed = sqrt(mass / r), w2 = mass / (r * r * r);
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 2);
    set_field(p, "position", 3, (const double[]){0.0, 0.0, 0.0, r, 0.0, 0.0});
    set_field(p, "velocity", 3, (const double[]){0.0, 0.0, 0.0, 0.5, speed * 0.6, speed * 0.8});
    set_field(p, "mass", 1, (const double[]){mass, 0.0});
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < ARITHMETICS; a++) {
            evaluate(context, kernels[k], arithmetics[a], NULL, 0.0, p, p);
            double worst = 0.0;
            keep_largest(&worst, fabs(result(p, "acceleration", 0)[1] / (-w2 * r) - 1.0));
            keep_largest(&worst, fabs(result(p, "jerk", 0)[1] / (2.0 * w2 * 0.5) - 1.0));
            keep_largest(&worst, fabs(result(p, "jerk", 1)[1] / (-w2 * speed * 0.6) - 1.0));
            keep_largest(&worst, fabs(result(p, "jerk", 2)[1] / (-w2 * speed * 0.8) - 1.0));
            keep_largest(&worst, fabs(result(p, "potential", 0)[1] / (-mass / r) - 1.0));
            expect_below("jerk of an orbit", worst, rounding[a]);
        }
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* On the axis of a ring of radius R at height z: a = -M z/(R^2+z^2)^(3/2), phi = -M/(R^2+z^2)^(1/2), however many
 * bodies the ring has. Softening only adds eps^2 to R^2. */
static void ring_on_its_axis(void **state)
{
    enum { N = 60 };
    const double eps = 0.75;
    double x[3 * N], above[3] = {0.0, 0.0, 1.5};
    myr_context *context = new_context();
    myr_particles *ring = new_particles(context, N), *probe = new_particles(context, 1);
    (void)state;
    for (int i = 0; i < N; i++) {
        x[3 * i] = 2.0 * cos(2.0 * PI * i / N);
        x[3 * i + 1] = 2.0 * sin(2.0 * PI * i / N);
        x[3 * i + 2] = 0.0;
    }
    set_field(ring, "position", 3, x);
    fill_field(ring, "mass", 1.0 / N);
    set_field(probe, "position", 3, above);
    for (int a = 0; a < ARITHMETICS; a++) {
        const double d2 = 4.0 + 2.25 + eps * eps;
        evaluate(context, "gravity_potential", arithmetics[a], "eps", eps, probe, ring);
        double worst = 0.0;
        keep_largest(&worst, fabs(result(probe, "acceleration", 2)[0] * sqrt(d2) * d2 / -1.5 - 1.0));
        keep_largest(&worst, fabs(result(probe, "potential", 0)[0] * -sqrt(d2) - 1.0));
        keep_largest(&worst, fabs(result(probe, "acceleration", 0)[0]));
        expect_below("ring", worst, rounding[a]);
    }
    myr_particles_destroy(&probe);
    myr_particles_destroy(&ring);
    myr_context_destroy(&context);
}

/* Inside a shell there is no force; outside it acts like a point. With the weights of a quadrature rule as masses
 * this holds for bodies up to (r/R)^47. */
static void shell_inside_and_outside(void **state)
{
    enum { RINGS = 24, N = 2 * RINGS * RINGS };
    static double x[3 * N], mass[N];
    const double probes[9] = {0.2, 0.1, -0.3, 0.0, 0.0, 0.0, 1.2, 2.0, -1.5}; /* r = 0.37, 0, 2.77 */
    const double far2 = 1.44 + 4.0 + 2.25, far = sqrt(far2), total = 4.0 * PI;
    myr_context *context = new_context();
    myr_particles *shell = new_particles(context, N), *probe = new_particles(context, 3);
    (void)state;
    assert_int_equal(sphere_rule(RINGS, x, mass), N);
    set_field(shell, "position", 3, x);
    set_field(shell, "mass", 1, mass);
    set_field(probe, "position", 3, probes);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "gravity_potential", arithmetics[a], NULL, 0.0, probe, shell);
        for (int k = 0; k < 3; k++) {
            const double *acc = result(probe, "acceleration", k);
            keep_largest(&worst, fabs(acc[0]) / total);
            keep_largest(&worst, fabs(acc[1]) / total);
            keep_largest(&worst, fabs(acc[2] + total * probes[6 + k] / (far * far2)) * far2 / total);
        }
        const double *phi = result(probe, "potential", 0);
        keep_largest(&worst, fabs(phi[0] / -total - 1.0));
        keep_largest(&worst, fabs(phi[1] / -total - 1.0));
        keep_largest(&worst, fabs(phi[2] * far / -total - 1.0));
        expect_below("shell", worst, rounding[a]);
    }
    myr_particles_destroy(&probe);
    myr_particles_destroy(&shell);
    myr_context_destroy(&context);
}

/* Density of the cubic spline of support 1 and mass 1. */
static double spline_density(double u)
{
    const double wide = 1.0 - u, narrow = u < 0.5 ? 0.5 - u : 0.0;
    return u < 1.0 ? 16.0 / PI * (wide * wide * wide - 4.0 * narrow * narrow * narrow) : 0.0;
}

/* The mass inside u and the potential at u, by Simpson's rule over each polynomial piece, on which it is exact but for
 * the step's fourth power. */
static void spline_sphere(double u, double *mass, double *potential)
{
    enum { STEPS = 2000 };
    double inside = 0.0, outside = 0.0;
    for (int piece = 0; piece < 3; piece++) {
        const double middle = u < 0.5 ? u : 0.5, later = u < 0.5 ? 0.5 : u;
        const double from[3] = {0.0, middle, later}, to[3] = {middle, later, 1.0};
        const double step = (to[piece] - from[piece]) / STEPS;
        for (int i = 0; i <= STEPS; i++) {
            const double x = from[piece] + step * i;
            const double shell = 4.0 * PI * x * spline_density(x) * step / 3.0 * (i % STEPS == 0 ? 1 : 2 + 2 * (i % 2));
            if (to[piece] <= u)
                inside += shell * x;
            else
                outside += shell;
        }
    }
    *mass = inside;
    *potential = -inside / u - outside;
}

/* The spline's force is that of the mass inside r; beyond h it is Newton's. */
static void spline_is_a_sphere_of_known_density(void **state)
{
    const double h = 3.0, radii[] = {0.05, 0.3, 0.49, 0.51, 0.75, 0.98, 1.0, 1.7};
    /* measured 2.7e-7, 2.7e-7, 2.7e-7, 1.9e-14 (Simpson's rule) */
    const double bound[ARITHMETICS] = {1e-6, 1e-6, 1e-6, 6e-14};
    myr_context *context = new_context();
    myr_particles *source = new_particles(context, 1), *probe = new_particles(context, 8);
    double x[24] = {0};
    (void)state;
    for (int i = 0; i < 8; i++)
        x[3 * i + 1] = radii[i] * h;
    set_field(probe, "position", 3, x);
    set_field(source, "position", 3, (const double[]){0.0, 0.0, 0.0});
    fill_field(source, "mass", 1.0);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "gravity_potential_spline", arithmetics[a], "h", h, probe, source);
        for (int i = 0; i < 8; i++) {
            double mass = 1.0, potential = -1.0 / radii[i];
            if (radii[i] < 1.0)
                spline_sphere(radii[i], &mass, &potential);
            const double r = radii[i] * h;
            keep_largest(&worst, fabs(result(probe, "acceleration", 1)[i] * -r * r / mass - 1.0));
            keep_largest(&worst, fabs(result(probe, "potential", 0)[i] * h / potential - 1.0));
        }
        expect_below("spline", worst, bound[a]);
    }
    myr_particles_destroy(&probe);
    myr_particles_destroy(&source);
    myr_context_destroy(&context);
}

/* Two bodies at one place: softened, they do not pull each other; unsoftened, they are left out and counted. */
static void same_place(void **state)
{
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, 3);
    set_field(p, "position", 3, (const double[]){1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0});
    fill_field(p, "mass", 1.0);
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        myr_interaction *f = new_interaction(context, "gravity_spline", "single");
        myr_evaluation last;
        expect_ok(context, myr_interaction_set(f, "h", soft ? 0.5 : 0.0));
        expect_ok(context, myr_interaction_evaluate(f, p, p));
        expect_ok(context, myr_interaction_last(f, &last));
        assert_int_equal(last.skipped, soft ? 0 : 2);
        expect_near("pull of the third body", result(p, "acceleration", 0)[0], 0.25, 1e-7);
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bodies_attract),
        cmocka_unit_test(jerk_of_an_orbit),
        cmocka_unit_test(ring_on_its_axis),
        cmocka_unit_test(shell_inside_and_outside),
        cmocka_unit_test(spline_is_a_sphere_of_known_density),
        cmocka_unit_test(same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
