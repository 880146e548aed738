/* sweep_ranks.h - the runs of a sweep on the ranks of a launcher, which form groups. */
#ifndef MYR_CLI_SWEEP_RANKS_H
#define MYR_CLI_SWEEP_RANKS_H

#include "sweep_jobs.h"

/* Makes every run that has not finished, and reads what became of all of them; rank 0 has taken the directory. Every
 * group takes the next run that no other has taken. Collective; gives the exit code. */
int sweep_ranks_run(sweep *s, const sweep_options *o, myr_context *all);

/* A failure of any rank becomes one of all; gives the exit code. */
int sweep_ranks_agree(myr_context *all, int code);

#endif
