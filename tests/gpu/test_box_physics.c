/* test_box_physics.c - particles in a box on a GPU against values of others: NIST's configurations and points of the
 * equation of state, LAMMPS from one data file, and the constant energy of a run on the processor. An emulated GPU
 * makes short runs where it is about energies, and none where it is about means. The name of a test as argument, as in
 * test_drift, makes that one alone. */
#include <unistd.h>

#include "physics/nist_configurations.h"
#include "physics/nist_states.h"

#include "conformance/scene.h"

static int emulated(myr_context *context)
{
    myr_gpu_info info;
    expect_ok(context, myr_machine_gpu(context, 0, &info));
    return strcmp(info.name, "emulated") == 0;
}

/* Sums after a step in which nothing moves visibly. */
static void compare_configuration(myr_context *context, const nist_configuration *r, const char *accumulator, int tail)
{
    static double x[3][NIST_MOST], all[3 * NIST_MOST];
    liquid l = {.n = r->n, .cutoff = r->cutoff, .cut = "truncated", .accumulator = accumulator, .backend = "cuda"};
    myr_particles *p = NULL;
    l.settings = SETTINGS({"dt", 1e-9, NULL});
    l.box.tail = tail;
    nist_load(r, x);
    expect_ok(context, myr_particles_create(context, r->n, &p));
    fill_field(p, "mass", 1);
    for (int c = 0; c < 3; c++) {
        l.box.box[c] = r->edge;
        l.box.origin[c] = -0.5 * r->edge;
        for (int64_t i = 0; i < r->n; i++)
            all[3 * i + c] = x[c][i];
    }
    expect_ok(context, myr_particles_set(p, "position", 3, all));
    myr_simulation *s = new_liquid_of(context, &l, p);
    liquid_steps(context, s, 1);
    const myr_thermodynamics t = liquid_state(context, s);
    const double virial = 3 * t.pressure * t.volume - 2 * t.kinetic;
    print_message("%s rc %g, %s: U %.7f W %.6f tail %.4f\n", r->file, r->cutoff, accumulator, t.potential - t.tail,
                  virial, t.tail);
    expect_below("energy", fabs(t.potential - t.tail - r->energy), r->energy_bar);
    if (tail)
        expect_below("tail", fabs(t.tail - r->tail), r->tail_bar);
    else
        expect_below("virial", fabs(virial - r->virial), r->virial_bar);
    myr_simulation_destroy(&s);
}

static void test_configurations(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    for (int k = 0; k < NIST_CONFIGURATIONS; k++) {
        compare_configuration(context, &nist_configurations[k], "fixed", 0);
        compare_configuration(context, &nist_configurations[k], "double", 0);
        if (nist_configurations[k].tail_bar > 0)
            compare_configuration(context, &nist_configurations[k], "fixed", 1);
    }
    myr_context_destroy(&context);
}

/* The melt, 4000 particles at the places of a crystal, in a data file of LAMMPS; $MYRIAD_MELT keeps it there. */
static void melt_write(myr_context *context, const char *path)
{
    const liquid l = {.n = 4000, .density = 0.8442, .temperature = 1.44};
    myr_snapshot_header header = {.program = "test"};
    myr_particles *p = liquid_particles(context, &l);
    for (int c = 0; c < 3; c++) {
        header.box[c] = liquid_edge(&l);
        header.origin[c] = -0.5 * header.box[c];
    }
    static const char *const fields[] = {"position", "velocity", "mass", NULL};
    expect_ok(context, myr_snapshot_write(p, path, "lammps_data", fields, &header));
    myr_particles_destroy(&p);
}

static myr_simulation *melt_read(myr_context *context, const char *path)
{
    liquid l = {.n = 4000, .cut = "truncated", .arithmetic = "double", .backend = "cuda"};
    l.settings = SETTINGS({"dt", 0.005, NULL});
    myr_snapshot_header header;
    myr_particles *p = NULL;
    expect_ok(context, myr_snapshot_read(context, path, "lammps_data", &p, &header));
    memcpy(l.box.box, header.box, sizeof l.box.box);
    memcpy(l.box.origin, header.origin, sizeof l.box.origin);
    return new_liquid_of(context, &l, p);
}

