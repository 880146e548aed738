/* run.c - a run: from an input to results, or on from a checkpoint. */
#include "run/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank_roles.h"
#include "report/report.h"

#define NO_END 1e300
#define NEARLY 1e-9 /* of an interval: what an output of an older program, whose times were sums, may be too early */

double run_seconds(const run *r)
{
    return r->counters.seconds + (r->began > 0 ? cli_seconds() - r->began : 0);
}

double run_fraction(const run *r, const myr_progress *p)
{
    double f = NAN;
    if (r->end < NO_END)
        f = (p->time - r->began_time) / (r->end - r->began_time);
    if (r->steps >= 0) {
        const double g = (double)(p->steps - r->began_steps) / (double)(r->steps - r->began_steps);
        f = isnan(f) || g > f ? g : f;
    }
    return f;
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

/* A second request to stop does not wait for the end of the step, where no other rank does. */
static int run_poll(void *user, double fraction)
{
    const run *r = user;
    const char *by;
    (void)fraction;
    return messages_stop(0, &by) >= 2 && myr_ranks_count(r->context) == 1;
}

static int listen_to_context(run *r)
{
    progress_attach(&r->progress, r->context, r->options->quiet);
    return cli_check(r->context, myr_context_set_progress(r->context, run_poll, r));
}

void run_tell(run *r, myr_run_event event, const char *what, const char *path)
{
    if (r->heard.listener.event)
        r->heard.listener.event(r->heard.listener.user, r, event, what, path);
}

/* All ranks must be about to do the same. */
static int compare_inputs(run *r)
{
    char *text = NULL;
    size_t size = 0;
    if (myr_ranks_count(r->context) == 1)
        return CLI_OK;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return cli_fail(CLI_FAILED, "no memory for the input");
    input_write(r->in, memory);
    int code = fclose(memory) ? cli_fail(CLI_FAILED, "no memory for the input") : CLI_OK;
    if (!code)
        code = ranks_compare(r->context, "the input", text);
    free(text);
    return code;
}

int run_settle_directory(input *in, const char *file, int64_t number)
{
    const input_value *v = input_of(in, KEY_output_directory);
    int code = CLI_OK;
    if (strcmp(v->text, "auto") == 0) {
        const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
        const char *dot = strrchr(name, '.');
        const int length = (int)(dot && dot > name ? dot - name : (ptrdiff_t)strlen(name));
        code = input_settle(in, KEY_output_directory, "%.*s%s", length, name, dot && dot > name ? "" : "_results");
    }
    if (!code && strlen(input_of(in, KEY_output_directory)->text) >= RUN_DIRECTORY - RUN_SWEEP_NAME)
        code = cli_fail(CLI_USAGE, "the name of output.directory is too long");
    char part[RUN_SWEEP_NAME];
    if (!code && number > 0)
        code = input_settle(in, KEY_output_directory, "%s/%s", input_of(in, KEY_output_directory)->text,
                            run_sweep_name(in, number, part));
    return code;
}

const char *run_sweep_name(const input *in, int64_t number, char name[RUN_SWEEP_NAME])
{
    char text[24], last[24];
    const int length = snprintf(text, sizeof text, "%lld", (long long)number);
    int digits = snprintf(last, sizeof last, "%lld", in->sweep ? (long long)in->sweep->runs : 0LL);
    digits = digits < 4 ? 4 : digits;
    snprintf(name, RUN_SWEEP_NAME, "%.*s%s", digits > length ? digits - length : 0, "00000000000000000000", text);
    return name;
}

static int settle_directory(run *r)
{
    const int code = run_settle_directory(r->in, r->options->file, r->options->sweep_run);
    if (!code)
        snprintf(r->directory, sizeof r->directory, "%s", input_of(r->in, KEY_output_directory)->text);
    return code;
}

static int set_threads(run *r)
{
    const input_value *threads = input_of(r->in, KEY_run_threads);
    const int several = myr_ranks_count(r->context) > 1 && !getenv("OMP_NUM_THREADS"); /* each has a core */
    const int code = cli_check(r->context, myr_context_set_threads(r->context, !threads->word ? (int)threads->integer
                                                                               : several      ? 1
                                                                                              : 0));
    ranks_note_crowd(r->context, r->options->quiet || r->options->json);
    return code;
}

void run_take_end(run *r, const input *in)
{
    const input_value *end = in ? input_of(in, KEY_run_end) : NULL, *steps = in ? input_of(in, KEY_run_steps) : NULL;
    r->end = !end || end->word ? NO_END : end->number;
    r->steps = !steps || steps->word ? -1 : steps->integer;
}

/* What the loop needs to know of the input. */
static void take_limits(run *r)
{
    run_take_end(r, r->in);
    r->format[0] = 0;
    if (!input_is(r->in, KEY_output_snapshots, "none") && !input_is(r->in, KEY_output_format, "auto"))
        snprintf(r->format, sizeof r->format, "%s", input_of(r->in, KEY_output_format)->word);
}

int run_open(run *r)
{
    if (repeat_is_report(r->options->file))
        return run_open_repeat(r);
    const int64_t number = r->options->sweep_run;
    const int code = input_load_run(r->options->file, &r->options->set, number > 0 ? number - 1 : 0, &r->in);
    if (code || !r->in->sweep || number > 0)
        return code;
    if (r->in->sweep->together)
        return cli_fail(CLI_USAGE, "%s describes %lld replicas; start them with: myriad run %s", r->options->file,
                        (long long)r->in->sweep->runs, r->options->file);
    return cli_fail(CLI_USAGE, "%s describes %lld runs, in its section sweep; start them with: myriad sweep %s",
                    r->options->file, (long long)r->in->sweep->runs, r->options->file);
}

static int set_up_new(run *r)
{
    const int choosing = input_is(r->in, KEY_output_diagnostics, "auto");
    int code = settle_directory(r);
    if (!code)
        code = compare_inputs(r);
    if (!code && !ranks_follows(r->context))
        code = run_open_directory(r);
    if (!code)
        code = set_threads(r);
    if (!code)
        code = run_build(r->in, r->context, &r->names, &r->simulation);
    if (!code)
        code = run_keep_names(r);
    if (!code)
        code = ranks_choose(r->in, r->context, r->simulation);
    if (!code)
        code = run_start_box(r->in, r->context, r->simulation, r->options->quiet || r->options->json);
    if (!code)
        code = run_settle(r->in, r->simulation);
    if (code)
        return code;
    take_limits(r);
    r->counters = (run_counters){.start = myr_simulation_time(r->simulation),
                                 .last_row = NAN,
                                 .last_snapshot = NAN,
                                 .last_spectrum = NAN,
                                 .last_frame = NAN,
                                 .upkeep = {.last_look = myr_simulation_time(r->simulation)},
                                 .last_observed = NAN,
                                 .choosing = choosing && !input_is(r->in, KEY_output_diagnostics, "ends") &&
                                             !run_is_hashing(r)}; /* who compares bits wants no choice by the clock */
    return run_set_upkeep(r, NULL);
}

/* Before a checkpoint is loaded, on rank 0: a run that is continued is locked, one that is verified only read. */
static int open_results(run *r)
{
    return r->stretch ? run_stretch_read(r) : results_lock_take(r->directory, &r->lock);
}

static int set_up_restart(run *r)
{
    if (strlen(r->options->restart) >= RUN_DIRECTORY)
        return cli_fail(CLI_USAGE, "the name of the directory is too long");
    snprintf(r->directory, sizeof r->directory, "%s", r->options->restart);
    int code = ranks_follows(r->context) ? CLI_OK : open_results(r);
    if (!code)
        code = run_restart(r);
    if (!code && !ranks_follows(r->context))
        code = run_refuse_links(r);
    if (!code)
        code = run_set_time_unit(r->in, r->context);
    if (!code)
        code = run_restore_names(r);
    if (!code)
        code = compare_inputs(r);
    if (!code && !ranks_follows(r->context) && !r->stretch)
        code = run_open_directory(r);
    if (!code)
        code = set_threads(r);
    if (!code)
        code = ranks_choose(r->in, r->context, r->simulation);
    const myr_upkeep_state upkeep = r->counters.upkeep;
    if (!code)
        code = run_set_upkeep(r, &upkeep);
    if (code || ranks_follows(r->context))
        return code;
    take_limits(r);
    return CLI_OK;
}

int run_set_up(run *r)
{
    const int code = listen_to_context(r);
    return code ? code : r->options->restart ? set_up_restart(r) : set_up_new(r);
}

/* Writes an output, and adds the time that it takes to the account. One that failed is not counted in any part. */
static int spend(run *r, run_spent on, int (*work)(run *))
{
    const double start = cli_seconds();
    const run_counters before = r->counters;
    const int code = work(r);
    if (code)
        r->counters = before;
    r->counters.spent[on] += cli_seconds() - start;
    return code;
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

/* The time from which on an output is due, where the last one was written at `last`: a multiple of the interval. */
static double next_due(const run *r, key_id id, double last)
{
    const input_value *interval = input_of(r->in, id);
    if (interval->word || isnan(last))
        return INFINITY;
    const double passed = floor((last - r->counters.start) / interval->number + NEARLY);
    return r->counters.start + (passed + 1) * interval->number;
}

/* Multiples of two intervals that mean the same time may differ by rounding. */
int run_is_due(const run *r, key_id id, double last)
{
    const double now = myr_simulation_time(r->simulation), due = next_due(r, id, last);
    return now >= due - 8 * DBL_EPSILON * fmax(fabs(now), fabs(r->counters.start));
}

/* Time and number of steps until somebody wants to look: an output, those who watch encounters, a count of steps. */
void run_plan(const run *r, double *time, int64_t *steps)
{
    const double row = next_due(r, KEY_output_diagnostics, r->counters.last_row);
    const double snapshot = next_due(r, KEY_output_snapshots, r->counters.last_snapshot);
    const double spectrum = next_due(r, KEY_output_spectra, r->counters.last_spectrum);
    const double sample = next_due(r, KEY_observables_interval, r->counters.last_observed);
    const double frame = next_due(r, KEY_output_trajectory, r->counters.last_frame); /* never where there is none */
    const double until = fmin(fmin(fmin(r->end, spectrum), fmin(row, snapshot)), fmin(sample, frame));
    const int64_t hash = r->stretch ? run_stretch_next(r->stretch) : run_next_hash(r);
    int64_t most = run_is_watching(r) ? 1 : hash - r->made;
    if (r->steps >= 0 && r->steps - r->made < most)
        most = r->steps - r->made;
    const input_value *reverse = input_of(r->in, KEY_run_reverse);
    if (!reverse->word && reverse->integer > r->made && reverse->integer - r->made < most)
        most = reverse->integer - r->made;
    *time = until;
    *steps = most;
}

static myr_status make_steps(run *r)
{
    double until;
    int64_t most;
    run_plan(r, &until, &most);
    const int64_t before = myr_simulation_steps(r->simulation);
    const double start = r->live ? cli_seconds() : 0;
    const myr_status status = myr_simulation_advance(r->simulation, r->end, until, run_live_most(r, most));
    const int64_t steps = myr_simulation_steps(r->simulation) - before;
    if (r->live)
        run_live_made(r, steps, cli_seconds() - start);
    r->made += steps;
    return status;
}

static int write_snapshot(run *r)
{
    const myr_particles *particles = NULL; /* several ranks write a box together */
    int code = run_kind_of(r) & RUN_OF_BOX ? CLI_OK
                                           : cli_check(r->context, myr_simulation_particles(r->simulation, &particles));
    if (!code)
        code = run_write_snapshot(r, particles, myr_simulation_time(r->simulation), NULL);
    return code ? code : run_write_probe_snapshot(r);
}

int run_is_finished(const run *r)
{
    return myr_simulation_time(r->simulation) >= r->end || (r->steps >= 0 && r->made >= r->steps);
}

/* Signals and the limit of time on the clock. */
void run_check_requests(run *r)
{
    const input_value *limit = input_of(r->in, KEY_run_wall_time);
    const char *by;
    if (messages_stop(myr_ranks_requested(r->context), &by) > 0)
        snprintf(r->reason, sizeof r->reason, "stopped by %.400s", by);
    else if (!limit->word && cli_seconds() - r->began >= limit->number)
        snprintf(r->reason, sizeof r->reason, "stopped after run.wall_time = %s", limit->text);
    else
        return;
    r->code = RUN_STOPPED;
    r->status = MYR_ERROR_CANCELLED;
}

/* A step that could not be made: the state is that before it. */
static void step_failed(run *r, myr_status status)
{
    myr_progress p = {0};
    if (status == MYR_ERROR_CANCELLED) {
        run_check_requests(r);
        if (r->reason[0])
            return;
    }
    myr_simulation_progress(r->simulation, &p);
    char time[UNITS_MESSAGE];
    units_print(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation), 10, time);
    snprintf(r->reason, sizeof r->reason, "step %lld at time %.60s: %.400s", (long long)p.steps + 1, time,
             myr_context_message(r->context));
    r->code = status == MYR_ERROR_MEMORY ? CLI_FAILED : RUN_BROKEN;
    r->status = status;
    r->parted = myr_ranks_count(r->context) > 1;
    if (r->code == RUN_BROKEN && !r->parted && status != MYR_ERROR_UNAVAILABLE) /* a lost GPU has no state any more */
        run_keep_good(r);
}

/* What is due now. */
static int write_due(run *r)
{
    const int is_due = run_is_due(r, KEY_output_diagnostics, r->counters.last_row);
    int code = is_due ? run_interval_choose(r) : CLI_OK;
    if (!code && run_is_due(r, KEY_output_diagnostics, r->counters.last_row))
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_diagnose);
    if (!code && !r->reason[0] && run_is_due(r, KEY_output_snapshots, r->counters.last_snapshot))
        code = spend(r, RUN_SPENT_SNAPSHOTS, write_snapshot);
    if (!code && !r->reason[0] && run_is_due(r, KEY_output_spectra, r->counters.last_spectrum))
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_write_spectrum);
    if (!code && !r->reason[0] && run_is_due(r, KEY_output_trajectory, r->counters.last_frame))
        code = spend(r, RUN_SPENT_SNAPSHOTS, run_write_frame);
    if (!code && !r->reason[0] && run_is_due(r, KEY_observables_interval, r->counters.last_observed))
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_observe);
    if (!code && !r->reason[0] && run_is_hash_due(r))
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_write_hash);
    return code;
}

