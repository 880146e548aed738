/* rank_roles.h - a run on several ranks: rank 0 reads, writes and speaks, the others compute with it. Without a
 * launcher none of these does anything. */
#ifndef MYR_RUNS_RANK_ROLES_H
#define MYR_RUNS_RANK_ROLES_H

#include <myriad/myriad.h>

#include "input/input.h"

/* Fails where the ranks are not of one build. */
int ranks_compare_builds(myr_context *context);

/* Whether this rank only computes. */
int ranks_follows(const myr_context *context);

/* Fails where a rank has another text than rank 0; `what` says what it is. */
int ranks_compare(myr_context *context, const char *what, const char *text);

/* Says, where it is not to be quiet, that the ranks of this machine have more threads than it has cores. */
void ranks_note_crowd(const myr_context *context, int quiet);

/* How the ranks of a run work together, from its input. */
int ranks_choose(const input *in, myr_context *context, myr_simulation *simulation);

#endif
