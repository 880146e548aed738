/* bench_proteins.c - molecules like proteins: paper 000's System 1 in kind with the motion that its argument is about,
 * and paper 001's Table 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/bench_others.h"
#include "force_errors.h"
#include "bench/protein.h"

enum { HEAT_STEPS = 4000, DRIFT_STEPS = 100000, QUICK_STEPS = 100, DRIFT_SAMPLES = 100, PACE_STEPS = 200 };
#define FEMTOSECOND (1.0 / 48.88821290839616) /* in AMBER's unit of time */
#define KELVIN (8.314462618 / 4184.0)         /* k T of 1 K in kcal/mol */
#define DRIFT_DT 0.5                          /* fs, all bonds springs */
#define PACE_DT 2.0                           /* fs, rigid bonds to hydrogen */
#define CUTOFF 12.0                           /* Angstrom */

static const struct {
    const char *letter, *accumulator, *arithmetic;
} methods[] = {{"A", "single", "single"},   {"B", "double", "single"},         {"C", "takahashi", "single"},
               {"D", "nitadori", "single"}, {"E", "nitadori_large", "single"}, {"F", "narumi", "single"},
               {"G", "double", "double"},   {"-", "chamomile", "single"},      {"-", "fixed", "single"}};

enum { METHODS = sizeof methods / sizeof methods[0] };

static const char *const modes[] = {"on the fly", "afterwards"};

static myr_exclusion_mode mode_at(int k)
{
    return k ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY;
}

/* --- System 1 of paper 000 ---------------------------------------------------------------------------------------- */

/* Where the atoms of a small protein are when they have the heat of 300 K: the start of every row. */
typedef struct {
    protein_size size;
    int64_t atoms;
    double *position, *velocity; /* [atoms][3] */
} drift_start;

/* A simulation of a protein, from where the start says (positions null: as it is built). It owns the interaction, also
 * where this fails. */
static int proteins_simulation(bench *b, const drift_start *start, myr_interaction *f, myr_exclusion_mode mode,
                               int rigid, const char *integrator, double dt, myr_simulation **simulation)
{
    myr_topology *topology = NULL;
    myr_particles *atoms = NULL;
    *simulation = NULL;
    int code = protein_make(b->context, start->size, &topology, &atoms);
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(atoms, "velocity", 3));
    if (!code && start->position)
        code = cli_check(b->context, myr_particles_set(atoms, "position", 3, start->position));
    if (!code && start->position)
        code = cli_check(b->context, myr_particles_set(atoms, "velocity", 3, start->velocity));
    if (!code)
        code = cli_check(b->context, myr_simulation_create(b->context, atoms, f, simulation));
    if (code) {
        myr_topology_destroy(&topology);
        myr_particles_destroy(&atoms);
        myr_interaction_destroy(&f);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(*simulation, integrator));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(*simulation, "dt", dt * FEMTOSECOND));
    if (!code)
        code = cli_check(b->context, myr_simulation_set_molecule(*simulation, topology, mode, rigid));
    else
        myr_topology_destroy(&topology);
    return code;
}

static int proteins_go(bench *b, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    int code = CLI_OK;
    while (!code && myr_simulation_steps(s) < end)
        code = cli_check(b->context, myr_simulation_advance(s, 1e30, 1e30, end - myr_simulation_steps(s)));
    return code;
}

