/* bench.c - `myriad bench`: runs the suites; how speeds are compared with what the core can issue. */
#include "bench/bench.h"
#include "bench/bench_shared.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "bench/instruction_count.h"
#include "force_errors.h"
#include "rank_process.h"
#include "rank_roles.h"

enum { REPEATS_MAX = 101, LARGEST = 1000000, LARGEST_BOX = 8000000, LARGEST_FAR = 1 << 24, QUICK_MAX = 20000 };
#define RATE_SECONDS 0.01

typedef struct {
    const char *suite, *isa, *backend;
    int64_t threads, min, max, per_rank, particles, steps;
    const char *balance;
    int json, quick, quiet, exchanges;
} bench_options;

static const struct {
    const char *name;
    int (*run)(bench *b);
    int gpu; /* needs one, and is no part of "all" */
} suites[] = {{"accumulators", bench_accumulators, 0},
              {"kernels", bench_kernels, 0},
              {"direct", bench_direct, 0},
              {"hermite", bench_hermite, 0},
              {"fmm", bench_fmm, 0},
              {"proteins", bench_proteins, 0},
              {"tree", bench_tree, 0},
              {"pseudo", bench_pseudo, 0},
              {"vortex", bench_vortex, 0},
              {"turbulence", bench_turbulence, 0},
              {"mesh", bench_mesh, 0},
              {"lj", bench_lj, 0},
              {"gpu", bench_gpu, 1}};

enum { SUITES = sizeof suites / sizeof suites[0] };

static const char *suite_name(int k)
{
    return k < SUITES ? suites[k].name : k == SUITES ? "all" : NULL;
}

#define AT(field) offsetof(bench_options, field)
static const args_option bench_table[] = {
    {"threads", ARGS_INTEGER, AT(threads), "T", "threads of the timed rows; 0 = as many as there are (1)", NULL, 0,
     4096},
    {"isa", ARGS_WORD, AT(isa), "NAME", "instruction set (auto)", cli_isa_name, 0, 0},
    {"backend", ARGS_WORD, AT(backend), "NAME", "cuda: on a GPU (the processor)", cli_backend_name, 0, 0},
    {"max", ARGS_INTEGER, AT(max), "N",
     "particles of the largest set of fmm, tree, pseudo, vortex, turbulence (1000000; with --quick 20000), and on a "
     "GPU of lj (8000000), of fmm, tree, vortex and mesh (16777216), of a system of hermite, and of proteins, all "
     "replicas (all)",
     NULL, 1000, 1e9},
    {"min", ARGS_INTEGER, AT(min), "N",
     "particles of the smallest set of turbulence, and of lj, fmm, vortex and proteins on a GPU (all)", NULL, 0, 1e9},
    {"per-rank", ARGS_INTEGER, AT(per_rank), "N",
     "particles of each rank of lj, direct, hermite, fmm and vortex on several, or on this one alone (62500; direct "
     "and "
     "hermite 16384, vortex 32768; with --quick 2048 and 1024)",
     NULL, 500, 1e8},
    {"particles", ARGS_INTEGER, AT(particles), "N", "there, but not for lj, particles of all ranks together", NULL, 500,
     1e9},
    {"steps", ARGS_INTEGER, AT(steps), "N",
     "there, steps of each of three stretches (lj: 300; with --quick 10), and of each of five of lj on a GPU (400)",
     NULL, 1, 1e6},
    {"balance", ARGS_WORD, AT(balance), "NAME", "there, what the domains of ranks change by (time)", myr_balance_name,
     0, 0},
    {"exchanges", ARGS_FLAG, AT(exchanges), NULL, "lj on several ranks: also all ways to exchange halos (Fig. 17)",
     NULL, 0, 0},
    {"quick", ARGS_FLAG, AT(quick), NULL, "small systems, few repeats: to see that it works", NULL, 0, 0},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "no progress, no notes", NULL, 0, 0},
    {0},
};

