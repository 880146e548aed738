/* rank_process.c - the program as one process of several ranks: who speaks, and how all end together. */
#include "rank_process.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "rank_roles.h"

enum { LEAVE_MICROSECONDS = 500000 };

static int rank_stderr = -1; /* standard error of a rank that is silent */

int ranks_begin(void)
{
    const int me = myr_ranks_told(NULL);
    if (me == 0)
        return 0;
    rank_stderr = dup(STDERR_FILENO);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        rank_stderr = -1;
    setvbuf(stderr, NULL, _IONBF, 0); /* what is said before all are ended is out by then */
    return me;
}

int ranks_leave(int code)
{
    if (code)
        usleep(LEAVE_MICROSECONDS);
    return code;
}

static void speak(void)
{
    fflush(stderr);
    if (rank_stderr >= 0)
        dup2(rank_stderr, STDERR_FILENO);
}

/* Others may be waiting for this process in MPI already, and not every launcher ends them when one exits; all do when
 * one is killed. If rank 0 cannot join either, it has said why and all is over before another one speaks. */
static void cannot_join(void)
{
    if (rank_stderr >= 0) {
        usleep(8 * LEAVE_MICROSECONDS);
        speak();
        fprintf(stderr, "myriad: rank %d: %s\n", myr_ranks_told(NULL), cli_said());
    }
    fflush(NULL);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

int ranks_join(myr_context *context)
{
    const int code = cli_check(context, myr_ranks_open(context));
    if (code)
        cannot_join();
    return code ? code : ranks_compare_builds(context);
}

int ranks_end(myr_context *context, int code)
{
    if (!context || myr_ranks_count(context) == 1)
        return code;
    const myr_status status = myr_ranks_tell(context, code ? MYR_ERROR_CANCELLED : MYR_OK, cli_said());
    if (myr_ranks_lost(context)) {
        if (ranks_follows(context)) {
            speak();
            cli_fail(code, "rank %d: %s", myr_ranks_me(context), myr_context_message(context));
        }
        myr_ranks_abort(context, code ? code : CLI_FAILED);
    }
    if (ranks_follows(context)) /* that of rank 0 is the exit code of all */
        return CLI_OK;
    return code ? code : cli_check(context, status);
}
