/* rank_roles.h - the program on several ranks: rank 0 reads, writes and speaks, the others compute with it. Without a
 * launcher none of these does anything. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <myriad/myriad.h>

#include "input/input.h"

/* For main, before anything is said: silences a process that is not the first of several. Gives its number. */
int ranks_begin(void);

/* The exit code of such a process, after a moment where it has failed: launchers end all when one fails, and the first
 * has something to say. */
int ranks_leave(int code);

/* Joins the ranks of a launcher; fails where they are not of one build. */
int ranks_join(myr_context *context);

/* Whether this rank only computes. */
int ranks_follows(const myr_context *context);

/* Fails where a rank has another text than rank 0; `what` says what it is. */
int ranks_compare(myr_context *context, const char *what, const char *text);

/* Says, where it is not to be quiet, that the ranks of this machine have more threads than it has cores. */
void ranks_note_crowd(const myr_context *context, int quiet);

/* How the ranks of a run work together, from its input. */
int ranks_choose(const input *in, myr_context *context, myr_simulation *simulation);

/* The end of the program's work with exit code `code`, after the simulation is destroyed. A rank that failed before the
 * others were told tells them; one that failed where they wait for its messages says why, and ends them. */
int ranks_end(myr_context *context, int code);

#endif
