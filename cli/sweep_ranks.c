/* sweep_ranks.c - groups of ranks make the runs of a sweep.
 *
 * Runs are taken by their first group that makes a file, NUMBER.taken, in the directory of the sweep: no rank has to
 * wait for others to give out work, and it works wherever the ranks share a file system. Rank 0 removes such files when
 * it begins, which it does only with the lock of the directory, and when it ends. */
#include "sweep_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "rank_process.h"
#include "rank_roles.h"
#include "run_main.h"
#include "signals.h"

enum { NO_RUN = -1, BROKEN = -2, POLL_NANOSECONDS = 20000000 };

typedef struct {
    sweep *s;
    const sweep_options *o;
    myr_context *group; /* the ranks that make a run together */
    int64_t next;
} group_state;

int sweep_ranks_agree(myr_context *all, int code)
{
    const myr_status status = myr_ranks_tell(all, code ? MYR_ERROR_VALUE : MYR_OK, cli_said());
    return code ? code : cli_check(all, status);
}

static const char *taken_path(const sweep *s, int64_t which, char path[RUN_PATH])
{
    char directory[RUN_PATH];
    snprintf(path, RUN_PATH, "%.*s.taken", RUN_PATH - 8, sweep_path(s, which, NULL, directory));
    return path;
}

static void remove_taken(const sweep *s)
{
    char path[RUN_PATH];
    for (int64_t k = 0; k < s->runs; k++)
        remove(taken_path(s, k, path));
}

/* Whether another process still writes into the directory of a run: one of a sweep that was killed may be about to
 * stop. */
static int is_busy(const sweep *s, int64_t which)
{
    char path[RUN_PATH];
    results_writer writer;
    return results_lock_test(sweep_path(s, which, NULL, path), &writer) > 0;
}

/* The next run for this group, NO_RUN, or BROKEN with an error that was said. On rank 0 of the group. */
static int64_t take_next(group_state *g)
{
    const struct timespec moment = {0, POLL_NANOSECONDS};
    char path[RUN_PATH];
    for (; g->next < g->s->runs && signals_count() == 0; g->next++) {
        if (g->s->item[g->next].state == SWEEP_FINISHED)
            continue;
        const int taken = open(taken_path(g->s, g->next, path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
        if (taken >= 0) {
            close(taken);
            while (is_busy(g->s, g->next) && signals_count() == 0)
                nanosleep(&moment, NULL);
            return signals_count() == 0 ? g->next++ : NO_RUN;
        }
        if (errno != EEXIST) {
            cli_fail(CLI_FAILED, "%s cannot be written: %s", path, strerror(errno));
            return BROKEN;
        }
    }
    return NO_RUN;
}

/* Makes one run. What rank 0 of the group says goes into its log, as that of a process of its own does. */
static void make_run(const group_state *g, int64_t which)
{
    char log[RUN_PATH], directory[RUN_PATH];
    const int leads = !ranks_follows(g->group);
    run_options one = sweep_run_options(g->s, g->o, which, directory);
    one.quiet = 1;
    one.json = 0;
    sweep_log_path(g->s, which, log);
    fflush(NULL);
    const int before = leads ? dup(STDERR_FILENO) : -1;
    const int file = leads ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666) : -1;
    if (file >= 0)
        dup2(file, STDERR_FILENO);
    const int code = run_in_group(&one, g->group);
    fflush(stderr);
    if (file >= 0) {
        dup2(before, STDERR_FILENO);
        close(file);
    }
    if (before >= 0)
        close(before);
    if (leads && (code == CLI_OK || code == RUN_STOPPED))
        remove(log);
}

/* The runs that this group takes. */
static int make_runs(group_state *g)
{
    for (;;) {
        int64_t which = ranks_follows(g->group) ? 0 : take_next(g);
        const int code = cli_check(g->group, myr_ranks_share(g->group, &which, sizeof which));
        if (code || which < 0)
            return code ? code : which == BROKEN ? CLI_FAILED : CLI_OK;
        make_run(g, which);
    }
}

static int make_all(sweep *s, const sweep_options *o, myr_context *all)
{
    const int64_t ranks = myr_ranks_count(all), me = myr_ranks_me(all);
    const int64_t groups = o->groups > 0 ? o->groups : ranks;
    group_state g = {.s = s, .o = o};
    sweep_gpus_take(&o->gpus, (int)(me % myr_ranks_here(all)));
    if (myr_context_create(&g.group))
        return cli_fail(CLI_FAILED, "no memory");
    int code = cli_check(g.group, myr_ranks_open_group(g.group, all, (int)(me * groups / ranks)));
    if (!code)
        code = make_runs(&g);
    myr_context_destroy(&g.group);
    return code;
}

/* What became of the runs, for rank 0; the ways to fail are those of a process of its own. */
static int look_at_all(sweep *s, const sweep_options *o)
{
    char log[RUN_PATH];
    int code = CLI_OK;
    for (int64_t k = 0; k < s->runs && !code; k++) {
        sweep_item *item = &s->item[k];
        const sweep_state before = item->state;
        item->state = SWEEP_WAITING;
        code = sweep_look(s, k);
        const int has_log = access(sweep_log_path(s, k, log), R_OK) == 0;
        if (item->state == SWEEP_WAITING && has_log)
            item->state = SWEEP_FAILED;
        if (item->state == SWEEP_FAILED && !item->reason && has_log)
            sweep_read_reason(item, log);
        if (before != SWEEP_FINISHED)
            sweep_tell_run(s, o, k, NAN);
    }
    return code ? code : sweep_write_table(s);
}

int sweep_ranks_run(sweep *s, const sweep_options *o, myr_context *all)
{
    const int leads = !ranks_follows(all);
    const int64_t groups = o->groups > 0 ? o->groups : myr_ranks_count(all);
    int code = CLI_OK;
    if (groups > myr_ranks_count(all))
        code = cli_fail(CLI_USAGE, "sweep: %d ranks cannot form %" PRId64 " groups", myr_ranks_count(all), groups);
    if (!leads && !code) {
        s->item = calloc((size_t)s->runs, sizeof *s->item);
        code = s->item ? CLI_OK : cli_fail(CLI_FAILED, "no memory for %" PRId64 " runs", s->runs);
        for (int64_t k = 0; k < s->runs && !code; k++)
            code = sweep_look(s, k);
    }
    if (leads && !code)
        remove_taken(s);
    code = sweep_ranks_agree(all, code); /* nobody takes a run before that */
    if (code)
        return code;
    if (leads && !o->quiet && !o->json)
        messages_say(MYR_RUN_EVENT_TEXT,
                     "%" PRId64 " run%s, %" PRId64 " finished before; %" PRId64 " group%s of %d rank%s; results in %s",
                     s->runs, myr_plural(s->runs), sweep_count(s, SWEEP_FINISHED), groups, myr_plural(groups),
                     myr_ranks_count(all), myr_plural(myr_ranks_count(all)), s->directory);
    signals_listen();
    code = sweep_ranks_agree(all, make_all(s, o, all));
    if (leads)
        remove_taken(s);
    if (leads && !code)
        code = look_at_all(s, o);
    return sweep_ranks_agree(all, code);
}
