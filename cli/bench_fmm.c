/* bench_fmm.c - the fast multipole method: time for an error, by distribution, by operator beside what bounds it,
 * against the number of particles, and where it overtakes direct sums. Times are processor time where one thread works,
 * so that others on the machine count less, and best of three. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { REPEATS = 3, BIG = 1000000, LEAST = 10000, PARTS = 12 };

#define KERNEL "gravity_potential"

/* One measurement. */
typedef struct {
    double seconds;     /* of an evaluation: conversion of the particles, tree, fields */
    double part[PARTS]; /* of its parts, scaled to that */
    myr_far_report far;
} fmm_row;

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_of(const bench *b)
{
    return b->threads == 1 ? processor() : cli_seconds();
}

/* Eight Plummer spheres far apart, radii over a factor of 100: densities over a factor of 10^6. */
static void make_clustered(myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    for (int c = 0; c < 3; c++) {
        double *x = myr_particles_component(p, "position", c);
        for (int64_t i = 0; i < n; i++)
            x[i] = x[i] * pow(10, -(double)(i % 8) / 3.5) + 20.0 * (double)(i >> c & 1);
    }
}

static int make_set(bench *b, const char *set, int64_t n, myr_particles **p)
{
    const char *model = strcmp(set, "clustered") == 0 ? "plummer" : set;
    const int code = cli_check(b->context, myr_model_create(b->context, model, n, 1, p));
    if (!code && strcmp(set, "clustered") == 0)
        make_clustered(*p);
    return code;
}

static int time_once(bench *b, myr_interaction *f, myr_particles *p, fmm_row *row)
{
    const double start = clock_of(b);
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    const double seconds = clock_of(b) - start;
    myr_far_report far;
    if (!code)
        code = cli_check(b->context, myr_interaction_far(f, &far));
    if (code || seconds >= row->seconds)
        return code;
    double wall = 0;
    for (int k = 0; k < PARTS && far.part[k]; k++)
        wall += far.seconds[k];
    for (int k = 0; k < PARTS; k++)
        row->part[k] = far.part[k] && wall > 0 ? far.seconds[k] / wall * seconds : 0;
    row->seconds = seconds;
    row->far = far;
    return code;
}

/* The first evaluation makes operators and measures the error; it is not timed. */
static int measure(bench *b, const char *arithmetic, double tolerance, myr_particles *p, fmm_row *row)
{
    myr_interaction *f = bench_interaction(b, KERNEL, strcmp(arithmetic, "double") ? "single" : "double", arithmetic);
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "fmm, %s, tolerance %g, %lld particles", arithmetic, tolerance,
                   (long long)myr_particles_count(p));
    *row = (fmm_row){.seconds = INFINITY};
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "fmm"));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", tolerance));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++)
        code = time_once(b, f, p, row);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    return code;
}

static double part_of(const fmm_row *row, const char *name)
{
    for (int k = 0; k < PARTS && row->far.part[k]; k++)
        if (strcmp(row->far.part[k], name) == 0)
            return row->part[k];
    return NAN;
}

