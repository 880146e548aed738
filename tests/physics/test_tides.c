/* test_tides.c - bodies in external fields: the integral of motion in a field that turns, and the tidal radius. */
#include "physics/group.h"

#define STRENGTH 0.02 /* G M / d^3 of the tide */

/* Adds a field with these parameters. */
static void add_field(myr_simulation *s, const char *kind, const setting *settings)
{
    myr_external *field = NULL;
    expect_ok(context, myr_external_create(context, kind, &field));
    for (; settings && settings->name; settings++)
        expect_ok(context, myr_external_set(field, settings->name, settings->value));
    expect_ok(context, myr_simulation_add_external(s, field));
}

static myr_simulation *cluster(void)
{
    return new_motion(make_model(context, "plummer", 64, 3, NULL), "double", 0.05, "leapfrog",
                      SETTINGS({"dt", 0.005, NULL}));
}

/* The tide of a point at distance 10 whose mass gives STRENGTH. */
static void add_tide(myr_simulation *s, double rate, double x)
{
    add_field(s, "tidal",
              SETTINGS({"mass", STRENGTH * 1000, NULL}, {"distance", 10, NULL}, {"rate", rate, NULL}, {"x", x, NULL}));
}

static myr_conserved sums_of(myr_simulation *s)
{
    myr_conserved sums;
    expect_ok(context, myr_simulation_conserved(s, &sums));
    return sums;
}

/* The energy changes with the tide; the Jacobi integral stays, wherever the axis is. */
static void test_jacobi(void **state)
{
    (void)state;
    for (int shifted = 0; shifted < 2; shifted++) {
        myr_simulation *s = cluster();
        add_tide(s, 3, 0.5 * shifted);
        add_field(s, "miyamoto_nagai", SETTINGS({"mass", 0.1, NULL}, {"x", 0.5 * shifted, NULL}));
        const myr_conserved before = sums_of(s);
        run_to(context, s, 2);
        const myr_conserved after = sums_of(s);
        assert_true(fabs(after.energy - before.energy) > 1e-3);           /* seen 2.0e-3 and 2.5e-3 */
        expect_below("jacobi", fabs(after.jacobi - before.jacobi), 3e-6); /* seen 7.5e-7 */
        myr_simulation_destroy(&s);
    }
}

/* Static fields keep the energy; two rates, two axes and a triaxial halo beside a turning field keep nothing. */
static void test_integrals(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        myr_simulation *s = cluster();
        add_tide(s, k == 0 ? 0 : 0.3, 0);
        if (k == 2)
            add_tide(s, 0.2, 0);
        if (k == 3)
            add_tide(s, 0.3, 1);
        if (k == 4)
            add_field(s, "logarithmic", SETTINGS({"qy", 0.9, NULL}));
        const myr_conserved sums = sums_of(s);
        if (k < 2)
            assert_true(sums.jacobi == sums.energy - (k == 0 ? 0 : 0.3) * sums.angular[2]);
        else
            assert_true(isnan(sums.jacobi));
        myr_simulation_destroy(&s);
    }
}

/* Tidal radius of the bodies about the origin, or NaN. */
static double radius_of(myr_simulation *s, const double centre[3], const double velocity[3])
{
    double radius;
    expect_ok(context, myr_simulation_tidal_radius(s, centre, velocity, &radius));
    return radius;
}

/* Two bodies of mass 1/2 at +-0.1, far inside: r^3 = G m / (rate^2 + 2 strength) in a linear tide, and R^3 m / (3 M) on
 * a circle of radius R about a point mass M. */
static void test_radius(void **state)
{
    (void)state;
    const double origin[3] = {0, 0, 0}, rest[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        myr_simulation *s = new_motion(make_model(context, "kepler", 0, 1, SETTINGS({"a", 0.2, NULL})), "double", 0,
                                       "leapfrog", SETTINGS({"dt", 0.01, NULL}));
        const double speed[3] = {0, sqrt(1000. / 20), 0}, rate = sqrt(STRENGTH);
        if (k == 0 || k == 1)
            add_tide(s, k * rate, 0);
        if (k == 2)
            add_field(s, "point_mass", SETTINGS({"mass", 1000, NULL}, {"x", -20, NULL}));
        if (k == 3) /* at the centre of a halo: pressed together */
            add_field(s, "logarithmic", NULL);
        const double radius = radius_of(s, origin, k == 2 ? speed : rest);
        const double wanted = k < 2 ? cbrt(1 / ((2 + k) * STRENGTH)) : 20 / cbrt(3000);
        if (k == 3)
            assert_true(isnan(radius));
        else
            expect_about("tidal radius", radius / wanted, 1, 4e-11); /* seen 9e-12 */
        myr_simulation_destroy(&s);
    }
    myr_simulation *s = cluster();
    assert_true(isnan(radius_of(s, origin, rest)));
    myr_simulation_destroy(&s);
}

/* Bodies beyond a radius count, bound or not, and only those inside hold the others. */
static void test_beyond(void **state)
{
    (void)state;
    const double origin[3] = {0, 0, 0}, rest[3] = {0, 0, 0};
    myr_particles *p = make_model(context, "kepler", 0, 1, SETTINGS({"a", 20, NULL}));
    myr_escapers e;
    expect_ok(context, myr_diagnostic_beyond(p, origin, 5, &e));
    assert_int_equal(e.count, 2);
    expect_about("mass", e.mass, 1, 1e-15);
    expect_ok(context, myr_diagnostic_beyond(p, origin, 30, &e));
    assert_int_equal(e.count, 0);
    assert_int_equal(myr_diagnostic_beyond(p, origin, NAN, &e), MYR_ERROR_VALUE);
    myr_simulation *s = new_motion(p, "double", 0, "leapfrog", SETTINGS({"dt", 0.01, NULL}));
    add_tide(s, 0, 0);
    assert_true(radius_of(s, origin, rest) == 0);
    myr_simulation_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobi),
        cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_radius),
        cmocka_unit_test(test_beyond),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
