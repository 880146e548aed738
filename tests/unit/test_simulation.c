/* test_simulation.c - simulations from the outside: restart with the same bits, failures that leave no trace, external
 * fields, bad calls. */
#include "physics/motion.h"
#include "simulation/simulation.h"
#include "unit/scratch.h"

static scratch files;

/* Everything that the motion depends on: all fields, the numbers, the time, the grids. */
static uint64_t state_hash(const myr_simulation *s)
{
    uint64_t sum = 14695981039346656037u, hash;
    for (int k = 0; k < myr_particles_fields(s->particles); k++) {
        expect_ok(files.context, myr_particles_hash(s->particles, myr_particles_field_name(s->particles, k), &hash));
        sum = (sum ^ hash) * 1099511628211u;
    }
    const myr_integration *m = &s->motion;
    const double number[] = {m->time,          m->number[0],      m->number[1],
                             (double)m->steps, (double)m->active, (double)m->particle_steps};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        memcpy(&hash, &number[k], sizeof hash);
        sum = (sum ^ hash) * 1099511628211u;
    }
    for (int k = 0; s->interaction && k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        sum = (sum ^ (uint64_t)(int64_t)s->interaction->grid[k].exponent) * 1099511628211u;
    return sum;
}

static myr_external *new_external(const char *kind, const setting *settings)
{
    myr_external *e = NULL;
    expect_ok(files.context, myr_external_create(files.context, kind, &e));
    for (; settings && settings->name; settings++)
        expect_ok(files.context, myr_external_set(e, settings->name, settings->value));
    return e;
}

/* A little cluster in a halo. */
static myr_simulation *new_cluster(const char *integrator, const char *arithmetic)
{
    const int hermite = strncmp(integrator, "hermite", 7) == 0;
    myr_particles *p = make_model(files.context, "plummer", 48, 7, NULL);
    myr_simulation *s = new_motion(p, arithmetic, 0.01, integrator, hermite ? NULL : SETTINGS({"dt", 0.01, NULL}));
    expect_ok(files.context, myr_simulation_add_external(s, new_external("logarithmic", NULL)));
    return s;
}

/* A step; at a shortened one in between, blocks count anew and ab2 begins again. */
static void one_step(myr_simulation *s)
{
    const double time = myr_simulation_time(s);
    expect_ok(files.context, myr_simulation_step(s, time < 0.0321 ? 0.0321 : 1e3));
}

/* Saved after each of some steps, and continued by 1, 2 and 3 threads, the run ends with the same bits. */
static void restart(const char *integrator, const char *arithmetic, int steps, int saves)
{
    char path[400];
    uint64_t random = 5;
    myr_simulation *s = new_cluster(integrator, arithmetic), *again;
    int *at = calloc((size_t)steps, sizeof *at), partial = 0;
    assert_non_null(at);
    for (int chosen = 0; chosen < saves;) {
        const int k = (int)(uniform(&random) * steps);
        chosen += !at[k];
        at[k] = 1;
    }
    for (int k = 0; k < steps; k++) {
        if (at[k]) {
            snprintf(path, sizeof path, "%s/%s.%d", files.folder, integrator, k);
            expect_ok(files.context, myr_simulation_save(s, path));
            partial += k > 0 && progress_of(files.context, s).active < 48;
        }
        one_step(s);
    }
    if (strcmp(integrator, "hermite4") == 0)
        assert_true(partial >= saves / 2); /* in the middle of blocks */
    const uint64_t want = state_hash(s);
    for (int k = 0; k < steps; k++) {
        if (!at[k])
            continue;
        const int threads = 1 + k % 3;
        snprintf(path, sizeof path, "%s/%s.%d", files.folder, integrator, k);
        expect_ok(files.context, myr_context_set_threads(files.context, threads));
        expect_ok(files.context, myr_simulation_load(files.context, path, &again));
        assert_string_equal(myr_simulation_integrator(again), integrator);
        for (int n = k; n < steps; n++)
            one_step(again);
        assert_int_equal(again->pairs, s->pairs);
        if (state_hash(again) != want)
            fail_msg("%s in %s arithmetic, saved at step %d, continued with %d threads: other bits", integrator,
                     arithmetic, k, threads);
        myr_simulation_destroy(&again);
    }
    free(at);
    myr_simulation_destroy(&s);
    assert_int_equal(files.warnings, 0);
}

