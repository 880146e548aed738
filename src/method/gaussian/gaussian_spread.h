/* gaussian_spread.h - sums of Gaussians of one width in a periodic box by way of a mesh (method/mesh/mesh.h): the cost
 * does not depend on the number of neighbours within the cutoff. Sums are in double, with a relative rms error that is
 * chosen. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_SPREAD_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_SPREAD_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_gaussian_spread myr_gaussian_spread;

/* Error of sums that are iterated, or serve velocities only. */
#define MYR_GAUSSIAN_SPREAD_COARSE 1e-4

/* Largest cutoff, in widths, of plain sums that a mesh replaces: plain sums are in float. */
#define MYR_GAUSSIAN_SPREAD_CUTOFF 6.5

/* Tolerance of a mesh as accurate as plain sums with a cutoff in widths. */
double myr_gaussian_spread_tolerance(double cutoff);

/* Returns 1 if a mesh is faster than plain sums and possible: Fourier transforms are available, all axes are periodic,
 * and the mesh is not much larger than the number of sources. */
int myr_gaussian_spread_pays(int64_t n, double width, const double edge[3]);

myr_status myr_gaussian_spread_create(myr_context *context, double tolerance, int64_t n, const double *const x[3],
                                      double width, const double edge[3], myr_gaussian_spread **spread);
void myr_gaussian_spread_destroy(myr_gaussian_spread **spread);

/* Returns 1 if the mesh is a coarse one. */
int myr_gaussian_spread_is_coarse(const myr_gaussian_spread *spread);

/* Sums with three weights per source at m positions, or their Laplacians; at = null: at the sources. The same bits on
 * any number of threads. */
myr_status myr_gaussian_spread_sum(const myr_gaussian_spread *spread, int laplacian, const double *const weight[3],
                                   int64_t m, const double *const at[3], double *const sum[3]);

#endif
