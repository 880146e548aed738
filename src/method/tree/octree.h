/* octree.h - adaptive octree over the targets and the sources of an evaluation.
 *
 * A cell is a cube. Cells are stored level by level, within a level in the order of their Morton keys, so that the
 * children of a cell are adjacent and the particles of any cell are a range of the tree order. One tree holds both
 * sets: a cell has a range of sources and a range of targets, either of which may be empty. If targets are the sources,
 * both ranges are the same. All data are in flat arrays and independent of the number of threads.
 *
 * A source may have a reach: a distance within which its action differs from the far field. Such a source stays in a
 * cell whose side is no smaller than the reach, while other sources of the cell go down to children. The group of a
 * cell are the sources that stay in it (all sources of a leaf); the group comes first in the cell's range.
 *
 *   myr_octree_options options = {.leaf = 96};
 *   myr_octree_build(context, &sources, NULL, &options, &tree);
 *   for (int32_t c = 0; c < tree->cells; c++)
 *       if (!tree->cell[c].mask)
 *           ... a leaf: particles tree->source[tree->cell[c].source + k], k = 0 .. sources - 1 */
#ifndef MYR_METHOD_TREE_OCTREE_H
#define MYR_METHOD_TREE_OCTREE_H

#include <math.h>

#include "method/tree/points.h"

enum {
    /* largest number of levels below the root; the smallest cells have 2^-48 of the root's side */
    MYR_OCTREE_DEPTH = 48,
    MYR_OCTREE_KEY_LEVELS = 21 /* levels held by one key; deeper cells get new keys */
};

typedef struct {
    int64_t at[3];           /* position in the grid of the cell's level */
    int64_t source, sources; /* first source and number of sources, in tree order */
    int64_t target, targets;
    int64_t resting; /* number of sources that stay in a split cell */
    double reach;    /* longest reach of the group */
    int32_t parent;  /* index of the parent; -1 for the root */
    int32_t child;   /* index of the first child; further children follow in the order of their octants */
    int16_t level;
    uint8_t mask;   /* bit per octant that has a child; 0 = leaf. Octant number: x is bit 2, y bit 1, z bit 0 */
    uint8_t octant; /* octant of the cell in its parent */
} myr_cell;

typedef struct {
    double origin[3], side; /* lower corner and side of the root */
    int32_t cells;
    myr_cell *cell;
    int levels;                          /* number of levels with cells */
    int32_t level[MYR_OCTREE_DEPTH + 2]; /* level l has the cells level[l] .. level[l + 1] - 1 */
    int64_t sources, targets;            /* numbers of particles */
    /* [sources], [targets]: particle index by position in tree order; one array if `same` */
    int64_t *source, *target;
    int same; /* 1 = targets are the sources */
    /* [cells]: 1 = some targets of the cell are evaluated by this rank; null = follows from the ranges of targets */
    uint8_t *mine;
    int64_t largest; /* largest number of sources in a leaf */
    double wide;     /* as in myr_octree_options */
    double seconds;  /* construction time */
} myr_octree;

typedef struct {
    int64_t leaf; /* cells with more sources or targets are split */
    int depth;    /* deepest level; 0 = MYR_OCTREE_DEPTH */
    double least; /* smallest side of a cell; 0 = no limit */
    /* If a cell of side `least` would hold more than this number of sources of a uniform distribution, the root's side
     * becomes a power of two times `least`, so that leaves have that side; 0 = never. */
    double full;
    const double *reach; /* [sources]: reach by particle index; null = all 0, or all `wide` */
    double sides;        /* a source stays in cells whose side is at least reach/sides; 0 = 1 */
    /* common reach of all sources if cells may be half as wide as the reach: cells with a smaller gap are near */
    double wide;
    double origin[3], root; /* lower corner and side of the root of a periodic box; side 0 = no box */
    double enlarge;         /* without a box: side of the root in units of the particles' extent, at least 1; 0 = 1 */
    /* First key of the particles of this rank, and of the next rank: cells are split where one of them is inside,
     * because the particles of all ranks together are split there (curve_cut.h). Both 0 = all particles are here. */
    uint64_t cut[2];
} myr_octree_options;

/* Lower corner and side of the root around particles with coordinates low[axis] to high[axis], of `sources` sources. */
myr_status myr_octree_root(myr_context *context, const double low[3], const double high[3], int64_t sources,
                           const myr_octree_options *options, double origin[3], double *side);

/* Returns 1 if a cell of a level with so many particles, not all at one place, is split in a tree without reaches whose
 * targets are the sources. side: that of the root. */
int myr_octree_splits(const myr_octree_options *options, double side, int level, int64_t particles);

/* Builds the tree; targets = null if targets are the sources. Any number of particles at one position share a leaf, so
 * that depth and memory are bounded. */
myr_status myr_octree_build(myr_context *context, const myr_points *sources, const myr_points *targets,
                            const myr_octree_options *options, myr_octree **tree);

/* Side of the root, in units of the particles' extent, for which leaves of a uniform distribution hold about the wanted
 * number of sources. Whole leaves fill the extent: a nearly empty last row would not be split, and leaves of two sizes
 * cost more. */
double myr_octree_enlarge(int64_t sources, int64_t leaf);