/* Kinetic and potential energy and pressure that LAMMPS has on its way from the same file: tests/data/lammps_melt.csv.
 */
static void test_melt(void **state)
{
    (void)state;
    const char *kept = getenv("MYRIAD_MELT");
    char path[] = "/tmp/myriad-melt-XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    myr_context *context = liquid_context();
    if (kept)
        melt_write(context, kept);
    melt_write(context, path);
    myr_simulation *s = melt_read(context, path);
    unlink(path);
    FILE *file = fopen(source_file("tests/data/lammps_melt.csv"), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "step,kinetic,potential,pressure\n"), 0);
    long long step;
    double right[3];
    int lines = 0;
    for (; fscanf(file, "%lld,%lf,%lf,%lf", &step, right, right + 1, right + 2) == 4; lines++) {
        liquid_steps(context, s, step - myr_simulation_steps(s));
        const myr_thermodynamics t = liquid_state(context, s);
        const double got[3] = {t.kinetic, t.potential, t.pressure};
        for (int k = 0; k < 3; k++) {
            print_message("step %lld: %.15g, LAMMPS %.15g\n", step, got[k], right[k]);
            expect_below("LAMMPS", fabs(got[k] / right[k] - 1), 4e-12); /* measured 8.4e-13 */
        }
    }
    assert_true(feof(file) && lines == 3);
    fclose(file);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

static void test_states(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    const int skipped = emulated(context);
    myr_context_destroy(&context);
    if (skipped)
        skip();
    nist_states("cuda");
}

/* The slope of a straight line through energies, and its standard error, relative to the energy, per 1000 steps. */
typedef struct {
    double slope, error;
} line;

static line line_through(int64_t n, const double *energy, int64_t stride)
{
    double mean = 0, xx = 0, xy = 0, rest = 0;
    for (int64_t k = 0; k < n; k++)
        mean += (energy[k] - energy[0]) / (double)n;
    for (int64_t k = 0; k < n; k++) {
        const double x = (double)(2 * k - n + 1) / 2;
        xx += x * x;
        xy += x * (energy[k] - energy[0]);
    }
    for (int64_t k = 0; k < n; k++) {
        const double off = energy[k] - energy[0] - mean - xy / xx * (double)(2 * k - n + 1) / 2;
        rest += off * off / (double)(n - 2);
    }
    const double unit = 1000 / ((double)stride * fabs(energy[0]));
    return (line){xy / xx * unit, sqrt(rest / xx) * unit};
}

enum { SAMPLES = 500 };

static line drift(const char *backend, int64_t n, int64_t melting, int64_t stride, int threads)
{
    static double energy[SAMPLES];
    const liquid l = {.n = n,
                      .density = 0.8442,
                      .temperature = 1.44,
                      .arithmetic = "single",
                      .backend = backend,
                      .settings = SETTINGS({"dt", 0.005, NULL})};
    myr_context *context = liquid_context();
    expect_ok(context, myr_context_set_threads(context, threads));
    myr_simulation *s = new_liquid(context, &l);
    liquid_steps(context, s, melting);
    for (int k = 0; k < SAMPLES; k++) {
        energy[k] = liquid_state(context, s).conserved;
        liquid_steps(context, s, stride);
    }
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    const line d = line_through(SAMPLES, energy, stride);
    print_message("%s: energy changes by %.2e +- %.1e in 1000 steps, over %lld steps of %lld particles\n", backend,
                  d.slope, d.error, (long long)stride * SAMPLES, (long long)n);
    return d;
}

/* The energy of 4000 particles over 1e6 steps drifts at most twice as fast as on the processor over 1e5 steps, or as
 * fast as can be told there. */
static void test_drift(void **state)
{
    (void)state;
    myr_context *context = liquid_context();
    const int small = emulated(context);
    myr_context_destroy(&context);
    const int64_t n = small ? 256 : 4000, melting = small ? 0 : 1000;
    const line right = drift("simd", n, melting, small ? 1 : 200, 4);
    const line got = drift("cuda", n, melting, small ? 1 : 2000, 1);
    expect_below("drift of the energy", fabs(got.slope), 2 * fmax(fabs(right.slope), right.error));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_melt),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_drift),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
