/* bench_tree_gpu.c - the tree code on a GPU: time by part for a tolerance, with the error measured in the same run, and
 * sizes of groups. Times are the device's: particles are there, and results stay there; host-to-host times are beside
 * them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_far.h"

enum { REPEATS = 4, PARTS = 4, TILES = 3 };

#define KERNEL "gravity_potential"

static const char *const parts[PARTS] = {"build", "moments", "walk", "tiles"};

typedef struct {
    const char *set, *accumulator;
    double n, tolerance;
    int group; /* 0 = chosen */
} tree_row;

typedef struct {
    myr_far_report far;
    double device, host; /* seconds of the best evaluation */
    double part[PARTS], error[2];
} tree_times;

static int time_once(bench *b, myr_interaction *f, myr_particles *p, tree_times *t)
{
    myr_far_report far;
    double device = 0, part[PARTS] = {0};
    const double start = cli_seconds();
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    t->host = fmin(t->host, cli_seconds() - start);
    if (!code)
        code = cli_check(b->context, myr_interaction_far(f, &far));
    for (int k = 0; k < PARTS && !code; k++) {
        part[k] = bench_far_seconds(&far, parts[k]);
        device += part[k];
    }
    if (code || device >= t->device)
        return code;
    t->device = device;
    t->far = far;
    memcpy(t->part, part, sizeof part);
    return code;
}

static int measure_row(bench *b, const tree_row *row, tree_times *t)
{
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, KERNEL, row->accumulator, "single");
    *t = (tree_times){.device = INFINITY, .host = INFINITY};
    progress_begin(&b->progress, "tree, %s, %s, %.0f particles", row->set, row->accumulator, row->n);
    int code = f ? bench_far_set(b, row->set, (int64_t)row->n, &p) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "tree"));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", row->tolerance));
    if (!code && row->group)
        code = cli_check(b->context, myr_interaction_set(f, "group", row->group));
    if (!code) /* compiles the programs and measures an error; not timed */
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++)
        code = time_once(b, f, p, t);
    if (!code)
        code = bench_far_errors(b, KERNEL, p, t->error);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

/* bound: multiply-adds per second that the GPU issues. */
static int write_row(bench *b, const tree_row *row, double bound)
{
    tree_times t;
    const int code = measure_row(b, row, &t);
    if (code)
        return code;
    const double pairs = (double)t.far.near_pairs / t.part[TILES];
    tables_text(&b->tables, row->set);
    tables_number(&b->tables, row->n);
    tables_text(&b->tables, row->accumulator);
    tables_number(&b->tables, row->tolerance);
    tables_number(&b->tables, t.far.order);
    tables_number(&b->tables, row->group);
    tables_number(&b->tables, t.error[0]);
    tables_number(&b->tables, t.error[1]);
    tables_number(&b->tables, 1e3 * t.device);
    for (int k = 0; k < PARTS; k++)
        tables_number(&b->tables, 1e3 * t.part[k]);
    tables_number(&b->tables, 1e3 * t.host);
    tables_number(&b->tables, (double)t.far.near_pairs / row->n);
    tables_number(&b->tables, pairs);
    tables_number(&b->tables, pairs * bench_issue(myr_kernel_find(KERNEL), row->accumulator, "single") / bound);
    tables_number(&b->tables, (double)t.far.bytes / row->n);
    return CLI_OK;
}

int bench_tree_gpu(bench *b)
{
    static const tables_column columns[] = {{"set", "set", 10, NULL},
                                            {"n", "N", 9, "%.0f"},
                                            {"accumulator", "sums", 7, NULL},
                                            {"tolerance", "tolerance", 10, "%.0e"},
                                            {"order", "order", 6, "%.0f"},
                                            {"group", "group", 6, "%.0f"},
                                            {"field_error", "error", 9, "%.1e"},
                                            {"potential_error", "error", 9, "%.1e"},
                                            {"milliseconds", "ms", 9, "%.3f"},
                                            {"build", "build", 9, "%.3f"},
                                            {"moments", "moments", 9, "%.3f"},
                                            {"walk", "walk", 9, "%.3f"},
                                            {"tiles", "tiles", 9, "%.3f"},
                                            {"host_milliseconds", "host to host", 13, "%.1f"},
                                            {"pairs", "pairs/particle", 15, "%.0f"},
                                            {"pairs_per_s", "pairs/s", 9, "%.2e"},
                                            {"bound_fraction", "of bound", 9, "%.3f"},
                                            {"bytes", "bytes/particle", 15, "%.0f"},
                                            {0}};
    static const tree_row rows[] = {
        {"uniform", "single", 1e5, 1e-3, 0},   {"uniform", "single", 1e6, 1e-3, 0},
        {"uniform", "fixed", 1e6, 1e-3, 0},    {"plummer", "single", 1e6, 1e-3, 0},
        {"clustered", "single", 1e6, 1e-3, 0}, {"plummer", "single", 1e6, 1e-4, 0},
        {"plummer", "single", 1e6, 1e-5, 0},   {"plummer", "single", 1e6, 1e-3, 32},
        {"plummer", "single", 1e6, 1e-3, 128}, {"plummer", "single", 1e6, 1e-3, 256},
        {"uniform", "single", 1e7, 1e-3, 0},   {"plummer", "single", 1e7, 1e-3, 0},
    };
    double bound = NAN;
    int code = cli_check(b->context, myr_machine_gpu_issue_rate(b->context, "single", &bound));
    tables_open(
        &b->tables, "tree_gpu",
        "Acceleration and potential by the tree code on a GPU, single arithmetic, milliseconds by its own clock; "
        "group 0: chosen",
        columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++)
        if (rows[k].n <= (double)b->max)
            code = write_row(b, &rows[k], bound);
    tables_close(&b->tables);
    return code;
}
