/* bench_kernels.c - paper 001: Table 1 (speed of the kernels), Fig. 1 (unrolling), Fig. 2 (few targets). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "scene.h"
#include "input/spacing.h"

/* Table 1 of paper 001, on an ATI X1900XTX. */
static const struct {
    const char *kernel, *label;
    int64_t n;
    int flops;
    double gpairs, gflops;
} table1[] = {
    {"gravity", "Gravity (accel)", 65536, 19, 4.97, 94.3},
    {"gravity_jerk", "Gravity (accel & jerk)", 65536, 42, 1.27, 53.5},
    {"ljc_constant", "LJC (constant)", 4096, 30, 2.59, 77.6},
    {"ljc_linear", "LJC (linear)", 4096, 30, 2.65, 79.5},
    {"ljc_sigmoidal", "LJC (sigmoidal)", 4096, 43, 2.10, 90.3},
};

enum { TABLE1 = sizeof table1 / sizeof table1[0], OTHERS_N = 16384, QUICK_N = 2048 };

int bench_particles(bench *b, myr_interaction *f, const myr_kernel_info *kernel, int64_t n, int types,
                    myr_particles **particles)
{
    const myr_kernel_info *k = kernel;
    myr_particles **p = particles;
    double length = 1;
    int code = cli_check(b->context, myr_model_create(b->context, k->pair[0] ? "lattice" : "plummer", n, 1, p));
    if (!code)
        code = cli_check(b->context, myr_model_fill(*p, k->name, types, 1));
    if (!code && k->pair[0])
        code = spacing_smallest(*p, &length);
    if (!code && k->pair[0])
        code = scene_fill_tables(b->context, f, k, types, length, 1);
    for (const myr_parameter_info *q = k->param; q->name && !code; q++)
        if (strcmp(q->name, "eps") == 0 || strcmp(q->name, "h") == 0) /* the softening */
            code = cli_check(b->context, myr_interaction_set(f, q->name, 0.1));
    return code;
}

static int kernels_row(bench *b, int row, const myr_kernel_info *k, int64_t n)
{
    bench_speed speed;
    myr_particles *p = NULL;
    myr_interaction *f = bench_interaction(b, k->name, "single", "single");
    if (!f)
        return CLI_FAILED;
    int code = bench_particles(b, f, k, n, BENCH_TYPES, &p);
    if (!code)
        code = bench_time_interaction(b, f, p, -1, &speed);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    if (code)
        return code;
    const int paper = row < TABLE1;
    const int flops = paper ? table1[row].flops : k->flops;
    tables_text(&b->tables, k->name);
    tables_text(&b->tables, paper ? table1[row].label : NULL);
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, paper ? (double)table1[row].flops : NAN);
    tables_number(&b->tables, k->flops);
    tables_number(&b->tables, paper ? table1[row].gpairs : NAN);
    tables_number(&b->tables, paper ? table1[row].gflops : NAN);
    tables_number(&b->tables, 1e-9 * speed.pairs_per_s);
    tables_number(&b->tables, 1e-9 * speed.pairs_per_s * flops);
    bench_write_speed(b, &speed);
    return CLI_OK;
}

static int kernels_in_table1(const char *name)
{
    for (int k = 0; k < TABLE1; k++)
        if (strcmp(table1[k].kernel, name) == 0)
            return 1;
    return 0;
}

