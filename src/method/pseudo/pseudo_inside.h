/* pseudo_inside.h - state of an evaluation by the pseudo-particle method. */
#ifndef MYR_METHOD_PSEUDO_INSIDE_H
#define MYR_METHOD_PSEUDO_INSIDE_H

#include "method/fmm/far_field.h"
#include "method/tree/cell_moments.h"
#include "method/tree/results.h"
#include "method/pseudo/pseudo.h"
#include "method/tree/ranges.h"
#include "method/tree/target_share.h"

typedef struct {
    const myr_direct *problem;
    const myr_pseudo_options *options;
    myr_octree *tree;
    myr_octree_near near;
    myr_cell_moments outer;
    myr_ordered_problem sorted;
    myr_direct across; /* sums at the points of inner spheres */
    int fields;        /* number of outputs of `across` */
    int measured;      /* 1 = the grid of `across` is set by its largest contribution */
    /* computes a target's outputs from the fields on spheres and their gradients; null = the fields are the outputs */
    const myr_far_field *far;
    int32_t *inner;    /* [cells]: index of the cell's inner sphere, or -1 */
    int32_t *inner_of; /* [inners]: cell of each inner sphere */
    int32_t inners;
    int32_t *leaf; /* [leaves]: leaves that have targets */
    int32_t leaves;
    double *value;     /* [inners][fields][padded]: fields at the points */
    myr_results parts; /* results by leaves */
    int64_t most;      /* largest number of targets per leaf, as blocks */
    int64_t skipped, pairs;
    int no_memory;
    uint32_t flag;
} myr_pseudo_work;

/* Appends the sources that act on a cell but not on its parent (lists V and X) to the lists by image. Returns 0 if
 * memory is short. */
int myr_pseudo_list_far(const myr_pseudo_work *w, int32_t number, myr_ranges *list);

/* Appends the sources that act on the particles of a leaf: lists U and W, and the lists V and X of its ancestors up to
 * the first one with an inner sphere. */
int myr_pseudo_list_near(const myr_pseudo_work *w, int32_t number, myr_ranges *list);

#endif
