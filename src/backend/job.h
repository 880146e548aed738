/* job.h - description of one evaluation for a backend: loop and particles. */
#ifndef MYR_BACKEND_JOB_H
#define MYR_BACKEND_JOB_H

#include "backend/tile.h"
#include "core/context.h"

enum {
    MYR_SIDE_COMPONENTS = 32, /* largest number of lane components per particle */
    MYR_SIDE_COORDS = 3       /* largest number of coordinates per particle */
};

/* Particles in the layout of the loops: one array of reals per lane component, and types. */
typedef struct {
    int64_t n;                            /* number of particles */
    void *component[MYR_SIDE_COMPONENTS]; /* arrays of reals, each padded by one vector of readable reals */
    const int32_t *type;                  /* type of each particle; null if the kernel has no pair table */
    /* Parts of the coordinates that single arithmetic rounds away, x - (float)x: no loop reads them, only the
     * measurement of an error. Null if the arrays above hold the coordinates. */
    float *rest[MYR_SIDE_COORDS];
} myr_side;

/* Excluded partners of each target, in the format of myr_interaction_set_exclusions. */
typedef struct {
    const int64_t *offset, *partner;
} myr_exclusions;

/* Part of the direct sums of an evaluation that several ranks share. The results of other targets are not written. */
typedef struct {
    int64_t first, last;               /* targets first .. last - 1, whole blocks (method/direct.h); last = 0: all */
    int64_t source_first, source_last; /* sources, of sums that do not depend on their order; source_last = 0: all */
} myr_direct_part;

/* Share of a rank in the targets of a method with a tree; the method divides them, in the same way on all ranks, and
 * evaluates those of its rank. */
typedef struct {
    int rank, ranks;
    int64_t
        *first; /* [ranks + 1], written by the method: rank k has targets order[first[k]] .. order[first[k + 1] - 1] */
    int64_t *order;  /* [targets], written by the method */
    int *is_divided; /* written by the method: 1 = `order` holds the targets of this rank only */
    double *seconds; /* time of exchanges between ranks, added to by the method */
    /* If set, targets and sources of the problem are the particles of this rank alone, of `all`: row[targets],
     * ascending, are their numbers. The results of these are written, and neither `first` nor `order`. */
    const int64_t *row;
    int64_t all;
    int64_t **next; /* if set: receives the numbers, ascending, of the particles in this rank's leaves, to be freed */
    int64_t *nexts; /* their number */
} myr_direct_share;

/* One evaluation. */
typedef struct {
    myr_context *context;
    const struct myr_gpu *gpu; /* GPU to run on; null = processor */
    const myr_unit *unit;
    const char *kernel_text; /* header of a kernel made from source, for a GPU; null = kernel of the library */
    const myr_loops *loops;
    myr_side target, source;
    const int64_t *at; /* [targets]: index of each target in the arrays of `target`; null = identity */
    int64_t targets;   /* number of targets */
    /* [targets]: index of the target among the sources, or -1; null = targets are no sources */
    const int64_t *self;
    const int64_t *original;  /* [targets]: row of each target in the exclusions; null = identity */
    const double *constant;   /* constants of the formula */
    const double *pair_table; /* [types][types][pair], in the form of the formula */
    int types;
    myr_exclusions excluded;                     /* pairs masked during summation; null offsets = none */
    myr_exclusions subtracted;                   /* pairs subtracted after summation; null offsets = none */
    int by_processor;                            /* 1 = the processor subtracts these pairs from the sums of a GPU */
    myr_acc_scale scale[MYR_KERNEL_OUTPUTS_MAX]; /* scale per output component */
    double factor;                               /* factor of every sum */
    int careful;                                 /* 1 = all pairs through the careful loop */
    int unlimited;                               /* 1 = the kernel has a cutoff parameter, and it is not set */
    int64_t splits, bag;                         /* number of source splits and entries per bag; 0 = automatic */
    myr_direct_part part;                        /* zeros = all sums; processor only */
    const myr_direct_share *share;               /* methods with a tree on the processor; null = all targets */
} myr_direct;

typedef struct {
    double *value[MYR_KERNEL_OUTPUTS_MAX]; /* [targets] each, allocated by the caller */
    /* [targets][outputs][words]: accumulators of the values, allocated by the caller; null = not requested. Direct
     * sums only */
    myr_word *sum;
    myr_word net[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_WORDS]; /* sum over all targets, merged by the accumulator */
    double most[MYR_KERNEL_OUTPUTS_MAX];                 /* `range` only: largest contribution to any target */
    int64_t beyond[MYR_KERNEL_OUTPUTS_MAX];              /* `fixed`, direct sums: contributions beyond the grid */
    int64_t skipped;
    int64_t splits;
    uint32_t flag;     /* 1 = a contribution or sum exceeded the accumulator's range */
    int64_t first_bad; /* index of a target with a value that is not finite, or -1 */
} myr_direct_result;

/* Sets the result of an evaluation without targets; pointers to the caller's arrays are kept. */
static inline void myr_direct_result_clear(myr_direct_result *result)
{
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++) {
        result->most[k] = 0;
        result->beyond[k] = 0;
        for (int w = 0; w < MYR_ACC_WORDS; w++)
            result->net[k][w].i = 0;
    }
    result->skipped = 0;
    result->flag = 0;
    result->splits = 1;
    result->first_bad = -1;
}

#endif
