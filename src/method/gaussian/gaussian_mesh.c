/* gaussian_mesh.c - Gaussians on a periodic mesh; see gaussian_mesh.h. */
#include "method/gaussian/gaussian_mesh.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/spectral/fourier.h"

/* Discrete Fourier transform of a Gaussian of unit weight along one axis, at points one unit apart. */
static double mesh_transform(double overlap, double phase)
{
    const double unit = 1 / (sqrt(2 * acos(-1.0)) * overlap);
    double sum = unit;
    for (int m = 1; m < 40 * overlap + 10; m++)
        sum += 2 * unit * exp(-0.5 * m * m / (overlap * overlap)) * cos(m * phase);
    return sum;
}

/* Transforms along one axis by index of the wave number; null if memory is short. */
static double *mesh_transforms(int64_t side, double overlap)
{
    double *transform = myr_memory_zeros(side, sizeof *transform);
    for (int64_t i = 0; i < side && transform; i++)
        transform[i] = mesh_transform(overlap, 2 * acos(-1.0) / (double)side * (double)i);
    return transform;
}

/* Divides the coefficients by the transform and subtracts `less` times the coefficient. */
static void mesh_divide(int64_t side, const double *transform, double volume, double least, double less, int threads,
                        double *hat)
{
    const int64_t half = myr_fourier_half(side);
    const double added = least * transform[0] * transform[0] * transform[0];
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < half; x++)
            ((double complex *)hat)[r * half + x] *=
                volume / (transform[x] * transform[r % side] * transform[r / side] + added) - less;
}

myr_status myr_gaussian_mesh_divide(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    double *const hat[3])
{
    double *transform = mesh_transforms(side, overlap);
    if (!transform)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the waves of %lld points", (long long)side);
    for (int c = 0; c < 3; c++)
        mesh_divide(side, transform, spacing * spacing * spacing, least, 0, myr_context_threads(context), hat[c]);
    free(transform);
    return MYR_OK;
}

struct myr_gaussian_mesh {
    int threads;
    int64_t side;
    double volume, least;
    double *transform, *field;
    myr_fourier *fourier;
};

myr_status myr_gaussian_mesh_create(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    myr_gaussian_mesh **mesh)
{
    *mesh = NULL;
    myr_gaussian_mesh *m = calloc(1, sizeof *m);
    if (m) {
        *m = (myr_gaussian_mesh){
            myr_context_threads(context), side, spacing * spacing * spacing, least, NULL, NULL, NULL};
        m->transform = mesh_transforms(side, overlap);
        m->field = myr_memory_zeros(myr_fourier_numbers(side), sizeof(double));
    }
    myr_status status = MYR_OK;
    if (!m || !m->transform || !m->field)
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld^3 points", (long long)side);
    if (!status)
        status = myr_fourier_create(context, side, side, &m->fourier);
    if (status)
        myr_gaussian_mesh_destroy(&m);
    *mesh = m;
    return status;
}

void myr_gaussian_mesh_destroy(myr_gaussian_mesh **mesh)
{
    if (!mesh || !*mesh)
        return;
    myr_fourier_destroy(&(*mesh)->fourier);
    free((*mesh)->transform);
    free((*mesh)->field);
    free(*mesh);
    *mesh = NULL;
}

void myr_gaussian_mesh_guess(void *user, double *const value[3], double *const weight[3])
{
    const myr_gaussian_mesh *m = user;
    const int64_t side = m->side, row = 2 * myr_fourier_half(side);
    /* The transforms omit waves of two spacings, which are divided by the transform of such a wave along an axis. */
    const double *t = m->transform, rest = m->volume / (t[0] * t[0] * (t[side / 2] + m->least * t[0]));
    for (int c = 0; c < 3; c++) {
#pragma omp parallel for num_threads(m->threads) schedule(static)
        for (int64_t r = 0; r < side * side; r++)
            for (int64_t x = 0; x < side; x++)
                m->field[r * row + x] = value[c][r * side + x];
        myr_fourier_forward(m->fourier, m->field);
        mesh_divide(side, m->transform, m->volume, m->least, rest, m->threads, m->field);
        myr_fourier_inverse(m->fourier, m->field);
#pragma omp parallel for num_threads(m->threads) schedule(static)
        for (int64_t r = 0; r < side * side; r++)
            for (int64_t x = 0; x < side; x++)
                weight[c][r * side + x] = rest * value[c][r * side + x] + m->field[r * row + x];
    }
}
