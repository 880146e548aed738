/* What flows measure as, against fields whose numbers are known: the Taylor-Green vortex, a field with skewed
 * derivatives, and random fields with a prescribed spectrum. (Waves of one length, where every number is known, are in
 * test_spectral.c; second invariant and vorticity in test_turbulence.c.) */
#include "physics/group.h"

/* All waves have k = sqrt(3): K = 1/8, and the rest follows. */
static void test_taylor_green(void **state)
{
    (void)state;
    const double viscosity = 0.01, K = 0.125;
    myr_particles *p = make_model(context, "taylor_green", 12 * 12 * 12, 1, NULL);
    myr_flow flow;
    expect_ok(context, myr_flow_measure(p, viscosity, &flow));
    expect_near("K", flow.kinetic, K, 1e-15);
    expect_near("enstrophy", flow.enstrophy, 3 * K, 1e-15);
    expect_near("dissipation", flow.dissipation, 6 * viscosity * K, 1e-16);
    expect_near("helicity", flow.helicity, 0, 1e-16);
    expect_near("u'", flow.speed, sqrt(2 * K / 3), 1e-15);
    expect_near("L", flow.integral_scale, PI * sqrt(3) / 4, 1e-14);
    expect_near("T", flow.turnover_time, PI * sqrt(3) / 4 / sqrt(2 * K / 3), 1e-14);
    expect_near("lambda", flow.taylor_scale, sqrt(5.0 / 3), 1e-14);
    expect_near("Re", flow.reynolds, sqrt(2 * K / 3) * sqrt(5.0 / 3) / viscosity, 1e-12);
    expect_near("divergence", flow.divergence, 0, 1e-15);
    double worst = 0;
    expect_ok(context, myr_flow_derive(p));
    for (int64_t i = 0; i < 12 * 12 * 12; i++) { /* u_x^2 + v_y^2 + 2 u_y v_x + 2 u_z w_x + ..., with w = 0 */
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = result(p, "position", c)[i];
        const double second = 2 * pow(cos(x[2]), 2) * (pow(cos(x[0]) * cos(x[1]), 2) - pow(sin(x[0]) * sin(x[1]), 2));
        keep_largest(&worst, fabs(result(p, "second_invariant", 0)[i] - second));
    }
    expect_below("second invariant", worst, 2e-14); /* measured: 4.4e-15 */
    myr_particles_destroy(&p);
}

/* A function whose slope is skewed: slope cos x + cos(2 x)/2; and its slope. */
static double hill(double x)
{
    return sin(x) + sin(2 * x) / 4;
}

static double hill_slope(double x)
{
    return cos(x) + cos(2 * x) / 2;
}

/* u = f(x) (a f'(y) - b f'(z)), and so on around the axes: terms with the same strength belong to one stream function
 * f(x) f(y), so there is no divergence. The derivative along the own axis is f'(x) (a f'(y) - b f'(z)). */
static void test_skewness(void **state)
{
    (void)state;
    enum { SIDE = 20, N = SIDE * SIDE * SIDE }; /* cubes of derivatives have waves up to 6 along an axis */
    myr_particles *p = make_model(context, "abc_flow", N, 1, NULL);
    double square[3] = {0}, cube[3] = {0}, wanted = 0;
    for (int64_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            const double x = result(p, "position", c)[i], y = result(p, "position", d)[i],
                         z = result(p, "position", e)[i];
            const double a = c + 1, b = c == 0 ? 3 : c; /* how strong the stream functions are */
            myr_particles_component(p, "velocity", c)[i] = a * hill(x) * hill_slope(y) - b * hill(x) * hill_slope(z);
            const double slope = hill_slope(x) * (a * hill_slope(y) - b * hill_slope(z));
            square[c] += slope * slope / N;
            cube[c] += slope * slope * slope / N;
        }
    for (int c = 0; c < 3; c++)
        wanted += cube[c] / pow(square[c], 1.5) / 3;
    myr_flow flow;
    expect_ok(context, myr_flow_measure(p, 0, &flow));
    assert_true(wanted > 0.03);
    expect_near("skewness", flow.skewness, wanted, 1e-14);
    expect_below("divergence", flow.divergence, 1e-13);
    myr_particles_destroy(&p);
}

/* Three and two waves along each axis, of which no three cancel: skewness 0. On 8 points the waves 3, 3
 * and 2 look like a mean, and the cube of the derivatives at the points alone has a skewness of 0.75. */
static void test_skewness_of_short_waves(void **state)
{
    (void)state;
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    myr_particles *p = make_model(context, "abc_flow", N, 1, NULL);
    double cube = 0, square = 0;
    for (int64_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const double x = result(p, "position", c)[i], slope = cos(3 * x) + cos(2 * x);
            myr_particles_component(p, "velocity", c)[i] = sin(3 * x) / 3 + sin(2 * x) / 2;
            cube += slope * slope * slope / (3 * N);
            square += slope * slope / (3 * N);
        }
    myr_flow flow;
    expect_ok(context, myr_flow_measure(p, 0, &flow));
    assert_true(fabs(cube / pow(square, 1.5)) > 0.5);
    expect_near("skewness", flow.skewness, 0, 1e-14);
    myr_particles_destroy(&p);
}

/* E(k) ~ k^4 exp(-2 (k/p)^2): the mean of k^2 is 5 p^2/4 and that of 1/k is sqrt(2)/(Gamma(5/2) p), but for the width
 * of the shells, in which k is not their middle. */
static void test_spectrum(void **state)
{
    (void)state;
    const double peak = 5, speed = 0.7, viscosity = 0.01, K = 1.5 * speed * speed;
    myr_particles *p = make_model(context, "isotropic_turbulence", 48 * 48 * 48, 1,
                                  SETTINGS({"peak", peak, NULL}, {"speed", speed, NULL}));
    myr_flow flow;
    expect_ok(context, myr_flow_measure(p, viscosity, &flow));
    const double enstrophy = K * 1.25 * peak * peak, inverse = sqrt(2) / (tgamma(2.5) * peak);
    expect_near("K", flow.kinetic, K, 2e-13);                                                  /* measured: 4e-14 */
    expect_near("enstrophy", flow.enstrophy / enstrophy, 1, 0.05);                             /* measured: 3.3 % */
    expect_near("L", flow.integral_scale / (PI / (2 * speed * speed) * K * inverse), 1, 0.05); /* measured: 2.5 % */
    expect_near("lambda", flow.taylor_scale / sqrt(15 * speed * speed / (2 * enstrophy)), 1,
                0.04); /* measured: 1.6 % */
    expect_near("Re", flow.reynolds, flow.speed * flow.taylor_scale / viscosity, 1e-12);
    expect_near("T", flow.turnover_time, flow.integral_scale / flow.speed, 1e-14);
    expect_near("k_max eta", flow.resolution, 23 * pow(pow(viscosity, 3) / flow.dissipation, 0.25), 1e-13);
    expect_below("skewness of random phases", fabs(flow.skewness), 0.03); /* measured: 0.008 */
    myr_particles_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taylor_green), cmocka_unit_test(test_skewness),
                                       cmocka_unit_test(test_skewness_of_short_waves), cmocka_unit_test(test_spectrum)};
    if (!myr_flow_available())
        return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
