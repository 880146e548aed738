/* bench_lists.c - the tree code and the pseudo-particle method: errors and times by opening, order and tolerance, parts
 * of an evaluation, sizes of groups, and time against the number of particles (paper 004, Fig. 6; paper 002,
 * section 4.4). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_far.h"

enum { BIG = 100000, SMALL = 4000, LEAST = 10000 };

#define KERNEL "gravity_potential"
#define ARITHMETIC "double"

static const tables_column error_columns[] = {{"set", "set", 10, NULL},
                                              {"setting", "setting", 11, NULL},
                                              {"value", "value", 9, "%.3g"},
                                              {"order", "order", 6, "%.0f"},
                                              {"leaf", "leaf", 5, "%.0f"},
                                              {"field_error", "field err", 10, "%.1e"},
                                              {"potential_error", "pot. err", 10, "%.1e"},
                                              {"momentum_error", "momentum", 10, "%.1e"},
                                              {"seconds", "seconds", 9, "%.3f"},
                                              {"pairs", "pairs/particle", 15, "%.0f"},
                                              {"bytes", "bytes/particle", 15, "%.0f"},
                                              {0}};

static double pairs_of(const bench_far_row *row)
{
    return (double)row->far.near_pairs + row->far.operations;
}

static int error_row(bench *b, const char *method, const char *set, const bench_far_setting *setting, int64_t n)
{
    bench_far_row row;
    myr_particles *p = NULL;
    int code = bench_far_set(b, set, n, &p);
    if (!code)
        code = bench_far_measure(b, KERNEL, method, ARITHMETIC, setting, p, &row);
    myr_particles_destroy(&p);
    if (code)
        return code;
    tables_text(&b->tables, set);
    tables_text(&b->tables, setting[0].name);
    tables_number(&b->tables, setting[0].value);
    tables_number(&b->tables, row.far.order);
    tables_number(&b->tables, (double)row.far.leaf);
    tables_number(&b->tables, row.far.error[0]);
    tables_number(&b->tables, row.far.error[1]);
    tables_number(&b->tables, row.momentum);
    tables_number(&b->tables, row.seconds);
    tables_number(&b->tables, pairs_of(&row) / (double)n);
    tables_number(&b->tables, (double)row.far.bytes / (double)n);
    return CLI_OK;
}

/* Rows of one set; a row may have a second setting. */
static int error_rows(bench *b, const char *method, const char *set, const bench_far_setting (*rows)[3], int64_t n)
{
    int code = CLI_OK;
    for (int k = 0; rows[k][0].name && !code; k++)
        code = error_row(b, method, set, rows[k], n);
    return code;
}

static int error_table(bench *b, const char *method, const bench_far_setting (*rows)[3], int64_t n)
{
    static const char *const sets[] = {"plummer", "uniform", "clustered"};
    char name[32], title[160];
    int code = CLI_OK;
    snprintf(name, sizeof name, "%s_errors", method);
    snprintf(title, sizeof title, "Method %s: gravity with potential of %lld particles, %s arithmetic, %d thread%s",
             method, (long long)n, ARITHMETIC, b->threads, myr_plural(b->threads));
    tables_open(&b->tables, name, title, error_columns);
    for (size_t k = 0; k < sizeof sets / sizeof sets[0] && !code; k++)
        code = error_rows(b, method, sets[k], rows, n);
    tables_close(&b->tables);
    return code;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static int part_table(bench *b, const char *method, int64_t n)
{
    static const tables_column columns[] = {
        {"part", "part", 9, NULL},      {"seconds", "seconds", 10, "%.4f"},        {"share", "share", 7, "%.3f"},
        {"pairs", "pairs", 10, "%.3g"}, {"bound_fraction", "of bound", 9, "%.3f"}, {0}};
    const bench_far_setting settings[] = {{"tolerance", 1e-4}, {0}};
    char name[32], title[160];
    double rate = 0;
    int lanes = 1;
    bench_far_row row;
    myr_particles *p = NULL;
    int code = cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, ARITHMETIC, 0.1, &rate, &lanes));
    const double bound = rate * lanes / bench_issue(myr_kernel_find(KERNEL), "double", ARITHMETIC);
    if (!code)
        code = bench_far_set(b, "plummer", n, &p);
    if (!code)
        code = bench_far_measure(b, KERNEL, method, ARITHMETIC, settings, p, &row);
    myr_particles_destroy(&p);
    if (code)
        return code;
    snprintf(name, sizeof name, "%s_parts", method);
    snprintf(title, sizeof title, "Method %s: parts of an evaluation of %lld particles, tolerance 1e-4, order %d",
             method, (long long)n, row.far.order);
    tables_open(&b->tables, name, title, columns);
    for (int k = 0; k < BENCH_FAR_PARTS && row.far.part[k]; k++) {
        const char *part = row.far.part[k];
        const int near = strcmp(part, "tiles") == 0 || strcmp(part, "near") == 0, far = strcmp(part, "across") == 0;
        const double pairs = near ? (double)row.far.near_pairs : far ? row.far.operations : NAN;
        tables_text(&b->tables, part);
        tables_number(&b->tables, row.part[k]);
        tables_number(&b->tables, row.part[k] / row.seconds);
        tables_number(&b->tables, pairs);
        tables_number(&b->tables, pairs / bound / row.part[k]);
    }
    tables_close(&b->tables);
    return CLI_OK;
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

