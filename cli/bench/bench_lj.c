/* bench_lj.c - paper 003: a Lennard-Jones fluid under the conditions of its section 4.5, beside LAMMPS and GROMACS
 * where they are installed; the melt of LAMMPS' own benchmarks; the paper's Algorithms 3 to 8; and what sorting the
 * particles is worth (Fig. 8). */
#include "bench/bench_lj.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench_lj_paper.h"
#include "force_errors.h"
#include "scene.h"

enum { ROUNDS_MAX = 3, WAYS = 5 };

/* Arithmetic and sums of the rows. */
static const struct {
    const char *arithmetic, *accumulator;
} ways[WAYS] = {
    {"double", "double"}, {"double", "fixed"}, {"single", "single"}, {"single", "fixed"}, {"portable", "fixed"}};

/* --- the system --------------------------------------------------------------------------------------------------- */

static int cut_index(const char *name)
{
    int k = 0;
    while (myr_potential_cut(k) && strcmp(myr_potential_cut(k)->name, name) != 0)
        k++;
    return k;
}

/* Velocities of one length in any direction. */
void lj_system_speeds(lj_system *s)
{
    uint64_t state = 1 + 2 * (uint64_t)s->first * SCENE_STRIDE; /* two numbers for each that comes before */
    myr_particles *p = s->start;
    const double speed = s->speed;
    double *v[3];
    for (int c = 0; c < 3; c++)
        v[c] = myr_particles_component(p, "velocity", c);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const double z = 2 * scene_random(&state) - 1, turn = 2 * acos(-1.0) * scene_random(&state);
        v[0][i] = speed * sqrt(1 - z * z) * cos(turn);
        v[1][i] = speed * sqrt(1 - z * z) * sin(turn);
        v[2][i] = speed * z;
    }
}

int lj_system_make(bench *b, lj_system *s)
{
    myr_model_spec *spec = NULL;
    s->length = cbrt((double)s->n / s->density);
    int code = cli_check(b->context, myr_model_spec_create(b->context, "fcc", &spec));
    if (!code)
        code = cli_check(b->context, myr_model_spec_set(spec, "density", s->density));
    if (!code)
        code = cli_check(b->context, myr_model_spec_set(spec, "temperature", s->speed > 0 ? 1 : s->temperature));
    if (!code)
        code = cli_check(b->context, myr_model_spec_make(spec, s->n, 1, &s->start));
    myr_model_spec_destroy(&spec);
    if (!code && s->speed > 0)
        lj_system_speeds(s);
    return code;
}

/* A copy of the fields that matter. */
static int copy_particles(bench *b, const myr_particles *from, myr_particles **to)
{
    static const char *const fields[] = {"position", "velocity"};
    const int64_t n = myr_particles_count(from);
    int code = cli_check(b->context, myr_particles_create(b->context, n, to));
    if (!code)
        code = cli_check(b->context, myr_particles_set_ids(*to, myr_particles_ids(from)));
    if (!code)
        code = cli_check(b->context, myr_particles_set_types(*to, myr_particles_types(from)));
    for (int k = 0; k < 2 && !code; k++) {
        code = cli_check(b->context, myr_particles_add_field(*to, fields[k], 3));
        for (int c = 0; c < 3 && !code; c++)
            memcpy(myr_particles_component(*to, fields[k], c), myr_particles_component_const(from, fields[k], c),
                   (size_t)n * sizeof(double));
    }
    return code;
}

/* --- our own steps ------------------------------------------------------------------------------------------------ */

