/* test_box_fields.c - external fields and walls of particles in a box: forces and energies against their formulas,
 * momentum and energy, equilibrium in a field, the same bits on any number of threads and after a restart. */
#include <unistd.h>

#include "physics/liquid.h"

static myr_particles *particles_at(myr_context *context, int64_t n, const double *x, const double *v,
                                   const double *mass)
{
    myr_particles *p = NULL;
    expect_ok(context, myr_particles_create(context, n, &p));
    expect_ok(context, myr_particles_set(p, "position", 3, x));
    expect_ok(context, myr_particles_set(p, "velocity", 3, v));
    expect_ok(context, myr_particles_set(p, "mass", 1, mass));
    return p;
}

static const myr_wall soft = {MYR_WALL_LJ93, -3, 4, 1.5, 0.8, 2.5};
static const myr_wall hard = {MYR_WALL_REFLECTING, -3, 4, 0, 0, 0};

/* Potential of a wall 9-3 at distance r, by its definition. */
static double soft_energy(double r)
{
    const double y = 0.8 / r, end = 0.8 / 2.5;
    return r < 2.5 ? 1.5 * (2.0 / 15 * pow(y, 9) - pow(y, 3) - 2.0 / 15 * pow(end, 9) + pow(end, 3)) : 0;
}

static double soft_force(double r)
{
    const double y = 0.8 / r;
    return r < 2.5 ? 1.5 * (1.2 * pow(y, 9) - 3 * pow(y, 3)) / r : 0;
}

