/* bench_cells_gpu.c - the tree code and the pseudo-particle method on a GPU: time by part for a tolerance, with the
 * error measured in the same run, and sizes of groups. Times are the device's: particles are there, and results stay
 * there; host-to-host times are beside them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_far.h"

enum { REPEATS = 4, PARTS = 5 };

#define KERNEL "gravity_potential"

/* A method: parts of an evaluation, and those that sum pairs of particles and of spheres. */
typedef struct {
    const char *name, *part[PARTS], *near, *far;
} cells_method;

typedef struct {
    const char *set, *accumulator;
    double n, tolerance;
    int group; /* 0 = chosen */
} cells_row;

typedef struct {
    myr_far_report far;
    double device, host; /* seconds of the best evaluation */
    double error[2];
} cells_times;

static int time_once(bench *b, const cells_method *method, myr_interaction *f, myr_particles *p, cells_times *t)
{
    myr_far_report far;
    double device = 0;
    const double start = cli_seconds();
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    t->host = fmin(t->host, cli_seconds() - start);
    if (!code)
        code = cli_check(b->context, myr_interaction_far(f, &far));
    for (int k = 0; k < PARTS && method->part[k] && !code; k++)
        device += bench_far_seconds(&far, method->part[k]);
    if (code || device >= t->device)
        return code;
    t->device = device;
    t->far = far;
    return code;
}

static int measure_row(bench *b, const cells_method *method, const cells_row *row, cells_times *t)
{
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, KERNEL, row->accumulator, "single");
    *t = (cells_times){.device = INFINITY, .host = INFINITY};
    progress_begin(&b->progress, "%s, %s, %s, %.0f particles", method->name, row->set, row->accumulator, row->n);
    int code = f ? bench_far_set(b, row->set, (int64_t)row->n, &p) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", method->name));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", row->tolerance));
    if (!code && row->group)
        code = cli_check(b->context, myr_interaction_set(f, "group", row->group));
    if (!code) /* compiles the programs and measures an error; not timed */
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++)
        code = time_once(b, method, f, p, t);
    if (!code)
        code = bench_far_errors(b, KERNEL, p, t->error);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

/* bound: multiply-adds per second that the GPU issues. */
static int write_row(bench *b, const cells_method *method, const cells_row *row, double bound)
{
    cells_times t;
    const int code = measure_row(b, method, row, &t);
    if (code)
        return code;
    const double issue = bench_issue(myr_kernel_find(KERNEL), row->accumulator, "single");
    const double near = (double)t.far.near_pairs / bench_far_seconds(&t.far, method->near);
    tables_text(&b->tables, row->set);
    tables_number(&b->tables, row->n);
    tables_text(&b->tables, row->accumulator);
    tables_number(&b->tables, row->tolerance);
    tables_number(&b->tables, t.far.order);
    tables_number(&b->tables, row->group);
    tables_number(&b->tables, t.error[0]);
    tables_number(&b->tables, t.error[1]);
    tables_number(&b->tables, 1e3 * t.device);
    for (int k = 0; k < PARTS && method->part[k]; k++)
        tables_number(&b->tables, 1e3 * bench_far_seconds(&t.far, method->part[k]));
    tables_number(&b->tables, 1e3 * t.host);
    tables_number(&b->tables, ((double)t.far.near_pairs + t.far.operations) / row->n);
    tables_number(&b->tables, near * issue / bound);
    if (method->far)
        tables_number(&b->tables, t.far.operations / bench_far_seconds(&t.far, method->far) * issue / bound);
    tables_number(&b->tables, (double)t.far.bytes / row->n);
    return CLI_OK;
}

#define FIRST_COLUMNS                                                                                                  \
    {"set", "set", 14, NULL}, {"n", "N", 9, "%.0f"}, {"accumulator", "sums", 7, NULL},                                 \
        {"tolerance", "tolerance", 10, "%.0e"}, {"order", "order", 6, "%.0f"}, {"group", "group", 6, "%.0f"},          \
        {"field_error", "error", 9, "%.1e"}, {"potential_error", "error", 9, "%.1e"},                                  \
    {                                                                                                                  \
        "milliseconds", "ms", 9, "%.3f"                                                                                \
    }

