/* run.c - `myriad run FILE`: from an input file to results, or on from a checkpoint. */
#include "run/run.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "rank_process.h"
#include "rank_roles.h"
#include "run_display.h"
#include "run_main.h"
#include "signals.h"

static const char *watch_name(int k)
{
    return k == 0 ? "control" : NULL;
}

#define AT(field) offsetof(run_options, field)
static const args_option run_table[] = {
    {"set", ARGS_LIST, AT(set), "KEY=VALUE", "overrides the input file, as in --set run.end=10; may be repeated", NULL,
     0, 0},
    {"restart", ARGS_WORD, AT(restart), "DIR", "continue the run in DIR from its last checkpoint", NULL, 0, 0},
    {"threads", ARGS_INTEGER, AT(threads), "T", "threads (run.threads)", NULL, 1, 4096},
    {"force", ARGS_FLAG, AT(force), NULL, "replace the results of an earlier run", NULL, 0, 0},
    {"watch", ARGS_OPTIONAL, AT(watch), "[=control]",
     "serve a live page of the run on this machine; control: it can steer", watch_name, 0, 0},
    {"json", ARGS_FLAG, AT(json), NULL, "print events, one JSON object per line", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table run_args = {
    .command = "run",
    .text =
        "Runs what an input file describes; 'myriad explain' describes input files, 'myriad check' checks one.\n"
        "SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, a SIGPIPE from another process (each on any\n"
        "rank) and the limit run.wall_time finish the step, write a checkpoint and print the command to continue.\n"
        "A terminal or pipe that nobody reads any more does not stop a run; nohup makes it ignore SIGHUP.\n\n"
        "Exit codes, with the state in run.json: 0 finished; 1 failed (files, memory, a directory that another\n"
        "process writes into); 2 the input or the command line is wrong; 3 failed, as the motion went wrong (not a\n"
        "number, energy error over run.energy_limit, step too small); 4 the run of a report was repeated with other\n"
        "bits; 75 stopped by a signal or by run.wall_time, can be continued.",
    .operand = "FILE",
    .operand_text = "the input file, or the report.html of a run to repeat it; not with --restart",
    .operand_optional = 1,
    .operand_offset = offsetof(run_options, file),
    .keys = keys_full_name,
    .options = run_table,
};

/* What nobody reads is no output that is missing. */
static void forget_unheard(void)
{
    if (!signals_unheard(STDOUT_FILENO) || !freopen("/dev/null", "w", stdout))
        return;
    clearerr(stdout);
}

/* All of a run from its input or checkpoint to its results; the exit code. */
static int go(myr_run *r, void *user)
{
    const run_options *options = user;
    int more = 1;
    if (options->restart ? myr_run_restart(r, options->restart) : myr_run_open(r, options->file))
        return myr_run_exit_code(r);
    if (myr_run_start(r))
        return myr_run_exit_code(r);
    if (ranks_follows(r->context))
        return cli_check(r->context, myr_simulation_follow(r->simulation));
    while (r->phase == RUN_GOING && more)
        myr_run_step(r, &more);
    myr_run_finish(r);
    return myr_run_exit_code(r);
}

/* Joins all ranks, or the group that `all` is. */
static int join(run *r, myr_context *all)
{
    return all ? cli_check(r->context, myr_ranks_open_group(r->context, all, 0)) : ranks_join(r->context);
}

static int together(run_options *options, myr_context *all, int (*work)(myr_run *r, void *user), void *user)
{
    char threads[32];
    run_display display = {.options = options};
    const myr_run_listener listener = run_display_listener(&display);
    myr_run *r = NULL;
    if (myr_run_create(&listener, &r))
        return cli_fail(CLI_FAILED, "no memory");
    if (options->threads > 0 && options->set.count < ARGS_LIST_MAX) {
        snprintf(threads, sizeof threads, "run.threads=%d", (int)options->threads);
        options->set.item[options->set.count++] = threads;
    }
    r->options = options;
    messages *before = messages_enter(&r->heard);
    int code = join(r, all);
    signals_listen();
    myr_ranks_set_request(r->context, signals_last());
    if (!code)
        code = work(r, user);
    run_release(r);
    code = ranks_end(r->context, code);
    messages_enter(before);
    myr_run_destroy(&r);
    forget_unheard();
    return code;
}

int run_together(run_options *options, int (*work)(myr_run *r, void *user), void *user)
{
    return together(options, NULL, work, user);
}

int run_main(run_options *options)
{
    return together(options, NULL, go, options);
}

int run_in_group(run_options *options, myr_context *group)
{
    return together(options, group, go, options);
}

/* Whether the input has a section replicas; one that cannot be read is none. */
static int is_of_replicas(const run_options *options)
{
    input *in = NULL;
    int ranks = 1;
    if (!options->file || repeat_is_report(options->file))
        return 0;
    myr_ranks_told(&ranks);
    if (ranks != 1)
        return 0;
    messages nobody = {0};
    messages *before = messages_enter(&nobody); /* what is wrong is told by the run */
    const int found = input_load(options->file, &options->set, &in) == CLI_OK && in->sweep && in->sweep->together;
    messages_enter(before);
    input_destroy(&in);
    return found;
}

int cli_run(int argc, char **argv)
{
    run_options options = {.words = argc, .word = argv};
    switch (args_parse(&run_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    if (!options.file == !options.restart)
        return cli_fail(CLI_USAGE, "run: %s; see myriad run --help",
                        options.file ? "give an input file or --restart, not both" : "say which input file");
    return is_of_replicas(&options) ? sweep_replicas_main(&options) : run_main(&options);
}
