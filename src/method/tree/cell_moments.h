/* cell_moments.h - pseudo-particles of octree cells: the sources of a cell are replaced by a few particles with the
 * same multipoles, for use at distant targets.
 *
 * Sources of one sign have no dipole about their centre of mass. One particle there is exact to degree 1; a few
 * particles in the principal axes of the second moments are exact to degree 2 (Kawai and Makino 2001). Three particles
 * reproduce the traceless part, which is all that 1/r depends on; four reproduce all second moments, are exact to
 * second order for a softened pair formula too, and can carry velocities that give the moments' rates of change. Higher
 * degrees, and strengths of both signs or with several components, use points on a sphere about the cell's centre
 * (sphere_values.h).
 *
 * A cell with no more sources than it would have pseudo-particles has none: its sources are used themselves. */
#ifndef MYR_METHOD_TREE_CELL_MOMENTS_H
#define MYR_METHOD_TREE_CELL_MOMENTS_H

#include "method/tree/ordered_problem.h"
#include "method/tree/sphere_values.h"

enum { MYR_CELL_MOMENTS_STRENGTHS = 3 }; /* largest number of strength components */

typedef enum {
    MYR_CELL_MOMENTS_ONE,
    MYR_CELL_MOMENTS_THREE,
    MYR_CELL_MOMENTS_FOUR,
    MYR_CELL_MOMENTS_SPHERE
} myr_cell_moments_form;

/* Radius of lattice spheres in units of the cell's side, and of other spheres in units of the furthest source's
 * distance. Errors hardly depend on the radius from 0.3 to 0.8 sides (docs/decisions/tree.md); larger spheres have
 * smaller charges and so less rounding error in float. */
#define MYR_CELL_MOMENTS_LATTICE 0.65
#define MYR_CELL_MOMENTS_RADIUS 0.75

typedef struct {
    double mean[3];   /* centre of |strength|: for masses, the centre of mass */
    double centre[3]; /* centre of the pseudo-particles: `mean`, or the cell's centre if spheres are on a lattice */
    double radius;    /* radius of the sphere */
    double size;      /* sum of |strength| */
    double net[MYR_CELL_MOMENTS_STRENGTHS]; /* sum of strengths */
    double spread;                          /* sum of |strength| rho^2 / size, rho = distance from `centre` */
    double furthest;                        /* largest distance of a source from `centre` */
    double core;                            /* widest core of the cell's sources; 0 without cores */
    double velocity[3];                     /* velocity of `mean`; 0 without source velocities */
    double second[6];                       /* second moments sum m x x about `mean`: xx, yy, zz, yz, xz, xy */
    double change[6];                       /* rate of change of `second` */
} myr_cell_moments_cell;

typedef struct {
    myr_cell_moments_form form;
    int order, points; /* degrees 0 to order are exact; number of pseudo-particles per cell */
    /* 1 = spheres have the cells' centres and radii proportional to the cells' sides; 0 = fitted to the sources */
    int lattice;
    myr_sphere_values sphere;
    const myr_octree *tree;
    myr_cell_moments_cell *cell; /* [cells] */
    /* [cells]: index of the cell's first pseudo-particle among the sources, or -1 if the cell has none */
    int64_t *first;
    int64_t all;   /* total number of pseudo-particles */
    double *value; /* [cells with spheres][strengths][padded]: charges at the points; spheres only */
} myr_cell_moments;

/* Form of the pseudo-particles for an order from 1 to MYR_SPHERICAL_DESIGN_ORDER. one_sign: all strengths are scalars
 * of one sign. softened: the pair formula is not harmonic, or velocities are used. */
myr_cell_moments_form myr_cell_moments_choose(int order, int one_sign, int softened);

/* Number of pseudo-particles per cell. */
int myr_cell_moments_points(myr_cell_moments_form form, int order);

/* Returns 1 if all strengths of a problem are scalars of one sign. */
int myr_cell_moments_one_sign(const myr_direct *problem);

/* Determines which cells have pseudo-particles; outer->all is their total number. */
myr_status myr_cell_moments_make(myr_context *context, const myr_octree *tree, myr_cell_moments_form form, int order,
                                 int lattice, myr_cell_moments *outer);

/* Computes the pseudo-particles and stores them after the sources of the sorted problem, which must have room for
 * them. */
myr_status myr_cell_moments_fill(myr_cell_moments *outer, myr_ordered_problem *sorted);

/* Bytes of the arrays. */
int64_t myr_cell_moments_bytes(const myr_cell_moments *outer, int strengths);

/* Frees the arrays. */
void myr_cell_moments_free(myr_cell_moments *outer);

#endif
