/* Kinetic energy of vortex elements: against its integral over wave numbers, by the far field, and of cores that
 * spread. */
#include "physics/rings.h"

#include <myriad/elements.h>

enum { FEW = 12, RADIAL = 160, POLAR = 40, AZIMUTHS = 80 };

/* Elements of different cores at scattered places. */
static myr_particles *make_few(void)
{
    myr_particles *p = new_particles(context, FEW);
    static const char *const field[] = {"position", "strength", "velocity"};
    for (int f = 0; f < 3; f++)
        expect_ok(context, myr_particles_add_field(p, field[f], 3));
    fill_field(p, "core", 0.5);
    for (int64_t i = 0; i < FEW; i++) {
        myr_particles_component(p, "core", 0)[i] = 0.4 + 0.3 * (double)(i % 4);
        for (int c = 0; c < 3; c++) {
            myr_particles_component(p, "position", c)[i] = 1.5 * sin(1.3 * (double)(i + 1) * (c + 1));
            myr_particles_component(p, "strength", c)[i] = cos(0.7 * (double)(i * i + 1) + 2 * c);
        }
    }
    return p;
}

/* |w(k)|^2 of the transform of the vorticity. */
static double spectral(const myr_particles *p, const double direction[3], double k)
{
    double re[3] = {0}, im[3] = {0}, all = 0;
    for (int64_t i = 0; i < FEW; i++) {
        double phase = 0;
        for (int c = 0; c < 3; c++)
            phase += k * direction[c] * result(p, "position", c)[i];
        const double size = exp(-0.5 * pow(result(p, "core", 0)[i] * k, 2));
        for (int c = 0; c < 3; c++) {
            re[c] += result(p, "strength", c)[i] * size * cos(phase);
            im[c] += result(p, "strength", c)[i] * size * sin(phase);
        }
    }
    for (int c = 0; c < 3; c++)
        all += re[c] * re[c] + im[c] * im[c];
    return all;
}

/* E = 1/2 (2 pi)^-3 integral of |w|^2/k^2 over k: with k = |k| n the integrand over |k| and n is |w|^2. Midpoint rule
 * in |k| and in the azimuth, Gauss-Legendre in the polar angle. */
static double by_wave_numbers(const myr_particles *p)
{
    const double most = 16;
    double sum = 0;
    for (int m = 0; m < POLAR; m++) {
        /* Gauss-Legendre nodes by Newton's method */
        double z = cos(PI * (m + 0.75) / (POLAR + 0.5)), slope = 0;
        for (int round = 0; round < 20; round++) {
            double before = 1, now = z;
            for (int n = 2; n <= POLAR; n++) {
                const double next = ((2 * n - 1) * z * now - (n - 1) * before) / n;
                before = now;
                now = next;
            }
            slope = POLAR * (z * now - before) / (z * z - 1);
            z -= now / slope;
        }
        const double weight = 2 / ((1 - z * z) * slope * slope), s = sqrt(1 - z * z);
        for (int a = 0; a < AZIMUTHS; a++) {
            const double f = 2 * PI * (a + 0.5) / AZIMUTHS, direction[3] = {s * cos(f), s * sin(f), z};
            for (int r = 0; r < RADIAL; r++)
                sum +=
                    weight * (2 * PI / AZIMUTHS) * (most / RADIAL) * spectral(p, direction, most * (r + 0.5) / RADIAL);
        }
    }
    return 0.5 * sum / pow(2 * PI, 3);
}

static double kinetic_now(myr_simulation *s)
{
    myr_conserved now;
    expect_ok(context, myr_simulation_conserved(s, &now));
    return now.kinetic;
}

/* Measured: 4e-13; the table of the shape is good to 1e-11. */
static void test_integral(void **state)
{
    (void)state;
    myr_particles *copy = make_few();
    myr_simulation *s = simulation_of(make_few(), "velocity_stretching", "double", "rk3", 0.01);
    const double right = by_wave_numbers(copy), now = kinetic_now(s);
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "few elements: %.12g, integral %.12g, off %.2e\n", now, right, now / right - 1);
    expect_below("energy of few elements", fabs(now / right - 1), 1e-10);
    myr_particles_destroy(&copy);
    myr_simulation_destroy(&s);
}

static myr_simulation *ring(const char *method, const char *diffusion, int64_t n)
{
    static const setting thick[] = {{"core", 0.1, NULL}, {"layers", 2, NULL}, {0}};
    myr_interaction *f = new_interaction(context, "velocity_stretching_transposed", "double");
    myr_simulation *s = NULL;
    expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
    expect_ok(context, myr_interaction_choose(f, "method", method));
    if (strcmp(method, "direct") != 0)
        expect_ok(context, myr_interaction_set(f, "tolerance", 1e-4));
    expect_ok(context, myr_simulation_create(context, make_model(context, "vortex_ring", n, 1, thick), f, &s));
    expect_ok(context, myr_simulation_choose(s, "rk3"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.05));
    if (diffusion) {
        expect_ok(context, myr_simulation_set_viscosity(s, 0.005));
        expect_ok(context, myr_simulation_choose_diffusion(s, diffusion));
    }
    return s;
}

