/* test_liquid.c - particles in a box: energies and pressure against LAMMPS and against each other, constant energy and
 * momentum, the same bits on any number of threads and after a restart. */
#include <unistd.h>

#include "physics/liquid.h"

/* LAMMPS 29 Sep 2021, lj/cut 2.5, 4000 atoms of its melt benchmark before the first step: energy per atom, and the
 * pressure without its kinetic part, -5.01997318209 - rho T (N - 1)/N. */
static void melt_at_rest(void **state)
{
    (void)state;
    const double energy = -6.77336805326, pressure = -5.01997318209 - 0.8442 * 1.44 * 3999 / 4000;
    /* measured: double 6.5e-12, the digits of LAMMPS; single 1.6e-7 */
    const double bound[2][2] = {{2e-11, 5e-11}, {5e-7, 5e-7}};
    myr_context *context = liquid_context();
    for (int single = 0; single < 2; single++) {
        const liquid l = {.n = 4000, .density = 0.8442, .cut = "truncated", .arithmetic = single ? "single" : "double"};
        myr_simulation *s = new_liquid(context, &l);
        const myr_thermodynamics t = liquid_state(context, s);
        expect_below("energy", fabs(t.potential / 4000 - energy), bound[single][0]);
        expect_below("pressure", fabs(t.pressure - pressure), bound[single][1]);
        expect_below("density", fabs(t.density / 0.8442 - 1), 1e-14);
        myr_simulation_destroy(&s);
    }
    myr_context_destroy(&context);
}

/* The particles of a shaken crystal in a box that is longer by a factor along one axis, or along all. */
static myr_thermodynamics stretched(myr_context *context, int axis, double factor, const char *cut, int tail)
{
    liquid l = {.n = 500, .density = 0.8, .cut = cut, .cutoff = 3};
    myr_particles *p = liquid_particles(context, &l);
    l.box.tail = tail;
    for (int c = 0; c < 3; c++) {
        const double by = axis < 0 || axis == c ? factor : 1;
        double *x = myr_particles_component(p, "position", c);
        l.box.box[c] = liquid_edge(&l) * by;
        for (int64_t i = 0; i < l.n; i++)
            x[i] = by * (x[i] + 0.05 * sin(12.9898 * (double)(3 * i + c)));
    }
    myr_simulation *s = new_liquid_of(context, &l, p);
    const myr_thermodynamics t = liquid_state(context, s);
    myr_simulation_destroy(&s);
    return t;
}

/* The virial is the derivative of the energy by the volume, and its axes those by the edges. Tails have formulas of
 * their own: pairs that cross a plain cutoff make the energy jump. */
static void pressure_is_a_derivative(void **state)
{
    (void)state;
    const double small = 1e-5;
    myr_context *context = liquid_context();
    for (int axis = -1; axis < 3; axis++) {
        const myr_thermodynamics less = stretched(context, axis, 1 - small, "smooth", 0),
                                 t = stretched(context, axis, 1, "smooth", 0),
                                 more = stretched(context, axis, 1 + small, "smooth", 0);
        const double volume = t.volume * (axis < 0 ? 3 : 1), now = axis < 0 ? t.pressure : t.pressure_tensor[axis];
        /* measured 1.6e-8 */
        expect_below("pressure", fabs((less.potential - more.potential) / (2 * small * volume) / now - 1), 8e-8);
    }
    /* Allen and Tildesley, eq. 2.144 and 2.145 of the second edition */
    const double rho = 0.8, y3 = 1.0 / 27, y9 = y3 * y3 * y3;
    const myr_thermodynamics t = stretched(context, -1, 1, "truncated", 1),
                             without = stretched(context, -1, 1, "truncated", 0);
    assert_true(without.tail == 0 && fabs(t.potential - without.potential - t.tail) < 1e-11);
    expect_below("energy beyond the cutoff", fabs(t.tail / (500 * 8 * PI * rho / 9 * (y9 - 3 * y3)) - 1), 1e-13);
    expect_below("pressure beyond the cutoff",
                 fabs((t.pressure - without.pressure) / (32 * PI * rho * rho / 9 * (y9 - 1.5 * y3)) - 1), 1e-13);
    myr_context_destroy(&context);
}

/* The slope of a linear fit through (t, E), relative to the mean of |E|, per 1000 steps. */
static double drift_of(int64_t n, const double *energy, int64_t stride)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int64_t k = 0; k < n; k++) {
        const double x = (double)(k * stride), y = energy[k] - energy[0];
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return 1000 * ((double)n * sxy - sx * sy) / ((double)n * sxx - sx * sx) / fabs(energy[0]);
}

