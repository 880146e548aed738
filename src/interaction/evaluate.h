/* evaluate.h - evaluation of a problem, with repetitions until the result is valid. */
#ifndef MYR_INTERACTION_EVALUATE_H
#define MYR_INTERACTION_EVALUATE_H

#include "interaction/interaction.h"

/* Checks that the choices are compatible, and finds the instruction set for this number of pairs. */
myr_status myr_evaluate_check(const myr_interaction *f, double pairs, const myr_isa_table **isa);

/* Chooses fixed-point grids if the accumulator needs them, runs, and repeats the run if a contribution exceeded its
 * grid or if particles without softening coincided. result->value[k] are arrays of the caller, one per output
 * component. label[i] names target i in messages; null = its index. If a GPU chosen by backend auto fails, the problem
 * moves to the processor permanently, with a warning. */
myr_status myr_evaluate_problem(myr_interaction *f, const myr_isa_table *isa, myr_problem *problem,
                                const int64_t *label, myr_direct_result *result);

/* Chooses the grids of `fixed` sums for the problem, as an evaluation of all particles does when that is due. */
myr_status myr_evaluate_choose_grids(myr_interaction *f, myr_problem *problem, const int64_t *label);

#endif
