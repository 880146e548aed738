/* bench_gpu_motion.c - a Plummer sphere integrated on the GPU and on two cores: Hermite with block steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "force_errors.h"

enum { MOTION_N = 16384, MOTION_QUICK_N = 512, MOTION_CORES = 2, SMALL_ACTIVE = 64, SMALL_STEPS = 2000 };
#define MOTION_END 1.0
#define MOTION_SHORT 0.03125 /* two cores take minutes to the end: they get a part, and the GPU the same part too */
#define MOTION_EPS 0.01

typedef struct {
    double seconds, energy_error;
    myr_progress progress;
} motion_run;

static int motion_make(bench *b, const char *backend, myr_simulation **s)
{
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    myr_status status = myr_model_create(b->context, "plummer", b->quick ? MOTION_QUICK_N : MOTION_N, 1, &p);
    if (!status)
        status = myr_interaction_create(b->context, "gravity_jerk", &f);
    if (!status)
        status = myr_interaction_choose(f, "backend", backend);
    if (!status)
        status = myr_interaction_set(f, "eps", MOTION_EPS);
    if (!status)
        status = myr_simulation_create(b->context, p, f, s);
    if (status) {
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    if (!status)
        status = myr_simulation_choose(*s, "hermite4");
    return cli_check(b->context, status);
}

/* To a time; the first forces count, energies before and after do not. */
static int motion_time(bench *b, const char *backend, double end, motion_run *run)
{
    myr_simulation *s = NULL;
    myr_conserved before = {0}, after = {0};
    progress_begin(&b->progress, "hermite4 to t = %g, %s", end, backend);
    int code = motion_make(b, backend, &s);
    if (!code)
        code = cli_check(b->context, myr_simulation_conserved(s, &before));
    const double start = cli_seconds();
    while (!code && myr_simulation_time(s) < end)
        code = cli_check(b->context, myr_simulation_advance(s, end, end, INT64_MAX));
    run->seconds = cli_seconds() - start;
    if (!code)
        code = cli_check(b->context, myr_simulation_progress(s, &run->progress));
    if (!code)
        code = cli_check(b->context, myr_simulation_conserved(s, &after));
    progress_end(&b->progress);
    if (!code)
        run->energy_error = (after.energy - before.energy) / before.energy;
    myr_simulation_destroy(&s);
    return code;
}

static void motion_write(bench *b, const char *where, double end, const motion_run *run, double speedup)
{
    tables_text(&b->tables, where);
    tables_number(&b->tables, end);
    tables_number(&b->tables, run->seconds);
    tables_number(&b->tables, (double)run->progress.steps);
    tables_number(&b->tables, (double)run->progress.pairs / run->seconds);
    tables_number(&b->tables, 1e6 * run->seconds / (double)run->progress.steps);
    tables_number(&b->tables, run->energy_error);
    tables_number(&b->tables, speedup);
}

static int motion_compare(bench *b)
{
    static const tables_column columns[] = {{"where", "where", 16, NULL},
                                            {"end", "to t", 8, "%.3g"},
                                            {"seconds", "seconds", 10, "%.3f"},
                                            {"steps", "steps", 9, "%.0f"},
                                            {"pairs_per_s", "pairs/s", 11, "%.3g"},
                                            {"step_microseconds", "us/step", 10, "%.1f"},
                                            {"energy_error", "energy", 11, "%.1e"},
                                            {"speedup", "speedup", 9, "%.0f"},
                                            {0}};
    motion_run gpu = {0}, part = {0}, cores = {0};
    const int whole = getenv("MYRIAD_BENCH_WHOLE") != NULL;
    const double end = b->quick ? 4 * MOTION_SHORT : MOTION_END, some = whole ? end : MOTION_SHORT;
    int code = motion_time(b, "cuda", some, &part); /* compiles, too */
    if (!code)
        code = motion_time(b, "cuda", some, &part);
    if (!code)
        code = motion_time(b, "cuda", end, &gpu);
    if (!code)
        code = cli_check(b->context, myr_context_set_threads(b->context, MOTION_CORES));
    if (!code)
        code = motion_time(b, "simd", some, &cores);
    if (!code)
        code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (code)
        return code;
    tables_open(&b->tables, "gpu_hermite",
                "Plummer sphere, N = 16384 (512 with --quick), Hermite with block steps; wanted: 60 times two cores\n"
                "($MYRIAD_BENCH_WHOLE: the cores go to t = 1 as well)",
                columns);
    motion_write(b, "2 cores", some, &cores, 1);
    motion_write(b, "GPU", some, &part, cores.seconds / part.seconds);
    motion_write(b, "GPU", end, &gpu, NAN);
    tables_close(&b->tables);
    return CLI_OK;
}

/* Steps with few active particles: how many there were, and what they took. */
typedef struct {
    int64_t steps;
    double active; /* of all of them */
    double *seconds;
} motion_few;

/* Up to `most` steps at once, which must not be past the end. */
static int motion_advance(bench *b, myr_simulation *s, int64_t most, double *seconds, myr_progress *now)
{
    const double start = cli_seconds();
    const int code = cli_check(b->context, myr_simulation_advance(s, MOTION_END, MOTION_END, most));
    *seconds = cli_seconds() - start;
    return code ? code : cli_check(b->context, myr_simulation_progress(s, now));
}

/* Steps one by one, those in which few particles move. */
static int motion_alone(bench *b, myr_simulation *s, motion_few *few)
{
    int code = CLI_OK;
    for (int k = 0; k < SMALL_STEPS && !code && myr_simulation_time(s) < MOTION_END; k++) {
        myr_progress now = {0};
        double took;
        code = motion_advance(b, s, 1, &took, &now);
        if (!code && now.active <= SMALL_ACTIVE) {
            few->seconds[few->steps++] = took;
            few->active += (double)now.active;
        }
    }
    return code;
}

/* Stretches of 32 steps in one launch each. Few of them have only small steps, so what a step of 64 particles takes
 * comes from a fit to all: seconds = a steps + b particle steps. */
static int motion_in_a_row(bench *b, myr_simulation *s, double *step_seconds)
{
    enum { STRETCH = 32 };
    myr_progress then = {0}, now = {0};
    double ss = 0, sp = 0, pp = 0, st = 0, pt = 0; /* sums of products: steps, particle steps, time */
    int code = cli_check(b->context, myr_simulation_progress(s, &then));
    for (int k = 0; k < SMALL_STEPS && !code && myr_simulation_time(s) < MOTION_END; k++, then = now) {
        double took;
        code = motion_advance(b, s, STRETCH, &took, &now);
        const double made = (double)(now.steps - then.steps);
        const double moved = (double)(now.particle_steps - then.particle_steps);
        if (made < STRETCH) /* the last of a block: the processor took a part of it */
            continue;
        ss += made * made;
        sp += made * moved;
        pp += moved * moved;
        st += made * took;
        pt += moved * took;
    }
    const double determinant = ss * pp - sp * sp;
    *step_seconds = determinant > 0 ? ((st * pp - pt * sp) + SMALL_ACTIVE * (pt * ss - st * sp)) / determinant : NAN;
    return code;
}

static int motion_small(bench *b)
{
    static const tables_column columns[] = {
        {"steps", "steps", 8, "%.0f"},           {"active", "mean active", 13, "%.1f"},
        {"alone", "us, one by one", 16, "%.1f"}, {"row", "us, 64 in a row", 15, "%.1f"},
        {"wanted", "wanted", 8, "%.0f"},         {0}};
    motion_few few = {.seconds = calloc(SMALL_STEPS, sizeof *few.seconds)};
    double row = NAN;
    myr_simulation *s = NULL;
    int code = few.seconds ? motion_make(b, "cuda", &s) : cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_simulation_advance(s, MOTION_END, MOTION_END, 64)); /* starts, compiles */
    if (!code)
        code = motion_alone(b, s, &few);
    if (!code)
        code = motion_in_a_row(b, s, &row);
    if (!code) {
        tables_open(&b->tables, "gpu_small_steps", "The same sphere: block steps with at most 64 active particles",
                    columns);
        tables_number(&b->tables, (double)few.steps);
        tables_number(&b->tables, few.steps ? few.active / (double)few.steps : NAN);
        tables_number(&b->tables, 1e6 * measure_median(few.seconds, (int)few.steps));
        tables_number(&b->tables, 1e6 * row);
        tables_number(&b->tables, 25);
        tables_close(&b->tables);
    }
    myr_simulation_destroy(&s);
    free(few.seconds);
    return code;
}