static int kernels_table1(bench *b)
{
    static const tables_column columns[] = {{"kernel", "kernel", 24, NULL},
                                            {"paper_kernel", "in the paper", 22, NULL},
                                            {"n", "N", 7, "%.0f"},
                                            {"paper_flops", "flops", 7, "%.0f"},
                                            {"flops", "ours", 6, "%.0f"},
                                            {"paper_gpairs_per_s", "paper G/s", 11, "%.2f"},
                                            {"paper_gflops", "GFlop/s", 9, "%.1f"},
                                            {"gpairs_per_s", "ours G/s", 10, "%.2f"},
                                            {"gflops", "GFlop/s", 9, "%.1f"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    int failed = CLI_OK; /* one kernel that fails does not keep the others from being measured */
    tables_open(&b->tables, "001_table_1",
                "Paper 001, Table 1: pairs per second of each kernel (single sums; the paper: ATI X1900XTX), then the "
                "kernels it does not have",
                columns);
    for (int k = 0; k < TABLE1; k++) {
        const myr_kernel_info *info = myr_kernel_find(table1[k].kernel);
        if (info && kernels_row(b, k, info, b->quick ? QUICK_N : table1[k].n))
            failed = cli_fail(CLI_FAILED, "%s: not measured", table1[k].kernel);
    }
    for (int k = 0; myr_kernel(k); k++) {
        const char *name = myr_kernel(k)->name;
        const int64_t n = b->quick ? QUICK_N : b->gpu ? table1[0].n : OTHERS_N;
        if (!kernels_in_table1(name) && kernels_row(b, TABLE1, myr_kernel(k), n))
            failed = cli_fail(CLI_FAILED, "%s: not measured", name);
    }
    tables_close(&b->tables);
    return failed;
}

static int kernels_unroll_row(bench *b, int unroll)
{
    bench_speed speed = {NAN, NAN, NAN, NAN, 0};
    char label[16];
    myr_particles *p = NULL;
    const char *note = NULL;
    const myr_kernel_info *k = myr_kernel_find("gravity");
    myr_interaction *f = bench_interaction(b, "gravity", "single", "single");
    if (!f)
        return CLI_FAILED;
    int code = bench_particles(b, f, k, b->quick ? QUICK_N : OTHERS_N, BENCH_TYPES, &p);
    if (!code && unroll && (myr_interaction_tune(f, "unroll", unroll) || myr_interaction_evaluate(f, p, p)))
        note = "not compiled for this instruction set";
    if (!code && !note)
        code = bench_time_interaction(b, f, p, -1, &speed);
    if (unroll)
        speed.emitted = NAN; /* the symbol that can be read is the default loop's */
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    if (code)
        return code;
    snprintf(label, sizeof label, "%dx%d", unroll / 10, unroll % 10);
    tables_text(&b->tables, unroll ? label : "default");
    bench_write_speed(b, &speed);
    tables_text(&b->tables, note);
    return CLI_OK;
}

static int kernels_fig1(bench *b)
{
    static const tables_column columns[] = {
        {"unroll", "i x j", 10, NULL}, BENCH_SPEED_COLUMNS, {"note", "note", 10, NULL}, {0}};
    static const int variants[] = {0, 11, 12, 14, 21, 22, 24, 41, 42, 44};
    int code = CLI_OK;
    tables_open(&b->tables, "001_fig_1",
                "Paper 001, Fig. 1: gravity with i unrolled A times and j unrolled B times (A x B; the paper: 4x4 "
                "best)",
                columns);
    for (size_t k = 0; k < sizeof variants / sizeof variants[0] && !code; k++)
        code = kernels_unroll_row(b, variants[k]);
    tables_close(&b->tables);
    return code;
}

/* Speed with the sources in one piece, and split as the library chooses. */
static int kernels_split_row(bench *b, const char *kernel, int64_t n, int64_t targets, double many)
{
    bench_speed whole, split;
    myr_particles *p = NULL;
    const myr_kernel_info *k = myr_kernel_find(kernel);
    myr_interaction *f = k ? bench_interaction(b, kernel, "single", "single") : NULL;
    if (!f)
        return k ? CLI_FAILED : CLI_OK;
    int code = bench_particles(b, f, k, n, BENCH_TYPES, &p);
    if (!code)
        code = cli_check(b->context, myr_interaction_tune(f, "splits", 1));
    if (!code)
        code = bench_time_interaction(b, f, p, targets, &whole);
    if (!code)
        code = cli_check(b->context, myr_interaction_tune(f, "splits", 0));
    if (!code)
        code = bench_time_interaction(b, f, p, targets, &split);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    if (code)
        return code;
    tables_text(&b->tables, kernel);
    tables_number(&b->tables, b->threads);
    tables_number(&b->tables, (double)(targets < 0 ? n : targets));
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, whole.pairs_per_s);
    tables_number(&b->tables, split.pairs_per_s / whole.pairs_per_s);
    tables_number(&b->tables, many > 0 ? split.pairs_per_s / many : NAN);
    tables_number(&b->tables, (double)split.splits);
    bench_write_speed(b, &split);
    return CLI_OK;
}

/* Speed of a kernel where there are plenty of targets. */
static int kernels_many(bench *b, const char *kernel, double *many)
{
    bench_speed speed;
    myr_particles *p = NULL;
    const myr_kernel_info *k = myr_kernel_find(kernel);
    myr_interaction *f = k ? bench_interaction(b, kernel, "single", "single") : NULL;
    *many = 0;
    if (!f)
        return k ? CLI_FAILED : CLI_OK;
    int code = bench_particles(b, f, k, b->quick ? QUICK_N : OTHERS_N, BENCH_TYPES, &p);
    if (!code)
        code = bench_time_interaction(b, f, p, -1, &speed);
    if (!code)
        *many = speed.pairs_per_s;
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

static int kernels_fig2(bench *b)
{
    static const tables_column columns[] = {{"kernel", "kernel", 16, NULL},
                                            {"threads", "threads", 8, "%.0f"},
                                            {"targets", "targets", 9, "%.0f"},
                                            {"sources", "sources", 9, "%.0f"},
                                            {"whole_pairs_per_s", "one piece", 11, "%.3g"},
                                            {"gain", "split gain", 12, "%.2f"},
                                            {"of_many", "of large N", 12, "%.2f"},
                                            {"splits", "pieces", 8, "%.0f"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    const int threads = b->threads;
    double many;
    int code = cli_check(b->context, myr_context_set_threads(b->context, threads == 1 ? 0 : threads));
    b->threads = myr_context_threads(b->context); /* one thread has nothing to share out */
    if (!code)
        code = kernels_many(b, "ljc_sigmoidal", &many);
    if (code)
        return code;
    tables_open(&b->tables, "001_fig_2",
                "Paper 001, Fig. 2: few targets, sources in one piece and split, on all threads (the paper: LJC "
                "sigmoidal)",
                columns);
    for (int64_t n = 128; n <= (b->quick ? 512 : 4096) && !code; n *= 2)
        code = kernels_split_row(b, "ljc_sigmoidal", n, -1, many);
    if (!code)
        code = kernels_many(b, "gravity", &many);
    for (int64_t targets = 1; targets <= 1024 && !code; targets *= targets < 16 ? 4 : 2)
        code = kernels_split_row(b, "gravity", b->quick ? 4096 : 65536, targets, many);
    tables_close(&b->tables);
    b->threads = threads;
    return code;
}

int bench_kernels(bench *b)
{
    const int failed = kernels_table1(b);
    int code = b->gpu ? CLI_OK : kernels_fig1(b); /* a GPU's loops are unrolled one way */
    if (!code)
        code = kernels_fig2(b);
    return code ? code : failed;
}
