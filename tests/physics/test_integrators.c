/* test_integrators.c - integrators on few bodies with known orbits: Kepler's ellipse, the figure eight, the Pythagorean
 * problem; the order of each integrator, measured; the way back of those that can go back. */
#include "physics/motion.h"

static myr_context *context;

/* An integrator with what it did: relative energy error and distance from the right place, with the bars on both. */
typedef struct {
    const char *integrator;
    const setting *settings;
    double energy, distance;
} orbit_case;

/* Runs a periodic problem over some periods: at the end everybody is where it began. */
static void periodic(const char *model, const setting *options, double period, int periods, const orbit_case *run)
{
    char what[80];
    myr_particles *start = make_model(context, model, 0, 1, options);
    myr_simulation *s =
        new_motion(make_model(context, model, 0, 1, options), "double", 0, run->integrator, run->settings);
    const double before = energy_now(context, s);
    run_to(context, s, period * periods);
    snprintf(what, sizeof what, "%s %s, energy", model, run->integrator);
    expect_below(what, fabs(energy_now(context, s) / before - 1), run->energy);
    const bodies first = bodies_of(start), last = bodies_now(context, s);
    snprintf(what, sizeof what, "%s %s, distance", model, run->integrator);
    expect_below(what, farthest(&first, &last), run->distance);
    myr_simulation_destroy(&s);
    myr_particles_destroy(&start);
}

/* Two equal masses, a = 1, e = 0.9, from apocentre to apocentre. At each, an error of phase shows as distance. */
static void test_kepler(void **state)
{
    (void)state;
    const setting *const orbit = SETTINGS({"a", 1, NULL}, {"e", 0.9, NULL});
    const double dt = 2 * PI / 4000;
    const setting *const eta = SETTINGS({"eta", 0.001, NULL}, {"eta_start", 0.001, NULL});
    const orbit_case runs[] = {
        {"leapfrog", SETTINGS({"dt", dt, NULL}), 6e-13, 0.25},     /* seen 1.5e-13, 0.064 */
        {"yoshida4", SETTINGS({"dt", 2 * dt, NULL}), 2e-12, 0.06}, /* 4.2e-13, 0.014 */
        {"yoshida6", SETTINGS({"dt", 4 * dt, NULL}), 2e-11, 6e-3}, /* 4.7e-12, 1.4e-3 */
        {"rk4", SETTINGS({"dt", 2 * dt, NULL}), 5e-3, 0.25},       /* 1.1e-3, 0.060 */
        {"hermite4", eta, 2.5e-6, 1.2e-4},                         /* 5.3e-7, 3.0e-5 */
        {"hermite4_shared", eta, 6e-6, 4e-4},                      /* 1.6e-6, 8.8e-5 */
        {"hermite4_individual", eta, 5e-6, 3e-4},                  /* 1.1e-6, 6.4e-5 */
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        periodic("kepler", orbit, 2 * PI, 100, &runs[k]);
}

static void test_figure_eight(void **state)
{
    (void)state;
    const double period = 6.32591398;
    const setting *const fixed = SETTINGS({"dt", period / 500, NULL});
    const orbit_case runs[] = {
        {"leapfrog", fixed, 4e-6, 0.2},                                                         /* seen 9.5e-7, 0.042 */
        {"ab2", fixed, 0.1, 0.2},                                                               /* 0.025, 0.043 */
        {"yoshida4", fixed, 6e-13, 1.2e-3},                                                     /* 1.3e-13, 3.0e-4 */
        {"yoshida6", fixed, 4e-13, 1.2e-6},                                                     /* 9.1e-14, 3.0e-7 */
        {"rk4", fixed, 4e-6, 1.6e-3},                                                           /* 8.5e-7, 3.9e-4 */
        {"hermite4", SETTINGS({"eta", 0.001, NULL}, {"eta_start", 0.001, NULL}), 4e-7, 1.6e-4}, /* 8.2e-8, 3.9e-5 */
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        periodic("figure_eight", NULL, period, 100, &runs[k]);
}

/* Burrau's problem (Szebehely and Peters 1967): bodies pass at 4e-4 near t = 15.83. The pericentre of the pair that is
 * closest tells that distance, wherever the steps fall. */
static void test_pythagorean(void **state)
{
    (void)state;
    myr_simulation *s = new_motion(make_model(context, "pythagorean", 0, 1, NULL), "double", 0, "hermite4_shared",
                                   SETTINGS({"eta", 1e-4, NULL}, {"eta_start", 1e-4, NULL}));
    double closest = INFINITY, pericentre = 0, when = 0;
    const double before = energy_now(context, s);
    while (myr_simulation_time(s) < 20) {
        expect_ok(context, myr_simulation_step(s, 20));
        const bodies b = bodies_now(context, s);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++) {
                const double d = hypot(b.x[0][i] - b.x[0][j], b.x[1][i] - b.x[1][j]);
                if (d >= closest)
                    continue;
                const elements e = elements_of(&b, i, j, 1);
                closest = d;
                pericentre = e.a * (1 - e.e);
                when = myr_simulation_time(s);
            }
    }
    expect_about("closest approach", pericentre, 4e-4, 5e-5);                /* seen 4.138e-4 */
    expect_about("its time", when, 15.83, 4e-4);                             /* seen 15.82992 */
    expect_below("energy", fabs(energy_now(context, s) / before - 1), 5e-8); /* seen 1.1e-8 */
    /* where they are at the end, as eta = 1e-6 has them */
    const bodies b = bodies_now(context, s);
    static const double last[3][2] = {{3.0042926, 0.5119252}, {-1.3886266, -0.4704760}, {-0.6916743, 0.0692257}};
    double worst = 0;
    for (int i = 0; i < 3; i++)
        keep_largest(&worst, hypot(b.x[0][i] - last[i][0], b.x[1][i] - last[i][1]));
    expect_below("places at the end", worst, 6e-7); /* seen 1.3e-7 */
    myr_simulation_destroy(&s);
}

/* Distance from the right place after one revolution of an ellipse with e = 0.3 in `steps` steps. */
static double ellipse_error(const char *integrator, int steps)
{
    const setting *const orbit = SETTINGS({"a", 1, NULL}, {"e", 0.3, NULL});
    const double dt = 2 * PI / steps;
    const int hermite = strncmp(integrator, "hermite", 7) == 0;
    /* a coarse eta asks for more than dt_max always: steps are dt_max */
    const setting *const settings = hermite
                                        ? SETTINGS({"dt_max", dt, NULL}, {"eta", 1e3, NULL}, {"eta_start", 1e3, NULL})
                                        : SETTINGS({"dt", dt, NULL});
    myr_particles *start = make_model(context, "kepler", 0, 1, orbit);
    myr_simulation *s = new_motion(make_model(context, "kepler", 0, 1, orbit), "double", 0, integrator, settings);
    run_to(context, s, 2 * PI);
    assert_int_equal(progress_of(context, s).particle_steps, 2 * steps);
    const bodies first = bodies_of(start), last = bodies_now(context, s);
    const double error = farthest(&first, &last);
    myr_simulation_destroy(&s);
    myr_particles_destroy(&start);
    return error;
}

/* Halving the step divides the error by 2^order. */
static void test_orders(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        int steps;
        double order, off;
    } runs[] = {
        {"leapfrog", 1000, 2, 3e-4},            /* seen 6e-5 off */
        {"ab2", 4000, 2, 0.015},                /* 0.0036 */
        {"yoshida4", 1000, 4, 7e-4},            /* 1.5e-4 */
        {"rk3", 2000, 3, 0.02},                 /* 0.0043 */
        {"rk4", 500, 4, 0.2},                   /* 0.050 */
        {"yoshida6", 300, 6, 0.02},             /* 0.0046 */
        {"hermite4", 1000, 4, 0.04},            /* 0.0090 */
        {"hermite4_shared", 1000, 4, 0.04},     /* 0.0091 */
        {"hermite4_individual", 1000, 4, 0.03}, /* 0.0059 */
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const double coarse = ellipse_error(runs[k].integrator, runs[k].steps);
        const double fine = ellipse_error(runs[k].integrator, 2 * runs[k].steps);
        expect_about(runs[k].integrator, log2(coarse / fine), runs[k].order, runs[k].off);
        const myr_integrator_info *info = myr_integrator_find(runs[k].integrator);
        assert_int_equal(info->order, (int)runs[k].order);
    }
}