/* Large groups share more, and have longer lists. */
static int group_table(bench *b, int64_t n)
{
    static const tables_column columns[] = {{"group", "group", 7, "%.0f"},
                                            {"seconds", "seconds", 10, "%.4f"},
                                            {"pairs", "pairs/particle", 15, "%.0f"},
                                            {"field_error", "field err", 10, "%.1e"},
                                            {0}};
    myr_particles *p = NULL;
    int code = bench_far_set(b, "plummer", n, &p);
    tables_open(&b->tables, "tree_groups", "Method tree: targets that share a list, tolerance 1e-4", columns);
    for (int group = 16; group <= 1024 && !code; group *= 2) {
        const bench_far_setting settings[] = {{"group", group}, {"tolerance", 1e-4}, {0}};
        bench_far_row row;
        code = bench_far_measure(b, KERNEL, "tree", ARITHMETIC, settings, p, &row);
        if (code)
            break;
        tables_number(&b->tables, group);
        tables_number(&b->tables, row.seconds);
        tables_number(&b->tables, pairs_of(&row) / (double)n);
        tables_number(&b->tables, row.far.error[0]);
    }
    tables_close(&b->tables);
    myr_particles_destroy(&p);
    return code;
}

/* --- scaling ------------------------------------------------------------------------------------------------------ */

static int scaling_row(bench *b, const char *method, double size, double speed, bench_far_row *row)
{
    const bench_far_setting settings[] = {{"tolerance", 1e-3}, {0}};
    myr_particles *p = NULL;
    int code = bench_far_set(b, "uniform", (int64_t)size, &p);
    if (!code)
        code = bench_far_measure(b, KERNEL, method, "single", settings, p, row);
    myr_particles_destroy(&p);
    if (code)
        return code;
    tables_number(&b->tables, size);
    tables_number(&b->tables, row->seconds);
    tables_number(&b->tables, 1e6 * row->seconds / size);
    tables_number(&b->tables, row->far.error[0]);
    tables_number(&b->tables, size * size / speed / row->seconds);
    return CLI_OK;
}

static int scaling_table(bench *b, const char *method)
{
    static const tables_column columns[] = {{"n", "N", 10, "%.0f"},
                                            {"seconds", "seconds", 10, "%.4f"},
                                            {"per_particle", "us/particle", 12, "%.3f"},
                                            {"field_error", "field err", 10, "%.1e"},
                                            {"gain", "gain over direct", 17, "%.3g"},
                                            {"exponent", "exponent so far", 16, "%.3f"},
                                            {0}};
    static const double sizes[] = {1e3, 4e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 4e6};
    double n[16], seconds[16], speed = 0;
    char name[32], title[160];
    int count = 0, code = bench_far_direct(b, KERNEL, &speed);
    snprintf(name, sizeof name, "%s_scaling", method);
    snprintf(title, sizeof title,
             "Method %s: uniform sets, single arithmetic, tolerance 1e-3; exponent from N = 10^4 on", method);
    tables_open(&b->tables, name, title, columns);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && sizes[k] <= (double)b->max && !code; k++) {
        bench_far_row row;
        code = scaling_row(b, method, sizes[k], speed, &row);
        if (code)
            break;
        if (sizes[k] >= LEAST) {
            n[count] = sizes[k];
            seconds[count++] = row.seconds;
        }
        tables_number(&b->tables, bench_far_exponent(n, seconds, count));
    }
    tables_close(&b->tables);
    return code;
}

int bench_tree(bench *b)
{
    static const bench_far_setting rows[][3] = {{{"theta", 1}, {"order", 1}},   {{"theta", 0.7}, {"order", 1}},
                                                {{"theta", 0.5}, {"order", 1}}, {{"theta", 1}, {"order", 2}},
                                                {{"theta", 0.7}, {"order", 2}}, {{"theta", 0.5}, {"order", 2}},
                                                {{"theta", 0.3}, {"order", 2}}, {{"theta", 0.5}, {"order", 5}},
                                                {{"tolerance", 1e-2}},          {{"tolerance", 1e-3}},
                                                {{"tolerance", 1e-4}},          {{"tolerance", 1e-5}},
                                                {{"tolerance", 1e-6}},          {{0}}};
    const int64_t big = b->quick ? SMALL : BIG, n = b->max < big ? b->max : big;
    if (b->gpu)
        return bench_tree_gpu(b);
    int code = error_table(b, "tree", rows, n);
    if (!code)
        code = part_table(b, "tree", n);
    if (!code)
        code = group_table(b, n);
    return code ? code : scaling_table(b, "tree");
}

int bench_pseudo(bench *b)
{
    static const bench_far_setting rows[][3] = {{{"order", 1}}, {{"order", 2}},  {{"order", 3}}, {{"order", 4}},
                                                {{"order", 5}}, {{"order", 6}},  {{"order", 7}}, {{"order", 8}},
                                                {{"order", 9}}, {{"order", 10}}, {{0}}};
    const int64_t big = b->quick ? SMALL : BIG, n = b->max < big ? b->max : big;
    if (b->gpu)
        return bench_pseudo_gpu(b);
    int code = error_table(b, "pseudo", rows, n);
    if (!code)
        code = part_table(b, "pseudo", n);
    return code ? code : scaling_table(b, "pseudo");
}
