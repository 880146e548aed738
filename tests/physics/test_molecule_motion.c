/* test_molecule_motion.c - alanine dipeptide moves: energy is kept, rigid bonds stay, the heat is that of the bath, and
 * neither threads nor a restart nor the way of excluding change a bit. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/molecular.h>
#include <myriad/molecule.h>
#include <myriad/snapshot.h>

#include "particles/topology.h"
#include "source_file.h"

enum { ATOMS = 22 };
#define FEMTOSECOND (1.0 / 48.88821290839616) /* in the unit of time of AMBER's units */
#define KELVIN (8.314462618 / 4184.0)         /* k T of 1 K in kcal/mol */
#define BATH (300 * KELVIN)

typedef struct {
    const char *kernel, *integrator, *arithmetic;
    double dt; /* fs */
    int threads, rigid;
    myr_exclusion_mode mode;
    int exponent; /* of the forces' grid; 0 = chosen */
} choices;

static myr_simulation *make(scratch *s, const choices *c)
{
    myr_topology *t = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *m = NULL;
    assert_int_equal(myr_context_set_threads(s->context, c->threads ? c->threads : 1), MYR_OK);
    assert_int_equal(myr_topology_read(s->context, source_file("examples/alanine.prmtop"), &t), MYR_OK);
    assert_int_equal(myr_snapshot_read(s->context, source_file("examples/alanine.inpcrd"), NULL, &p, NULL), MYR_OK);
    assert_int_equal(myr_topology_apply(t, p), MYR_OK);
    double velocity[ATOMS][3];
    for (int i = 0; i < ATOMS; i++)
        for (int k = 0; k < 3; k++)
            velocity[i][k] = sqrt(BATH / t->mass[i]) * 1.4 * sin(5.3 * i + 2.9 * k + 1);
    assert_int_equal(myr_particles_set(p, "velocity", 3, velocity[0]), MYR_OK);
    assert_int_equal(myr_interaction_create(s->context, c->kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", c->arithmetic), MYR_OK);
    if (c->exponent)
        assert_int_equal(myr_interaction_set_scale(f, "force", c->exponent), MYR_OK);
    assert_int_equal(myr_simulation_create(s->context, p, f, &m), MYR_OK);
    assert_int_equal(myr_simulation_choose(m, c->integrator), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "dt", c->dt * FEMTOSECOND), MYR_OK);
    if (strcmp(c->integrator, "langevin") == 0) {
        assert_int_equal(myr_simulation_set(m, "temperature", BATH), MYR_OK);
        assert_int_equal(myr_simulation_set(m, "friction", 0.02 / FEMTOSECOND), MYR_OK);
    }
    assert_int_equal(myr_simulation_set_molecule(m, t, c->mode, c->rigid), MYR_OK);
    return m;
}

static void go(scratch *s, myr_simulation *m, int steps)
{
    for (int64_t end = myr_simulation_steps(m) + steps; myr_simulation_steps(m) < end;)
        if (myr_simulation_advance(m, 1e9, 1e9, end - myr_simulation_steps(m)))
            fail_msg("%s", myr_context_message(s->context));
}

static uint64_t hash(myr_simulation *m)
{
    const myr_particles *p;
    uint64_t x, v;
    assert_int_equal(myr_simulation_particles(m, &p), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "position", &x), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &v), MYR_OK);
    return x ^ (v * 3);
}

/* How far rigid bonds are off; measured after 4000 steps: 2.1e-13. */
static double longest_error(myr_simulation *m)
{
    const myr_topology *t = myr_simulation_topology(m);
    const myr_particles *p;
    double worst = 0;
    assert_int_equal(myr_simulation_particles(m, &p), MYR_OK);
    for (int k = 0; k < t->bonds; k++) {
        double r2 = 0;
        for (int c = 0; c < 3 && t->bond[k].hydrogen; c++) {
            const double *x = myr_particles_component_const(p, "position", c);
            r2 += pow(x[t->bond[k].atom[0]] - x[t->bond[k].atom[1]], 2);
        }
        worst = t->bond[k].hydrogen ? fmax(worst, fabs(sqrt(r2) / t->bond[k].length - 1)) : worst;
    }
    return worst;
}

/* Energy over 4000 steps of 1 fs: swings by the square of the step, and no trend. Measured, with rigid bonds: swings of
 * 0.104 kcal/mol, the means of the two halves 0.0078 apart; without, at 0.5 fs: 0.054 and 0.0006. */
