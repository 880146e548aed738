/* bench_fmm.c - the fast multipole method: time for an error, by distribution, by operator beside what bounds it,
 * against the number of particles, and where it overtakes direct sums. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_far.h"

enum { BIG = 1000000, LEAST = 10000 };

#define KERNEL "gravity_potential"

static int measure(bench *b, const char *arithmetic, double tolerance, myr_particles *p, bench_far_row *row)
{
    const bench_far_setting settings[] = {{"tolerance", tolerance}, {0}};
    return bench_far_measure(b, KERNEL, "fmm", arithmetic, settings, p, row);
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
    bench_far_row row;
    myr_particles *p = NULL;
    int code = bench_far_set(b, set, n, &p);
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
    tables_number(&b->tables, bench_far_part(&row, "p2p") / row.seconds);
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
             (long long)n, b->threads, myr_plural(b->threads), speed);
    tables_open(&b->tables, "fmm_errors", title, error_columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++)
        code = error_row(b, rows[k].set, rows[k].arithmetic, rows[k].tolerance, n, speed);
    tables_close(&b->tables);
    return code;
}

/* --- accumulators ------------------------------------------------------------------------------------------------- */

/* Near pairs beside direct sums with the same accumulator, by turns, and the whole evaluation as so many direct
 * pairs. */
static int sums_table(bench *b, int64_t n)
{
    static const tables_column columns[] = {
        {"accumulator", "accumulator", 12, NULL},        {"arithmetic", "arithmetic", 11, NULL},
        {"field_error", "field err", 10, "%.1e"},        {"seconds", "seconds", 9, "%.3f"},
        {"near_pairs", "near pairs/s", 13, "%.3g"},      {"direct_speed", "direct pairs/s", 15, "%.3g"},
        {"direct_pairs", "as direct pairs", 16, "%.2e"}, {0}};
    static const struct {
        const char *accumulator, *arithmetic;
    } rows[] = {{"single", "single"}, {"fixed", "single"}, {"fixed", "mixed"}, {"fixed", "portable"}};
    static const bench_far_setting settings[] = {{"tolerance", 1e-4}, {0}};
    int code = CLI_OK;
    tables_open(&b->tables, "fmm_sums", "Uniform set, tolerance 1e-4: the accumulators beside direct sums", columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++) {
        const char *accumulator = rows[k].accumulator, *arithmetic = rows[k].arithmetic;
        bench_far_row row;
        double speed = NAN;
        myr_particles *p = NULL;
        code = bench_far_set(b, "uniform", n, &p);
        if (!code)
            code = bench_far_direct_sums(b, KERNEL, accumulator, arithmetic, &speed);
        if (!code)
            code = bench_far_measure_sums(b, KERNEL, "fmm", accumulator, arithmetic, settings, p, &row);
        myr_particles_destroy(&p);
        if (code)
            break;
        tables_text(&b->tables, accumulator);
        tables_text(&b->tables, arithmetic);
        tables_number(&b->tables, row.far.error[0]);
        tables_number(&b->tables, row.seconds);
        tables_number(&b->tables, (double)row.far.near_pairs / bench_far_part(&row, "p2p"));
        tables_number(&b->tables, speed);
        tables_number(&b->tables, row.seconds * speed);
    }
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
        const double start = bench_far_processor();
        memcpy(to, from, BYTES);
        best = fmax(best, 2.0 * BYTES / (bench_far_processor() - start) + (double)to[k * 4096]);
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

static void operator_row(bench *b, const bench_far_row *row, const operator_bound *o)
{
    const double seconds = bench_far_part(row, o->part);
    tables_text(&b->tables, o->part);
    tables_number(&b->tables, seconds);
    tables_number(&b->tables, seconds / row->seconds);
    tables_number(&b->tables, o->work);
    tables_text(&b->tables, o->unit);
    tables_number(&b->tables, seconds > 0 ? o->work / o->limit / seconds : NAN);
}

/* Work of each part: multiply-adds of series, instructions of pairs, bytes of passes over the particles. */
static void operator_rows(bench *b, const bench_far_row *row, int64_t n, const machine *m)
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
    bench_far_row row;
    machine m = {.bytes = copy_speed()};
    myr_particles *p = NULL;
    int lanes = 1;
    int code =
        cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, "single", 0.1, &m.instructions, &lanes));
    m.instructions *= lanes;
    if (!code)
        code = bench_far_set(b, "uniform", n, &p);
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
    static const double sizes[] = {1e3,   2e3,   4e3,   1e4, 1.5e4, 2.2e4, 3.3e4, 5e4,   7.5e4, 1e5,
                                   1.5e5, 2.2e5, 3.3e5, 5e5, 7.5e5, 1e6,   1.5e6, 2.2e6, 3e6,   4e6};
    double n[32], seconds[32]; /* several per level of the tree: costs are a saw-tooth of the leaves' sizes */
    int code = CLI_OK, count = 0;
    tables_open(&b->tables, "fmm_scaling", "Uniform sets, single arithmetic, tolerance 1e-4; exponent from N = 10^4 on",
                columns);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !code; k++) {
        bench_far_row row;
        myr_particles *p = NULL;
        if (sizes[k] > (double)b->max)
            break;
        code = bench_far_set(b, "uniform", (int64_t)sizes[k], &p);
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
        tables_number(&b->tables, bench_far_part(&row, "p2p") / row.seconds);
        tables_number(&b->tables, (double)row.far.bytes / sizes[k]);
        tables_number(&b->tables, bench_far_exponent(n, seconds, count));
    }
    tables_close(&b->tables);
    return code;
}

int bench_fmm(bench *b)
{
    const int64_t n = b->max < BIG ? b->max : BIG;
    double gravity = 0, potential = 0;
    if (b->gpu)
        return bench_fmm_gpu(b);
    int code = bench_far_direct(b, "gravity", &gravity);
    if (!code)
        code = bench_far_direct(b, KERNEL, &potential);
    if (!code)
        code = error_table(b, n, gravity);
    if (!code)
        code = sums_table(b, n);
    if (!code)
        code = operator_table(b, n);
    if (!code)
        code = scaling_table(b, potential);
    return code;
}
