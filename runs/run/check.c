/* check.c - what a run will need: memory, disk, and the time as a few steps on this machine tell it. */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "rank_roles.h"
#include "run/run.h"

#define TRIAL_SECONDS 1.0
#define ROW_BYTES 500.0
#define DIVIDED_BYTES 64.0 /* of a particle of a box: position, velocity, mass, id */
#define BODY_BYTES 48.0    /* of a body in a frame of the trajectory */
#define HEAD_BYTES 16.0

enum { TRIAL_STEPS = 100000, GPU_STEPS = 100 };

/* How many outputs of an interval there are from start to end, both included. */
static double count_outputs(input *in, key_id id, double start)
{
    const input_value *interval = input_of(in, id), *steps = input_of(in, KEY_run_steps);
    const double end = run_time_of_end(in, start);
    if (input_is(in, id, "none"))
        return 0;
    if (interval->word || isnan(end))
        return 2;
    const double number = (end - start) / interval->number;
    const double outputs = floor(number + 1e-9) + (number > floor(number + 1e-9) + 1e-9 ? 2 : 1);
    return steps->word ? outputs : fmin(outputs, (double)steps->integer + 1); /* one per step at most */
}

/* Doubles of all fields, and an id. */
static double particle_bytes(const myr_particles *particles)
{
    double bytes = sizeof(int64_t);
    for (int k = 0; k < myr_particles_fields(particles); k++)
        bytes += (double)sizeof(double) * myr_particles_field_components(particles, k);
    return bytes;
}

/* One step, or up to `most`. */
static myr_status check_step(myr_simulation *s, double goal, int64_t most)
{
    return most > 1 ? myr_simulation_advance(s, goal, goal, most) : myr_simulation_step(s, goal);
}

/* Steps for about a second. The first evaluation, which chooses scales, does not count. */
static int check_trial(const input *in, const myr_context *context, myr_simulation *s, myr_run_estimate *e)
{
    const input_value *end = input_of(in, KEY_run_end), *limit = input_of(in, KEY_run_steps);
    const double start = myr_simulation_time(s), goal = end->word ? 1e300 : end->number;
    int code = cli_check(context, myr_simulation_step(s, start));
    myr_box_device device = {0};
    if (!code)
        code = cli_check(context, myr_simulation_box_device(s, &device));
    const int64_t most = device.bytes > 0 ? GPU_STEPS : 1; /* a run makes many at once there */
    const double began = cli_seconds();
    while (!code && e->trial_steps < TRIAL_STEPS && cli_seconds() - began < TRIAL_SECONDS &&
           myr_simulation_time(s) < goal && !(!limit->word && e->trial_steps >= limit->integer)) {
        const int64_t before = myr_simulation_steps(s);
        code = cli_check(context, check_step(s, goal, most));
        e->trial_steps += most > 1 ? myr_simulation_steps(s) - before : 1;
    }
    e->trial_seconds = cli_seconds() - began;
    e->trial_time = myr_simulation_time(s) - start;
    e->seconds = NAN;
    if (!end->word && e->trial_time > 0)
        e->seconds = e->trial_seconds * (goal - start) / e->trial_time;
    if (!limit->word && e->trial_steps > 0) {
        const double by_steps = e->trial_seconds * (double)limit->integer / (double)e->trial_steps;
        e->seconds = isnan(e->seconds) || by_steps < e->seconds ? by_steps : e->seconds;
    }
    return code;
}

static int check_measure(input *in, myr_context *context, myr_simulation *s, myr_run_estimate *e)
{
    const double start = myr_simulation_time(s);
    const myr_particles *particles = NULL;
    myr_conserved conserved;
    int code = check_trial(in, context, s, e);
    /* ranks that divide the particles never have all of them at one place */
    if (!code && !(myr_ranks_count(context) > 1 && input_is_divided(in)))
        code = cli_check(context, myr_simulation_particles(s, &particles));
    double diagnostic = 0;
    for (int k = 0; k < 2 && !code && diagnostic < TRIAL_SECONDS; k++) { /* the first makes things that stay */
        const double before = cli_seconds();
        code = cli_check(context, myr_simulation_conserved(s, &conserved));
        diagnostic = cli_seconds() - before;
    }
    if (code)
        return code;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    e->memory = 1024.0 * (double)usage.ru_maxrss;
    myr_box_device device;
    code = cli_check(context, myr_simulation_box_device(s, &device));
    if (code)
        return code;
    e->device_memory = device.bytes;
    e->particles = myr_simulation_count(s);
    e->snapshots = count_outputs(in, KEY_output_snapshots, start);
    e->rows = count_outputs(in, KEY_output_diagnostics, start);
    e->seconds += e->rows * diagnostic;
    e->snapshot_bytes = (particles ? particle_bytes(particles) : DIVIDED_BYTES) * (double)e->particles;
    const double checkpoint = 2 * e->snapshot_bytes;
    const char *const *body = input_entries(in, input_of(in, KEY_output_bodies));
    double bodies = body ? 0 : (double)e->particles;
    for (; body && *body; body++)
        bodies++;
    e->frames = count_outputs(in, KEY_output_trajectory, start);
    e->disk = e->snapshots * e->snapshot_bytes + e->rows * ROW_BYTES + 2 * checkpoint +
              2 * e->frames * (bodies * BODY_BYTES + HEAD_BYTES); /* trajectory.hdf5 and trajectory.rows */
    return CLI_OK;
}

/* What rank 0 measures; the others follow. */
static int check_lead(input *in, const run_options *o, myr_context *context, myr_simulation *s, run_estimate *e)
{
    if (ranks_follows(context))
        return cli_check(context, myr_simulation_follow(s));
    int code = check_measure(in, context, s, &e->need);
    if (!code)
        code = run_measure_accuracy(in, context, s, &e->accuracy);
    if (!code && !o->quiet)
        run_warn_accuracy(s, &e->accuracy);
    return code;
}

/* The largest memory of a rank. */
static int check_memory_of_ranks(myr_context *context, run_estimate *e)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    e->rank_memory = 1024.0 * (double)usage.ru_maxrss;
    e->ranks = myr_ranks_count(context);
    return cli_check(context, myr_ranks_largest(context, &e->rank_memory, 1));
}

int run_check_with(myr_context *context, input *in, const run_options *o, run_estimate *e)
{
    myr_simulation *simulation = NULL;
    run_names names = {0};
    progress shown;
    *e = (run_estimate){0};
    progress_attach(&shown, context, o->quiet);
    const input_value *threads = input_of(in, KEY_run_threads);
    const int several = myr_ranks_count(context) > 1 && !getenv("OMP_NUM_THREADS");
    int code = cli_check(context, myr_context_set_threads(context, o->threads      ? (int)o->threads
                                                                   : threads->word ? several
                                                                                   : (int)threads->integer));
    if (!code)
        code = run_build(in, context, &names, &simulation);
    if (!code)
        code = run_start_box(in, context, simulation, o->quiet || o->json);
    if (!code)
        code = run_settle(in, simulation);
    if (!code)
        code = check_lead(in, o, context, simulation, e);
    progress_end(&shown);
    run_free_names(&names);
    myr_simulation_destroy(&simulation); /* on rank 0 the others stop following */
    return code ? code : check_memory_of_ranks(context, e);
}

int run_check(input *in, const run_options *o, run_estimate *e)
{
    myr_context *context = NULL;
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    const int code = run_check_with(context, in, o, e);
    myr_context_destroy(&context);
    return code;
}