static void test_energy(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        const choices c = {.kernel = "ljc_linear",
                           .integrator = "verlet",
                           .arithmetic = "double",
                           .dt = 0.5 + 0.5 * rigid,
                           .rigid = rigid};
        scratch s;
        double low = INFINITY, high = -INFINITY, mean[2] = {0};
        scratch_begin(&s);
        myr_simulation *m = make(&s, &c);
        for (int k = 0; k < 200; k++) {
            myr_conserved e;
            go(&s, m, 20);
            assert_int_equal(myr_simulation_conserved(m, &e), MYR_OK);
            low = fmin(low, e.energy);
            high = fmax(high, e.energy);
            mean[k / 100] += e.energy / 100;
            assert_true(e.kinetic > 5);
        }
        print_message("    rigid %d: swings %.3g, halves differ by %.2g kcal/mol, lengths off by %.1e\n", rigid,
                      high - low, fabs(mean[1] - mean[0]), longest_error(m));
        assert_true(high - low < 0.4 && fabs(mean[1] - mean[0]) < 0.02);
        assert_true(!rigid || longest_error(m) < 2e-12);
        myr_simulation_destroy(&m);
        scratch_end(&s);
    }
}

/* Fixed sums: the same bits on any number of threads, with either exclusion algorithm at the same scale, and after a
 * restart. */
static void test_bits(void **state)
{
    (void)state;
    static const char *const integrators[] = {"verlet", "langevin"};
    for (int k = 0; k < 2; k++) {
        choices c = {.kernel = "ljc_sigmoidal",
                     .integrator = integrators[k],
                     .arithmetic = "single",
                     .dt = 2,
                     .threads = 1,
                     .rigid = 1,
                     .exponent = 36};
        uint64_t first = 0;
        for (int run = 0; run < 4; run++) {
            scratch s;
            scratch_begin(&s);
            c.threads = run == 1 ? 3 : 1;
            c.mode = run == 2 ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY;
            myr_simulation *m = make(&s, &c);
            go(&s, m, 100);
            if (run == 3) {
                assert_int_equal(myr_simulation_save(m, scratch_path(&s, "checkpoint")), MYR_OK);
                myr_simulation_destroy(&m);
                assert_int_equal(myr_simulation_load(s.context, s.path, &m), MYR_OK);
                assert_non_null(myr_simulation_topology(m));
            }
            go(&s, m, 100);
            first = run == 0 ? hash(m) : first;
            if (hash(m) != first)
                fail_msg("%s: run %d has other bits", integrators[k], run);
            myr_simulation_destroy(&m);
            scratch_end(&s);
        }
    }
}

/* The mean temperature of 2 fs Langevin dynamics with rigid bonds, over 40000 steps sampled every 10, within three
 * standard errors from blocks of 2000 steps. Measured: 302.1 +- 1.4 K. */
static void test_heat(void **state)
{
    (void)state;
    enum { BLOCKS = 20, PER_BLOCK = 200 };
    const choices c = {.kernel = "ljc_linear", .integrator = "langevin", .arithmetic = "double", .dt = 2, .rigid = 1};
    scratch s;
    double mean = 0, square = 0;
    scratch_begin(&s);
    myr_simulation *m = make(&s, &c);
    go(&s, m, 1000);
    for (int b = 0; b < BLOCKS; b++) {
        double block = 0;
        for (int k = 0; k < PER_BLOCK; k++) {
            myr_thermodynamics t;
            go(&s, m, 10);
            assert_int_equal(myr_simulation_thermodynamics(m, &t), MYR_OK);
            block += t.temperature / KELVIN / PER_BLOCK;
        }
        mean += block / BLOCKS;
        square += block * block / BLOCKS;
    }
    const double error = sqrt((square - mean * mean) / (BLOCKS - 1));
    print_message("    %.1f +- %.1f K\n", mean, error);
    assert_true(error < 4 && fabs(mean - 300) < 3 * error);
    myr_simulation_destroy(&m);
    scratch_end(&s);
}

/* The motion that rigid bonds leave has the temperature asked for at step 0. Measured where velocities were scaled
 * before they were projected: 265 K of 300 K. */
static void test_heated(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        const choices c = {
            .kernel = "ljc_linear", .integrator = "verlet", .arithmetic = "double", .dt = 2, .rigid = rigid};
        scratch s;
        myr_thermodynamics t;
        scratch_begin(&s);
        myr_simulation *m = make(&s, &c);
        assert_int_equal(myr_simulation_heat(m, BATH, 1), MYR_OK);
        assert_int_equal(myr_simulation_thermodynamics(m, &t), MYR_OK);
        print_message("    rigid %d: %.9f K\n", rigid, t.temperature / KELVIN);
        assert_true(fabs(t.temperature / BATH - 1) < 1e-9);
        myr_simulation_destroy(&m);
        scratch_end(&s);
    }
}

