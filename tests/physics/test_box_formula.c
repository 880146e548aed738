/* test_box_formula.c - particles in a box with pair formulas that users write: forces, energies and pressures of a
 * Lennard-Jones formula against a plain loop in double, also of close pairs; the pressure is the derivative of the
 * energy; fixed sums in portable arithmetic have the same bits with any instruction set; what cannot be taken is
 * refused. */
#include "physics/formulas.h"
#include "physics/liquid.h"

enum { N = 500 };
#define EDGE 8.6

/* Particles on a lattice, each a little off its place; close: distance of the first two, 0 = that of the lattice. */
static myr_particles *particles(myr_context *context, double scale, double close)
{
    static double x[3 * N];
    uint64_t seed = 99;
    myr_particles *p = NULL;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const int place = c == 0 ? i % 8 : c == 1 ? i / 8 % 8 : i / 64;
            x[3 * i + c] = (place + 0.2 * uniform(&seed)) * (EDGE / 8) * scale;
        }
    for (int c = 0; c < 3 && close > 0; c++) /* towards the middle of a cell of the lattice */
        x[3 + c] = x[c] + close * sqrt(1.0 / 3);
    expect_ok(context, myr_particles_create(context, N, &p));
    expect_ok(context, myr_particles_set(p, "position", 3, x));
    return p;
}

typedef struct {
    const char *formula, *arithmetic, *accumulator, *isa;
    double scale, close;
    int threads;
} own_box;

static myr_simulation *make(myr_context *context, const own_box *s)
{
    myr_interaction *f = NULL;
    myr_simulation *simulation = NULL;
    myr_molecular_options o = myr_molecular_defaults();
    const double scale = s->scale > 0 ? s->scale : 1;
    const myr_kernel_info *own = NULL;
    expect_ok(context, myr_kernel_from_source(context, "own.pipe", s->formula, &own));
    expect_ok(context, myr_interaction_create(context, own->name, &f));
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", s->arithmetic));
    expect_ok(context, myr_interaction_choose(f, "accumulator", s->accumulator ? s->accumulator : "fixed"));
    if (s->isa)
        expect_ok(context, myr_interaction_choose(f, "isa", s->isa));
    expect_ok(context, myr_interaction_set(f, "rc", 2.5));
    expect_ok(context, myr_simulation_create(context, particles(context, scale, s->close), f, &simulation));
    expect_ok(context, myr_simulation_choose(simulation, "verlet"));
    expect_ok(context, myr_simulation_set(simulation, "dt", 1e-24));
    for (int c = 0; c < 3; c++)
        o.box[c] = EDGE * scale;
    o.cut = liquid_cut("truncated");
    expect_ok(context, myr_simulation_set_molecular(simulation, &o));
    return simulation;
}

/* Forces after a step so short that nothing moves. */
typedef struct {
    double force[3][N];
    myr_thermodynamics state;
} box_result;

static void look(const own_box *s, box_result *r)
{
    const myr_particles *now;
    myr_context *context = liquid_context();
    if (s->threads)
        expect_ok(context, myr_context_set_threads(context, s->threads));
    myr_simulation *simulation = make(context, s);
    liquid_steps(context, simulation, 1);
    expect_ok(context, myr_simulation_thermodynamics(simulation, &r->state));
    expect_ok(context, myr_simulation_particles(simulation, &now));
    for (int c = 0; c < 3; c++)
        memcpy(r->force[c], myr_particles_component_const(now, "force", c), sizeof r->force[c]);
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
}

static double size_of(const box_result *r, int i)
{
    return sqrt(r->force[0][i] * r->force[0][i] + r->force[1][i] * r->force[1][i] + r->force[2][i] * r->force[2][i]);
}

static void below(const char *what, const char *which, double error, double bound)
{
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "%s, %s: %.2g, bound %.2g\n", which, what, error, bound);
    if (!(error <= bound))
        fail_msg("%s, %s: error %.3g, bound %.3g", which, what, error, bound);
}

