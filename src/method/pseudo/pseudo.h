/* pseudo.h - pseudo-particle method (Anderson 1992, Makino 1999; paper 004, section 3.3): the fast multipole method
 * with points on spheres instead of series. The far field of a cell's sources is that of charges on an outer sphere;
 * the field of distant sources in a cell is given by its values on an inner sphere; the translation between them is a
 * tile, that is the pair formula itself between the points of two spheres. The method therefore works with every
 * formula whose outputs are harmonic.
 *
 * A cell with no more sources (or targets) than a sphere has points has no sphere: its particles are used themselves.
 * Cells of different sizes interact as particles with a sphere. */
#ifndef MYR_METHOD_PSEUDO_H
#define MYR_METHOD_PSEUDO_H

#include "method/direct.h"
#include "method/tree/images.h"

typedef struct {
    int order;    /* highest exact degree: 1 to 10 */
    int64_t leaf; /* cells with more particles are split */
    double reach; /* distance below which the pair formula is not harmonic: smallest side of a cell */
    /* For kernels whose outputs depend on more than the position: unit of the kernel with the same sources whose
     * outputs (the velocity of vortex elements) are stored on spheres. Null otherwise. */
    const myr_unit *field;
    myr_images box;
} myr_pseudo_options;

/* Fills options that are 0, for a tolerance and strengths of one sign or both, from a measured table. */
void myr_pseudo_choose(double tolerance, int one_sign, myr_pseudo_options *options);

/* Smallest tolerance in the table, that of the highest order. */
double myr_pseudo_least(int one_sign);

/* Tolerance that an order keeps. */
double myr_pseudo_keeps(int order, int one_sign);

/* Smallest side of a cell for which Plummer softening changes the spheres by less than the tolerance. With centres R =
 * 2s apart and radius a, the mean over a sphere differs from the value at its centre by a^2/6 (laplacian of 1/(R^2 +
 * eps^2)^(1/2)), that is by the fraction a^2 eps^2/(2 R^4), on both spheres. */
double myr_pseudo_soft_reach(double eps, double tolerance);

typedef struct {
    int64_t near_pairs, far_pairs;   /* pairs evaluated for particles, and for points of inner spheres */
    int64_t translations;            /* number of translations from sphere to sphere, or equivalent numbers of pairs */
    int64_t cells, outer, inner;     /* numbers of cells, of outer spheres, of inner spheres */
    int64_t leaves, levels, largest; /* numbers of leaves and levels; largest number of sources in a leaf */
    int64_t bytes;                   /* memory of the method's own arrays */
    double build_seconds, up_seconds, far_seconds, down_seconds, near_seconds;
} myr_pseudo_report;

/* Evaluates a problem on the processor, with the same bits on any number of threads. report may be null. */
myr_status myr_pseudo_run(const myr_direct *problem, const myr_pseudo_options *options, myr_direct_result *result,
                          myr_pseudo_report *report);

#endif
