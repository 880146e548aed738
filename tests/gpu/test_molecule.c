/* test_molecule.c - molecules that move on a GPU: with portable arithmetic the bits of the processor, in others the
 * same motion; steps that the GPU leaves to the processor, and what is refused. */
#include "gpu/needs_gpu.h"
#include "unit/scratch.h"

#include <math.h>

#include <myriad/molecular.h>
#include <myriad/molecule.h>
#include <myriad/snapshot.h>

#include "particles/topology.h"
#include "source_file.h"

#define FEMTOSECOND (1.0 / 48.88821290839616) /* in the unit of time of AMBER's units */
#define BATH (300 * 8.314462618 / 4184.0)     /* kcal/mol */

typedef struct {
    const char *kernel, *integrator, *arithmetic;
    int rigid;
    int chain;           /* 0 = alanine dipeptide, else a chain with so many links of a heavy atom and a hydrogen */
    int shapes;          /* else so many sets of clusters of all shapes */
    const char *shape;   /* another division among the threads of the GPU; null = as it comes */
    const char *solvent; /* model of generalised Born, with salt and surface; null = none */
    int centre;          /* interval of the removal of the drift */
    double dt;           /* fs; 0 = 2 */
    double stretch;      /* factor of all positions; 0 = 1 */
    double fast;         /* factor of velocities; 0 = 1 */
    int steps;
} run;

/* A zigzag chain of heavy atoms, each with a hydrogen. */
static void make_chain(scratch *s, int links, myr_topology **t, myr_particles **p)
{
    double(*x)[3] = calloc((size_t)(2 * links), sizeof *x);
    assert_non_null(x);
    assert_int_equal(myr_topology_create(s->context, 2 * links, 2, t), MYR_OK);
    for (int i = 0; i < links; i++) {
        const double turn = 0.6 * i;
        const myr_topology_atom_info heavy = {"C", "LNK", i + 1, 0, 12.01, i % 2 ? 0.1 : -0.3};
        const myr_topology_atom_info light = {"H", "LNK", i + 1, 1, 1.008, 0.1};
        assert_int_equal(myr_topology_set_atom(*t, 2 * i, &heavy), MYR_OK);
        assert_int_equal(myr_topology_set_atom(*t, 2 * i + 1, &light), MYR_OK);
        const double at[3] = {4 * cos(turn), 4 * sin(turn), 0.42 * i};
        for (int c = 0; c < 3; c++) {
            x[2 * i][c] = at[c];
            x[2 * i + 1][c] = at[c] + (c < 2 ? 0.27 * at[c] : 0.1);
        }
    }
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            assert_int_equal(myr_topology_set_pair(*t, k, l, k + l ? 0.02 : 0.1, k + l ? 2.0 : 3.0), MYR_OK);
    for (int i = 0; i < links; i++) {
        const int64_t own[2] = {2 * i, 2 * i + 1}, next[2] = {2 * i, 2 * i + 2};
        const int64_t angle[3] = {2 * i, 2 * i + 2, 2 * i + 4}, side[3] = {2 * i + 1, 2 * i, 2 * i + 2};
        const int64_t four[4] = {2 * i, 2 * i + 2, 2 * i + 4, 2 * i + 6};
        assert_int_equal(myr_topology_add_bond(*t, own, 1, 340, 1.09), MYR_OK);
        if (i + 1 < links) {
            assert_int_equal(myr_topology_add_bond(*t, next, 0, 310, 2.4), MYR_OK);
            assert_int_equal(myr_topology_add_angle(*t, side, 50, 1.9), MYR_OK);
        }
        if (i + 2 < links)
            assert_int_equal(myr_topology_add_angle(*t, angle, 40, 2.4), MYR_OK);
        if (i + 3 < links)
            assert_int_equal(myr_topology_add_dihedral(*t, four, 0.2, 3, 0.5), MYR_OK);
    }
    assert_int_equal(myr_topology_finish(*t, 2.0, 1.2), MYR_OK);
    assert_int_equal(myr_particles_create(s->context, 2 * links, p), MYR_OK);
    assert_int_equal(myr_particles_set(*p, "position", 3, x[0]), MYR_OK);
    free(x);
}

enum { CLUSTERS = 7, CLUSTER_ATOMS = 22 };

/* Clusters of rigid bonds of the shapes that a GPU tells apart: number of hydrogens, number of bonds. The triangle has
 * a bond between its hydrogens; four hydrogens, and the two that share a bond, which is a chain of three, have no shape
 * of their own. */
