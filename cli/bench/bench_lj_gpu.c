/* bench_lj_gpu.c - Lennard-Jones particles in a box on a GPU: rates of the melt, of paper 003's section 4.5 and of the
 * Kob-Andersen mixture; where the time goes; the share of the issue rate that the loop over pairs reaches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_lj.h"
#include "bench/instruction_count.h"
#include "force_errors.h"
#include "scene.h"

enum { STRETCHES = 5, WARM = 1000, STEPS = 400, EVERY = 100 }; /* steps 1000 to 3000, energies every 100 */
enum { QUICK_CELLS = 20, QUICK_WARM = 100, QUICK_STEPS = 20, QUICK_ROWS_MAX = 1000000 };

typedef enum { MELT, MELT_SMOOTH, PAPER, KOB_ANDERSEN } gpu_system;

static const char *const system_names[] = {"melt", "melt, smooth", "003, 4.5", "Kob-Andersen"};

/* wanted, stretch: million particle-steps per second asked of an H200; 0 = none. */
static const struct {
    gpu_system system;
    int64_t cells; /* N = 4 cells^3 */
    const char *arithmetic, *accumulator;
    double wanted, stretch;
} rows[] = {
    {MELT, 25, "single", "fixed", 3100, 4200},
    {MELT, 25, "single", "single", 3900, 0},
    {MELT, 63, "single", "fixed", 4500, 5500},
    {MELT, 63, "single", "single", 6000, 0},
    {MELT, 63, "portable", "fixed", 0, 0},
    {MELT_SMOOTH, 63, "single", "fixed", 0, 0}, /* the default cut of an input */
    {MELT_SMOOTH, 63, "single", "single", 0, 0},
    {MELT, 126, "single", "fixed", 4700, 6000},
    {MELT, 126, "single", "single", 6400, 0},
    {PAPER, 50, "single", "fixed", 7000, 9000},
    {PAPER, 50, "single", "single", 9000, 0},
    {PAPER, 101, "single", "fixed", 7000, 9000},
    {PAPER, 101, "single", "single", 9000, 0},
    {KOB_ANDERSEN, 40, "single", "fixed", 3000, 4000},
    {KOB_ANDERSEN, 40, "single", "single", 0, 0},
    {MELT, 292, "single", "fixed", 4500, 0}, /* only with --max 100000000 */
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* The mixture of Kob and Andersen: four of five particles are of the first type. */
static const double mixture_epsilon[4] = {1, 1.5, 1.5, 0.5};
static const double mixture_sigma[4] = {1, 0.8, 0.8, 0.88};
static const double mixture_cutoff[4] = {2.5, 2.0, 2.0, 2.2};

/* What a row measured. */
typedef struct {
    double rate;         /* particle-steps per second, median of the stretches */
    double seconds;      /* of all stretches */
    double steps, lists; /* seconds in forces and steps, and in lists, of all stretches */
    double lifetime;     /* steps per list */
    double pairs;        /* looked at per particle and step */
    double emitted;      /* instructions per pair */
    double temperature;
    double drift; /* change of the energy per particle over all stretches */
} gpu_result;

/* --- systems ------------------------------------------------------------------------------------------------------ */

static lj_system describe(const bench *b, gpu_system kind, int64_t cells)
{
    lj_system s = lj_paper_system(b, b->quick && cells > QUICK_CELLS ? QUICK_CELLS : cells);
    s.skin = 0; /* chosen by the device */
    s.warm = b->quick ? QUICK_WARM : WARM;
    s.steps = b->given_steps ? b->given_steps : b->quick ? QUICK_STEPS : STEPS;
    if (kind == PAPER)
        return s;
    s.speed = 0;
    s.density = kind == KOB_ANDERSEN ? 1.2 : 0.8442;
    s.temperature = 1.44; /* of the crystal, which melts */
    s.dt = 0.005;
    s.cut = kind == MELT_SMOOTH ? "smooth" : "truncated";
    if (kind == KOB_ANDERSEN) {
        s.types = 2;
        s.epsilon = mixture_epsilon;
        s.sigma = mixture_sigma;
        s.cutoffs = mixture_cutoff;
    }
    return s;
}

/* One of five particles, at random, is of the second type. */
static int mix(const bench *b, lj_system *s)
{
    uint64_t state = 7;
    int32_t *type = malloc((size_t)s->n * sizeof *type);
    if (!type)
        return cli_fail(CLI_FAILED, "no memory for %lld types", (long long)s->n);
    for (int64_t i = 0; i < s->n; i++)
        type[i] = scene_random(&state) < 0.2;
    const int code = cli_check(b->context, myr_particles_set_types(s->start, type));
    free(type);
    return code;
}

/* --- measurements ------------------------------------------------------------------------------------------------- */

/* Steps with energies in between, as a run makes them. */
static int gpu_stretch(bench *b, myr_simulation *simulation, int64_t steps, myr_thermodynamics *last)
{
    int code = CLI_OK;
    for (int64_t made = 0; made < steps && !code; made += EVERY) {
        code = lj_steps(b, simulation, steps - made < EVERY ? steps - made : EVERY);
        if (!code)
            code = cli_check(b->context, myr_simulation_thermodynamics(simulation, last));
    }
    return code;
}

static int gpu_measure(bench *b, const lj_system *s, myr_simulation *simulation, gpu_result *r)
{
    double rates[STRETCHES];
    myr_thermodynamics first, last;
    myr_box_device before, after;
    int code = gpu_stretch(b, simulation, s->warm, &first);
    if (!code)
        code = cli_check(b->context, myr_simulation_box_device(simulation, &before));
    r->seconds = 0;
    for (int k = 0; k < STRETCHES && !code; k++) {
        const double start = cli_seconds();
        code = gpu_stretch(b, simulation, s->steps, &last);
        const double seconds = cli_seconds() - start;
        rates[k] = (double)s->n * (double)s->steps / seconds;
        r->seconds += seconds;
    }
    if (!code)
        code = cli_check(b->context, myr_simulation_box_device(simulation, &after));
    if (code)
        return code;
    const int64_t lists = after.lists - before.lists;
    r->rate = measure_median(rates, STRETCHES);
    r->steps = after.step_seconds - before.step_seconds;
    r->lists = after.list_seconds - before.list_seconds;
    r->lifetime = lists ? STRETCHES * (double)s->steps / (double)lists : NAN;
    r->pairs = (double)after.list_pairs / (double)s->n;
    r->temperature = last.temperature;
    r->drift = (last.conserved - first.conserved) / (double)s->n;
    return CLI_OK;
}

static int gpu_run(bench *b, const lj_system *s, int row, gpu_result *r)
{
    myr_simulation *simulation = NULL;
    progress_begin(&b->progress, "%s, %s, %s, %lld particles", system_names[rows[row].system], rows[row].arithmetic,
                   rows[row].accumulator, (long long)s->n);
    int code = lj_simulation(b, s, rows[row].arithmetic, rows[row].accumulator, &simulation);
    if (!code)
        code = gpu_measure(b, s, simulation, r);
    if (!code)
        r->emitted = emitted_box_count(simulation);
    progress_end(&b->progress);
    myr_simulation_destroy(&simulation);
    b->uncounted += !code && isnan(r->emitted);
    return code;
}

/* --- table -------------------------------------------------------------------------------------------------------- */

/* fixed: rate of the row of fixed sums in single arithmetic of the same system. */
static int gpu_write(bench *b, const lj_system *s, int row, const gpu_result *r, double fixed)
{
    double rate;
    const double wanted = b->quick ? 0 : rows[row].wanted, stretch = b->quick ? 0 : rows[row].stretch;
    const double million = 1e-6 * r->rate, steps = STRETCHES * (double)s->steps;
    const int code = cli_check(b->context, myr_machine_gpu_issue_rate(b->context, "single", &rate));
    tables_text(&b->tables, system_names[rows[row].system]);
    tables_number(&b->tables, (double)s->n);
    tables_text(&b->tables, rows[row].arithmetic);
    tables_text(&b->tables, rows[row].accumulator);
    tables_number(&b->tables, million);
    tables_number(&b->tables, wanted > 0 ? wanted : NAN);
    tables_text(&b->tables, wanted > 0 ? (million >= wanted ? "yes" : "no") : NULL);
    tables_number(&b->tables, stretch > 0 ? stretch : NAN);
    tables_number(&b->tables, r->rate / fixed);
    tables_number(&b->tables, 1e6 * (double)s->n / r->rate);
    tables_number(&b->tables, r->lifetime);
    tables_number(&b->tables, r->steps / r->seconds);
    tables_number(&b->tables, r->lists / r->seconds);
    tables_number(&b->tables, 1 - (r->steps + r->lists) / r->seconds);
    tables_number(&b->tables, r->pairs);
    tables_number(&b->tables, r->emitted);
    tables_number(&b->tables, r->emitted * r->pairs * (double)s->n * steps / (rate * r->steps));
    tables_number(&b->tables, r->temperature);
    tables_number(&b->tables, r->drift);
    return code;
}

static int gpu_row(bench *b, int row, lj_system *s, double *fixed)
{
    const int is_new =
        row == 0 || !s->start || rows[row].system != rows[row - 1].system || rows[row].cells != rows[row - 1].cells;
    gpu_result r = {0};
    int code = CLI_OK;
    if (is_new) {
        myr_particles_destroy(&s->start);
        *s = describe(b, rows[row].system, rows[row].cells);
        *fixed = NAN;
        code = lj_system_make(b, s);
        if (!code && s->types > 1)
            code = mix(b, s);
    }
    if (!code)
        code = gpu_run(b, s, row, &r);
    if (!code && is_new)
        *fixed = r.rate; /* the first row of every system */
    return code ? code : gpu_write(b, s, row, &r, *fixed);
}

int bench_lj_gpu(bench *b)
{
    static const tables_column columns[] = {{"system", "system", 13, NULL},
                                            {"n", "N", 9, "%.0f"},
                                            {"arithmetic", "arithmetic", 10, NULL},
                                            {"accumulator", "sums", 7, NULL},
                                            {"mups", "M/s", 7, "%.0f"},
                                            {"wanted", "wanted", 7, "%.0f"},
                                            {"met", "met", 4, NULL},
                                            {"stretch", "stretch", 8, "%.0f"},
                                            {"of_fixed", "of fixed", 9, "%.2f"},
                                            {"microseconds", "us/step", 9, "%.1f"},
                                            {"lifetime", "steps/list", 11, "%.1f"},
                                            {"step_share", "steps", 6, "%.2f"},
                                            {"list_share", "lists", 6, "%.2f"},
                                            {"rest_share", "rest", 6, "%.2f"},
                                            {"pairs", "pairs", 7, "%.1f"},
                                            {"instructions", "instr/pair", 11, "%.2f"},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {"temperature", "T", 8, "%.4f"},
                                            {"drift", "drift/N", 9, "%.1e"},
                                            {0}};
    lj_system s = {0};
    double fixed = NAN;
    int code = CLI_OK;
    tables_open(
        &b->tables, "lj_gpu",
        "Particles in a box on the GPU: million particle-steps per second over steps 1000 to 3000 with energies "
        "and pressure every 100,\nmedian of five stretches of 400 steps; wanted: on an H200. Shares of the time: "
        "forces and steps, lists, rest. pairs: looked at\nper particle and step. The bound is the issue rate "
        "over the instructions per pair in the machine code, for the time of forces and steps",
        columns);
    for (int k = 0; k < ROWS && !code; k++) {
        const int64_t n = 4 * rows[k].cells * rows[k].cells * rows[k].cells;
        if (n >= b->min &&
            (double)n <= 1.01 * (double)(b->quick ? QUICK_ROWS_MAX : b->max)) /* 4 cells^3 is about the round number */
            code = gpu_row(b, k, &s, &fixed);
    }
    tables_close(&b->tables);
    myr_particles_destroy(&s.start);
    return code;
}
