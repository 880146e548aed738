/* gaussian_spread.h - sums of Gaussians of one width in a periodic box by way of a mesh (method/mesh/mesh.h): the cost
 * does not depend on the number of neighbours within the cutoff. Sums are in double, with a relative rms error that is
 * chosen. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_SPREAD_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_SPREAD_H

#include <stdint.h>

#include <myriad/context.h>

#include "method/mesh/waves_fit.h"

typedef struct myr_gaussian_spread myr_gaussian_spread;

/* Largest cutoff, in widths, of plain sums that a mesh replaces: plain sums are in float. */
#define MYR_GAUSSIAN_SPREAD_CUTOFF 6.5

/* Tolerance of a mesh as accurate as plain sums with a cutoff in widths. */
double myr_gaussian_spread_tolerance(double cutoff);

/* Returns 1 if a mesh is faster than plain sums and possible: Fourier transforms are available, all axes are periodic,
 * and the mesh is not much larger than the number of sources. */
int myr_gaussian_spread_pays(int64_t n, double width, const double edge[3]);

/* What a mesh is made for: n Gaussians of one width in a box. single: 1 = in floats, if the tolerance allows it. */
typedef struct {
    double tolerance, width, edge[3], corner[3];
    int64_t n;
    int single;
} myr_gaussian_spread_case;
myr_status myr_gaussian_spread_create(myr_context *context, const myr_gaussian_spread_case *wanted,
                                      myr_gaussian_spread **spread);
void myr_gaussian_spread_destroy(myr_gaussian_spread **spread);

/* Returns 1 if the mesh was made for this case and the present number of threads. */
int myr_gaussian_spread_matches(const myr_gaussian_spread *spread, const myr_gaussian_spread_case *wanted);

/* Gives the mesh its sources, in place of those it has. */
myr_status myr_gaussian_spread_place(myr_gaussian_spread *spread, const double *const x[3]);

/* Sums with three weights per source at m positions, or their Laplacians; at = null: at the sources. The same bits on
 * any number of threads. */
myr_status myr_gaussian_spread_sum(myr_gaussian_spread *spread, int laplacian, const double *const weight[3], int64_t m,
                                   const double *const at[3], double *const sum[3]);

/* Lets myr_gaussian_spread_sum keep the waves of the weights, and evaluates from them the Laplacians at the sources of
 * the sums of its last call. */
myr_status myr_gaussian_spread_keep(myr_gaussian_spread *spread);
void myr_gaussian_spread_laplacian_again(myr_gaussian_spread *spread, double *const sum[3]);

/* Coefficients, for |k| < modes/2 along each axis, of the sums at the points of a mesh of modes^3 points whose first
 * point is the corner, in the layout of fourier.h. */
void myr_gaussian_spread_modes(myr_gaussian_spread *spread, const double *const weight[3], int64_t modes,
                               double *const hat[3]);

/* Coefficients of the waves that are nearest to values at the sources (mesh_fit_waves.h), without Gaussians. */
myr_status myr_gaussian_spread_fit(myr_gaussian_spread *spread, const double *const value[3], myr_mesh_waves_fit *fit,
                                   double *const hat[3]);

#endif
