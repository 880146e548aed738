/* fmm_inside.h - definitions shared by the files of the fast multipole method. */
#ifndef MYR_METHOD_FMM_FMM_INSIDE_H
#define MYR_METHOD_FMM_FMM_INSIDE_H

#include <math.h>

#include "backend/expansion_order.h"
#include "method/fmm/expansion_operators.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm.h"
#include "method/tree/curve_cut.h"
#include "method/tree/octree.h"
#include "method/tree/target_share.h"

enum {
    FMM_BATCH = MYR_EXPANSION_BATCH, /* number of particles expanded or evaluated at a time */
    FMM_SIZES = 32,                  /* number of sources whose sizes are bounded together */
    MYR_FMM_WELL_SEPARATED = 2,      /* first level with well-separated cells if no axis is periodic */
    FMM_FEW = 64 /* cells with at most this many particles interact particle by particle with coarser leaves */
};

struct myr_fmm {
    myr_context *context;
    const myr_isa_table *isa;
    myr_fmm_settings settings;
    myr_expansion *expansion;
    /* far field on a GPU, its kernel and the layout of its particles; null until the first evaluation, and on the
     * processor */
    struct myr_cuda_far *device;
    const myr_far_field *device_far;
    int real_bytes, coord_lanes;
    /* [terms][terms]: matrix from the box's multipoles to the local series of all images that are not near */
    double *lattice;
    myr_curve_profile profile; /* measured cost of the last evaluation whose particles were divided among ranks */
    uint64_t *cut;             /* [ranks + 1]: cuts of that evaluation; null = there was none */
};

/* Quadratic c + l.x + q |x|^2, with x = position relative to the root's centre in units of the root's side: the
 * contribution of the periodic images that no expansion can represent (fmm_periodic.c). */
typedef struct {
    double c, l[3], q;
} fmm_quadratic;

/* State of one evaluation. */
typedef struct {
    const myr_fmm *fmm;
    const myr_direct *problem;
    const myr_far_field *far;
    const myr_expansion *e;
    const myr_expansion_ops *ops;
    const myr_loops *loops;
    myr_octree *tree;
    myr_octree_near near;
    char *multipole, *local; /* real [cells][strengths][size]: series of all cells */
    size_t stride;           /* bytes of the series of one cell */
    void *source, *target;   /* real [sources][source_lanes] and [targets][target_stride]: particles in tree order */
    int target_stride;
    /* real [sources / FMM_SIZES + 1][source_lanes]: largest |component| of each FMM_SIZES sources in tree order, from
     * which the near loops prove contributions small; null if the kernel has no proof */
    void *sizes_of;
    double *value; /* [targets][outputs], in tree order */
    int has_self;  /* 1 = targets are among the sources and do not act on themselves */
    /* [targets], in tree order: index of the target among the sources in tree order, or -1; null = the same index */
    int64_t *self;
    int first;      /* coarsest level whose cells have expansions */
    int has_series; /* 1 = the multipoles are there before the passes */
    int background;
    fmm_quadratic quadratic[MYR_FAR_FIELD_SERIES]; /* [series]: quadratic added to each series if background is 1 */
    int sizes; /* 1 = the loop is `range`: only the sizes of near contributions are computed, no far field */
    int threads, no_memory;
    myr_direct_result *result;
    myr_fmm_report *report;
} fmm_run;

/* Batch of particles: positions relative to a cell's centre, in the reals of the expansions. */
typedef struct {
    void *x[3];                       /* real [FMM_BATCH] per axis, padded */
    void *q[MYR_FAR_FIELD_STRENGTHS]; /* real [FMM_BATCH] per strength, padded */
    void *out[MYR_FAR_FIELD_SUMS];
    void *series[MYR_FAR_FIELD_SERIES]; /* real [size of a series two orders higher] */
    void *memory;
} fmm_batch;

/* Allocates a batch; returns 0 if memory is short. */
int myr_fmm_batch_make(const fmm_run *run, fmm_batch *batch);
void myr_fmm_batch_free(fmm_batch *batch);

/* Fills x and q with sources first .. first + n - 1 (tree order) of an image of the box, relative to a cell's
 * centre. */
void myr_fmm_batch_sources(const fmm_run *run, const myr_cell *cell, int64_t first, int64_t n, myr_image image,
                           fmm_batch *batch);

/* Raises *most to |x|; a NaN stays. */
static inline void myr_fmm_raise_float(float *most, float x)
{
    *most = fabsf(x) <= *most ? *most : fabsf(x);
}

static inline void myr_fmm_raise_double(double *most, double x)
{
    *most = fabs(x) <= *most ? *most : fabs(x);
}

/* Reads numbers of a particle stored in tree order: one real, one coordinate, all fields other than the position. */
static inline double fmm_real(const fmm_run *run, const void *particles, int64_t at)
{
    return run->problem->unit->real_bytes == (int)sizeof(float) ? (double)((const float *)particles)[at]
                                                                : ((const double *)particles)[at];
}

static inline double fmm_coordinate(const fmm_run *run, const void *particles, int64_t first, int axis)
{
    const int lanes = run->problem->unit->coord_lanes;
    const double high = fmm_real(run, particles, first + axis * lanes);
    return lanes == 2 ? high + fmm_real(run, particles, first + axis * lanes + 1) : high;
}

