/* The spectral method against exact decays, conservation, its order in time, and published figures of the Taylor-Green
 * vortex; what a flow measures as; what is refused. MYRIAD_TEST_LONG=1 adds the vortex at 64^3 (half a minute of one
 * core). */
#include "physics/group.h"
#include "method/spectral/spectral.h"
#include "source_file.h"
#include "unit/scratch.h"

/* A flow of side^3 points under rk4. */
static myr_simulation *new_flow(const char *model, int64_t side, const setting *settings, double viscosity, double dt)
{
    myr_particles *points = make_model(context, model, side * side * side, 1, settings);
    myr_simulation *s = NULL;
    expect_ok(context, myr_simulation_create(context, points, NULL, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set(s, "dt", dt));
    expect_ok(context, myr_simulation_set_spectral(s, viscosity));
    return s;
}

static myr_flow flow_now(myr_simulation *s)
{
    const myr_particles *now;
    myr_flow flow;
    expect_ok(context, myr_simulation_particles(s, &now));
    expect_ok(context, myr_flow_measure(now, myr_simulation_viscosity(s), &flow));
    return flow;
}

/* The largest difference of a velocity from `factor` times that of another set. */
static double difference(const bodies *a, const bodies *b, double factor)
{
    double worst = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < a->n; i++)
            keep_largest(&worst, fabs(a->v[c][i] - factor * b->v[c][i]));
    return worst;
}

/* Flows whose nonlinear term is a pressure only decay. */
static void test_exact_decay(void **state)
{
    (void)state;
    static const struct {
        const char *model, *viscous;
        double rate, bar; /* measured: 1.4e-11, 9.5e-13, 2.1e-15, 3.8e-15 */
    } flow[] = {{"taylor_green", "explicit", 2, 7e-11},
                {"abc_flow", "explicit", 1, 5e-12},
                {"taylor_green", "exact", 2, 1e-14},
                {"abc_flow", "exact", 1, 1.9e-14}};
    for (int k = 0; k < 4; k++) {
        const setting plane[] = {{"waves_z", 0, NULL}, {0}}, abc[] = {{"A", 1, NULL}, {"B", 0.7, NULL}, {0}};
        const setting *settings = k % 2 == 0 ? plane : abc;
        const double viscosity = 0.1, end = 1;
        myr_simulation *s = new_flow(flow[k].model, 12, settings, viscosity, 0.05);
        myr_particles *first = make_model(context, flow[k].model, 12 * 12 * 12, 1, settings);
        expect_ok(context, myr_simulation_choose_viscous(s, flow[k].viscous));
        run_to(context, s, end);
        const bodies now = bodies_now(context, s), then = bodies_of(first);
        expect_below(flow[k].model, difference(&now, &then, exp(-viscosity * flow[k].rate * end)), flow[k].bar);
        myr_particles_destroy(&first);
        myr_simulation_destroy(&s);
    }
}

/* The three-dimensional vortex at time 1 with a step. */
static myr_simulation *vortex_with_step(double dt, const char *viscous)
{
    myr_simulation *s = new_flow("taylor_green", 12, NULL, 0.01, dt);
    expect_ok(context, myr_simulation_choose_viscous(s, viscous));
    run_to(context, s, 1);
    return s;
}

/* Halving the step divides the error by 16. */
static void test_order(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        myr_simulation *s[4];
        bodies b[4];
        for (int k = 0; k < 4; k++) {
            s[k] = vortex_with_step(ldexp(0.125, -k), exact ? "exact" : "explicit");
            b[k] = bodies_now(context, s[k]);
        }
        for (int k = 0; k < 2; k++) {
            const double ratio = difference(&b[k], &b[k + 1], 1) / difference(&b[k + 1], &b[k + 2], 1);
            expect_near("order in time", log2(ratio), 4, 0.15); /* measured: 3.97, 3.96, exact 4.12, 3.95 */
        }
        for (int k = 0; k < 4; k++)
            myr_simulation_destroy(&s[k]);
    }
}

/* Both treatments of the viscous term are the same flow, and the exact one has steps that the other refuses. */
static void test_viscous(void **state)
{
    (void)state;
    myr_simulation *a = vortex_with_step(1.0 / 64, "explicit"), *b = vortex_with_step(1.0 / 64, "exact");
    const bodies x = bodies_now(context, a), y = bodies_now(context, b);
    expect_below("explicit against exact", difference(&x, &y, 1), 1.4e-9); /* measured: 2.9e-10 */
    myr_simulation_destroy(&a);
    myr_simulation_destroy(&b);

    a = new_flow("taylor_green", 12, SETTINGS({"waves_z", 0, NULL}), 1, 0.05); /* 3.75 on the negative axis */
    expect_ok(context, myr_simulation_choose_viscous(a, "exact"));
    myr_particles *first = make_model(context, "taylor_green", 12 * 12 * 12, 1, SETTINGS({"waves_z", 0, NULL}));
    run_to(context, a, 1);
    const bodies now = bodies_now(context, a), then = bodies_of(first);
    expect_below("long steps", difference(&now, &then, exp(-2)), 1e-15); /* measured: 2.2e-16 */
    myr_particles_destroy(&first);
    myr_simulation_destroy(&a);
}