/* Minimised, then heated by Langevin dynamics. */
static int drift_heat(bench *b, drift_start *start)
{
    myr_simulation *s = NULL;
    const myr_particles *now;
    myr_minimum minimum;
    myr_interaction *f = bench_interaction(b, "ljc_linear", "fixed", "mixed");
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "a protein is warmed up");
    int code = proteins_simulation(b, start, f, MYR_EXCLUDE_ON_THE_FLY, 0, "langevin", DRIFT_DT, &s);
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "temperature", 300 * KELVIN));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "friction", 0.01 / FEMTOSECOND));
    if (!code)
        code = cli_check(b->context, myr_simulation_minimise(s, 1, 500, &minimum));
    if (!code)
        code = proteins_go(b, s, b->quick ? 100 : HEAT_STEPS);
    if (!code)
        code = cli_check(b->context, myr_simulation_particles(s, &now));
    if (!code) {
        start->atoms = myr_particles_count(now);
        start->position = calloc((size_t)start->atoms, 3 * sizeof *start->position);
        start->velocity = calloc((size_t)start->atoms, 3 * sizeof *start->velocity);
        if (!start->position || !start->velocity)
            code = cli_fail(CLI_FAILED, "no memory");
    }
    if (!code)
        code = cli_check(b->context, myr_particles_get(now, "position", start->position));
    if (!code)
        code = cli_check(b->context, myr_particles_get(now, "velocity", start->velocity));
    progress_end(&b->progress);
    myr_simulation_destroy(&s);
    return code;
}

typedef struct {
    double slope;    /* of the energy: kcal/mol per ns */
    double drift;    /* the same as a temperature: K per ns, all degrees of freedom sharing it */
    double momentum; /* gained, relative to the sum of |p| at the start */
} drift_result;

/* The energy at equal times, and a line through it. */
static int drift_measure(bench *b, myr_simulation *s, int64_t steps, drift_result *r)
{
    double sum[4] = {0}, first = 0; /* t, E, t t, t E */
    const int samples = b->quick ? 5 : DRIFT_SAMPLES;
    int code = CLI_OK;
    for (int k = 0; k <= samples && !code; k++) {
        myr_thermodynamics t;
        if (k > 0)
            code = proteins_go(b, s, steps / samples);
        if (!code)
            code = cli_check(b->context, myr_simulation_thermodynamics(s, &t));
        if (code)
            break;
        const double ns = (double)k * (double)(steps / samples) * DRIFT_DT * 1e-6;
        first = k == 0 ? t.conserved : first;
        sum[0] += ns;
        sum[1] += t.conserved - first;
        sum[2] += ns * ns;
        sum[3] += ns * (t.conserved - first);
    }
    const double n = samples + 1;
    r->slope = (n * sum[3] - sum[0] * sum[1]) / (n * sum[2] - sum[0] * sum[0]);
    return code;
}

static int drift_row(bench *b, int k, int mode, const drift_start *start, drift_result *r)
{
    myr_simulation *s = NULL;
    myr_conserved before = {0}, after = {0};
    myr_interaction *f = bench_interaction(b, "ljc_linear", methods[k].accumulator, methods[k].arithmetic);
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "%s, excluded %s, moves", methods[k].accumulator, modes[mode]);
    int code = proteins_simulation(b, start, f, mode_at(mode), 0, "verlet", DRIFT_DT, &s);
    if (!code)
        code = proteins_go(b, s, 1);
    if (!code)
        code = cli_check(b->context, myr_simulation_conserved(s, &before));
    if (!code)
        code = drift_measure(b, s, b->quick ? QUICK_STEPS : DRIFT_STEPS, r);
    if (!code)
        code = cli_check(b->context, myr_simulation_conserved(s, &after));
    r->drift = r->slope / (3.0 * (double)start->atoms * KELVIN);
    double square = 0;
    for (int c = 0; c < 3; c++)
        square += pow(after.momentum[c] - before.momentum[c], 2);
    r->momentum = sqrt(square) / sqrt(2 * before.mass * before.kinetic);
    progress_end(&b->progress);
    myr_simulation_destroy(&s);
    return code;
}

/* Error (eq. 10) and offset (eq. 11) of the pairs' forces in the large protein. */
typedef struct {
    myr_topology *topology;
    myr_particles *atoms;
    double *reference; /* [atoms][3] */
} error_system;

