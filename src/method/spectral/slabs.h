/* slabs.h - Fourier transforms of a mesh distributed over ranks: each rank has some planes of z of the values and some
 * rows of ky of the coefficients. Every one-dimensional transform is computed by a single rank, so that the bits do not
 * depend on the number of ranks.
 *
 * Arrays have the layout of fourier.h and the size of the whole mesh on every rank, but a rank writes only its own
 * parts: untouched pages take no memory. All functions are collective. */
#ifndef MYR_METHOD_SPECTRAL_SLABS_H
#define MYR_METHOD_SPECTRAL_SLABS_H

#include "method/spectral/fourier.h"

typedef struct myr_slabs myr_slabs;

/* Part of a rank: rows row .. rows_end - 1 of ky, counted from the lowest kept ky, and planes plane .. planes_end - 1
 * of z. */
typedef struct {
    int64_t row, rows_end, plane, planes_end;
} myr_slabs_part;

/* Distributes the transforms over the ranks of the context. `fourier` must outlive the slabs. */
myr_status myr_slabs_create(myr_context *context, const myr_fourier *fourier, myr_slabs **slabs);

/* Frees the slabs and clears the pointer. Null is allowed. */
void myr_slabs_destroy(myr_slabs **slabs);

myr_slabs_part myr_slabs_own(const myr_slabs *slabs);

/* Coefficients to values, and values to coefficients. */
myr_status myr_slabs_inverse(myr_slabs *slabs, double *field);
myr_status myr_slabs_forward(myr_slabs *slabs, double *field);

/* Broadcasts the values of three arrays at the points of each rank's planes to all ranks; value[order[(z * side + y) *
 * side + x]] belongs to point (x, y, z). */
myr_status myr_slabs_share(myr_slabs *slabs, const int64_t *order, double *const value[3]);

#endif