/* Without viscosity the energy stays, though the flow fills all modes of the mesh. */
static void test_energy(void **state)
{
    (void)state;
    myr_simulation *s = new_flow("taylor_green", 16, NULL, 0, 0.02);
    const myr_flow begin = flow_now(s);
    for (int k = 0; k < 100; k++)
        expect_ok(context, myr_simulation_step(s, 1e300));
    const myr_flow now = flow_now(s);
    assert_true(now.enstrophy > 1.3 * begin.enstrophy);                                   /* something has happened */
    expect_below("energy after 100 steps", fabs(now.kinetic / begin.kinetic - 1), 1e-10); /* measured: 3.9e-11 */
    expect_below("divergence", now.divergence, 4e-15);                                    /* measured: 8e-16 */
    expect_below("helicity", fabs(now.helicity), 1e-17);
    myr_simulation_destroy(&s);
}

/* Waves (5, 0, 0) and (4, 1, 0) drive (1, -1, 0) and (9, 1, 0). A mesh of 12 points does not hold the second, and takes
 * it for (-3, 1, 0) unless products are formed on a finer one. */
static void test_aliasing(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    double wave[16], energy[16];
    int64_t shells;
    myr_mesh mesh;
    myr_spectral *spectral;
    myr_particles *p = make_model(context, "abc_flow", SIDE * SIDE * SIDE, 1, NULL);
    double *x[3], *u[3], *rate[3];
    expect_ok(context, myr_particles_add_field(p, "acceleration", 3));
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component(p, "position", c);
        u[c] = myr_particles_component(p, "velocity", c);
        rate[c] = myr_particles_component(p, "acceleration", c);
    }
    for (int64_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        u[0][i] = cos(4 * x[0][i] + x[1][i]);
        u[1][i] = cos(5 * x[0][i]) - 4 * cos(4 * x[0][i] + x[1][i]);
        u[2][i] = 0;
    }
    expect_ok(context, myr_mesh_find(p, &mesh));
    expect_ok(context, myr_spectral_create(context, &mesh, 0, 0, &spectral));
    expect_ok(context, myr_spectral_rates(spectral, 0, (const double *const *)u, rate));
    for (int c = 0; c < 3; c++)
        memcpy(u[c], rate[c], SIDE * SIDE * SIDE * sizeof(double));
    expect_ok(context, myr_flow_spectrum(p, 16, wave, energy, &shells));
    assert_true(energy[0] > 0.1);
    for (int s = 1; s < shells; s++)
        expect_below("aliased energy", energy[s] / energy[0], 1e-29);
    myr_spectral_destroy(&spectral);
    myr_mesh_free(&mesh);
    myr_particles_destroy(&p);
}

/* Kinetic energy, or enstrophy, of the published run at one of the times that its table has. */
static double published(double time, int column)
{
    const char *path = source_file("tests/data/taylor_green_1600.csv");
    char line[256];
    double found = NAN, value[4];
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%lf,%lf,%lf,%lf", value, value + 1, value + 2, value + 3) == 4 &&
            fabs(value[0] - time) < 1e-6)
            found = value[column];
    fclose(file);
    if (isnan(found))
        fail_msg("%s has no time %g", path, time);
    return found;
}

/* Taylor-Green at Re = 1600 against the run at 512^3, for as long as the mesh resolves it. */
static void test_published(void **state)
{
    (void)state;
    expect_near("K(0.1) as printed", published(0.1, 1), 0.124953117517, 1e-15);
    myr_simulation *s = new_flow("taylor_green", 24, NULL, 1.0 / 1600, 0.05);
    run_to(context, s, 0.1);
    expect_near("K(0.1)", flow_now(s).kinetic, published(0.1, 1),
                8e-12); /* measured: 1.7e-12, the digits of the file */
    run_to(context, s, 2);
    const myr_flow now = flow_now(s);
    expect_near("K(2)", now.kinetic / published(2, 1), 1, 3e-6);           /* measured: 5.9e-7 */
    expect_near("enstrophy(2)", now.enstrophy / published(2, 3), 1, 3e-3); /* measured: 7e-4 */
    myr_simulation_destroy(&s);
}