/* Largest difference of a force, relative to the force on that particle or to the mean square of all. */
static void compare(const box_result *right, const box_result *got, const char *which, double bound, double sums)
{
    double mean = 0, worst = 0, worst_own = 0;
    for (int i = 2; i < N; i++)
        mean += pow(size_of(right, i), 2) / N;
    for (int i = 0; i < N; i++) {
        double off = 0;
        for (int c = 0; c < 3; c++)
            off += pow(got->force[c][i] - right->force[c][i], 2);
        if (i < 2)
            worst_own = fmax(worst_own, sqrt(off) / fmax(size_of(right, i), sqrt(mean)));
        else
            worst = fmax(worst, sqrt(off / mean));
    }
    below("forces", which, worst, bound);
    below("forces on the first two", which, worst_own, bound);
    below("energy", which, fabs(got->state.potential / right->state.potential - 1), sums);
    for (int k = 0; k < 3; k++)
        below("pressure", which, fabs(got->state.pressure_tensor[k] / right->state.pressure_tensor[k] - 1), sums);
}

/* The same by a plain loop over all pairs in double. */
static void look_plainly(double close, box_result *r)
{
    myr_context *context = liquid_context();
    myr_particles *p = particles(context, 1, close);
    memset(r, 0, sizeof *r);
    for (int k = 0; k < N * N; k++) {
        const int i = k / N, j = k % N;
        double d[3], r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double *x = myr_particles_component_const(p, "position", c);
            d[c] = x[i] - x[j] - EDGE * round((x[i] - x[j]) / EDGE);
            r2 += d[c] * d[c];
        }
        if (i == j || r2 >= 2.5 * 2.5)
            continue;
        const double y3 = pow(r2, -3), factor = 48 * y3 * (y3 - 0.5) / r2;
        r->state.potential += 2 * y3 * (y3 - 1);
        for (int c = 0; c < 3; c++) {
            r->force[c][i] += factor * d[c];
            r->state.pressure_tensor[c] += 0.5 * factor * d[c] * d[c] / pow(EDGE, 3);
        }
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

static void test_lennard_jones(void **state)
{
    (void)state;
    static box_result right, got;
    static const struct {
        const char *arithmetic, *accumulator;
        double bound, sums; /* at most five times what was measured */
        /* measured: in double 1.1e-13 and 5.6e-14, in others 9.6e-6 and 1.6e-6 */
    } cases[] = {{"double", "fixed", 5e-13, 2.5e-13}, {"double", "double", 5e-13, 2.5e-13},
                 {"single", "fixed", 4e-5, 6e-6},     {"mixed", "fixed", 4e-5, 6e-6},
                 {"portable", "fixed", 4e-5, 6e-6},   {"single", "single", 4e-5, 6e-6},
                 {"single", "double", 4e-5, 6e-6}};
    static const double close[] = {0, 0.5, 0.1, 0.01};
    for (size_t d = 0; d < sizeof close / sizeof *close; d++) {
        look_plainly(close[d], &right);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char which[64];
            snprintf(which, sizeof which, "%s, %s, %g", cases[k].arithmetic, cases[k].accumulator, close[d]);
            look(&(own_box){formula_lj, cases[k].arithmetic, cases[k].accumulator, .close = close[d]}, &got);
            compare(&right, &got, which, cases[k].bound, cases[k].sums);
        }
    }
}

/* The pressure is minus the derivative of the energy by the volume; particles are at rest. */
static void test_pressure(void **state)
{
    (void)state;
    static box_result less, here, more;
    const double h = 1e-4;
    look(&(own_box){formula_soft, "double", "fixed", .scale = 1 - h}, &less);
    look(&(own_box){formula_soft, "double", "fixed", .scale = 1}, &here);
    look(&(own_box){formula_soft, "double", "fixed", .scale = 1 + h}, &more);
    const double slope =
        (more.state.potential - less.state.potential) / (pow(EDGE, 3) * (pow(1 + h, 3) - pow(1 - h, 3)));
    below("pressure and derivative of the energy", "soft", fabs(-slope / here.state.pressure - 1),
          2e-7); /* measured: 4.7e-8 */
}

/* The first instruction set with vectors that this build has and this machine runs; null = none. */
static const char *first_vectors(void)
{
    for (int k = 0; myr_isa(k); k++)
        if (myr_isa(k)->available && strncmp(myr_isa(k)->name, "scalar", 6) != 0)
            return myr_isa(k)->name;
    return NULL;
}