void run_skip_due(run *r)
{
    run_counters *c = &r->counters;
    const struct {
        key_id interval;
        double *last;
    } output[] = {{KEY_output_diagnostics, &c->last_row},
                  {KEY_output_snapshots, &c->last_snapshot},
                  {KEY_output_spectra, &c->last_spectrum},
                  {KEY_output_trajectory, &c->last_frame},
                  {KEY_observables_interval, &c->last_observed}};
    for (size_t k = 0; k < sizeof output / sizeof *output; k++)
        if (run_is_due(r, output[k].interval, *output[k].last))
            *output[k].last = myr_simulation_time(r->simulation);
}

static int write_outputs(run *r)
{
    int code = write_due(r);
    const input_value *checkpoint = input_of(r->in, KEY_output_checkpoint);
    if (!code && !r->reason[0] && !checkpoint->word && cli_seconds() - r->last_checkpoint >= checkpoint->number)
        code = spend(r, RUN_SPENT_CHECKPOINTS, run_save);
    return code;
}

/* Turns the velocities where run.reverse asks for it: once, also in a run that is continued at that step. */
static int turn(run *r)
{
    const input_value *reverse = input_of(r->in, KEY_run_reverse);
    if (reverse->word || reverse->integer > r->made || r->counters.reversed == reverse->integer + 1)
        return CLI_OK;
    if (reverse->integer < r->made)
        return cli_fail(CLI_USAGE, "run.reverse is %lld, and the run has made %lld step%s already",
                        (long long)reverse->integer, (long long)r->made, myr_plural(r->made));
    const int code = cli_check(r->context, myr_simulation_reverse(r->simulation));
    if (!code)
        r->counters.reversed = r->made + 1;
    return code;
}

