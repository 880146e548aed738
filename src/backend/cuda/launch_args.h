/* launch_args.h - arguments of the device kernels of sweep.cuh. Compiled by the host's compiler and by NVRTC, which
 * must agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_LAUNCH_ARGS_H
#define MYR_BACKEND_CUDA_LAUNCH_ARGS_H

#include "backend/motion.h"
#include "backend/tile.h"

enum {
    MYR_CUDA_BAG_ALIGN = 16, /* alignment in bytes of a source in shared memory */
    MYR_CUDA_BLOCK = 256,    /* threads per block of the kernels that pack, merge and list */
    MYR_CUDA_DIGITS = 8      /* digits of a wide integer, of 32 bits each in 64, so that adding them needs no carries */
};

/* Wide integer as digits: the sum of digit[k] * 2^(32 k). */
typedef struct {
    long long digit[MYR_CUDA_DIGITS];
} myr_cuda_digits;

/* Number in the arithmetic of the kernel, so that the device need not convert it repeatedly. */
typedef union {
    float single;
    double wide;
} myr_cuda_real;

/* Constants of a fixed-point grid used by the loop. */
typedef struct {
    myr_cuda_real large, both, coarse, middle;
} myr_cuda_grid;

/* Excluded partners, ascending per row: offset[rows + 1], partner[offset[rows]]. */
typedef struct {
    const int64_t *offset;
    const int32_t *partner;
} myr_cuda_exclusions;

/* Report of an evaluation in device memory, cleared before the evaluation. */
typedef struct {
    unsigned long long skipped;                        /* number of skipped coincident pairs */
    unsigned long long beyond[MYR_KERNEL_OUTPUTS_MAX]; /* contributions added to wide integers, per output */
    myr_cuda_digits net[MYR_KERNEL_OUTPUTS_MAX];       /* sums of the wide integers of all targets */
    uint32_t flag;                                     /* 1 = a contribution could not be added */
    /* 1 + number of targets - index of the first target that is not finite; 0 = all are finite */
    int32_t bad;
} myr_cuda_report;

/* Arguments of a sweep of targets x sources. Targets and sources are packed records: coordinates (hi, lo), then fields,
 * as in a bag of vectors. */
typedef struct {
    const void *target;  /* [targets][target stride] */
    const void *source;  /* [sources][source stride] */
    const int32_t *at;   /* [targets]: source record of each target if targets are sources; null = identity */
    const int32_t *self; /* [targets]: index of the target among the sources, or -1; null = targets are no sources */
    const int32_t *row;  /* [targets]: row of the exclusions; null = identity */
    const int32_t *target_type;            /* [targets], for kernels with pair tables */
    const void *pair_table;                /* [types][types][pair stride] */
    myr_cuda_exclusions excluded;          /* null offset = none */
    double *value[MYR_KERNEL_OUTPUTS_MAX]; /* [targets] each, used if `part` is null; entries may be null */
    myr_word *part;                        /* [splits][targets][outputs][loop words]: partial sums */
    /* wide integers of `fixed` sums: [targets][outputs], and [targets]: 1 = not all are 0. Both are 0 before a sweep,
     * and again after the sums are finished */
    myr_cuda_digits *over;
    uint32_t *over_used;
    myr_cuda_report *report;
    int64_t targets, sources;
    int64_t origin;    /* index of the first source, if sources are processed in parts */
    int64_t per_split; /* sources per split */
    int32_t types;
    int32_t bag;     /* sources per bag */
    int32_t careful; /* 1 = all pairs through the careful loop */
    double factor;
    myr_cuda_real constant[MYR_KERNEL_CONSTANTS_MAX];
    myr_cuda_grid grid[MYR_KERNEL_SUMS_MAX];
    myr_acc_scale scale[MYR_KERNEL_SUMS_MAX];
} myr_cuda_sweep;

/* Arguments of the kernel that merges the splits of a sweep and subtracts listed partners. */
typedef struct {
    /* the sweep: its targets, scale, factor, value, report; `part` as left by the sweep */
    myr_cuda_sweep sweep;
    myr_cuda_exclusions subtracted; /* null offset = none */
    /* [blocks][outputs][loop words]: sums over the targets of a block; null = not requested */
    myr_word *net;
    int32_t keep; /* 1 = the merged sums are kept in the first split of `part`, and the wide integers too */
    int64_t splits;
} myr_cuda_finish;

/* Arguments of the kernel that packs records from arrays of reals, one per component: record r is particle at[r]. */
typedef struct {
    const void *component; /* [components][n] */
    const int32_t *at;     /* null = identity */
    const int32_t *type;   /* type of each particle, stored after the components; null = none */
    void *record;          /* [records][stride] */
    int64_t n, records;
    int32_t components, stride;
    int32_t row; /* bytes of an entry of the pair table: a type is stored as an offset into a row of the table */
} myr_cuda_pack;

/* --- motion.cuh --------------------------------------------------------------------------------------------------- */
enum { MYR_CUDA_SUMS = 24 };

/* Particles integrated on the device. Arrays of n doubles. */
typedef struct {
    double *x[3], *v[3], *a[3], *j[3], *own, *step, *end; /* a to end: Hermite scheme only, null otherwise */
    /* records read by the sweeps; fields that do not move are kept */
    void *record;
    int64_t n;
    int32_t velocity; /* first component in a record of the vector `v` (velocity or strength), or -1 */
} myr_cuda_bodies;

/* Sums executed in turn for each particle, followed by an update of the particle's record. */
typedef struct {
    motion_sum sum[MYR_CUDA_SUMS];
    myr_cuda_bodies bodies; /* record = null: no update */
    int32_t sums;
} myr_cuda_move;

/* State of a launch of block steps, in device memory. */
typedef enum {
    MYR_CUDA_GOING,
    MYR_CUDA_AT_END,  /* the next step passes `stop` */
    MYR_CUDA_STOPPED, /* the next step needs the processor */
    MYR_CUDA_RENEW    /* grids are to be chosen again at the places at which the next step ends */
} myr_cuda_state;
typedef struct {
    unsigned long long next[3]; /* bits of the next end of a step, in rotation */
    long long steps, particle_steps;
    double time;
    int32_t active[3]; /* numbers of active particles, in rotation */
    int32_t last;      /* number of active particles in the last step */
    int32_t state;     /* myr_cuda_state */
    int32_t undo;      /* 1 = a particle requires a step below dt_min; the step must be undone */
    unsigned barrier;
} myr_cuda_progress;

/* Arguments of block steps with the Hermite scheme until `stop`, at most `most` steps. */
typedef struct {
    myr_cuda_sweep sweep; /* outputs 0 to 5: acceleration and jerk; `part` has room for every work item */
    myr_cuda_bodies bodies;
    myr_cuda_progress *progress;
    int32_t *active; /* [n]: list of active particles */
    double *room;    /* [15][n]: particles of the last step before the step */
    double time, origin, unit, eta, dt_min, stop, until;
    int64_t most;
    int64_t renew_after; /* number of particle steps after which a step of all particles is left to the processor */
    /* no step is begun after this work, in pairs: those of all steps, and `step_work` for each step */
    double work, step_work;
} myr_cuda_hermite;

/* Arguments of block steps of many systems, each by a team of blocks. */
typedef struct {
    const myr_cuda_hermite *system; /* [systems]; the members `progress` are not used */
    myr_cuda_progress *progress;    /* [systems] */
    const int32_t *which;           /* [teams]: system of each team */
    int32_t blocks;                 /* of a team */
} myr_cuda_stars_steps;

#endif