static const int cluster[CLUSTERS][2] = {{3, 3}, {2, 2}, {1, 1}, {0, 0}, {2, 3}, {4, 4}, {3, 3}};

/* Bond `k` of a cluster at atom `first`; the last cluster is a chain along its hydrogens. */
static void cluster_bond(int which, int first, int k, int64_t atom[2])
{
    const int along = which == CLUSTERS - 1;
    atom[0] = k == 2 && which == 4 ? first + 2 : first + (along ? k : 0);
    atom[1] = k == 2 && which == 4 ? first + 1 : first + k + 1;
}

static void make_shapes(scratch *s, int sets, myr_topology **t, myr_particles **p)
{
    const double corner[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    double(*x)[3] = calloc((size_t)(CLUSTER_ATOMS * sets), sizeof *x);
    assert_non_null(x);
    assert_int_equal(myr_topology_create(s->context, CLUSTER_ATOMS * sets, 2, t), MYR_OK);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            assert_int_equal(myr_topology_set_pair(*t, k, l, k + l ? 0.02 : 0.1, k + l ? 2.0 : 3.0), MYR_OK);
    for (int n = 0, first = 0; n < CLUSTERS * sets; n++) {
        const int which = n % CLUSTERS, atoms = 1 + cluster[which][0];
        const double at[3] = {4.5 * which, 4.5 * (n / CLUSTERS), 0.3 * n};
        for (int k = 0; k < atoms; k++) {
            const myr_topology_atom_info info = {
                k ? "H" : "C", "SET", n + 1, k > 0, k ? 1.008 : 12.01, k ? 0.1 : -0.1 * (atoms - 1)};
            assert_int_equal(myr_topology_set_atom(*t, first + k, &info), MYR_OK);
            for (int c = 0; c < 3; c++)
                x[first + k][c] = at[c] + (k ? 0.63 * corner[k - 1][c] : 0);
        }
        for (int k = 0; k < cluster[which][1]; k++) {
            int64_t atom[2];
            double length2 = 0;
            cluster_bond(which, first, k, atom);
            for (int c = 0; c < 3; c++)
                length2 += (x[atom[0]][c] - x[atom[1]][c]) * (x[atom[0]][c] - x[atom[1]][c]);
            assert_int_equal(myr_topology_add_bond(*t, atom, 1, 340, sqrt(length2)), MYR_OK);
        }
        first += atoms;
    }
    assert_int_equal(myr_topology_finish(*t, 2.0, 1.2), MYR_OK);
    assert_int_equal(myr_particles_create(s->context, CLUSTER_ATOMS * sets, p), MYR_OK);
    assert_int_equal(myr_particles_set(*p, "position", 3, x[0]), MYR_OK);
    free(x);
}

static void spread(myr_particles *p, double factor)
{
    for (int c = 0; c < 3; c++) {
        double *x = myr_particles_component(p, "position", c);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            x[i] *= factor;
    }
}

static myr_simulation *make(scratch *s, const run *c, const char *backend)
{
    myr_topology *t = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_simulation *m = NULL;
    if (c->chain) {
        make_chain(s, c->chain, &t, &p);
    } else if (c->shapes) {
        make_shapes(s, c->shapes, &t, &p);
    } else {
        assert_int_equal(myr_topology_read(s->context, source_file("examples/alanine.prmtop"), &t), MYR_OK);
        assert_int_equal(myr_snapshot_read(s->context, source_file("examples/alanine.inpcrd"), NULL, &p, NULL), MYR_OK);
    }
    assert_int_equal(myr_topology_apply(t, p), MYR_OK);
    if (c->stretch > 0)
        spread(p, c->stretch);
    const int64_t n = myr_particles_count(p);
    double(*v)[3] = calloc((size_t)n, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            v[i][k] = (c->fast > 0 ? c->fast : 1) * sqrt(BATH / t->mass[i]) * 1.4 * sin(5.3 * i + 2.9 * k + 1);
    assert_int_equal(myr_particles_set(p, "velocity", 3, v[0]), MYR_OK);
    free(v);
    assert_int_equal(myr_interaction_create(s->context, c->kernel, &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", c->arithmetic), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "backend", backend), MYR_OK);
    assert_int_equal(myr_simulation_create(s->context, p, f, &m), MYR_OK);
    assert_int_equal(myr_simulation_choose(m, c->integrator), MYR_OK);
    assert_int_equal(myr_simulation_set(m, "dt", (c->dt > 0 ? c->dt : 2) * FEMTOSECOND), MYR_OK);
    if (strcmp(c->integrator, "langevin") == 0) {
        assert_int_equal(myr_simulation_set(m, "temperature", BATH), MYR_OK);
        assert_int_equal(myr_simulation_set(m, "friction", 0.02 / FEMTOSECOND), MYR_OK);
    }
    if (strcmp(c->integrator, "nose_hoover") == 0) {
        assert_int_equal(myr_simulation_set(m, "temperature", BATH), MYR_OK);
        assert_int_equal(myr_simulation_set(m, "period", 100 * FEMTOSECOND), MYR_OK);
    }
    if (strcmp(c->integrator, "berendsen") == 0) {
        assert_int_equal(myr_simulation_set(m, "temperature", BATH), MYR_OK);
        assert_int_equal(myr_simulation_set(m, "period", 100 * FEMTOSECOND), MYR_OK);
    }
    myr_molecular_options o = myr_molecular_defaults();
    o.centre_interval = c->centre;
    o.seed = 7;
    assert_int_equal(myr_simulation_set_molecular(m, &o), MYR_OK);
    assert_int_equal(myr_simulation_set_molecule(m, t, MYR_EXCLUDE_ON_THE_FLY, c->rigid), MYR_OK);
    if (c->solvent) {
        const myr_solvent solvent = {.model = c->solvent, .salt = 0.15, .surface = 1};
        assert_int_equal(myr_simulation_set_solvent(m, &solvent), MYR_OK);
    }
    return m;
}

typedef struct {
    uint64_t hash[2];
    double x[3]; /* of the last atom */
    int64_t steps;
    char message[400];
    double bytes; /* of the device */
    double off;   /* largest relative error of a squared length of a rigid bond */
} ending;

/* Largest relative error of a squared bond length. */
static double bonds_off(const myr_topology *t, const myr_particles *p)
{
    double most = 0;
    for (int64_t k = 0; k < t->bonds; k++) {
        double length2 = 0;
        for (int c = 0; c < 3; c++) {
            const double *x = myr_particles_component_const(p, "position", c);
            const double d = x[t->bond[k].atom[0]] - x[t->bond[k].atom[1]];
            length2 += d * d;
        }
        most = fmax(most, fabs(length2 / (t->bond[k].length * t->bond[k].length) - 1));
    }
    return most;
}

static void go(const run *c, const char *backend, ending *e)
{
    scratch s;
    myr_box_device device = {0};
    const myr_particles *p;
    scratch_begin(&s);
    memset(e, 0, sizeof *e);
    myr_simulation *m = make(&s, c, backend);
    myr_status status = MYR_OK;
    while (!status && myr_simulation_steps(m) < c->steps)
        status = myr_simulation_advance(m, 1e9, 1e9, c->steps - myr_simulation_steps(m));
    if (status)
        snprintf(e->message, sizeof e->message, "%s", myr_context_message(s.context));
    e->steps = myr_simulation_steps(m);
    assert_int_equal(myr_simulation_particles(m, &p), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "position", &e->hash[0]), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &e->hash[1]), MYR_OK);
    for (int k = 0; k < 3; k++)
        e->x[k] = myr_particles_component_const(p, "position", k)[myr_particles_count(p) - 1];
    if (c->shapes) {
        myr_topology *t = NULL;
        myr_particles *unused = NULL;
        make_shapes(&s, c->shapes, &t, &unused);
        e->off = bonds_off(t, p);
        myr_topology_destroy(&t);
        myr_particles_destroy(&unused);
    }
    assert_int_equal(myr_simulation_box_device(m, &device), MYR_OK);
    e->bytes = device.bytes;
    myr_simulation_destroy(&m);
    scratch_end(&s);
}

/* Steps of a run: MYRIAD_MOLECULE_STEPS for hardware, where 10,000 take a second. */
static int steps_of(int few)
{
    const char *given = getenv("MYRIAD_MOLECULE_STEPS");
    return given ? atoi(given) : few;
}

static void test_bits(void **state)
{
    (void)state;
    const run runs[] = {
        {.kernel = "ljc_sigmoidal", .integrator = "langevin", .rigid = 1, .steps = steps_of(200)},
        {.kernel = "ljc_linear", .integrator = "verlet", .rigid = 1, .steps = steps_of(60), .centre = 25},
        {.kernel = "ljc_constant", .integrator = "langevin", .dt = 0.5, .steps = 60},
        {.kernel = "ljc_sigmoidal_potential", .integrator = "verlet", .dt = 0.5, .steps = 60},
        {.kernel = "ljc_sigmoidal", .integrator = "langevin", .rigid = 1, .steps = 12, .chain = 45},
        {.kernel = "ljc_sigmoidal", .integrator = "verlet", .steps = 12, .chain = 45, .dt = 0.5},
        {.kernel = "ljc_constant", .integrator = "langevin", .rigid = 1, .steps = 4, .chain = 200},
        {.kernel = "ljc_constant", .integrator = "langevin", .rigid = 1, .steps = 30, .solvent = "obc2"},
        {.kernel = "ljc_constant", .integrator = "berendsen", .rigid = 1, .steps = 20, .solvent = "hct"},
        {.kernel = "ljc_sigmoidal", .integrator = "langevin", .rigid = 1, .steps = 40, .shapes = 5},
        {.kernel = "ljc_sigmoidal",
         .integrator = "langevin",
         .rigid = 1,
         .steps = 40,
         .shapes = 5,
         .shape = "96,4,38,1,0"},
        {.kernel = "ljc_linear", .integrator = "verlet", .steps = 30, .shape = "64,1,10,1,0", .dt = 0.5},
        {.kernel = "ljc_linear", .integrator = "berendsen", .rigid = 1, .steps = 30, .shapes = 1},
        {.kernel = "ljc_sigmoidal", .integrator = "nose_hoover", .rigid = 1, .steps = 60},
        {.kernel = "ljc_linear", .integrator = "berendsen", .steps = 60, .dt = 0.5}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        run c = runs[k];
        ending right, got;
        c.arithmetic = "portable";
        go(&c, "simd", &right);
        if (c.shape)
            setenv("MYRIAD_MOLECULE_SHAPE", c.shape, 1);
        go(&c, "cuda", &got);
        unsetenv("MYRIAD_MOLECULE_SHAPE");
        if (*right.message || *got.message)
            fail_msg("%zu: processor '%s', GPU '%s'", k, right.message, got.message);
        assert_true(got.bytes > 0 && right.bytes == 0);
        if (right.off > 2e-12) /* 1.0e-12 is tolerated, and coordinates are rounded */
            fail_msg("%zu: a bond is off by %.3g", k, right.off);
        for (int h = 0; h < 2; h++)
            if (right.hash[h] != got.hash[h])
                fail_msg("%zu: %s %s rigid %d: other %s after %d steps, last atom at %.17g, not %.17g", k, c.kernel,
                         c.integrator, c.rigid, h ? "velocities" : "positions", c.steps, got.x[0], right.x[0]);
    }
}

/* What cannot move on a GPU is refused with a sentence where the GPU was asked for. */
static void test_refusals(void **state)
{
    (void)state;
    const struct {
        const char *accumulator;
        double restraint;
        const char *sentence;
    } wrong[] = {{"double", 0, "use accumulator fixed"}, {"fixed", 1, "restraints"}};
    for (int k = 0; k < 2; k++) {
        const run c = {.kernel = "ljc_linear", .integrator = "verlet", .arithmetic = "single", .rigid = 1};
        scratch s;
        scratch_begin(&s);
        myr_simulation *m = make(&s, &c, "cuda");
        myr_molecular_options o = myr_molecular_defaults();
        o.restraint = wrong[k].restraint;
        assert_int_equal(myr_simulation_set_molecular(m, &o), MYR_OK);
        assert_int_equal(myr_interaction_choose(myr_simulation_interaction(m), "accumulator", wrong[k].accumulator),
                         MYR_OK);
        assert_int_equal(myr_simulation_advance(m, 1e9, 1e9, 1), MYR_ERROR_COMBINATION);
        if (!strstr(myr_context_message(s.context), wrong[k].sentence))
            fail_msg("%s", myr_context_message(s.context));
        myr_simulation_destroy(&m);
        scratch_end(&s);
    }
}

/* A motion that goes wrong ends with the processor's sentence, after as many steps. */
static void test_failure(void **state)
{
    (void)state;
    run c = {.kernel = "ljc_sigmoidal", .integrator = "verlet", .arithmetic = "portable", .steps = 400, .dt = 6};
    ending right, got;
    go(&c, "simd", &right);
    go(&c, "cuda", &got);
    assert_true(*right.message && right.steps > 0);
    if (strcmp(right.message, got.message) != 0 || right.steps != got.steps)
        fail_msg("processor: %lld steps, '%s'; GPU: %lld steps, '%s'", (long long)right.steps, right.message,
                 (long long)got.steps, got.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failure),
    };
    const int skipped = needs_gpu();
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
