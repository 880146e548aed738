/* pseudo.h - the pseudo-particle method (Anderson 1992, Makino 1999; paper 004, section 3.3): the fast multipole method
 * with spheres of points in place of series. The far field of a cell's sources is that of charges on an outer sphere,
 * the field of what is far from a cell is known by its values on an inner sphere, and the way from one to the other is
 * a tile: the pair formula itself between the points of two spheres. So every formula whose outputs are harmonic works.
 *
 * Cells that have no more sources (or targets) than a sphere has points have none: their particles act (or are acted
 * on) themselves. Cells of different sizes meet as particles against a sphere. */
#ifndef MYR_METHOD_PSEUDO_H
#define MYR_METHOD_PSEUDO_H

#include "method/direct.h"
#include "method/tree/images.h"

typedef struct {
    int order;    /* degrees 0 to order: 1 to 10 */
    int64_t leaf; /* particles of a cell that is not split */
    double reach; /* nearer than this the pair formula is not harmonic: no cell is smaller */
    /* Where outputs are not fields of the place alone: the unit of the kernel, with the same sources, whose outputs,
     * the velocity of vortex elements, are what spheres hold. Null otherwise. */
    const myr_unit *field;
    myr_images box;
} myr_pseudo_options;

/* Fills what is 0, for a tolerance and sources of one sign or of both, from a measured table. */
void myr_pseudo_choose(double tolerance, int one_sign, myr_pseudo_options *options);

/* The smallest tolerance that it reaches. */
double myr_pseudo_floor(void);

/* Cells must not be smaller than this for Plummer softening to disturb the spheres less than the tolerance. With
 * centres two sides R = 2s apart and radius a, the mean over a sphere is off from the value in its middle by a^2/6
 * (laplacian of 1/(R^2 + eps^2)^(1/2)) = a^2 eps^2/(2 R^4) of it, on both spheres. */
double myr_pseudo_soft_reach(double eps, double tolerance);

typedef struct {
    int64_t near_pairs, far_pairs;   /* evaluated for particles, for points of inner spheres */
    int64_t translations;            /* from sphere to sphere, or as many pairs */
    int64_t cells, outer, inner;     /* cells, and how many of them have spheres */
    int64_t leaves, levels, largest; /* largest: most sources in a leaf */
    int64_t bytes;                   /* of its own arrays */
    double build_seconds, up_seconds, far_seconds, down_seconds, near_seconds;
} myr_pseudo_report;

/* Evaluates a problem on the processor; the same bits on any number of threads. report may be null. */
myr_status myr_pseudo_run(const myr_direct *problem, const myr_pseudo_options *options, myr_direct_result *result,
                          myr_pseudo_report *report);

#endif