/* A clock that adds up steps loses more than its end forgives: 20000 of these would need one more. */
static void test_clock(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const choices c = {"ljc_linear", "verlet", "single", 0.3, 1, 0, MYR_EXCLUDE_ON_THE_FLY, 0};
    scratch s;
    scratch_begin(&s);
    myr_simulation *m = make(&s, &c);
    const double end = STEPS * (c.dt * FEMTOSECOND);
    while (myr_simulation_time(m) < end)
        assert_int_equal(myr_simulation_advance(m, end, end, STEPS), MYR_OK);
    assert_int_equal(myr_simulation_steps(m), STEPS);
    myr_simulation_destroy(&m);
    scratch_end(&s);
}

/* Downhill: the energy falls, and the forces vanish. Measured: from 7.90 to 0.75 kcal/mol. */
static void test_minimum(void **state)
{
    (void)state;
    const choices c = {.kernel = "ljc_linear", .integrator = "verlet", .arithmetic = "double", .dt = 1};
    scratch s;
    myr_minimum minimum;
    double before[MYR_MOLECULE_TERMS], sum = 0;
    scratch_begin(&s);
    myr_simulation *m = make(&s, &c);
    assert_int_equal(myr_simulation_energies(m, before), MYR_OK);
    for (int k = 0; k < MYR_MOLECULE_TERMS; k++)
        sum += before[k];
    myr_simulation_destroy(&m);
    m = make(&s, &c);
    assert_int_equal(myr_simulation_minimise(m, 0.01, 20000, &minimum), MYR_OK);
    print_message("    energy %.4f to %.4f kcal/mol in %lld steps, largest force %.2g\n", sum, minimum.energy,
                  (long long)minimum.steps, minimum.largest_force);
    assert_true(minimum.converged && minimum.energy < 1 && sum > 5);
    myr_simulation_destroy(&m);
    scratch_end(&s);
}

enum { IONS = 8 };
static const double ion_sigma[2] = {2.44, 4.48}, ion_epsilon[2] = {0.0874, 0.0356};

/* Largest force on an ion, by long double sums. */
static double ions_force(const myr_particles *p)
{
    double largest = 0;
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        long double force[3] = {0};
        for (int64_t j = 0; j < myr_particles_count(p); j++) {
            const int a = (int)(i % 2), b = (int)(j % 2);
            long double d[3], r2 = 0;
            for (int k = 0; k < 3; k++) {
                const double *x = myr_particles_component_const(p, "position", k);
                d[k] = (long double)x[i] - (long double)x[j];
                r2 += d[k] * d[k];
            }
            const long double q = (long double)MYR_TOPOLOGY_COULOMB * (a == b ? 1 : -1),
                              s6 = powl((ion_sigma[a] + ion_sigma[b]) / 2, 6) / (r2 * r2 * r2),
                              lj = 24 * sqrtl((long double)ion_epsilon[a] * ion_epsilon[b]) * (2 * s6 * s6 - s6);
            for (int k = 0; k < 3 && j != i; k++)
                force[k] += (lj / r2 + q / (r2 * sqrtl(r2))) * d[k];
        }
        largest = fmax(largest, (double)sqrtl(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]));
    }
    return largest;
}

/* Minimises the first n of eight ions of alternate charges at the corners of a cube of 5 Angstrom, of which 0 and 1 are
 * 0.4 Angstrom apart, and evaluates the forces where they end: the energy, and the largest force in long double. */
