/* gaussian.h - sums of Gaussians that end at a cutoff: sum_j w_j (2 pi s_j^2)^(-3/2) exp(-r^2/(2 s_j^2)), paper 004 eqs
 * 3 and 4, alone in space or in a box that repeats. Sources lie sorted in cells, so that the targets of a cell share
 * what is near them; sums run in the order of the cells, the same on any number of threads. Contributions are floats:
 * off by some 1e-7 of the largest ones. */
#ifndef MYR_METHOD_GAUSSIAN_H
#define MYR_METHOD_GAUSSIAN_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_gaussian myr_gaussian;

/* Sorts n sources with widths s; contributions beyond `cutoff` of the largest width are left out. */
myr_status myr_gaussian_create(myr_context *context, int64_t n, const double *const x[3], const double *width,
                               double cutoff, myr_gaussian **gaussian);

/* The same in a box: along the axes whose edge is not 0 the sources have images an edge apart. */
myr_status myr_gaussian_create_in(myr_context *context, int64_t n, const double *const x[3], const double *width,
                                  double cutoff, const double edge[3], myr_gaussian **gaussian);

/* Frees them and clears the pointer. Null is allowed. */
void myr_gaussian_destroy(myr_gaussian **gaussian);

/* Sums of three weights per source at m places; null places: at the sources themselves. */
myr_status myr_gaussian_sum(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                            double *const sum[3]);

/* The Laplacians of these sums: what spreading the widths changes them by, d sum/d(s^2) = Laplacian/2. */
myr_status myr_gaussian_laplacian(myr_gaussian *gaussian, const double *const weight[3], int64_t m,
                                  const double *const at[3], double *const sum[3]);

/* Weights with which the sums at the sources themselves are `value`, by conjugate gradients from the weights given; all
 * widths must be equal. Ends when the residual is `tolerance` of the values, or after `most` iterations; *iterations
 * and *residual tell. */
myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual);

#endif
