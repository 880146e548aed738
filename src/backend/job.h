/* job.h - one evaluation as a backend gets it: which loop over which particles. */
#ifndef MYR_BACKEND_JOB_H
#define MYR_BACKEND_JOB_H

#include "backend/tile.h"
#include "core/context.h"

enum { MYR_SIDE_COMPONENTS = 32 }; /* lane components per particle at most */

/* Particles as the loops want them: one array of reals per lane component, and types. */
typedef struct {
    int64_t n;                            /* particles in the arrays */
    void *component[MYR_SIDE_COMPONENTS]; /* each padded with a lane of readable reals */
    const int32_t *type;                  /* null where the kernel has no table per pair of types */
} myr_side;

/* Excluded partners of each target, as myr_interaction_set_exclusions takes them. */
typedef struct {
    const int64_t *offset, *partner;
} myr_exclusions;

/* One evaluation: which loop over which particles. */
typedef struct {
    myr_context *context;
    const struct myr_gpu *gpu; /* where it runs; null = on the processor */
    const myr_unit *unit;
    const char *kernel_text; /* the header of a kernel that was made from source, for a GPU; null = the library's */
    const myr_loops *loops;
    myr_side target, source;
    const int64_t *at;        /* [targets]: where each target is in the arrays of `target`; null = its own number */
    int64_t targets;          /* how many */
    const int64_t *self;      /* [targets]: where the target itself is among the sources, or -1; null = nowhere */
    const int64_t *original;  /* [targets]: row of each target in the exclusions; null = its own index */
    const double *constant;   /* of the formula */
    const double *pair_table; /* [types][types][pair] as the formula wants it */
    int types;
    myr_exclusions excluded;                     /* masked on the fly; null offsets = none */
    myr_exclusions subtracted;                   /* taken off afterwards; null offsets = none */
    int by_processor;                            /* the processor takes them off what a GPU has summed */
    myr_acc_scale scale[MYR_KERNEL_OUTPUTS_MAX]; /* per output component */
    double factor;                               /* multiplies every sum */
    int careful;                                 /* all pairs through the careful loop */
    int unlimited;                               /* the kernel has a cutoff, and none was set */
    int64_t splits, bag;                         /* 0 = automatic */
} myr_direct;

typedef struct {
    double *value[MYR_KERNEL_OUTPUTS_MAX]; /* [targets] each, provided by the caller */
    myr_word *sum; /* [targets][outputs][words], what the values were made of, provided by the caller; null = not
                    * wanted (a GPU's only) */
    myr_word net[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_WORDS]; /* sum over all targets, merged by the accumulator */
    double most[MYR_KERNEL_OUTPUTS_MAX];                 /* `range` only: largest contribution to any target */
    int64_t skipped;
    int64_t splits;
    uint32_t flag;     /* a contribution or sum left the accumulator's range */
    int64_t first_bad; /* a target with a value that is not finite, or -1 */
} myr_direct_result;

/* The result of no targets; where the numbers and sums go stays as it is. */
static inline void myr_direct_result_clear(myr_direct_result *result)
{
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++) {
        result->most[k] = 0;
        for (int w = 0; w < MYR_ACC_WORDS; w++)
            result->net[k][w].i = 0;
    }
    result->skipped = 0;
    result->flag = 0;
    result->splits = 1;
    result->first_bad = -1;
}

#endif