static myr_minimum minimise_ions(scratch *s, int64_t n, const char *accumulator, double *left)
{
    static const int64_t order[IONS] = {0, 0, 2, 1, 4, 5, 3, 6}; /* corners; ion 1 is moved to ion 0 */
    double x[IONS][3] = {{0}}, none[IONS][3] = {{0}};
    myr_topology *t = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *m = NULL;
    myr_minimum minimum;
    assert_int_equal(myr_topology_create(s->context, n, 2, &t), MYR_OK);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            assert_int_equal(myr_topology_set_pair(t, a, b, sqrt(ion_epsilon[a] * ion_epsilon[b]),
                                                   (ion_sigma[a] + ion_sigma[b]) / 2),
                             MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        const int type = (int)(i % 2);
        const myr_topology_atom_info atom = {type ? "Cl-" : "Na+", type ? "Cl-" : "Na+", i + 1, type,
                                             type ? 35.45 : 22.99, type ? -1 : 1};
        assert_int_equal(myr_topology_set_atom(t, i, &atom), MYR_OK);
        for (int k = 0; k < 3; k++)
            x[i][k] = 5.0 * (double)(order[i] >> k & 1) + 0.1 * sin(3.0 * (double)i + k);
    }
    for (int k = 0; k < 3; k++)
        x[1][k] = x[0][k] + 0.4 * (k == 0 ? 0.36 : k == 1 ? 0.48 : 0.8);
    assert_int_equal(myr_topology_finish(t, 2, 1.2), MYR_OK);
    assert_int_equal(myr_particles_create(s->context, n, &p), MYR_OK);
    assert_int_equal(myr_particles_set(p, "position", 3, x[0]), MYR_OK);
    assert_int_equal(myr_particles_set(p, "velocity", 3, none[0]), MYR_OK);
    assert_int_equal(myr_topology_apply(t, p), MYR_OK);
    assert_int_equal(myr_interaction_create(s->context, "ljc_constant", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "mixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", accumulator), MYR_OK);
    assert_int_equal(myr_simulation_create(s->context, p, f, &m), MYR_OK);
    assert_int_equal(myr_simulation_choose(m, "verlet"), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "dt", FEMTOSECOND), MYR_OK);
    assert_int_equal(myr_simulation_set_molecule(m, t, MYR_EXCLUDE_ON_THE_FLY, 0), MYR_OK);
    assert_int_equal(myr_simulation_minimise(m, 1e-3, 20000, &minimum), MYR_OK);
    const myr_particles *end = NULL;
    assert_int_equal(myr_simulation_particles(m, &end), MYR_OK);
    *left = ions_force(end);
    myr_simulation_destroy(&m);
    return minimum;
}

/* Two ions 0.4 Angstrom apart, alone and among others: `fixed` sums end in the minimum in which double sums end, where
 * forces vanish. On the grid of the first force between the two, later forces round to zero. */
static void test_clash(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= IONS; n += 3) {
        scratch s;
        double left[2];
        myr_minimum end[2];
        scratch_begin(&s);
        for (int way = 0; way < 2; way++)
            end[way] = minimise_ions(&s, n, way ? "double" : "fixed", &left[way]);
        print_message("    %d ions: energy %.6f kcal/mol and %.2g, largest force %.2g and %.2g\n", (int)n,
                      end[0].energy, end[1].energy - end[0].energy, left[0], left[1]);
        for (int way = 0; way < 2; way++) {
            assert_true(end[way].converged &&
                        left[way] < 2e-4); /* measured 2.0e-5 to 5.1e-5; before, 0.028 for 2 ions */
            assert_true(fabs(end[way].largest_force - left[way]) < 1e-4);
        }
        assert_true(fabs(end[1].energy - end[0].energy) < 2.5e-9); /* 5.4e-10 */
        scratch_end(&s);
    }
}

/* What does not go together is told. */
static void test_refused(void **state)
{
    (void)state;
    choices c = {.kernel = "ljc_linear", .integrator = "verlet", .arithmetic = "double", .dt = 60, .rigid = 1};
    scratch s;
    scratch_begin(&s);
    myr_simulation *m = make(&s, &c);
    myr_status status = MYR_OK;
    for (int k = 0; k < 100 && !status; k++)
        status = myr_simulation_step(m, 1e9);
    assert_int_equal(status, MYR_ERROR_NONFINITE);
    scratch_says(&s, "time step is too long");
    myr_simulation_destroy(&m);
    c.dt = 1;
    m = make(&s, &c);
    myr_molecular_options box = myr_molecular_defaults();
    box.box[0] = box.box[1] = box.box[2] = 50;
    assert_int_equal(myr_simulation_set_molecular(m, &box), MYR_OK);
    assert_int_equal(myr_simulation_step(m, 1e9), MYR_ERROR_COMBINATION);
    scratch_says(&s, "Ewald");
    assert_int_equal(myr_simulation_choose(m, "hermite4"), MYR_OK);
    assert_int_equal(myr_simulation_step(m, 1e9), MYR_ERROR_COMBINATION);
    scratch_says(&s, "use verlet, langevin");
    myr_simulation_destroy(&m);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy), cmocka_unit_test(test_bits),    cmocka_unit_test(test_heat),
        cmocka_unit_test(test_heated), cmocka_unit_test(test_clock),   cmocka_unit_test(test_minimum),
        cmocka_unit_test(test_clash),  cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