/* Any instruction set, any number of threads; net forces are 0. */
static void test_bits(void **state)
{
    (void)state;
    static box_result right, got;
    look(&(own_box){formula_morse, "portable", "fixed", "scalar", .close = 0.3}, &right);
    for (int w = 0; w < 2; w++) {
        const own_box other = {formula_morse, "portable",      "fixed", w ? NULL : first_vectors(),
                               .close = 0.3,  .threads = w + 1};
        look(&other, &got);
        assert_memory_equal(&right.force, &got.force, sizeof right.force);
        assert_true(right.state.potential == got.state.potential && right.state.pressure == got.state.pressure);
    }
    for (int c = 0; c < 3; c++) {
        double net = 0;
        for (int i = 0; i < N; i++)
            net += right.force[c][i];
        assert_true(net == 0);
    }
}

/* Soft spheres conserve the energy: force and potential vanish at the cutoff. */
static void test_energy(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    myr_simulation *s =
        make(context, &(own_box){.formula = formula_soft, .arithmetic = "mixed", .accumulator = "fixed"});
    myr_thermodynamics first, last;
    expect_ok(context, myr_simulation_set(s, "dt", 0.01));
    expect_ok(context, myr_simulation_heat(s, 1, 5));
    liquid_steps(context, s, 1);
    expect_ok(context, myr_simulation_thermodynamics(s, &first));
    liquid_steps(context, s, 1000);
    expect_ok(context, myr_simulation_thermodynamics(s, &last));
    below("change of the energy in 1000 steps", "soft",
          fabs(last.kinetic + last.potential - first.kinetic - first.potential) / first.kinetic, 1e-2);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static void refused(const char *text, const char *words)
{
    myr_context *context = liquid_context();
    myr_simulation *s = make(context, &(own_box){.formula = text, .arithmetic = "mixed", .accumulator = "fixed"});
    if (myr_simulation_advance(s, 1, 1, 1) == MYR_OK)
        fail_msg("not refused: %s", words);
    if (!strstr(myr_context_message(context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(context), words);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

#define BEGIN "i: x[3]\nj: x[3]\nout: f[3]\nparam: rc = 2.5\ncutoff: rc\n"
#define DISTANCES "float d[3]; for (int k = 0; k < 3; k++) { d[k] = i.x[k] - j.x[k]; out.f[k] += d[k]; }\n"

static void test_refusals(void **state)
{
    (void)state;
    refused("name: own\n" BEGIN "antisymmetric: f\n" DISTANCES, "declares no potential");
    refused("name: own\n" BEGIN "potential: phi\n" DISTANCES "out.phi += 1;\n", "does not say that its force obeys");
    refused("name: own\ni: x[3] q\nj: x[3] q\nout: f[3]\npotential: phi\nparam: rc = 2.5\ncutoff: rc\n"
            "antisymmetric: f\n" DISTANCES "out.phi += i.q * j.q;\n",
            "reads fields besides the positions");
    refused("name: own\ni: x[3]\nj: x[3]\nout: f[3]\npotential: phi\nparam: rc = 2.5\nantisymmetric: f\n" DISTANCES
            "out.phi += rc;\n",
            "declares no cutoff");
    refused("name: own\n" BEGIN "potential: phi\nantisymmetric: f\n" DISTANCES "out.phi += i.x[0];\n",
            "other than as differences");
    refused("name: own\n" BEGIN "potential: phi\nantisymmetric: f\nself: count\n" DISTANCES "out.phi += 1;\n",
            "counts the pair of a particle with itself");
    refused("name: own\ni: x[3]\nj: x[3]\nout: a[3]\nparam: rc = 2.5\ncutoff: rc\npotential: phi\nantisymmetric: a\n"
            "for (int k = 0; k < 3; k++) out.a[k] += i.x[k] - j.x[k];\nout.phi += 1;\n",
            "must have the outputs");
    refused("name: own\n" BEGIN "potential: phi\nantisymmetric: f\n"
            "for (int k = 0; k < 3; k++) out.f[k] += fabs(i.x[k] - j.x[k]);\nout.phi += 1;\n",
            "not opposite");
    refused("name: own\n" BEGIN "potential: phi\nantisymmetric: f\n"
            "for (int k = 0; k < 3; k++) out.f[k] += 1e30 * 1e30 * (i.x[k] - j.x[k]);\nout.phi += 1;\n",
            "no finite force");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lennard_jones), cmocka_unit_test(test_pressure), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_energy),        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
