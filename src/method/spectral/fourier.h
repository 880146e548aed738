/* fourier.h - Fourier transforms of real fields on a periodic mesh, cubic or with sides of its own along each axis.
 *
 * A field of side^3 values is an array [z][y][x] whose rows have 2 (side/2 + 1) doubles; the last of them are unused.
 * Its coefficients occupy the same memory as [kz][ky][kx] complex numbers, kx = 0 to side/2, ky and kz in the order 0,
 * 1, ..., -2, -1. f(x) = sum over k of F(k) exp(i k x), with k in units of the lowest wave number of the box.
 *
 * `band` modes per axis are kept, |k| < band/2. An inverse transform takes all other modes to be zero, a forward
 * transform leaves them undefined; both cost less than transforming all modes.
 *
 * The transforms are one-dimensional FFTW transforms along each axis in turn, one plane per thread, planned without
 * timing: the same bits on any number of threads and in every run. */
#ifndef MYR_METHOD_SPECTRAL_FOURIER_H
#define MYR_METHOD_SPECTRAL_FOURIER_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_fourier myr_fourier;

/* Returns 1 if the build has FFTW. */
int myr_fourier_available(void);

/* Plans the transforms; MYR_ERROR_UNAVAILABLE if the build has no FFTW. */
myr_status myr_fourier_create(myr_context *context, int64_t side, int64_t band, myr_fourier **fourier);

/* Plans transforms of a mesh with another number of points along each axis (x, y, z): rows of 2 (side[0]/2 + 1)
 * doubles.
 */
myr_status myr_fourier_create_box(myr_context *context, const int64_t side[3], const int64_t band[3],
                                  myr_fourier **fourier);

/* Frees the plans and clears the pointer. Null is allowed. */
void myr_fourier_destroy(myr_fourier **fourier);

/* Number of doubles of an array, and number of complex numbers of a row. */
int64_t myr_fourier_numbers(int64_t side);
static inline int64_t myr_fourier_half(int64_t side)
{
    return side / 2 + 1;
}

/* Wave number of index i along an axis, and index of a wave number. */
static inline int64_t myr_fourier_mode(int64_t side, int64_t i)
{
    return 2 * i < side ? i : i - side;
}
static inline int64_t myr_fourier_place(int64_t side, int64_t mode)
{
    return mode < 0 ? mode + side : mode;
}

/* Coefficients to values, and values to coefficients; in place. */
void myr_fourier_inverse(const myr_fourier *fourier, double *field);
void myr_fourier_forward(const myr_fourier *fourier, double *field);

/* Parts of a transform, for meshes that are distributed over ranks: along z in rows first .. last of kept ky, counted
 * from the lowest ky; along x and y in planes first .. last of z. An inverse transform starts with the rows, a forward
 * transform with the planes. */
void myr_fourier_rows_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_planes_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_planes_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_rows_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last);

/* The same parts one row or one plane at a time, by the calling thread: for passes that do more than transform. */
void myr_fourier_row_inverse(const myr_fourier *fourier, double *field, int64_t row);
void myr_fourier_row_forward(const myr_fourier *fourier, double *field, int64_t row);
void myr_fourier_plane_inverse(const myr_fourier *fourier, double *field, int64_t z);
void myr_fourier_plane_forward(const myr_fourier *fourier, double *field, int64_t z);

/* Transforms of the same mesh and layout in floats, with all modes kept, by rows and planes: forward = 1 for values to
 * coefficients. Returns 0, or MYR_ERROR_UNAVAILABLE, if the build has no FFTW in single precision. */
int myr_fourier_single_available(void);
myr_status myr_fourier_single_create_box(myr_context *context, const int64_t side[3], myr_fourier **fourier);
void myr_fourier_single_row(const myr_fourier *fourier, int forward, float *field, int64_t row);
void myr_fourier_single_plane_inverse(const myr_fourier *fourier, float *field, int64_t z);
void myr_fourier_single_plane_forward(const myr_fourier *fourier, float *field, int64_t z);
void myr_fourier_single_inverse(const myr_fourier *fourier, float *field);
void myr_fourier_single_forward(const myr_fourier *fourier, float *field);

/* Points along x, and number of kept modes of kx (kx >= 0; there are twice that less 1 rows of ky). */
int64_t myr_fourier_side(const myr_fourier *fourier);
int64_t myr_fourier_kept(const myr_fourier *fourier);

#endif