int run_move(run *r)
{
    int code = turn(r);
    if (code)
        return code;
    r->is_whole = 0;
    const myr_status status = make_steps(r);
    if (status) {
        step_failed(r, status);
        return CLI_OK;
    }
    code = spend(r, RUN_SPENT_ENCOUNTERS, run_watch);
    return code ? code : spend(r, RUN_SPENT_ELEMENTS, run_keep_fit);
}

/* What follows steps that went well. */
static int after_steps(run *r)
{
    int code = run_settle_late(r);
    r->is_whole = !code;
    if (!code)
        code = run_look_beside(r);
    if (!code)
        code = write_outputs(r);
    run_tell(r, MYR_RUN_STEPPED, NULL, NULL);
    if (!code && !r->reason[0])
        code = run_live_look(r);
    if (!code && !r->reason[0])
        run_check_requests(r);
    return code;
}

int run_loop_once(run *r)
{
    const int code = run_move(r);
    return code || r->reason[0] ? code : after_steps(r);
}

int run_moved(run *r, int64_t steps, myr_status status)
{
    r->made += steps;
    r->is_whole = 0;
    if (!status)
        return after_steps(r);
    step_failed(r, status);
    return CLI_OK;
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

static int measure_forces(run *r)
{
    const int code = run_measure_accuracy(r->in, r->context, r->simulation, &r->accuracy);
    progress_end(&r->progress);
    if (!code && !r->options->quiet) {
        run_warn_accuracy(r->simulation, &r->accuracy);
        run_warn_energy(r);
    }
    return code;
}

static int finish(run *r)
{
    const double time = myr_simulation_time(r->simulation);
    int code = CLI_OK;
    if (r->counters.last_row != time)
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_diagnose);
    if (code || r->reason[0])
        return code;
    if (r->counters.last_snapshot != time)
        code = spend(r, RUN_SPENT_SNAPSHOTS, write_snapshot);
    if (!code && r->counters.last_spectrum != time)
        code = spend(r, RUN_SPENT_DIAGNOSTICS, run_write_spectrum);
    if (!code && r->counters.last_frame != time)
        code = spend(r, RUN_SPENT_SNAPSHOTS, run_write_frame);
    if (!code)
        code = run_publish_trajectory(r, "finished");
    if (!code)
        code = run_export_diagnostics(r);
    if (!code)
        code = spend(r, RUN_SPENT_CHECKPOINTS, run_save); /* so that the run can be made longer */
    if (!code)
        code = run_hash(r);
    if (!code)
        code = run_close_encounters(r, 1);
    if (!code)
        code = spend(r, RUN_SPENT_DIAGNOSTICS, measure_forces);
    if (!code)
        code = run_write_summary(r);
    return code;
}

