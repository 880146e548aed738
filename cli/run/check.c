/* check.c - `myriad check FILE`: is the input right, and what will the run need? Memory, disk, and the time as a few
 * steps on this machine tell it. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "run/run.h"

#define TRIAL_SECONDS 1.0
#define ROW_BYTES 500.0
#define BODY_BYTES 48.0 /* of a body in a frame of the trajectory */
#define HEAD_BYTES 16.0

enum { TRIAL_STEPS = 100000, GPU_STEPS = 100 };

typedef struct {
    const char *file;
    args_list set;
    int64_t threads;
    int json, quiet;
} check_options;

#define AT(field) offsetof(check_options, field)
static const args_option check_table[] = {
    {"set", ARGS_LIST, AT(set), "KEY=VALUE", "overrides the input file; may be repeated", NULL, 0, 0},
    {"threads", ARGS_INTEGER, AT(threads), "T", "threads (run.threads)", NULL, 1, 4096},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table check_args = {
    .command = "check",
    .text =
        "Checks an input file, makes its particles, minimises them where it says so, tries a few steps for about a\n"
        "second, and says how much memory (of a box on a GPU also there), disk and time the run will need, and how\n"
        "large the error of the forces is.\n"
        "Nothing is written. The time is what the first steps take; a run that gets denser takes longer.",
    .operand = "FILE",
    .operand_text = "the input file",
    .operand_offset = offsetof(check_options, file),
    .keys = keys_full_name,
    .options = check_table,
};

typedef struct {
    int64_t particles;
    double memory;        /* bytes, of the whole program after the trial */
    double device_memory; /* bytes, of a box on a GPU; 0 = no box is there */
    double snapshots, rows, frames;
    double snapshot_bytes; /* each */
    double disk;           /* bytes in all */
    double seconds;        /* NaN = unknown */
    int64_t trial_steps;
    double trial_seconds, trial_time;
    run_accuracy accuracy;
} check_estimate;

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
static int check_trial(const input *in, const myr_context *context, myr_simulation *s, check_estimate *e)
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

static int check_measure(input *in, myr_context *context, myr_simulation *s, check_estimate *e)
{
    const double start = myr_simulation_time(s);
    const myr_particles *particles;
    myr_conserved conserved;
    int code = check_trial(in, context, s, e);
    if (!code)
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
    e->particles = myr_particles_count(particles);
    e->snapshots = count_outputs(in, KEY_output_snapshots, start);
    e->rows = count_outputs(in, KEY_output_diagnostics, start);
    e->seconds += e->rows * diagnostic;
    e->snapshot_bytes = particle_bytes(particles) * (double)e->particles;
    const double checkpoint = 2 * e->snapshot_bytes;
    const char *const *body = input_entries(in, input_of(in, KEY_output_bodies));
    double bodies = body ? 0 : (double)e->particles;
    for (; body && *body; body++)
        bodies++;
    e->frames = count_outputs(in, KEY_output_trajectory, start);
    e->disk = e->snapshots * e->snapshot_bytes + e->rows * ROW_BYTES + 2 * checkpoint +
              2 * e->frames * (bodies * BODY_BYTES + HEAD_BYTES); /* trajectory.hdf5 and trajectory.rows */
    return run_measure_accuracy(in, context, s, &e->accuracy);
}

static void check_size(const char *name, double bytes, const char *more)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int u = 0;
    for (; bytes >= 1000 && u < 5; u++)
        bytes /= 1000;
    printf("%-12s %.3g %s%s\n", name, bytes, unit[u], more);
}

