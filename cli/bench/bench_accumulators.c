/* bench_accumulators.c - paper 000, Figs 10 to 12: error, offset and speed of the ways to sum.
 *
 * The paper's figures are drawings without numbers; what its text says about them stands in the columns "paper". */
#include <stdlib.h>

#include "bench/bench.h"
#include "force_errors.h"
#include "bench/systems.h"

/* What section 4 says of each method: error with exclusion afterwards; offset on the fly; offset afterwards. */
static const struct {
    const char *letter, *accumulator, *arithmetic;
    const char *error, *offset_fly, *offset_after;
} methods[] = {
    {"A", "single", "single", ">= 1e-3", "too large", "too large"},
    {"B", "double", "single", "small", "small", "small"},
    {"C", "takahashi", "single", "small", "small", "small"},
    {"D", "nitadori", "single", ">= 1e-3", "small", "too large"},
    {"E", "nitadori_large", "single", "small", "too large", "too large"},
    {"F", "narumi", "single", "small", "none", "none"},
    {"G", "double", "double", "(reference)", "small", "small"},
    {"-", "chamomile", "single", NULL, NULL, NULL},
    {"-", "fixed", "single", NULL, NULL, NULL},
};

enum { METHODS = sizeof methods / sizeof methods[0] };

/* Error (eq. 10) and offset (eq. 11) of one method with one way of excluding. */
static int accumulators_error(bench *b, myr_interaction *f, const system_lj *s, myr_exclusion_mode mode,
                              const double *reference, double *error, double *offset)
{
    int code = cli_check(
        b->context, myr_interaction_set_exclusions(f, myr_particles_count(s->particles), s->offset, s->partner, mode));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, s->particles, s->particles));
    if (!code)
        code = measure_net_force(b->context, f, s->particles, myr_kernel_find("lennard_jones"), offset);
    if (!code)
        *error = measure_mean_error(s->particles, "force", reference);
    return code;
}

static int accumulators_error_row(bench *b, int k, const system_lj *s, double *reference)
{
    double error[2] = {0}, offset[2] = {0};
    myr_interaction *f = bench_interaction(b, "lennard_jones", methods[k].accumulator, methods[k].arithmetic);
    if (!f)
        return CLI_FAILED;
    int code = system_apply(b->context, f, s);
    for (int mode = 0; mode < 2 && !code; mode++)
        code = accumulators_error(b, f, s, mode ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY, reference,
                                  &error[mode], &offset[mode]);
    myr_interaction_destroy(&f);
    if (code)
        return code;
    tables_text(&b->tables, methods[k].letter);
    tables_text(&b->tables, methods[k].accumulator);
    tables_text(&b->tables, methods[k].arithmetic);
    tables_number(&b->tables, error[0]);
    tables_number(&b->tables, error[1]);
    tables_text(&b->tables, methods[k].error);
    tables_number(&b->tables, offset[0]);
    tables_text(&b->tables, methods[k].offset_fly);
    tables_number(&b->tables, offset[1]);
    tables_text(&b->tables, methods[k].offset_after);
    return CLI_OK;
}

static int accumulators_errors(bench *b)
{
    static const tables_column columns[] = {{"letter", "", 3, NULL},
                                            {"accumulator", "accumulator", 15, NULL},
                                            {"arithmetic", "pairs in", 8, NULL},
                                            {"error_on_the_fly", "err fly", 10, "%.2e"},
                                            {"error_afterwards", "err after", 11, "%.2e"},
                                            {"paper_error_afterwards", "paper", 12, NULL},
                                            {"offset_on_the_fly", "net fly", 10, "%.2e"},
                                            {"paper_offset_on_the_fly", "paper", 10, NULL},
                                            {"offset_afterwards", "net after", 11, "%.2e"},
                                            {"paper_offset_afterwards", "paper", 10, NULL},
                                            {0}};
    system_lj s;
    double *reference = NULL;
    myr_interaction *f = NULL;
    int code = system_create_molecule(b->context, b->quick ? 500 : SYSTEM1_CHAIN, b->quick ? 30 : SYSTEM1_WATERS, &s);
    const int64_t n = myr_particles_count(s.particles);
    if (!code && !(reference = calloc((size_t)n, 3 * sizeof *reference)))
        code = cli_fail(CLI_FAILED, "no memory");
    if (!code && !(f = bench_interaction(b, "lennard_jones", "double", "double")))
        code = CLI_FAILED;
    if (!code)
        code = system_apply(b->context, f, &s);
    if (!code)
        code = cli_check(b->context, myr_interaction_set_exclusions(f, n, s.offset, s.partner, MYR_EXCLUDE_ON_THE_FLY));
    if (!code)
        code = bench_reference(b, f, s.particles, "force", reference);
    if (!code) {
        tables_open(&b->tables, "000_fig_10_11",
                    "Paper 000, Figs 10 and 11. System 1 in kind (chain and waters, Lennard-Jones): average error "
                    "(eq. 10)\nand offset (eq. 11) of the forces, bonded pairs excluded on the fly and afterwards",
                    columns);
        for (int k = 0; k < METHODS && !code; k++)
            code = accumulators_error_row(b, k, &s, reference);
        tables_close(&b->tables);
    }
    myr_interaction_destroy(&f);
    free(reference);
    system_destroy(&s);
    return code;
}

static int accumulators_speed_row(bench *b, int k, const system_lj *s, double *single)
{
    bench_speed speed;
    myr_interaction *f = bench_interaction(b, "lennard_jones", methods[k].accumulator, methods[k].arithmetic);
    if (!f)
        return CLI_FAILED;
    int code = system_apply(b->context, f, s);
    if (!code)
        code = bench_time_interaction(b, f, s->particles, -1, &speed);
    myr_interaction_destroy(&f);
    if (code)
        return code;
    if (k == 0)
        *single = speed.pairs_per_s;
    tables_text(&b->tables, methods[k].letter);
    tables_text(&b->tables, methods[k].accumulator);
    tables_text(&b->tables, methods[k].arithmetic);
    tables_number(&b->tables, speed.pairs_per_s / *single);
    bench_write_speed(b, &speed);
    return CLI_OK;
}

static int accumulators_speeds(bench *b)
{
    static const tables_column columns[] = {{"letter", "", 3, NULL},
                                            {"accumulator", "accumulator", 15, NULL},
                                            {"arithmetic", "pairs in", 8, NULL},
                                            {"of_single", "of A", 8, "%.2f"},
                                            BENCH_SPEED_COLUMNS,
                                            {0}};
    system_lj s;
    double single = 1;
    int code = system_create_fluid(b->context, b->quick ? 2048 : 65536, &s);
    if (!code) {
        tables_open(&b->tables, "000_fig_12",
                    "Paper 000, Fig. 12. System 2 in kind (Lennard-Jones, 16 types, no cutoff): speed.\n"
                    "The paper: F faster than B, slightly slower than D (GTX280)",
                    columns);
        for (int k = 0; k < METHODS && !code; k++)
            code = accumulators_speed_row(b, k, &s, &single);
        tables_close(&b->tables);
    }
    system_destroy(&s);
    return code;
}

int bench_accumulators(bench *b)
{
    const int code = accumulators_errors(b);
    return code ? code : accumulators_speeds(b);
}