static int errors_measure(bench *b, int k, int mode, const error_system *s, double *error, double *offset)
{
    myr_molecule *molecule = NULL;
    myr_interaction *f = bench_interaction(b, "ljc_linear", methods[k].accumulator, methods[k].arithmetic);
    if (!f)
        return CLI_FAILED;
    int code = cli_check(b->context, myr_molecule_create(s->topology, f, mode_at(mode), &molecule));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, s->atoms, s->atoms));
    if (!code)
        code = measure_net_force(b->context, f, s->atoms, myr_kernel_find("ljc_linear"), offset);
    if (!code)
        *error = measure_mean_error(s->atoms, "force", s->reference);
    myr_molecule_destroy(&molecule);
    myr_interaction_destroy(&f);
    return code;
}

/* The reference: double arithmetic, on the fly. */
static int errors_prepare(bench *b, error_system *s)
{
    myr_molecule *molecule = NULL;
    const protein_size size = b->quick ? PROTEIN_1280 : PROTEIN_3339;
    int code = protein_make(b->context, size, &s->topology, &s->atoms);
    myr_interaction *f = code ? NULL : bench_interaction(b, "ljc_linear", "double", "double");
    if (!f)
        return CLI_FAILED;
    s->reference = calloc((size_t)myr_particles_count(s->atoms), 3 * sizeof *s->reference);
    if (!s->reference)
        code = cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_molecule_create(s->topology, f, MYR_EXCLUDE_ON_THE_FLY, &molecule));
    if (!code)
        code = bench_reference(b, f, s->atoms, "force", s->reference);
    myr_molecule_destroy(&molecule);
    myr_interaction_destroy(&f);
    return code;
}

static int system_row(bench *b, int k, const error_system *s, const drift_start *start)
{
    for (int mode = 0; mode < 2; mode++) {
        double error, offset;
        drift_result r = {0};
        int code = errors_measure(b, k, mode, s, &error, &offset);
        if (!code)
            code = drift_row(b, k, mode, start, &r);
        if (code)
            return code;
        tables_text(&b->tables, methods[k].letter);
        tables_text(&b->tables, methods[k].accumulator);
        tables_text(&b->tables, methods[k].arithmetic);
        tables_text(&b->tables, modes[mode]);
        tables_number(&b->tables, error);
        tables_number(&b->tables, offset);
        tables_number(&b->tables, r.slope);
        tables_number(&b->tables, r.drift);
        tables_number(&b->tables, r.momentum);
    }
    return CLI_OK;
}

static int proteins_system(bench *b)
{
    static const tables_column columns[] = {{"letter", "", 3, NULL},
                                            {"accumulator", "accumulator", 15, NULL},
                                            {"arithmetic", "pairs in", 9, NULL},
                                            {"exclusion", "excluded", 11, NULL},
                                            {"error", "error", 10, "%.2e"},
                                            {"offset", "offset", 10, "%.2e"},
                                            {"drift", "kcal/mol/ns", 12, "%.3g"},
                                            {"heating", "K/ns", 10, "%.3g"},
                                            {"momentum", "momentum", 10, "%.2e"},
                                            {0}};
    char title[600];
    error_system s = {0};
    drift_start start = {.size = PROTEIN_246};
    int code = errors_prepare(b, &s);
    if (!code)
        code = drift_heat(b, &start);
    if (!code) {
        snprintf(
            title, sizeof title,
            "Paper 000, System 1 in kind, with charges (ljc_linear) and motion. Average error (eq. 10) and offset\n"
            "(eq. 11) of the pairs' forces on the %lld atoms of helices and water (the paper has 3339); slope of the\n"
            "energy of a small one (%lld atoms) over %d steps of %g fs, as energy and as temperature, and the\n"
            "momentum gained, relative to that of one body with all the mass and heat",
            (long long)myr_particles_count(s.atoms), (long long)start.atoms, b->quick ? QUICK_STEPS : DRIFT_STEPS,
            DRIFT_DT);
        tables_open(&b->tables, "000_system_1", title, columns);
        for (int k = 0; k < METHODS && !code; k++)
            code = system_row(b, k, &s, &start);
        tables_close(&b->tables);
    }
    free(s.reference);
    free(start.position);
    free(start.velocity);
    myr_topology_destroy(&s.topology);
    myr_particles_destroy(&s.atoms);
    return code;
}

