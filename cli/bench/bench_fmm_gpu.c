/* bench_fmm_gpu.c - the fast multipole method on a GPU: time by part for an error that is measured in the same run.
 * Times are the device's: particles are there, and results stay there. Host-to-host times are beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_far.h"

enum { REPEATS = 5, P10 = 11 /* the paper's p = 10: its p is the highest degree, order counts degrees */ };

#define GRAVITY "gravity_potential"
#define VORTEX "velocity_stretching"
#define TOLERANCE 1e-4
#define PI 3.14159265358979323846

static const char *const parts[] = {"tree", "lists", "p2m", "m2m", "images", "m2l", "p2l", "l2l", "l2p", "p2p"};
enum { PARTS = sizeof parts / sizeof parts[0], M2L = 5 };

/* One row: order 0 = chosen by the tolerance; set "elements": vortex elements. */
typedef struct {
    const char *set, *accumulator;
    double n;
    int order;
    double period; /* of a box that is periodic along all axes; 0 = open space */
} far_row;

static const char *kernel_of(const far_row *row)
{
    return strstr(row->set, "elements") ? VORTEX : GRAVITY;
}

typedef struct {
    myr_far_report far;
    double device, host; /* seconds of the best evaluation */
    double part[PARTS];
    double error[2]; /* of the two outputs, relative L2 norm over the sampled targets */
} far_times;

static int time_once(bench *b, myr_interaction *f, myr_particles *p, far_times *t)
{
    myr_far_report far;
    double device = 0;
    const double start = cli_seconds();
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    const double host = cli_seconds() - start;
    if (!code)
        code = cli_check(b->context, myr_interaction_far(f, &far));
    for (int k = 0; k < PARTS && !code; k++)
        device += bench_far_seconds(&far, parts[k]);
    t->host = fmin(t->host, host);
    if (code || device >= t->device)
        return code;
    t->device = device;
    t->far = far;
    for (int k = 0; k < PARTS; k++)
        t->part[k] = bench_far_seconds(&far, parts[k]);
    return code;
}

/* Errors of a row; in a box they are measured by the evaluation, on 32 targets. */
static int measure_errors(bench *b, const far_row *row, myr_particles *p, far_times *t)
{
    if (!(row->period > 0))
        return bench_far_errors(b, kernel_of(row), p, t->error);
    memcpy(t->error, t->far.error, sizeof t->error);
    return CLI_OK;
}

static int measure_row(bench *b, const far_row *row, far_times *t)
{
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, kernel_of(row), row->accumulator, "single");
    *t = (far_times){.device = INFINITY, .host = INFINITY};
    progress_begin(&b->progress, "fmm, %s, %s, %.0f particles", row->set, row->accumulator, row->n);
    int code = !f                                    ? CLI_FAILED
               : strcmp(kernel_of(row), VORTEX) == 0 ? bench_vortex_elements(b, (int64_t)row->n, &p)
               : row->period > 0                     ? bench_far_set(b, "uniform", (int64_t)row->n, &p)
                                                     : bench_far_set(b, row->set, (int64_t)row->n, &p);
    const double edges[3] = {row->period, row->period, row->period}, corner[3] = {0, 0, 0};
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "fmm"));
    if (!code && row->period > 0)
        code = cli_check(b->context, myr_interaction_set_box(f, edges, corner));
    if (!code && row->order)
        code = cli_check(b->context, myr_interaction_set(f, "order", row->order));
    if (!code) /* with a given order the tolerance is that of vortex cores */
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", TOLERANCE));
    if (!code) /* compiles the programs and measures an error; not timed */
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++)
        code = time_once(b, f, p, t);
    if (!code)
        code = measure_errors(b, row, p, t);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

