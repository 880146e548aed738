/* run_live.c - what a run does for those who watch it, between two steps. Where nobody does, that is one atomic load.
 * Nothing here changes the motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/live.h"
#include "run/run.h"

#define STATE_SECONDS 0.1  /* between two states that are published */
#define BATCH_SECONDS 0.05 /* of steps at once, while somebody looks */

int run_live_open(run *r)
{
    if (!r->options->watch)
        return CLI_OK;
    const int control = strcmp(r->options->watch, "control") == 0;
    return live_open(r->directory, (control ? LIVE_CONTROL : 0) | (r->options->framed ? LIVE_FRAMED : 0), &r->live);
}

/* The state as JSON; null without memory. */
static char *state_text(const run *r, const char *state)
{
    char *text = NULL, label[UNITS_MESSAGE];
    size_t size = 0;
    myr_progress p = {0};
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    myr_simulation_progress(r->simulation, &p);
    const double seconds = r->began > 0 ? cli_seconds() - r->began : NAN, f = run_fraction(r, &p);
    json_writer w = {.out = out, .compact = 1};
    json_open(&w, NULL, '{');
    json_text(&w, "state", state);
    json_integer(&w, "step", p.steps);
    json_number(&w, "time", units_shown(&r->in->units, UNITS_TIME, p.time));
    json_text(&w, "unit", units_label(&r->in->units, UNITS_TIME, label));
    json_number(&w, "fraction", f);
    json_number(&w, "seconds", run_seconds(r));
    json_number(&w, "left", f > 0 ? seconds * (1 - f) / f : NAN);
    json_number(&w, "rate", seconds > 0 ? (double)(p.steps - r->began_steps) / seconds : NAN);
    json_integer(&w, "batch", r->live_batch);
    json_number(&w, "pace", r->live_pace);
    json_number(&w, "energy_error", r->sample.energy_error);
    json_integer(&w, "page", r->counters.rows);
    json_integer(&w, "frame", live_frame_number(r->live));
    json_number(&w, "cost", live_cost(r->live));
    json_boolean(&w, "control", live_may_control(r->live));
    json_boolean(&w, "exact", input_is(r->in, KEY_interaction_accumulator, "fixed"));
    json_text(&w, "reason", r->reason[0] ? r->reason : NULL);
    json_finish(&w);
    fclose(out);
    return text;
}

static void publish(run *r, const char *state)
{
    char *text = state_text(r, state);
    const report_state known = strcmp(state, "finished") == 0  ? REPORT_FINISHED
                               : strcmp(state, "stopped") == 0 ? REPORT_STOPPED
                               : strcmp(state, "failed") == 0  ? REPORT_BROKEN
                                                               : REPORT_RUNNING;
    if (text)
        live_publish(r->live, text, r->counters.rows, known);
    free(text);
    r->live_next = cli_seconds() + STATE_SECONDS;
}

/* A frame of now, where one is wanted. */
static void show_particles(run *r)
{
    const myr_particles *now = NULL;
    const double start = cli_seconds();
    if (run_kind_of(r) == RUN_OF_MESH || !live_wants_frame(r->live, start) ||
        myr_simulation_particles(r->simulation, &now))
        return;
    live_take(r->live, now, myr_simulation_count(r->simulation),
              units_shown(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation)), start);
}

static int save(run *r)
{
    const double start = cli_seconds();
    const int code = run_save(r);
    r->counters.spent[RUN_SPENT_CHECKPOINTS] += cli_seconds() - start;
    return code;
}

static int obey(run *r, int commands)
{
    if (commands & LIVE_STOP) {
        snprintf(r->reason, sizeof r->reason, "stopped from the page that watches it");
        r->code = RUN_STOPPED;
        r->status = MYR_ERROR_CANCELLED;
        return CLI_OK;
    }
    if (commands & (LIVE_PAUSE | LIVE_STEP))
        r->live_paused = 1;
    if (commands & LIVE_GO)
        r->live_paused = 0;
    return commands & LIVE_CHECKPOINT ? save(r) : CLI_OK;
}

static int look(run *r)
{
    const struct timespec tick = {.tv_nsec = 20000000L};
    int steps = 0, said = 0, code = obey(r, live_commands(r->live));
    while (!code && !r->reason[0] && r->live_paused && !steps) {
        show_particles(r);
        if (!said || cli_seconds() >= r->live_next)
            publish(r, "paused");
        said = 1;
        nanosleep(&tick, NULL);
        const int commands = live_commands(r->live);
        steps = (commands & LIVE_STEP) != 0;
        code = obey(r, commands);
        run_check_requests(r);
    }
    if (!code && !r->live_paused && cli_seconds() >= r->live_next) {
        show_particles(r);
        publish(r, "running");
    }
    return code;
}

int run_live_look(run *r)
{
    return r->live && (live_is_wanted(r->live) || r->live_paused) ? look(r) : CLI_OK;
}

int64_t run_live_most(const run *r, int64_t most)
{
    if (r->live && r->live_paused)
        return 1; /* one step was asked for */
    if (!r->live || !live_is_wanted(r->live))
        return most;
    const double fit = r->live_pace > 0 ? BATCH_SECONDS / r->live_pace : 1;
    return fit < 1 ? 1 : fit < (double)most ? (int64_t)fit : most;
}

void run_live_made(run *r, int64_t steps, double seconds)
{
    r->live_batch = steps;
    r->live_pace = steps > 0 ? seconds / (double)steps : 0;
}

void run_live_ending(run *r)
{
    if (r->live)
        publish(r, "finishing");
}

void run_live_close(run *r)
{
    if (!r->live)
        return;
    if (r->report[0])
        live_report(r->live, r->report);
    if (r->simulation)
        publish(r, r->code == CLI_OK ? "finished" : r->code == RUN_STOPPED ? "stopped" : "failed");
    live_close(&r->live);
}