static void test_restart_blocks(void **state)
{
    (void)state;
    restart("hermite4", "mixed", 400, 20);
}

static void test_restart_all(void **state)
{
    (void)state;
    const myr_integrator_info *info;
    for (int k = 0; (info = myr_integrator(k)) && !info->needs_box; k++)
        restart(info->name, k % 2 ? "double" : "portable", 30, 4);
}

/* Asking for particles and sums between blocks does not change the motion. */
static void test_looking_changes_nothing(void **state)
{
    (void)state;
    myr_simulation *s[2] = {new_cluster("hermite4", "mixed"), new_cluster("hermite4", "mixed")};
    for (int k = 0; k < 50; k++) {
        one_step(s[0]);
        one_step(s[1]);
        bodies_now(files.context, s[1]);
        energy_now(files.context, s[1]);
    }
    assert_true(state_hash(s[0]) == state_hash(s[1]));
    for (int k = 0; k < 2; k++)
        myr_simulation_destroy(&s[k]);
}

/* What is attached comes back. */
static void test_attached(void **state)
{
    (void)state;
    size_t size = 0;
    myr_simulation *s = new_cluster("leapfrog", "mixed"), *again;
    expect_ok(files.context, myr_simulation_attach(s, "input", "old", 4));
    expect_ok(files.context, myr_simulation_attach(s, "empty", NULL, 0));
    expect_ok(files.context, myr_simulation_attach(s, "input", "newer", 6));
    expect_ok(files.context, myr_simulation_save(s, scratch_path(&files, "attached")));
    expect_ok(files.context, myr_simulation_load(files.context, scratch_path(&files, "attached"), &again));
    assert_string_equal(myr_simulation_attached(again, "input", &size), "newer");
    assert_int_equal(size, 6);
    assert_non_null(myr_simulation_attached(again, "empty", &size));
    assert_int_equal(size, 0);
    assert_null(myr_simulation_attached(again, "other", &size));
    assert_int_equal(myr_simulation_attach(s, "", "x", 1), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_simulation_attach(s, "x", NULL, 1), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_simulation_attach(s, "a name of more than 22 chars", "x", 1), MYR_ERROR_ARGUMENT);
    myr_simulation_destroy(&s);
    myr_simulation_destroy(&again);
}

static myr_particles *three_bodies(const double x[9], const double v[9])
{
    myr_particles *p = new_particles(files.context, 3);
    set_field(p, "position", 3, x);
    set_field(p, "velocity", 3, v);
    fill_field(p, "mass", 1);
    return p;
}

/* Two bodies that fall towards each other: the step underflows before they meet. */
static void test_underflow(void **state)
{
    (void)state;
    static const char *const kind[] = {"hermite4", "hermite4_shared", "hermite4_individual"};
    const double x[] = {5, 5, 5, -0.5, 0, 0, 0.5, 0, 0}, zeros[9] = {0};
    const int64_t ids[] = {70, 71, 72};
    for (int k = 0; k < 3; k++) {
        myr_particles *p = three_bodies(x, zeros);
        expect_ok(files.context, myr_particles_set_ids(p, ids));
        myr_simulation *s = new_motion(p, "double", 0, kind[k], SETTINGS({"dt_min", 1e-7, NULL}));
        myr_status status = MYR_OK;
        uint64_t before = 0;
        expect_ok(files.context, myr_simulation_step(s, 0)); /* evaluates, and does not move */
        for (int n = 0; !status && n < 100000; n++) {
            before = state_hash(s);
            status = myr_simulation_step(s, 10);
        }
        assert_int_equal(status, MYR_ERROR_RANGE);
        assert_true(myr_simulation_time(s) > 0.5); /* they meet at pi/4 */
        scratch_says(&files, "dt_min");
        const char *message = myr_context_message(files.context);
        assert_true(strstr(message, "particle 1 (id 71)") || strstr(message, "particle 2 (id 72)"));
        assert_true(state_hash(s) == before);
        assert_int_equal(myr_simulation_step(s, 10), MYR_ERROR_RANGE); /* and again the same */
        assert_true(state_hash(s) == before);
        myr_simulation_destroy(&s);
    }
}