/* bound: multiply-adds per second that the GPU issues. */
static int write_row(bench *b, const far_row *row, double bound)
{
    far_times t;
    const int code = measure_row(b, row, &t);
    if (code)
        return code;
    tables_text(&b->tables, row->set);
    tables_number(&b->tables, row->n);
    tables_text(&b->tables, row->accumulator);
    tables_number(&b->tables, t.far.order);
    tables_number(&b->tables, t.error[0]);
    tables_number(&b->tables, t.error[1]);
    tables_number(&b->tables, 1e3 * t.device);
    for (int k = 0; k < PARTS; k++)
        tables_number(&b->tables, 1e3 * t.part[k]);
    tables_number(&b->tables, 1e3 * t.host);
    tables_number(&b->tables, (double)t.far.near_pairs / t.part[PARTS - 1]);
    tables_number(&b->tables, (double)t.far.translations / t.part[M2L]);
    const double issue = bench_issue(myr_kernel_find(kernel_of(row)), row->accumulator, "single");
    tables_number(&b->tables, (double)t.far.near_pairs * issue / t.part[PARTS - 1] / bound);
    tables_number(&b->tables, t.far.operations / t.part[M2L] / bound);
    tables_number(&b->tables, (double)t.far.levels);
    tables_number(&b->tables, (double)t.far.bytes / row->n);
    return CLI_OK;
}

static int write_table(bench *b, const char *name, const char *title, const char *const error[2], const far_row *rows,
                       size_t count)
{
    const tables_column columns[] = {{"set", "set", 18, NULL},
                                     {"n", "N", 9, "%.0f"},
                                     {"accumulator", "sums", 7, NULL},
                                     {"order", "order", 6, "%.0f"},
                                     {error[0], "error", 9, "%.1e"},
                                     {error[1], "error", 9, "%.1e"},
                                     {"milliseconds", "ms", 9, "%.3f"},
                                     {"tree", "tree", 9, "%.3f"},
                                     {"lists", "lists", 9, "%.3f"},
                                     {"p2m", "p2m", 9, "%.3f"},
                                     {"m2m", "m2m", 9, "%.3f"},
                                     {"images", "images", 9, "%.3f"},
                                     {"m2l", "m2l", 9, "%.3f"},
                                     {"p2l", "p2l", 9, "%.3f"},
                                     {"l2l", "l2l", 9, "%.3f"},
                                     {"l2p", "l2p", 9, "%.3f"},
                                     {"p2p", "p2p", 9, "%.3f"},
                                     {"host_milliseconds", "host to host", 13, "%.1f"},
                                     {"pairs_per_s", "pairs/s", 9, "%.2e"},
                                     {"translations_per_s", "M2L/s", 9, "%.2e"},
                                     {"pairs_bound", "of bound", 9, "%.2f"},
                                     {"translations_bound", "of bound", 9, "%.2f"},
                                     {"levels", "levels", 7, "%.0f"},
                                     {"bytes", "bytes/particle", 15, "%.0f"},
                                     {0}};
    double bound = NAN;
    int code = cli_check(b->context, myr_machine_gpu_issue_rate(b->context, "single", &bound));
    tables_open(&b->tables, name, title, columns);
    for (size_t k = 0; k < count && !code; k++)
        if (rows[k].n >= (double)b->min && rows[k].n <= (double)b->max)
            code = write_row(b, &rows[k], bound);
    tables_close(&b->tables);
    return code;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

enum { STEPS = 40 };

/* Seconds of a leapfrog step of particles that stay on the GPU, by the clock on the wall; f and p are the simulation's
 * from here on. */
static int time_steps(bench *b, myr_interaction *f, myr_particles *p, double *seconds)
{
    myr_simulation *s = NULL;
    const int64_t steps = b->quick ? 2 : STEPS;
    int code = cli_check(b->context, myr_simulation_create(b->context, p, f, &s));
    if (code) {
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(s, "leapfrog"));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "dt", 1e-5));
    for (int round = 0; round < 2 && !code; round++) { /* the first steps compile and allocate */
        const int64_t end = myr_simulation_steps(s) + (round ? steps : 2);
        const double start = cli_seconds();
        while (!code && myr_simulation_steps(s) < end)
            code = cli_check(b->context, myr_simulation_advance(s, 1, 1, end - myr_simulation_steps(s)));
        *seconds = (cli_seconds() - start) / (double)steps;
    }
    myr_simulation_destroy(&s);
    return code;
}

static int write_steps(bench *b, const far_row *row)
{
    far_times t;
    double step = NAN;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    int code = measure_row(b, row, &t);
    if (code)
        return code;
    progress_begin(&b->progress, "fmm, steps, %s, %s, %.0f particles", row->set, row->accumulator, row->n);
    f = bench_interaction(b, "gravity", row->accumulator, "single");
    code = f ? bench_far_set(b, row->set, (int64_t)row->n, &p) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "fmm"));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", TOLERANCE));
    if (!code && row->order)
        code = cli_check(b->context, myr_interaction_set(f, "order", row->order));
    if (!code)
        code = time_steps(b, f, p, &step);
    else {
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    progress_end(&b->progress);
    if (code)
        return code;
    tables_text(&b->tables, row->set);
    tables_number(&b->tables, row->n);
    tables_text(&b->tables, row->accumulator);
    tables_number(&b->tables, t.far.order);
    tables_number(&b->tables, 1e3 * t.device);
    tables_number(&b->tables, 1e3 * step);
    tables_number(&b->tables, step / t.device);
    return CLI_OK;
}