static const args_table bench_args = {
    .command = "bench",
    .text =
        "Repeats the published measurements beside our own: paper 000 (accumulators, Figs 10 to 12), paper 001\n"
        "(kernels, Table 1, Figs 1 and 2), paper 002 (direct, Tables 2 and 3), paper 003 (lj, section 4.5, Algorithms "
        "3\n"
        "to 8, Fig. 8, beside LAMMPS and GROMACS where they are installed; under mpirun weak scaling, Tables II to V,\n"
        "Figs 17 and 19). Under mpirun direct, hermite, fmm and vortex time steps that the ranks share. bound_fraction "
        "is the share of the\n"
        "speed at which the core could issue the fewest instructions that the sum needs; the rate is timed in\n"
        "the same run. It can pass 1 where a core issues adds or integer operations beside multiply-adds.\n"
        "`emitted` is how many vector instructions the compiler made of it, loads included.\n"
        "The suite proteins moves molecules: paper 000 (System 1) and paper 001 (Table 2).\n"
        "The suite fmm is paper 004's: errors and times of the fast multipole method, its parts beside what bounds\n"
        "them, time against N; on a GPU time by part, of tree and pseudo too. The suites tree and pseudo do the same "
        "for the tree "
        "code and "
        "the pseudo-particle\n"
        "method, with the momentum that is not conserved, |sum m a| / sum m |a|. The suite vortex is paper 004's\n"
        "too: vortex elements by direct sums (Figs 2 and 3) and by fmm and pseudo (Figs 5, 6 and 10), and images;\n"
        "turbulence times steps of vortex elements and of the spectral method from one field (section 5), and\n"
        "mesh evaluations of such elements by phase.\n"
        "On a GPU (--backend cuda) speeds are those of data that is there, timed by its own clock, and the bound is\n"
        "that of the instructions counted in the machine code, where cuobjdump is there to show it. The suite gpu\n"
        "puts the speeds that Myriad asks of a GPU beside those that it has; lj does so for particles in a box, with "
        "the\n"
        "mixture of Kob and Andersen; hermite for many systems of stars that move together.",
    .operand = "SUITE",
    .operand_text = "what to measure",
    .operands = suite_name,
    .operand_offset = AT(suite),
    .options = bench_table,
};
#undef AT

/* Instructions beyond the one multiply-add per output component that a plain sum needs, on AVX-512.
 *   double          multiply, take the upper half, convert both halves, two adds: 6 for 1
 *   takahashi       multiply, then the 10 operations of paper 000
 *   nitadori        multiply, then 4
 *   narumi          two multiply-adds, two subtractions, integer add, one three-input logic for the range: 6 for 1
 *   fixed           two multiply-adds, a subtraction, two integer adds, one three-input logic for the range: 6 for 1 */
static const struct {
    const char *accumulator;
    int extra;
} issue_extra[] = {{"single", 0},   {"chamomile", 0},      {"double", 5}, {"takahashi", 10},
                   {"nitadori", 4}, {"nitadori_large", 4}, {"narumi", 5}, {"fixed", 5}};

double bench_issue(const myr_kernel_info *kernel, const char *accumulator, const char *arithmetic)
{
    int components = 0, extra = 0;
    for (const myr_field_info *f = kernel->output; f->name; f++)
        components += f->components;
    for (size_t k = 0; k < sizeof issue_extra / sizeof issue_extra[0]; k++)
        if (strcmp(issue_extra[k].accumulator, accumulator) == 0)
            extra = issue_extra[k].extra;
    if (strcmp(arithmetic, "double") == 0) {
        /* A double sum of doubles is a plain sum; the reciprocal square root needs a second Newton step. */
        const int plain = strcmp(accumulator, "double") == 0;
        return kernel->issue + 4 + (plain ? 0 : extra * components);
    }
    /* Differences of hi+lo positions take three instructions for one. */
    const int mixed = strcmp(arithmetic, "mixed") == 0 ? 2 * kernel->position_components : 0;
    return kernel->issue + mixed + extra * components;
}

myr_interaction *bench_interaction(bench *b, const char *kernel, const char *accumulator, const char *arithmetic)
{
    myr_interaction *f = NULL;
    myr_status status = myr_interaction_create(b->context, kernel, &f);
    if (!status)
        status = myr_interaction_choose(f, "accumulator", accumulator);
    if (!status)
        status = myr_interaction_choose(f, "arithmetic", arithmetic);
    if (!status)
        status = bench_place(b, f);
    if (status)
        myr_interaction_destroy(&f);
    cli_check(b->context, status);
    return f;
}