/* Steps until one fails for a value that is not finite; the state must be that of before the step. */
static void expect_nonfinite(myr_simulation *s, const char *text)
{
    uint64_t before = 0;
    myr_status status = MYR_OK;
    expect_ok(files.context, myr_simulation_step(s, 0));
    for (int n = 0; !status && n < 4000; n++) {
        before = state_hash(s);
        status = myr_simulation_step(s, 1e5);
    }
    if (status != MYR_ERROR_NONFINITE)
        fail_msg("%s: %s", myr_simulation_integrator(s), myr_status_text(status));
    scratch_says(&files, text);
    if (state_hash(s) != before)
        fail_msg("%s: a step that failed has changed the state", myr_simulation_integrator(s));
}

/* A particle that arrives exactly in the place of a point mass, which is so weak that it does not move it. */
static void test_nonfinite_external(void **state)
{
    (void)state;
    const double x[] = {3, 0, 0, 4, 0, 0, 1, 0, 0}, v[] = {0, 0, 0, 0, 0, 0, -1, 0, 0};
    const myr_integrator_info *info;
    for (int k = 0; (info = myr_integrator(k)) && !info->needs_box; k++) {
        const setting *const settings =
            info->needs_jerk ? SETTINGS({"dt_max", 0.125, NULL}, {"eta", 1e3, NULL}, {"eta_start", 1, NULL})
                             : SETTINGS({"dt", 1, NULL});
        myr_simulation *s = new_motion(three_bodies(x, v), NULL, 0, info->name, settings);
        myr_external *weak = new_external("point_mass", SETTINGS({"mass", 1e-300, NULL}));
        expect_ok(files.context, myr_simulation_add_external(s, weak));
        expect_nonfinite(s, "particle 2 (id 2)");
        myr_simulation_destroy(&s);
    }
}

/* A body that leaves the range of floats, or whose distance squared or times velocity does. */
static void test_nonfinite_force(void **state)
{
    (void)state;
    const myr_integrator_info *info;
    for (int k = 0; (info = myr_integrator(k)) && !info->needs_box; k++) {
        const double x[] = {0, 0, 0, 0, 1, 0, 1e15, 0, 0},
                     v[] = {0, 0, 0, 0, 0, 0, info->needs_jerk ? 1e17 : 1e36, 0, 0};
        const setting *const settings =
            info->needs_jerk ? SETTINGS({"eta", 1e3, NULL}, {"dt_max", 64, NULL}) : SETTINGS({"dt", 128, NULL});
        myr_particles *p = three_bodies(x, v);
        fill_field(p, "mass", 1e-20); /* nobody else moves */
        myr_simulation *s = new_motion(p, "mixed", 0.1, info->name, settings);
        expect_nonfinite(s, "arithmetic");
        myr_simulation_destroy(&s);
    }
}

