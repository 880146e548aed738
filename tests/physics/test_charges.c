/* test_charges.c - charges in a periodic box: Madelung constants, Ewald's sums written out by the test
 * (physics/charges.h), the fast multipole method's images, finite differences; bits, motion, barostat and restarts;
 * what is refused. */
#include "physics/charges.h"

static int warnings;

static void count_warning(void *user, const char *text)
{
    (void)user, (void)text;
    warnings++;
}

/* A core that is felt nowhere: charges alone. */
static ions bare(int64_t n, const double edge[3], double tolerance)
{
    ions l = {.n = n, .types = 1, .epsilon = 1e-30, .sigma = 1e-3, .cutoff = 0.01, .tolerance = tolerance};
    memcpy(l.edge, edge, sizeof l.edge);
    return l;
}

/* Charges +1 and -1 at random, one in `every` without charge and of another type; net: charge of the first. */
static ions mixture(int64_t n, const double edge[3], double tolerance, int every, double first)
{
    ions l = bare(n, edge, tolerance);
    l.types = every ? 2 : 1;
    for (int64_t i = 0; i < n; i++) {
        double x[3];
        cloud_point(0, 0, i, x);
        for (int c = 0; c < 3; c++)
            l.x[c][i] = edge[c] * x[c];
        l.type[i] = every && i % every == 0;
        l.charge[i] = l.type[i] ? 0 : i % 2 ? -1 : 1;
    }
    l.charge[n > 1 ? 1 : 0] = first != 0 ? first : l.charge[n > 1 ? 1 : 0];
    return l;
}

typedef struct {
    myr_thermodynamics t;
    double force[3][IONS]; /* in the order of the ions, whatever that of the particles */
    myr_coulomb coulomb;
} state_of;

static void measure(myr_context *context, const ions *l, state_of *now)
{
    const myr_particles *p;
    myr_simulation *s = new_ions(context, l);
    now->t = liquid_state(context, s);
    expect_ok(context, myr_simulation_particles(s, &p));
    for (int64_t i = 0; i < l->n; i++)
        for (int c = 0; c < 3; c++)
            now->force[c][myr_particles_ids(p)[i]] = result(p, "force", c)[i];
    expect_ok(context, myr_simulation_coulomb(s, &now->coulomb));
    myr_simulation_destroy(&s);
}

/* --- Madelung constants ------------------------------------------------------------------------------------------- */