static void test_published_long(void **state)
{
    (void)state;
    if (!getenv("MYRIAD_TEST_LONG")) {
        print_message("MYRIAD_TEST_LONG is not set: skipped\n");
        skip();
    }
    myr_simulation *s = new_flow("taylor_green", 64, NULL, 1.0 / 1600, 0.04);
    run_to(context, s, 3);
    const double enstrophy = flow_now(s).enstrophy;
    print_message("enstrophy(3) %.7g of %.7g\n", enstrophy, published(3, 3));
    expect_near("enstrophy(3)", enstrophy, 0.901208, 1e-3);
    run_to(context, s, 4);
    print_message("K(4) %.8g of %.8g\n", flow_now(s).kinetic, published(4, 1));
    expect_near("K(4)", flow_now(s).kinetic, 0.1215082, 1e-3);
    myr_simulation_destroy(&s);
}

/* A flow of waves of one length: every number is known. */
static void test_measures(void **state)
{
    (void)state;
    const double viscosity = 0.02, K = 1.5; /* (A^2 + B^2 + C^2)/2 */
    myr_particles *p = make_model(context, "abc_flow", 16 * 16 * 16, 1, NULL);
    myr_flow flow;
    expect_ok(context, myr_flow_measure(p, viscosity, &flow));
    expect_near("K", flow.kinetic, K, 4e-15);
    expect_near("enstrophy", flow.enstrophy, K, 4e-15);
    expect_near("dissipation", flow.dissipation, 2 * viscosity * K, 4e-15);
    expect_near("helicity", flow.helicity, 2 * K, 4e-15);
    expect_near("u'", flow.speed, 1, 4e-15);
    expect_near("L", flow.integral_scale, PI / 2 * K, 4e-15);
    expect_near("T", flow.turnover_time, PI / 2 * K, 4e-15);
    expect_near("lambda", flow.taylor_scale, sqrt(5), 4e-15);
    expect_near("Re", flow.reynolds, sqrt(5) / viscosity, 1e-11);
    expect_near("eta", flow.kolmogorov, pow(viscosity * viscosity / (2 * K), 0.25), 4e-15);
    expect_near("k eta", flow.resolution, 7 * flow.kolmogorov, 4e-15);
    double wave[32], energy[32], sum = 0;
    int64_t shells;
    expect_ok(context, myr_flow_spectrum(p, 32, wave, energy, &shells));
    assert_int_equal(shells, 12); /* sqrt(3) 7 */
    for (int64_t k = 0; k < shells; k++)
        sum += energy[k];
    expect_near("E(1)", energy[0], K, 4e-15);
    expect_near("sum of E", sum, K, 4e-15);
    expect_near("k", wave[0], 1, 1e-15);
    myr_particles_destroy(&p);
}

/* Once the vortex has begun to stretch, its derivatives are skewed as they are in all turbulence: downwards. */
static void test_skewness(void **state)
{
    (void)state;
    myr_simulation *s = new_flow("taylor_green", 16, NULL, 0.01, 0.05);
    run_to(context, s, 2);
    const double skewness = flow_now(s).skewness;
    assert_true(skewness < -0.2 && skewness > -0.8);
    myr_simulation_destroy(&s);
}

/* The same bits on any number of threads, and after a restart. */
static void test_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
        const myr_particles *now;
        expect_ok(context, myr_context_set_threads(context, (const int[]){1, 3, 2}[run]));
        myr_simulation *s = new_flow("taylor_green", 8, NULL, 0.01, 0.1);
        expect_ok(context, myr_simulation_choose_viscous(s, "exact"));
        run_to(context, s, 0.3);
        if (run == 2) {
            scratch files;
            scratch_begin(&files);
            const char *path = scratch_path(&files, "flow.myr");
            expect_ok(context, myr_simulation_save(s, path));
            myr_simulation_destroy(&s);
            expect_ok(context, myr_simulation_load(context, path, &s));
            scratch_end(&files);
            assert_true(myr_simulation_viscosity(s) == 0.01);
        }
        run_to(context, s, 0.7);
        expect_ok(context, myr_simulation_particles(s, &now));
        expect_ok(context, myr_particles_hash(now, "velocity", &hash[run]));
        myr_simulation_destroy(&s);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    expect_ok(context, myr_context_set_threads(context, 2));
}

/* The points of a mesh may come in any order. */
static void test_any_order(void **state)
{
    (void)state;
    enum { SIDE = 8, N = SIDE * SIDE * SIDE };
    myr_simulation *plain = new_flow("taylor_green", SIDE, NULL, 0.01, 0.1);
    myr_particles *points = make_model(context, "taylor_green", N, 1, NULL);
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 2; f++) {
            double *v = myr_particles_component(points, f ? "velocity" : "position", c), copy[N];
            memcpy(copy, v, sizeof copy);
            for (int i = 0; i < N; i++)
                v[i] = copy[i * 5 % N]; /* 5 and N have no common divisor */
        }
    myr_simulation *mixed = NULL;
    expect_ok(context, myr_simulation_create(context, points, NULL, &mixed));
    expect_ok(context, myr_simulation_choose(mixed, "rk4"));
    expect_ok(context, myr_simulation_set(mixed, "dt", 0.1));
    expect_ok(context, myr_simulation_set_spectral(mixed, 0.01));
    run_to(context, plain, 0.5);
    run_to(context, mixed, 0.5);
    const bodies a = bodies_now(context, plain), b = bodies_now(context, mixed);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            assert_true(b.v[c][i] == a.v[c][i * 5 % N]);
    myr_simulation_destroy(&plain);
    myr_simulation_destroy(&mixed);
}

