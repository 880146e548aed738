/* sweep_jobs.c - starts the runs of a sweep as processes of this program, hears how they end, and passes requests to
 * stop on to them. */
#include "sweep_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "cli.h"
#include "host.h"
#include "json.h"
#include "signals.h"

#define TABLE_EACH 2.0 /* seconds between two writes of sweep.csv */
#define SHOW_EACH 0.2

enum { JOBS_MAX = 1024, POLL_NANOSECONDS = 20000000, NUMBERS = 24, WORDS = 2 * ARGS_LIST_MAX + 16 };

typedef struct {
    pid_t process; /* 0 = free */
    int64_t run;
    double began;
} job;

typedef struct {
    sweep *s;
    const sweep_options *o;
    int jobs, threads;
    job job[JOBS_MAX];
    int going;
    int64_t next;       /* first run that was not looked at */
    int64_t todo, done; /* of this session */
    double began, table_written, shown;
    int told; /* requests to stop that were passed on */
    char program[RUN_PATH];
} jobs_state;

/* --- one process -------------------------------------------------------------------------------------------------- */

const char *sweep_log_path(const sweep *s, int64_t which, char path[RUN_PATH])
{
    char directory[RUN_PATH];
    snprintf(path, RUN_PATH, "%.*s.log", RUN_PATH - 8, sweep_path(s, which, NULL, directory));
    return path;
}

/* In the new process: its own group, so that a terminal's Ctrl-C reaches it once, through this program; it stops with a
 * checkpoint if this program is killed. */
static void become(const jobs_state *j, char *const *word, const char *log, pid_t parent, int slot)
{
    const int in = open("/dev/null", O_RDWR), out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent)
        _exit(RUN_STOPPED);
    if (in >= 0) {
        dup2(in, STDIN_FILENO);
        dup2(in, STDOUT_FILENO);
    }
    if (out >= 0)
        dup2(out, STDERR_FILENO);
    sweep_gpus_take(&j->o->gpus, slot);
    signal(SIGINT, SIG_DFL); /* the shell of a background job ignores it */
    execv(j->program, word);
    fprintf(stderr, "myriad: %s cannot be started: %s\n", j->program, strerror(errno));
    _exit(CLI_FAILED);
}

run_options sweep_run_options(const sweep *s, const sweep_options *o, int64_t which, char directory[RUN_PATH])
{
    run_options one = {.threads = o->threads, .json = o->json, .quiet = o->quiet, .words = o->words, .word = o->word};
    sweep_path(s, which, NULL, directory);
    if (sweep_has_checkpoint(s, which) && !o->force) {
        one.restart = directory;
        return one;
    }
    one.file = o->file;
    one.set = o->set;
    one.sweep_run = which + 1;
    one.force = 1; /* what is there was ended before its first checkpoint */
    return one;
}

static int start(jobs_state *j, job *slot, int64_t which)
{
    char number[NUMBERS], threads[NUMBERS], log[RUN_PATH];
    const char *word[WORDS];
    int n = 0;
    snprintf(number, sizeof number, "%" PRId64, which + 1);
    snprintf(threads, sizeof threads, "%d", j->threads);
    word[n++] = "myriad";
    word[n++] = "sweep";
    word[n++] = j->o->file;
    word[n++] = "--only";
    word[n++] = number;
    word[n++] = "--quiet";
    if (input_of(j->s->in, KEY_run_threads)->word) { /* the input does not say how many */
        word[n++] = "--threads";
        word[n++] = threads;
    }
    for (int k = 0; k < j->o->set.count; k++) {
        word[n++] = "--set";
        word[n++] = j->o->set.item[k];
    }
    word[n] = NULL;
    sweep_log_path(j->s, which, log);
    fflush(NULL);
    const pid_t parent = getpid(), process = fork();
    if (process == 0)
        become(j, (char *const *)word, log, parent, (int)(slot - j->job));
    if (process < 0)
        return cli_fail(CLI_FAILED, "no process for run %s: %s", number, strerror(errno));
    *slot = (job){.process = process, .run = which, .began = cli_seconds()};
    j->s->item[which].state = SWEEP_RUNNING;
    j->going++;
    return CLI_OK;
}