/* Pairs per second of direct sums in single arithmetic, the yardstick. */
static int direct_speed(bench *b, const char *kernel, double *pairs_per_s)
{
    myr_particles *p = NULL;
    bench_speed speed = {0};
    myr_interaction *f = bench_interaction(b, kernel, "single", "single");
    int code = f ? make_set(b, "uniform", 16384, &p) : CLI_FAILED;
    if (!code)
        code = bench_time_interaction(b, f, p, -1, &speed);
    *pairs_per_s = speed.pairs_per_s;
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

/* --- errors and times --------------------------------------------------------------------------------------------- */

static const tables_column error_columns[] = {{"set", "set", 10, NULL},
                                              {"arithmetic", "arithmetic", 11, NULL},
                                              {"tolerance", "tolerance", 10, "%.0e"},
                                              {"order", "order", 6, "%.0f"},
                                              {"separation", "separation", 11, "%.0f"},
                                              {"leaf", "leaf", 5, "%.0f"},
                                              {"field_error", "field err", 10, "%.1e"},
                                              {"potential_error", "pot. err", 10, "%.1e"},
                                              {"seconds", "seconds", 9, "%.3f"},
                                              {"direct_pairs", "as direct pairs", 16, "%.2e"},
                                              {"near_share", "near", 6, "%.2f"},
                                              {"levels", "levels", 7, "%.0f"},
                                              {"bytes", "bytes/particle", 15, "%.0f"},
                                              {0}};

static int error_row(bench *b, const char *set, const char *arithmetic, double tolerance, int64_t n, double speed)
{
    fmm_row row;
    myr_particles *p = NULL;
    int code = make_set(b, set, n, &p);
    if (!code)
        code = measure(b, arithmetic, tolerance, p, &row);
    myr_particles_destroy(&p);
    if (code)
        return code;
    tables_text(&b->tables, set);
    tables_text(&b->tables, arithmetic);
    tables_number(&b->tables, tolerance);
    tables_number(&b->tables, row.far.order);
    tables_number(&b->tables, row.far.separation);
    tables_number(&b->tables, (double)row.far.leaf);
    tables_number(&b->tables, row.far.error[0]);
    tables_number(&b->tables, row.far.error[1]);
    tables_number(&b->tables, row.seconds);
    tables_number(&b->tables, row.seconds * speed);
    tables_number(&b->tables, part_of(&row, "p2p") / row.seconds);
    tables_number(&b->tables, (double)row.far.levels);
    tables_number(&b->tables, (double)row.far.bytes / (double)n);
    return CLI_OK;
}

static int error_table(bench *b, int64_t n, double speed)
{
    static const struct {
        const char *set, *arithmetic;
        double tolerance;
    } rows[] = {{"uniform", "single", 1e-3}, {"uniform", "single", 1e-4},   {"uniform", "single", 1e-5},
                {"plummer", "single", 1e-4}, {"clustered", "single", 1e-4}, {"uniform", "mixed", 1e-6},
                {"uniform", "double", 1e-6}, {"uniform", "double", 1e-9},   {"uniform", "double", 1e-12},
                {"plummer", "double", 1e-6}, {"clustered", "double", 1e-6}};
    char title[160];
    int code = CLI_OK;
    snprintf(title, sizeof title,
             "Potential and gradient of %lld particles, %d thread%s; direct pairs: gravity, single, %.3g a second",
             (long long)n, b->threads, b->threads == 1 ? "" : "s", speed);
    tables_open(&b->tables, "fmm_errors", title, error_columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++)
        code = error_row(b, rows[k].set, rows[k].arithmetic, rows[k].tolerance, n, speed);
    tables_close(&b->tables);
    return code;
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

/* What bounds the parts of an evaluation: vector instructions, or bytes that pass the memory. */
typedef struct {
    double instructions; /* per second, times lanes */
    double bytes;        /* per second */
} machine;

/* Bytes per second of a copy that is larger than the caches. */
static double copy_speed(void)
{
    enum { BYTES = 1 << 27 };
    char *from = malloc(BYTES), *to = malloc(BYTES);
    double best = 0;
    for (int k = 0; from && to && k < 4; k++) {
        memset(from, k, BYTES);
        const double start = processor();
        memcpy(to, from, BYTES);
        best = fmax(best, 2.0 * BYTES / (processor() - start) + (double)to[k * 4096]);
    }
    free(from);
    free(to);
    return best;
}

typedef struct {
    const char *part;
    double work, limit; /* in what, per second */
    const char *unit;
} operator_bound;

static void operator_row(bench *b, const fmm_row *row, const operator_bound *o)
{
    const double seconds = part_of(row, o->part);
    tables_text(&b->tables, o->part);
    tables_number(&b->tables, seconds);
    tables_number(&b->tables, seconds / row->seconds);
    tables_number(&b->tables, o->work);
    tables_text(&b->tables, o->unit);
    tables_number(&b->tables, seconds > 0 ? o->work / o->limit / seconds : NAN);
}

/* Work of each part: multiply-adds of series, instructions of pairs, bytes of passes over the particles. */
static void operator_rows(bench *b, const fmm_row *row, int64_t n, const machine *m)
{
    const double terms = (double)row->far.order * row->far.order, cells = (double)row->far.cells, count = (double)n;
    const double issue = bench_issue(myr_kernel_find(KERNEL), "single", "single");
    const operator_bound bounds[] = {
        {"tree", count * (12 + 16 + 3 * 48 + 16), m->bytes, "bytes"},
        {"lists", count * 2 * 16, m->bytes, "bytes"},
        {"p2m", count * terms * 4, m->instructions, "instructions"},
        {"m2m", cells * terms * terms, m->instructions, "multiply-adds"},
        {"m2l", row->far.operations, m->instructions, "multiply-adds"},
        {"l2l", cells * terms * terms, m->instructions, "multiply-adds"},
        {"l2p", count * terms * 7, m->instructions, "instructions"},
        {"p2p", (double)row->far.near_pairs * issue, m->instructions, "instructions"},
        {"results", count * (8 + 8 + 2 * 32), m->bytes, "bytes"},
    };
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++)
        operator_row(b, row, &bounds[k]);
}

static int operator_table(bench *b, int64_t n)
{
    static const tables_column columns[] = {{"part", "part", 9, NULL},
                                            {"seconds", "seconds", 10, "%.4f"},
                                            {"share", "share", 7, "%.3f"},
                                            {"work", "work", 10, "%.3g"},
                                            {"unit", "in", 14, NULL},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {0}};
    char title[160];
    fmm_row row;
    machine m = {.bytes = copy_speed()};
    myr_particles *p = NULL;
    int lanes = 1;
    int code =
        cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, "single", 0.1, &m.instructions, &lanes));
    m.instructions *= lanes;
    if (!code)
        code = make_set(b, "uniform", n, &p);
    if (!code)
        code = measure(b, "single", 1e-4, p, &row);
    myr_particles_destroy(&p);
    if (code)
        return code;
    snprintf(title, sizeof title, "Parts of an evaluation of %lld particles, order %d, in floats", (long long)n,
             row.far.order);
    tables_open(&b->tables, "fmm_parts", title, columns);
    operator_rows(b, &row, n, &m);
    tables_close(&b->tables);
    return CLI_OK;
}

