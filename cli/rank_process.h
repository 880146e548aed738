/* rank_process.h - the program as one process of several ranks: rank 0 reads, writes and speaks, the others compute
 * with it. Without a launcher none of these does anything. */
#ifndef MYR_CLI_RANK_PROCESS_H
#define MYR_CLI_RANK_PROCESS_H

#include <myriad/myriad.h>

/* For main, before anything is said: silences a process that is not the first of several. Gives its number. */
int ranks_begin(void);

/* The exit code of such a process, after a moment where it has failed: launchers end all when one fails, and the first
 * has something to say. */
int ranks_leave(int code);

/* Joins the ranks of a launcher; fails where they are not of one build. */
int ranks_join(myr_context *context);

/* The end of the program's work with exit code `code`, after the simulation is destroyed. A rank that failed before the
 * others were told tells them; one that failed where they wait for its messages says why, and ends them. */
int ranks_end(myr_context *context, int code);

#endif
