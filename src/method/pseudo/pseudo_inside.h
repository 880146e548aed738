/* pseudo_inside.h - an evaluation by the pseudo-particle method while it is done. */
#ifndef MYR_METHOD_PSEUDO_INSIDE_H
#define MYR_METHOD_PSEUDO_INSIDE_H

#include "method/fmm/far_field.h"
#include "method/tree/cell_moments.h"
#include "method/tree/results.h"
#include "method/pseudo/pseudo.h"
#include "method/tree/ranges.h"

typedef struct {
    const myr_direct *problem;
    const myr_pseudo_options *options;
    myr_octree *tree;
    myr_octree_near near;
    myr_outer outer;
    myr_sorted sorted;
    myr_direct across;  /* the sums at the points of inner spheres */
    int fields;         /* its outputs */
    const myr_far *far; /* how they and their slopes make the outputs of a target; null = they are the outputs */
    int32_t *inner;     /* [cells]: which inner sphere, or -1 */
    int32_t *inner_of;  /* [inners]: the cell */
    int32_t inners;
    int32_t *leaf; /* the leaves that have targets */
    int32_t leaves;
    double *value;   /* [inners][fields][padded] */
    myr_parts parts; /* by leaves */
    int64_t most;    /* targets of a leaf at most, as blocks */
    int64_t skipped, pairs;
    int no_memory;
    uint32_t flag;
} myr_pseudo_work;

/* Adds what acts on a cell and not on its parent, V and X, to the lists of the images that it is in. 0 where memory is
 * short. */
int myr_pseudo_list_far(const myr_pseudo_work *w, int32_t number, myr_ranges *list);

/* Adds what acts on the particles of a leaf: U and W, and the V and X of cells up to the first inner sphere. */
int myr_pseudo_list_near(const myr_pseudo_work *w, int32_t number, myr_ranges *list);

#endif
