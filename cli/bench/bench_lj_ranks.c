/* bench_lj_ranks.c - paper 003, sections 4.5 and 5, on the ranks of a launcher: as many particles for each of them,
 * where their time goes (Tables II to V), the ways to exchange halos (Fig. 17), and how much steps differ (Fig. 19). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_lj.h"
#include "force_errors.h"
#include "rank_roles.h"

enum { SEGMENTS = 3, TEXT = 32 };
#define STREAM_SECONDS 0.5

/* One stretch of steps. */
typedef struct {
    double seconds, lifetime, temperature;
    myr_rank_times times;
    myr_rank_report report;
} ranks_segment;

/* --- the system --------------------------------------------------------------------------------------------------- */

/* The domains of so many ranks with the least surface between cubes, most along x. */
static void ranks_shape(int ranks, int shape[3])
{
    int least = 3 * ranks + 1;
    for (int z = 1; z <= ranks; z++)
        for (int y = z; ranks % z == 0 && y <= ranks / z; y++) {
            const int x = ranks / z / y;
            if (ranks % (z * y) != 0 || x < y || x * y + y * z + z * x >= least)
                continue;
            least = x * y + y * z + z * x;
            shape[0] = x;
            shape[1] = y;
            shape[2] = z;
        }
}

/* A face-centred cubic lattice of cells[0] x cells[1] x cells[2] cubes with 4 particles each: the rows of this rank. */
static int make_lattice(bench *b, lj_system *s, const int64_t cells[3])
{
    static const double corner[4][3] = {{0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    const double edge = cbrt(4 / s->density);
    double *x[3];
    const int me = myr_ranks_me(b->context);
    s->first = myr_ranks_first(b->context, s->n, me);
    const int64_t n = myr_ranks_first(b->context, s->n, me + 1) - s->first;
    int64_t *id = calloc((size_t)n + 1, sizeof *id);
    for (int64_t i = 0; id && i < n; i++)
        id[i] = s->first + i;
    int code =
        id ? cli_check(b->context, myr_particles_create(b->context, n, &s->start)) : cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_particles_set_ids(s->start, id));
    free(id);
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(s->start, "position", 3));
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(s->start, "velocity", 3));
    if (code)
        return code;
    for (int c = 0; c < 3; c++) {
        s->edges[c] = edge * (double)cells[c];
        x[c] = myr_particles_component(s->start, "position", c);
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = s->first + i, cube = row / 4;
        const int64_t at[3] = {cube % cells[0], cube / cells[0] % cells[1], cube / cells[0] / cells[1]};
        for (int c = 0; c < 3; c++)
            x[c][i] = edge * ((double)at[c] + corner[row % 4][c]) - 0.5 * s->edges[c];
    }
    lj_system_speeds(s);
    return CLI_OK;
}

