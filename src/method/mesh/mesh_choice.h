/* mesh_choice.h - width of the window and size of the mesh for a tolerance, from a formula for the error.
 *
 * Sums f(x) = sum_k K(k) S(k) exp(i k x) over the waves of a periodic box, with |K| = k^power exp(-(core k)^2/2) and
 * sources that are white noise, |S| = 1. A mesh adds to a wave k those that it cannot tell from k, k + 2 pi m/spacing,
 * with the factors phi^(k + 2 pi m/spacing)/phi^(k): once when sources are spread, and once when sums are gathered.
 * With theta = k spacing, a(theta) the sum of the squares of these factors over m != 0, and d(theta) the same sum
 * weighted by (theta + 2 pi m)^2, the relative rms errors of f and, gathered with the window's derivative, of its
 * gradient are
 *
 *   e_f^2 = sum_k K^2 2 (a_x + a_y + a_z) / sum_k K^2
 *   e_g^2 = sum_k K^2 sum_c ((2 k^2 - k_c^2) a_c + d_c) / sum_k K^2 k^2
 *
 * plus the waves that the mesh does not have, in the sums over k < pi/spacing along each axis. */
#ifndef MYR_METHOD_MESH_CHOICE_H
#define MYR_METHOD_MESH_CHOICE_H

#include <stdint.h>

typedef struct {
    double tolerance; /* relative rms error of the sums and, if wanted, of their gradients */
    double core;      /* standard deviation of the Gaussian */
    double edge[3];   /* edges of the periodic box */
    int power;        /* of k in the kernel: -1 velocities, 0 Gaussians, 2 their Laplacians, -2 potentials */
    int gradient;     /* 1 = gradients are gathered */
    int on_gpu;       /* 1 = costs of a GPU */
    int single;       /* 1 = floats on the processor: another cost of the window */
    int fitted;       /* 1 = weights of mesh_fit.h instead of the window's, whose errors take the place of a and d */
    int64_t n;        /* number of sources: decides whether points of the window or of the mesh cost more */
} myr_mesh_question;

typedef struct {
    int single;      /* 1 = the processor's mesh is in floats */
    int width;       /* points along an axis that a source touches */
    double beta;     /* shape of the window */
    int64_t side[3]; /* points of the mesh: even, with factors 2, 3, 5 and 7 only */
    double fineness; /* least core/spacing along an axis */
    double error;    /* what the formula expects */
    double cost;     /* of an evaluation, in units of 8 multiply-adds; infinite = there is no mesh */
} myr_mesh_choice;

/* Cheapest choice. Returns 0 if no mesh of up to MYR_MESH_POINTS points keeps the tolerance; the sides are then those
 * that would be needed. */
#define MYR_MESH_POINTS 5e8
int myr_mesh_choose(const myr_mesh_question *question, myr_mesh_choice *choice);

/* Smallest even number with factors 2, 3, 5 and 7 only that is at least x; x at most 1e9. */
int64_t myr_mesh_smooth(double x);

#endif
