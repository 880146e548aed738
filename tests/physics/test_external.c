/* test_external.c - external fields: the acceleration is minus the gradient of the potential, the jerk is the change of
 * the acceleration along the motion, both against finite differences; and values that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/external.h>

static myr_context *context;

static myr_external *field_create(const char *kind)
{
    myr_external *field = NULL;
    assert_int_equal(myr_external_create(context, kind, &field), MYR_OK);
    assert_string_equal(myr_external_name(field), kind);
    return field;
}

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Places from deep inside to far outside the scales of every field, and a motion. */
static const double places[][3] = {{0.3, -0.2, 0.05}, {1.1, 0.7, -0.4}, {-2, 3, 1.5}, {0.01, 0.02, -0.03}, {20, -5, 9}};
static const double motion[3] = {0.4, -0.9, 0.3};
enum { PLACES = sizeof places / sizeof places[0] };

/* The derivative by central differences of two widths, extrapolated: an error of order h^4. */
static double slope(double a2, double a1, double b1, double b2, double h)
{
    return (8 * (b1 - a1) - (b2 - a2)) / (12 * h);
}

static double potential_at(const myr_external *field, const double x[3], int c, double by)
{
    double y[3] = {x[0], x[1], x[2]}, potential;
    y[c] += by;
    myr_external_at(field, y, NULL, 0.7, NULL, NULL, &potential);
    return potential;
}

static double acceleration_at(const myr_external *field, const double x[3], int c, double dt)
{
    double y[3], a[3];
    for (int k = 0; k < 3; k++)
        y[k] = x[k] + motion[k] * dt;
    myr_external_at(field, y, motion, 0.7 + dt, a, NULL, NULL);
    return a[c];
}

/* Errors relative to |a| and |jerk|. Measured worst: gradient 7e-11, jerk 1.0e-11, the differences' own error. */
static void check_derivatives(const myr_external *field)
{
    for (int k = 0; k < PLACES; k++) {
        double a[3], jerk[3], gradient_error[3], jerk_error[3];
        const double *x = places[k], h = 1e-3 * length(x);
        myr_external_at(field, x, motion, 0.7, a, jerk, NULL);
        for (int c = 0; c < 3; c++) {
            gradient_error[c] = a[c] + slope(potential_at(field, x, c, -2 * h), potential_at(field, x, c, -h),
                                             potential_at(field, x, c, h), potential_at(field, x, c, 2 * h), h);
            jerk_error[c] = jerk[c] - slope(acceleration_at(field, x, c, -2 * h), acceleration_at(field, x, c, -h),
                                            acceleration_at(field, x, c, h), acceleration_at(field, x, c, 2 * h), h);
        }
        if (length(gradient_error) > 3e-10 * length(a) || length(jerk_error) > 5e-11 * length(jerk))
            fail_msg("%s at place %d: gradient off by %g, jerk off by %g", myr_external_name(field), k,
                     length(gradient_error) / length(a), length(jerk_error) / length(jerk));
    }
}

/* Every field with its defaults, and with every parameter away from its default. */
static void test_derivatives(void **state)
{
    (void)state;
    int kinds = 0;
    for (int k = 0; myr_external_kind(k); k++, kinds++) {
        myr_external *field = field_create(myr_external_kind(k)->name);
        check_derivatives(field);
        const myr_parameter_info *p;
        for (int n = 0; (p = myr_external_parameter(k, n)); n++) {
            assert_non_null(myr_external_dimension(k, n));
            const double value = p->value * 1.3 + 0.07;
            assert_int_equal(myr_external_set(field, p->name, value), MYR_OK);
            assert_true(myr_external_get(field, p->name) == value);
        }
        assert_null(myr_external_dimension(k, 99));
        check_derivatives(field);
        myr_external_destroy(&field);
        assert_null(field);
    }
    assert_int_equal(kinds, 7);
}

static void expect(const char *what, double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", what, value, expected);
}

