/* ranks.c - one program on several ranks. */
#include "ranks.h"

#include <stdio.h>
#include <unistd.h>

#include "cli.h"

static int voice = -1; /* standard error of a rank that is silent */

static void silence(void)
{
    fflush(stdout);
    fflush(stderr);
    voice = dup(STDERR_FILENO);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        voice = -1;
}

static void speak(void)
{
    fflush(stderr);
    if (voice >= 0)
        dup2(voice, STDERR_FILENO);
}

int ranks_join(myr_context *context)
{
    const myr_status status = myr_ranks_open(context);
    if (myr_ranks_me(context) > 0)
        silence();
    return cli_check(context, status);
}

int ranks_follows(const myr_context *context)
{
    return myr_ranks_count(context) > 1 && myr_ranks_me(context) > 0;
}

int ranks_end(myr_context *context, int code)
{
    if (!context || myr_ranks_count(context) == 1)
        return code;
    (void)myr_ranks_tell(context, code ? MYR_ERROR_CANCELLED : MYR_OK, cli_said());
    if (myr_ranks_lost(context)) {
        if (ranks_follows(context)) {
            speak();
            cli_fail(code, "rank %d: %s", myr_ranks_me(context), myr_context_message(context));
        }
        myr_ranks_abort(context, code ? code : CLI_FAILED);
    }
    return ranks_follows(context) ? CLI_OK : code; /* that of rank 0 is the exit code of all */
}