myr_status bench_place(const bench *b, myr_interaction *f)
{
    return b->gpu ? myr_interaction_choose(f, "backend", "cuda") : myr_interaction_choose(f, "isa", b->isa);
}

/* The issue bound now: lanes times multiply-adds per second of the cores in use. */
static int bench_rate(bench *b, const char *arithmetic, double *rate)
{
    int lanes;
    const char *width = strcmp(arithmetic, "double") == 0 ? "double" : "single";
    if (b->gpu)
        return cli_check(b->context, myr_machine_gpu_issue_rate(b->context, width, rate));
    const int code =
        cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, width, RATE_SECONDS, rate, &lanes));
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *rate *= lanes * (double)(cores > 0 && cores < b->threads ? cores : b->threads);
    return code;
}

/* Processor seconds of this program, all threads. */
static double bench_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bench_time(bench *b, bench_run run, void *user, const char *arithmetic, double issue, bench_speed *speed)
{
    double speeds[REPEATS_MAX], fractions[REPEATS_MAX], before, after, seconds, since = 0, start;
    int64_t pairs;
    int count = 0;
    const double cpu = bench_processor(), wall = cli_seconds();
    int code = run(user, &seconds, &pairs);
    if (!code)
        code = bench_rate(b, arithmetic, &before);
    for (start = cli_seconds(); !code && count < REPEATS_MAX; count++) {
        if (count >= (b->quick ? 1 : 3) && cli_seconds() - start > (b->quick ? 0.05 : 0.5))
            break;
        code = run(user, &seconds, &pairs);
        speeds[count] = (double)pairs / seconds;
        since += seconds;
        after = before;
        if (!code && since > 2 * RATE_SECONDS) { /* the clock may have changed */
            code = bench_rate(b, arithmetic, &after);
            since = 0;
        }
        fractions[count] = speeds[count] * issue / (0.5 * (before + after));
        before = after;
    }
    b->share = fmin(b->share, (bench_processor() - cpu) / (cli_seconds() - wall));
    *speed = (bench_speed){.issue = issue, .emitted = NAN};
    speed->pairs_per_s = measure_median(speeds, count);
    speed->bound_fraction = measure_median(fractions, count);
    return code;
}

typedef struct {
    bench *b;
    myr_interaction *f;
    myr_particles *particles;
    int64_t targets;
    int64_t *index;
    myr_evaluation last;
} bench_evaluation;

static int bench_evaluate(void *user, double *seconds, int64_t *pairs)
{
    bench_evaluation *e = user;
    const myr_status status = e->targets < 0
                                  ? myr_interaction_evaluate(e->f, e->particles, e->particles)
                                  : myr_interaction_evaluate_subset(e->f, e->particles, e->targets, e->index);
    int code = cli_check(e->b->context, status);
    if (!code)
        code = cli_check(e->b->context, myr_interaction_last(e->f, &e->last));
    *seconds = e->last.seconds;
    *pairs = e->last.pairs;
    return code;
}

/* By the GPU's clock, from data that is there; the evaluation before it finds scales. */
static int bench_time_gpu(bench_evaluation *e, bench_speed *speed)
{
    enum { SAMPLES = 9 };
    double seconds[SAMPLES], rate, host_seconds;
    int64_t pairs;
    bench *b = e->b;
    const int64_t n = e->targets < 0 ? myr_particles_count(e->particles) : e->targets;
    *speed = (bench_speed){.issue = NAN, .emitted = NAN, .bound_fraction = NAN};
    int code = bench_evaluate(e, &host_seconds, &pairs);
    if (!code)
        code = bench_rate(b, myr_interaction_choice(e->f, "arithmetic"), &rate);
    if (!code)
        code = cli_check(b->context, myr_machine_gpu_time(e->f, e->particles, n, e->index, SAMPLES, seconds));
    if (code)
        return code;
    speed->pairs_per_s = (double)pairs / measure_median(seconds, SAMPLES);
    speed->emitted = emitted_gpu_count(e->f, e->particles, n, e->index);
    b->uncounted += isnan(speed->emitted);
    speed->bound_fraction = speed->pairs_per_s * speed->emitted / rate;
    return CLI_OK;
}

