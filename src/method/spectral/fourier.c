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

struct myr_fourier {
    int threads;
    int64_t side[3], half; /* points along the axes; complex numbers of a row */
    int64_t kept[3];       /* modes 0 to kept - 1 of x and -kept + 1 to kept - 1 of y and z are transformed */
    /* plans along x, y and z: [0] coefficients to values, [1] values to coefficients */
    fftw_plan x[2], y[2], z[2];
};

/* FFTW's planner has global state and must be called by one thread at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

int myr_fourier_available(void)
{
    return 1;
}

static void fourier_plan(myr_fourier *f, double *room)
{
    fftw_complex *at = (fftw_complex *)room;
    const int side[3] = {(int)f->side[0], (int)f->side[1], (int)f->side[2]};
    const int half = (int)f->half, kept = (int)f->kept[0], plane = side[1] * half;
    const unsigned how = FFTW_ESTIMATE;
    for (int way = 0; way < 2; way++) {
        const int sign = way == 0 ? FFTW_BACKWARD : FFTW_FORWARD;
        f->y[way] = fftw_plan_many_dft(1, &side[1], kept, at, NULL, half, 1, at, NULL, half, 1, sign, how);
        f->z[way] = fftw_plan_many_dft(1, &side[2], kept, at, NULL, plane, 1, at, NULL, plane, 1, sign, how);
    }
    f->x[0] = fftw_plan_many_dft_c2r(1, side, side[1], at, NULL, 1, half, room, NULL, 1, 2 * half, how);
    f->x[1] = fftw_plan_many_dft_r2c(1, side, side[1], room, NULL, 1, 2 * half, at, NULL, 1, half, how);
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

myr_status myr_fourier_create_box(myr_context *context, const int64_t side[3], const int64_t band[3],
                                  myr_fourier **fourier)
{
    *fourier = NULL;
    const myr_status status = fourier_check(context, side, band);
    if (status)
        return status;
    myr_fourier *f = calloc(1, sizeof *f);
    double *room = myr_memory_zeros(2 * side[1] * side[2] * myr_fourier_half(side[0]), sizeof *room);
    if (f && room) {
        f->threads = myr_context_threads(context);
        f->half = myr_fourier_half(side[0]);
        for (int c = 0; c < 3; c++) {
            f->side[c] = side[c];
            f->kept[c] = (band[c] + 1) / 2;
        }
        pthread_mutex_lock(&planner);
        fourier_plan(f, room);
        pthread_mutex_unlock(&planner);
    }
    free(room);
    int planned = f != NULL;
    for (int way = 0; way < 2 && planned; way++)
        planned = f->x[way] && f->y[way] && f->z[way];
    if (!planned) {
        myr_fourier_destroy(&f);
        return myr_context_fail(context, MYR_ERROR_MEMORY,
                                "no memory for Fourier transforms of %lld x %lld x %lld points", (long long)side[0],
                                (long long)side[1], (long long)side[2]);
    }
    *fourier = f;
    return MYR_OK;
}

void myr_fourier_destroy(myr_fourier **fourier)
{
    if (!fourier || !*fourier)
        return;
    myr_fourier *f = *fourier;
    pthread_mutex_lock(&planner);
    for (int way = 0; way < 2; way++) {
        fftw_plan plan[] = {f->x[way], f->y[way], f->z[way]};
        for (int k = 0; k < 3; k++)
            if (plan[k])
                fftw_destroy_plan(plan[k]);
    }
    pthread_mutex_unlock(&planner);
    free(f);
    *fourier = NULL;
}

int64_t myr_fourier_side(const myr_fourier *fourier)
{
    return fourier->side[0];
}

int64_t myr_fourier_kept(const myr_fourier *fourier)
{
    return fourier->kept[0];
}

/* Row r of ky, counted from the lowest kept ky, at kz = 0. */
static fftw_complex *fourier_row(const myr_fourier *f, double *field, int64_t r)
{
    return (fftw_complex *)field + myr_fourier_place(f->side[1], r - f->kept[1] + 1) * f->half;
}

/* Clears the modes of kz that are not kept, whose contents are undefined before an inverse transform. */
static void fourier_clear_row(const myr_fourier *f, fftw_complex *row)
{
    for (int64_t z = f->kept[2]; z <= f->side[2] - f->kept[2]; z++)
        for (int64_t x = 0; x < f->kept[0]; x++)
            row[z * f->side[1] * f->half + x][0] = row[z * f->side[1] * f->half + x][1] = 0;
}

void myr_fourier_row_inverse(const myr_fourier *fourier, double *field, int64_t row)
{
    fftw_complex *at = fourier_row(fourier, field, row);
    fourier_clear_row(fourier, at);
    fftw_execute_dft(fourier->z[0], at, at);
}

void myr_fourier_row_forward(const myr_fourier *fourier, double *field, int64_t row)
{
    fftw_complex *at = fourier_row(fourier, field, row);
    fftw_execute_dft(fourier->z[1], at, at);
}

/* Along y for the kept modes of x, then along x. Modes that are not kept are cleared first. */
void myr_fourier_plane_inverse(const myr_fourier *fourier, double *field, int64_t z)
{
    const myr_fourier *f = fourier;
    fftw_complex *plane = (fftw_complex *)field + z * f->side[1] * f->half;
    for (int64_t y = 0; y < f->side[1]; y++) {
        const int64_t mode = myr_fourier_mode(f->side[1], y);
        for (int64_t x = mode < f->kept[1] && mode > -f->kept[1] ? f->kept[0] : 0; x < f->half; x++)
            plane[y * f->half + x][0] = plane[y * f->half + x][1] = 0;
    }
    fftw_execute_dft(f->y[0], plane, plane);
    fftw_execute_dft_c2r(f->x[0], plane, (double *)plane);
}

void myr_fourier_plane_forward(const myr_fourier *fourier, double *field, int64_t z)
{
    const myr_fourier *f = fourier;
    const double scale = 1 / ((double)f->side[0] * (double)f->side[1] * (double)f->side[2]);
    const int64_t plane = f->side[1] * f->half;
    fftw_complex *at = (fftw_complex *)field + z * plane;
    fftw_execute_dft_r2c(f->x[1], (double *)at, at);
    fftw_execute_dft(f->y[1], at, at);
    for (int64_t k = 0; k < plane; k++) {
        at[k][0] *= scale;
        at[k][1] *= scale;
    }
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
    myr_fourier_rows_inverse(fourier, field, 0, 2 * fourier->kept[1] - 1);
    myr_fourier_planes_inverse(fourier, field, 0, fourier->side[2]);
}

void myr_fourier_forward(const myr_fourier *fourier, double *field)
{
    myr_fourier_planes_forward(fourier, field, 0, fourier->side[2]);
    myr_fourier_rows_forward(fourier, field, 0, 2 * fourier->kept[1] - 1);
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

myr_status myr_fourier_create(myr_context *context, int64_t side, int64_t band, myr_fourier **fourier)
{
    return myr_fourier_create_box(context, (const int64_t[3]){side, side, side}, (const int64_t[3]){band, band, band},
                                  fourier);
}
