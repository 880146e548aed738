/* bench_stars_gpu.c - many systems of stars that move together on a GPU, beside one after the other: Hermite with block
 * steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/ensemble.h>

#include "bench/bench.h"
#include "bench/instruction_count.h"

#define STARS_EPS 0.01
#define STARS_BEGIN 0.0625 /* before it programs are compiled and grids are chosen */
enum { ALONE = 3 };        /* systems that are also moved one after the other */

/* The rows: systems of so many stars, to this time. */
static const struct {
    int64_t systems, n;
    double end;
} rows[] = {{1024, 256, 0.5625}, {256, 1024, 0.1875}, {16, 4096, 0.09375}};

typedef struct {
    int64_t n, stars;
    double end;
    myr_context **context;
    myr_simulation **simulation;
} systems;

/* What steps have taken, and where they have led. */
typedef struct {
    double steps, pairs, seconds, device_seconds;
    uint64_t hash[ALONE];
} stretch;

static int make_one(myr_context *context, int64_t n, uint64_t seed, myr_simulation **s)
{
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_status status = myr_model_create(context, "plummer", n, seed, &p);
    if (!status)
        status = myr_interaction_create(context, "gravity_jerk", &f);
    if (!status)
        status = myr_interaction_choose(f, "accumulator", "fixed");
    if (!status)
        status = myr_interaction_choose(f, "backend", "cuda");
    if (!status)
        status = myr_interaction_set(f, "eps", STARS_EPS);
    if (!status)
        status = myr_simulation_create(context, p, f, s);
    if (status) {
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    if (!status)
        status = myr_simulation_choose(*s, "hermite4");
    return cli_check(context, status);
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

/* Systems whose contexts share the GPU of the bench. */
static int make_all(bench *b, systems *all)
{
    int code = CLI_OK;
    all->context = calloc((size_t)all->n, sizeof *all->context);
    all->simulation = calloc((size_t)all->n, sizeof *all->simulation);
    if (!all->context || !all->simulation)
        return cli_fail(CLI_FAILED, "no memory");
    for (int64_t k = 0; k < all->n && !code; k++) {
        code = myr_context_create(&all->context[k]) ? cli_fail(CLI_FAILED, "no memory") : CLI_OK;
        if (!code)
            code = cli_check(all->context[k], myr_context_share_gpu(all->context[k], b->context));
        if (!code)
            code = make_one(all->context[k], all->stars, (uint64_t)k + 1, &all->simulation[k]);
    }
    return code;
}

/* Adds steps and pairs so far, with a sign. */
static int count(const systems *all, int64_t k, double sign, stretch *s)
{
    myr_progress now = {0};
    const int code = cli_check(all->context[k], myr_simulation_progress(all->simulation[k], &now));
    s->steps += sign * (double)now.steps;
    s->pairs += sign * (double)now.pairs;
    return code;
}

static int look(const systems *all, int64_t k, uint64_t *hash)
{
    const myr_particles *p = NULL;
    const int code = cli_check(all->context[k], myr_simulation_particles(all->simulation[k], &p));
    return code ? code : cli_check(all->context[k], myr_particles_hash(p, "position", hash));
}

/* The first systems one after the other. */
static int move_alone(const systems *all, stretch *s)
{
    int code = CLI_OK;
    for (int64_t k = 0; k < all->n && !code; k++) {
        const double to[] = {STARS_BEGIN, all->end};
        for (int part = 0; part < 2 && !code; part++) {
            const double start = cli_seconds();
            while (!code && myr_simulation_time(all->simulation[k]) < to[part])
                code = cli_check(all->context[k],
                                 myr_simulation_advance(all->simulation[k], all->end, to[part], INT64_MAX));
            s->seconds += part == 1 ? cli_seconds() - start : 0;
            if (!code)
                code = count(all, k, part == 1 ? 1 : -1, s);
        }
        if (!code)
            code = look(all, k, &s->hash[k]);
    }
    return code;
}

static int move_together(bench *b, const systems *all, stretch *s, myr_ensemble_report *report)
{
    myr_ensemble *e = NULL;
    myr_ensemble_report before = {0};
    int code = cli_check(b->context, myr_ensemble_create(b->context, all->n, all->simulation, &e));
    if (!code)
        code = cli_check(b->context, myr_ensemble_choose(e, "cuda"));
    if (!code)
        code = cli_check(b->context, myr_ensemble_advance(e, all->end, STARS_BEGIN, INT64_MAX));
    if (!code)
        code = cli_check(b->context, myr_ensemble_describe(e, &before));
    for (int64_t k = 0; k < all->n && !code; k++)
        code = count(all, k, -1, s);
    if (!code)
        code = cli_check(b->context, myr_ensemble_advance(e, all->end, all->end, INT64_MAX));
    if (!code)
        code = cli_check(b->context, myr_ensemble_describe(e, report));
    if (!code && myr_ensemble_alive(e) < all->n)
        code = cli_fail(CLI_FAILED, "%lld of %lld systems have failed", (long long)(all->n - myr_ensemble_alive(e)),
                        (long long)all->n);
    for (int64_t k = 0; k < all->n && !code; k++)
        code = count(all, k, 1, s);
    for (int64_t k = 0; k < all->n && k < ALONE && !code; k++)
        code = look(all, k, &s->hash[k]);
    s->seconds = report->seconds - before.seconds;
    s->device_seconds = report->device_seconds - before.device_seconds;
    myr_ensemble_destroy(&e);
    return code;
}

/* Pairs per second that the issue rate allows by the instructions of the loop of such sums. */
static int find_bound(bench *b, const systems *all, double *bound)
{
    double rate = NAN;
    myr_interaction *f = myr_simulation_interaction(all->simulation[0]);
    const myr_particles *p = NULL;
    int code = cli_check(all->context[0], myr_simulation_particles(all->simulation[0], &p));
    if (!code)
        code = cli_check(b->context, myr_machine_gpu_issue_rate(b->context, "single", &rate));
    const double emitted = code ? NAN : emitted_gpu_count(f, p, all->stars, NULL);
    b->uncounted += isnan(emitted);
    *bound = rate / emitted;
    return code;
}

static void write_row(bench *b, const systems *all, const stretch *s, const stretch *alone, double bound,
                      const myr_ensemble_report *report)
{
    int same = 1;
    for (int64_t k = 0; k < all->n && k < ALONE; k++)
        same = same && s->hash[k] == alone->hash[k];
    const double device = s->device_seconds > 0 ? s->device_seconds : s->seconds;
    tables_number(&b->tables, (double)all->n);
    tables_number(&b->tables, (double)all->stars);
    tables_number(&b->tables, alone->steps / alone->seconds);
    tables_number(&b->tables, s->steps / s->seconds);
    tables_number(&b->tables, s->steps / s->seconds / (alone->steps / alone->seconds));
    tables_number(&b->tables, s->seconds);
    tables_number(&b->tables, s->device_seconds);
    tables_number(&b->tables, s->pairs / s->steps / (double)all->stars);
    tables_number(&b->tables, s->pairs / device);
    tables_number(&b->tables, s->pairs / device / bound);
    tables_text(&b->tables, same ? "yes" : "no");
    tables_number(&b->tables, report->blocks);
    tables_number(&b->tables, report->threads);
}

static int stars_row(bench *b, size_t k)
{
    const int64_t n = b->quick ? 4 : rows[k].systems;
    systems all = {.n = n, .stars = b->quick ? 32 : rows[k].n, .end = b->quick ? 0.125 : rows[k].end};
    systems few = {.n = n < ALONE ? n : ALONE, .stars = all.stars, .end = all.end};
    stretch together = {0}, alone = {0};
    myr_ensemble_report report = {0};
    double bound = NAN;
    progress_begin(&b->progress, "%lld systems of %lld stars", (long long)all.n, (long long)all.stars);
    int code = make_all(b, &few);
    if (!code)
        code = move_alone(&few, &alone);
    if (!code)
        code = make_all(b, &all);
    if (!code)
        code = move_together(b, &all, &together, &report);
    if (!code)
        code = find_bound(b, &all, &bound);
    progress_end(&b->progress);
    if (!code)
        write_row(b, &all, &together, &alone, bound, &report);
    end_all(&few);
    end_all(&all);
    return code;
}

int bench_stars_gpu(bench *b)
{
    static const tables_column columns[] = {
        {"systems", "systems", 8, "%.0f"},       {"stars", "stars", 7, "%.0f"},
        {"alone", "steps/s alone", 14, "%.3g"},  {"together", "together", 10, "%.3g"},
        {"ratio", "ratio", 8, "%.3g"},           {"seconds", "seconds", 9, "%.3g"},
        {"device_seconds", "on GPU", 8, "%.3g"}, {"active", "active", 8, "%.3g"},
        {"pairs_per_s", "pairs/s", 10, "%.3g"},  {"bound_fraction", "of bound", 9, "%.3f"},
        {"same_bits", "bits alike", 11, NULL},   {"blocks", "blocks", 7, "%.0f"},
        {"threads", "threads", 8, "%.0f"},       {0}};
    int code = CLI_OK;
    tables_open(&b->tables, "stars_gpu",
                "Plummer spheres that move together on a GPU (an ensemble), beside the first three of them one after "
                "the other there:\nHermite with block steps, fixed sums, mixed arithmetic, steps from t = 1/16 on by "
                "the clock on the wall. Active: mean number\nof stars that a step moves; the bound is that of the "
                "sums of all pairs. Wanted: a ratio of 50 for 1024 of 256 stars",
                columns);
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !code; k++)
        code = rows[k].n <= b->max ? stars_row(b, k) : CLI_OK;
    tables_close(&b->tables);
    return code;
}