/* Energy of a pair of ions times their shortest distance; crystals of cells of edge 1, `sites` of each sign. */
static void test_madelung(void **state)
{
    static const double fcc[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    static const struct {
        const char *name;
        int sites;
        double shift[3], nearest, constant;
    } crystals[] = {{"NaCl", 4, {0.5, 0.5, 0.5}, 0.5, 1.7475645946331822},
                    {"CsCl", 1, {0.5, 0.5, 0.5}, 0.86602540378443865, 1.7626747730709883},
                    {"ZnS", 4, {0.25, 0.25, 0.25}, 0.43301270189221932, 1.6380550533887892}};
    static const double edge[3] = {2, 2, 2};
    myr_context *context = liquid_context();
    state_of now;
    (void)state;
    for (size_t k = 0; k < sizeof crystals / sizeof *crystals; k++) {
        ions l = bare(0, edge, 1e-10);
        for (int cell = 0; cell < 8; cell++)
            for (int site = 0; site < 2 * crystals[k].sites; site++, l.n++) {
                const int sign = site % 2;
                for (int c = 0; c < 3; c++)
                    l.x[c][l.n] = 0.1 + (cell >> c & 1) + fcc[site / 2][c] + sign * crystals[k].shift[c];
                l.charge[l.n] = sign ? -1 : 1;
            }
        measure(context, &l, &now);
        const double constant = -now.t.coulomb / (0.5 * (double)l.n) * crystals[k].nearest;
        expect_below(crystals[k].name, fabs(constant - crystals[k].constant), 1e-10);
        double force = 0;
        for (int64_t i = 0; i < 3 * l.n; i++)
            force = fmax(force, fabs(now.force[i % 3][i / 3]));
        expect_below("force on an ion of a crystal", force, 1e-9);
        /* a pressure of E/3V: energies are as 1/length */
        expect_below("pressure", fabs(3 * now.t.pressure * 8 / now.t.coulomb - 1), 4e-10);
    }
    myr_context_destroy(&context);
}

/* --- against sums written out ------------------------------------------------------------------------------------- */

static const double cube[3] = {2.7, 2.7, 2.7}, bar[3] = {2.7, 4.1, 1.9};

static void compare(myr_context *context, const char *name, const ions *l)
{
    static ewald_sums right;
    static state_of now;
    double off = 0, square = 0, charges = 0, virial = 0;
    ewald_all(l, &right);
    measure(context, l, &now);
    for (int64_t i = 0; i < l->n; i++) {
        charges += l->charge[i] != 0;
        square += l->charge[i] * l->charge[i];
        for (int c = 0; c < 3; c++)
            off += pow(now.force[c][i] - right.force[c][i], 2);
    }
    const double volume = l->edge[0] * l->edge[1] * l->edge[2], distance = cbrt(volume / charges);
    const double force = square / charges / (distance * distance), energy = square / distance;
    for (int k = 0; k < 6; k++)
        virial = fmax(virial, fabs(now.t.pressure_tensor[k] * volume - right.virial[k]));
    if (getenv("MYRIAD_SHOW_ERRORS"))
        print_message("%s, tolerance %g: cutoff %.3g, a %.3g, mesh %d %d %d, width %d\n", name, l->tolerance,
                      now.coulomb.cutoff, now.coulomb.splitting, (int)now.coulomb.mesh[0], (int)now.coulomb.mesh[1],
                      (int)now.coulomb.mesh[2], now.coulomb.width);
    expect_below("forces, of the tolerance", sqrt(off / charges) / force / l->tolerance, 1);
    expect_below("energy, of the tolerance", fabs(now.t.coulomb - right.energy) / energy / l->tolerance, 1);
    expect_below("virial, of the tolerance", virial / energy / l->tolerance, 1);
    assert_true(now.t.potential == now.t.coulomb || fabs(now.t.potential / now.t.coulomb - 1) < 1e-12);
}

static void test_against_ewald(void **state)
{
    static ions l;
    myr_context *context = liquid_context();
    (void)state;
    myr_context_set_warning(context, count_warning, NULL);
    for (int digits = 3; digits <= 10; digits++) {
        l = mixture(60, bar, pow(10, -digits), 0, 0);
        compare(context, "unequal edges", &l);
    }
    for (int digits = 4; digits <= 10; digits += 3) {
        const double tolerance = pow(10, -digits);
        l = mixture(60, cube, tolerance, 3, 0);
        compare(context, "mixture", &l);
        warnings = 0;
        l = mixture(30, bar, tolerance, 0, 4);
        compare(context, "net charge", &l);
        assert_int_equal(warnings, 1);
        l = mixture(1, cube, tolerance, 0, 2);
        compare(context, "one particle", &l);
        l = mixture(2, bar, tolerance, 0, -1);
        compare(context, "two particles", &l);
    }
    myr_context_destroy(&context);
}

/* The potential of one charge, its images and the background: -2.8372974795/edge. */
static void test_one(void **state)
{
    myr_context *context = liquid_context();
    ions l = mixture(1, cube, 1e-10, 0, 2);
    state_of now;
    (void)state;
    myr_context_set_warning(context, count_warning, NULL);
    measure(context, &l, &now);
    expect_below("energy of one charge", fabs(now.t.coulomb * 2.7 / (0.5 * 4) + 2.837297479480619), 2e-11);
    myr_context_destroy(&context);
}

/* The same charges by the fast multipole method, whose kernel has a factor of 1/(4 pi). */
static void test_against_fmm(void **state)
{
    static ions l;
    static state_of now;
    myr_context *context = liquid_context();
    (void)state;
    l = mixture(100, cube, 1e-10, 0, 0);
    measure(context, &l, &now);
    myr_interaction *f = new_interaction(context, "laplace", "double");
    myr_particles *p = ions_particles(context, &l);
    expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
    expect_ok(context, myr_interaction_choose(f, "method", "fmm"));
    expect_ok(context, myr_interaction_set_box(f, cube, ions_corner));
    expect_ok(context, myr_interaction_set(f, "order", 24));
    expect_ok(context, myr_interaction_set(f, "separation", 2));
    expect_ok(context, myr_interaction_set(f, "leaf", 16));
    expect_ok(context, myr_interaction_evaluate(f, p, p));
    double energy = 0, off = 0, all = 0;
    for (int64_t i = 0; i < l.n; i++) {
        energy += 4 * PI * 0.5 * l.charge[i] * result(p, "potential", 0)[i];
        for (int c = 0; c < 3; c++) {
            const double force = 4 * PI * l.charge[i] * result(p, "field", c)[i];
            off += pow(force - now.force[c][i], 2);
            all += force * force;
        }
    }
    expect_below("fmm: energy", fabs(energy / now.t.coulomb - 1), 1e-10);
    expect_below("fmm: forces", sqrt(off / all), 2e-11);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* --- finite differences ------------------------------------------------------------------------------------------- */

static double energy_with(myr_context *context, const ions *l)
{
    static state_of now;
    measure(context, l, &now);
    return now.t.potential;
}

/* An ionic liquid of n ions of each sign with cores, near a crystal of rock salt. */
static ions salt(int cells, double edge, double tolerance)
{
    const double spacing = edge / cells;
    ions l = {
        .types = 2, .epsilon = 1, .sigma = 0.8, .cutoff = 1.6, .tolerance = tolerance, .edge = {edge, edge, edge}};
    for (int k = 0; k < cells * cells * cells; k++, l.n++) {
        const int at[3] = {k % cells, k / cells % cells, k / cells / cells};
        double x[3];
        cloud_point(0, 0, k, x);
        for (int c = 0; c < 3; c++)
            l.x[c][k] = spacing * (at[c] + 0.3 + 0.2 * x[c]);
        l.type[k] = (at[0] + at[1] + at[2]) % 2;
        l.charge[k] = l.type[k] ? -1 : 1;
    }
    return l;
}

static void test_differences(void **state)
{
    static state_of now;
    static ions l, moved;
    const double h = 1e-4;
    myr_context *context = liquid_context();
    (void)state;
    l = salt(4, 4.0, 1e-10);
    l.edge[1] = 4.3;
    measure(context, &l, &now);
    for (int c = 0; c < 3; c++) {
        double side[2];
        for (int k = 0; k < 2; k++) {
            moved = l;
            moved.x[c][17] += k ? h : -h;
            side[k] = energy_with(context, &moved);
        }
        const double force = (side[0] - side[1]) / (2 * h);
        expect_below("force", fabs(force - now.force[c][17]) / (1 + fabs(force)), 3e-6);
        for (int k = 0; k < 2; k++) {
            const double factor = 1 + (k ? h : -h);
            moved = l;
            moved.edge[c] *= factor;
            for (int64_t i = 0; i < l.n; i++)
                moved.x[c][i] *= factor;
            side[k] = energy_with(context, &moved);
        }
        const double pressure = (side[0] - side[1]) / (2 * h) / (l.edge[0] * l.edge[1] * l.edge[2]);
        expect_below("pressure", fabs(pressure - now.t.pressure_tensor[c]) / fabs(pressure), 3e-6);
    }
    myr_context_destroy(&context);
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

static uint64_t moved_hash(const ions *l, int threads, int64_t restart_at, myr_thermodynamics *t)
{
    myr_context *context = new_context();
    uint64_t all = 0, hash;
    const myr_particles *now;
    expect_ok(context, myr_context_set_threads(context, threads));
    myr_simulation *s = new_ions(context, l);
    if (restart_at) {
        liquid_steps(context, s, restart_at);
        liquid_restart(context, &s);
    }
    liquid_steps(context, s, 60 - restart_at);
    *t = liquid_state(context, s);
    expect_ok(context, myr_simulation_particles(s, &now));
    myr_particles *copy = new_particles(context, l->n); /* in the order of the ions */
    expect_ok(context, myr_particles_add_field(copy, "position", 3));
    for (int64_t i = 0; i < l->n; i++)
        for (int c = 0; c < 3; c++)
            myr_particles_component(copy, "position", c)[myr_particles_ids(now)[i]] = result(now, "position", c)[i];
    expect_ok(context, myr_particles_hash(copy, "position", &hash));
    all = hash;
    myr_particles_destroy(&copy);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return all;
}

/* Threads, the order of the particles and a restart have no influence on bits; with a barostat that changes the box. */
static void test_bits(void **state)
{
    static ions l;
    myr_thermodynamics first, t;
    (void)state;
    for (int k = 0; k < 3; k++) {
        l = salt(8, 8.0, 1e-4);
        l.integrator = k ? "langevin" : "verlet";
        l.arithmetic = k == 1 ? "mixed" : "double";
        l.settings = k ? SETTINGS({"dt", 0.004, NULL}, {"temperature", 1, NULL}, {"friction", 1, NULL})
                       : SETTINGS({"dt", 0.004, NULL});
        if (k == 2)
            l.box = (myr_molecular_options){.pressure_interval = 2, .pressure = 0.5, .pressure_end = 0.5};
        const uint64_t hash = moved_hash(&l, 1, 0, &first);
        assert_true(moved_hash(&l, 3, 0, &t) == hash && t.coulomb == first.coulomb);
        assert_true(moved_hash(&l, 2, 31, &t) == hash && t.coulomb == first.coulomb);
        assert_true(k < 2 || (first.volume_moves > 0 && first.box[0] != 8.0));
        l.reverse = 1;
        assert_true(moved_hash(&l, 1, 0, &t) == hash && t.coulomb == first.coulomb);
    }
}

/* Energy and momentum, and the error that the library measures, against the tolerance. */
static void test_conserved(void **state)
{
    static const char *const integrators[] = {"verlet", "nose_hoover"};
    static ions l;
    myr_context *context = liquid_context();
    (void)state;
    for (int k = 0; k < 2; k++) {
        l = salt(6, 6.0, 1e-5);
        l.integrator = integrators[k];
        l.settings = k ? SETTINGS({"dt", 0.002, NULL}, {"temperature", 0.5, NULL}, {"period", 0.5, NULL})
                       : SETTINGS({"dt", 0.002, NULL});
        myr_simulation *s = new_ions(context, &l);
        myr_accuracy accuracy;
        myr_conserved now;
        expect_ok(context, myr_simulation_heat(s, 0.5, 1));
        const myr_thermodynamics before = liquid_state(context, s);
        liquid_steps(context, s, 300);
        const myr_thermodynamics after = liquid_state(context, s);
        expect_below("energy", fabs(after.conserved / before.conserved - 1), 1e-5);
        expect_ok(context, myr_simulation_conserved(s, &now));
        expect_below("momentum", fabs(now.momentum[0]) + fabs(now.momentum[1]) + fabs(now.momentum[2]), 8e-14);
        expect_ok(context, myr_simulation_force_accuracy(s, 50, &accuracy));
        expect_below("measured error", accuracy.norm_error, 1e-6);
        assert_true(accuracy.norm_error > 1e-8);
        myr_simulation_destroy(&s);
    }
    myr_context_destroy(&context);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refuse(ions *l, const char *part)
{
    myr_context *context = liquid_context();
    myr_context_set_warning(context, count_warning, NULL);
    liquid_refused(context, new_ions(context, l), part);
}

static void test_refused(void **state)
{
    static ions l;
    (void)state;
    l = mixture(10, cube, 1e-5, 0, 0);
    l.edge[2] = 0;
    refuse(&l, "periodic along x, y and z");
    l = mixture(10, cube, 1e-11, 0, 0);
    refuse(&l, "tolerance of the charges");
    l = mixture(10, cube, 1e-5, 1, 0);
    l.charge[1] = 0;
    refuse(&l, "no particle has one");
    l = mixture(10, cube, 1e-5, 0, 0);
    l.epsilon = 0;
    refuse(&l, "opposite charges and no repulsion");
    l = mixture(10, cube, 1e-5, 0, 0);
    l.charge[3] = NAN;
    refuse(&l, "charge of particle 3");
    l = mixture(10, cube, 1e-5, 0, 0);
    l.coulomb_cutoff = 1.4;
    refuse(&l, "less than twice the cutoff");
    l = mixture(10, cube, 1e-5, 0, 0);
    l.arithmetic = "portable";
    refuse(&l, "portable arithmetic");
    l = mixture(10, cube, 1e-5, 0, 0);
    for (int c = 0; c < 3; c++)
        l.x[c][7] = l.x[c][4];
    l.epsilon = 0;
    for (int i = 0; i < 10; i++)
        l.charge[i] = 1;
    refuse(&l, "particles 4 and 7, which have charges, are at the same place");
}

/* Charges of one sign need no core. */
static void test_one_sign(void **state)
{
    static ions l;
    myr_context *context = liquid_context();
    (void)state;
    myr_context_set_warning(context, count_warning, NULL);
    l = mixture(40, cube, 1e-6, 0, 0);
    for (int64_t i = 0; i < l.n; i++)
        l.charge[i] = 1;
    l.epsilon = 0;
    compare(context, "one sign", &l);
    /* two charges so close that their force does not fit one integer */
    for (int c = 0; c < 3; c++)
        l.x[c][7] = l.x[c][4] + (c == 0 ? 1e-3 : 0);
    static state_of now;
    static ewald_sums right;
    measure(context, &l, &now);
    ewald_all(&l, &right);
    expect_below("close pair", fabs(now.force[0][7] / right.force[0][7] - 1), 6e-13);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_madelung),    cmocka_unit_test(test_against_ewald), cmocka_unit_test(test_one),
        cmocka_unit_test(test_against_fmm), cmocka_unit_test(test_differences),   cmocka_unit_test(test_bits),
        cmocka_unit_test(test_conserved),   cmocka_unit_test(test_refused),       cmocka_unit_test(test_one_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