/* Seconds of one core, or on the clock where several work. */
static double lj_clock(const bench *b)
{
    struct timespec t;
    clock_gettime(b->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int lj_steps(bench *b, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    int code = CLI_OK;
    while (!code && myr_simulation_steps(s) < end)
        code = cli_check(b->context, myr_simulation_advance(s, 1e9, 1e9, end - myr_simulation_steps(s)));
    return code;
}

int lj_simulation(bench *b, const lj_system *s, const char *arithmetic, const char *accumulator,
                  myr_simulation **simulation)
{
    const double one = 1;
    const int types = s->types ? s->types : 1;
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, "lennard_jones", accumulator, arithmetic);
    myr_molecular_options o = myr_molecular_defaults();
    o.cut = cut_index(s->cut);
    o.skin = s->skin;
    for (int c = 0; c < 3; c++) {
        o.box[c] = s->edges[c] > 0 ? s->edges[c] : s->length;
        o.origin[c] = -0.5 * o.box[c];
    }
    int code = f ? copy_particles(b, s->start, &p) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "neighbour"));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "cutoff", s->cutoff));
    if (!code)
        code = cli_check(b->context, myr_interaction_set_pair(f, "epsilon", types, s->types ? s->epsilon : &one));
    if (!code)
        code = cli_check(b->context, myr_interaction_set_pair(f, "sigma", types, s->types ? s->sigma : &one));
    if (!code && s->types)
        code = cli_check(b->context, myr_interaction_set_pair(f, "cutoff", types, s->cutoffs));
    if (code) {
        myr_particles_destroy(&p);
        myr_interaction_destroy(&f);
        return code;
    }
    code = cli_check(b->context, myr_simulation_create(b->context, p, f, simulation)); /* owns both */
    if (!code)
        code = cli_check(b->context, myr_simulation_set_part(*simulation, s->first, s->n));
    if (!code)
        code = cli_check(b->context, myr_simulation_choose(*simulation, "verlet"));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(*simulation, "dt", s->dt));
    if (!code)
        code = cli_check(b->context, myr_simulation_set_molecular(*simulation, &o));
    return code;
}

/* The steps of the clock, and what they went into. */
static int lj_measure(bench *b, const lj_system *s, myr_simulation *simulation, lj_time *time)
{
    myr_thermodynamics before, after;
    myr_progress first, last;
    int code = cli_check(b->context, myr_simulation_thermodynamics(simulation, &before));
    if (!code)
        code = cli_check(b->context, myr_simulation_progress(simulation, &first));
    const double start = lj_clock(b), wall = cli_seconds();
    if (!code)
        code = lj_steps(b, simulation, s->steps);
    time->seconds = lj_clock(b) - start;
    /* the parts are told by the clock on the wall: where others work here too, they are scaled like the whole */
    const double share = time->seconds / (cli_seconds() - wall);
    if (!code)
        code = cli_check(b->context, myr_simulation_progress(simulation, &last));
    if (!code)
        code = cli_check(b->context, myr_simulation_thermodynamics(simulation, &after));
    if (code)
        return code;
    b->share = fmin(b->share, share);
    time->list = share * (after.list_seconds - before.list_seconds);
    time->proof = share * (after.proof_seconds - before.proof_seconds);
    /* what the simulation counts as forces has the list in it */
    time->force = share * (last.force_seconds - first.force_seconds) - time->list - time->proof;
    const int64_t builds = after.rebuilds - before.rebuilds;
    time->lifetime = builds ? (double)s->steps / (double)builds : NAN;
    time->pairs = (double)after.list_pairs / (double)s->n;
    time->temperature = after.temperature;
    return CLI_OK;
}

int lj_time_myriad(bench *b, const lj_system *s, const char *arithmetic, const char *accumulator, lj_time *time,
                   myr_particles **after)
{
    const myr_particles *now;
    myr_simulation *simulation = NULL;
    progress_begin(&b->progress, "%s, %s, %lld particles", arithmetic, accumulator, (long long)s->n);
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = lj_simulation(b, s, arithmetic, accumulator, &simulation);
    if (!code)
        code = lj_steps(b, simulation, s->warm);
    if (!code && after)
        code = cli_check(b->context, myr_simulation_particles(simulation, &now)) || copy_particles(b, now, after);
    if (!code)
        code = lj_measure(b, s, simulation, time);
    progress_end(&b->progress);
    myr_simulation_destroy(&simulation);
    return code;
}

/* --- one system, by everybody ------------------------------------------------------------------------------------- */

enum { OTHERS = 3, ROWS = WAYS + OTHERS };

static const char *const other_names[OTHERS] = {"LAMMPS lj/cut", "LAMMPS lj/cut/opt", "GROMACS"};

/* Times of all rows in all rounds; seconds NaN = there is none. */
typedef struct {
    lj_time time[ROWS][ROUNDS_MAX];
    int rounds;
} lj_race;