static inline void fmm_fields(const fmm_run *run, const void *particles, int64_t first, int lanes, double *field)
{
    const int coords = run->problem->unit->desc->coords * run->problem->unit->coord_lanes;
    for (int c = coords; c < lanes; c++)
        field[c - coords] = fmm_real(run, particles, first + c);
}

static inline char *fmm_multipole(const fmm_run *run, int32_t cell, int strength)
{
    return run->multipole + (size_t)cell * run->stride +
           (size_t)strength * (size_t)run->e->size * (size_t)run->ops->real_bytes;
}

static inline char *fmm_local(const fmm_run *run, int32_t cell, int strength)
{
    return run->local + (size_t)cell * run->stride +
           (size_t)strength * (size_t)run->e->size * (size_t)run->ops->real_bytes;
}

static inline int fmm_image_is_zero(myr_image image)
{
    return !image.by[0] && !image.by[1] && !image.by[2];
}

/* Entry k = 0, 1, .. of the X list of a cell: coarser cells whose own sources are near the cell's parent but not near
 * the cell. *image: the periodic image. Returns -1 past the end and -2 for an entry to skip. */
static inline int32_t fmm_coarse(const fmm_run *run, const myr_cell *cell, int64_t k, myr_image *image)
{
    const myr_octree_near *near = &run->near;
    int32_t leaf;
    *image = (myr_image){{0, 0, 0}};
    if (cell->parent < 0)
        return -1;
    if (k < near->count) {
        leaf = near->colleague[(int64_t)cell->parent * near->count + k];
        if (near->images && leaf >= 0)
            *image = myr_octree_image(near, &run->tree->cell[cell->parent], (int)k);
    } else {
        const int64_t at = near->coarse[cell->parent] + k - near->count;
        if (at >= near->coarse[cell->parent + 1])
            return -1;
        leaf = near->leaf[at];
        if (near->images)
            *image = near->image[at];
    }
    if (leaf < 0 || !myr_octree_group(&run->tree->cell[leaf]) ||
        myr_octree_is_near_group(run->tree, &run->tree->cell[leaf], *image, cell, near->reach))
        return -2;
    return leaf;
}

/* Builds the octree (fmm_tree.c); options of a tree whose sources have one reach; 1 if targets and sources are the same
 * particles in the same order. */
myr_status myr_fmm_tree(fmm_run *run);
myr_octree_options myr_fmm_tree_options(const myr_fmm_settings *settings, int64_t sources);
int myr_fmm_tree_is_same(const myr_direct *p);

/* Returns 1 if cells of a periodic box are narrower than the common reach of the sources. */
int myr_fmm_tree_is_halved(const myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far);

/* Returns 1 if the reaches of sources differ so much that some must stay in coarser cells; *most: the largest core. */
int myr_fmm_tree_reaches_differ(const myr_direct *p, const myr_far_field *far, double *most);

/* Parts of an evaluation (fmm.c). Particles of one side in the order of a tree, in the layout of the near loops, null
 * if memory is short: order[n]: particle at each place; at: indices of the particles in the arrays, null = in order. */
void *myr_fmm_particles(const fmm_run *run, const myr_side *side, int lanes, int64_t n, const int64_t *order,
                        const int64_t *at);
int myr_fmm_sizes(fmm_run *run); /* bounds of the sources, block by block; 0 if memory is short */
myr_status myr_fmm_passes(fmm_run *run);
myr_status myr_fmm_no_memory(const fmm_run *run);
void myr_fmm_free_run(fmm_run *run);

/* Particles that are divided among ranks (fmm_divided.c): returns 1 if an evaluation is, the same on all ranks;
 * evaluates it. */
int myr_fmm_is_divided(const fmm_run *run);
myr_status myr_fmm_divided(myr_fmm *fmm, fmm_run *run);

/* What the cells of this rank need of others, as bits MYR_ESSENTIAL_... by cell (tree/essential.h), and the numbers of
 * translations and pairs of each cell. */
void myr_fmm_cells_need(const fmm_run *run, uint8_t *need, int32_t *translations);
void myr_fmm_leaves_need(const fmm_run *run, uint8_t *need, int64_t *pairs);

/* Series of a cell from those of its children: as myr_fmm_up does for all cells. */
void myr_fmm_up_one(const fmm_run *run, int32_t cell);

/* Evaluates a problem on a GPU (fmm_gpu.c); frees what is there. */
myr_status myr_fmm_gpu_run(myr_fmm *fmm, const myr_direct *problem, myr_direct_result *result, myr_fmm_report *report);
void myr_fmm_gpu_close(myr_fmm *fmm);

/* Periodic boxes (fmm_periodic.c): myr_fmm_lattice_make builds the operator of the images that are not near;
 * myr_fmm_images adds these images to the root's local series; myr_fmm_background adds the quadratics to the sums at n
 * targets, far[sums][FMM_BATCH]. */
myr_status myr_fmm_lattice_make(myr_fmm *fmm);
void myr_fmm_images(fmm_run *run);
void myr_fmm_background(const fmm_run *run, int64_t first, int64_t n, double *far);

/* Passes between cells (fmm_cells.c: P2M, M2M, M2L, P2L, L2L) and over the targets (fmm_leaves.c: L2P, M2P, P2P). */
void myr_fmm_collect(fmm_run *run);
void myr_fmm_up(fmm_run *run);
void myr_fmm_translate(fmm_run *run);
void myr_fmm_coarse(fmm_run *run);
void myr_fmm_down(fmm_run *run);
void myr_fmm_leaves(fmm_run *run);

#endif
