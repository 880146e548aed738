/* check.c - `myriad check FILE`: is the input right, and what will the run need? */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "args.h"
#include "cli.h"
#include "rank_process.h"
#include "rank_roles.h"
#include "run/run.h"
#include "sweep/sweep.h"

#define AT(field) offsetof(run_options, field)
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
        "large the error of the forces is. Under mpirun the ranks try the steps together; the memory is that of the\n"
        "rank that needs most.\n"
        "Nothing is written. The time is what the first steps take; a run that gets denser takes longer.",
    .operand = "FILE",
    .operand_text = "the input file",
    .operand_offset = offsetof(run_options, file),
    .keys = keys_full_name,
    .options = check_table,
};

static void check_size(const char *name, double bytes, const char *more)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int u = 0;
    for (; bytes >= 1000 && u < 5; u++)
        bytes /= 1000;
    printf("%-12s %.3g %s%s\n", name, bytes, unit[u], more);
}

/* The line is ended where the time is not known. */
static void check_time(double seconds)
{
    if (isnan(seconds))
        printf("%-12s unknown\n", "time");
    else if (seconds < 120)
        printf("%-12s about %.2g s", "time", seconds);
    else
        printf("%-12s about %.2g %s", "time", seconds / (seconds < 7200 ? 60 : 3600), seconds < 7200 ? "min" : "h");
}

/* Behind the memory of a rank: whether more ranks need less. */
static const char *more_ranks(const input *in, const run_estimate *made, char *text, size_t size)
{
    snprintf(text, size, " for the rank of %d that needs most; %s", made->ranks,
             input_is_divided(in) ? "particles are divided among the ranks" : "every rank has all particles");
    return text;
}

static void check_plain(const run_options *o, const input *in, const run_estimate *made)
{
    const myr_run_estimate *e = &made->need;
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
    check_size("memory", made->rank_memory, made->ranks > 1 ? more_ranks(in, made, more, sizeof more) : "");
    if (e->device_memory > 0)
        check_size("GPU memory", e->device_memory, "");
    const int used =
        snprintf(more, sizeof more, " (%.0f snapshot%s of up to %.3g MB, %.0f line%s of diagnostics", e->snapshots,
                 myr_plural((int64_t)e->snapshots), 1e-6 * e->snapshot_bytes, e->rows, myr_plural((int64_t)e->rows));
    if (e->frames > 0)
        snprintf(more + used, sizeof more - (size_t)used, ", %.0f frame%s of the trajectory)", e->frames,
                 myr_plural((int64_t)e->frames));
    else
        snprintf(more + used, sizeof more - (size_t)used, ")");
    check_size("disk", e->disk, more);
    check_time(e->seconds);
    if (!isnan(e->seconds))
        printf(" (%" PRId64 " step%s tried in %.2g s)\n", e->trial_steps, myr_plural(e->trial_steps), e->trial_seconds);
    for (int k = 0; k < RUN_OUTPUTS && made->accuracy.name[k][0]; k++)
        printf("%-12s %s %.2g%s", k ? "" : "error", made->accuracy.name[k], made->accuracy.error[k].rms_error,
               k ? "\n" : " (relative rms, after the steps that were tried)\n");
}

static void check_json(const run_options *o, const input *in, const run_estimate *made)
{
    const myr_run_estimate *e = &made->need;
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "file", o->file);
    json_boolean(&w, "valid", 1);
    json_integer(&w, "particles", e->particles);
    json_text(&w, "kernel", in->kernel.name);
    json_text(&w, "integrator", in->integrator.name);
    json_number(&w, "memory_bytes", made->rank_memory);
    json_integer(&w, "ranks", made->ranks);
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
    run_write_accuracy(&made->accuracy, &w);
    json_finish(&w);
}

/* An input with a section sweep. */
static int check_sweep(const run_options *o, input *in)
{
    sweep_estimate e;
    char more[96];
    const int code = sweep_check(o, in, &e);
    if (code || o->quiet)
        return code;
    if (o->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "file", o->file);
        json_boolean(&w, "valid", 1);
        json_integer(&w, "runs", e.runs);
        json_integer(&w, "tried", e.tried);
        json_number(&w, "memory_bytes", e.memory);
        json_number(&w, "disk_bytes", e.disk);
        json_number(&w, "seconds", e.seconds);
        json_finish(&w);
        return CLI_OK;
    }
    printf("%s is a valid input of a sweep; start it with 'myriad sweep %s'.\n", o->file, o->file);
    printf("%-12s %" PRId64 "%s\n", "runs", e.runs,
           (double)e.runs > SWEEP_MANY ? ", for which 'myriad sweep' wants --yes" : "");
    for (int k = 0; k < in->sweep->keys; k++)
        printf("%-12s %s, %" PRId64 " value%s\n", "", in->sweep->key[k].key, in->sweep->key[k].count,
               myr_plural(in->sweep->key[k].count));
    check_size("memory", e.memory, " for each run that goes at a time");
    snprintf(more, sizeof more, " in all, from %d run%s that %s tried", e.tried, myr_plural(e.tried),
             e.tried == 1 ? "was" : "were");
    check_size("disk", e.disk, more);
    check_time(e.seconds);
    if (!isnan(e.seconds))
        printf(" for all runs, one after the other\n");
    return CLI_OK;
}

int cli_check_input(int argc, char **argv)
{
    run_options options = {0};
    run_estimate estimate;
    switch (args_parse(&check_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    input *in = NULL;
    myr_context *context = NULL;
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    int code = ranks_join(context);
    if (!code)
        code = input_load(options.file, &options.set, &in);
    if (!code && in->sweep && !ranks_follows(context)) /* the runs of a sweep are tried by rank 0 */
        code = check_sweep(&options, in);
    else if (!code && !in->sweep)
        code = run_check_with(context, in, &options, &estimate);
    if (!code && !in->sweep && !ranks_follows(context) && options.json)
        check_json(&options, in, &estimate);
    else if (!code && !in->sweep && !ranks_follows(context) && !options.quiet)
        check_plain(&options, in, &estimate);
    input_destroy(&in);
    code = ranks_end(context, code);
    myr_context_destroy(&context);
    return code;
}
