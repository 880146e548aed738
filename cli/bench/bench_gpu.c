/* bench_gpu.c - what Myriad asks of a GPU beside what it gets: speeds of the loops, of small systems, of molecules and
 * vortices; errors of sums; exclusions in three ways; energy per pair (paper 001, Fig. 5). bench_gpu_motion.c has the
 * integration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/gpu_energy.h"
#include "force_errors.h"
#include "bench/systems.h"

/* Speeds asked for on an H200, pairs/s; 0 = none asked for. N = 2048 is a whole evaluation of data on the device. */
static const struct {
    const char *kernel, *accumulator, *arithmetic;
    const char *sources; /* what they are, in words: equal masses leave the loop; types make it look up parameters */
    int64_t n;
    double wanted;
} rows[] = {
    {"gravity", "single", "single", "equal", 131072, 2.1e12},
    {"gravity", "single", "single", "different", 131072, 2.1e12},
    {"gravity", "chamomile", "single", "equal", 131072, 2.0e12},
    {"gravity", "chamomile", "single", "different", 131072, 2.0e12},
    {"gravity", "single", "mixed", "equal", 131072, 1.35e12},
    {"gravity", "single", "mixed", "different", 131072, 1.35e12},
    {"gravity", "fixed", "single", "equal", 131072, 1.05e12},
    {"gravity", "narumi", "single", "equal", 131072, 0.85e12},
    {"gravity", "nitadori", "single", "different", 131072, 0},
    {"gravity", "double", "single", "different", 131072, 0},
    {"gravity", "fixed", "mixed", "different", 131072, 0},
    {"gravity", "fixed", "portable", "different", 131072, 0},
    {"gravity", "single", "single", "equal", 2048, 0.6e12},
    {"gravity", "single", "single", "different", 2048, 0.6e12},
    {"gravity", "fixed", "mixed", "different", 2048, 0},
    {"gravity_jerk", "single", "single", "equal", 131072, 0.9e12},
    {"gravity_jerk", "single", "single", "different", 131072, 0.9e12},
    {"gravity_jerk", "fixed", "mixed", "different", 131072, 0},
    {"ljc_constant", "single", "single", "1 type", 65536, 1.2e12},
    {"ljc_constant", "single", "single", "16 types", 65536, 1.2e12},
    {"ljc_sigmoidal", "single", "single", "1 type", 65536, 0.8e12},
    {"ljc_sigmoidal", "single", "single", "16 types", 65536, 0.8e12},
    {"biot_savart", "single", "single", "different", 131072, 0.6e12},
};

enum { ROWS = sizeof rows / sizeof rows[0], ENERGY_SAMPLES = 128, QUICK_N = 2048, ERROR_SAMPLES = 512 };
#define ENERGY_SECONDS 0.4
#define EPS 0.01

/* Joules per pair: the mean power while the GPU does nothing else, over the speed. */
static int gpu_energy(bench *b, myr_interaction *f, const myr_particles *p, double pairs_per_s, double *joules)
{
    double seconds[ENERGY_SAMPLES];
    const double before = energy_used(), start = cli_seconds();
    int code = CLI_OK;
    *joules = NAN;
    if (isnan(before) || b->quick)
        return CLI_OK;
    while (!code && cli_seconds() - start < ENERGY_SECONDS)
        code = cli_check(b->context, myr_machine_gpu_time(f, p, 0, NULL, ENERGY_SAMPLES, seconds));
    *joules = (energy_used() - before) / (cli_seconds() - start) / pairs_per_s;
    return code;
}

static int gpu_make(bench *b, int row, myr_interaction **f, myr_particles **p)
{
    const myr_kernel_info *k = myr_kernel_find(rows[row].kernel);
    *f = bench_interaction(b, rows[row].kernel, rows[row].accumulator, rows[row].arithmetic);
    if (!*f)
        return CLI_FAILED;
    const int one = strcmp(rows[row].sources, "1 type") == 0;
    int code = bench_particles(b, *f, k, b->quick ? QUICK_N : rows[row].n, one ? 1 : BENCH_TYPES, p);
    double *mass = code ? NULL : myr_particles_component(*p, "mass", 0);
    for (int64_t i = 0; mass && strcmp(rows[row].sources, "different") == 0 && i < myr_particles_count(*p); i++)
        mass[i] *= 0.5 + (double)(i % 1000) / 999;
    if (!code && strncmp(k->name, "gravity", strlen("gravity")) == 0)
        code = cli_check(b->context, myr_interaction_set(*f, "eps", EPS));
    return code;
}

