/* live_simulation.c - the live page of a simulation that its caller steps (myr_watch): no run is there, so that the
 * state is that of the simulation alone, and nothing can be steered. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/live.h"
#include "run/run.h"

#define STATE_SECONDS 0.1 /* between two states that are published */

struct myr_watch {
    run *run; /* for messages */
    myr_simulation *simulation;
    live *page;
    char directory[RUN_DIRECTORY];
    double next; /* when the next state is due */
    double began;
    int64_t began_steps;
    int moves; /* steps were made since the last end */
};

/* A number that changes with diagnostics.csv, which the page plots. */
static int64_t size_of_table(const myr_watch *w)
{
    char path[RUN_PATH];
    struct stat s;
    snprintf(path, sizeof path, "%s/diagnostics.csv", w->directory);
    return stat(path, &s) ? 0 : (int64_t)s.st_size;
}

static void publish(myr_watch *w, const char *state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    const int64_t page = size_of_table(w), steps = myr_simulation_steps(w->simulation);
    const double now = cli_seconds();
    json_writer j = {.out = out, .compact = 1};
    json_open(&j, NULL, '{');
    json_text(&j, "state", state);
    json_integer(&j, "step", steps);
    json_number(&j, "time", myr_simulation_time(w->simulation));
    if (w->moves)
        json_number(&j, "rate", (double)(steps - w->began_steps) / (now - w->began));
    json_integer(&j, "page", page);
    json_integer(&j, "frame", live_frame_number(w->page));
    json_number(&j, "cost", live_cost(w->page));
    json_boolean(&j, "control", 0);
    json_finish(&j);
    fclose(out);
    for (char *c = text; c && *c; c++) /* one line of the event stream */
        if (*c == '\n')
            *c = ' ';
    if (text)
        live_publish(w->page, text, page, REPORT_RUNNING);
    free(text);
    w->next = now + STATE_SECONDS;
}

static myr_status show_particles(myr_watch *w)
{
    const myr_particles *now = NULL;
    const double start = cli_seconds();
    const myr_status status = myr_simulation_particles(w->simulation, &now);
    if (!status)
        live_take(w->page, now, myr_particles_count(now), myr_simulation_time(w->simulation), start);
    return status;
}

static myr_status create(myr_watch *w, const char *directory)
{
    messages *before = run_enter(w->run);
    int code = CLI_OK;
    if (snprintf(w->directory, sizeof w->directory, "%s", directory) >= (int)sizeof w->directory)
        code = cli_fail(CLI_USAGE, "the name of the directory is too long");
    if (!code)
        code = live_open(w->directory, LIVE_FRAMED, &w->page);
    myr_status status = run_leave(w->run, before, code);
    if (!status)
        status = show_particles(w);
    if (!status)
        publish(w, "waiting");
    return status;
}

myr_status myr_watch_create(myr_run *r, myr_simulation *simulation, const char *directory, myr_watch **watch)
{
    if (!r || !simulation || !directory || !watch)
        return MYR_ERROR_ARGUMENT;
    myr_watch *w = *watch = calloc(1, sizeof *w);
    if (!w)
        return MYR_ERROR_MEMORY;
    w->run = r;
    w->simulation = simulation;
    const myr_status status = create(w, directory);
    if (status)
        myr_watch_destroy(watch);
    return status;
}

void myr_watch_destroy(myr_watch **watch)
{
    if (!watch || !*watch)
        return;
    messages *before = messages_enter(&(*watch)->run->heard); /* keeps why myr_watch_create has failed */
    live_close(&(*watch)->page);
    messages_enter(before);
    free(*watch);
    *watch = NULL;
}

const char *myr_watch_address(const myr_watch *w)
{
    return w ? live_address(w->page) : "";
}

myr_status myr_watch_look(myr_watch *w, int ends)
{
    if (!w)
        return MYR_ERROR_ARGUMENT;
    if (!w->moves && !ends) {
        w->moves = 1;
        w->began = cli_seconds();
        w->began_steps = myr_simulation_steps(w->simulation);
    }
    if (!ends && !live_is_wanted(w->page))
        return MYR_OK;
    const double now = cli_seconds();
    myr_status status = MYR_OK;
    if (ends || (now >= w->next && live_wants_frame(w->page, now)))
        status = show_particles(w);
    if (!status && (ends || now >= w->next))
        publish(w, ends ? "waiting" : "running");
    w->moves = !ends;
    return status;
}