/* --- Table 2 of paper 001 ----------------------------------------------------------------------------------------- */

static const struct {
    const char *kernel;
    double gromacs_all, gromacs_cut, gpu; /* ns/day in the paper */
} table2[] = {{"ljc_constant", 5.6, 18.2, 140}, {"ljc_linear", 2.06, 9.08, 140}, {"ljc_sigmoidal", 2.5, 11, 127}};

/* Seconds of a core: what other programs take of it does not count. */
static double proteins_seconds(const bench *b)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec) / b->threads;
}

/* Steps of 2 fs per second, without outputs. */
static int table2_pace(bench *b, myr_interaction *f, myr_exclusion_mode mode, double *ns_per_day)
{
    const drift_start built = {.size = PROTEIN_1280};
    myr_simulation *s = NULL;
    myr_minimum minimum;
    double begin = 0;
    int code = proteins_simulation(b, &built, f, mode, 1, "langevin", PACE_DT, &s);
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "temperature", 300 * KELVIN));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "friction", 0.002 / FEMTOSECOND));
    if (!code)
        code = cli_check(b->context, myr_simulation_minimise(s, 1, b->quick ? 20 : 200, &minimum));
    if (!code)
        code = proteins_go(b, s, 10);
    const int64_t steps = b->quick ? 10 : PACE_STEPS;
    if (!code)
        begin = proteins_seconds(b);
    if (!code)
        code = proteins_go(b, s, steps);
    if (!code)
        *ns_per_day = (double)steps * PACE_DT * 1e-6 / ((proteins_seconds(b) - begin) / 86400);
    myr_simulation_destroy(&s);
    return code;
}

/* The same by GROMACS on as many threads: a stochastic integrator at 2 fs with bonds to hydrogen constrained. It needs
 * a periodic box; in one of 14 nm with a cutoff of 6.5 nm every pair counts once and no image comes near. Charges end
 * there without a reaction field, as ljc_constant has them. NaN where it is not installed. */
static double table2_gromacs(bench *b, double cutoff)
{
    const double reach = cutoff > 0 ? 0.1 * cutoff : 6.5;
    const int64_t warm = 50, steps = b->quick ? 50 : 1000, all = warm + steps;
    char folder[OTHERS_FOLDER];
    double begin = 0, end = NAN;
    if (!others_has("gmx") || !others_open(folder))
        return NAN;
    progress_begin(&b->progress, "GROMACS");
    int ok = protein_write_gromacs(PROTEIN_1280, folder, 14);
    ok =
        ok && others_write(folder, "md.mdp",
                           "integrator = sd\ndt = 0.002\nnsteps = %lld\ncutoff-scheme = Verlet\nrlist = %g\nrvdw = %g\n"
                           "rcoulomb = %g\ncoulombtype = cut-off\nepsilon-rf = 1\nvdw-modifier = none\n"
                           "constraints = h-bonds\ncontinuation = no\ntc-grps = system\ntau-t = 0.5\nref-t = 300\n"
                           "gen-vel = no\ncomm-mode = none\nnstenergy = 0\nnstlog = 0\nnstcalcenergy = 1000000\n%s",
                           (long long)all, reach, reach, reach,
                           cutoff > 0 ? "" : "verlet-buffer-tolerance = -1\nnstlist = 100\n");
    ok = ok && others_gromacs_prepare(folder) && others_gromacs(folder, b->threads, warm, &begin) &&
         others_gromacs(folder, b->threads, all, &end);
    progress_end(&b->progress);
    others_close(folder);
    return ok && end > begin ? (double)steps * PACE_DT * 1e-6 / ((end - begin) / 86400) : NAN;
}

