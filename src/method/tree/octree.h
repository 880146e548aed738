/* octree.h - an adaptive octree over the targets and the sources of an evaluation.
 *
 * A cell is a cube; cells are stored level by level, and within a level in the order of their Morton keys, so that the
 * children of a cell follow each other and the particles of any cell are a range of the tree's order. One tree holds
 * both sets: a cell has a range of sources and a range of targets, either of which may be empty. Where the sets are
 * one, so are the ranges. Everything is in flat arrays, and nothing depends on the number of threads.
 *
 * Sources may have a reach, within which others feel more of them than a far field. A source then stays in a cell whose
 * side is no smaller than its reach, though others of the cell go down to children: a cell's group are the sources that
 * stay in it, all of them in a leaf, and they come first in its range.
 *
 *   myr_octree_options options = {.leaf = 96};
 *   myr_octree_build(context, &sources, NULL, &options, &tree);
 *   for (int32_t c = 0; c < tree->cells; c++)
 *       if (!tree->cell[c].mask)
 *           ... a leaf: particles tree->source[tree->cell[c].source + k], k = 0 .. sources - 1
 */
#ifndef MYR_METHOD_TREE_OCTREE_H
#define MYR_METHOD_TREE_OCTREE_H

#include <math.h>

#include "method/tree/points.h"

enum {
    MYR_OCTREE_DEPTH = 48,     /* levels below the root at most: cells of 2^-48 of the root */
    MYR_OCTREE_KEY_LEVELS = 21 /* levels that a key holds; deeper cells get keys of their own */
};

typedef struct {
    int64_t at[3];           /* which cell of its level's grid */
    int64_t source, sources; /* first and number, in tree order */
    int64_t target, targets;
    int64_t resting; /* sources that stay in a cell that is split */
    double reach;    /* the widest of the group's */
    int32_t parent;  /* -1 for the root */
    int32_t child;   /* the first; the others follow in the order of their octants */
    int16_t level;
    uint8_t mask;   /* octants that have a child; 0 = a leaf. Octant: x is bit 2, y bit 1, z bit 0 */
    uint8_t octant; /* which child of its parent */
} myr_cell;

typedef struct {
    double origin[3], side; /* the root's lower corner and its side */
    int32_t cells;
    myr_cell *cell;
    int levels;                          /* levels that have cells */
    int32_t level[MYR_OCTREE_DEPTH + 2]; /* level l: cells level[l] .. level[l + 1] */
    int64_t sources, targets;            /* particles */
    int64_t *source, *target;            /* [..]: tree order -> number of the particle; one array where same */
    int same;                            /* sources and targets are one set */
    int64_t largest;                     /* most sources in a leaf */
    double wide;                         /* of the options */
    double seconds;                      /* of the build */
} myr_octree;

typedef struct {
    int64_t leaf; /* a cell with more sources or targets is split */
    int depth;    /* deepest level; 0 = MYR_OCTREE_DEPTH */
    double least; /* no cell's side is smaller than this; 0 = as small as it gets */
    double full;  /* where a cell of the least side has more sources of a uniform set, cells of that side are to be the
                   * leaves: the root is as many times larger as a power of two; 0 = never */
    const double *reach; /* [sources]: each one's, by number; null = it is 0, or `wide` */
    double sides; /* a source stays in a cell whose side is so many times smaller than its reach at most; 0 = 1 */
    double wide;  /* the reach of all, for cells that may be half as wide: those that are nearer are near (see below) */
    double origin[3], root; /* the root's lower corner and its side, where that is not 0: a periodic box */
    double enlarge;         /* else the root's side in units of the particles' extent, at least 1; 0 = 1 */
} myr_octree_options;

/* Builds the tree; targets = null where they are the sources. Particles at one place share a leaf, whatever their
 * number: depth and memory are bounded. */
myr_status myr_octree_build(myr_context *context, const myr_points *sources, const myr_points *targets,
                            const myr_octree_options *options, myr_octree **tree);

/* The root's side in units of the particles' extent for which leaves of a uniform set have about the wanted number. A
 * row of them fills the extent: a last one that is nearly empty would not be split, and leaves of two sizes cost more.
 */
double myr_octree_enlarge(int64_t sources, int64_t leaf);

/* Frees it and clears the pointer. */
void myr_octree_destroy(myr_octree **tree);

/* How many cells are leaves. */
int64_t myr_octree_leaves(const myr_octree *tree);

/* The side of a cell. */
double myr_octree_side(const myr_octree *tree, const myr_cell *cell);

/* A coordinate of its centre. */
double myr_octree_centre(const myr_octree *tree, const myr_cell *cell, int axis);

/* How many children a cell has. */
static inline int myr_octree_children(const myr_cell *cell)
{
    return __builtin_popcount(cell->mask);
}

/* The child in an octant, or -1. */
static inline int32_t myr_octree_child(const myr_cell *cell, int octant)
{
    return cell->mask >> octant & 1 ? cell->child + __builtin_popcount(cell->mask & ((1u << octant) - 1)) : -1;
}

/* How many sources stay in a cell. */
static inline int64_t myr_octree_group(const myr_cell *cell)
{
    return cell->mask ? cell->resting : cell->sources;
}

/* Periodic boxes that a cell is moved by along each axis. */
typedef struct {
    int8_t by[3];
} myr_image;

/* Which cells are near which: two cells of one level are near each other when at most `reach` - 1 cells lie between
 * them; cells of different levels, when the finer one is within `reach` of its own cells of the coarser one. And a cell
 * is near a group whose own reach is longer than the gap between them. */
typedef struct {
    int reach, width, count; /* width = 2 reach + 1, count = width^3 */
    int32_t *colleague;      /* [cells][count]: near cells of the same level by offset, x slowest; -1 where none */
    int64_t *coarse;         /* [cells + 1]: where each cell's entries in `leaf` begin */
    int32_t *leaf;           /* cells whose groups it is near to: coarser ones, or of its level but no colleagues */
    int images;              /* some axis is periodic: cells are near images of others, and of themselves */
    int periodic[3];
    myr_image *image; /* as leaf: which image of it; null where there are none */
} myr_octree_near;

/* Finds them, level by level from the parents' lists. On periodic axes the root repeats with its own side as the
 * period; null = there are none. */
myr_status myr_octree_near_make(myr_context *context, const myr_octree *tree, int reach, const int periodic[3],
                                myr_octree_near *near);

/* Which image of a cell's near cell is at a place of its list of colleagues. */
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

/* Whether `fine`, of the same level or a deeper one, moved by boxes `by`, is near `coarse`. */
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

/* The gap between them, in sides of the finer. */
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

/* The other way about: whether `fine` is near the image of `coarse` that is moved. */
static inline int myr_octree_is_near_image(const myr_cell *coarse, myr_image image, const myr_cell *fine, int reach)
{
    const int8_t back[3] = {(int8_t)-image.by[0], (int8_t)-image.by[1], (int8_t)-image.by[2]};
    return myr_octree_is_near_moved(coarse, fine, reach, back);
}

/* Whether `fine` is near the group of `coarse`, or of its image. */
static inline int myr_octree_is_near_group(const myr_octree *tree, const myr_cell *coarse, myr_image image,
                                           const myr_cell *fine, int reach)
{
    const int8_t back[3] = {(int8_t)-image.by[0], (int8_t)-image.by[1], (int8_t)-image.by[2]};
    return myr_octree_is_near_moved(coarse, fine, reach, back) ||
           (coarse->reach > 0 && myr_octree_gap(coarse, fine, back) * myr_octree_side(tree, fine) < coarse->reach);
}

#endif
