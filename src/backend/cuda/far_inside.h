/* far_inside.h - state of far fields on a device, shared by far.c and far_run.c. */
#ifndef MYR_BACKEND_CUDA_FAR_INSIDE_H
#define MYR_BACKEND_CUDA_FAR_INSIDE_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/far_args.h"

/* Kernels of far_tree.cuh, then those of far_series.cuh. */
typedef enum {
    FAR_BOUNDS,
    FAR_ROOT,
    FAR_KEYS,
    FAR_SEGMENTS,
    FAR_REKEY,
    FAR_COUNT,
    FAR_PLACES,
    FAR_MOVE,
    FAR_SPLIT,
    FAR_LEVEL,
    FAR_CHILDREN,
    FAR_RECORDS,
    FAR_NEAR_CELLS,
    FAR_LEAF_LISTS,
    FAR_STEP,
    FAR_ACTING,
    FAR_TREE_KERNELS,
    FAR_P2M = FAR_TREE_KERNELS,
    FAR_M2M,
    FAR_M2L,
    FAR_P2L,
    FAR_L2L,
    FAR_L2P,
    FAR_IMAGES,
    FAR_BACKGROUND,
    FAR_QUADRATICS,
    FAR_KERNELS
} far_kernel;

/* Kernels of far_cells.cuh, far_groups.cuh and far_pseudo.cuh. */
typedef enum {
    FAR_MOMENTS_OF,
    FAR_SPHERES,
    FAR_COMPACT,
    FAR_MAKE_NODES,
    FAR_GROUPS,
    FAR_POINTS,
    FAR_ACROSS_LISTS,
    FAR_PSEUDO_LISTS,
    FAR_DOWN_SPHERES,
    FAR_READ_SPHERES,
    FAR_CELL_KERNELS
} far_cell_kernel;

/* Kernels of far_parity.cuh. */
typedef enum {
    FAR_PARITY_DENSE,
    FAR_PARITY_MATRICES,
    FAR_PARITY_ROWS_OF,
    FAR_PARITY_SPREADING,
    FAR_PARITY_NEAR,
    FAR_PARITY_MIX,
    FAR_PARITY_PRODUCT,
    FAR_PARITY_GATHER,
    FAR_PARITY_UP,
    FAR_PARITY_DOWN,
    FAR_PARITY_KERNELS
} far_parity_kernel;

/* Buffers in device memory, which grow as needed and are kept. */
typedef enum {
    FAR_COMPONENTS,
    FAR_TARGET_COMPONENTS,
    FAR_TARGET_RECORD,
    FAR_MATRIX,
    FAR_STATE,
    FAR_KEY_0,
    FAR_KEY_1,
    FAR_ORDER_0,
    FAR_ORDER_1,
    FAR_SEGMENT_0,
    FAR_SEGMENT_1,
    FAR_DIGITS,
    FAR_TOTALS,
    FAR_CELLS,
    FAR_ENDS,
    FAR_BLOCK_SUMS,
    FAR_RECORD,
    FAR_NEAR,
    FAR_LEAVES,
    FAR_RANGE_POOL,
    FAR_FINER_POOL,
    FAR_ITEM_POOL,
    FAR_MULTIPOLE,
    FAR_LOCAL,
    FAR_SUM,
    FAR_WORDS,
    FAR_VALUES,
    FAR_REPORT,
    FAR_OVER,
    FAR_OVER_USED,
    FAR_UP,
    FAR_DOWN,
    FAR_OFFSET,
    FAR_FACTOR_0,
    FAR_FACTOR_1,
    FAR_FROM_0,
    FAR_FROM_1,
    FAR_PLACE,
    FAR_ROLES,
    FAR_TRANSLATE,
    FAR_LATTICE,
    FAR_PART,
    FAR_QUADRATIC,
    FAR_PARITY_MATRIX,
    FAR_PARITY_SPREAD,
    FAR_PARITY_GATHERED,
    FAR_PARITY_ROWS,
    FAR_PARITY_LISTS,
    FAR_PARITY_MIXING,
    FAR_PARITY_MIXED,
    FAR_MOMENTS,
    FAR_NODES,
    FAR_CHARGES,
    FAR_DESIGN,
    FAR_FIELD,
    FAR_FIELD_LEAVES,
    FAR_FIELD_ITEMS,
    FAR_FIELD_ORDER,
    FAR_FIELD_CELLS,
    FAR_FIELD_OVER,
    FAR_FIELD_OVER_USED,
    FAR_BUFFERS
} far_buffer;

/* Program of the near field of a kernel, loop and arithmetic. */
typedef struct far_near_program {
    struct far_near_program *next;
    char *text; /* by which programs are told apart */
    cudaLibrary_t library;
    cudaKernel_t near, finish; /* finish: fixed sums only, else null */
    int words;                 /* of a sum */
} far_near_program;

