/* launch_args.h - what the host hands to the device kernels of sweep.cuh. Compiled by the host's compiler and by NVRTC,
 * so both agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_LAUNCH_ARGS_H
#define MYR_BACKEND_CUDA_LAUNCH_ARGS_H

#include "backend/tile.h"

enum {
    MYR_CUDA_BAG_ALIGN = 16, /* a source in shared memory starts at a multiple of this many bytes */
    MYR_CUDA_BLOCK = 256     /* threads of the kernels that pack, merge and list */
};

/* A number in the arithmetic of the kernel, so that the device need not convert it again and again. */
typedef union {
    float single;
    double wide;
} myr_cuda_real;

/* What the loop needs of a grid. */
typedef struct {
    myr_cuda_real large, both, coarse, middle;
} myr_cuda_grid;

/* Excluded partners, ascending per row: offset[rows + 1], partner[offset[rows]]. */
typedef struct {
    const int64_t *offset;
    const int32_t *partner;
} myr_cuda_exclusions;

/* What one evaluation tells the host: one such block in device memory, cleared before. */
typedef struct {
    unsigned long long skipped; /* coincident pairs left out */
    uint32_t flag;              /* something left the accumulator's range */
    int32_t bad;                /* 1 + the largest number of targets minus the first bad one; 0 = all are finite */
} myr_cuda_report;

/* Targets x sources. Targets and sources are packed records: coordinates (hi, lo), then fields, as in a lane bag. */
typedef struct {
    const void *target;  /* [targets][target stride] */
    const void *source;  /* [sources][source stride] */
    const int32_t *at;   /* [targets] which record of the sources, where targets are such; null: its own number */
    const int32_t *self; /* [targets] where the target is among the sources, -1 nowhere; null: nowhere */
    const int32_t *row;  /* [targets] its row of the exclusions; null: its own number */
    const int32_t *target_type;            /* [targets], kernels with a table per pair of types */
    const void *pair_table;                /* [types][types][pair stride] */
    myr_cuda_exclusions excluded;          /* null offset: none */
    double *value[MYR_KERNEL_OUTPUTS_MAX]; /* [targets] each; used where `part` is null; may be null */
    myr_word *part;                        /* [splits][targets][outputs][words]: sums that are not finished here */
    myr_cuda_report *report;
    int64_t targets, sources;
    int64_t origin;    /* number of the first source, where they pass in parts */
    int64_t per_split; /* sources of one split */
    int32_t types;
    int32_t bag;     /* sources per bag */
    int32_t careful; /* all pairs through the careful loop */
    double factor;
    myr_cuda_real constant[MYR_KERNEL_CONSTANTS_MAX];
    myr_cuda_grid grid[MYR_KERNEL_OUTPUTS_MAX];
    myr_acc_scale scale[MYR_KERNEL_OUTPUTS_MAX];
} myr_cuda_sweep;

/* Merging the splits of a sweep, and taking listed partners off. */
typedef struct {
    myr_cuda_sweep sweep;           /* its targets, scale, factor, value, report; part as the sweep left it */
    myr_cuda_exclusions subtracted; /* null offset: none */
    myr_word *net;                  /* [blocks][outputs][words]: sums over the targets of a block; null: not wanted */
    int32_t keep;                   /* 1: the merged sums stand in the first split of `part` afterwards */
    int64_t splits;
} myr_cuda_finish;

/* Records from arrays of reals, one per component: record r is particle at[r]. */
typedef struct {
    const void *component; /* [components][n] */
    const int32_t *at;     /* null: its own number */
    const int32_t *type;   /* by particle, kept behind the components; null: none */
    void *record;          /* [records][stride] */
    int64_t n, records;
    int32_t components, stride;
    int32_t row; /* bytes of an entry of the table of pairs: a type is kept as an offset into a row of it */
} myr_cuda_pack;

/* --- motion.cuh -----------------------------------------------------------------------------------------------------
 */
/* to[c] += factor * from[c], three arrays each */
typedef struct {
    double *to[3];
    const double *from[3];
    double factor;
} myr_cuda_add;

enum { MYR_CUDA_ADDS = 6 };

/* Particles that are integrated where they are. Arrays of n doubles. */
typedef struct {
    double *x[3], *v[3], *a[3], *j[3], *own, *step, *end; /* a to end: Hermite only; null elsewhere */
    void *record;                                         /* what the sweeps read; its other fields stay */
    int64_t n;
    int32_t velocity; /* first component of the velocity in a record, or -1 */
} myr_cuda_bodies;

/* Sums in turn, particle by particle, then the record of where that leaves it. */
typedef struct {
    myr_cuda_add add[MYR_CUDA_ADDS];
    myr_cuda_bodies bodies; /* record null: none wanted */
    int32_t adds;
} myr_cuda_move;

/* Where a launch of block steps stands; one in device memory. */
typedef enum { MYR_CUDA_GOING, MYR_CUDA_AT_END, MYR_CUDA_STOPPED } myr_cuda_state;
typedef struct {
    unsigned long long next[3]; /* bits of the next end of a step, in turn */
    long long steps, particle_steps;
    double time;
    int32_t active[3]; /* how many, in turn */
    int32_t last;      /* active in the last step */
    int32_t state;     /* myr_cuda_state */
    int32_t undo;      /* 1: a particle wants a step below dt_min; the step must be taken back */
    unsigned barrier;
} myr_cuda_progress;

/* Block steps with the Hermite scheme until `stop`, or `most` of them. */
typedef struct {
    myr_cuda_sweep sweep; /* outputs 0 to 5: acceleration and jerk; part has room for every item */
    myr_cuda_bodies bodies;
    myr_cuda_progress *progress;
    int32_t *active; /* [n] */
    double *room;    /* [15][n]: the particles of the last step as they were */
    double time, origin, unit, eta, dt_min, stop, until;
    int64_t most;
} myr_cuda_hermite;

#endif
