/* gaussian_inside.h - sources of Gaussian sums sorted into cells, for the files that sum over them. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_INSIDE_H

#include "backend/backend.h"
#include "method/gaussian/gaussian.h"
#include "method/gaussian/gaussian_spread.h"

struct myr_gaussian {
    myr_context *context;
    int threads;
    int64_t n;
    double edge[3]; /* edges of a periodic box; 0 = open axis */
    double origin[3], cell[3], half[3], cutoff2, widest;
    int64_t cells[3], reach[3];
    int64_t *first; /* [cells + 1]: first source of each cell */
    int64_t *order; /* [n]: source index by sorted position */
    double *x[3], *decay, *peak, *weight[3];
    const myr_isa_table *isa;    /* instruction set of the loops; all give the same bits */
    myr_gaussian_spread *spread; /* mesh that computes the sums if possible; null = sums over cells */
};

/* Callback for sources begin .. end - 1, which may be within the cutoff of a position; in a periodic box the position
 * is displaced to the frame of the sources' image. */
typedef void myr_gaussian_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user);

/* Visits all sources that may be within the cutoff of a position, row by row of cells, always in the same order. */
void myr_gaussian_visit(const myr_gaussian *g, const double at[3], myr_gaussian_row *row, void *user);

/* Counting sort of n positions into the cells: positions order[first[k]] .. order[first[k + 1] - 1] are in cell k.
 * `first` must hold zeros, two more than the number of cells. */
void myr_gaussian_sort(const myr_gaussian *g, int64_t n, const double *const x[3], int64_t *first, int64_t *order);

/* Callback for sources begin .. end - 1 in cells of one row; `shift` displaces the sources to their image. The callback
 * returns 0 to stop. */
typedef int myr_gaussian_near(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user);

/* Walks through the cells around a cell and their images, row by row; returns 0 if `near` stopped the walk. */
int myr_gaussian_around(const myr_gaussian *g, const int64_t cell[3], myr_gaussian_near *near, void *user);

/* Copies three weights per source in sorted order. */
void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3]);

#endif
