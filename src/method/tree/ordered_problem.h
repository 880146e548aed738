/* ordered_problem.h - a problem whose targets and sources are in the order of an octree, with room behind them for
 * points that the method adds (pseudo-particles), so that lists are ranges. */
#ifndef MYR_METHOD_TREE_ORDERED_PROBLEM_H
#define MYR_METHOD_TREE_ORDERED_PROBLEM_H

#include "method/tree/tiles.h"
#include "method/tree/images.h"

typedef struct {
    myr_direct problem;   /* arrays in tree order; no exclusions */
    int strengths;        /* components of a source's strength (mass, charge, vortex strength) */
    int strength;         /* the first of them among the source's lane components */
    int same;             /* targets are the sources */
    double *strength_of;  /* [sources][strengths], in tree order */
    double *place;        /* [sources][3] */
    double *target_place; /* [targets][3] */
    void *reals;
    int64_t *self;
} myr_sorted;

/* Builds the tree over a problem's particles; in a periodic box that is the root. */
myr_status myr_sorted_tree(const myr_direct *problem, const myr_images *box, const myr_octree_options *options,
                           myr_octree **tree);

/* Copies a problem into tree order, at the places in the box where there is one, with room for more sources and
 * targets. */
myr_status myr_sorted_make(const myr_direct *problem, const myr_octree *tree, const myr_images *box,
                           int64_t more_sources, int64_t more_targets, myr_sorted *sorted);

/* The cuboid of a range of targets: its middle and half its edges. */
void myr_sorted_cuboid(const myr_sorted *sorted, const myr_range *range, double middle[3], double half[3]);

/* Its arrays and the tree's order, in bytes. */
int64_t myr_sorted_bytes(const myr_sorted *sorted);

/* Frees what it holds. */
void myr_sorted_free(myr_sorted *sorted);

/* Puts a point with a strength among the sources; other fields are 0 unless they are put. Numbers are places in the
 * arrays: points that are added begin behind the particles. */
void myr_sorted_put_source(myr_sorted *sorted, int64_t number, const double place[3], const double *strength);

/* Puts a component of a field of that point. */
void myr_sorted_put_field(myr_sorted *sorted, int64_t number, int component, double value);

/* Puts a point behind the targets. */
void myr_sorted_put_target(myr_sorted *sorted, int64_t number, const double place[3]);

/* A real of an array, as a double. */
double myr_sorted_real(const myr_unit *unit, const void *array, int64_t at);

/* The first lane component of a source field, or -1. */
int myr_sorted_field(const myr_unit *unit, const char *name);

#endif
