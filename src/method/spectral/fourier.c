/* fourier.c - three-dimensional transforms as three passes of one-dimensional transforms by FFTW. */
#include "method/spectral/fourier.h"

#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"

int64_t myr_fourier_numbers(int64_t side)
{
    return 2 * side * side * myr_fourier_half(side);
}

#if MYR_HAVE_FFTW

#include <fftw3.h>
#include <pthread.h>

typedef struct {
    int64_t side[3], half; /* points along the axes; complex numbers of a row */
    int64_t kept[3];       /* modes 0 to kept - 1 of x and -kept + 1 to kept - 1 of y and z are transformed */
} fourier_shape;

#define REAL double
#define FFTW(name) fftw_##name
#define PASS(name) fourier_double_##name
#include "method/spectral/fourier_passes.h"
#undef REAL
#undef FFTW
#undef PASS
#if MYR_HAVE_FFTW_SINGLE
#define REAL float
#define FFTW(name) fftwf_##name
#define PASS(name) fourier_single_##name
#include "method/spectral/fourier_passes.h"
#undef REAL
#undef FFTW
#undef PASS
#endif

struct myr_fourier {
    int threads;
    fourier_shape shape;
    fourier_double_plans plans;
#if MYR_HAVE_FFTW_SINGLE
    fourier_single_plans single;
#endif
};