/* The first error in what a run printed. */
void sweep_read_reason(sweep_item *item, const char *log)
{
    char line[SWEEP_REASON + 16];
    static const char begins[] = "myriad: ";
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        const char *text = strncmp(line, begins, sizeof begins - 1) == 0 ? line + sizeof begins - 1 : line;
        if (!*text || strncmp(text, "note: ", 6) == 0)
            continue;
        free(item->reason);
        item->reason = strdup(text);
        if (item->reason)
            cli_plain(item->reason);
        break;
    }
    if (file)
        fclose(file);
}

/* --- what is shown ------------------------------------------------------------------------------------------------ */

void sweep_tell_run(const sweep *s, const sweep_options *o, int64_t which, double seconds)
{
    const sweep_item *item = &s->item[which];
    char text[SWEEP_TEXT], name[RUN_SWEEP_NAME];
    run_sweep_name(s->in, which + 1, name);
    if (o->json) {
        json_writer w = {.out = stdout, .compact = 1};
        json_open(&w, NULL, '{');
        json_text(&w, "event", "run");
        json_text(&w, "run", name);
        json_text(&w, "status", sweep_state_name(item->state));
        json_text(&w, "reason", item->reason);
        json_number(&w, "seconds", seconds);
        json_finish(&w);
        fflush(stdout);
    }
    if (item->state == SWEEP_FAILED)
        messages_say(MYR_RUN_REMARK, "run %s (%s) failed: %s", name, sweep_describe(s, which, text),
                     item->reason ? item->reason : "it says nothing");
}