/* One round: everybody once, so that a machine that is busy for a while is busy for all. */
static int race_round(bench *b, const lj_system *s, lj_race *race)
{
    const int round = race->rounds++;
    int code = CLI_OK;
    for (int k = 0; k < ROWS; k++)
        race->time[k][round] = (lj_time){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int k = 0; k < WAYS && !code; k++)
        code = lj_time_myriad(b, s, ways[k].arithmetic, ways[k].accumulator, &race->time[k][round], NULL);
    if (!code) {
        lj_time_lammps(b, s, "lj/cut", &race->time[WAYS][round]);
        lj_time_lammps(b, s, "lj/cut/opt", &race->time[WAYS + 1][round]);
        lj_time_gromacs(b, s, &race->time[WAYS + 2][round]);
    }
    return code;
}

/* The median over rounds of what a row took, or of its ratio to another. */
static double race_median(const lj_race *race, int row, int against)
{
    double value[ROUNDS_MAX] = {NAN};
    for (int k = 0; k < race->rounds; k++)
        value[k] =
            against < 0 ? race->time[row][k].seconds : race->time[against][k].seconds / race->time[row][k].seconds;
    return isnan(value[0]) ? NAN : measure_median(value, race->rounds);
}

/* The share of the speed at which the core could issue the fewest instructions of the pairs in the list, the sums of
 * the partner included, if every lane of a vector were of use. */
static int race_bound(bench *b, const lj_system *s, const lj_time *time, int way, double *fraction)
{
    double rate;
    int lanes;
    const int plain = strcmp(ways[way].accumulator, "fixed") != 0;
    const char *width = strcmp(ways[way].arithmetic, "double") == 0 ? "double" : "single";
    const int code = cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, width, 0.01, &rate, &lanes));
    /* the kernel's own count; three sums of the partner; where they are fixed, six products become integers */
    const double issue = myr_kernel_find("lennard_jones")->issue + 3 + (plain ? 0 : 3);
    *fraction = time->pairs * (double)s->n * (double)s->steps * issue / (rate * lanes * b->threads) / time->force;
    return code;
}

static int race_row(bench *b, const lj_system *s, const lj_race *race, int row)
{
    const double per = 1e9 / ((double)s->n * (double)s->steps), median = race_median(race, row, -1);
    const lj_time *t = &race->time[row][race->rounds - 1];
    double fraction = NAN;
    const int code = row < WAYS ? race_bound(b, s, t, row, &fraction) : CLI_OK;
    tables_text(&b->tables, row < WAYS ? "Myriad" : other_names[row - WAYS]);
    tables_text(&b->tables, row < WAYS ? ways[row].arithmetic : row < WAYS + 2 ? "double" : "mixed");
    tables_text(&b->tables, row < WAYS ? ways[row].accumulator : NULL);
    tables_number(&b->tables, 1e3 / (per * median));
    tables_number(&b->tables, per * median);
    tables_number(&b->tables, race_median(race, row, WAYS));
    tables_number(&b->tables, race_median(race, row, WAYS + 1));
    tables_number(&b->tables, per * t->force);
    tables_number(&b->tables, per * t->list);
    tables_number(&b->tables, per * t->proof);
    tables_number(&b->tables, per * (t->seconds - t->force - t->list - t->proof));
    tables_number(&b->tables, t->lifetime);
    tables_number(&b->tables, t->pairs);
    tables_number(&b->tables, fraction);
    tables_number(&b->tables, t->temperature);
    return code;
}

static int race_table(bench *b, lj_system *s, int rounds, const char *name, const char *title)
{
    static const tables_column columns[] = {{"code", "code", 18, NULL},
                                            {"arithmetic", "arithmetic", 10, NULL},
                                            {"accumulator", "sums", 7, NULL},
                                            {"mups", "MUPS", 7, "%.2f"},
                                            {"ns", "ns", 7, "%.1f"},
                                            {"of_lj_cut", "x lj/cut", 9, "%.2f"},
                                            {"of_lj_cut_opt", "x opt", 7, "%.2f"},
                                            {"force_ns", "force", 7, "%.1f"},
                                            {"list_ns", "list", 6, "%.1f"},
                                            {"proof_ns", "proof", 6, "%.2f"},
                                            {"rest_ns", "rest", 6, "%.1f"},
                                            {"lifetime", "steps/list", 11, "%.0f"},
                                            {"list_pairs", "pairs", 7, "%.1f"},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {"temperature", "T", 9, "%.5f"},
                                            {0}};
    lj_race *race = calloc(1, sizeof *race);
    int code = race ? lj_system_make(b, s) : cli_fail(CLI_FAILED, "no memory");
    for (int k = 0; k < (b->quick ? 1 : rounds) && !code; k++)
        code = race_round(b, s, race);
    if (!code)
        tables_open(&b->tables, name, title, columns);
    for (int row = 0; row < ROWS && !code; row++)
        if (!isnan(race->time[row][0].seconds))
            code = race_row(b, s, race, row);
    if (race && race->rounds)
        tables_close(&b->tables);
    myr_particles_destroy(&s->start);
    free(race);
    return code;
}

