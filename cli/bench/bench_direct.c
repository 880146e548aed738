/* bench_direct.c - paper 002: Table 2 (largest error over all targets), Table 3 (speed host to host through force()),
 * and one core at N = 16384. */
#include <cunbody.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/instruction_count.h"
#include "force_errors.h"

/* Tables 2 and 3 of paper 002: GeForce 8800 GTX. */
static const struct {
    int64_t n;
    double direct, chamomile, seconds, gflops;
} paper[] = {
    {2048, 2.2e-6, 5.4e-7, 9.21e-4, 173},  {4096, 3.0e-6, 3.3e-7, 2.99e-3, 213}, {8192, 5.4e-6, 5.0e-7, 1.08e-2, 235},
    {16384, 7.0e-6, 4.3e-7, 4.14e-2, 246}, {32768, 1.2e-5, 6.8e-7, 0.162, 251},  {65536, 1.4e-5, 1.0e-6, 0.642, 254},
    {131072, 2.2e-5, 1.5e-6, 2.548, 256},
};

enum { PAPER = sizeof paper / sizeof paper[0], QUICK_ROWS = 2, FLOPS = 38 };
#define EPS2 0.01

/* Largest error of one way to sum, over all N targets. One sequential sum per target: the sources are not split. */
static int direct_error(bench *b, myr_particles *p, const char *accumulator, const double *reference, double *error)
{
    myr_interaction *f = bench_interaction(b, "gravity", accumulator, "single");
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "%s, %lld particles", accumulator, (long long)myr_particles_count(p));
    int code = cli_check(b->context, myr_interaction_set(f, "eps", sqrt(EPS2)));
    if (!code)
        code = cli_check(b->context, myr_interaction_tune(f, "splits", 1));
    if (!code)
        code = cli_check(b->context, myr_context_set_threads(b->context, 0));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    if (!code)
        *error = measure_max_error(p, "acceleration", reference);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    return code;
}

static int direct_table2_row(bench *b, int row)
{
    static const char *const ways[] = {"single", "chamomile", "fixed"};
    double error[3] = {0}, *reference = calloc((size_t)paper[row].n, 3 * sizeof *reference);
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    int code = reference ? CLI_OK : cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_model_create(b->context, "plummer", paper[row].n, 1, &p));
    if (!code && !(f = bench_interaction(b, "gravity", "double", "double")))
        code = CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "eps", sqrt(EPS2)));
    if (!code)
        code = bench_reference(b, f, p, "acceleration", reference);
    for (int k = 0; k < 3 && !code; k++)
        code = direct_error(b, p, ways[k], reference, &error[k]);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    free(reference);
    if (code)
        return code;
    tables_number(&b->tables, (double)paper[row].n);
    tables_number(&b->tables, paper[row].direct);
    tables_number(&b->tables, error[0]);
    tables_number(&b->tables, paper[row].chamomile);
    tables_number(&b->tables, error[1]);
    tables_number(&b->tables, error[2]);
    return CLI_OK;
}

static int direct_table2(bench *b)
{
    static const tables_column columns[] = {{"n", "N", 8, "%.0f"},
                                            {"paper_direct", "paper, DIRECT", 15, "%.1e"},
                                            {"single", "single", 10, "%.1e"},
                                            {"paper_chamomile", "paper, Chamomile", 18, "%.1e"},
                                            {"chamomile", "chamomile", 11, "%.1e"},
                                            {"fixed", "fixed", 10, "%.1e"},
                                            {0}};
    int code = CLI_OK;
    tables_open(&b->tables, "002_table_2",
                "Paper 002, Table 2: largest error over all N targets against double arithmetic; Plummer sphere, "
                "eps^2 = 0.01,\nfloat positions; one sequential float sum against a sum folded per bag",
                columns);
    for (int k = 0; k < (b->quick ? QUICK_ROWS : PAPER) && !code; k++)
        code = direct_table2_row(b, k);
    tables_close(&b->tables);
    return code;
}

/* The arrays of paper 002, Fig. 10. */
typedef struct {
    int n;
    double (*x)[3], *m, (*a)[3];
} direct_host;

static int direct_force(void *user, double *seconds, int64_t *pairs)
{
    direct_host *h = user;
    const double start = cli_seconds();
    force(h->x, h->m, h->x, EPS2, h->a, h->n, h->n);
    *seconds = cli_seconds() - start;
    *pairs = (int64_t)h->n * h->n;
    return isnan(h->a[0][0]) ? cli_fail(CLI_FAILED, "force(): %s", cunbody_message()) : CLI_OK;
}

static int direct_table3_row(bench *b, int row)
{
    const int64_t n = paper[row].n;
    bench_speed speed;
    direct_host h = {.n = (int)n};
    myr_particles *p = NULL;
    h.x = calloc((size_t)n, sizeof *h.x);
    h.a = calloc((size_t)n, sizeof *h.a);
    h.m = calloc((size_t)n, sizeof *h.m);
    int code = h.x && h.a && h.m ? CLI_OK : cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_model_create(b->context, "plummer", n, 1, &p));
    if (!code)
        code = cli_check(b->context, myr_particles_get(p, "position", h.x[0]));
    if (!code)
        code = cli_check(b->context, myr_particles_get(p, "mass", h.m));
    progress_begin(&b->progress, "force(), %lld particles", (long long)n);
    if (!code)
        code = bench_time(b, direct_force, &h, "single",
                          b->gpu ? NAN : bench_issue(myr_kernel_find("gravity"), "chamomile", "single"), &speed);
    progress_end(&b->progress);
    if (!code && !b->gpu)
        speed.emitted = instruction_count_of_loop(b->context, "gravity", "chamomile", "single", b->isa, NULL);
    myr_particles_destroy(&p);
    free(h.x);
    free(h.a);
    free(h.m);
    if (code)
        return code;
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, paper[row].seconds);
    tables_number(&b->tables, paper[row].gflops);
    tables_number(&b->tables, (double)n * (double)n / speed.pairs_per_s);
    tables_number(&b->tables, 1e-9 * FLOPS * speed.pairs_per_s);
    bench_write_speed(b, &speed);
    return CLI_OK;
}