static void show(jobs_state *j)
{
    const double time = cli_seconds(), passed = time - j->began;
    char what[80];
    if (j->o->quiet || j->o->json || time - j->shown < SHOW_EACH || j->done == 0)
        return;
    j->shown = time;
    snprintf(what, sizeof what, "%" PRId64 " of %" PRId64 " runs, %d going", j->done, j->todo, j->going);
    const double part = (double)j->done / (double)j->todo;
    messages_work(what, part, passed * (1 - part) / part);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* A run has ended. */
static int hear(jobs_state *j, job *slot, int status)
{
    char log[RUN_PATH];
    sweep_item *item = &j->s->item[slot->run];
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    item->state = SWEEP_WAITING;
    free(item->reason);
    item->reason = NULL;
    int wrong = sweep_look(j->s, slot->run);
    if (item->state != SWEEP_FINISHED || code != CLI_OK)
        item->state = code == RUN_STOPPED ? SWEEP_STOPPED : SWEEP_FAILED;
    sweep_log_path(j->s, slot->run, log);
    if (item->state == SWEEP_FAILED && (!item->reason || code != RUN_BROKEN))
        sweep_read_reason(item, log);
    if (item->state == SWEEP_FAILED && !item->reason && WIFSIGNALED(status)) {
        char text[64];
        snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
        item->reason = strdup(text);
    }
    if (item->state != SWEEP_FAILED)
        remove(log);
    j->done += item->state != SWEEP_STOPPED;
    j->going--;
    sweep_tell_run(j->s, j->o, slot->run, cli_seconds() - slot->began);
    slot->process = 0;
    if (!wrong && cli_seconds() - j->table_written >= TABLE_EACH) {
        wrong = sweep_write_table(j->s);
        j->table_written = cli_seconds();
    }
    return wrong;
}

static int hear_all(jobs_state *j)
{
    int code = CLI_OK, status;
    for (int k = 0; k < j->jobs; k++)
        if (j->job[k].process && waitpid(j->job[k].process, &status, WNOHANG) == j->job[k].process) {
            const int wrong = hear(j, &j->job[k], status);
            code = code ? code : wrong;
        }
    return code;
}

/* Passes each request to stop on once. */
static void pass_on(jobs_state *j)
{
    for (; j->told < signals_count(); j->told++)
        for (int k = 0; k < j->jobs; k++)
            if (j->job[k].process)
                kill(j->job[k].process, SIGTERM);
}

/* Whether another process still writes into the directory of a run: one of a sweep that was killed may be about to
 * stop. */
static int is_busy(const jobs_state *j, int64_t which)
{
    char path[RUN_PATH];
    results_writer writer;
    return results_lock_test(sweep_path(j->s, which, NULL, path), &writer) > 0;
}

/* Starts as many as there is room for. */
static int start_all(jobs_state *j)
{
    int code = CLI_OK;
    for (int k = 0; k < j->jobs && !code && signals_count() == 0; k++) {
        if (j->job[k].process)
            continue;
        while (j->next < j->s->runs && j->s->item[j->next].state == SWEEP_FINISHED)
            j->next++;
        if (j->next == j->s->runs || is_busy(j, j->next)) /* one after the other: it is tried again */
            break;
        code = start(j, &j->job[k], j->next++);
    }
    return code;
}

static void choose_jobs(jobs_state *j)
{
    host_info host;
    host_describe(&host);
    const int64_t cores = host.cores > 0 ? host.cores : 1;
    const int64_t gpus = j->o->gpus.count;
    int64_t jobs = j->o->jobs > 0 ? j->o->jobs : gpus > 0 ? gpus : cores;
    jobs = jobs < j->todo ? jobs : j->todo > 0 ? j->todo : 1;
    j->jobs = (int)(jobs < JOBS_MAX ? jobs : JOBS_MAX);
    const int64_t each = j->o->threads > 0 ? j->o->threads : cores / j->jobs;
    j->threads = each < 1 ? 1 : (int)each;
}

/* The path of this program; 0 where the system does not tell. A root without /proc has the path of its start. */
static int find_program(char path[RUN_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", path, RUN_PATH - 1);
    path[length > 0 ? length : 0] = 0;
#ifdef __linux__
    const char *started = length > 0 ? NULL : (const char *)getauxval(AT_EXECFN);
    if (started)
        snprintf(path, RUN_PATH, "%s", started);
#endif
    return path[0] != 0;
}

int sweep_jobs_run(sweep *s, const sweep_options *o)
{
    jobs_state *j = calloc(1, sizeof *j);
    if (!j)
        return cli_fail(CLI_FAILED, "no memory");
    *j = (jobs_state){.s = s, .o = o, .todo = s->runs - sweep_count(s, SWEEP_FINISHED), .began = cli_seconds()};
    choose_jobs(j);
    int code =
        find_program(j->program) ? CLI_OK : cli_fail(CLI_FAILED, "the system does not tell where this program is");
    if (!code && !o->quiet && !o->json)
        messages_say(
            MYR_RUN_EVENT_TEXT,
            "%" PRId64 " run%s, %" PRId64 " finished before; %d at a time with %d thread%s each; results in %s",
            s->runs, myr_plural(s->runs), s->runs - j->todo, j->jobs, j->threads, myr_plural(j->threads), s->directory);
    signals_listen();
    while (!code || j->going > 0) {
        const struct timespec moment = {0, POLL_NANOSECONDS};
        const int failed = code ? CLI_OK : start_all(j);
        code = code ? code : failed;
        if (j->going == 0 && (j->next >= s->runs || signals_count() > 0))
            break;
        nanosleep(&moment, NULL);
        pass_on(j);
        const int wrong = hear_all(j);
        code = code ? code : wrong;
        show(j);
    }
    messages_work(NULL, 1, 0);
    const int wrong = sweep_write_table(s);
    free(j);
    return code ? code : wrong;
}
