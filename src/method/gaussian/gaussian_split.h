/* gaussian_split.h - sums of Gaussians of one width in a box that repeats, by way of a mesh: a Gaussian is the
 * convolution of two that are narrower by sqrt 2, so weights are spread to the points of the mesh with one of them and
 * sums gathered from there with the other. Both take some points along each axis, whatever the number of neighbours.
 * With the best distance of points, what lies beyond them and what the mesh does not see are both exp(-1.11 points) of
 * the largest contribution: 1.4e-4 for 8, 2e-7 for 14. Sums are of floats. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_SPLIT_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_SPLIT_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_gaussian_split myr_gaussian_split;

/* Points along an axis. */
enum { MYR_GAUSSIAN_SPLIT_COARSE = 8, MYR_GAUSSIAN_SPLIT_FINE = 14 };

/* The fine one is as good as sums that end at so many widths; those that end further out are better. */
#define MYR_GAUSSIAN_SPLIT_CUTOFF 5.57

/* Whether it pays: the mesh of such a box is not much larger than the number of sources. */
int myr_gaussian_split_pays(int64_t n, double width, const double edge[3]);

myr_status myr_gaussian_split_create(myr_context *context, int points, int64_t n, const double *const x[3],
                                     double width, const double edge[3], myr_gaussian_split **split);
void myr_gaussian_split_destroy(myr_gaussian_split **split);

/* Sums of three weights per source at m places, or their Laplacians; null places: at the sources. The same bits on any
 * number of threads. */
void myr_gaussian_split_sum(const myr_gaussian_split *split, int laplacian, const double *const weight[3], int64_t m,
                            const double *const at[3], double *const sum[3]);

#endif