/* --- the paper's algorithms --------------------------------------------------------------------------------------- */

/* Section 4.5, and the number of particles that gives the box an edge of 2 `cells`. */
lj_system lj_paper_system(const bench *b, int64_t cells)
{
    return (lj_system){.n = 4 * cells * cells * cells,
                       .density = 0.5,
                       .speed = 0.9,
                       .cutoff = 2.5,
                       .skin = 0.3,
                       .dt = 0.001,
                       .cut = "smooth",
                       .warm = b->quick ? 20 : 150,
                       .steps = b->quick ? 20 : 200};
}

static lj_paper *paper_of(const lj_system *s, const myr_particles *p, int shuffled)
{
    const double *q[3], *v[3];
    for (int c = 0; c < 3; c++) {
        q[c] = myr_particles_component_const(p, "position", c);
        v[c] = myr_particles_component_const(p, "velocity", c);
    }
    return lj_paper_create(s->n, s->length, q, v, shuffled);
}

/* Times an algorithm on particles that have moved for a while. */
static int paper_time(bench *b, const lj_system *s, const myr_particles *p, int algorithm, int shuffled, int sorted,
                      int64_t steps, lj_paper_times *times, double *temperature)
{
    lj_paper *paper = paper_of(s, p, shuffled);
    progress_begin(&b->progress, "Algorithm %s, %lld particles", lj_paper_algorithm(algorithm), (long long)s->n);
    const int failed = !paper || lj_paper_run(paper, algorithm, steps, sorted, times);
    if (!failed)
        *temperature = lj_paper_temperature(paper);
    progress_end(&b->progress);
    lj_paper_destroy(&paper);
    return failed ? cli_fail(CLI_FAILED, "no memory") : CLI_OK;
}

static int paper_algorithms(bench *b)
{
    static const tables_column columns[] = {
        {"algorithm", "Algorithm", 32, NULL}, {"mups", "MUPS", 8, "%.2f"},      {"ns", "ns", 8, "%.1f"},
        {"of_first", "x first", 9, "%.2f"},   {"force_ns", "force", 8, "%.1f"}, {"list_ns", "list", 8, "%.1f"},
        {"builds", "lists", 6, "%.0f"},       {"temperature", "T", 10, "%.6f"}, {0}};
    lj_system s = lj_paper_system(b, b->quick ? 8 : 25);
    const int64_t steps = b->quick ? 20 : 50;
    myr_particles *p = NULL;
    lj_time time;
    double first = NAN;
    int code = lj_system_make(b, &s);
    if (!code)
        code = lj_time_myriad(b, &s, "double", "double", &time, &p);
    if (!code)
        tables_open(&b->tables, "003_algorithms",
                    "Paper 003, Algorithms 3 to 8: double arithmetic, plain C, one core; the system of section 4.5 "
                    "after its first steps",
                    columns);
    for (int k = 0; lj_paper_algorithm(k) && !code; k++) {
        lj_paper_times t = {0};
        double temperature = NAN;
        const double per = 1e9 / ((double)s.n * (double)steps);
        code = paper_time(b, &s, p, k, 0, 1, steps, &t, &temperature);
        if (code)
            break;
        first = k == 0 ? t.seconds : first;
        tables_text(&b->tables, lj_paper_algorithm(k));
        tables_number(&b->tables, 1e3 / (per * t.seconds));
        tables_number(&b->tables, per * t.seconds);
        tables_number(&b->tables, first / t.seconds);
        tables_number(&b->tables, per * t.force_seconds);
        tables_number(&b->tables, per * t.list_seconds);
        tables_number(&b->tables, (double)t.builds);
        tables_number(&b->tables, temperature);
    }
    if (p)
        tables_close(&b->tables);
    myr_particles_destroy(&p);
    myr_particles_destroy(&s.start);
    return code;
}

