/* test_ensemble.c - systems of an ensemble: the bits that each has alone, one that fails, exchange of temperatures. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/ensemble.h>
#include <myriad/model.h>
#include <myriad/molecular.h>
#include <myriad/molecule.h>
#include <myriad/snapshot.h>

#include "gpu/needs_gpu.h"
#include "source_file.h"

enum { SYSTEMS = 6, STEPS = 150 };
#define FEMTOSECOND (1.0 / 48.88821290839616) /* in the unit of time of AMBER's units */
#define KELVIN (8.314462618 / 4184.0)         /* k T of 1 K in kcal/mol */

typedef struct {
    myr_context *context[SYSTEMS];
    myr_simulation *simulation[SYSTEMS];
} systems;

/* Alanine dipeptide with a seed and a temperature; fast: factor of velocities. */
static myr_simulation *make(myr_context *context, uint64_t seed, double kelvin, double fast)
{
    myr_topology *t = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *m = NULL;
    double velocity[22][3];
    assert_int_equal(myr_context_set_threads(context, 1), MYR_OK);
    assert_int_equal(myr_topology_read(context, source_file("examples/alanine.prmtop"), &t), MYR_OK);
    assert_int_equal(myr_snapshot_read(context, source_file("examples/alanine.inpcrd"), NULL, &p, NULL), MYR_OK);
    assert_int_equal(myr_topology_apply(t, p), MYR_OK);
    for (int i = 0; i < 22; i++)
        for (int k = 0; k < 3; k++)
            velocity[i][k] = fast * 0.4 * sin(5.3 * i + 2.9 * k + (double)seed);
    assert_int_equal(myr_particles_set(p, "velocity", 3, velocity[0]), MYR_OK);
    assert_int_equal(myr_interaction_create(context, "ljc_sigmoidal", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", "portable"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_simulation_create(context, p, f, &m), MYR_OK);
    assert_int_equal(myr_simulation_choose(m, "langevin"), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "dt", 2 * FEMTOSECOND), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "temperature", kelvin * KELVIN), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "friction", 0.02 / FEMTOSECOND), MYR_OK);
    myr_molecular_options o = myr_molecular_defaults();
    o.seed = seed;
    assert_int_equal(myr_simulation_set_molecular(m, &o), MYR_OK);
    assert_int_equal(myr_simulation_set_molecule(m, t, MYR_EXCLUDE_ON_THE_FLY, 1), MYR_OK);
    return m;
}

static void begin(systems *all, double wild, double spacing)
{
    for (int k = 0; k < SYSTEMS; k++) {
        assert_int_equal(myr_context_create(&all->context[k]), MYR_OK);
        all->simulation[k] = make(all->context[k], (uint64_t)k + 1, 300 + spacing * k, k == 2 ? wild : 1);
    }
}

