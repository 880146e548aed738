/* fmm_inside.h - what the files of the fast multipole method share. */
#ifndef MYR_METHOD_FMM_FMM_INSIDE_H
#define MYR_METHOD_FMM_FMM_INSIDE_H

#include "method/fmm/expansion_operators.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm.h"
#include "method/tree/octree.h"

enum {
    FMM_BATCH = 128, /* particles that are expanded or evaluated at a time */
    FMM_FEW = 64     /* cells with no more particles meet coarser leaves one by one */
};

struct myr_fmm {
    myr_context *context;
    const myr_isa_table *isa;
    myr_fmm_settings settings;
    myr_expansion *expansion;
    double *lattice; /* [terms][terms]: the box's multipoles to the local series of all images that are not near */
};

/* c + l.x + q |x|^2 of the place x in the root, in its sides from its centre: what the images of a box add that no
 * expansion holds (fmm_periodic.c). */
typedef struct {
    double c, l[3], q;
} fmm_quadratic;

/* One evaluation. */
typedef struct {
    const myr_fmm *fmm;
    const myr_direct *problem;
    const myr_far *far;
    const myr_expansion *e;
    const myr_expansion_ops *ops;
    const myr_loops *loops;
    myr_octree *tree;
    myr_octree_near near;
    char *multipole, *local; /* real [cells][strengths][size] */
    size_t stride;           /* bytes of a cell's series */
    void *source, *target;   /* real [..][source_lanes], [..][target_stride]: particles in tree order */
    int target_stride;
    double *value; /* [targets][outputs], in tree order */
    int has_self;  /* targets are among the sources, and do not act on themselves */
    int64_t *self; /* [targets in tree order]: own place among the sources in tree order, or -1; null = the same */
    int first;     /* level from which on cells have expansions */
    int background;
    fmm_quadratic quadratic[MYR_FAR_SERIES]; /* beside each series, where background */
    int sizes; /* the loop is `range`: sizes of near contributions are wanted, and no far field */
    int threads, no_memory;
    myr_direct_result *result;
    myr_fmm_report *report;
} fmm_run;

/* Places of particles relative to a cell in the reals of the expansions, in batches. */
typedef struct {
    void *x[3];                 /* real [FMM_BATCH] each, padded */
    void *q[MYR_FAR_STRENGTHS]; /* the same */
    void *out[MYR_FAR_SUMS];
    void *series[MYR_FAR_SERIES]; /* real [size of two orders more] */
    void *memory;
} fmm_batch;

/* Takes memory for a batch; 0 where there is none. */
int myr_fmm_batch_make(const fmm_run *run, fmm_batch *batch);
void myr_fmm_batch_free(fmm_batch *batch);

/* Fills x (and q) with n sources from `first` on in tree order, in an image of the box, seen from a cell. */
void myr_fmm_batch_sources(const fmm_run *run, const myr_cell *cell, int64_t first, int64_t n, myr_image image,
                           fmm_batch *batch);

/* Numbers of a particle that is kept in tree order: a coordinate, and field k beside the position. */
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

static inline int fmm_is_here(myr_image image)
{
    return !image.by[0] && !image.by[1] && !image.by[2];
}

/* Cells whose groups a cell's parent is near to and the cell is not, k = 0, 1, .. (X list), and which image of them; -1
 * past the end, -2 to be passed over. */
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

/* Builds the tree (fmm_tree.c). */
myr_status myr_fmm_tree(fmm_run *run);

/* Periodic boxes (fmm_periodic.c): the operator of the images that are not near; their part of the root's local series;
 * what is added beside the sums at n targets: far[sums][FMM_BATCH]. */
myr_status myr_fmm_lattice_make(myr_fmm *fmm);
void myr_fmm_images(fmm_run *run);
void myr_fmm_background(const fmm_run *run, int64_t first, int64_t n, double *far);

/* The passes over the tree (fmm_cells.c) and over the targets (fmm_leaves.c). */
void myr_fmm_collect(fmm_run *run);
void myr_fmm_up(fmm_run *run);
void myr_fmm_translate(fmm_run *run);
void myr_fmm_coarse(fmm_run *run);
void myr_fmm_down(fmm_run *run);
void myr_fmm_leaves(fmm_run *run);

#endif
