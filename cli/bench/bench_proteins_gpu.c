/* bench_proteins_gpu.c - molecules that move on a GPU: one alone, and ensembles of replicas. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/ensemble.h>

#include "bench/bench.h"
#include "bench/protein.h"

#define FEMTOSECOND (1.0 / 48.88821290839616) /* in AMBER's unit of time */
#define KELVIN (8.314462618 / 4184.0)         /* k T of 1 K in kcal/mol */
#define STEP 2.0                              /* fs, rigid bonds to hydrogen */
enum { MINIMISE = 200, WARM = 1030 };         /* past the steps that choose the grid of the sums most often */

/* The rows: steps are those that are timed. Replicas follow the same molecule alone. */
static const struct {
    const char *what;
    protein_size size;
    int replicas, steps;
    int64_t atoms;       /* of all replicas */
    const char *solvent; /* generalised Born with a constant dielectric; null = sigmoidal dielectric */
} rows[] = {{"1280 atoms", {.chains = 10, .residues = 125}, 1, 4000, 1280, NULL},
            {"512 x 1280 atoms", {.chains = 10, .residues = 125}, 512, 256, 512 * 1280, NULL},
            {"3339 atoms", {.chains = 5, .residues = 270, .waters = 208}, 1, 2000, 3339, NULL},
            {"1280 atoms, OBC2", {.chains = 10, .residues = 125}, 1, 2000, 1280, "obc2"},
            {"3339 atoms, OBC2", {.chains = 5, .residues = 270, .waters = 208}, 1, 1000, 3339, "obc2"},
            {"23 atoms", {.chains = 1, .residues = 2}, 1, 4000, 23, NULL},
            {"1024 x 23 atoms", {.chains = 1, .residues = 2}, 1024, 4000, 1024 * 23, NULL}};

/* Where the atoms of all replicas start: [atoms][3], null = as the molecule is built. */
typedef struct {
    double *position;
    int64_t atoms;
} start;

typedef struct {
    myr_context **context;
    myr_simulation **simulation;
    int64_t n;
} systems;

/* One replica with a seed of its own. */
static int make_one(myr_context *context, size_t row, const start *at, uint64_t seed, myr_simulation **simulation)
{
    myr_topology *topology = NULL;
    myr_particles *atoms = NULL;
    myr_interaction *f = NULL;
    myr_molecular_options options = myr_molecular_defaults();
    options.seed = seed;
    *simulation = NULL;
    const myr_solvent solvent = {.model = rows[row].solvent};
    int code = protein_make(context, rows[row].size, &topology, &atoms);
    if (!code && at->position)
        code = cli_check(context, myr_particles_set(atoms, "position", 3, at->position));
    if (!code)
        code =
            cli_check(context, myr_interaction_create(context, solvent.model ? "ljc_constant" : "ljc_sigmoidal", &f));
    if (!code)
        code = cli_check(context, myr_interaction_choose(f, "accumulator", "fixed"));
    if (!code)
        code = cli_check(context, myr_interaction_choose(f, "arithmetic", "single"));
    if (!code)
        code = cli_check(context, myr_interaction_choose(f, "backend", "simd"));
    if (!code)
        code = cli_check(context, myr_simulation_create(context, atoms, f, simulation));
    if (code)
        return code;
    code = cli_check(context, myr_simulation_choose(*simulation, "langevin"));
    if (!code)
        code = cli_check(context, myr_simulation_set(*simulation, "dt", STEP * FEMTOSECOND));
    if (!code)
        code = cli_check(context, myr_simulation_set(*simulation, "temperature", 300 * KELVIN));
    if (!code)
        code = cli_check(context, myr_simulation_set(*simulation, "friction", 0.002 / FEMTOSECOND));
    if (!code)
        code = cli_check(context, myr_simulation_set_molecular(*simulation, &options));
    if (!code)
        code = cli_check(context, myr_simulation_set_molecule(*simulation, topology, MYR_EXCLUDE_ON_THE_FLY, 1));
    return code || !solvent.model ? code : cli_check(context, myr_simulation_set_solvent(*simulation, &solvent));
}

/* Minimised positions, by the processor. */
static int find_start(bench *b, size_t row, start *at)
{
    myr_context *context = NULL;
    myr_simulation *s = NULL;
    const myr_particles *now;
    myr_minimum minimum;
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    int code = make_one(context, row, at, 1, &s);
    if (!code)
        code = cli_check(context, myr_simulation_minimise(s, 1, b->quick ? 20 : MINIMISE, &minimum));
    if (!code)
        code = cli_check(context, myr_simulation_particles(s, &now));
    if (!code) {
        at->atoms = myr_particles_count(now);
        at->position = calloc((size_t)at->atoms, 3 * sizeof *at->position);
        code = at->position ? cli_check(context, myr_particles_get(now, "position", at->position))
                            : cli_fail(CLI_FAILED, "no memory");
    }
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    return code;
}

static void end_all(systems *all)
{
    for (int64_t k = 0; k < all->n && all->simulation; k++)
        myr_simulation_destroy(&all->simulation[k]);
    for (int64_t k = 0; k < all->n && all->context; k++)
        myr_context_destroy(&all->context[k]);
    free(all->simulation);
    free(all->context);
}