/* --- fixed steps of small systems -----------------------------------------------------------------------------------
 */
enum { LEAP_STEPS = 2048, LEAP_REPEATS = 5 };

/* Seconds of a leapfrog step, the best of a few stretches; the evaluation alone by the GPU's own clock. */
static int motion_leap(bench *b, int64_t n, double *step, double *evaluation)
{
    myr_simulation *s = NULL;
    myr_particles *p = NULL;
    myr_interaction *f = NULL;
    double seconds[LEAP_REPEATS];
    int code = cli_check(b->context, myr_model_create(b->context, "plummer", n, 1, &p));
    if (!code)
        f = bench_interaction(b, "gravity", "fixed", "mixed");
    if (!code && !f)
        code = CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "eps", MOTION_EPS));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p)); /* finds the grid */
    if (!code)
        code = cli_check(b->context, myr_machine_gpu_time(f, p, 0, NULL, LEAP_REPEATS, seconds));
    *evaluation = measure_median(seconds, LEAP_REPEATS);
    if (!code)
        code = cli_check(b->context, myr_simulation_create(b->context, p, f, &s));
    if (code) {
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(s, "leapfrog"));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "dt", 0x1p-10));
    *step = INFINITY;
    for (int k = 0; k <= LEAP_REPEATS && !code; k++) { /* the first one compiles */
        const int64_t before = myr_simulation_steps(s);
        const double start = cli_seconds();
        while (!code && myr_simulation_steps(s) < before + (b->quick ? LEAP_STEPS / 8 : LEAP_STEPS))
            code = cli_check(b->context, myr_simulation_advance(s, 1e9, 1e9, INT64_MAX));
        const double took = (cli_seconds() - start) / (double)(myr_simulation_steps(s) - before);
        *step = k > 0 && took < *step ? took : *step;
    }
    myr_simulation_destroy(&s);
    return code;
}

static int motion_leaps(bench *b)
{
    static const tables_column columns[] = {{"n", "N", 8, "%.0f"},
                                            {"step", "us/step", 10, "%.1f"},
                                            {"evaluation", "us, forces", 12, "%.1f"},
                                            {"pairs_per_s", "pairs/s", 11, "%.3g"},
                                            {0}};
    int code = CLI_OK;
    tables_open(&b->tables, "gpu_leapfrog",
                "Small Plummer spheres, leapfrog, fixed sums, mixed arithmetic; batches of 64 steps are CUDA graphs",
                columns);
    for (int64_t n = 512; n <= 4096 && !code; n *= 2) {
        double step = NAN, evaluation = NAN;
        code = motion_leap(b, n, &step, &evaluation);
        tables_number(&b->tables, (double)n);
        tables_number(&b->tables, 1e6 * step);
        tables_number(&b->tables, 1e6 * evaluation);
        tables_number(&b->tables, (double)n * (double)n / step);
    }
    tables_close(&b->tables);
    return code;
}

int bench_gpu_motion(bench *b)
{
    int code = motion_compare(b);
    if (!code)
        code = motion_small(b);
    return code ? code : motion_leaps(b);
}