static void test_point_mass(void **state)
{
    (void)state;
    myr_external *field = field_create("point_mass");
    const double x[3] = {0, 0, 2}, v[3] = {0, 0, 1};
    double a[3], jerk[3], potential;
    myr_external_set(field, "mass", 3);
    myr_external_set(field, "G", 2);
    myr_external_at(field, x, v, 0, a, jerk, &potential);
    expect("potential", potential, -3, 1e-15);
    expect("acceleration", a[2], -1.5, 1e-15);
    expect("jerk", jerk[2], 1.5, 1e-15); /* d(-6/z^2)/dt = 12/z^3 */
    myr_external_destroy(&field);
}

/* The circular speed far out is v0; at r = core it is v0/sqrt(2). */
static void test_logarithmic(void **state)
{
    (void)state;
    myr_external *field = field_create("logarithmic");
    double a[3];
    myr_external_set(field, "v0", 220);
    myr_external_set(field, "core", 2);
    myr_external_at(field, (const double[3]){0, 2, 0}, NULL, 0, a, NULL, NULL);
    expect("speed^2 at the core", -2 * a[1], 0.5 * 220 * 220, 1e-14);
    myr_external_at(field, (const double[3]){2e6, 0, 0}, NULL, 0, a, NULL, NULL);
    expect("speed^2 far out", -2e6 * a[0], 220 * 220, 5e-12); /* core^2/r^2 = 1e-12 */
    myr_external_destroy(&field);
}

/* At the virial radius the mass inside is M; near the centre the pull is that of rho ~ 1/r, finite; the series and the
 * closed form meet. */
static void test_nfw(void **state)
{
    (void)state;
    myr_external *field = field_create("nfw");
    double a[3], b[3], potential;
    const double c = 12, scale = 20, m = log(1 + c) - c / (1 + c);
    myr_external_set(field, "concentration", c);
    myr_external_set(field, "scale", scale);
    myr_external_at(field, (const double[3]){c * scale, 0, 0}, NULL, 0, a, NULL, NULL);
    expect("pull at the virial radius", a[0], -1 / (c * scale * c * scale), 1e-14);
    myr_external_at(field, (const double[3]){0, 1e-9, 0}, NULL, 0, a, NULL, &potential);
    expect("pull near the centre", a[1], -1 / (m * scale * scale) / 2, 3e-10); /* measured 7e-11: 4/3 of r/scale */
    expect("potential near the centre", potential, -1 / (m * scale), 1e-10);   /* measured 2.5e-11: half of r/scale */
    myr_external_at(field, (const double[3]){0, 0, 0}, NULL, 0, a, b, &potential);
    expect("potential at the centre", potential, -1 / (m * scale), 1e-15);
    assert_true(a[0] == 0 && b[0] == 0);
    myr_external_at(field, (const double[3]){0, 0, 0.1 * scale * (1 - 1e-15)}, NULL, 0, a, NULL, NULL);
    myr_external_at(field, (const double[3]){0, 0, 0.1 * scale * (1 + 1e-15)}, NULL, 0, b, NULL, NULL);
    expect("pull where the series ends", a[2], b[2], 8e-15); /* measured 1.6e-15 */
    myr_external_destroy(&field);
}

