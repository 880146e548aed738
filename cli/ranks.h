/* ranks.h - the program on several ranks: rank 0 reads, writes and speaks, the others compute with it. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <myriad/myriad.h>

/* Joins the ranks of a launcher. All but rank 0 are silent from then on. */
int ranks_join(myr_context *context);

/* Whether this rank only computes. */
int ranks_follows(const myr_context *context);

/* The end of the program's work with exit code `code`, after the simulation is destroyed. A rank that failed before the
 * others were told tells them; one that failed where they wait for its messages says why, and ends them. */
int ranks_end(myr_context *context, int code);

#endif
