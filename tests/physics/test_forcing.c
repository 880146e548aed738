/* Forced turbulence: the power that long waves get is the power that was asked for, by the spectral method and by
 * vortex elements that carry vorticity or strengths; both methods side by side; bits on threads and after a restart;
 * what is refused. */
#include "physics/motion.h"
#include "unit/scratch.h"

static myr_context *context;
static const double edges[3] = {2 * PI, 2 * PI, 2 * PI}, corner[3] = {-PI, -PI, -PI};

static int set_up(void **state)
{
    (void)state;
    context = new_context();
    expect_ok(context, myr_context_set_threads(context, 1));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    myr_context_destroy(&context);
    return 0;
}

enum { SIDE = 16 };

/* How the fluid is moved. */
typedef enum { SPECTRAL, EXACT, VORTICITY, STRENGTHS } way;

typedef struct {
    way how;
    double viscosity, power, shell, dt, residual;
} forced_case;

static myr_interaction *elements_interaction(void)
{
    myr_interaction *f = new_interaction(context, "velocity_stretching", "double");
    expect_ok(context, myr_interaction_choose(f, "method", "mesh"));
    expect_ok(context, myr_interaction_set(f, "tolerance", 1e-6));
    expect_ok(context, myr_interaction_set_box(f, edges, corner));
    return f;
}

static myr_simulation *new_flow(const forced_case *f)
{
    const int spectral = f->how == SPECTRAL || f->how == EXACT;
    myr_particles *p = make_model(context, "isotropic_turbulence", SIDE * SIDE * SIDE, 1, SETTINGS({"peak", 2, NULL}));
    myr_simulation *s = NULL;
    expect_ok(context, myr_simulation_create(context, p, spectral ? NULL : elements_interaction(), &s));
    expect_ok(context, myr_simulation_choose(s, spectral ? "rk4" : "rk3"));
    expect_ok(context, myr_simulation_set(s, "dt", f->dt));
    if (spectral)
        expect_ok(context, myr_simulation_set_spectral(s, f->viscosity));
    else
        expect_ok(context, myr_simulation_set_viscosity(s, f->viscosity));
    if (f->how == EXACT)
        expect_ok(context, myr_simulation_choose_viscous(s, "exact"));
    if (f->how == VORTICITY)
        expect_ok(context, myr_simulation_solve_strengths(s, f->residual));
    if (f->power > 0)
        expect_ok(context, myr_simulation_set_forcing(s, f->power, f->shell));
    return s;
}

/* Kinetic energy per mass on the mesh, or that the elements make on one. */
static double kinetic_of(myr_simulation *s)
{
    const myr_particles *now;
    myr_particles *mesh = NULL;
    myr_flow flow;
    expect_ok(context, myr_simulation_particles(s, &now));
    if (myr_simulation_kind(s) == MYR_MOTION_OF_ELEMENTS)
        expect_ok(context, myr_flow_of_elements(now, edges[0], corner, 0, &mesh));
    expect_ok(context, myr_flow_measure(mesh ? mesh : now, 0, &flow));
    myr_particles_destroy(&mesh);
    return flow.kinetic;
}

/* Change of the energy in one step, per time. */
static double growth(const forced_case *f)
{
    myr_simulation *s = new_flow(f);
    const double before = kinetic_of(s);
    expect_ok(context, myr_simulation_step(s, 1e300));
    const double after = kinetic_of(s);
    myr_simulation_destroy(&s);
    return (after - before) / f->dt;
}

/* Without viscosity the energy of the spectral method grows by power times time, whatever the flow does. */
static void test_energy(void **state)
{
    (void)state;
    const forced_case f = {SPECTRAL, 0, 0.7, 2.5, 0.01, 0};
    myr_simulation *s = new_flow(&f);
    expect_ok(context, myr_simulation_step(s, 1e300));
    const double before = kinetic_of(s), begin = myr_simulation_time(s);
    run_to(context, s, 0.5);
    const double gained = kinetic_of(s) - before;
    expect_below("energy gained", fabs(gained / (0.7 * (0.5 - begin)) - 1), 1.4e-7); /* measured: 2.9e-8 */
    myr_simulation_destroy(&s);
}

/* With and without forcing one step differs by the power, in waves of up to the shell only: a shell of 1 has three of
 * them. Elements move with velocities of their own, so that a step changes them by other terms as well. */