static void end(systems *all)
{
    for (int k = 0; k < SYSTEMS; k++) {
        myr_simulation_destroy(&all->simulation[k]);
        myr_context_destroy(&all->context[k]);
    }
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

/* The backend of the ensembles here: that of the test's argument. */
static const char *backend = "simd";

static myr_ensemble *gather(scratch *s, const systems *all)
{
    myr_ensemble *e = NULL;
    assert_int_equal(myr_context_set_threads(s->context, 2), MYR_OK);
    if (myr_ensemble_create(s->context, SYSTEMS, all->simulation, &e))
        fail_msg("%s", myr_context_message(s->context));
    assert_int_equal(myr_ensemble_choose(e, backend), MYR_OK);
    return e;
}

static void advance(scratch *s, myr_ensemble *e, int64_t steps)
{
    if (myr_ensemble_advance(e, 1e9, 1e9, steps))
        fail_msg("%s", myr_context_message(s->context));
}

static uint64_t alone(uint64_t seed, double kelvin, int steps)
{
    myr_context *context = NULL;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_simulation *m = make(context, seed, kelvin, 1);
    while (myr_simulation_steps(m) < steps)
        assert_int_equal(myr_simulation_advance(m, 1e9, 1e9, steps - myr_simulation_steps(m)), MYR_OK);
    const uint64_t bits = hash(m);
    myr_simulation_destroy(&m);
    myr_context_destroy(&context);
    return bits;
}

/* Each system has the bits that it has alone; one that fails is named, and the others go on. */
static void test_alone(void **state)
{
    (void)state;
    scratch s;
    systems all;
    myr_ensemble_report report;
    scratch_begin(&s);
    begin(&all, 2e5, 20);
    myr_ensemble *e = gather(&s, &all);
    advance(&s, e, STEPS / 3);
    advance(&s, e, STEPS - STEPS / 3);
    assert_int_equal(myr_ensemble_alive(e), SYSTEMS - 1);
    for (int k = 0; k < SYSTEMS; k++) {
        if (k == 2) {
            assert_int_equal(myr_ensemble_status(e, k), MYR_ERROR_NONFINITE);
            assert_non_null(strstr(myr_context_message(all.context[k]), "time step is too long"));
            continue;
        }
        assert_int_equal(myr_ensemble_status(e, k), MYR_OK);
        assert_int_equal(myr_simulation_steps(all.simulation[k]), STEPS);
        if (hash(all.simulation[k]) != alone((uint64_t)k + 1, 300 + 20 * k, STEPS))
            fail_msg("system %d does not have the bits that it has alone", k);
    }
    assert_int_equal(myr_ensemble_describe(e, &report), MYR_OK);
    assert_int_equal(report.on_gpu, strcmp(backend, "cuda") == 0);
    myr_ensemble_destroy(&e);
    end(&all);
    scratch_end(&s);
}

/* What exchanges do to temperatures, to the sums over systems, and to bits when they are repeated. */
static void test_exchange(void **state)
{
    (void)state;
    uint64_t bits[2] = {0, 0};
    for (int run = 0; run < 2; run++) {
        scratch s;
        systems all;
        int64_t kept[64], accepted = 0, tried = 0;
        scratch_begin(&s);
        begin(&all, 1, 8);
        myr_ensemble *e = gather(&s, &all);
        assert_int_equal(myr_ensemble_exchange(e, 0), MYR_ERROR_VALUE);
        assert_int_equal(myr_ensemble_prepare_exchange(e, 11), MYR_OK);
        for (int round = 0; round < 12; round++) {
            advance(&s, e, 20);
            assert_int_equal(myr_ensemble_exchange(e, round), MYR_OK);
        }
        for (int rank = 0; rank < SYSTEMS; rank++) {
            int64_t t, a;
            double kT;
            assert_int_equal(myr_ensemble_exchanged(e, rank, &kT, &t, &a), MYR_OK);
            assert_true(fabs(kT / KELVIN - (300 + 8 * rank)) < 1e-9 && a <= t);
            assert_int_equal(t, rank + 1 < SYSTEMS ? 6 : 0);
            accepted += a;
            tried += t;
        }
        /* neighbours differ by 8 K of 300 K in 48 degrees of freedom: most exchanges are accepted; measured 28 of 30 */
        assert_true(accepted > 20 && tried == 30);
        for (int k = 0; k < SYSTEMS; k++) {
            const double kT = myr_simulation_get(all.simulation[k], "temperature");
            assert_true(fabs(kT / KELVIN - (300 + 8 * (double)myr_ensemble_rank(e, k))) < 1e-9);
            bits[run] = bits[run] * 31 + hash(all.simulation[k]);
        }
        const int64_t count = myr_ensemble_exchange_state(e, kept, 64);
        assert_int_equal(count, 5 * SYSTEMS);
        assert_int_equal(myr_ensemble_set_exchange_state(e, kept, count), MYR_OK);
        assert_int_equal(myr_ensemble_set_exchange_state(e, kept, count - 1), MYR_ERROR_VALUE);
        myr_ensemble_destroy(&e);
        end(&all);
        scratch_end(&s);
    }
    assert_true(bits[0] == bits[1]);
}

/* Stars with block steps: any kind of simulation moves in an ensemble, with the bits that it has alone. */
static void test_stars(void **state)
{
    (void)state;
    scratch s;
    myr_context *context[4] = {NULL};
    myr_simulation *star[4];
    uint64_t right[2];
    scratch_begin(&s);
    for (int k = 0; k < 4; k++) { /* the last two are the first two again, alone */
        myr_particles *p = NULL;
        myr_interaction *f = NULL;
        assert_int_equal(myr_context_create(&context[k]), MYR_OK);
        assert_int_equal(myr_model_create(context[k], "plummer", 60, (uint64_t)(k % 2) + 1, &p), MYR_OK);
        assert_int_equal(myr_interaction_create(context[k], "gravity_jerk", &f), MYR_OK);
        assert_int_equal(myr_interaction_set(f, "eps", 0.03125), MYR_OK);
        assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
        assert_int_equal(myr_simulation_create(context[k], p, f, &star[k]), MYR_OK);
        assert_int_equal(myr_simulation_choose(star[k], "hermite4"), MYR_OK);
        for (; k >= 2 && myr_simulation_time(star[k]) < 0.25;)
            assert_int_equal(myr_simulation_advance(star[k], 0.25, 0.25, 1000), MYR_OK);
        if (k >= 2)
            right[k - 2] = hash(star[k]);
    }
    myr_ensemble *e = NULL;
    assert_int_equal(myr_context_set_threads(s.context, 2), MYR_OK);
    assert_int_equal(myr_ensemble_create(s.context, 2, star, &e), MYR_OK);
    assert_int_equal(myr_ensemble_choose(e, "simd"), MYR_OK);
    if (myr_ensemble_advance(e, 0.25, 0.125, INT64_MAX) || myr_ensemble_advance(e, 0.25, 0.25, INT64_MAX))
        fail_msg("%s", myr_context_message(s.context));
    for (int k = 0; k < 2; k++)
        assert_true(hash(star[k]) == right[k]);
    assert_int_equal(myr_ensemble_prepare_exchange(e, 1), MYR_ERROR_COMBINATION);
    myr_ensemble_destroy(&e);
    for (int k = 0; k < 4; k++) {
        myr_simulation_destroy(&star[k]);
        myr_context_destroy(&context[k]);
    }
    scratch_end(&s);
}

/* Contexts that are shared, and temperatures that do not increase, are refused. */
static void test_refusals(void **state)
{
    (void)state;
    scratch s;
    systems all;
    myr_ensemble *e = NULL;
    scratch_begin(&s);
    begin(&all, 1, 0);
    myr_simulation *twice[2] = {all.simulation[0], all.simulation[0]};
    assert_int_equal(myr_ensemble_create(s.context, 2, twice, &e), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_ensemble_create(s.context, 0, twice, &e), MYR_ERROR_VALUE);
    e = gather(&s, &all);
    assert_int_equal(myr_ensemble_prepare_exchange(e, 1), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(s.context), "must increase"));
    assert_int_equal(myr_ensemble_choose(e, "abacus"), MYR_ERROR_VALUE);
    myr_ensemble_destroy(&e);
    end(&all);
    scratch_end(&s);
}

int main(int argc, char **argv)
{
    backend = argc > 1 ? argv[1] : backend;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stars),
    };
    const int skipped = strcmp(backend, "cuda") == 0 ? needs_gpu() : 0;
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