static int bench_cells(bench *b, const cells_method *method, const tables_column *columns, const cells_row *rows)
{
    char name[32], title[200];
    double bound = NAN;
    int code = cli_check(b->context, myr_machine_gpu_issue_rate(b->context, "single", &bound));
    snprintf(name, sizeof name, "%s_gpu", method->name);
    snprintf(
        title, sizeof title,
        "Acceleration and potential by method %s on a GPU, single arithmetic, milliseconds by its own clock; group "
        "0: chosen, or none",
        method->name);
    tables_open(&b->tables, name, title, columns);
    for (; rows->set && !code; rows++)
        if (rows->n <= (double)b->max)
            code = write_row(b, method, rows, bound);
    tables_close(&b->tables);
    return code;
}

int bench_tree_gpu(bench *b)
{
    static const tables_column columns[] = {FIRST_COLUMNS,
                                            {"build", "build", 9, "%.3f"},
                                            {"moments", "moments", 9, "%.3f"},
                                            {"walk", "walk", 9, "%.3f"},
                                            {"tiles", "tiles", 9, "%.3f"},
                                            {"host_milliseconds", "host to host", 13, "%.1f"},
                                            {"pairs", "pairs/particle", 15, "%.0f"},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {"bytes", "bytes/particle", 15, "%.0f"},
                                            {0}};
    static const cells_method method = {"tree", {"build", "moments", "walk", "tiles"}, "tiles", NULL};
    static const cells_row rows[] = {
        {"uniform", "single", 2e4, 1e-3, 0},
        {"uniform", "single", 1e5, 1e-3, 0},
        {"uniform", "single", 1e6, 1e-3, 0},
        {"uniform", "fixed", 1e6, 1e-3, 0},
        {"plummer", "single", 1e6, 1e-3, 0},
        {"clustered", "single", 1e6, 1e-3, 0},
        {"plummer", "single", 1e6, 1e-4, 0},
        {"plummer", "single", 1e6, 1e-5, 0},
        {"plummer", "single", 1e6, 1e-3, 32},
        {"plummer", "single", 1e6, 1e-3, 128},
        {"plummer", "single", 1e6, 1e-3, 256},
        {"uniform", "single", 1e7, 1e-3, 0},
        {"plummer", "single", 1e7, 1e-3, 0},
        {"test particles", "single", 1e6, 1e-3, 0},
        {NULL, NULL, 0, 0, 0},
    };
    return bench_cells(b, &method, columns, rows);
}

int bench_pseudo_gpu(bench *b)
{
    static const tables_column columns[] = {FIRST_COLUMNS,
                                            {"build", "build", 9, "%.3f"},
                                            {"up", "up", 9, "%.3f"},
                                            {"across", "across", 9, "%.3f"},
                                            {"down", "down", 9, "%.3f"},
                                            {"near", "near", 9, "%.3f"},
                                            {"host_milliseconds", "host to host", 13, "%.1f"},
                                            {"pairs", "pairs/particle", 15, "%.0f"},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {"across_fraction", "across", 9, "%.3f"},
                                            {"bytes", "bytes/particle", 15, "%.0f"},
                                            {0}};
    static const cells_method method = {"pseudo", {"build", "up", "across", "down", "near"}, "near", "across"};
    static const cells_row rows[] = {
        {"uniform", "single", 2e4, 1e-3, 0},
        {"uniform", "single", 1e5, 1e-3, 0},
        {"uniform", "single", 1e6, 1e-3, 0},
        {"uniform", "fixed", 1e6, 1e-3, 0},
        {"plummer", "single", 1e6, 1e-3, 0},
        {"clustered", "single", 1e6, 1e-3, 0},
        {"uniform", "single", 1e6, 1e-4, 0},
        {"test particles", "single", 1e6, 1e-3, 0},
        {NULL, NULL, 0, 0, 0},
    };
    return bench_cells(b, &method, columns, rows);
}