static int bench_steps(bench *b)
{
    static const tables_column columns[] = {{"set", "set", 14, NULL},
                                            {"n", "N", 9, "%.0f"},
                                            {"accumulator", "sums", 7, NULL},
                                            {"order", "order", 6, "%.0f"},
                                            {"evaluation_milliseconds", "evaluation ms", 14, "%.3f"},
                                            {"step_milliseconds", "step ms", 9, "%.3f"},
                                            {"ratio", "ratio", 6, "%.2f"},
                                            {0}};
    static const far_row rows[] = {{"uniform", "single", 1e5, 7, 0},
                                   {"uniform", "single", 1e6, 7, 0},
                                   {"uniform", "fixed", 1e6, 7, 0},
                                   {"plummer", "single", 1e6, 7, 0},
                                   {"test particles", "single", 1e6, 7, 0}};
    int code = CLI_OK;
    tables_open(&b->tables, "fmm_gpu_steps",
                "Leapfrog steps of bodies that stay on the GPU, by the clock on the wall, beside an evaluation with "
                "potential by the GPU's own clock",
                columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++)
        if (rows[k].n >= (double)b->min && rows[k].n <= (double)b->max)
            code = write_steps(b, &rows[k]);
    tables_close(&b->tables);
    return code;
}

/* --- suites ------------------------------------------------------------------------------------------------------- */

int bench_fmm_gpu(bench *b)
{
    static const char *const error[2] = {"field_error", "potential_error"};
    static const far_row rows[] = {
        {"uniform", "single", 2e4, 0, 0},       {"uniform", "single", 1e5, 0, 0},
        {"uniform", "single", 1e6, 0, 0},       {"uniform", "single", 1e6, 7, 0},
        {"uniform", "fixed", 1e6, 7, 0},        {"uniform", "double", 1e6, 7, 0},
        {"plummer", "single", 1e6, 7, 0},       {"plummer", "single", 1e6, 0, 0},
        {"plummer", "fixed", 1e6, 0, 0},        {"clustered", "single", 1e6, 0, 0},
        {"periodic", "single", 1e6, 7, 1},      {"uniform", "single", 1e7, 7, 0},
        {"uniform", "fixed", 1e7, 7, 0},        {"test particles", "single", 1e6, 7, 0},
        {"test particles", "fixed", 1e6, 7, 0}, {"uniform", "single", 1e8, 7, 0},
    };
    const int code =
        write_table(b, "fmm_gpu",
                    "Acceleration and potential on a GPU, single arithmetic, milliseconds by its own clock; order "
                    "chosen for a tolerance of 1e-4, or given",
                    error, rows, sizeof rows / sizeof rows[0]);
    return code ? code : bench_steps(b);
}

int bench_vortex_gpu(bench *b)
{
    static const char *const error[2] = {"velocity_error", "stretching_error"};
    static const far_row rows[] = {
        {"elements", "single", 4096, P10, 0},        {"elements", "single", 32768, P10, 0},
        {"elements", "single", 262144, P10, 0},      {"periodic elements", "single", 262144, P10, 2 * PI},
        {"elements", "single", 2097152, P10, 0},     {"periodic elements", "single", 2097152, P10, 2 * PI},
        {"elements", "fixed", 2097152, P10, 0},      {"elements", "single", 16777216, P10, 0},
        {"elements", "fixed", 16777216, P10, 0},     {"periodic elements", "single", 16777216, P10, 2 * PI},
        {"elements", "single", 16777216, P10 - 1, 0}};
    return write_table(
        b, "vortex_gpu",
        "Velocity and stretching of random vortex elements (paper 004, section 4.2: 256^3 in 4.12 s on 64 "
        "GPUs) by fmm on a GPU, p = 10, single arithmetic, milliseconds by its own clock",
        error, rows, sizeof rows / sizeof rows[0]);
}
