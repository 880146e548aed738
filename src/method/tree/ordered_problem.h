/* ordered_problem.h - copy of a problem with targets and sources in tree order, so that lists are ranges, and with room
 * after the particles for points added by the method (pseudo-particles). */
#ifndef MYR_METHOD_TREE_ORDERED_PROBLEM_H
#define MYR_METHOD_TREE_ORDERED_PROBLEM_H

#include "method/tree/tiles.h"
#include "method/tree/images.h"

typedef struct {
    myr_direct problem;   /* arrays in tree order; without exclusions */
    int strengths;        /* number of components of a source's strength (mass, charge, vortex strength) */
    int strength;         /* first lane component of the strength */
    int same;             /* 1 = targets are the sources */
    double *strength_of;  /* [sources][strengths], in tree order */
    double *place;        /* [sources][3]: positions */
    double *target_place; /* [targets][3]: positions */
    void *reals;
    int64_t *self;
} myr_ordered_problem;

/* Builds the tree over the particles of a problem; a periodic box is the root. */
myr_status myr_ordered_problem_tree(const myr_direct *problem, const myr_images *box, const myr_octree_options *options,
                                    myr_octree **tree);

/* Copies a problem into tree order, wrapped into the periodic box if there is one, with room for additional sources and
 * targets. */
myr_status myr_ordered_problem_make(const myr_direct *problem, const myr_octree *tree, const myr_images *box,
                                    int64_t more_sources, int64_t more_targets, myr_ordered_problem *sorted);

/* Bounding cuboid of a range of targets: its centre and half its edges. */
void myr_ordered_problem_cuboid(const myr_ordered_problem *sorted, const myr_range *range, double middle[3],
                                double half[3]);

/* Bytes of the arrays and of the tree order. */
int64_t myr_ordered_problem_bytes(const myr_ordered_problem *sorted);

/* Frees the arrays. */
void myr_ordered_problem_free(myr_ordered_problem *sorted);

/* Writes a source with position and strength; its other fields become 0. `number` is the index in the arrays: added
 * points follow the particles. */
void myr_ordered_problem_put_source(myr_ordered_problem *sorted, int64_t number, const double place[3],
                                    const double *strength);

/* Writes one lane component of a source. */
void myr_ordered_problem_put_field(myr_ordered_problem *sorted, int64_t number, int component, double value);

/* Writes the position of a target. */
void myr_ordered_problem_put_target(myr_ordered_problem *sorted, int64_t number, const double place[3]);

/* Element of an array of reals, as a double. */
double myr_ordered_problem_real(const myr_unit *unit, const void *array, int64_t at);

/* First lane component of a source field, or -1 if the kernel has no such field. */
int myr_ordered_problem_field(const myr_unit *unit, const char *name);

#endif
