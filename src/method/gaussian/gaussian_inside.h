/* gaussian_inside.h - sources of Gaussian sums sorted in cells, for the files that sum over them. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H

#include "backend/backend.h"
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
    const myr_isa_table *isa;  /* instruction set of the loops; all give the same bits */
    myr_gaussian_split *split; /* does the sums where it can; null = cells do */
};

/* What somebody does with sources begin to end, which may be within the cutoff of a place; where a box repeats, the
 * place is moved against the image that the sources are in. */
typedef void myr_gaussian_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user);

/* Gives all sources that may be within the cutoff of a place, row by row of cells, always in the same order. */
void myr_gaussian_visit(const myr_gaussian *g, const double at[3], myr_gaussian_row *row, void *user);

/* Counting sort of n places into the cells: places order[first[k]] .. order[first[k + 1] - 1] are in cell k. `first`
 * must hold zeros, one per cell and two more. */
void myr_gaussian_sort(const myr_gaussian *g, int64_t n, const double *const x[3], int64_t *first, int64_t *order);

/* What is done with sources begin to end, which lie in cells of one row; `shift` moves them to their image. 0 ends the
 * walk. */
typedef int myr_gaussian_near(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user);

/* Walks through the cells around a cell, and their images, row by row; 0 if `near` has ended the walk. */
int myr_gaussian_around(const myr_gaussian *g, const int64_t cell[3], myr_gaussian_near *near, void *user);

/* Takes three weights per source. */
void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3]);

#endif