/* Circular orbits in each field: after a revolution, back at the start. */
static void test_external_orbit(void **state)
{
    (void)state;
    static const char *const fields[] = {"point_mass", "logarithmic", "nfw", "miyamoto_nagai"};
    static const char *const integrators[] = {"yoshida6", "hermite4_shared", "rk4"};
    static const double bar[] = {6e-10, 2.5e-6, 4e-7}; /* seen 1.6e-10, 5.7e-7, 8.9e-8 */
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++) {
            const double x[] = {1.5, 0, 0}, zero[] = {0, 0, 0};
            double a[3], potential;
            char what[64];
            myr_external *e = new_external(fields[f], NULL);
            myr_external_at(e, x, zero, 0, a, NULL, &potential);
            const double speed = sqrt(-a[0] * x[0]), period = 2 * PI * x[0] / speed, v[] = {0, speed, 0};
            myr_particles *p = new_particles(files.context, 1), *start = new_particles(files.context, 1);
            for (int both = 0; both < 2; both++) {
                set_field(both ? p : start, "position", 3, x);
                set_field(both ? p : start, "velocity", 3, v);
                fill_field(both ? p : start, "mass", 2);
            }
            const setting *const settings = k == 1 ? SETTINGS({"dt_max", period / 256, NULL}, {"eta", 10, NULL})
                                                   : SETTINGS({"dt", period / 256, NULL});
            myr_simulation *s = new_motion(p, NULL, 0, integrators[k], settings);
            expect_ok(files.context, myr_simulation_add_external(s, e));
            assert_int_equal(myr_simulation_externals(s), 1);
            assert_true(myr_simulation_external(s, 0) == e && !myr_simulation_external(s, 1));
            myr_conserved sums;
            expect_ok(files.context, myr_simulation_conserved(s, &sums));
            expect_near("energy", sums.energy, speed * speed + 2 * potential, 1e-15 * fabs(sums.energy));
            run_to(files.context, s, period / 4);
            bodies now = bodies_now(files.context, s), first = bodies_of(start);
            expect_below("a quarter later", hypot(now.x[0][0], now.x[1][0] - 1.5), bar[k]);
            run_to(files.context, s, period);
            now = bodies_now(files.context, s);
            snprintf(what, sizeof what, "%s %s", fields[f], integrators[k]);
            expect_below(what, farthest(&first, &now), bar[k]);
            myr_simulation_destroy(&s);
            myr_particles_destroy(&start);
        }
}

static void expect_fails(myr_status got, myr_status want, const char *text)
{
    assert_int_equal(got, want);
    if (text)
        scratch_says(&files, text);
}

static void test_bad_calls(void **state)
{
    (void)state;
    myr_context *c = files.context;
    myr_particles *p = make_model(c, "kepler", 0, 1, NULL);
    myr_simulation *s = NULL;
    const myr_particles *now;
    myr_progress progress;
    myr_conserved sums;
    expect_fails(myr_simulation_create(NULL, p, NULL, &s), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_create(c, p, NULL, NULL), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_create(c, NULL, NULL, &s), MYR_ERROR_ARGUMENT, "particles");
    assert_null(s);
    s = new_motion(p, "double", 0, "leapfrog", NULL);
    assert_true(myr_simulation_get(s, "dt") == 0.001);
    expect_fails(myr_simulation_choose(s, "hermit4"), MYR_ERROR_NAME, "did you mean 'hermite4'?");
    expect_fails(myr_simulation_choose(s, NULL), MYR_ERROR_NAME, "(null)");
    expect_fails(myr_simulation_set(s, "eta", 1), MYR_ERROR_NAME, "leapfrog has no parameter 'eta'");
    expect_fails(myr_simulation_set(s, NULL, 1), MYR_ERROR_NAME, "(null)");
    expect_fails(myr_simulation_set(s, "dt", -1), MYR_ERROR_VALUE, "dt = -1 is out of range");
    expect_fails(myr_simulation_set(s, "dt", NAN), MYR_ERROR_VALUE, "out of range");
    expect_fails(myr_simulation_add_external(s, NULL), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_set_time(s, INFINITY), MYR_ERROR_NONFINITE, NULL);
    expect_fails(myr_simulation_step(s, NAN), MYR_ERROR_NONFINITE, NULL);
    expect_fails(myr_simulation_save(s, NULL), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_save(s, "/nowhere/at/all"), MYR_ERROR_FILE, NULL);
    assert_true(isnan(myr_simulation_get(s, "eta")));
    expect_ok(c, myr_simulation_choose(s, "hermite4"));
    expect_ok(c, myr_simulation_set_time(s, 2));
    expect_ok(c, myr_simulation_step(s, 3));
    assert_string_equal(myr_interaction_choice(myr_simulation_interaction(s), "kernel"), "gravity_jerk");
    expect_fails(myr_simulation_choose(s, "leapfrog"), MYR_ERROR_VALUE, "the integrator cannot change");
    expect_fails(myr_simulation_set(s, "eta", 0.1), MYR_ERROR_VALUE, "cannot change after the first step");
    expect_fails(myr_simulation_set_time(s, 0), MYR_ERROR_VALUE, "the starting time cannot change");
    myr_external *e = new_external("tidal", NULL);
    expect_fails(myr_simulation_add_external(s, e), MYR_ERROR_VALUE, "the external fields cannot change");
    myr_external_destroy(&e);
    expect_fails(myr_simulation_step(s, 1), MYR_ERROR_VALUE, "cannot go back");
    expect_fails(myr_simulation_particles(s, NULL), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_progress(s, NULL), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_conserved(s, NULL), MYR_ERROR_ARGUMENT, NULL);
    myr_simulation_destroy(&s);
    assert_null(s);
    myr_simulation_destroy(&s);
    myr_simulation_destroy(NULL);
    expect_fails(myr_simulation_choose(NULL, "leapfrog"), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_set(NULL, "dt", 1), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_step(NULL, 1), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_particles(NULL, &now), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_progress(NULL, &progress), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_conserved(NULL, &sums), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_save(NULL, "x"), MYR_ERROR_ARGUMENT, NULL);
    expect_fails(myr_simulation_load(c, "/nowhere/at/all", &s), MYR_ERROR_FILE, NULL);
    assert_true(isnan(myr_simulation_time(NULL)) && !myr_simulation_integrator(NULL));
    assert_null(myr_integrator_find("euler"));
    assert_null(myr_integrator(-1));
}