/* Constant energy: MYRIAD_TEST_LONG follows it for 1e5 steps. */
static void energy_does_not_drift(void **state)
{
    (void)state;
    enum { SAMPLES = 100 };
    double energy[SAMPLES];
    const int64_t stride = getenv("MYRIAD_TEST_LONG") ? 1000 : 50;
    myr_context *context = liquid_context();
    const liquid l = {.n = 500, .density = 0.8442, .temperature = 1.44, .settings = SETTINGS({"dt", 0.002, NULL})};
    myr_simulation *s = new_liquid(context, &l);
    liquid_steps(context, s, 1000); /* the crystal melts */
    double start[3], most = 0;
    myr_conserved sums;
    expect_ok(context, myr_simulation_conserved(s, &sums));
    memcpy(start, sums.momentum, sizeof start);
    for (int k = 0; k < SAMPLES; k++) {
        energy[k] = liquid_state(context, s).conserved;
        liquid_steps(context, s, stride);
    }
    expect_ok(context, myr_simulation_conserved(s, &sums));
    for (int c = 0; c < 3; c++)
        keep_largest(&most, fabs(sums.momentum[c] - start[c]));
    const double drift = drift_of(SAMPLES, energy, stride);
    print_message("drift %.2e per 1000 steps over %lld steps, momentum changed by %.1e\n", drift,
                  (long long)(SAMPLES * stride), most);
    expect_below("drift", fabs(drift), stride == 50 ? 1e-5 : 1e-6);
    expect_below("momentum", most, 1e-11);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static void no_net_force(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    for (int a = 0; a < ARITHMETICS; a++) {
        const liquid l = {.n = 500, .density = 0.8442, .temperature = 1.44, .arithmetic = arithmetics[a]};
        myr_simulation *s = new_liquid(context, &l);
        const myr_particles *now;
        for (int k = 0; k < 5; k++) {
            liquid_steps(context, s, 7);
            expect_ok(context, myr_simulation_particles(s, &now));
            for (int c = 0; c < 3; c++) {
                long double sum = 0; /* all are multiples of one unit, far below 2^63 of them */
                const double *f = result(now, "force", c);
                for (int64_t i = 0; i < l.n; i++)
                    sum += f[i];
                assert_true(sum == 0);
            }
        }
        myr_simulation_destroy(&s);
    }
    myr_context_destroy(&context);
}

/* A thousand steps on 1, 2, 3 and 8 threads, with lists built on the way, momentum removed and the box changing. */
static void same_bits_on_any_threads(void **state)
{
    (void)state;
    static const char *const integrator[] = {"verlet", "langevin", "nose_hoover"};
    static const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 3; k++) {
        uint64_t first = 0;
        for (int t = 0; t < 4; t += k == 2 ? 2 : 1) {
            myr_context *context = liquid_context();
            expect_ok(context, myr_context_set_threads(context, threads[t]));
            liquid l = {.n = 500,
                        .density = 0.7,
                        .temperature = 1.5,
                        .arithmetic = "portable",
                        .integrator = integrator[k],
                        .settings = SETTINGS({"dt", 0.004, NULL})};
            l.box.pressure_interval = k == 1 ? 20 : 0; /* Langevin with a barostat */
            l.box.pressure = 1;
            l.box.centre_interval = 30;
            myr_simulation *s = new_liquid(context, &l);
            liquid_steps(context, s, 1000);
            const uint64_t hash = liquid_hash(context, s);
            const myr_thermodynamics state_now = liquid_state(context, s);
            if (t == 0)
                print_message("%s: %lld lists built, each in a new order\n", integrator[k],
                              (long long)state_now.rebuilds);
            assert_true(state_now.rebuilds > 1);
            if (t == 0)
                first = hash;
            assert_true(hash == first);
            myr_simulation_destroy(&s);
            myr_context_destroy(&context);
        }
    }
}