/* a = 0 is a Plummer sphere; Kuzmin's disc above its plane pulls like a point mass at (0, 0, -a). */
static void test_miyamoto_nagai(void **state)
{
    (void)state;
    myr_external *disc = field_create("miyamoto_nagai"), *plummer = field_create("point_mass");
    double a[3], b[3], ja[3], jb[3];
    const double x[3] = {0.4, -0.3, 0.7};
    myr_external_set(disc, "a", 0);
    myr_external_set(disc, "b", 0.5);
    myr_external_set(plummer, "eps", 0.5);
    myr_external_at(disc, x, motion, 0, a, ja, NULL);
    myr_external_at(plummer, x, motion, 0, b, jb, NULL);
    for (int c = 0; c < 3; c++) {
        expect("pull of a sphere", a[c], b[c], 1e-14);
        expect("jerk of a sphere", ja[c], jb[c], 1e-14);
    }
    myr_external_set(disc, "a", 2);
    myr_external_set(disc, "b", 0);
    myr_external_set(plummer, "eps", 0);
    myr_external_set(plummer, "z", -2);
    myr_external_at(disc, x, motion, 0, a, ja, NULL);
    myr_external_at(plummer, x, motion, 0, b, jb, NULL);
    for (int c = 0; c < 3; c++) {
        expect("pull of a thin disc", a[c], b[c], 1e-14);
        expect("jerk of a thin disc", ja[c], jb[c], 1e-14);
    }
    myr_external_destroy(&disc);
    myr_external_destroy(&plummer);
}

/* The tide is the difference of the pull of the point at x and at the origin, to first order: at x/d = 1e-4 the rest is
 * of order 3e-4 of it. It has no divergence, and it turns with the point. */
static void test_tidal(void **state)
{
    (void)state;
    myr_external *tide = field_create("tidal"), *point = field_create("point_mass");
    const double d = 100, x[3] = {0.01, -0.004, 0.006};
    double a[3], at[3], origin[3], angle = 2.1;
    const char *const axis[2] = {"x", "y"};
    myr_external_set(tide, "mass", 5);
    myr_external_set(tide, "distance", d);
    myr_external_set(tide, "rate", 0.3);
    myr_external_set(point, "mass", 5);
    for (int c = 0; c < 2; c++)
        myr_external_set(point, axis[c], d * (c ? sin(angle) : cos(angle)));
    myr_external_at(tide, x, NULL, angle / 0.3, a, NULL, NULL);
    myr_external_at(point, x, NULL, 0, at, NULL, NULL);
    myr_external_at(point, (const double[3]){0, 0, 0}, NULL, 0, origin, NULL, NULL);
    double error[3];
    for (int c = 0; c < 3; c++)
        error[c] = a[c] - (at[c] - origin[c]);
    assert_true(length(error) < 3e-4 * length(a)); /* measured 1.3e-4 */
    myr_external_set(tide, "rate", 0);
    double trace = 0;
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0, 0, 0};
        unit[c] = 1;
        myr_external_at(tide, unit, NULL, 17, a, NULL, NULL);
        trace += a[c];
        expect("tide along an axis", a[c], (c == 0 ? 2 : -1) * 5e-6, 1e-14);
    }
    assert_true(fabs(trace) < 1e-20);
    myr_external_destroy(&tide);
    myr_external_destroy(&point);
}

static void test_errors(void **state)
{
    (void)state;
    myr_external *field = NULL;
    assert_int_equal(myr_external_create(context, "nwf", &field), MYR_ERROR_NAME);
    assert_null(field);
    assert_non_null(strstr(myr_context_message(context), "nfw"));
    field = field_create("tidal");
    assert_int_equal(myr_external_set(field, "masss", 1), MYR_ERROR_NAME);
    assert_int_equal(myr_external_set(field, "distance", -1), MYR_ERROR_VALUE);
    assert_int_equal(myr_external_set(field, "distance", NAN), MYR_ERROR_VALUE);
    assert_true(isnan(myr_external_get(field, "colour")));
    assert_null(myr_external_kind(-1));
    assert_null(myr_external_parameter(99, 0));
    myr_external_destroy(&field);
    myr_external_destroy(&field);
}

static int setup(void **state)
{
    (void)state;
    return myr_context_create(&context);
}

static int teardown(void **state)
{
    (void)state;
    myr_context_destroy(&context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_point_mass),     cmocka_unit_test(test_logarithmic),
        cmocka_unit_test(test_nfw),         cmocka_unit_test(test_miyamoto_nagai), cmocka_unit_test(test_tidal),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