/* The speed of the pairs alone, with the bonded ones excluded. */
static int table2_speed(bench *b, const char *kernel, double cutoff, myr_exclusion_mode mode, bench_speed *speed)
{
    myr_topology *topology = NULL;
    myr_particles *atoms = NULL;
    myr_molecule *molecule = NULL;
    myr_interaction *f = bench_interaction(b, kernel, "single", "single");
    int code = f ? protein_make(b->context, PROTEIN_1280, &topology, &atoms) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "cutoff", cutoff));
    if (!code)
        code = cli_check(b->context, myr_molecule_create(topology, f, mode, &molecule));
    if (!code)
        code = bench_time_interaction(b, f, atoms, -1, speed);
    myr_molecule_destroy(&molecule);
    myr_interaction_destroy(&f);
    myr_topology_destroy(&topology);
    myr_particles_destroy(&atoms);
    return code;
}

static int table2_row(bench *b, int k, int cut, int mode)
{
    bench_speed speed;
    double pace = NAN;
    int code = table2_speed(b, table2[k].kernel, cut ? CUTOFF : 0, mode_at(mode), &speed);
    myr_interaction *f = code ? NULL : bench_interaction(b, table2[k].kernel, "single", "single");
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "%s, excluded %s, moves", table2[k].kernel, modes[mode]);
    code = cli_check(b->context, myr_interaction_set(f, "cutoff", cut ? CUTOFF : 0));
    if (!code)
        code = table2_pace(b, f, mode_at(mode), &pace);
    progress_end(&b->progress);
    if (code)
        return code;
    tables_text(&b->tables, table2[k].kernel);
    tables_text(&b->tables, cut ? "1.2 nm" : "none");
    tables_text(&b->tables, modes[mode]);
    tables_number(&b->tables, pace);
    tables_number(&b->tables, k == 0 && mode == 0 ? table2_gromacs(b, cut ? CUTOFF : 0) : NAN);
    tables_number(&b->tables, cut ? table2[k].gromacs_cut : table2[k].gromacs_all);
    tables_number(&b->tables, cut ? NAN : table2[k].gpu);
    bench_write_speed(b, &speed);
    return CLI_OK;
}

static int proteins_table2(bench *b)
{
    static const tables_column columns[] = {{"kernel", "kernel", 15, NULL},
                                            {"cutoff", "cutoff", 8, NULL},
                                            {"exclusion", "excluded", 11, NULL},
                                            {"ns_per_day", "ns/day", 9, "%.4g"},
                                            {"gromacs", "GROMACS", 9, "%.4g"},
                                            {"paper_gromacs", "GMX 2006", 10, "%.3g"},
                                            {"paper_gpu", "GPU 2006", 10, "%.3g"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    int code = CLI_OK;
    tables_open(
        &b->tables, "001_table_2",
        "Paper 001, Table 2 in kind: 1280 atoms, Langevin dynamics, steps of 2 fs with rigid bonds to hydrogen,\n"
        "single sums. ns/day of processor time with all that a step needs, beside GROMACS on as many threads where\n"
        "it is installed (charges in vacuo; with its own lists and Newton's third law) and the paper's GROMACS\n"
        "(Pentium 4) and GPU (X1900); then the pairs alone. A cutoff is a mask here: all pairs are evaluated",
        columns);
    for (int k = 0; k < 3 && !code; k++)
        for (int cut = 0; cut < 2 && !code; cut++)
            for (int mode = 0; mode < 2 && !code; mode++)
                code = table2_row(b, k, cut, mode);
    tables_close(&b->tables);
    return code;
}

int bench_proteins(bench *b)
{
    if (b->gpu)
        return bench_proteins_gpu(b);
    const int code = proteins_system(b);
    return code ? code : proteins_table2(b);
}