/* A run that was saved and loaded goes on with the same bits as one that was only saved. */
static void same_bits_after_a_restart(void **state)
{
    (void)state;
    static const struct {
        const char *integrator, *arithmetic, *accumulator;
        int64_t pressure_interval;
    } table[] = {{"verlet", "double", "double", 0},
                 {"verlet", "single", "fixed", 0},
                 {"langevin", "single", "single", 10},
                 {"nose_hoover", "portable", "fixed", 10},
                 {"berendsen", "double", "fixed", 0}};
    char path[] = "/tmp/myriad_liquid_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    myr_context *context = liquid_context();
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        liquid l = {.n = 500,
                    .density = 0.8,
                    .temperature = 1.2,
                    .integrator = table[k].integrator,
                    .arithmetic = table[k].arithmetic,
                    .accumulator = table[k].accumulator,
                    .settings = SETTINGS({"dt", 0.004, NULL})};
        l.box.pressure_interval = table[k].pressure_interval;
        l.box.pressure = 1;
        l.box.centre_interval = 50;
        l.box.restraint = k == 4 ? 10 : 0;
        l.box.restraint_type = -1;
        myr_simulation *s = new_liquid(context, &l), *back = NULL;
        liquid_steps(context, s, 137);
        expect_ok(context, myr_simulation_save(s, path));
        liquid_steps(context, s, 150);
        expect_ok(context, myr_simulation_load(context, path, &back));
        assert_true(liquid_hash(context, s) != liquid_hash(context, back));
        liquid_steps(context, back, 150);
        assert_true(liquid_hash(context, s) == liquid_hash(context, back));
        const myr_thermodynamics a = liquid_state(context, s), b = liquid_state(context, back);
        assert_true(a.potential == b.potential && a.pressure == b.pressure && a.bath == b.bath);
        assert_true(a.volume == b.volume && a.volume_moves == b.volume_moves);
        myr_simulation_destroy(&s);
        myr_simulation_destroy(&back);
    }
    unlink(path);
    char previous[64];
    snprintf(previous, sizeof previous, "%s.previous", path);
    unlink(previous);
    myr_context_destroy(&context);
}

/* Images count the boxes that particles have crossed: unwrapped, free particles go straight on. */
static void images_are_counted(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    liquid l = {.n = 32, .density = 0.5, .temperature = 1, .ideal = 1, .cutoff = 0.5};
    l.settings = SETTINGS({"dt", 0.01, NULL});
    myr_particles *p = liquid_particles(context, &l), *start = liquid_particles(context, &l);
    myr_simulation *s = new_liquid_of(context, &l, p);
    const myr_particles *now;
    const double edge = liquid_edge(&l);
    liquid_steps(context, s, 3000);
    expect_ok(context, myr_simulation_particles(s, &now));
    double worst = 0, furthest = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < l.n; i++) {
            const double x = result(now, "position", c)[i] + edge * result(now, "image", c)[i];
            keep_largest(&worst, fabs(x - result(start, "position", c)[i] - 30 * result(start, "velocity", c)[i]));
            keep_largest(&furthest, fabs(result(now, "image", c)[i]));
        }
    assert_true(furthest > 10);
    expect_below("way", worst, 1e-11); /* measured 2e-12 */
    myr_particles_destroy(&start);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

/* A droplet in the open, of two species: far-off particles widen the room, and nothing changes by that. */
static void open_boundaries(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    liquid l = {.n = 108, .density = 1, .temperature = 0.3, .settings = SETTINGS({"dt", 0.002, NULL})};
    myr_particles *p = liquid_particles(context, &l);
    double *v = myr_particles_component(p, "velocity", 0);
    v[0] = -40; /* of a corner: leaves for good */
    myr_simulation *s = new_liquid_of(context, &l, p);
    myr_molecular_options o = myr_molecular_defaults();
    o.cut = liquid_cut("smooth");
    expect_ok(context, myr_simulation_set_molecular(s, &o));
    const double before = liquid_state(context, s).conserved;
    liquid_steps(context, s, 2500);
    const myr_thermodynamics t = liquid_state(context, s);
    const myr_particles *now;
    expect_ok(context, myr_simulation_particles(s, &now));
    assert_true(isnan(t.pressure) && t.box[0] == 0);
    assert_true(result(now, "position", 0)[0] < -150);
    print_message("open: energy changed by %.1e\n", fabs(t.conserved / before - 1));
    expect_below("energy", fabs(t.conserved / before - 1), 1e-4);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(melt_at_rest),
        cmocka_unit_test(pressure_is_a_derivative),
        cmocka_unit_test(energy_does_not_drift),
        cmocka_unit_test(no_net_force),
        cmocka_unit_test(same_bits_on_any_threads),
        cmocka_unit_test(same_bits_after_a_restart),
        cmocka_unit_test(images_are_counted),
        cmocka_unit_test(open_boundaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
