/* bench_vortex_gpu.c - the figures and tables of paper 004 on a GPU: direct sums of vortex elements in seconds and in
 * operations per second (Figs 2 to 4, Table 2), the fast multipole and the pseudo-particle method by N and p (Figs 5, 6
 * and 10, Table 1), and the operations of a step of 256^3 elements (Table 3). Operations are counted as there: by the
 * clock cycles of a function relative to an addition, and, second, one for each function. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_far.h"

enum { REPEATS = 3 };

#define BOTH "velocity_stretching"
#define TOLERANCE 1e-4 /* of the cores in the far field, as in bench_vortex.c */
#define STEP_CYCLES 3.08e13
#define STEP_STANDARD 2.04e13

/* Operations per pair of Tables 2 and 3; GFlops of Fig. 4 on a GeForce 8800 GT, NaN = not told. */
typedef struct {
    const char *kernel, *name;
    double cycles, standard, there_cycles, there_standard;
} pair_count;

static const pair_count counts[] = {{"biot_savart", "velocity", 70, 38, 225, 122},
                                    {"stretching", "stretching", 115, 70, 260, 158},
                                    {BOTH, "both", 133, 88, NAN, NAN}};
enum { COUNTS = sizeof counts / sizeof counts[0], PAIR_BOTH = COUNTS - 1 };

/* --- direct sums -------------------------------------------------------------------------------------------------- */

static int direct_row(bench *b, const pair_count *count, int64_t n)
{
    bench_speed speed;
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, count->kernel, "single", "single");
    int code = f ? bench_vortex_elements(b, n, &p) : CLI_FAILED;
    if (!code)
        code = bench_time_interaction(b, f, p, -1, &speed);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    if (code)
        return code;
    const double rate = 1e-9 * speed.pairs_per_s;
    tables_text(&b->tables, count->name);
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, 1e3 * (double)n * (double)n / speed.pairs_per_s);
    tables_number(&b->tables, speed.pairs_per_s);
    tables_number(&b->tables, rate * count->cycles);
    tables_number(&b->tables, rate * count->standard);
    tables_number(&b->tables, count->there_cycles);
    tables_number(&b->tables, count->there_standard);
    return CLI_OK;
}

static int direct_table(bench *b)
{
    static const tables_column columns[] = {{"sum", "sum", 11, NULL},
                                            {"n", "N", 8, "%.0f"},
                                            {"milliseconds", "ms", 9, "%.4g"},
                                            {"pairs_per_s", "pairs/s", 9, "%.2e"},
                                            {"gflops_cycles", "GFlops", 9, "%.0f"},
                                            {"gflops_standard", "standard", 9, "%.0f"},
                                            {"paper_gflops_cycles", "paper", 7, "%.0f"},
                                            {"paper_gflops_standard", "standard", 9, "%.0f"},
                                            {0}};
    static const double sizes[] = {1e3, 1e4, 1e5, 3e5};
    int code = CLI_OK;
    tables_open(
        &b->tables, "004_gpu_fig_2_3_4",
        "Paper 004, Figs 2 to 4 and Table 2 on a GPU: direct sums of vortex elements, single arithmetic, by the "
        "GPU's clock; operations by clock cycles and standard (70 and 38 for a velocity, 115 and 70 for a "
        "stretching, 133 and 88 for both); paper: the highest rate of Fig. 4, one GeForce 8800 GT",
        columns);
    for (int c = 0; c < COUNTS && !code; c++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !code; k++)
            if (sizes[k] <= (double)b->max)
                code = direct_row(b, &counts[c], (int64_t)sizes[k]);
    tables_close(&b->tables);
    return code;
}

/* --- far fields --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *method;
    double n;
    int p;
} far_row;

/* Seconds of an evaluation by the GPU's clock, and of its sums over near pairs. */
static int far_time(bench *b, const far_row *row, myr_interaction *f, myr_particles *p, double *seconds, double *near,
                    myr_far_report *far)
{
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p)); /* compiles, measures an error */
    *seconds = INFINITY;
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++) {
        double all = 0;
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
        if (!code)
            code = cli_check(b->context, myr_interaction_far(f, far));
        for (int part = 0; !code && part < (int)(sizeof far->part / sizeof far->part[0]) && far->part[part]; part++)
            all += far->seconds[part];
        if (!code && all < *seconds) {
            *seconds = all;
            *near = bench_far_seconds(far, strcmp(row->method, "fmm") == 0 ? "p2p" : "near");
        }
    }
    return code;
}