/* Far pairs by the method of the motion: measured 1.1e-6 for a tolerance of 1e-4. */
static void test_far(void **state)
{
    (void)state;
    myr_simulation *direct = ring("direct", NULL, 2500), *far = ring("fmm", NULL, 2500);
    const double right = kinetic_now(direct), now = kinetic_now(far);
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "ring: %.10g, by fmm %.10g, off %.2e\n", right, now, now / right - 1);
    expect_below("energy by fmm", fabs(now / right - 1), 5e-6);
    assert_true(now != right);
    myr_simulation_destroy(&direct);
    myr_simulation_destroy(&far);
}

/* Two elements that are far apart spread their cores from sigma to sqrt(sigma^2 + 2 viscosity t). The energy of an
 * element is a^2/(8 pi^(3/2) sigma), that of the pair 5e-9 of it. Measured: 4.0e-9, and 2.4e-7
 * after steps of rk3. */
static void test_spreading(void **state)
{
    const double viscosity = 0.01, core = 0.3;
    (void)state;
    myr_particles *p = new_particles(context, 2);
    static const char *const field[] = {"position", "strength", "velocity"};
    for (int f = 0; f < 3; f++)
        expect_ok(context, myr_particles_add_field(p, field[f], 3));
    fill_field(p, "core", core);
    for (int i = 0; i < 2; i++) {
        myr_particles_component(p, "position", 0)[i] = 1e8 * i;
        myr_particles_component(p, "strength", 2)[i] = 1;
    }
    myr_simulation *s = simulation_of(p, "velocity_stretching", "double", "rk3", 0.25);
    expect_ok(context, myr_simulation_set_viscosity(s, viscosity));
    for (int step = 0; step <= 8; step++) {
        const double sigma = sqrt(core * core + 2 * viscosity * 0.25 * step), right = 1 / (4 * pow(PI, 1.5) * sigma);
        if (step == 0 || step == 8)
            expect_below("energy of spreading cores", fabs(kinetic_now(s) / right - 1), step ? 1.2e-6 : 2e-8);
        expect_ok(context, myr_simulation_step(s, 1e300));
    }
    myr_simulation_destroy(&s);
}

/* A viscous ring loses an eighth of its energy by spreading cores; with the velocity at the elements in place of that
 * over their cores the energy rose. */
static void test_viscous(void **state)
{
    (void)state;
    myr_simulation *s = ring("direct", "core_spreading", 1000);
    const double before = kinetic_now(s), at_elements = sums_now(s).kinetic;
    for (int step = 0; step < 8; step++)
        expect_ok(context, myr_simulation_step(s, 1e300));
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "ring: %g to %g; with velocities at the elements %g to %g\n", before, kinetic_now(s),
                at_elements, sums_now(s).kinetic);
    expect_near("energy left", kinetic_now(s) / before, 0.875, 2e-3); /* measured: 0.87515 */
    myr_simulation_destroy(&s);
}

/* The case in which the fault was found: the ring of docs/flows.md (radius and circulation 1, core a = 0.1, viscosity
 * nu = 0.001) to t = 1. With velocities at the elements its energy seemed to rise from 1.3555 to 1.3743. A thin ring
 * with vorticity exp(-r^2/(a^2 + 4 nu t)) loses log(1 + 4 nu t/a^2)/4 (Saffman 1970). */
static void test_reported(void **state)
{
    static const setting core[] = {{"core", 0.1, NULL}, {0}};
    (void)state;
    myr_simulation *s = NULL;
    myr_interaction *f = new_interaction(context, "velocity_stretching_transposed", "single");
    expect_ok(context, myr_interaction_choose(f, "accumulator", "single"));
    expect_ok(context, myr_simulation_create(context, make_model(context, "vortex_ring", 6664, 1, core), f, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.05));
    expect_ok(context, myr_simulation_set_viscosity(s, 0.001));
    const double before = kinetic_now(s);
    for (int step = 0; step < 20; step++)
        expect_ok(context, myr_simulation_step(s, 1e300));
    const double lost = before - kinetic_now(s), at_elements = sums_now(s).kinetic;
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "ring: %.5g, less %.4g; with velocities at the elements %.5g\n", before, lost, at_elements);
    expect_near("energy with velocities at the elements", at_elements, 1.3743, 2e-3);
    expect_near("energy lost", lost, 0.25 * log(1.4), 4e-3); /* 0.0829 and 0.0841 */
    myr_simulation_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_integral), cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_spreading), cmocka_unit_test(test_viscous),
                                       cmocka_unit_test(test_reported)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
