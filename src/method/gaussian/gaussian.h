/* gaussian.h - sums of Gaussians with a cutoff: sum_j w_j (2 pi s_j^2)^(-3/2) exp(-r^2/(2 s_j^2)), paper 004 eqs 3 and
 * 4, in open space or in a periodic box. Sources are sorted into cells, so that the targets of a cell share their near
 * sources. Sums are evaluated in the order of the cells: the same bits on any number of threads. Contributions are
 * floats, with errors of about 1e-7 of the largest contributions. */
#ifndef MYR_METHOD_GAUSSIAN_H
#define MYR_METHOD_GAUSSIAN_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_gaussian myr_gaussian;

/* Sorts n sources with widths s; contributions beyond `cutoff` times the largest width are omitted. */
myr_status myr_gaussian_create(myr_context *context, int64_t n, const double *const x[3], const double *width,
                               double cutoff, myr_gaussian **gaussian);

/* myr_gaussian_create with periodic images along the axes whose edge is not 0. */
myr_status myr_gaussian_create_in(myr_context *context, int64_t n, const double *const x[3], const double *width,
                                  double cutoff, const double edge[3], myr_gaussian **gaussian);

/* Frees the sources and clears the pointer. Null is allowed. */
void myr_gaussian_destroy(myr_gaussian **gaussian);

/* Sums with three weights per source at m positions; at = null: at the sources. */
myr_status myr_gaussian_sum(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                            double *const sum[3]);

/* Laplacians of these sums. They give the change of the sums when the widths spread: d sum/d(s^2) = Laplacian/2. */
myr_status myr_gaussian_laplacian(myr_gaussian *gaussian, const double *const weight[3], int64_t m,
                                  const double *const at[3], double *const sum[3]);

/* Sums and their gradients: gradient[3 c + k] is the derivative of sum c along axis k. */
void myr_gaussian_gradient(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                           double *const sum[3], double *const gradient[9]);

/* Particle strength exchange: adds 2 nu sum_q (v_p w_q - v_q w_p) G(x_p - x_q)/s^2 to the rate of w_p, with volumes v,
 * a Gaussian G and s^2 = mean of the two squared widths. The exchange is antisymmetric to the last bit: the sum of all
 * weights is conserved. */
myr_status myr_gaussian_exchange(myr_gaussian *gaussian, double nu, const double *volume, const double *const weight[3],
                                 double *const rate[3]);

/* Distributes a quantity at a position over the near sources: part[] of sources index[], at most `room` of them, which
 * sum to 1 and have their mean at the position, so that sums and first moments are conserved. part[] must hold 4 room
 * numbers. Returns the number of sources; 0 if there are too few, too many, if they lie in a plane or all on one
 * side. */
int myr_gaussian_share(const myr_gaussian *gaussian, const double at[3], int room, int64_t *index, double *part);

/* Solves for weights whose sums at the sources are `value`, by conjugate gradients from the given weights; all widths
 * must be equal. Stops when the residual is `tolerance` times the values, or after `most` iterations. *iterations and
 * *residual return the achieved values. */
myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual);

/* The same for any sums at n places that are a linear, symmetric and positive map of the weights. `guess`, unless null,
 * is a preconditioner: it approximates the weights from values, as such a map. The guess of the last residual is added
 * at the end, so that the actual error is smaller than *residual, unless the given weights have a residual below
 * `close`: these are left as they are, and `sum` is called once. room: [12 n] numbers, or null. */
typedef struct {
    void (*guess)(void *user, double *const value[3], double *const weight[3]);
    void *user;
} myr_gaussian_guess;
typedef struct {
    myr_context *context;
    int64_t n;
    myr_status (*sum)(void *user, const double *const weight[3], double *const sum[3]);
    void *user;
    const myr_gaussian_guess *guess;
    double *room;
    double tolerance, close;
    int most; /* iterations */
} myr_gaussian_system;
myr_status myr_gaussian_system_solve(const myr_gaussian_system *system, const double *const value[3],
                                     double *const weight[3], int *iterations, double *residual);

#endif
