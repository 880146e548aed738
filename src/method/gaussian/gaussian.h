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

/* The same with the gradients of the sums: gradient[3 c + k] is the derivative of sum c along axis k. */
void myr_gaussian_gradient(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                           double *const sum[3], double *const gradient[9]);

/* Exchange of weights between the sources, as diffusion does it: adds 2 nu sum_q (v_p w_q - v_q w_p) G(x_p - x_q)/s^2
 * to the rates of w_p, where v are volumes, G is a Gaussian and s^2 the mean of the two widths' squares. What one gains
 * another loses, to the last bit. */
myr_status myr_gaussian_exchange(myr_gaussian *gaussian, double nu, const double *volume, const double *const weight[3],
                                 double *const rate[3]);

/* Parts into which something at a place is shared among the sources near it: part[] of sources index[], `room` of them
 * at most, that sum to 1 and have their mean at the place, so that sums of what is shared and its first moments stay;
 * part[] must hold 4 room numbers. 0 where the sources are too few, too many, in a plane, or all on one side; else how
 * many there are. */
int myr_gaussian_share(const myr_gaussian *gaussian, const double at[3], int room, int64_t *index, double *part);

/* Weights with which the sums at the sources themselves are `value`, by conjugate gradients from the weights given; all
 * widths must be equal. Ends when the residual is `tolerance` of the values, or after `most` iterations; *iterations
 * and *residual tell. */
myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual);

/* The same by somebody who knows about how weights follow from values: a linear, symmetric and positive map. What it
 * makes of the last residual is added in the end, so that less is missing than *residual tells. */
typedef struct {
    void (*guess)(void *user, double *const value[3], double *const weight[3]);
    void *user;
} myr_gaussian_guess;
myr_status myr_gaussian_solve_guessed(myr_gaussian *gaussian, const myr_gaussian_guess *guess,
                                      const double *const value[3], double tolerance, int most, double *const weight[3],
                                      int *iterations, double *residual);

#endif