/* Leaves the last state that is known to be good beside the results. */
static int write_good(run *r)
{
    int code = CLI_OK;
    if (r->has_good && !r->parted)
        code = run_write_snapshot(r, r->good, r->good_time, "last_good");
    if (!code)
        code = run_publish_trajectory(r, "failed");
    if (!code)
        code = run_export_diagnostics(r);
    return code;
}

/* The results are whole by now, so that a report that cannot be made does not make the run fail. One that was asked to
 * stop does not keep its user waiting. */
static void make_report(run *r)
{
    if (r->code == RUN_STOPPED || !input_is(r->in, KEY_output_report, "true"))
        return;
    const report_request request = {
        .directory = r->directory, .megabytes = REPORT_MEGABYTES, .quiet = r->options->quiet};
    if (report_make(&request, r->report) == CLI_OK) {
        run_tell(r, MYR_RUN_FILE, "report", r->report);
        return;
    }
    r->report[0] = 0;
    cli_fail(CLI_OK, "the run has ended all the same; try again with: myriad report %s", r->directory);
}

/* --- the run, step by step ---------------------------------------------------------------------------------------- */

typedef int (*run_step)(run *r);

/* Evaluates the first rates: what is wrong with particles and settings shows here. */
static int begin_motion(run *r)
{
    return cli_check(r->context, myr_simulation_step(r->simulation, myr_simulation_time(r->simulation)));
}

