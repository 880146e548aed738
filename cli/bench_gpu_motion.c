/* bench_gpu_motion.c - a Plummer sphere integrated on the GPU and on two cores: Hermite with block steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure.h"

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
    myr_conserved before, after;
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
    motion_run gpu, part, cores;
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

/* Steps one by one, those in which few particles move; then as many in a row as the simulation likes. */
static int motion_small(bench *b)
{
    static const tables_column columns[] = {
        {"steps", "steps", 8, "%.0f"},           {"active", "mean active", 13, "%.1f"},
        {"alone", "us, one by one", 16, "%.1f"}, {"row", "us, in a row", 14, "%.1f"},
        {"wanted", "wanted", 8, "%.0f"},         {0}};
    double *seconds = calloc(SMALL_STEPS, sizeof *seconds), active = 0, row_seconds = 0;
    int64_t row_steps = 0;
    int count = 0;
    myr_simulation *s = NULL;
    myr_progress now;
    int code = seconds ? motion_make(b, "cuda", &s) : cli_fail(CLI_FAILED, "no memory");
    if (!code)
        code = cli_check(b->context, myr_simulation_advance(s, MOTION_END, MOTION_END, 64)); /* starts, compiles */
    for (int k = 0; k < SMALL_STEPS && !code && myr_simulation_time(s) < MOTION_END; k++) {
        const double start = cli_seconds();
        code = cli_check(b->context, myr_simulation_advance(s, MOTION_END, MOTION_END, 1));
        const double took = cli_seconds() - start;
        if (!code)
            code = cli_check(b->context, myr_simulation_progress(s, &now));
        if (!code && now.active <= SMALL_ACTIVE) {
            seconds[count++] = took;
            active += (double)now.active;
        }
    }
    /* a stretch between two steps of many: small ones only, where the smallest steps are much shorter than the others
     */
    for (int k = 0; k < SMALL_STEPS && !code && myr_simulation_time(s) < MOTION_END; k++) {
        myr_progress then = now;
        const double start = cli_seconds();
        code = cli_check(b->context, myr_simulation_advance(s, MOTION_END, MOTION_END, 32));
        const double took = cli_seconds() - start;
        if (!code)
            code = cli_check(b->context, myr_simulation_progress(s, &now));
        const int64_t steps = now.steps - then.steps;
        if (!code && steps > 1 && now.particle_steps - then.particle_steps <= SMALL_ACTIVE * steps) {
            row_seconds += took;
            row_steps += steps;
        }
    }
    if (!code) {
        tables_open(&b->tables, "gpu_small_steps", "The same sphere: block steps with at most 64 active particles",
                    columns);
        tables_number(&b->tables, count);
        tables_number(&b->tables, count ? active / count : NAN);
        tables_number(&b->tables, 1e6 * measure_median(seconds, count));
        tables_number(&b->tables, row_steps ? 1e6 * row_seconds / (double)row_steps : NAN);
        tables_number(&b->tables, 25);
        tables_close(&b->tables);
    }
    myr_simulation_destroy(&s);
    free(seconds);
    return code;
}

int bench_gpu_motion(bench *b)
{
    const int code = motion_compare(b);
    return code ? code : motion_small(b);
}