struct myr_cuda_far {
    struct myr_cuda_far *peer; /* on the next device, with which it shares targets; null = this is the last one */
    int32_t share[2];          /* of the targets, as in myr_far_lists */
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* stream of its own */
    int order, separation, in_double, portable, real_bytes, coord_lanes;
    int strengths, series, sums, depth; /* as in myr_cuda_far_set */
    int has_box;                        /* 1 = near images of a periodic box */
    int has_lattice;                    /* 1 = far images too */
    int has_roles;                      /* 1 = particles have roles, as in myr_cuda_far_options */
    cudaLibrary_t library[2];           /* tree, series */
    cudaKernel_t kernel[FAR_KERNELS];
    myr_cuda_far_kind has_cells; /* as in myr_cuda_far_set */
    cudaKernel_t cell_kernel[FAR_CELL_KERNELS];
    int has_parity, has_matrices; /* 1 = M2L by reflections can be used; its matrices are there */
    cudaKernel_t parity_kernel[FAR_PARITY_KERNELS];
    far_near_program *programs;
    cuda_buffer buffer[FAR_BUFFERS];
    size_t bytes;
    cudaEvent_t mark[MYR_CUDA_FAR_PARTS + 1];
    myr_far_state *state; /* pinned copy of the device's */
    int levels;           /* of the last tree: how many are enqueued before the host looks */
    int32_t room[MYR_FAR_POOLS];
};

/* Grows a buffer; its contents are lost. `zeros`: a new buffer is cleared. */
myr_status cuda_far_room(myr_cuda_far *far, far_buffer id, size_t size, int zeros);

/* Launches a kernel with `threads` threads in blocks of `block`. */
myr_status cuda_far_launch(const myr_cuda_far *far, cudaKernel_t kernel, const char *what, int64_t threads,
                           unsigned block, void *arguments, size_t size);

myr_status cuda_far_check(const myr_cuda_far *far, cudaError_t error, const char *what);

/* Program of the near field of a job with so many sums of the far field, compiled at its first use. */
myr_status cuda_far_near_program(myr_cuda_far *far, const myr_direct *job, int sums, const far_near_program **program);

/* Octree and lists of an evaluation: far_build.c. cuda_far_pool makes room for so many entries of a list, or for as
 * many as the last evaluation wanted. */
myr_status cuda_far_tree(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options, int *levels,
                         int *from);
myr_status cuda_far_pool(myr_cuda_far *far, myr_far_pool pool, int64_t entries);
/* Near cells of all cells, level by level. */
myr_status cuda_far_near_cells(const myr_cuda_far *far, myr_far_lists *a);
myr_status cuda_far_lists(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

/* Evaluation of particles whose components and matrix (myr_cuda_far_options) are on the device: far_run.c. Value k is
 * written to value[k], in device memory, null = not wanted. The host has waited for the end. */
myr_status cuda_far_send(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_evaluate(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                             double *const *value, myr_cuda_report *found);

/* M2L by reflections: far_parity.c. Whether operators have it; its kernels; whether the present tree is worth it; all
 * translations to the children of cells that are listed, which others leave out. met: first level whose cells are met
 * by others. */
int cuda_far_parity_fits(const myr_cuda_far_set *set);
myr_status cuda_far_parity_kernels(myr_cuda_far *far);
int cuda_far_parity_wanted(const myr_cuda_far *far);
myr_status cuda_far_parity(myr_cuda_far *far, int met, myr_far_series *a);

/* Numbers and times of the last evaluation. */
myr_status cuda_far_report(const myr_cuda_far *far, myr_cuda_far_report *report);

static inline void *far_at(const myr_cuda_far *far, far_buffer id)
{
    return far->buffer[id].at;
}

/* Reals of a record with so many lane components. */
static inline int far_record(const myr_direct *job, int lanes)
{
    const int piece = MYR_CUDA_BAG_ALIGN / job->unit->real_bytes;
    return (lanes + piece - 1) / piece * piece;
}

static inline int far_stride(const myr_direct *job)
{
    return far_record(job, job->unit->source_lanes);
}

/* 1 if targets have fields beside their coordinates, and records of their own. */
static inline int far_has_targets(const myr_direct *job)
{
    return job->unit->target_lanes > job->unit->desc->coords * job->unit->coord_lanes;
}

/* Bytes of a number of the far field of a particle. */
static inline size_t far_sum_bytes(const myr_cuda_far *far)
{
    return far->in_double || far->portable ? sizeof(double) : sizeof(float);
}

/* First level whose cells have expansions. */
static inline int far_coarsest(const myr_cuda_far *far)
{
    return far->has_lattice ? 0 : 2;
}

/* Reals of a series in memory. */
static inline int far_size(const myr_cuda_far *far)
{
    return (far->order * far->order + 3) / 4 * 4;
}

#endif