/* force() takes no instruction set: the bound is that of the one it runs on. */
static int direct_auto(bench *b)
{
    myr_interaction *f = NULL;
    const int code = cli_check(b->context, myr_interaction_create(b->context, "gravity", &f));
    if (!code)
        b->isa = myr_interaction_choice(f, "isa");
    myr_interaction_destroy(&f);
    return code;
}

static int direct_table3(bench *b)
{
    static const tables_column columns[] = {{"n", "N", 8, "%.0f"},
                                            {"paper_seconds", "paper, s", 11, "%.3g"},
                                            {"paper_gflops", "GFlop/s", 9, "%.0f"},
                                            {"seconds", "ours, s", 11, "%.3g"},
                                            {"gflops", "GFlop/s", 9, "%.0f"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    const char *isa = b->isa;
    int code = b->gpu ? CLI_OK : direct_auto(b);
    if (code)
        return code;
    cunbody_threads(b->threads);
    tables_open(&b->tables, "002_table_3",
                "Paper 002, Table 3: speed host to host through force(), 38 flops per pair (the paper: GeForce 8800 "
                "GTX)",
                columns);
    for (int k = 0; k < (b->quick ? QUICK_ROWS : PAPER) && !code; k++)
        code = direct_table3_row(b, k);
    tables_close(&b->tables);
    b->isa = isa;
    return code;
}

static const struct {
    const char *backend, *accumulator, *arithmetic;
} cores[] = {
    {"simd", "single", "single"}, {"simd", "chamomile", "single"}, {"simd", "fixed", "single"},
    {"simd", "fixed", "mixed"},   {"simd", "fixed", "portable"},   {"simd", "double", "single"},
    {"simd", "double", "double"}, {"simd", "fixed", "double"},     {"ref", "single", "single"},
    {"ref", "fixed", "single"},
};

static int direct_core_row(bench *b, int row, myr_particles *p, double *single)
{
    bench_speed speed;
    const int is_ref = strcmp(cores[row].backend, "ref") == 0;
    const char *isa = b->isa;
    myr_interaction *f = NULL;
    int code = cli_check(b->context, myr_interaction_create(b->context, "gravity", &f));
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "accumulator", cores[row].accumulator));
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "arithmetic", cores[row].arithmetic));
    if (!code)
        code = cli_check(b->context, is_ref ? myr_interaction_choose(f, "backend", "ref") : bench_place(b, f));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "eps", sqrt(EPS2)));
    if (!code) {
        b->isa = b->gpu ? isa : myr_interaction_choice(f, "isa");
        code = bench_time_interaction(b, f, p, -1, &speed);
    }
    if (!code) {
        if (row == 0)
            *single = speed.pairs_per_s;
        tables_text(&b->tables, myr_interaction_choice(f, "backend"));
        tables_text(&b->tables, myr_interaction_choice(f, "isa"));
        tables_text(&b->tables, cores[row].accumulator);
        tables_text(&b->tables, cores[row].arithmetic);
        tables_number(&b->tables, speed.pairs_per_s / *single);
        if (is_ref)
            speed.bound_fraction = speed.issue = NAN; /* no vectors: not what the bound is about */
        bench_write_speed(b, &speed);
    }
    b->isa = isa;
    myr_interaction_destroy(&f);
    return code;
}

static int direct_cores(bench *b)
{
    static const tables_column columns[] = {{"backend", "backend", 8, NULL},
                                            {"isa", "isa", 11, NULL},
                                            {"accumulator", "accumulator", 13, NULL},
                                            {"arithmetic", "arithmetic", 10, NULL},
                                            {"of_single", "of first", 10, "%.3f"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    double single = 1;
    myr_particles *p = NULL;
    const int64_t n = b->quick ? 2048 : b->gpu ? 131072 : 16384;
    int code = cli_check(b->context, myr_model_create(b->context, "plummer", n, 1, &p));
    if (!code) {
        tables_open(&b->tables, b->gpu ? "gravity_131072" : "gravity_16384",
                    b->gpu ? "Gravity, Plummer sphere, N = 131072 (2048 with --quick)"
                           : "Gravity, Plummer sphere, N = 16384 (2048 with --quick)",
                    columns);
        for (size_t k = 0; k < sizeof cores / sizeof cores[0] && !code; k++)
            if (!b->gpu || strcmp(cores[k].backend, "ref") != 0)
                code = direct_core_row(b, (int)k, p, &single);
        tables_close(&b->tables);
    }
    myr_particles_destroy(&p);
    return code;
}

int bench_direct(bench *b)
{
    int code = direct_cores(b);
    if (!code)
        code = direct_table3(b);
    return code ? code : direct_table2(b);
}
