/* gaussian_inside.h - sources of Gaussian sums sorted in cells, for the files that sum over them. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H

#include "method/gaussian/gaussian.h"
#include "method/gaussian/gaussian_split.h"

struct myr_gaussian {
    myr_context *context;
    int threads;
    int64_t n;
    double edge[3]; /* of a box that repeats; 0 = open */
    double origin[3], cell[3], half[3], cutoff2, widest;
    int64_t cells[3], reach[3];
    int64_t *first; /* of each cell, and the end */
    int64_t *order; /* sources by cell */
    double *x[3], *decay, *peak, *weight[3];
    myr_gaussian_split *split; /* does the sums where it can; null = cells do */
};

/* What somebody does with sources begin to end, which may be within the cutoff of a place; where a box repeats, the
 * place is moved against the image that the sources are in. */
typedef void myr_gaussian_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user);

/* Gives all sources that may be within the cutoff of a place, row by row of cells, always in the same order. */
void myr_gaussian_visit(const myr_gaussian *g, const double at[3], myr_gaussian_row *row, void *user);

/* Takes three weights per source. */
void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3]);

#endif
