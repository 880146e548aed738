/* interaction.h - internal state of an interaction: the four choices and their data. */
#ifndef MYR_INTERACTION_H
#define MYR_INTERACTION_H

#include <myriad/interaction.h>

#include "interaction/catalogue.h"
#include "interaction/kernel_registry.h"
#include "interaction/method.h"
#include "method/direct.h"

/* Fixed-point grid of one output field; see accumulator.h. */
typedef struct {
    int exponent;
    int known;   /* 1 = chosen from data, or set */
    int by_user; /* 1 = set by the user, never changed */
} myr_grid;

/* Lengths per pair of types that replace one length for all pairs, for particles in a box only: "cutoff", "inner". */
enum { MYR_PAIR_CUTOFF, MYR_PAIR_INNER, MYR_PAIR_LENGTHS };
const char *myr_interaction_pair_length(int k);

struct myr_interaction {
    myr_context *context;
    int kernel, accumulator, arithmetic, method, backend; /* indices into the catalogue */
    int isa;                                              /* index, or -1 = the best instruction set of the backend */
    double parameter[MYR_KERNEL_PARAMETERS];
    int types;
    double *pair[MYR_KERNEL_PAIR_MAX]; /* [types][types]: pair parameters as set by the user */
    double *length[MYR_PAIR_LENGTHS];  /* [types][types]: lengths per pair; null = one length for all pairs */
    int64_t excluded_targets;
    int64_t *offset, *partner;
    myr_exclusion_mode exclusion_mode;
    myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS];
    int64_t grid_age;  /* number of targets evaluated since the grids were chosen */
    int grid_is_spare; /* 1 = grids of `fixed` hold all contributions that are seen, and spare bits */
    int grid_is_due;   /* 1 = the next evaluation of all particles chooses grids again */
    int64_t splits, bag;
    int unroll;          /* 10 i + j, benchmarks only; 0 = default */
    int careful;         /* 1 = requested, or coincident particles were found */
    int negative_masses; /* 1 = negative masses are allowed in gravity kernels */
    myr_evaluation last;
    double net[MYR_KERNEL_OUTPUTS_MAX]; /* sums over the targets of the last evaluation */
    int64_t *subset;                    /* targets of the last evaluation; null = all */
    int evaluated;
    myr_method_state method_state;
    struct myr_near *near; /* of myr_interaction_near; null = not used yet */
    /* Several ranks that make the same evaluations (shared_run.h): pairs from which the present evaluation is shared, 0
     * = not; 1 = no GPU is chosen; buffer and its number of words. */
    double shared_from;
    int without_gpu;
    int on_host;     /* 1 = the particles move on a GPU by themselves, and evaluations here are the processor's */
    int in_ensemble; /* 1 = they belong to a system of an ensemble, which has the GPU */
    uint64_t *shared_words;
    int64_t shared_room;
    int64_t shared_runs; /* number of evaluations that were shared, and seconds in the exchange of their results */
    double shared_seconds;
    /* Numbers, ascending, of the particles whose leaves this rank had in the last evaluation whose particles were
     * divided (method/fmm/fmm_divided.c); [shared_own], null = there was none, or a rank had no particles. */
    int64_t *shared_rows, shared_own, shared_all; /* shared_all: number of particles of all ranks */
    int64_t *shared_next, shared_nexts;           /* the same of a later evaluation, for the next steps */
    myr_divided_report divided;
};

/* Frees the lists of near sources: near.c. */
void myr_near_destroy(struct myr_near **near);

/* Descriptor of the chosen kernel. */
const myr_kernel_desc *myr_interaction_desc(const myr_interaction *f);

/* Instruction set for the choices and a number of pairs: backend `auto` takes a GPU if there is one and the work is
 * large enough. Null with a message if none fits. */
const myr_isa_table *myr_interaction_isa(const myr_interaction *f, double pairs);

/* Output field of a component. */
int myr_interaction_output_field(const myr_kernel_desc *desc, int component);

/* Data of one evaluation, made from an interaction and its particles. */
typedef struct {
    myr_direct direct;
    myr_loops unrolled; /* loops of the problem with another unrolling */
    double constant[MYR_KERNEL_CONSTANTS_MAX];
    double *pair_table;
    int64_t *self;
    void *reals[2]; /* components of targets and of sources */
    int32_t *type;  /* types of listed targets */
} myr_problem;

/* Makes the problem for the targets (all, or the n listed) and sources; checks fields, numbers and types. */
myr_status myr_problem_make(const myr_interaction *f, int arithmetic, const myr_isa_table *isa,
                            const myr_particles *targets, int64_t n, const int64_t *index, const myr_particles *sources,
                            myr_problem *problem);

/* Makes the problem of n targets of another one (their indices in its target arrays), in double arithmetic on the
 * processor, with coordinates as they were before single arithmetic rounded them. Kernels without a pair table. */
myr_status myr_problem_widen(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *from, int64_t n,
                             const int64_t *at, myr_problem *problem);

/* Frees the problem's arrays. */
void myr_problem_free(myr_problem *problem);

/* Replaces the loop by one with the requested unrolling (tuning "unroll"); returns 0 with a message if there is
 * none. */
int myr_problem_unroll(myr_problem *problem, const myr_isa_table *isa, const myr_interaction *f);

/* Sets the compiled loop and the grid exponents (one per output field) of a problem. */
void myr_problem_use(myr_problem *problem, myr_acc_loop loop, int accumulator, const myr_grid *grid);

/* Finds grids for the problem with spare bits (more if its targets are a sample), by running `range` over it (with the
 * interaction's method, except for samples); a known grid is only raised. If a contribution is not finite nothing
 * changes and *first_bad is its target. *lacking: an output field whose grid, set by the user, is too small, or -1. */
myr_status myr_scale_choose(myr_interaction *f, const myr_isa_table *isa, const myr_problem *problem, int is_sample,
                            int64_t *first_bad, int *lacking);

enum { SCALE_SAMPLE = 64 }; /* largest number of targets sampled for the choice of a grid */

/* Targets with the lowest hashes of their positions: a sample that does not depend on the order of the targets. Returns
 * their number, at most SCALE_SAMPLE. */
int64_t myr_scale_pick(const myr_direct *d, int64_t picked[SCALE_SAMPLE]);

/* Chooses grids of `fixed` from a sample of targets; a known grid is kept unless it is several bits off, and one that
 * the user set always. If a contribution is not finite nothing changes and *first_bad is its target. */
myr_status myr_scale_choose_fixed(myr_interaction *f, const myr_problem *sample, int64_t *first_bad);

/* Number of evaluations of all particles after which grids of `fixed` are chosen again. */
enum { MYR_GRID_EVALUATIONS = 256 };

/* Returns 1 if the grids of `fixed` have to be chosen again for n particles. Called between steps only, because a grid
 * must not change within one. */
int myr_interaction_grid_is_old(const myr_interaction *f, int64_t n);

/* Has the next evaluation of all particles choose grids of `fixed` again. */
void myr_interaction_renew_grid(myr_interaction *f);

/* Returns 1 if everything is chosen that the first evaluation chooses: grids, settings of the method. */
int myr_interaction_is_ready(const myr_interaction *f);

/* Sorts n sizes in ascending order. */
void myr_scale_sort(double *size, int64_t n);

/* Range of grid exponents; mantissa: stored bits of the arithmetic's significand. */
void myr_scale_limits(int accumulator, int mantissa, int *low, int *high);

/* Returns 1 if an accumulator has grids. */
int myr_scale_needed(int accumulator);

#endif
