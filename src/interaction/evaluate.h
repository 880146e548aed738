/* evaluate.h - running a problem until its answer stands. */
#ifndef MYR_INTERACTION_EVALUATE_H
#define MYR_INTERACTION_EVALUATE_H

#include "interaction/interaction.h"

/* Checks that the choices go together and finds the instruction set for so many pairs. */
myr_status myr_evaluate_check(const myr_interaction *f, double pairs, const myr_isa_table **isa);

/* Chooses grids where the accumulator needs them, runs, and runs again where the answer was not to be had: a
 * contribution left its grid, or bodies without softening were at the same place. result->value[k] are the caller's
 * arrays, one per output component. label[i] names target i in messages; null = its number. Where a GPU fails that
 * backend auto chose, the problem moves to the processor for good, with a warning. */
myr_status myr_evaluate_problem(myr_interaction *f, const myr_isa_table *isa, myr_problem *problem,
                                const int64_t *label, myr_direct_result *result);

#endif
