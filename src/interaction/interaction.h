/* interaction.h - the inside of an interaction: the four choices and what they need. */
#ifndef MYR_INTERACTION_H
#define MYR_INTERACTION_H

#include <myriad/interaction.h>

#include "interaction/catalogue.h"
#include "interaction/kernel_registry.h"
#include "interaction/method.h"
#include "method/direct.h"

/* The grid of one output field; see accumulator.h. */
typedef struct {
    int exponent;
    int known;   /* chosen from data or set */
    int by_user; /* set: never changed */
} myr_grid;

struct myr_interaction {
    myr_context *context;
    int kernel, accumulator, arithmetic, method, backend; /* indices into the catalogue */
    int isa;                                              /* index, or -1 = the best that the backend has */
    double parameter[MYR_KERNEL_PARAMETERS];
    int types;
    double *pair[MYR_KERNEL_PAIR_MAX]; /* as the user gave them: [types][types] */
    int64_t excluded_targets;
    int64_t *offset, *partner;
    myr_exclusion_mode exclusion_mode;
    myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS];
    int64_t splits, bag;
    int unroll;  /* 10 i + j, bench only; 0 = as shipped */
    int careful; /* asked for, or coincident bodies were seen */
    myr_evaluation last;
    double net[MYR_KERNEL_OUTPUTS_MAX]; /* sums over the targets of the last evaluation */
    int64_t *subset;                    /* the targets of the last evaluation; null = all of the set */
    int evaluated;
    myr_method_state method_state;
};

/* The descriptor of the chosen kernel. */
const myr_kernel_desc *myr_interaction_desc(const myr_interaction *f);

/* The instruction set that the choices come to for so many pairs: backend `auto` takes a GPU where there is one and the
 * work is worth the way there. Null and a message where none fits. */
const myr_isa_table *myr_interaction_isa(const myr_interaction *f, double pairs);

/* Which output field a component belongs to. */
int myr_interaction_output_field(const myr_kernel_desc *desc, int component);

/* Everything that one evaluation needs, made from an interaction and its particles. */
typedef struct {
    myr_direct direct;
    myr_loops unrolled; /* the loops of the problem, with another unrolling */
    double constant[MYR_KERNEL_CONSTANTS_MAX];
    double *pair_table;
    int64_t *self;
    void *reals[2]; /* the components of targets and sources */
    int32_t *type;  /* of listed targets */
} myr_problem;

/* Builds it for the targets (all, or the n listed) and sources; checks fields, numbers and types on the way. */
myr_status myr_problem_make(const myr_interaction *f, int arithmetic, const myr_isa_table *isa,
                            const myr_particles *targets, int64_t n, const int64_t *index, const myr_particles *sources,
                            myr_problem *problem);

/* Frees what it holds. */
void myr_problem_free(myr_problem *problem);

/* Exchanges the loop for one unrolled as asked (tuning "unroll"); 0 and a message where there is none. */
int myr_problem_unroll(myr_problem *problem, const myr_isa_table *isa, const myr_interaction *f);

/* Points the problem at a compiled loop and at grids with these exponents (one per output field). */
void myr_problem_use(myr_problem *problem, myr_acc_loop loop, int accumulator, const myr_grid *grid);

/* Finds grids that fit the problem with bits to spare (more where its targets are only a sample), by running `range`
 * over it (with the interaction's method, but for samples); a grid that is known is only ever raised. Where a
 * contribution is not finite nothing changes and first_bad names a target. lacking: an output field whose grid the user
 * set and which is too small, or -1. */
myr_status myr_scale_choose(myr_interaction *f, const myr_isa_table *isa, const myr_problem *problem, int is_sample,
                            int64_t *first_bad, int *lacking);

/* The exponents that a grid may have; mantissa: stored bits of the arithmetic's significand. */
void myr_scale_limits(int accumulator, int mantissa, int *low, int *high);

/* Whether an accumulator has grids. */
int myr_scale_needed(int accumulator);

#endif