int bench_time_interaction(bench *b, myr_interaction *f, myr_particles *particles, int64_t targets, bench_speed *speed)
{
    bench_evaluation e = {.b = b, .f = f, .particles = particles, .targets = targets};
    if (targets >= 0 && !(e.index = malloc((size_t)(targets + 1) * sizeof *e.index)))
        return cli_fail(CLI_FAILED, "no memory for %lld targets", (long long)targets);
    for (int64_t i = 0; i < targets; i++)
        e.index[i] = i;
    const char *kernel = myr_interaction_choice(f, "kernel"), *accumulator = myr_interaction_choice(f, "accumulator");
    const char *arithmetic = myr_interaction_choice(f, "arithmetic"), *isa = myr_interaction_choice(f, "isa");
    progress_begin(&b->progress, "%s, %s, %lld particles", kernel, accumulator,
                   (long long)myr_particles_count(particles));
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code && b->gpu)
        code = bench_time_gpu(&e, speed);
    else if (!code)
        code = bench_time(b, bench_evaluate, &e, arithmetic,
                          bench_issue(myr_kernel_find(kernel), accumulator, arithmetic), speed);
    progress_end(&b->progress);
    speed->splits = e.last.splits;
    if (!code && !b->gpu)
        speed->emitted = instruction_count_of_loop(b->context, kernel, accumulator, arithmetic, isa, NULL);
    free(e.index);
    return code;
}

int bench_reference(bench *b, myr_interaction *f, myr_particles *particles, const char *output, double *out)
{
    char accumulator[64], arithmetic[64];
    snprintf(accumulator, sizeof accumulator, "%s", myr_interaction_choice(f, "accumulator"));
    snprintf(arithmetic, sizeof arithmetic, "%s", myr_interaction_choice(f, "arithmetic"));
    progress_begin(&b->progress, "reference in double, %lld particles", (long long)myr_particles_count(particles));
    myr_status status = myr_context_set_threads(b->context, 0);
    if (!status)
        status = myr_interaction_choose(f, "accumulator", "double");
    if (!status)
        status = myr_interaction_choose(f, "arithmetic", "double");
    if (!status)
        status = myr_interaction_evaluate(f, particles, particles);
    if (!status)
        status = myr_particles_get(particles, output, out);
    if (!status)
        status = myr_interaction_choose(f, "arithmetic", arithmetic);
    if (!status)
        status = myr_interaction_choose(f, "accumulator", accumulator);
    if (!status)
        status = myr_context_set_threads(b->context, b->threads);
    progress_end(&b->progress);
    return cli_check(b->context, status);
}

void bench_write_speed(bench *b, const bench_speed *speed)
{
    tables_number(&b->tables, speed->pairs_per_s);
    tables_number(&b->tables, speed->bound_fraction);
    tables_number(&b->tables, speed->issue);
    tables_number(&b->tables, speed->emitted);
}

/* What "auto" comes to, and the number of threads. */
static int bench_settle(bench *b, const bench_options *o)
{
    myr_interaction *f = NULL;
    myr_gpu_info gpu;
    b->gpu = strcmp(o->suite, "gpu") == 0 || (o->backend && strcmp(o->backend, "cuda") == 0);
    if (b->gpu) {
        b->isa = "cuda";
        b->threads = myr_context_threads(b->context);
        if (!o->max && strcmp(o->suite, "lj") == 0)
            b->max = LARGEST_BOX;
        if (!o->max && strcmp(o->suite, "proteins") == 0)
            b->max = INT64_MAX;
        static const char *const large[] = {"fmm", "tree", "vortex", "mesh"};
        for (size_t k = 0; k < sizeof large / sizeof *large; k++)
            if (!o->max && !o->quick && strcmp(o->suite, large[k]) == 0)
                b->max = LARGEST_FAR;
        return cli_check(b->context, myr_machine_gpu(b->context, 0, &gpu));
    }
    int code = cli_check(b->context, myr_context_set_threads(b->context, (int)o->threads));
    if (!code)
        code = cli_check(b->context, myr_interaction_create(b->context, "gravity", &f));
    if (!code && o->isa)
        code = cli_check(b->context, myr_interaction_choose(f, "isa", o->isa));
    if (!code && o->backend)
        code = cli_check(b->context, myr_interaction_choose(f, "backend", o->backend));
    if (!code) {
        b->threads = myr_context_threads(b->context);
        b->isa = myr_interaction_choice(f, "isa");
        if (!b->isa)
            code = cli_fail(CLI_FAILED, "%s", myr_context_message(b->context));
    }
    myr_interaction_destroy(&f);
    return code;
}

