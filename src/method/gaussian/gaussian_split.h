/* gaussian_split.h - sums of Gaussians of one width in a periodic box, by way of a mesh: a Gaussian is the convolution
 * of two Gaussians narrower by sqrt 2, so that weights are spread to the mesh with one and sums are gathered from the
 * mesh with the other. Both touch `points` mesh points along each axis, independent of the number of neighbours. With
 * the best spacing, truncation and aliasing errors are both exp(-1.11 points) of the largest contribution: 1.4e-4 for 8
 * points, 2e-7 for 14. Sums are in float. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_SPLIT_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_SPLIT_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_gaussian_split myr_gaussian_split;

/* Number of points along an axis. */
enum { MYR_GAUSSIAN_SPLIT_COARSE = 8, MYR_GAUSSIAN_SPLIT_FINE = 14 };

/* Cutoff, in widths, of plain sums as accurate as the fine mesh; plain sums with a larger cutoff are more accurate. */
#define MYR_GAUSSIAN_SPLIT_CUTOFF 5.57

/* Returns 1 if a mesh is faster: the mesh of the box is not much larger than the number of sources. */
int myr_gaussian_split_pays(int64_t n, double width, const double edge[3]);

myr_status myr_gaussian_split_create(myr_context *context, int points, int64_t n, const double *const x[3],
                                     double width, const double edge[3], myr_gaussian_split **split);
void myr_gaussian_split_destroy(myr_gaussian_split **split);

/* Sums with three weights per source at m positions, or their Laplacians; at = null: at the sources. The same bits on
 * any number of threads. */
void myr_gaussian_split_sum(const myr_gaussian_split *split, int laplacian, const double *const weight[3], int64_t m,
                            const double *const at[3], double *const sum[3]);

#endif