/* --- scaling ------------------------------------------------------------------------------------------------------ */

/* Slope of log seconds against log n. */
static double fit_exponent(const double *n, const double *seconds, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        const double x = log(n[k]), y = log(seconds[k]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return count > 1 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}

static int scaling_table(bench *b, double speed)
{
    static const tables_column columns[] = {{"n", "N", 10, "%.0f"},
                                            {"seconds", "seconds", 10, "%.4f"},
                                            {"per_particle", "us/particle", 12, "%.3f"},
                                            {"field_error", "field err", 10, "%.1e"},
                                            {"direct", "direct s", 11, "%.4g"},
                                            {"gain", "gain", 9, "%.3g"},
                                            {"near_share", "near", 6, "%.2f"},
                                            {"bytes", "bytes/particle", 15, "%.0f"},
                                            {"exponent", "exponent so far", 16, "%.3f"},
                                            {0}};
    static const double sizes[] = {1e3, 2e3, 4e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 4e6};
    double n[16], seconds[16];
    int code = CLI_OK, count = 0;
    tables_open(&b->tables, "fmm_scaling", "Uniform sets, single arithmetic, tolerance 1e-4; exponent from N = 10^4 on",
                columns);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !code; k++) {
        fmm_row row;
        myr_particles *p = NULL;
        if (sizes[k] > (double)b->max)
            break;
        code = make_set(b, "uniform", (int64_t)sizes[k], &p);
        if (!code)
            code = measure(b, "single", 1e-4, p, &row);
        myr_particles_destroy(&p);
        if (code)
            break;
        if (sizes[k] >= LEAST) {
            n[count] = sizes[k];
            seconds[count++] = row.seconds;
        }
        const double direct = sizes[k] * sizes[k] / speed;
        tables_number(&b->tables, sizes[k]);
        tables_number(&b->tables, row.seconds);
        tables_number(&b->tables, 1e6 * row.seconds / sizes[k]);
        tables_number(&b->tables, row.far.error[0]);
        tables_number(&b->tables, direct);
        tables_number(&b->tables, direct / row.seconds);
        tables_number(&b->tables, part_of(&row, "p2p") / row.seconds);
        tables_number(&b->tables, (double)row.far.bytes / sizes[k]);
        tables_number(&b->tables, fit_exponent(n, seconds, count));
    }
    tables_close(&b->tables);
    return code;
}

int bench_fmm(bench *b)
{
    const int64_t n = b->max < BIG ? b->max : BIG;
    double gravity = 0, potential = 0;
    int code = direct_speed(b, "gravity", &gravity);
    if (!code)
        code = direct_speed(b, KERNEL, &potential);
    if (!code)
        code = error_table(b, n, gravity);
    if (!code)
        code = operator_table(b, n);
    if (!code)
        code = scaling_table(b, potential);
    return code;
}