static int bench_all(bench *b, const bench_options *o)
{
    double rate;
    int lanes = 1, code;
    myr_gpu_info gpu = {.name = ""};
    if (b->gpu)
        code = cli_check(b->context, myr_machine_gpu(b->context, 0, &gpu)) || bench_rate(b, "single", &rate);
    else
        code = cli_check(b->context, myr_machine_issue_rate(b->context, b->isa, "single", 0.2, &rate, &lanes));
    if (code)
        return code;
    tables_begin(&b->tables, o->json);
    if (o->json) {
        json_text(&b->tables.writer, "version", myr_version());
        json_text(&b->tables.writer, "build", myr_version_build());
        json_text(&b->tables.writer, "isa", b->isa);
        if (b->gpu)
            json_text(&b->tables.writer, "gpu", gpu.name);
        json_integer(&b->tables.writer, "threads", b->threads);
        json_number(&b->tables.writer, "issue_rate", rate);
        json_integer(&b->tables.writer, "lanes", lanes);
        json_boolean(&b->tables.writer, "quick", b->quick);
        json_open(&b->tables.writer, "tables", '[');
    } else if (b->gpu) {
        printf("Myriad %s, %s, %d multiprocessors; it issues %.3g multiply-adds per second\n", myr_version(), gpu.name,
               gpu.multiprocessors, rate);
    } else {
        printf("Myriad %s, %s, %d thread%s; one core issues %.3g multiply-adds of %d lanes per second\n", myr_version(),
               b->isa, b->threads, myr_plural(b->threads), rate, lanes);
    }
    const int for_ranks =
        bench_shared_has(o->suite) && (myr_ranks_count(b->context) > 1 || o->per_rank || o->particles);
    for (int k = 0; k < SUITES && !code; k++)
        if ((strcmp(o->suite, "all") == 0 && !suites[k].gpu) || strcmp(o->suite, suites[k].name) == 0)
            code = for_ranks ? bench_shared(b, o->suite) : suites[k].run(b);
    tables_end(&b->tables);
    if (b->uncounted)
        fprintf(stderr,
                "myriad: note: instructions were not counted in %d rows: cuobjdump is missing, or was not "
                "understood\n",
                b->uncounted);
    if (b->share < 0.9 && !o->quiet && !b->gpu)
        fprintf(stderr,
                "myriad: note: this machine is busy: some rows got %.0f %% of a core, and are too slow by that\n",
                100 * b->share);
    return code;
}

int cli_bench(int argc, char **argv)
{
    bench_options options = {.threads = 1};
    switch (args_parse(&bench_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    const int64_t largest = options.max ? options.max : options.quick ? QUICK_MAX : LARGEST;
    bench b = {.quick = options.quick,
               .min = options.min,
               .max = largest,
               .per_rank = options.per_rank,
               .particles = options.particles,
               .given_steps = options.steps,
               .steps = options.steps   ? options.steps
                        : options.quick ? 10
                                        : 300,
               .exchanges = options.exchanges,
               .balance = options.balance,
               .share = 1};
    if (myr_context_create(&b.context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&b.progress, b.context, options.quiet);
    int code = ranks_join(b.context);
    const int is_lj = strcmp(options.suite, "lj") == 0;
    if (!code && myr_ranks_count(b.context) > 1 && !is_lj && !bench_shared_has(options.suite))
        code = cli_fail(CLI_USAGE,
                        "bench %s runs on one rank, and %d were started; lj, direct, hermite, fmm and vortex run on "
                        "several",
                        options.suite, myr_ranks_count(b.context));
    if (!code && is_lj && b.per_rank == 0 && myr_ranks_count(b.context) > 1)
        b.per_rank = options.quick ? 2048 : 62500;
    if (!code)
        code = bench_settle(&b, &options);
    ranks_note_crowd(b.context, options.quiet);
    if (!code)
        code = bench_all(&b, &options);
    progress_end(&b.progress);
    code = ranks_end(b.context, code);
    myr_context_destroy(&b.context);
    return code;
}
