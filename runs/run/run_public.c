/* run_public.c - the functions of <myriad/run.h>: each says its messages to the listener of its run, and turns exit
 * codes into statuses. */
#include <stdlib.h>
#include <string.h>

#include "live/live.h"
#include "rank_roles.h"
#include "report/report.h"
#include "run/run.h"

messages *run_enter(run *r)
{
    messages_clear(&r->heard);
    return messages_enter(&r->heard);
}

myr_status run_leave(run *r, messages *before, int code)
{
    messages_enter(before);
    if (code == CLI_OK)
        return MYR_OK;
    r->code = code;
    return r->heard.status ? r->heard.status : code == CLI_USAGE ? MYR_ERROR_VALUE : MYR_ERROR_FILE;
}

/* Refuses a call that comes at the wrong moment. */
static myr_status refuse(run *r, const char *sentence)
{
    messages *before = run_enter(r);
    const int code = cli_fail(CLI_USAGE, "%s", sentence);
    r->heard.status = MYR_ERROR_COMBINATION;
    return run_leave(r, before, code);
}

myr_status myr_run_create(const myr_run_listener *listener, myr_run **made)
{
    if (!made)
        return MYR_ERROR_ARGUMENT;
    run *r = *made = calloc(1, sizeof *r);
    if (!r)
        return MYR_ERROR_MEMORY;
    if (listener)
        r->heard.listener = *listener;
    r->options = &r->own;
    const myr_status status = myr_context_create(&r->context);
    if (status)
        myr_run_destroy(made);
    return status;
}

void myr_run_destroy(myr_run **owner)
{
    if (!owner || !*owner)
        return;
    run *r = *owner;
    messages *before = messages_enter(&r->heard);
    run_release(r);
    messages_enter(before == &r->heard ? NULL : before);
    myr_context_destroy(&r->context);
    for (int k = 0; k < r->words; k++)
        free(r->word[k]);
    free(r->text);
    repeat_free(&r->repeat);
    free(r);
    *owner = NULL;
}

const char *myr_run_message(const myr_run *r)
{
    return r ? r->heard.all : "";
}

/* A copy of a text that lives as long as the run; null where memory is short. */
static const char *keep(run *r, const char *text)
{
    if (r->words == RUN_WORDS)
        return NULL;
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        r->word[r->words++] = strcpy(copy, text);
    return copy;
}

myr_status myr_run_override(myr_run *r, const char *assignment)
{
    if (!r || !assignment)
        return MYR_ERROR_ARGUMENT;
    if (r->phase != RUN_EMPTY)
        return refuse(r, "overrides come before the input is opened");
    if (r->own.set.count == ARGS_LIST_MAX)
        return refuse(r, "there are too many overrides; write them into the input file");
    const char *copy = keep(r, assignment);
    if (!copy)
        return MYR_ERROR_MEMORY;
    r->own.set.item[r->own.set.count++] = copy;
    return MYR_OK;
}

void myr_run_set_replace(myr_run *r, int replace)
{
    if (r)
        r->own.force = replace;
}

void myr_run_set_watch(myr_run *r, int can_steer)
{
    if (!r)
        return;
    r->own.watch = can_steer ? "control" : "";
    r->own.framed = 1;
}

const char *myr_run_watch_address(const myr_run *r)
{
    return r && r->live ? live_address(r->live) : "";
}

myr_status myr_run_open(myr_run *r, const char *path)
{
    if (!r || !path)
        return MYR_ERROR_ARGUMENT;
    if (r->phase != RUN_EMPTY)
        return refuse(r, "a run has one input");
    if (!r->own.file && !(r->own.file = keep(r, path)))
        return MYR_ERROR_MEMORY;
    messages *before = run_enter(r);
    const int code = run_open(r);
    if (!code)
        r->phase = RUN_OPENED;
    return run_leave(r, before, code);
}

/* Sets the simulation up and writes the first outputs. */
static int start(run *r)
{
    int code = run_set_up(r);
    if (!code && !ranks_follows(r->context))
        code = run_begin(r);
    r->phase = code ? RUN_OVER : RUN_GOING;
    return code;
}