/* About so many particles for each rank: whole cubes of the lattice in each domain. */
static int ranks_system(bench *b, lj_system *s)
{
    int shape[3] = {1, 1, 1};
    int64_t cells[3];
    const int64_t each = (int64_t)rint(cbrt((double)b->per_rank / 4));
    *s = lj_paper_system(b, each);
    s->n = 4;
    ranks_shape(myr_ranks_count(b->context), shape);
    for (int c = 0; c < 3; c++) {
        cells[c] = each * shape[c];
        s->n *= cells[c];
    }
    s->steps = b->steps;
    return make_lattice(b, s, cells);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static int ranks_segment_run(bench *b, const lj_system *s, myr_simulation *simulation, ranks_segment *segment)
{
    myr_thermodynamics before, after;
    int code = cli_check(b->context, myr_simulation_thermodynamics(simulation, &before));
    if (!code) /* counts anew */
        code = cli_check(b->context, myr_simulation_rank_times(simulation, &segment->times));
    const double start = cli_seconds();
    if (!code)
        code = lj_steps(b, simulation, s->steps);
    segment->seconds = cli_seconds() - start;
    if (!code)
        code = cli_check(b->context, myr_simulation_rank_times(simulation, &segment->times));
    if (!code)
        code = cli_check(b->context, myr_simulation_ranks(simulation, &segment->report));
    if (!code)
        code = cli_check(b->context, myr_simulation_thermodynamics(simulation, &after));
    if (code)
        return code;
    const int64_t builds = after.rebuilds - before.rebuilds;
    segment->lifetime = builds ? (double)s->steps / (double)builds : NAN;
    segment->temperature = after.temperature;
    return CLI_OK;
}

/* A few stretches of steps with a way to exchange halos, in the order of how long they took. */
static int ranks_run(bench *b, const lj_system *s, const char *arithmetic, myr_exchange exchange,
                     ranks_segment segment[SEGMENTS])
{
    myr_rank_options options = {.exchange = exchange};
    for (int k = 0; b->balance && myr_balance_name(k); k++)
        if (strcmp(b->balance, myr_balance_name(k)) == 0)
            options.balance = (myr_balance_by)k;
    myr_simulation *simulation = NULL;
    progress_begin(&b->progress, "%s, %s, %lld particles", arithmetic, myr_exchange_name((int)exchange),
                   (long long)s->n);
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = lj_simulation(b, s, arithmetic, "fixed", &simulation);
    if (!code)
        code = cli_check(b->context, myr_simulation_set_ranks(simulation, &options));
    if (!code && ranks_follows(b->context))
        code = cli_check(b->context, myr_simulation_follow(simulation));
    else if (!code)
        code = lj_steps(b, simulation, s->warm);
    for (int k = 0; k < SEGMENTS && !code && !ranks_follows(b->context); k++) {
        ranks_segment now;
        int at = k;
        code = ranks_segment_run(b, s, simulation, &now);
        for (; at > 0 && segment[at - 1].seconds > now.seconds; at--)
            segment[at] = segment[at - 1];
        segment[at] = now;
    }
    progress_end(&b->progress);
    myr_simulation_destroy(&simulation);
    return code;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Bytes that a particle reads and writes in a step, lists and halos left aside: motion 128, coordinates to those of
 * loops and forces from their sums 72 and a real of each axis six times. */
static double step_bytes(const char *arithmetic)
{
    const double real = strcmp(arithmetic, "single") == 0 ? 4 : 8;
    return 200 + 3 * 6 * real;
}

/* Bytes per second that go through the first rank while all of them change arrays as large as those of a step. */
static int stream_rate(bench *b, const lj_system *s, double *rate)
{
    const int64_t count = (int64_t)(step_bytes("double") / sizeof(double)) * s->n / myr_ranks_count(b->context);
    double *at = malloc((size_t)count * sizeof *at), passes = 0;
    for (int64_t i = 0; at && i < count; i++)
        at[i] = (double)i;
    const int code = cli_check(b->context, myr_ranks_agree(b->context, at ? MYR_OK : MYR_ERROR_MEMORY));
    const double start = cli_seconds();
    while (!code && cli_seconds() - start < STREAM_SECONDS) {
        for (int64_t i = 0; i < count; i++)
            at[i] = 0.5 * at[i] + 1;
        passes++;
    }
    *rate = 2 * passes * (double)count * sizeof *at / (cli_seconds() - start);
    free(at);
    return code;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Milliseconds of a step. */
static void ranks_cell(bench *b, const lj_system *s, double seconds)
{
    tables_number(&b->tables, 1e3 * seconds / (double)s->steps);
}

static void weak_row(bench *b, const lj_system *s, const char *arithmetic, double rate, const ranks_segment *all)
{
    const ranks_segment *middle = &all[SEGMENTS / 2];
    const myr_rank_times *t = &middle->times;
    const myr_rank_report *r = &middle->report;
    char domains[TEXT];
    snprintf(domains, sizeof domains, "%dx%dx%d", r->domains[0], r->domains[1], r->domains[2]);
    tables_number(&b->tables, t->ranks);
    tables_number(&b->tables, b->threads);
    tables_text(&b->tables, domains);
    tables_text(&b->tables, arithmetic);
    tables_number(&b->tables, (double)s->n);
    tables_number(&b->tables, 1e-6 * (double)(s->n * s->steps) / middle->seconds);
    ranks_cell(b, s, middle->seconds);
    ranks_cell(b, s, all[0].seconds);
    ranks_cell(b, s, t->force);
    ranks_cell(b, s, t->list);
    ranks_cell(b, s, t->communication);
    ranks_cell(b, s, t->idle);
    ranks_cell(b, s, t->rest);
    tables_number(&b->tables, 1e-9 * rate);
    tables_number(&b->tables, 1e3 * step_bytes(arithmetic) * (double)s->n / t->ranks / rate);
    tables_number(&b->tables, t->difference);
    tables_number(&b->tables, t->difference_most);
    tables_number(&b->tables, middle->lifetime);
    tables_number(&b->tables, (double)r->halo_most);
    for (int c = 0; c < 3; c++)
        tables_number(&b->tables, 1e-3 * (double)r->bytes[c] / 2);
    tables_number(&b->tables, r->messages);
    tables_number(&b->tables, t->meetings_kept);
    tables_number(&b->tables, t->meetings);
    tables_number(&b->tables, r->imbalance);
    tables_number(&b->tables, (double)r->migrated);
    tables_number(&b->tables, middle->temperature);
}

static int weak_table(bench *b, const lj_system *s, ranks_segment *last)
{
    static const tables_column columns[] = {{"ranks", "ranks", 5, "%.0f"},
                                            {"threads", "threads", 8, "%.0f"},
                                            {"domains", "domains", 9, NULL},
                                            {"arithmetic", "arithmetic", 11, NULL},
                                            {"n", "N", 10, "%.0f"},
                                            {"mups", "MUPS", 8, "%.2f"},
                                            {"step_ms", "ms/step", 9, "%.3f"},
                                            {"fastest_ms", "fastest", 9, "%.3f"},
                                            {"force_ms", "force", 8, "%.3f"},
                                            {"list_ms", "list", 8, "%.3f"},
                                            {"communication_ms", "comm.", 8, "%.3f"},
                                            {"idle_ms", "idle", 8, "%.3f"},
                                            {"rest_ms", "rest", 8, "%.3f"},
                                            {"stream_gb_s", "GB/s", 8, "%.1f"},
                                            {"stream_ms", "memory", 8, "%.3f"},
                                            {"t_diff", "t_diff", 8, "%.3f"},
                                            {"t_diff_most", "largest", 9, "%.2f"},
                                            {"lifetime", "steps/list", 11, "%.0f"},
                                            {"halo", "halo", 8, "%.0f"},
                                            {"kb_x", "KB x", 8, "%.1f"},
                                            {"kb_y", "KB y", 8, "%.1f"},
                                            {"kb_z", "KB z", 8, "%.1f"},
                                            {"messages", "messages", 9, "%.0f"},
                                            {"reductions", "reduct.", 8, "%.3f"},
                                            {"reductions_all", "in all", 8, "%.3f"},
                                            {"imbalance", "imbalance", 10, "%.3f"},
                                            {"migrated", "migrated", 9, "%.0f"},
                                            {"temperature", "T", 9, "%.5f"},
                                            {0}};
    static const char *const arithmetics[] = {"double", "single"};
    ranks_segment segment[2][SEGMENTS];
    double rate;
    int code = stream_rate(b, s, &rate);
    for (int k = 0; k < 2 && !code; k++)
        code = ranks_run(b, s, arithmetics[k], MYR_EXCHANGE_TOGETHER, segment[k]);
    if (code)
        return code;
    tables_open(
        &b->tables, "003_ranks",
        "Paper 003, Tables II to V in kind: milliseconds of a step after 150 steps, the middle one of three "
        "stretches of 300 steps\n(--steps), and what its parts took, means over the ranks; KB that a rank sends "
        "one way along an axis; reductions in a\nstep that kept its lists, and per step with all that there were; "
        "GB/s of memory of a rank while all use it, and\nhow long the arrays of the particles alone take at that rate",
        columns);
    for (int k = 0; k < 2 && !ranks_follows(b->context); k++)
        weak_row(b, s, arithmetics[k], rate, segment[k]);
    tables_close(&b->tables);
    *last = segment[0][SEGMENTS / 2];
    return CLI_OK;
}

/* All of them once, three times, so that a machine that is busy for a while is busy for all. */
static int exchange_table(bench *b, const lj_system *s)
{
    enum { ROUNDS = 3 };
    static const tables_column columns[] = {
        {"exchange", "exchange", 12, NULL},   {"step_ms", "ms/step", 9, "%.3f"},
        {"fastest_ms", "fastest", 9, "%.3f"}, {"communication_ms", "comm.", 9, "%.3f"},
        {"idle_ms", "idle", 9, "%.3f"},       {0}};
    ranks_segment segment[SEGMENTS] = {0};
    double step[MYR_EXCHANGES][ROUNDS], communication[MYR_EXCHANGES][ROUNDS], idle[MYR_EXCHANGES][ROUNDS];
    const int rounds = b->quick ? 1 : ROUNDS;
    int code = CLI_OK;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < MYR_EXCHANGES && !code; k++) {
            code = ranks_run(b, s, "double", (myr_exchange)k, segment);
            if (code || ranks_follows(b->context))
                continue;
            step[k][round] = segment[SEGMENTS / 2].seconds;
            communication[k][round] = segment[SEGMENTS / 2].times.communication;
            idle[k][round] = segment[SEGMENTS / 2].times.idle;
        }
    if (code || ranks_follows(b->context))
        return code;
    tables_open(&b->tables, "003_fig_17",
                "Paper 003, Fig. 17: the ways to exchange halos, double arithmetic, medians over rounds of all of them",
                columns);
    for (int k = 0; k < MYR_EXCHANGES; k++) {
        double fastest = step[k][0];
        for (int round = 1; round < rounds; round++)
            fastest = fmin(fastest, step[k][round]);
        tables_text(&b->tables, myr_exchange_name(k));
        ranks_cell(b, s, measure_median(step[k], rounds));
        ranks_cell(b, s, fastest);
        ranks_cell(b, s, measure_median(communication[k], rounds));
        ranks_cell(b, s, measure_median(idle[k], rounds));
    }
    tables_close(&b->tables);
    return CLI_OK;
}

static void difference_table(bench *b, const ranks_segment *last)
{
    enum { BIN = 10 };
    static const tables_column columns[] = {
        {"steps", "steps", 12, NULL}, {"t_diff", "t_diff", 8, "%.3f"}, {"largest", "largest", 9, "%.3f"}, {0}};
    tables_open(
        &b->tables, "003_fig_19",
        "Paper 003, Fig. 19: t_diff, the slowest rank's time for forces less the fastest's over the mean, in the "
        "last 100 steps\n(double arithmetic), ten at a time",
        columns);
    for (int first = 0; first < last->times.shown; first += BIN) {
        char steps[TEXT];
        double mean = 0, most = 0;
        const int count = last->times.shown - first < BIN ? last->times.shown - first : BIN;
        for (int k = 0; k < count; k++) {
            mean += last->times.last[first + k] / count;
            most = fmax(most, last->times.last[first + k]);
        }
        snprintf(steps, sizeof steps, "%d to %d", first + 1, first + count);
        tables_text(&b->tables, steps);
        tables_number(&b->tables, mean);
        tables_number(&b->tables, most);
    }
    tables_close(&b->tables);
}

int bench_lj_ranks(bench *b)
{
    lj_system s = {0};
    ranks_segment last = {0};
    int code = ranks_system(b, &s);
    if (!code)
        code = weak_table(b, &s, &last);
    if (!code && b->exchanges && myr_ranks_count(b->context) > 1)
        code = exchange_table(b, &s);
    if (!code && !ranks_follows(b->context))
        difference_table(b, &last);
    myr_particles_destroy(&s.start);
    return code;
}