static void test_power(void **state)
{
    (void)state;
    static const struct {
        way how;
        double viscosity, shell, bar; /* measured: 2.2e-4, 5.0e-5, 1.2e-6, 2.5e-5, 5.9e-5 */
    } row[] = {
        {SPECTRAL, 0.05, 2.5, 1e-3},    {EXACT, 0.05, 1, 2.4e-4},     {VORTICITY, 0, 2.5, 6e-6},
        {VORTICITY, 0.01, 1.5, 1.2e-4}, {STRENGTHS, 0.01, 2.5, 3e-4},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        forced_case f = {row[k].how, row[k].viscosity, 0, row[k].shell, 1e-3, 1e-6};
        const double quiet = growth(&f);
        f.power = 0.4;
        expect_below("power", fabs((growth(&f) - quiet) / f.power - 1), row[k].bar);
    }
}

/* Elements that carry vorticity follow the spectral method. */
static void test_side_by_side(void **state)
{
    (void)state;
    double kinetic[2];
    for (int k = 0; k < 2; k++) {
        const forced_case f = {k ? VORTICITY : SPECTRAL, 0.05, 0.5, 2.5, 0.025, 3e-4};
        myr_simulation *s = new_flow(&f);
        while (myr_simulation_time(s) != 0.5) {
            myr_reinitialisation info;
            expect_ok(context, myr_simulation_step(s, 0.5));
            if (k)
                expect_ok(context, myr_simulation_reinitialise(s, 2 * PI / SIDE, 2 * PI / SIDE, &info));
        }
        kinetic[k] = kinetic_of(s);
        myr_simulation_destroy(&s);
    }
    expect_below("energy of elements", fabs(kinetic[1] / kinetic[0] - 1), 1.9e-4); /* measured: 4.3e-5 */
}

/* The same bits on any number of threads and after a restart, which knows the forcing. */
static void test_bits(void **state)
{
    (void)state;
    for (int how = SPECTRAL; how <= VORTICITY; how += VORTICITY) {
        const forced_case f = {(way)how, 0.02, 0.5, 2.5, 0.02, 1e-3};
        uint64_t hash[2];
        for (int again = 0; again < 2; again++) {
            const myr_particles *now;
            expect_ok(context, myr_context_set_threads(context, 1 + 2 * again));
            myr_simulation *s = new_flow(&f);
            run_to(context, s, 0.04);
            if (again) {
                scratch files;
                scratch_begin(&files);
                expect_ok(context, myr_simulation_save(s, scratch_path(&files, "flow.myr")));
                myr_simulation_destroy(&s);
                expect_ok(context, myr_simulation_load(context, scratch_path(&files, "flow.myr"), &s));
                scratch_end(&files);
            }
            run_to(context, s, 0.1);
            expect_ok(context, myr_simulation_particles(s, &now));
            expect_ok(context, myr_particles_hash(now, "velocity", &hash[again]));
            myr_simulation_destroy(&s);
        }
        assert_true(hash[0] == hash[1]);
        expect_ok(context, myr_context_set_threads(context, 1));
    }
}

static void expect_refused(myr_status status, const char *words)
{
    assert_int_not_equal(status, MYR_OK);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
}

static void test_refusals(void **state)
{
    (void)state;
    forced_case f = {SPECTRAL, 0.01, 0, 2.5, 0.01, 0};
    myr_simulation *s = new_flow(&f);
    expect_refused(myr_simulation_set_forcing(s, -1, 2), "cannot be -1");
    expect_refused(myr_simulation_set_forcing(s, 1, 9), "1 to 8");
    expect_ok(context, myr_simulation_step(s, 1e300));
    expect_refused(myr_simulation_set_forcing(s, 1, 2), "after the first step");
    myr_simulation_destroy(&s);
    s = new_motion(make_model(context, "plummer", 16, 1, NULL), "double", 0.1, "leapfrog", NULL);
    expect_refused(myr_simulation_set_forcing(s, 1, 2), "bodies");
    myr_simulation_destroy(&s);
    /* the waves of this flow have three components that are not 0 */
    s = NULL;
    expect_ok(context, myr_simulation_create(context, make_model(context, "taylor_green", 512, 1, NULL), NULL, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.01));
    expect_ok(context, myr_simulation_set_spectral(s, 0.01));
    expect_ok(context, myr_simulation_set_forcing(s, 1, 1));
    expect_refused(myr_simulation_step(s, 1e300), "has none of these");
    myr_simulation_destroy(&s);
    /* elements in open space */
    s = NULL;
    expect_ok(context, myr_simulation_create(context, make_model(context, "vortex_ring", 490, 1, NULL),
                                             new_interaction(context, "velocity_stretching", "double"), &s));
    expect_ok(context, myr_simulation_choose(s, "rk3"));
    expect_ok(context, myr_simulation_set(s, "dt", 0.01));
    expect_ok(context, myr_simulation_set_forcing(s, 1, 2));
    expect_refused(myr_simulation_step(s, 1e300), "periodic along all axes");
    myr_simulation_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy), cmocka_unit_test(test_power),    cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_refusals),
    };
    if (!myr_flow_available())
        return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