/* Kernels that do not drive the motion that an integrator needs. */
static void test_combinations(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *integrator, *text;
    } bad[] = {{"biot_savart", "leapfrog", "use rk4 or ab2"},
               {"lennard_jones", "hermite4", "time derivative of the force"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        myr_simulation *s;
        myr_particles *p = make_model(files.context, "kepler", 0, 1, NULL);
        myr_interaction *f = new_interaction(files.context, bad[k].kernel, "double");
        expect_ok(files.context, myr_simulation_create(files.context, p, f, &s));
        expect_ok(files.context, myr_simulation_choose(s, bad[k].integrator));
        expect_fails(myr_simulation_step(s, 1), MYR_ERROR_COMBINATION, bad[k].text);
        myr_simulation_destroy(&s);
    }
}

/* Particles at the same place are named, and a start without softening is refused. */
static void test_same_place(void **state)
{
    (void)state;
    static const char *const integrators[] = {"hermite4", "leapfrog"}, *const chosen[] = {"mixed", "double"};
    for (int k = 0; k < 4; k++)
        for (int soft = 0; soft < 2; soft++) {
            myr_particles *p = make_model(files.context, "plummer", 20, 1, NULL);
            int64_t pair[4] = {0}, count;
            for (int c = 0; c < 3; c++) {
                double *x = myr_particles_component(p, "position", c);
                x[17] = x[5] = x[3];
            }
            myr_simulation *s = new_motion(p, chosen[k / 2], soft ? 0.1 : 0, integrators[k % 2], NULL);
            expect_ok(files.context, myr_interaction_coincident(myr_simulation_interaction(s), p, 2, pair, &count));
            assert_true(count == 3 && pair[0] == 3 && pair[1] == 5 && pair[2] == 3 && pair[3] == 17);
            if (soft)
                expect_ok(files.context, myr_simulation_step(s, 1));
            else
                expect_fails(myr_simulation_step(s, 1), MYR_ERROR_NONFINITE, "3 and 5, 3 and 17, 5 and 17;");
            assert_int_equal(myr_simulation_steps(s), soft);
            myr_simulation_destroy(&s);
        }
}

/* Negative masses are refused with the particle's number unless they are asked for; a checkpoint keeps the permission.
 */
