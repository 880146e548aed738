/* shared_run.h - one evaluation by several ranks, each of which has all particles and makes the same call. The targets
 * are shared out (or, if there are few, the sources), and every rank gets all results. Results have the bits of one
 * rank: sums that depend on the order of their contributions are divided where one rank divides them as well, all
 * others anywhere. */
#ifndef MYR_INTERACTION_SHARED_RUN_H
#define MYR_INTERACTION_SHARED_RUN_H

#include "interaction/interaction.h"

/* Pairs below which an evaluation is not shared, because communication costs more than it saves: every rank evaluates
 * all targets. */
#define MYR_SHARED_PAIRS 2e5

/* The same where each rank sums on a GPU, of which a pair takes a thousandth of the time on a processor. */
#define MYR_SHARED_PAIRS_GPU 1e9

/* Returns 1 if the ranks share an evaluation of a problem, by pairs or with a far field; the same on all ranks. */
int myr_shared_run_wanted(const myr_interaction *f, const myr_direct *problem, int by_pairs);

/* Sums a problem directly, like myr_direct_run but without net sums; collective. */
myr_status myr_shared_run_direct(myr_interaction *f, const myr_direct *problem, myr_direct_result *result);

/* Evaluates a problem with the interaction's method, one with a tree, without net sums; collective. */
myr_status myr_shared_run_far(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result);

/* Evaluates particles of which each rank has some, of `all`, by the method's far field: row[targets] are the ascending
 * numbers of this rank's, which are the targets and the sources of the problem. Grids and settings must have been
 * chosen. *refused = 1: a value does not fit them, and the particles must be evaluated together; collective. */
myr_status myr_shared_run_divided(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                  const int64_t *row, int64_t all, myr_direct_result *result, int *refused);

/* Gives each rank the particles that were in its leaves in the last such evaluation: when all ranks have all particles.
 */
void myr_shared_run_settle(myr_interaction *f);

/* Frees the buffers of the interaction. */
void myr_shared_run_free(myr_interaction *f);

#endif
