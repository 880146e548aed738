/* run_failure.c - a run that cannot go on because of a file, memory or a lost GPU: a checkpoint where the state allows
 * one, else the last good state, and a run.json that says why. */
#include <stdlib.h>

#include "run/run.h"

/* Closes a table and opens it again, cut back to what the counters say: a line half written is gone. */
static int reopen(run *r, FILE **file, int (*open)(run *r))
{
    if (!*file)
        return CLI_OK;
    (void)fclose(*file); /* fails again where the line did */
    *file = NULL;
    return open(r);
}

/* Checkpoint of a state whose outputs may not all be written: a run that is continued writes those first. */
static int rescue(run *r)
{
    int code = reopen(r, &r->csv, run_open_diagnostics);
    if (!code)
        code = reopen(r, &r->spectra_csv, run_open_spectra);
    if (!code)
        code = reopen(r, &r->probes_csv, run_open_probes);
    if (!code)
        code = reopen(r, &r->hashes_csv, run_open_hashes);
    if (!code)
        code = run_reopen_trajectory(r);
    return code ? code : run_save(r);
}

int run_fail(run *r, int code)
{
    if (!r->reason[0])
        snprintf(r->reason, sizeof r->reason, "%.*s", (int)sizeof r->reason - 1, cli_said());
    r->code = code;
    cli_mute(1); /* the first failure has been told; what follows from it says nothing new */
    const int alone = !r->parted && !myr_ranks_lost(r->context);
    if (alone && (!r->is_whole || rescue(r) != CLI_OK) && r->has_good) /* a lost GPU leaves no state to rescue */
        (void)run_write_snapshot(r, r->good, r->good_time, "last_good");
    (void)run_write_facts(r, "failed");
    cli_mute(0);
    return code;
}
