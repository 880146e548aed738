/* gaussian_loop.h - the innermost loop of Gaussian sums: one target and a bag of sources, in floats, sixteen sources at
 * a time. Its lanes and their order are fixed, and operations are not fused: the bits are the same on every machine. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_LOOP_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_LOOP_H

#include <stdint.h>

enum { MYR_GAUSSIAN_LANES = 16 };

/* Sources relative to the middle of a cell, lengths in units of the widest Gaussian; arrays aligned for the lanes and
 * filled up to whole ones with weights of 0. decay: -log2(e)/2 over the square of the width. */
typedef struct {
    int64_t n; /* a multiple of the lanes */
    const float *x[3], *decay, *weight[3];
} myr_gaussian_bag;

/* Sums of weight 2^(decay r^2) for r^2 <= cutoff2, or of its Laplacian. */
typedef void (*myr_gaussian_loop)(const myr_gaussian_bag *bag, float cutoff2, const float at[3], double sum[3]);

/* The loop for this processor. */
myr_gaussian_loop myr_gaussian_loop_choose(int laplacian);

#endif