static int begin_clock(run *r)
{
    myr_progress p;
    const int code = cli_check(r->context, myr_simulation_progress(r->simulation, &p));
    if (code)
        return code;
    r->began = r->last_checkpoint = cli_seconds();
    r->began_time = p.time;
    r->began_steps = r->made = p.steps;
    r->began_particle_steps = p.particle_steps;
    return CLI_OK;
}

int run_start_motion(run *r)
{
    const int code = begin_motion(r);
    return code ? code : begin_clock(r);
}

static int say_running(run *r)
{
    return run_write_facts(r, "running");
}

static int write_first_hash(run *r)
{
    return run_is_hash_due(r) ? run_write_hash(r) : CLI_OK;
}

/* Outputs at the first moment of a run; a run that is continued writes those that failed when it ended. */
static int write_first(run *r)
{
    static const struct {
        run_spent on;
        run_step work;
    } output[] = {{RUN_SPENT_SNAPSHOTS, write_snapshot},
                  {RUN_SPENT_SNAPSHOTS, run_write_frame},
                  {RUN_SPENT_DIAGNOSTICS, run_write_spectrum},
                  {RUN_SPENT_DIAGNOSTICS, run_observe},
                  {RUN_SPENT_DIAGNOSTICS, write_first_hash}};
    const int restarted = r->options->restart != NULL;
    run_tell(r, MYR_RUN_STARTED, NULL, NULL);
    run_interval_begin(r);
    int code = spend(r, RUN_SPENT_DIAGNOSTICS, restarted ? run_measure : run_diagnose);
    run_interval_measured(r);
    for (size_t k = 0; k < sizeof output / sizeof *output && !code && !restarted && !r->reason[0]; k++)
        code = spend(r, output[k].on, output[k].work);
    if (!code && !restarted && !r->reason[0] && run_is_hashing(r)) /* to be verified from its first moment on */
        code = spend(r, RUN_SPENT_CHECKPOINTS, run_save);
    return code || !restarted ? code : write_due(r);
}