/* FFTW's planner has global state and must be called by one thread at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

int myr_fourier_available(void)
{
    return 1;
}

static myr_status fourier_check(myr_context *context, const int64_t side[3], const int64_t band[3])
{
    for (int c = 0; c < 3; c++)
        if (side[c] < 2 || side[c] > 8192 || band[c] < 2 || band[c] > side[c])
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "a Fourier transform of %lld points per axis with %lld modes was asked for; 2 to "
                                    "8192 points, and no more modes than points, can be computed",
                                    (long long)side[c], (long long)band[c]);
    return MYR_OK;
}

static int fourier_plan(myr_fourier *f, int single, void *room)
{
    int planned;
    pthread_mutex_lock(&planner);
#if MYR_HAVE_FFTW_SINGLE
    if (single)
        planned = fourier_single_plan(&f->shape, room, &f->single);
    else
#endif
        planned = !single && fourier_double_plan(&f->shape, room, &f->plans);
    pthread_mutex_unlock(&planner);
    return planned;
}

static myr_status fourier_create(myr_context *context, const int64_t side[3], const int64_t band[3], int single,
                                 myr_fourier **fourier)
{
    *fourier = NULL;
    const myr_status status = fourier_check(context, side, band);
    if (status)
        return status;
    myr_fourier *f = calloc(1, sizeof *f);
    double *room = myr_memory_some(2 * side[1] * side[2] * myr_fourier_half(side[0]), sizeof *room);
    if (f) {
        f->threads = myr_context_threads(context);
        f->shape.half = myr_fourier_half(side[0]);
        for (int c = 0; c < 3; c++) {
            f->shape.side[c] = side[c];
            f->shape.kept[c] = (band[c] + 1) / 2;
        }
    }
    const int planned = f && room && fourier_plan(f, single, room);
    free(room);
    if (!planned) {
        myr_fourier_destroy(&f);
        return myr_context_fail(context, MYR_ERROR_MEMORY,
                                "no memory for Fourier transforms of %lld x %lld x %lld points", (long long)side[0],
                                (long long)side[1], (long long)side[2]);
    }
    *fourier = f;
    return MYR_OK;
}

myr_status myr_fourier_create_box(myr_context *context, const int64_t side[3], const int64_t band[3],
                                  myr_fourier **fourier)
{
    return fourier_create(context, side, band, 0, fourier);
}

void myr_fourier_destroy(myr_fourier **fourier)
{
    if (!fourier || !*fourier)
        return;
    pthread_mutex_lock(&planner);
    fourier_double_forget(&(*fourier)->plans);
#if MYR_HAVE_FFTW_SINGLE
    fourier_single_forget(&(*fourier)->single);
#endif
    pthread_mutex_unlock(&planner);
    free(*fourier);
    *fourier = NULL;
}

int64_t myr_fourier_side(const myr_fourier *fourier)
{
    return fourier->shape.side[0];
}

int64_t myr_fourier_kept(const myr_fourier *fourier)
{
    return fourier->shape.kept[0];
}

void myr_fourier_row_inverse(const myr_fourier *fourier, double *field, int64_t row)
{
    fourier_double_row(&fourier->shape, &fourier->plans, 0, field, row);
}

void myr_fourier_row_forward(const myr_fourier *fourier, double *field, int64_t row)
{
    fourier_double_row(&fourier->shape, &fourier->plans, 1, field, row);
}

void myr_fourier_plane_inverse(const myr_fourier *fourier, double *field, int64_t z)
{
    fourier_double_plane_inverse(&fourier->shape, &fourier->plans, field, z);
}

void myr_fourier_plane_forward(const myr_fourier *fourier, double *field, int64_t z)
{
    fourier_double_plane_forward(&fourier->shape, &fourier->plans, field, z);
}

void myr_fourier_rows_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
#pragma omp parallel for num_threads(fourier->threads) schedule(static)
    for (int64_t r = first; r < last; r++)
        myr_fourier_row_inverse(fourier, field, r);
}

void myr_fourier_rows_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
#pragma omp parallel for num_threads(fourier->threads) schedule(static)
    for (int64_t r = first; r < last; r++)
        myr_fourier_row_forward(fourier, field, r);
}

void myr_fourier_planes_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
#pragma omp parallel for num_threads(fourier->threads) schedule(static)
    for (int64_t z = first; z < last; z++)
        myr_fourier_plane_inverse(fourier, field, z);
}

void myr_fourier_planes_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
#pragma omp parallel for num_threads(fourier->threads) schedule(static)
    for (int64_t z = first; z < last; z++)
        myr_fourier_plane_forward(fourier, field, z);
}

void myr_fourier_inverse(const myr_fourier *fourier, double *field)
{
    myr_fourier_rows_inverse(fourier, field, 0, 2 * fourier->shape.kept[1] - 1);
    myr_fourier_planes_inverse(fourier, field, 0, fourier->shape.side[2]);
}

void myr_fourier_forward(const myr_fourier *fourier, double *field)
{
    myr_fourier_planes_forward(fourier, field, 0, fourier->shape.side[2]);
    myr_fourier_rows_forward(fourier, field, 0, 2 * fourier->shape.kept[1] - 1);
}

#else

int myr_fourier_available(void)
{
    return 0;
}

myr_status myr_fourier_create_box(myr_context *context, const int64_t side[3], const int64_t band[3],
                                  myr_fourier **fourier)
{
    (void)side, (void)band;
    *fourier = NULL;
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "this build of Myriad has no Fourier transforms: it was made without FFTW; install "
                            "libfftw3-dev and build again");
}

void myr_fourier_destroy(myr_fourier **fourier)
{
    (void)fourier;
}

int64_t myr_fourier_side(const myr_fourier *fourier)
{
    (void)fourier;
    return 0;
}

int64_t myr_fourier_kept(const myr_fourier *fourier)
{
    (void)fourier;
    return 0;
}

void myr_fourier_rows_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
    (void)fourier, (void)field, (void)first, (void)last;
}

void myr_fourier_planes_inverse(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
    (void)fourier, (void)field, (void)first, (void)last;
}

void myr_fourier_planes_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
    (void)fourier, (void)field, (void)first, (void)last;
}

void myr_fourier_rows_forward(const myr_fourier *fourier, double *field, int64_t first, int64_t last)
{
    (void)fourier, (void)field, (void)first, (void)last;
}

void myr_fourier_inverse(const myr_fourier *fourier, double *field)
{
    (void)fourier, (void)field;
}

void myr_fourier_forward(const myr_fourier *fourier, double *field)
{
    (void)fourier, (void)field;
}

void myr_fourier_row_inverse(const myr_fourier *fourier, double *field, int64_t row)
{
    (void)fourier, (void)field, (void)row;
}

void myr_fourier_row_forward(const myr_fourier *fourier, double *field, int64_t row)
{
    (void)fourier, (void)field, (void)row;
}

void myr_fourier_plane_inverse(const myr_fourier *fourier, double *field, int64_t z)
{
    (void)fourier, (void)field, (void)z;
}

void myr_fourier_plane_forward(const myr_fourier *fourier, double *field, int64_t z)
{
    (void)fourier, (void)field, (void)z;
}

#endif

#if MYR_HAVE_FFTW && MYR_HAVE_FFTW_SINGLE

int myr_fourier_single_available(void)
{
    return 1;
}

myr_status myr_fourier_single_create_box(myr_context *context, const int64_t side[3], myr_fourier **fourier)
{
    return fourier_create(context, side, side, 1, fourier);
}

void myr_fourier_single_row(const myr_fourier *fourier, int forward, float *field, int64_t row)
{
    fourier_single_row(&fourier->shape, &fourier->single, forward, field, row);
}

void myr_fourier_single_plane_inverse(const myr_fourier *fourier, float *field, int64_t z)
{
    fourier_single_plane_inverse(&fourier->shape, &fourier->single, field, z);
}

void myr_fourier_single_plane_forward(const myr_fourier *fourier, float *field, int64_t z)
{
    fourier_single_plane_forward(&fourier->shape, &fourier->single, field, z);
}

#else

int myr_fourier_single_available(void)
{
    return 0;
}

myr_status myr_fourier_single_create_box(myr_context *context, const int64_t side[3], myr_fourier **fourier)
{
    (void)side;
    *fourier = NULL;
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "this build of Myriad has no Fourier transforms in single precision");
}

void myr_fourier_single_row(const myr_fourier *fourier, int forward, float *field, int64_t row)
{
    (void)fourier, (void)forward, (void)field, (void)row;
}

void myr_fourier_single_plane_inverse(const myr_fourier *fourier, float *field, int64_t z)
{
    (void)fourier, (void)field, (void)z;
}

void myr_fourier_single_plane_forward(const myr_fourier *fourier, float *field, int64_t z)
{
    (void)fourier, (void)field, (void)z;
}

#endif

#if MYR_HAVE_FFTW

void myr_fourier_single_inverse(const myr_fourier *fourier, float *field)
{
    const myr_fourier *f = fourier;
#pragma omp parallel num_threads(f->threads)
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < 2 * f->shape.kept[1] - 1; r++)
            myr_fourier_single_row(f, 0, field, r);
#pragma omp for schedule(static)
        for (int64_t z = 0; z < f->shape.side[2]; z++)
            myr_fourier_single_plane_inverse(f, field, z);
    }
}

void myr_fourier_single_forward(const myr_fourier *fourier, float *field)
{
    const myr_fourier *f = fourier;
#pragma omp parallel num_threads(f->threads)
    {
#pragma omp for schedule(static)
        for (int64_t z = 0; z < f->shape.side[2]; z++)
            myr_fourier_single_plane_forward(f, field, z);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < 2 * f->shape.kept[1] - 1; r++)
            myr_fourier_single_row(f, 1, field, r);
    }
}

#else

void myr_fourier_single_inverse(const myr_fourier *fourier, float *field)
{
    (void)fourier, (void)field;
}

void myr_fourier_single_forward(const myr_fourier *fourier, float *field)
{
    (void)fourier, (void)field;
}

#endif

myr_status myr_fourier_create(myr_context *context, int64_t side, int64_t band, myr_fourier **fourier)
{
    return myr_fourier_create_box(context, (const int64_t[3]){side, side, side}, (const int64_t[3]){band, band, band},
                                  fourier);
}