static void test_negative_masses(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        myr_particles *p = make_model(files.context, "plummer", 20, 1, NULL);
        myr_particles_component(p, "mass", 0)[7] *= -1;
        myr_simulation *s = new_motion(p, "double", 0.01, "leapfrog", NULL), *again;
        if (!allowed) {
            expect_fails(myr_simulation_step(s, 1), MYR_ERROR_VALUE, "particle 7 has mass = -0.05;");
        } else {
            expect_ok(files.context, myr_interaction_allow_negative_masses(myr_simulation_interaction(s), 1));
            expect_ok(files.context, myr_simulation_step(s, 1));
            assert_true(isfinite(energy_now(files.context, s)));
            expect_ok(files.context, myr_simulation_save(s, scratch_path(&files, "negative")));
            expect_ok(files.context, myr_simulation_load(files.context, files.path, &again));
            expect_ok(files.context, myr_simulation_step(again, 1));
            assert_true(isfinite(energy_now(files.context, again)));
            myr_simulation_destroy(&again);
        }
        myr_simulation_destroy(&s);
    }
    assert_int_equal(myr_interaction_allow_negative_masses(NULL, 1), MYR_ERROR_ARGUMENT);
}

/* A field of the user: a spring, and none once *user is 0. */
static int spring(void *user, const myr_field_points *points)
{
    const int *works = user;
    for (int64_t i = 0; *works && i < points->n; i++)
        for (int c = 0; c < 3; c++) {
            points->acceleration[c][i] = -points->position[c][i];
            if (points->jerk[c])
                points->jerk[c][i] = -points->velocity[c][i];
        }
    return !*works;
}

/* A field of the user drives the motion; where it gives up, the step leaves no trace. */
static void test_field_of_the_user(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"};
    for (int k = 0; k < 2; k++) {
        int works = 1;
        expect_ok(files.context, myr_external_register(files.context, "spring", spring, &works));
        myr_simulation *s = new_cluster(integrators[k], "mixed");
        expect_ok(files.context, myr_simulation_add_external(s, new_external("spring", NULL)));
        for (int n = 0; n < 20; n++)
            one_step(s);
        const uint64_t before = state_hash(s);
        works = 0;
        expect_fails(myr_simulation_step(s, 1e3), MYR_ERROR_CANCELLED, "'spring' failed at time");
        assert_true(state_hash(s) == before);
        works = 1;
        one_step(s);
        myr_simulation_destroy(&s);
    }
    expect_fails(myr_external_register(files.context, "nfw", spring, NULL), MYR_ERROR_NAME, "of the library");
}

/* Particles that cannot move leave no trace; others go on at the same time. */
static void test_replace(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"}; /* both evaluate when they start */
    for (int k = 0; k < 2; k++) {
        int works = 1;
        myr_simulation *s = new_cluster(integrators[k], "portable");
        expect_ok(files.context, myr_external_register(files.context, "spring", spring, &works));
        expect_ok(files.context, myr_simulation_add_external(s, new_external("spring", NULL)));
        expect_ok(files.context, myr_interaction_choose(myr_simulation_interaction(s), "accumulator", "fixed"));
        for (int n = 0; n < 20; n++)
            one_step(s);
        const uint64_t before = state_hash(s);
        const double time = myr_simulation_time(s);
        myr_particles *bad = make_model(files.context, "plummer", 32, 3, NULL);
        myr_particles_component(bad, "mass", 0)[3] = 1e6; /* forces of another magnitude */
        myr_particles_component(bad, "velocity", 2)[7] = INFINITY;
        expect_fails(myr_simulation_replace(s, bad), MYR_ERROR_NONFINITE, "velocity of new particle 7");
        myr_particles_component(bad, "velocity", 2)[7] = 0;
        works = 0; /* the restart fails after its first evaluation of pairs */
        expect_fails(myr_simulation_replace(s, bad), MYR_ERROR_CANCELLED, "'spring' failed");
        assert_true(state_hash(s) == before);
        assert_int_equal(myr_simulation_count(s), 48);
        works = 1;
        expect_ok(files.context, myr_simulation_replace(s, bad));
        assert_int_equal(myr_simulation_count(s), 32);
        assert_true(myr_simulation_time(s) == time);
        one_step(s);
        myr_simulation_destroy(&s);
    }
}

static int setup(void **state)
{
    (void)state;
    scratch_begin(&files);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart_blocks),
        cmocka_unit_test(test_restart_all),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_attached),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_nonfinite_external),
        cmocka_unit_test(test_nonfinite_force),
        cmocka_unit_test(test_external_orbit),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_negative_masses),
        cmocka_unit_test(test_field_of_the_user),
        cmocka_unit_test(test_replace),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
