/* slabs.h - Fourier transforms of a mesh that several ranks share: each has some planes of z of the values, and some
 * rows of ky of the coefficients. Every one-dimensional transform is computed whole by one rank, so that the bits do
 * not depend on the number of ranks.
 *
 * Arrays have the layout of fourier.h and are as large as the mesh on every rank, but only the parts that are a rank's
 * own are ever written: the rest takes no memory. All functions are called by all ranks. */
#ifndef MYR_METHOD_SPECTRAL_SLABS_H
#define MYR_METHOD_SPECTRAL_SLABS_H

#include "method/spectral/fourier.h"

typedef struct myr_slabs myr_slabs;

/* What this rank has: rows of ky counted from the lowest that is kept, planes of z. */
typedef struct {
    int64_t row, rows_end, plane, planes_end;
} myr_slabs_part;

/* Divides the transforms over the ranks of the context. The transforms must stay. */
myr_status myr_slabs_create(myr_context *context, const myr_fourier *fourier, myr_slabs **slabs);

/* Frees them and clears the pointer. Null is allowed. */
void myr_slabs_destroy(myr_slabs **slabs);

myr_slabs_part myr_slabs_mine(const myr_slabs *slabs);

/* Coefficients to values, and back. */
myr_status myr_slabs_inverse(myr_slabs *slabs, double *field);
myr_status myr_slabs_forward(myr_slabs *slabs, double *field);

/* Gives the values of three arrays at the points of this rank's planes to all ranks; value[order[(z * side + y) * side
 * + x]] belongs to point (x, y, z). */
myr_status myr_slabs_share(myr_slabs *slabs, const int64_t *order, double *const value[3]);

#endif