/* Three particles that do not feel each other, in all fields at once. */
static void forces_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const double x[] = {1, -2, -2.3, -3, 2.2, 3.5, 4, 0.5, 0.25}, v[9] = {0}, mass[] = {1, 2.5, 0.3};
    static const liquid_field fields[] = {
        {"uniform_field", {{"acceleration_x", 0.3, 0}, {"acceleration_z", -0.7, 0}, {"z", 1, 0}}},
        {"harmonic", {{"omega_x", 1.5, 0}, {"omega_z", 0.5, 0}, {"x", 0.4, 0}}},
        {"uniform_field", {{"acceleration_z", 0.2, 0}}},
        {0}};
    myr_context *context = liquid_context();
    const liquid l = {.density = 1, .ideal = 1, .fields = fields, .box = {.box = {20, 20, 0}, .wall = {[2] = soft}}};
    myr_simulation *s = new_liquid_of(context, &l, particles_at(context, 3, x, v, mass));
    const myr_thermodynamics t = liquid_state(context, s);
    const myr_particles *now;
    double energy = 0;
    expect_ok(context, myr_simulation_particles(s, &now));
    for (int i = 0; i < 3; i++) {
        const double *r = x + 3 * i, low = r[2] + 3, high = 4 - r[2];
        const double force[3] = {mass[i] * (0.3 - 2.25 * (r[0] - 0.4)), 0,
                                 mass[i] * (-0.5 - 0.25 * r[2]) + soft_force(low) - soft_force(high)};
        for (int c = 0; c < 3; c++) /* measured 1.7e-13: places have 128 2^-53 */
            expect_below("force", fabs(result(now, "force", c)[i] - force[c]), 8e-13);
        energy +=
            mass[i] * (-0.3 * r[0] + 0.7 * (r[2] - 1) - 0.2 * r[2] + 1.125 * pow(r[0] - 0.4, 2) + 0.125 * r[2] * r[2]) +
            soft_energy(low) + soft_energy(high);
    }
    expect_below("energy", fabs(t.external / energy - 1), 5e-15); /* measured 4e-16 */
    expect_below("conserved", fabs(t.conserved - t.external), 1e-12);
    assert_true(t.wall_area[2] == 400 && isnan(t.wall_area[0]) && fabs(t.volume / 2800 - 1) < 1e-12);
    assert_true(t.wall_impulse[2][0] == 0 && isnan(t.wall_impulse[1][0]));
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* Free particles between reflecting walls: places and impulses are those of straight lines in unfolded space. */
static void reflections_are_exact(void **state)
{
    (void)state;
    enum { N = 200, STEPS = 1000 };
    static double x[3 * N], v[3 * N], mass[N];
    const double dt = 0.005, time = STEPS * dt;
    double push[3][2] = {{0}}, off = 0;
    uint64_t seed = 7;
    for (int k = 0; k < 3 * N; k++) {
        x[k] = -3 + 7 * uniform(&seed);
        v[k] = 20 * uniform(&seed) - 10;
        mass[k / 3] = 0.5 + (k / 3) % 3;
    }
    myr_context *context = liquid_context();
    const liquid l = {
        .density = 1, .ideal = 1, .settings = SETTINGS({"dt", dt, NULL}), .box = {.wall = {hard, hard, hard}}};
    myr_simulation *s = new_liquid_of(context, &l, particles_at(context, N, x, v, mass));
    const double before = liquid_state(context, s).kinetic;
    liquid_steps(context, s, STEPS);
    const myr_thermodynamics t = liquid_state(context, s);
    const myr_particles *now;
    expect_ok(context, myr_simulation_particles(s, &now));
    for (int k = 0; k < 3 * N; k++) {
        const double way = (x[k] + 3 + v[k] * time) / 7, folded = way - 2 * floor(way / 2);
        const int64_t cells = (int64_t)fabs(floor(way)), first = v[k] > 0;
        push[k % 3][first] += 2 * mass[k / 3] * fabs(v[k]) * (double)((cells + 1) / 2);
        push[k % 3][!first] += 2 * mass[k / 3] * fabs(v[k]) * (double)(cells / 2);
        off = fmax(off, fabs(result(now, "position", k % 3)[k / 3] - (-3 + 7 * (folded < 1 ? folded : 2 - folded))));
    }
    expect_below("places", off, 2e-11); /* measured 4.4e-12 */
    for (int k = 0; k < 6; k++)
        expect_below("impulse", fabs(t.wall_impulse[k / 2][k % 2] / push[k / 2][k % 2] - 1),
                     2e-11);                                             /* measured 4.9e-12 */
    expect_below("kinetic energy", fabs(t.kinetic / before - 1), 3e-15); /* measured 8e-16 */
    assert_true(t.wall_area[1] == 49);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* A liquid between walls that falls on the lower one. */
static myr_simulation *new_slab(myr_context *context, const char *integrator, const myr_wall *wall, int64_t n)
{
    static const liquid_field fields[] = {
        {"uniform_field", {{"acceleration_z", -0.3, 0}}}, {"harmonic", {{"omega_x", 0.4, 0}, {"y", 1, 0}}}, {0}};
    static const setting step[] = {{"dt", 0.004, NULL}, {0}};
    static const setting heat[] = {{"dt", 0.004, NULL}, {"temperature", 1.2, NULL}, {0}};
    liquid l = {.n = n,
                .density = 0.7,
                .temperature = 1.2,
                .arithmetic = "single",
                .integrator = integrator,
                .settings = strcmp(integrator, "verlet") == 0 ? step : heat,
                .box = {.wall = {[2] = *wall}}};
    const double away = wall->kind == MYR_WALL_LJ93 ? 0.9 : -0.3;
    l.box.wall[2].low = -0.5 * liquid_edge(&l) - away;
    l.box.wall[2].high = 0.5 * liquid_edge(&l) + away;
    l.box.skin = 0.3;
    l.fields = fields;
    return new_liquid(context, &l);
}

static void momentum_goes_to_the_walls(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    myr_simulation *s = new_slab(context, "verlet", &hard, 256);
    myr_conserved before, after;
    const double start = liquid_state(context, s).conserved;
    expect_ok(context, myr_simulation_conserved(s, &before));
    liquid_steps(context, s, 1000);
    expect_ok(context, myr_simulation_conserved(s, &after));
    const myr_thermodynamics t = liquid_state(context, s);
    const double gained = t.wall_impulse[2][0] - t.wall_impulse[2][1] - 256 * 0.3 * 4;
    expect_below("momentum", fabs(after.momentum[2] - before.momentum[2] - gained), 8e-8); /* measured 1.8e-8 */
    assert_true(t.wall_impulse[2][0] > 100 && t.wall_impulse[2][1] > 1);
    expect_below("energy", fabs(t.conserved - start) / t.kinetic, 2e-3); /* measured 4.0e-4 */
    assert_true(fabs(after.energy - t.conserved) < 1e-9 && after.external == t.external);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* The energy of Verlet and that of a Nose-Hoover chain stay, with smooth walls and fields. */
static void energy_is_constant(void **state)
{
    (void)state;
    static const char *const names[] = {"verlet", "nose_hoover"};
    for (int k = 0; k < 2; k++) {
        myr_context *context = liquid_context();
        myr_simulation *s = new_slab(context, names[k], &soft, 256);
        double worst = 0;
        const double start = liquid_state(context, s).conserved;
        for (int n = 0; n < 10; n++) {
            liquid_steps(context, s, 300);
            const myr_thermodynamics t = liquid_state(context, s);
            worst = fmax(worst, fabs(t.conserved - start) / t.kinetic);
        }
        expect_below(names[k], worst, 2e-3); /* measured 4.1e-4 */
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
}

/* A gas that hardly feels itself, in equilibrium with a bath: barometric heights above a floor, equipartition in a
 * trap. */
static void equilibrium(void **state)
{
    (void)state;
    enum { N = 500, SAMPLES = 60 };
    static double x[3 * N], v[3 * N], mass[N];
    static const liquid_field fields[] = {
        {"uniform_field", {{"acceleration_z", -1, 0}}}, {"harmonic", {{"omega_x", 1, 0}, {"omega_y", 2, 0}}}, {0}};
    uint64_t seed = 3;
    double height = 0, wide[2] = {0};
    for (int k = 0; k < 3 * N; k++) {
        mass[k / 3] = 1;
        v[k] = 0;
        x[k] = k % 3 == 2 ? -log(1 - uniform(&seed)) : 2 * uniform(&seed) - 1;
    }
    myr_context *context = liquid_context();
    const liquid l = {.density = 1,
                      .ideal = 1,
                      .integrator = "langevin",
                      .settings = SETTINGS({"dt", 0.02, NULL}, {"friction", 1, NULL}),
                      .fields = fields,
                      .box = {.box = {50, 50, 0},
                              .origin = {-25, -25, 0},
                              .wall = {[2] = {MYR_WALL_REFLECTING, 0, INFINITY, 0, 0, 0}}}};
    myr_simulation *s = new_liquid_of(context, &l, particles_at(context, N, x, v, mass));
    liquid_steps(context, s, 300);
    for (int k = 0; k < SAMPLES; k++) {
        const myr_particles *now;
        liquid_steps(context, s, 50);
        expect_ok(context, myr_simulation_particles(s, &now));
        for (int i = 0; i < N; i++) {
            height += result(now, "position", 2)[i] / (N * SAMPLES);
            for (int c = 0; c < 2; c++)
                wide[c] += pow((c + 1) * result(now, "position", c)[i], 2) / (N * SAMPLES);
            assert_true(result(now, "position", 2)[i] >= 0);
        }
    }
    /* heights are exponential with mean kT/(m g) = 1; 30000 samples, of which 10000 are independent: 0.01 */
    expect_below("mean height", fabs(height - 1), 0.03);
    expect_below("energy along x", fabs(wide[0] - 1), 0.03);
    expect_below("energy along y", fabs(wide[1] - 1), 0.025);
    const myr_thermodynamics t = liquid_state(context, s);
    const double mean = t.wall_impulse[2][0] / (50 * 0.02 * SAMPLES + 6);
    expect_below("weight on the floor", fabs(mean / N - 1), 0.015); /* measured 0.0035 */
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* A minimum leans on walls: the force into a reflecting one does not count; that of a wall 9-3 is at (2/5)^(1/6) sigma.
 */
static void minima(void **state)
{
    (void)state;
    static const liquid_field fields[] = {{"uniform_field", {{"acceleration_z", -1, 0}}}, {0}};
    static const double x[] = {0, 0, -1.8}, v[3] = {0}, mass[] = {1};
    for (int k = 0; k < 2; k++) {
        myr_context *context = liquid_context();
        const liquid l = {
            .density = 1, .fields = k ? NULL : fields, .box = {.box = {20, 20, 0}, .wall = {[2] = k ? soft : hard}}};
        myr_simulation *s = new_liquid_of(context, &l, particles_at(context, 1, x, v, mass));
        myr_minimum minimum;
        const myr_particles *now;
        expect_ok(context, myr_simulation_minimise(s, 1e-6, 20000, &minimum));
        assert_true(minimum.converged);
        expect_ok(context, myr_simulation_particles(s, &now));
        const double right = k ? -3 + 0.8 * pow(0.4, 1.0 / 6) : -3;
        expect_below("place of the minimum", fabs(result(now, "position", 2)[0] - right), 3e-8); /* measured 6.3e-9 */
        expect_below("energy", fabs(minimum.energy - (k ? soft_energy(0.8 * pow(0.4, 1.0 / 6)) : -3)),
                     1e-14); /* measured 2.2e-15 */
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
}

static uint64_t hash_after(const char *integrator, const myr_wall *wall, int threads, int restart, double impulse[2])
{
    myr_context *context = liquid_context();
    expect_ok(context, myr_context_set_threads(context, threads));
    myr_simulation *s = new_slab(context, integrator, wall, 4000);
    liquid_steps(context, s, 30);
    if (restart)
        liquid_restart(context, &s);
    liquid_steps(context, s, 30);
    const myr_thermodynamics t = liquid_state(context, s);
    impulse[0] = t.wall_impulse[2][0];
    impulse[1] = t.external;
    const uint64_t hash = liquid_hash(context, s);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return hash;
}

static void bits(void **state)
{
    (void)state;
    static const char *const names[] = {"verlet", "langevin", "nose_hoover", "berendsen"};
    for (int k = 0; k < 8; k++) {
        const myr_wall *wall = k % 2 ? &hard : &soft;
        double once[2], again[2], more[2];
        const uint64_t hash = hash_after(names[k / 2], wall, 1, 0, once);
        assert_true(hash_after(names[k / 2], wall, 1, 1, again) == hash);
        assert_true(hash_after(names[k / 2], wall, 3, 0, more) == hash);
        assert_true(memcmp(once, again, sizeof once) == 0 && memcmp(once, more, sizeof once) == 0);
        assert_true(once[0] != 0);
    }
}

static void expect_refused(const myr_wall *wall, const liquid_field *fields, double edge, int64_t barostat,
                           const char *part)
{
    static const double x[] = {0, 0, 0, 0, 0, 4.5}, v[6] = {0}, mass[] = {1, 1};
    myr_context *context = liquid_context();
    liquid l = {.density = 1, .integrator = "langevin", .fields = fields, .box = {.box = {20, 20, 20}}};
    myr_simulation *s = new_liquid_of(context, &l, particles_at(context, 2, x, v, mass));
    myr_molecular_options o = l.box;
    o.box[2] = edge;
    o.pressure_interval = barostat;
    o.restraint_type = -1;
    if (wall)
        o.wall[2] = *wall;
    expect_ok(context, myr_simulation_set_molecular(s, &o));
    liquid_refused(context, s, part);
}

static void refused(void **state)
{
    (void)state;
    static const liquid_field galaxy[] = {{"nfw", {{0}}}, {0}}, push[] = {{"uniform_field", {{0}}}, {0}};
    const myr_wall reversed = {MYR_WALL_REFLECTING, 3, -3, 0, 0, 0}, bare = {MYR_WALL_LJ93, -5, 5, 0, 1, 0};
    const myr_wall nowhere = {MYR_WALL_REFLECTING, -INFINITY, INFINITY, 0, 0, 0};
    expect_refused(NULL, galaxy, 20, 0, "nfw does not act on particles in a box; use uniform_field or harmonic");
    expect_refused(NULL, push, 20, 5, "a barostat does not go with external fields");
    expect_refused(&hard, NULL, 20, 0, "a wall along z, and the box is periodic along it");
    expect_refused(&hard, NULL, 0, 0, "particle 1 is at z = 4.5, outside the walls at -3 and 4");
    expect_refused(&reversed, NULL, 0, 0, "the walls along z are at 3 and -3");
    expect_refused(&nowhere, NULL, 0, 0, "one of them finite");
    expect_refused(&bare, NULL, 0, 0, "the wall along z has epsilon 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_formulas),
        cmocka_unit_test(reflections_are_exact),
        cmocka_unit_test(momentum_goes_to_the_walls),
        cmocka_unit_test(energy_is_constant),
        cmocka_unit_test(equilibrium),
        cmocka_unit_test(minima),
        cmocka_unit_test(bits),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