myr_status myr_run_restart(myr_run *r, const char *directory)
{
    if (!r || !directory)
        return MYR_ERROR_ARGUMENT;
    if (r->phase != RUN_EMPTY)
        return refuse(r, "a run has one input");
    if (!(r->own.restart = keep(r, directory)))
        return MYR_ERROR_MEMORY;
    messages *before = run_enter(r);
    return run_leave(r, before, start(r));
}

myr_status myr_run_start(myr_run *r)
{
    if (!r)
        return MYR_ERROR_ARGUMENT;
    if (r->phase == RUN_GOING && r->options->restart)
        return MYR_OK;
    if (r->phase != RUN_OPENED)
        return refuse(r, "a run starts once, after its input is opened");
    messages *before = run_enter(r);
    return run_leave(r, before, start(r));
}

myr_status myr_run_check(myr_run *r, myr_run_estimate *estimate)
{
    run_estimate made = {0};
    input *in = NULL;
    if (!r || !estimate)
        return MYR_ERROR_ARGUMENT;
    if (r->phase == RUN_EMPTY || !r->options->file)
        return refuse(r, "open an input first");
    messages *before = run_enter(r);
    int code = input_load(r->options->file, &r->options->set, &in); /* a check settles its input */
    if (!code)
        code = run_check(in, r->options, &made);
    input_destroy(&in);
    if (!code)
        *estimate = made.need;
    return run_leave(r, before, code);
}

/* The status of a run that has stopped before its end, with the sentence that says why. */
static myr_status stopped(run *r, messages *before)
{
    snprintf(r->heard.all, sizeof r->heard.all, "%s", r->reason);
    messages_enter(before);
    return r->status ? r->status : MYR_ERROR_RANGE; /* the energy error has exceeded its limit */
}

myr_status myr_run_step(myr_run *r, int *more)
{
    if (!r || !more)
        return MYR_ERROR_ARGUMENT;
    *more = 0;
    if (r->phase != RUN_GOING)
        return refuse(r, r->phase == RUN_OVER ? "the run is over" : "start the run first");
    messages *before = run_enter(r);
    int code = CLI_OK;
    if (!r->reason[0] && !run_is_finished(r))
        code = run_loop_once(r);
    if (code) {
        code = run_fail(r, code);
        r->phase = RUN_OVER;
    } else if (r->reason[0]) {
        return stopped(r, before);
    }
    *more = !code && !run_is_finished(r);
    return run_leave(r, before, code);
}

myr_status myr_run_finish(myr_run *r)
{
    if (!r)
        return MYR_ERROR_ARGUMENT;
    if (r->phase != RUN_GOING)
        return r->phase == RUN_OVER ? MYR_OK : refuse(r, "start the run first");
    messages *before = run_enter(r);
    const int code = run_end(r);
    r->phase = RUN_OVER;
    return run_leave(r, before, code);
}

const char *myr_run_directory(const myr_run *r)
{
    return r ? r->directory : "";
}

const char *myr_run_report_path(const myr_run *r)
{
    return r ? r->report : "";
}

const char *myr_run_reason(const myr_run *r)
{
    return r ? r->reason : "";
}

int myr_run_exit_code(const myr_run *r)
{
    return r ? r->code : CLI_USAGE;
}

myr_simulation *myr_run_simulation(const myr_run *r)
{
    return r ? r->simulation : NULL;
}

myr_context *myr_run_context(const myr_run *r)
{
    return r ? r->context : NULL;
}

const char *myr_run_input(myr_run *r)
{
    size_t size = 0;
    if (!r || !r->in)
        return NULL;
    free(r->text);
    r->text = NULL;
    FILE *memory = open_memstream(&r->text, &size);
    if (!memory)
        return NULL;
    input_write(r->in, memory);
    return fclose(memory) ? NULL : r->text;
}

myr_status myr_run_report(myr_run *r, const char *directory, const char *other, const char *path, double megabytes)
{
    if (!r || !directory)
        return MYR_ERROR_ARGUMENT;
    messages *before = run_enter(r);
    char made[REPORT_PATH];
    const report_request request = {.directory = directory,
                                    .other = other,
                                    .path = path,
                                    .megabytes = megabytes < 0 ? REPORT_MEGABYTES : megabytes,
                                    .quiet = r->options->quiet};
    const int code = report_make(&request, made);
    if (!code)
        snprintf(r->report, sizeof r->report, "%.*s", (int)sizeof r->report - 1, made);
    return run_leave(r, before, code);
}