static void far_write(bench *b, const far_row *row, const myr_far_report *far, const double *error, double seconds,
                      double near)
{
    const pair_count *count = &counts[PAIR_BOTH];
    const int has_spheres = strcmp(row->method, "pseudo") == 0 && far->translations > 0;
    const double pairs = (double)far->near_pairs;
    tables_text(&b->tables, row->method);
    tables_number(&b->tables, row->n);
    tables_number(&b->tables, row->p);
    tables_number(&b->tables, has_spheres ? sqrt(far->operations / (double)far->translations) : NAN);
    tables_number(&b->tables, (double)(far->levels - 1));
    tables_number(&b->tables, error[0]);
    tables_number(&b->tables, error[1]);
    tables_number(&b->tables, 1e3 * seconds);
    tables_number(&b->tables, pairs / row->n);
    tables_number(&b->tables, pairs * count->cycles);
    tables_number(&b->tables, pairs * count->standard);
    tables_number(&b->tables, 1e-9 * pairs * count->cycles / near);
    tables_number(&b->tables, 1e-9 * pairs * count->standard / near);
}

/* The paper's p is the highest degree, one less than how many there are, which is the order of method fmm. */
static int far_measure(bench *b, const far_row *row)
{
    double seconds, near = NAN, error[2];
    myr_far_report far;
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, BOTH, "single", "single");
    progress_begin(&b->progress, "%s, p = %d, %.0f elements", row->method, row->p, row->n);
    int code = f ? bench_vortex_elements(b, (int64_t)row->n, &p) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", row->method));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "order", row->p + (strcmp(row->method, "fmm") == 0)));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", TOLERANCE));
    if (!code)
        code = far_time(b, row, f, p, &seconds, &near, &far);
    if (!code)
        code = bench_far_errors(b, BOTH, p, error);
    progress_end(&b->progress);
    if (!code)
        far_write(b, row, &far, error, seconds, near);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

static int far_table(bench *b)
{
    static const tables_column columns[] = {{"method", "method", 8, NULL},
                                            {"n", "N", 9, "%.0f"},
                                            {"p", "p", 4, "%.0f"},
                                            {"points", "points", 7, "%.0f"},
                                            {"level", "level", 6, "%.0f"},
                                            {"velocity_error", "velocity err", 13, "%.1e"},
                                            {"stretching_error", "stretching err", 15, "%.1e"},
                                            {"milliseconds", "ms", 9, "%.3f"},
                                            {"near_per_particle", "near pairs/N", 13, "%.0f"},
                                            {"operations_cycles", "operations", 11, "%.2e"},
                                            {"operations_standard", "standard", 9, "%.2e"},
                                            {"near_gflops_cycles", "near GFlops", 12, "%.0f"},
                                            {"near_gflops_standard", "standard", 9, "%.0f"},
                                            {0}};
    static const far_row rows[] = {{"fmm", 1e4, 6},      {"fmm", 1e4, 8},    {"fmm", 1e4, 10},    {"fmm", 1e5, 6},
                                   {"fmm", 1e5, 8},      {"fmm", 1e5, 10},   {"fmm", 1e6, 6},     {"fmm", 1e6, 8},
                                   {"fmm", 1e6, 10},     {"pseudo", 1e4, 6}, {"pseudo", 1e4, 8},  {"pseudo", 1e4, 10},
                                   {"pseudo", 1e5, 6},   {"pseudo", 1e5, 8}, {"pseudo", 1e5, 10}, {"pseudo", 1e6, 10},
                                   {"fmm", 16777216, 10}};
    char title[400];
    int code = CLI_OK;
    snprintf(title, sizeof title,
             "Paper 004, Figs 5, 6 and 10, Tables 1 and 3 on a GPU: velocity and stretching, single arithmetic, by the "
             "GPU's clock; p: the highest degree; points of a sphere (Table 1: 84, 144, 216 for p = 6, 8, 10); "
             "operations of near "
             "pairs (Table 3: 13824 pairs per element, %.2e and %.2e for 256^3 elements)",
             STEP_CYCLES, STEP_STANDARD);
    tables_open(&b->tables, "004_gpu_fig_5_6_10", title, columns);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !code; k++)
        if (rows[k].n <= (double)b->max)
            code = far_measure(b, &rows[k]);
    tables_close(&b->tables);
    return code;
}

int bench_vortex_paper_gpu(bench *b)
{
    const int code = direct_table(b);
    return code ? code : far_table(b);
}
