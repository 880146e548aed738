/* sweep.c - `myriad sweep FILE`: every run that the section sweep of an input describes. */
#include "sweep/sweep.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "args.h"
#include "cli.h"
#include "rank_process.h"
#include "rank_roles.h"
#include "report/report.h"
#include "run_main.h"
#include "signals.h"
#include "sweep_jobs.h"
#include "sweep_ranks.h"

#define AT(field) offsetof(sweep_options, field)
static const args_option sweep_table[] = {
    {"set", ARGS_LIST, AT(set), "KEY=VALUE", "overrides the input file for all runs; may be repeated", NULL, 0, 0},
    {"jobs", ARGS_INTEGER, AT(jobs), "N", "runs at a time (as many as there are cores)", NULL, 1, 1024},
    {"threads", ARGS_INTEGER, AT(threads), "T", "threads of each run (the cores divided among the runs)", NULL, 1,
     4096},
    {"gpus", ARGS_WORD, AT(gpus_text), "N|LIST",
     "GPUs of the runs: the first N of the machine, or their numbers, as in 0,2; a run at a time on each", NULL, 0, 0},
    {"groups", ARGS_INTEGER, AT(groups), "G",
     "with mpirun: groups that the ranks form, each of which makes runs (as many as ranks)", NULL, 1, 1e9},
    {"replicas", ARGS_INTEGER, AT(replicas), "N", "N runs of each combination, with other seeds (sweep.replicas)", NULL,
     1, 1e9},
    {"columns", ARGS_WORD, AT(columns), "NAMES", "columns of sweep.csv from summary.json, as in energy_error,seconds",
     NULL, 0, 0},
    {"only", ARGS_INTEGER, AT(only), "K", "run number K alone, in this process; for arrays of jobs", NULL, 1, 1e15},
    {"yes", ARGS_FLAG, AT(yes), NULL, "make more than 100000 runs", NULL, 0, 0},
    {"force", ARGS_FLAG, AT(force), NULL, "replace the results of an earlier sweep", NULL, 0, 0},
    {"json", ARGS_FLAG, AT(json), NULL, "print events, one JSON object per line", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table sweep_args = {
    .command = "sweep",
    .text =
        "Runs what the section sweep of an input file describes: every combination of its values, each as an ordinary\n"
        "run in a directory of its own (0001, 0002, ...) below output.directory. sweep.csv has a line per run,\n"
        "sweep.html compares them. The same command goes on after any end: finished runs are kept, others go on from\n"
        "their checkpoints. A signal stops all runs after their step, with checkpoints. Started by mpirun, groups of\n"
        "ranks make the runs together.\n\n"
        "Exit codes: 0 all runs have finished; 1 some failed, which are listed; 2 the input or the command line is\n"
        "wrong; 75 stopped, can be continued.",
    .operand = "FILE",
    .operand_text = "the input file",
    .operand_offset = offsetof(sweep_options, file),
    .keys = keys_full_name,
    .options = sweep_table,
};

/* One run, in this process. */
static int run_only(sweep *s, const sweep_options *o)
{
    char directory[RUN_PATH], summary[RUN_PATH];
    const int64_t k = o->only - 1;
    if (k >= s->runs)
        return cli_fail(CLI_USAGE, "there is no run %" PRId64 "; %s describes %" PRId64, o->only, o->file, s->runs);
    const int other = sweep_join_directory(s, o->only);
    if (other)
        return other;
    sweep_path(s, k, NULL, directory);
    FILE *done = fopen(sweep_path(s, k, "summary.json", summary), "r");
    if (done) {
        fclose(done);
        if (!o->force) {
            if (!o->quiet)
                messages_say(MYR_RUN_EVENT_TEXT, "%s holds a finished run", directory);
            return CLI_OK;
        }
    }
    run_options one = sweep_run_options(s, o, k, directory);
    return run_main(&one);
}

/* What became of all, and the exit code. */
static int tell(const sweep *s, const sweep_options *o, const char *page)
{
    const int64_t finished = sweep_count(s, SWEEP_FINISHED), failed = sweep_count(s, SWEEP_FAILED);
    const int64_t left = s->runs - finished - failed;
    if (o->json) {
        json_writer w = {.out = stdout, .compact = 1};
        json_open(&w, NULL, '{');
        json_text(&w, "event", "end");
        json_text(&w, "directory", s->directory);
        json_integer(&w, "runs", s->runs);
        json_integer(&w, "finished", finished);
        json_integer(&w, "failed", failed);
        json_integer(&w, "left", left);
        json_text(&w, "report", *page ? page : NULL);
        json_finish(&w);
    } else if (!o->quiet) {
        messages_say(MYR_RUN_EVENT_TEXT,
                     "%" PRId64 " of %" PRId64 " runs finished, %" PRId64 " failed; %s/sweep.csv%s%s", finished,
                     s->runs, failed, s->directory, *page ? ", " : "", page);
    }
    if (left > 0 && !o->quiet)
        messages_say(MYR_RUN_EVENT_TEXT, "stopped with %" PRId64 " run%s left; the same command continues them", left,
                     myr_plural(left));
    return left > 0 ? RUN_STOPPED : failed > 0 ? CLI_FAILED : CLI_OK;
}

/* Columns that were asked for and that no run has. */
static void note_columns(const sweep *s)
{
    for (const char *at = s->wanted; at && s->columns > 0;) {
        const size_t length = strcspn(at, ",");
        int found = 0;
        for (int c = 0; c < s->columns; c++)
            found |= strlen(s->column[c]) == length && strncmp(s->column[c], at, length) == 0;
        if (!found)
            messages_say(MYR_RUN_NOTE, "no run has a column '%.*s' in its summary.json", (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
    }
}

static int open_all(sweep *s, const sweep_options *o)
{
    const int code = sweep_open(s, o->file, &o->set);
    if (!code && (double)s->runs > SWEEP_MANY && !o->yes)
        return cli_fail(CLI_USAGE, "%s describes %" PRId64 " runs; give --yes if that is meant", o->file, s->runs);
    s->wanted = o->columns;
    return code;
}

/* After all runs have ended. */
static int conclude(sweep *s, const sweep_options *o)
{
    char page[REPORT_PATH] = "";
    note_columns(s);
    if (sweep_count(s, SWEEP_FINISHED) > 0 && input_is(s->in, KEY_output_report, "true") && signals_count() == 0 &&
        report_sweep_make(s, o->quiet || o->json, page))
        page[0] = 0; /* the results are whole all the same */
    return tell(s, o, page);
}

/* Asked to stop by a signal. */
static int asked(void *user, int signal, const char **by)
{
    (void)user;
    (void)signal;
    *by = signals_name(*signals_last());
    return signals_count();
}

/* Runs that move together in this process: each has a few open files. */
static int move_together(sweep *s, const sweep_options *o)
{
    const sweep_together_options options = {.force = o->force, .quiet = o->quiet, .json = o->json, .stop = asked};
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    signals_listen();
    sweep_gpus_take(&o->gpus, 0);
    return sweep_together(s, &options);
}

/* Replicas do; so do stars on one GPU, unless --jobs asks for processes. */
static int moves_together(const sweep *s, const sweep_options *o)
{
    return s->in->sweep->together || (o->jobs == 0 && o->gpus.count < 2 && sweep_can_move_together(s));
}

static int sweep_main(sweep *s, const sweep_options *o)
{
    int code = o->only > 0 ? sweep_open(s, o->file, &o->set) : open_all(s, o);
    if (code)
        return code;
    if (o->only > 0) {
        sweep_gpus_take(&o->gpus, (int)((o->only - 1) % SWEEP_GPUS));
        return run_only(s, o);
    }
    code = sweep_take_directory(s, o->force);
    if (!code)
        code = moves_together(s, o) ? move_together(s, o) : sweep_jobs_run(s, o);
    return code ? code : conclude(s, o);
}

/* On several ranks: rank 0 holds the directory and speaks, and its exit code is that of all. */
static int sweep_on_ranks(sweep *s, const sweep_options *o)
{
    myr_context *all;
    if (o->only > 0 || o->jobs > 0)
        return cli_fail(CLI_USAGE, "sweep: --%s is for sweeps without a launcher; ranks form --groups",
                        o->only > 0 ? "only" : "jobs");
    if (myr_context_create(&all))
        return cli_fail(CLI_FAILED, "no memory");
    int code = ranks_join(all);
    if (!code)
        code = sweep_ranks_agree(all, open_all(s, o));
    if (!code)
        code = sweep_ranks_agree(all, ranks_follows(all) ? CLI_OK : sweep_take_directory(s, o->force));
    if (!code)
        code = sweep_ranks_run(s, o, all);
    const int outcome = !code && !ranks_follows(all) ? conclude(s, o) : code;
    code = ranks_end(all, code);
    myr_context_destroy(&all);
    return code ? code : outcome;
}

int sweep_replicas_main(run_options *options)
{
    sweep_options o = {.file = options->file,
                       .set = options->set,
                       .threads = options->threads,
                       .json = options->json,
                       .quiet = options->quiet,
                       .force = options->force,
                       .yes = 1,
                       .words = options->words,
                       .word = options->word};
    sweep s = {0};
    const int code = sweep_main(&s, &o);
    sweep_close(&s);
    return code;
}

int cli_sweep(int argc, char **argv)
{
    sweep_options o = {.words = argc, .word = argv};
    char replicas[48];
    sweep s = {0};
    int ranks = 1;
    switch (args_parse(&sweep_args, argc, argv, &o)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    myr_ranks_told(&ranks);
    if (sweep_gpus_read(o.gpus_text, &o.gpus))
        return CLI_USAGE;
    if (o.groups > 0 && ranks == 1)
        return cli_fail(CLI_USAGE, "sweep: --groups are of the ranks of a launcher; give --jobs, or start with mpirun");
    if (o.replicas > 0 && o.set.count < ARGS_LIST_MAX) {
        snprintf(replicas, sizeof replicas, "sweep.replicas=%" PRId64, o.replicas);
        o.set.item[o.set.count++] = replicas;
    }
    const int code = ranks != 1 ? sweep_on_ranks(&s, &o) : sweep_main(&s, &o);
    sweep_close(&s);
    return code;
}