static int gpu_row(bench *b, int row)
{
    bench_speed speed = {0};
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    double joules = NAN, net = NAN;
    int code = gpu_make(b, row, &f, &p);
    if (!code)
        code = bench_time_interaction(b, f, p, -1, &speed);
    if (!code)
        code = measure_net_force(b->context, f, p, myr_kernel_find(rows[row].kernel), &net);
    if (!code)
        code = gpu_energy(b, f, p, speed.pairs_per_s, &joules);
    if (!code) {
        tables_text(&b->tables, rows[row].kernel);
        tables_text(&b->tables, rows[row].accumulator);
        tables_text(&b->tables, rows[row].arithmetic);
        tables_text(&b->tables, rows[row].sources);
        tables_number(&b->tables, (double)myr_particles_count(p));
        tables_number(&b->tables, speed.pairs_per_s);
        tables_number(&b->tables, rows[row].wanted > 0 ? rows[row].wanted : NAN);
        tables_text(&b->tables, rows[row].wanted <= 0 ? NULL : speed.pairs_per_s >= rows[row].wanted ? "yes" : "no");
        tables_number(&b->tables, speed.emitted);
        tables_number(&b->tables, speed.pairs_per_s / speed.bound_fraction);
        tables_number(&b->tables, speed.bound_fraction);
        tables_number(&b->tables, 1e12 * joules);
        tables_number(&b->tables, net);
    }
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

static int gpu_speeds(bench *b)
{
    static const tables_column columns[] = {{"kernel", "kernel", 14, NULL},
                                            {"accumulator", "accumulator", 11, NULL},
                                            {"arithmetic", "arithmetic", 10, NULL},
                                            {"sources", "sources", 10, NULL},
                                            {"n", "N", 8, "%.0f"},
                                            {"pairs_per_s", "pairs/s", 11, "%.3g"},
                                            {"wanted", "wanted", 10, "%.3g"},
                                            {"met", "met", 4, NULL},
                                            {"instructions", "instr/pair", 12, "%.2f"},
                                            {"bound", "bound", 10, "%.3g"},
                                            {"bound_fraction", "of bound", 10, "%.3f"},
                                            {"picojoules", "pJ/pair", 9, "%.1f"},
                                            {"net", "net force", 11, "%.1e"},
                                            {0}};
    int code = CLI_OK;
    tables_open(
        &b->tables, "gpu_speeds",
        "Speeds on the GPU, data there, by its own clock; wanted: on an H200. The bound is the issue rate over\n"
        "the instructions per pair in the machine code; energy after paper 001, Fig. 5",
        columns);
    for (int k = 0; k < ROWS && !code; k++)
        code = gpu_row(b, k);
    tables_close(&b->tables);
    return code;
}

/* --- errors ---------------------------------------------------------------------------------------------------------
 */
static int gpu_error_row(bench *b, const char *accumulator, const char *arithmetic, myr_particles *p, double *base)
{
    myr_accuracy a;
    double net = NAN;
    myr_interaction *f = bench_interaction(b, "gravity", accumulator, arithmetic);
    if (!f)
        return CLI_FAILED;
    int code = cli_check(b->context, myr_interaction_set(f, "eps", EPS));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    if (!code)
        code = measure_net_force(b->context, f, p, myr_kernel_find("gravity"), &net);
    if (!code)
        code = cli_check(b->context, myr_interaction_accuracy(f, p, p, "acceleration", ERROR_SAMPLES, &a));
    if (!code) {
        *base = *base > 0 ? *base : a.rms_error;
        tables_text(&b->tables, accumulator);
        tables_text(&b->tables, arithmetic);
        tables_number(&b->tables, a.rms_error);
        tables_number(&b->tables, a.rms_error / *base);
        tables_number(&b->tables, a.max_error);
        tables_number(&b->tables, a.sum_error);
        tables_number(&b->tables, net);
    }
    myr_interaction_destroy(&f);
    return code;
}

static int gpu_errors(bench *b)
{
    static const tables_column columns[] = {
        {"accumulator", "accumulator", 15, NULL}, {"arithmetic", "arithmetic", 10, NULL},
        {"rms_error", "rms error", 11, "%.2e"},   {"of_double", "of double", 11, "%.2f"},
        {"max_error", "max error", 11, "%.2e"},   {"sum_error", "of the sum", 12, "%.2e"},
        {"net", "net force", 11, "%.1e"},         {0}};
    static const char *const ways[] = {"double",    "fixed",    "narumi",         "chamomile",
                                       "takahashi", "nitadori", "nitadori_large", "single"};
    static const char *const arithmetics[] = {"single", "mixed"};
    int code = CLI_OK;
    myr_particles *p = NULL;
    code = cli_check(b->context, myr_model_create(b->context, "plummer", b->quick ? QUICK_N : 131072, 1, &p));
    tables_open(&b->tables, "gpu_errors",
                "Errors of the accelerations of a Plummer sphere against double arithmetic, on the GPU; wanted: fixed "
                "at most\n1.2 of double, net force 0",
                columns);
    for (int r = 0; r < 2 && !code; r++) {
        double base = 0;
        for (size_t k = 0; k < sizeof ways / sizeof ways[0] && !code; k++)
            code = gpu_error_row(b, ways[k], arithmetics[r], p, &base);
    }
    tables_close(&b->tables);
    myr_particles_destroy(&p);
    return code;
}

/* --- exclusions -----------------------------------------------------------------------------------------------------
 */
static const struct {
    const char *text, *arithmetic;
    int mode; /* -1 = no exclusions */
} exclusions[] = {
    {"none", "mixed", -1},
    {"on the fly", "mixed", MYR_EXCLUDE_ON_THE_FLY},
    {"afterwards", "mixed", MYR_EXCLUDE_AFTERWARDS},
    {"none", "portable", -1},
    {"on the fly", "portable", MYR_EXCLUDE_ON_THE_FLY},
    {"afterwards", "portable", MYR_EXCLUDE_AFTERWARDS},
    {"by the processor", "portable", MYR_EXCLUDE_BY_PROCESSOR},
};

enum { EXCLUSIONS = sizeof exclusions / sizeof exclusions[0], EXCLUSION_REPEATS = 7, EXCLUSION_SCALE = 24 };

/* Host to host; all ways on one grid, which fits all pairs: bonded atoms would push with 2^18. */
static int gpu_exclusion_row(bench *b, int row, const system_lj *s, uint64_t *bits)
{
    double seconds[EXCLUSION_REPEATS];
    uint64_t now = 0;
    myr_evaluation last = {0};
    myr_interaction *f = bench_interaction(b, "lennard_jones", "fixed", exclusions[row].arithmetic);
    if (!f)
        return CLI_FAILED;
    int code = system_apply(b->context, f, s);
    if (!code && exclusions[row].mode >= 0)
        code =
            cli_check(b->context, myr_interaction_set_exclusions(f, myr_particles_count(s->particles), s->offset,
                                                                 s->partner, (myr_exclusion_mode)exclusions[row].mode));
    if (!code)
        code = cli_check(b->context, myr_interaction_set_scale(f, "force", EXCLUSION_SCALE));
    for (int k = 0; k < EXCLUSION_REPEATS && !code; k++) {
        code = cli_check(b->context, myr_interaction_evaluate(f, s->particles, s->particles));
        if (!code)
            code = cli_check(b->context, myr_interaction_last(f, &last));
        seconds[k] = last.seconds;
    }
    if (!code)
        code = cli_check(b->context, myr_particles_hash(s->particles, "force", &now));
    if (!code) {
        const int first = exclusions[row].mode == MYR_EXCLUDE_ON_THE_FLY;
        tables_text(&b->tables, exclusions[row].text);
        tables_text(&b->tables, exclusions[row].arithmetic);
        tables_number(&b->tables, 1e3 * measure_median(seconds, EXCLUSION_REPEATS));
        tables_text(&b->tables, exclusions[row].mode < 0 || first ? NULL : now == *bits ? "yes" : "no");
        *bits = first ? now : *bits;
    }
    myr_interaction_destroy(&f);
    return code;
}

static int gpu_exclusions(bench *b)
{
    static const tables_column columns[] = {{"excluded", "excluded", 17, NULL},
                                            {"arithmetic", "arithmetic", 10, NULL},
                                            {"milliseconds", "ms", 10, "%.3f"},
                                            {"same_bits", "bits as on the fly", 18, NULL},
                                            {0}};
    system_lj s;
    uint64_t bits = 0;
    int code = system_create_molecule(b->context, b->quick ? 500 : 30000, b->quick ? 30 : 1000, &s);
    if (!code) {
        tables_open(
            &b->tables, "000_section_5",
            "Paper 000, section 5: bonded pairs excluded, host to host (chain and waters, Lennard-Jones, fixed).\n"
            "By the processor: while the GPU sums all pairs",
            columns);
        for (int k = 0; k < EXCLUSIONS && !code; k++)
            code = gpu_exclusion_row(b, k, &s, &bits);
        tables_close(&b->tables);
    }
    system_destroy(&s);
    return code;
}

int bench_gpu(bench *b)
{
    int code = gpu_speeds(b);
    if (!code)
        code = gpu_errors(b);
    if (!code)
        code = gpu_exclusions(b);
    if (!code)
        code = bench_gpu_motion(b);
    return code ? code : bench_stars_gpu(b);
}