static void expect_refused(myr_simulation *s, const char *words)
{
    assert_int_not_equal(myr_simulation_step(s, 1), MYR_OK);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
    myr_simulation_destroy(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    myr_particles *p = NULL;
    assert_int_equal(myr_model_create(context, "taylor_green", 27, 1, &p), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "even number of points"));
    expect_refused(new_flow("taylor_green", 16, NULL, 0.01, 0.5), "too long for this flow");
    expect_refused(new_flow("taylor_green", 16, NULL, 10, 0.01), "too long for this flow");

    myr_simulation *s = new_flow("taylor_green", 4, NULL, 0.01, 0.01);
    expect_ok(context, myr_simulation_choose(s, "leapfrog"));
    expect_refused(s, "use rk4 or ab2");

    s = new_flow("taylor_green", 4, NULL, 0.01, 0.01);
    expect_ok(context, myr_simulation_choose(s, "ab2"));
    assert_int_equal(myr_simulation_choose_viscous(s, "implicit"), MYR_ERROR_NAME);
    expect_ok(context, myr_simulation_choose_viscous(s, "exact"));
    expect_refused(s, "use rk4 or rk3");

    p = make_model(context, "lattice", 27, 1, NULL);
    expect_ok(context, myr_simulation_create(context, p, NULL, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set_spectral(s, 0.01));
    expect_refused(s, "an even number of points per axis");

    p = make_model(context, "taylor_green", 64, 1, NULL);
    myr_particles_component(p, "position", 1)[7] += 0.1;
    expect_ok(context, myr_simulation_create(context, p, NULL, &s));
    expect_ok(context, myr_simulation_choose(s, "rk4"));
    expect_ok(context, myr_simulation_set_spectral(s, 0.01));
    assert_int_equal(myr_simulation_set_spectral(s, -1), MYR_ERROR_VALUE);
    expect_refused(s, "particle 7");

    p = make_model(context, "taylor_green", 64, 1, NULL);
    expect_ok(context, myr_simulation_create(context, p, new_interaction(context, "gravity", "double"), &s));
    assert_int_equal(myr_simulation_set_spectral(s, 0.01), MYR_ERROR_COMBINATION);
    myr_simulation_destroy(&s);
}

/* Divergence in the initial field is taken out, and told. */
static char warned[512];

static void warn(void *user, const char *message)
{
    (void)user;
    snprintf(warned, sizeof warned, "%s", message);
}

static void test_projection(void **state)
{
    (void)state;
    myr_simulation *s = new_flow("taylor_green", 8, NULL, 0, 0.1);
    myr_particles *p = make_model(context, "taylor_green", 512, 1, NULL);
    for (int64_t i = 0; i < 512; i++)
        myr_particles_component(p, "velocity", 0)[i] += sin(myr_particles_component(p, "position", 0)[i]);
    myr_simulation *rough = NULL;
    expect_ok(context, myr_simulation_create(context, p, NULL, &rough));
    expect_ok(context, myr_simulation_choose(rough, "rk4"));
    expect_ok(context, myr_simulation_set(rough, "dt", 0.1));
    expect_ok(context, myr_simulation_set_spectral(rough, 0));
    expect_ok(context, myr_context_set_warning(context, warn, NULL));
    run_to(context, s, 0.2);
    assert_string_equal(warned, "");
    run_to(context, rough, 0.2);
    assert_non_null(strstr(warned, "divergence"));
    const bodies a = bodies_now(context, s), b = bodies_now(context, rough);
    expect_below("projected field", difference(&a, &b, 1), 4e-15);
    myr_simulation_destroy(&s);
    myr_simulation_destroy(&rough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_decay),    cmocka_unit_test(test_order),     cmocka_unit_test(test_viscous),
        cmocka_unit_test(test_energy),         cmocka_unit_test(test_aliasing),  cmocka_unit_test(test_published),
        cmocka_unit_test(test_published_long), cmocka_unit_test(test_measures),  cmocka_unit_test(test_skewness),
        cmocka_unit_test(test_bits),           cmocka_unit_test(test_any_order), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_projection),
    };
    if (!myr_flow_available())
        return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