static void check_plain(const check_options *o, const input *in, const check_estimate *e)
{
    char more[160];
    printf("%s is a valid input.\n", o->file);
    char source[INPUT_SOURCE];
    printf("%-12s %" PRId64 "%s%s\n", "particles", e->particles, in->model.name || in->sets ? ", " : " from a file",
           in->model.name || in->sets ? input_source(in, source) : "");
    printf("%-12s %s, %s\n", "motion",
           in->kernel.name                                       ? in->kernel.name
           : input_is(in, KEY_interaction_method, KEYS_SPECTRAL) ? "spectral method"
                                                                 : "external fields only",
           in->integrator.name);
    check_size("memory", e->memory, "");
    if (e->device_memory > 0)
        check_size("GPU memory", e->device_memory, "");
    const int used = snprintf(more, sizeof more, " (%.0f snapshots of up to %.3g MB, %.0f lines of diagnostics",
                              e->snapshots, 1e-6 * e->snapshot_bytes, e->rows);
    if (e->frames > 0)
        snprintf(more + used, sizeof more - (size_t)used, ", %.0f frames of the trajectory)", e->frames);
    else
        snprintf(more + used, sizeof more - (size_t)used, ")");
    check_size("disk", e->disk, more);
    if (isnan(e->seconds))
        printf("%-12s unknown\n", "time");
    else if (e->seconds < 120)
        printf("%-12s about %.2g s", "time", e->seconds);
    else
        printf("%-12s about %.2g %s", "time", e->seconds / (e->seconds < 7200 ? 60 : 3600),
               e->seconds < 7200 ? "min" : "h");
    if (!isnan(e->seconds))
        printf(" (%" PRId64 " steps tried in %.2g s)\n", e->trial_steps, e->trial_seconds);
    for (int k = 0; k < RUN_OUTPUTS && e->accuracy.name[k]; k++)
        printf("%-12s %s %.2g%s", k ? "" : "error", e->accuracy.name[k], e->accuracy.error[k].rms_error,
               k ? "\n" : " (relative rms, after the steps that were tried)\n");
}

static void check_json(const check_options *o, const input *in, const check_estimate *e)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "file", o->file);
    json_boolean(&w, "valid", 1);
    json_integer(&w, "particles", e->particles);
    json_text(&w, "kernel", in->kernel.name);
    json_text(&w, "integrator", in->integrator.name);
    json_number(&w, "memory_bytes", e->memory);
    if (e->device_memory > 0)
        json_number(&w, "device_memory_bytes", e->device_memory);
    json_number(&w, "disk_bytes", e->disk);
    json_number(&w, "snapshots", e->snapshots);
    json_number(&w, "frames", e->frames);
    json_number(&w, "diagnostics", e->rows);
    json_number(&w, "seconds", e->seconds);
    json_integer(&w, "trial_steps", e->trial_steps);
    json_number(&w, "trial_seconds", e->trial_seconds);
    json_number(&w, "trial_time", e->trial_time);
    json_number(&w, "gravity", in->units.gravity);
    run_write_accuracy(&e->accuracy, &w);
    json_finish(&w);
}

static int check_run(const check_options *o, input *in)
{
    myr_context *context = NULL;
    myr_simulation *simulation = NULL;
    check_estimate estimate = {0};
    run_names names = {0};
    progress shown;
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&shown, context, o->quiet);
    const input_value *threads = input_of(in, KEY_run_threads);
    int code = cli_check(context, myr_context_set_threads(context, o->threads      ? (int)o->threads
                                                                   : threads->word ? 0
                                                                                   : (int)threads->integer));
    if (!code)
        code = run_build(in, context, &names, &simulation);
    if (!code)
        code = run_start_box(in, context, simulation, o->quiet || o->json);
    if (!code)
        code = run_settle(in, simulation);
    if (!code)
        code = check_measure(in, context, simulation, &estimate);
    progress_end(&shown);
    if (!code && o->json)
        check_json(o, in, &estimate);
    else if (!code && !o->quiet)
        check_plain(o, in, &estimate);
    if (!code && !o->quiet)
        run_warn_accuracy(simulation, &estimate.accuracy);
    run_free_names(&names);
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
    return code;
}

int cli_check_input(int argc, char **argv)
{
    check_options options = {0};
    switch (args_parse(&check_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    input *in = NULL;
    int code = input_load(options.file, &options.set, &in);
    if (!code)
        code = check_run(&options, in);
    input_destroy(&in);
    return code;
}
