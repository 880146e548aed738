/* cell_moments.h - cells of an octree as seen from outside: each one's sources replaced by a few pseudo-particles with
 * the same multipoles.
 *
 * Sources of one sign have a centre of mass, about which there is no dipole, so one particle there is exact to degree
 * 1, and few in the principal axes of the second moments to degree 2 (Kawai and Makino 2001): three have its part
 * without trace, which is all that 1/r knows; four have all of it, so that they are exact to second order for a
 * softened pair formula too, and their velocities can give the moments' rates of change. Higher degrees, and charges of
 * both signs or with components, are put on a sphere about the cell's centre (sphere_values.h).
 *
 * A cell that has no more sources than it would have pseudo-particles has none: its sources do as well. */
#ifndef MYR_METHOD_TREE_CELL_MOMENTS_H
#define MYR_METHOD_TREE_CELL_MOMENTS_H

#include "method/tree/ordered_problem.h"
#include "method/tree/sphere_values.h"

enum { MYR_OUTER_STRENGTHS = 3 }; /* components at most */

typedef enum { MYR_OUTER_ONE, MYR_OUTER_THREE, MYR_OUTER_FOUR, MYR_OUTER_SPHERE } myr_outer_form;

/* Radius of spheres on a lattice, in sides of their cells, and of others, in distances of the furthest source. Errors
 * hardly depend on it from 0.3 to 0.8 sides (docs/decisions/tree.md); larger ones have smaller charges, and so less
 * rounding in floats. */
#define MYR_OUTER_LATTICE 0.65
#define MYR_OUTER_RADIUS 0.75

typedef struct {
    double mean[3];   /* the centre of |strength|: of mass */
    double centre[3]; /* of the pseudo-particles: the same, or that of the cell where spheres are on a lattice */
    double radius;    /* of the sphere */
    double size;      /* sum of |strength| */
    double net[MYR_OUTER_STRENGTHS]; /* sum of strengths */
    double spread;                   /* sum of |strength| rho^2 / size, about `centre` */
    double furthest;                 /* no source is further from `centre` */
    double core;                     /* the widest core of its sources, where they have any */
    double velocity[3];              /* of the mean, where sources have velocities */
    double second[6];                /* sum of m x x about the mean: xx, yy, zz, yz, xz, xy */
    double change[6];                /* its rate of change */
} myr_outer_cell;

typedef struct {
    myr_outer_form form;
    int order, points; /* degrees 0 to order; pseudo-particles per cell */
    int lattice;       /* spheres are about the cells' centres and as large as those, not about what is inside */
    myr_sphere sphere;
    const myr_octree *tree;
    myr_outer_cell *cell; /* [cells] */
    int64_t *first;       /* [cells]: the first pseudo-particle among the sources, or -1 = none */
    int64_t all;          /* pseudo-particles */
    double *value;        /* [those cells][strengths][padded], spheres only */
} myr_outer;

/* The form for an order: 1 to MYR_DESIGN_ORDER. one_sign: all strengths are numbers of one sign. softened: the pair
 * formula is not harmonic, or velocities count. */
myr_outer_form myr_outer_choose(int order, int one_sign, int softened);

/* Pseudo-particles per cell. */
int myr_outer_points(myr_outer_form form, int order);

/* Whether all strengths of a problem are numbers of one sign. */
int myr_outer_one_sign(const myr_direct *problem);

/* Finds which cells have pseudo-particles: their number is outer->all. */
myr_status myr_outer_make(myr_context *context, const myr_octree *tree, myr_outer_form form, int order, int lattice,
                          myr_outer *outer);

/* Computes them and puts them behind the sorted problem's sources, for which it must have room. */
myr_status myr_outer_fill(myr_outer *outer, myr_sorted *sorted);

/* Its arrays, in bytes. */
int64_t myr_outer_bytes(const myr_outer *outer, int strengths);

/* Frees what it holds. */
void myr_outer_free(myr_outer *outer);

#endif