/* What is left behind depends on how the run ended. */
static int leave_results(run *r)
{
    int code = r->reason[0] ? CLI_OK : finish(r);
    if (!code)
        code = run_await_beside(r);
    if (!code && r->code == RUN_STOPPED) {
        const int wrong = run_publish_trajectory(r, "stopped");
        return wrong ? wrong : run_save(r);
    }
    return !code && r->code == RUN_BROKEN ? write_good(r) : code;
}

static int say_ended(run *r)
{
    return run_write_facts(r, r->code == CLI_OK ? "finished" : r->code == RUN_STOPPED ? "stopped" : "failed");
}

static int end_clock(run *r)
{
    r->counters.seconds = run_seconds(r);
    r->began = 0; /* the clock stops: a report is no part of the run */
    return CLI_OK;
}

/* The parts in their order; the first that fails ends the run. */
static int run_each(run *r, const run_step *steps, size_t count)
{
    int code = CLI_OK;
    for (size_t k = 0; k < count && !code; k++)
        code = steps[k](r);
    return code ? run_fail(r, code) : CLI_OK;
}

int run_begin(run *r)
{
    static const run_step steps[] = {
        run_clear_directory, run_write_input,      run_open_diagnostics, run_open_encounters, run_open_spectra,
        run_open_probes,     run_open_observables, run_open_trajectory,  run_open_hashes,     run_start_clock,
        say_running,         begin_clock,          write_first,
    };
    int code = run_live_open(r);
    if (!code)
        code = begin_motion(r); /* nothing has been written or removed where that fails */
    return code ? code : run_each(r, steps, sizeof steps / sizeof *steps);
}

int run_end(run *r)
{
    static const run_step steps[] = {leave_results, run_stop_clock, say_ended, end_clock};
    if (!r->reason[0] && !run_is_finished(r)) {
        snprintf(r->reason, sizeof r->reason, "stopped by its caller");
        r->code = RUN_STOPPED;
    }
    run_live_ending(r);
    const int code = run_each(r, steps, sizeof steps / sizeof *steps);
    if (code)
        return code;
    make_report(r);
    run_live_close(r);
    run_tell(r, MYR_RUN_ENDED, NULL, NULL);
    if (r->repeat.input)
        r->code = run_compare_repeat(r);
    return CLI_OK;
}

void run_release(run *r)
{
    progress_end(&r->progress);
    run_close_beside(r);
    run_live_close(r);
    if (r->csv)
        fclose(r->csv);
    if (r->spectra_csv)
        fclose(r->spectra_csv);
    if (r->hashes_csv)
        fclose(r->hashes_csv);
    r->csv = r->spectra_csv = r->hashes_csv = NULL;
    run_close_probes(r);
    run_close_trajectory(r);
    run_free_names(&r->names);
    run_close_encounters(r, 0);
    run_close_observables(r);
    myr_particles_destroy(&r->good);
    myr_simulation_destroy(&r->simulation);
    myr_particles_destroy(&r->reference);
    input_destroy(&r->in);
    results_lock_release(&r->lock);
}
