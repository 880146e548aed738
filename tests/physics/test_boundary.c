/* test_boundary.c - boundary elements and the Laplace kernel against answers that are known: the capacitance of a
 * sphere, Gauss' law for a closed double layer, the field of a shell of charge. */
#include "physics/physics.h"

enum { ELEMENTS = 3000 };

/* Points spread evenly over the unit sphere (a spiral that turns by the golden angle), each for an equal area. */
static void even_sphere(double *x)
{
    for (int i = 0; i < ELEMENTS; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / ELEMENTS, rho = sqrt(1.0 - z * z), angle = PI * (3.0 - sqrt(5.0)) * i;
        x[3 * i] = rho * cos(angle);
        x[3 * i + 1] = rho * sin(angle);
        x[3 * i + 2] = z;
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < ELEMENTS; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Solves "the potential is 1 on every element" for the densities by conjugate gradients; the elements have equal areas,
 * so the matrix is symmetric. Returns the charge, which is the capacitance. */
static double capacitance(myr_context *context, myr_interaction *f, myr_particles *sphere)
{
    static double sigma[ELEMENTS], rest[ELEMENTS], direction[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        sigma[i] = 0.0;
        rest[i] = direction[i] = 1.0;
    }
    double size = dot(rest, rest);
    for (int step = 0; step < 12; step++) {
        set_field(sphere, "density", 1, direction);
        expect_ok(context, myr_interaction_evaluate(f, sphere, sphere));
        const double *image = result(sphere, "potential", 0);
        const double length = size / dot(direction, image);
        for (int i = 0; i < ELEMENTS; i++) {
            sigma[i] += length * direction[i];
            rest[i] -= length * image[i];
        }
        const double next = dot(rest, rest);
        for (int i = 0; i < ELEMENTS; i++)
            direction[i] = rest[i] + next / size * direction[i];
        size = next;
    }
    expect_below("residual of the solution", sqrt(size / ELEMENTS), 1e-6); /* measured 2.2e-7 */
    double charge = 0.0;
    for (int i = 0; i < ELEMENTS; i++)
        charge += sigma[i] * 4.0 * PI / ELEMENTS;
    return charge;
}

/* The capacitance of the unit sphere is 4 pi. */
static void capacitance_of_a_sphere(void **state)
{
    static double x[3 * ELEMENTS];
    myr_context *context = new_context();
    myr_particles *sphere = new_particles(context, ELEMENTS);
    (void)state;
    even_sphere(x);
    set_field(sphere, "position", 3, x);
    fill_field(sphere, "area", 4.0 * PI / ELEMENTS);
    for (int a = 0; a < ARITHMETICS; a++) {
        myr_interaction *f = new_interaction(context, "bem_single", arithmetics[a]);
        const double c = capacitance(context, f, sphere);
        expect_below("capacitance of a sphere", fabs(c / (4.0 * PI) - 1.0), 5e-3); /* measured 1.9e-3 */
        myr_interaction_destroy(&f);
    }
    myr_particles_destroy(&sphere);
    myr_context_destroy(&context);
}

/* A closed double layer of density 1 with outward normals has the potential -1 inside, 0 outside, -1/2 on itself. */
static void closed_double_layer(void **state)
{
    enum { RINGS = 24, POINTS = 2 * RINGS * RINGS };
    static double x[3 * POINTS], area[POINTS], even[3 * ELEMENTS];
    const double probes[9] = {0.2, 0.1, -0.3, 0.0, 0.0, 0.0, 1.2, 2.0, -1.5};
    myr_context *context = new_context();
    myr_particles *layer = new_particles(context, POINTS), *probe = new_particles(context, 3);
    myr_particles *sphere = new_particles(context, ELEMENTS);
    (void)state;
    assert_int_equal(sphere_rule(RINGS, x, area), POINTS);
    set_field(layer, "position", 3, x);
    set_field(layer, "normal", 3, x);
    set_field(layer, "area", 1, area);
    fill_field(layer, "density", 1.0);
    set_field(probe, "position", 3, probes);
    even_sphere(even);
    set_field(sphere, "position", 3, even);
    set_field(sphere, "normal", 3, even);
    fill_field(sphere, "area", 4.0 * PI / ELEMENTS);
    fill_field(sphere, "density", 1.0);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0, mean = 0.0;
        evaluate(context, "bem_double", arithmetics[a], NULL, 0.0, probe, layer);
        const double *phi = result(probe, "potential", 0);
        keep_largest(&worst, fabs(phi[0] + 1.0));
        keep_largest(&worst, fabs(phi[1] + 1.0));
        keep_largest(&worst, fabs(phi[2]));
        /* measured 1.0e-7 and 2.3e-16 */
        expect_below("double layer, off the surface", worst, a == 3 ? 1e-15 : 4e-7);
        evaluate(context, "bem_double", arithmetics[a], NULL, 0.0, sphere, sphere);
        for (int i = 0; i < ELEMENTS; i++)
            mean += result(sphere, "potential", 0)[i] / ELEMENTS;
        /* an own element counts as flat, which leaves out 1/(2 sqrt(N)): measured 9.2e-4 */
        expect_below("double layer, on the surface", fabs(mean + 0.5 - 0.5 / sqrt(ELEMENTS)), 3e-3);
    }
    myr_particles_destroy(&sphere);
    myr_particles_destroy(&probe);
    myr_particles_destroy(&layer);
    myr_context_destroy(&context);
}

/* The Laplace kernel: a shell of charge has the potential Q/(4 pi) inside and no field, Q/(4 pi r) outside. */
static void shell_of_charge(void **state)
{
    enum { RINGS = 24, POINTS = 2 * RINGS * RINGS };
    static double x[3 * POINTS], charge[POINTS];
    const double probes[6] = {0.2, 0.1, -0.3, 0.0, 3.0, 0.0};
    myr_context *context = new_context();
    myr_particles *shell = new_particles(context, POINTS), *probe = new_particles(context, 2);
    (void)state;
    assert_int_equal(sphere_rule(RINGS, x, charge), POINTS); /* Q = 4 pi */
    set_field(shell, "position", 3, x);
    set_field(shell, "charge", 1, charge);
    set_field(probe, "position", 3, probes);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "laplace", arithmetics[a], NULL, 0.0, probe, shell);
        const double *phi = result(probe, "potential", 0);
        keep_largest(&worst, fabs(phi[0] - 1.0));
        keep_largest(&worst, fabs(phi[1] * 3.0 - 1.0));
        keep_largest(&worst, fabs(result(probe, "field", 1)[1] * 9.0 - 1.0)); /* away from positive charges */
        for (int k = 0; k < 3; k++)
            keep_largest(&worst, fabs(result(probe, "field", k)[0]));
        expect_below("shell of charge", worst, a == 3 ? 1e-15 : 1.5e-7); /* measured 3.7e-8 and 2.3e-16 */
    }
    myr_particles_destroy(&probe);
    myr_particles_destroy(&shell);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacitance_of_a_sphere),
        cmocka_unit_test(closed_double_layer),
        cmocka_unit_test(shell_of_charge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
