/* fourier.h - Fourier transforms of real fields on a periodic cubic mesh.
 *
 * A field of side^3 values is an array [z][y][x] whose rows have 2 (side/2 + 1) doubles, the last of them unused; its
 * coefficients take the same place as [kz][ky][kx] complex numbers, kx = 0 to side/2, ky and kz as 0, 1, ..., -2, -1.
 * f(x) = sum over k of F(k) exp(i k x), in units of the longest wave of the box.
 *
 * `band` modes per axis are kept, |k| < band/2: the others are taken to be zero before an inverse transform and are
 * left as they happen to be by a forward one, which costs less than transforming them.
 *
 * The transforms are one-dimensional ones of FFTW along each axis in turn, a plane per thread, planned without timing:
 * the same bits on any number of threads and in every run. */
#ifndef MYR_METHOD_SPECTRAL_FOURIER_H
#define MYR_METHOD_SPECTRAL_FOURIER_H

#include <stdint.h>

#include <myriad/context.h>

typedef struct myr_fourier myr_fourier;

/* 1 where the build has FFTW. */
int myr_fourier_available(void);

/* Plans transforms; MYR_ERROR_UNAVAILABLE where the build has no FFTW. */
myr_status myr_fourier_create(myr_context *context, int64_t side, int64_t band, myr_fourier **fourier);

/* Frees them and clears the pointer. Null is allowed. */
void myr_fourier_destroy(myr_fourier **fourier);

/* The doubles of an array, and the complex numbers of a row. */
int64_t myr_fourier_numbers(int64_t side);
static inline int64_t myr_fourier_half(int64_t side)
{
    return side / 2 + 1;
}

/* The wave number of place i along an axis, and the place of a wave number. */
static inline int64_t myr_fourier_mode(int64_t side, int64_t i)
{
    return 2 * i < side ? i : i - side;
}
static inline int64_t myr_fourier_place(int64_t side, int64_t mode)
{
    return mode < 0 ? mode + side : mode;
}

/* Coefficients to values, and back; in place. */
void myr_fourier_inverse(const myr_fourier *fourier, double *field);
void myr_fourier_forward(const myr_fourier *fourier, double *field);

/* What they are made of, for parts of a mesh: along z in some of the rows of ky that are kept, which are counted from
 * the lowest ky; along x and y in some planes of z. An inverse transform begins with the rows, a forward one with the
 * planes. */
void myr_fourier_rows_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_planes_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_planes_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last);
void myr_fourier_rows_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last);

/* Points per axis; modes of kx that are kept (from 0 on: twice that less 1 are the rows of ky). */
int64_t myr_fourier_side(const myr_fourier *fourier);
int64_t myr_fourier_kept(const myr_fourier *fourier);

#endif