/* There and back again: what is left is rounding, far below the error of the orbit itself. */
static void test_reversible(void **state)
{
    (void)state;
    const myr_integrator_info *info;
    const setting *const orbit = SETTINGS({"a", 1, NULL}, {"e", 0.9, NULL});
    int tried = 0;
    for (int k = 0; (info = myr_integrator(k)); k++) {
        if (!info->reversible || info->needs_box)
            continue;
        myr_particles *start = make_model(context, "kepler", 0, 1, orbit);
        myr_simulation *s = new_motion(make_model(context, "kepler", 0, 1, orbit), "double", 0, info->name,
                                       SETTINGS({"dt", 0x1p-8, NULL}));
        run_to(context, s, 8);
        const bodies first = bodies_of(start), there = bodies_now(context, s);
        assert_true(farthest(&first, &there) > 0.1);
        run_to(context, s, 0);
        const bodies back = bodies_now(context, s);
        expect_below(info->name, farthest(&first, &back), 3e-13); /* seen 8e-15 to 7e-14 */
        assert_int_equal(progress_of(context, s).steps, 2 * 8 * 256);
        myr_simulation_destroy(&s);
        myr_particles_destroy(&start);
        tried++;
    }
    assert_int_equal(tried, 3);
}

static int setup(void **state)
{
    (void)state;
    context = new_context();
    return myr_context_set_threads(context, 1);
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
        cmocka_unit_test(test_kepler), cmocka_unit_test(test_figure_eight), cmocka_unit_test(test_pythagorean),
        cmocka_unit_test(test_orders), cmocka_unit_test(test_reversible),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