/* One size: the paper's sorted list with labels shuffled, left so and sorted, and our own steps. */
static int paper_sorting_row(bench *b, int64_t cells, double single62500[2])
{
    enum { ALGORITHM = 1 };
    lj_system s = lj_paper_system(b, cells);
    lj_time own[2] = {0};
    lj_paper_times t[2] = {0};
    double temperature = NAN;
    myr_particles *p = NULL;
    const double work = b->quick ? 1e5 : 4e6; /* particles times steps of the clock */
    const int64_t steps = (int64_t)fmax(5, fmin(200, work / (double)s.n));
    s.steps = (int64_t)fmax(b->quick ? 20 : 100, fmin(400, 5 * work / (double)s.n)); /* a list lives for 100 */
    int code = lj_system_make(b, &s);
    if (!code)
        code = lj_time_myriad(b, &s, "single", "fixed", &own[0], &p);
    if (!code)
        code = lj_time_myriad(b, &s, "double", "double", &own[1], NULL);
    for (int sorted = 0; sorted < 2 && !code; sorted++)
        code = paper_time(b, &s, p, ALGORITHM, 1, sorted, steps, &t[sorted], &temperature);
    myr_particles_destroy(&p);
    myr_particles_destroy(&s.start);
    if (code)
        return code;
    const double paper = 1e-6 * (double)s.n * (double)steps, ours = 1e-6 * (double)s.n * (double)s.steps;
    tables_number(&b->tables, (double)s.n);
    tables_number(&b->tables, paper / t[0].seconds);
    tables_number(&b->tables, paper / t[1].seconds);
    tables_number(&b->tables, t[0].seconds / t[1].seconds);
    for (int k = 0; k < 2; k++) {
        const double mups = ours / own[k].seconds;
        if (s.n == 62500)
            single62500[k] = mups;
        tables_number(&b->tables, mups);
        tables_number(&b->tables, mups / single62500[k]);
    }
    return CLI_OK;
}

static int paper_sorting(bench *b)
{
    static const int64_t cells[] = {6, 10, 16, 25, 40, 63};
    static const tables_column columns[] = {{"n", "N", 9, "%.0f"},
                                            {"unsorted", "not sorted", 12, "%.2f"},
                                            {"sorted", "sorted", 8, "%.2f"},
                                            {"gain", "gain", 7, "%.2f"},
                                            {"single_fixed", "single, fixed", 15, "%.2f"},
                                            {"single_fixed_of_62500", "of 62500", 10, "%.2f"},
                                            {"double", "double", 9, "%.2f"},
                                            {"double_of_62500", "of 62500", 10, "%.2f"},
                                            {0}};
    double single62500[2] = {NAN, NAN};
    int code = CLI_OK;
    tables_open(&b->tables, "003_fig_8",
                "Paper 003, Fig. 8: MUPS with Algorithm 4 when labels are shuffled, and when particles are sorted; and "
                "our own, which are always",
                columns);
    for (int k = 0; k < (b->quick ? 2 : 6) && !code; k++)
        code = paper_sorting_row(b, cells[k], single62500);
    tables_close(&b->tables);
    return code;
}

int bench_lj(bench *b)
{
    if (b->per_rank > 0)
        return bench_lj_ranks(b);
    if (b->gpu)
        return bench_lj_gpu(b);
    lj_system paper = lj_paper_system(b, b->quick ? 8 : 25);
    lj_system melt = {.n = b->quick ? 2048 : 32000,
                      .density = 0.8442,
                      .temperature = 1.44,
                      .cutoff = 2.5,
                      .dt = 0.005,
                      .cut = "truncated",
                      .warm = b->quick ? 10 : 100,
                      .steps = b->quick ? 10 : 200};
    int code = race_table(b, &paper, ROUNDS_MAX, "003_lj",
                          "Paper 003, section 4.5: density 0.5, cutoff 2.5, search length 2.8, dt 0.001, |v| = 0.9; "
                          "N = 62500 (2048 with --quick),\nnanoseconds per particle and step after 150 steps");
    if (!code)
        code = race_table(b, &melt, 1, "lj_melt",
                          "The melt of LAMMPS' benchmarks: density 0.8442, T = 1.44, cutoff 2.5, dt 0.005; N = 32000 "
                          "(2048 with --quick); every code\nwith its own choice of the skin, LAMMPS 0.3");
    if (!code)
        code = paper_algorithms(b);
    return code ? code : paper_sorting(b);
}