/* Frees the tree and clears the pointer. */
void myr_octree_destroy(myr_octree **tree);

/* Number of leaves. */
int64_t myr_octree_leaves(const myr_octree *tree);

/* Side of a cell. */
double myr_octree_side(const myr_octree *tree, const myr_cell *cell);

/* Coordinate of a cell's centre. */
double myr_octree_centre(const myr_octree *tree, const myr_cell *cell, int axis);

/* Number of children of a cell. */
static inline int myr_octree_children(const myr_cell *cell)
{
    return __builtin_popcount(cell->mask);
}

/* Index of the child in an octant, or -1. */
static inline int32_t myr_octree_child(const myr_cell *cell, int octant)
{
    return cell->mask >> octant & 1 ? cell->child + __builtin_popcount(cell->mask & ((1u << octant) - 1)) : -1;
}

/* Number of sources that stay in a cell. */
static inline int64_t myr_octree_group(const myr_cell *cell)
{
    return cell->mask ? cell->resting : cell->sources;
}

/* Displacement of a periodic image, in periods along each axis. */
typedef struct {
    int8_t by[3];
} myr_image;

/* Lists of near cells. Two cells of one level are near each other if at most `reach` - 1 cells lie between them; cells
 * of different levels, if the finer cell is within `reach` of its own sides of the coarser cell. A cell is also near a
 * group whose reach is longer than the gap between them. */
typedef struct {
    int reach, width, count; /* reach in cells; width = 2 reach + 1; count = width^3 */
    int32_t *colleague;      /* [cells][count]: near cells of the same level by offset, x slowest; -1 = none */
    int64_t *coarse;         /* [cells + 1]: first entry of each cell in `leaf` */
    /* cells whose groups are near: coarser cells, or cells of the same level outside `colleague` */
    int32_t *leaf;
    int images; /* 1 = an axis is periodic: cells may be near images of other cells and of themselves */
    int periodic[3];
    myr_image *image; /* image of each entry of `leaf`; null without periodic axes */
} myr_octree_near;

/* Computes the lists level by level from the parents' lists. On periodic axes the root repeats with its side as the
 * period; periodic = null: no periodic axes. */
myr_status myr_octree_near_make(myr_context *context, const myr_octree *tree, int reach, const int periodic[3],
                                myr_octree_near *near);

/* Image of the near cell at place k of a cell's list of colleagues. */
static inline myr_image myr_octree_image(const myr_octree_near *near, const myr_cell *cell, int k)
{
    const int step[3] = {k / (near->width * near->width), k / near->width % near->width, k % near->width};
    myr_image image;
    for (int axis = 0; axis < 3; axis++)
        image.by[axis] = (int8_t)((cell->at[axis] + step[axis] - near->reach) >> cell->level);
    return image;
}

/* Frees the lists. */
void myr_octree_near_free(myr_octree_near *near);

/* Returns 1 if `fine`, of the same level or a deeper level, displaced by `by` periods, is near `coarse`. */
static inline int myr_octree_is_near_moved(const myr_cell *coarse, const myr_cell *fine, int reach, const int8_t by[3])
{
    const int shift = fine->level - coarse->level;
    const int64_t last = ((int64_t)1 << shift) - 1 + reach, box = (int64_t)1 << fine->level;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t d = fine->at[axis] + by[axis] * box - (coarse->at[axis] << shift);
        if (d < -reach || d > last)
            return 0;
    }
    return 1;
}

static inline int myr_octree_is_near(const myr_cell *coarse, const myr_cell *fine, int reach)
{
    static const int8_t here[3] = {0, 0, 0};
    return myr_octree_is_near_moved(coarse, fine, reach, here);
}

/* Gap between two cells in sides of the finer cell, with `fine` displaced by `by` periods. */
static inline double myr_octree_gap(const myr_cell *coarse, const myr_cell *fine, const int8_t by[3])
{
    const int shift = fine->level - coarse->level;
    const int64_t side = (int64_t)1 << shift, box = (int64_t)1 << fine->level;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t d = fine->at[axis] + by[axis] * box - (coarse->at[axis] << shift);
        const double gap = (double)(d < 0 ? -d - 1 : d >= side ? d - side : 0);
        square += gap * gap;
    }
    return sqrt(square);
}

/* Returns 1 if `fine` is near the displaced image of `coarse`. */
static inline int myr_octree_is_near_image(const myr_cell *coarse, myr_image image, const myr_cell *fine, int reach)
{
    const int8_t back[3] = {(int8_t)-image.by[0], (int8_t)-image.by[1], (int8_t)-image.by[2]};
    return myr_octree_is_near_moved(coarse, fine, reach, back);
}

/* Returns 1 if `fine` is near the group of `coarse`, displaced to an image. */
static inline int myr_octree_is_near_group(const myr_octree *tree, const myr_cell *coarse, myr_image image,
                                           const myr_cell *fine, int reach)
{
    const int8_t back[3] = {(int8_t)-image.by[0], (int8_t)-image.by[1], (int8_t)-image.by[2]};
    return myr_octree_is_near_moved(coarse, fine, reach, back) ||
           (coarse->reach > 0 && myr_octree_gap(coarse, fine, back) * myr_octree_side(tree, fine) < coarse->reach);
}

#endif