static int make_all(size_t row, const start *at, systems *all)
{
    int code = CLI_OK;
    all->context = calloc((size_t)all->n, sizeof *all->context);
    all->simulation = calloc((size_t)all->n, sizeof *all->simulation);
    if (!all->context || !all->simulation)
        return cli_fail(CLI_FAILED, "no memory");
    for (int64_t k = 0; k < all->n && !code; k++)
        code = myr_context_create(&all->context[k])
                   ? cli_fail(CLI_FAILED, "no memory")
                   : make_one(all->context[k], row, at, (uint64_t)k + 1, &all->simulation[k]);
    return code;
}

/* Times steps of all systems, by the clock on the wall and by the GPU's. */
static int time_all(bench *b, const systems *all, int64_t steps, double *seconds, myr_ensemble_report *report)
{
    myr_ensemble *e = NULL;
    myr_ensemble_report before = {0};
    *report = before;
    int code = cli_check(b->context, myr_ensemble_create(b->context, all->n, all->simulation, &e));
    if (!code)
        code = cli_check(b->context, myr_ensemble_choose(e, "cuda"));
    if (!code)
        code = cli_check(b->context, myr_ensemble_advance(e, 1e30, 1e30, b->quick ? 20 : WARM));
    if (!code)
        code = cli_check(b->context, myr_ensemble_describe(e, &before));
    if (!code)
        code = cli_check(b->context, myr_ensemble_advance(e, 1e30, 1e30, steps));
    if (!code)
        code = cli_check(b->context, myr_ensemble_describe(e, report));
    if (!code && myr_ensemble_alive(e) < all->n)
        code = cli_fail(CLI_FAILED, "%lld of %lld replicas have failed", (long long)(all->n - myr_ensemble_alive(e)),
                        (long long)all->n);
    *seconds = report->seconds - before.seconds;
    report->device_seconds -= before.device_seconds;
    myr_ensemble_destroy(&e);
    return code;
}

/* alone: seconds per step of one of the molecules of the row before; receives those of this row. */
static int proteins_row(bench *b, size_t k, double *alone)
{
    start at = {0};
    systems all = {.n = b->quick && rows[k].replicas > 4 ? 4 : rows[k].replicas};
    myr_ensemble_report report = {0};
    const int64_t steps = b->quick ? 20 : rows[k].steps;
    double seconds = 0;
    progress_begin(&b->progress, "%s", rows[k].what);
    int code = find_start(b, k, &at);
    if (!code)
        code = make_all(k, &at, &all);
    if (!code)
        code = time_all(b, &all, steps, &seconds, &report);
    progress_end(&b->progress);
    if (!code) {
        const double step = seconds / (double)steps, n = (double)all.n;
        const double days = seconds / 86400;
        tables_text(&b->tables, rows[k].what);
        tables_number(&b->tables, (double)at.atoms);
        tables_number(&b->tables, n);
        tables_number(&b->tables, 1e6 * step);
        tables_number(&b->tables, 1e6 * report.device_seconds / (double)steps);
        tables_number(&b->tables, (double)steps * STEP * 1e-6 / days);
        tables_number(&b->tables, n * (double)steps * STEP * 1e-9 / days);
        tables_number(&b->tables, n * (double)steps * (double)(at.atoms * at.atoms) / report.device_seconds);
        tables_number(&b->tables, n > 1 && *alone > 0 ? n * *alone / step : NAN);
        tables_number(&b->tables, report.blocks);
        tables_number(&b->tables, report.threads);
        *alone = n > 1 ? *alone : step;
    }
    end_all(&all);
    free(at.position);
    return code;
}

int bench_proteins_gpu(bench *b)
{
    static const tables_column columns[] = {
        {"molecules", "molecules", 17, NULL},     {"atoms", "atoms", 7, "%.0f"},
        {"replicas", "replicas", 10, "%.0f"},     {"us_per_step", "us/step", 11, "%.4g"},
        {"device_us", "on GPU", 11, "%.4g"},      {"ns_per_day", "ns/day", 11, "%.4g"},
        {"us_per_day", "all us/day", 12, "%.4g"}, {"pairs_per_s", "pairs/s", 11, "%.3g"},
        {"gain", "x one by one", 14, "%.3g"},     {"blocks", "blocks", 8, "%.0f"},
        {"threads", "threads", 9, "%.0f"},        {0}};
    double alone = 0;
    int code = CLI_OK;
    tables_open(
        &b->tables, "molecules_gpu",
        "Molecules on a GPU: all pairs (ljc_sigmoidal, fixed sums, single arithmetic), Langevin dynamics, steps of 2 "
        "fs with rigid\nbonds to hydrogen; by the clock on the wall with all that a step needs, and launches by "
        "the GPU's. The last\ncolumns: speed against one replica after the other; blocks of a replica and their "
        "threads",
        columns);
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !code; k++)
        if (rows[k].atoms >= b->min && rows[k].atoms <= b->max)
            code = proteins_row(b, k, &alone);
    tables_close(&b->tables);
    return code;
}
