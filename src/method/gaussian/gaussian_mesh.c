/* gaussian_mesh.c - Gaussians on a periodic mesh; see gaussian_mesh.h. */
#include "method/gaussian/gaussian_mesh.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    int threads, single; /* 1 = transforms in floats: what the mesh gives is a guess */
    int64_t side;
    double volume, least;
    double *transform;
    void *field; /* of doubles or floats */
    myr_fourier *fourier;
};

myr_status myr_gaussian_mesh_create(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    myr_gaussian_mesh **mesh)
{
    *mesh = NULL;
    myr_gaussian_mesh *m = calloc(1, sizeof *m);
    if (m) {
        *m = (myr_gaussian_mesh){.threads = myr_context_threads(context),
                                 .single = myr_fourier_single_available(),
                                 .side = side,
                                 .volume = spacing * spacing * spacing,
                                 .least = least};
        m->transform = mesh_transforms(side, overlap);
        m->field = myr_memory_zeros(myr_fourier_numbers(side), m->single ? sizeof(float) : sizeof(double));
    }
    myr_status status = MYR_OK;
    if (!m || !m->transform || !m->field)
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld^3 points", (long long)side);
    if (!status)
        status = m->single ? myr_fourier_single_create_box(context, (const int64_t[3]){side, side, side}, &m->fourier)
                           : myr_fourier_create(context, side, side, &m->fourier);
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

/* Weights of one component in doubles, and in floats; rest: volume over the transform of waves that are not
 * transformed. */
static void guess_double(const myr_gaussian_mesh *m, double rest, const double *value, double *weight)
{
    const int64_t side = m->side, row = 2 * myr_fourier_half(side);
    double *field = m->field;
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        memcpy(field + r * row, value + r * side, (size_t)side * sizeof *field);
    myr_fourier_forward(m->fourier, field);
    mesh_divide(side, m->transform, m->volume, m->least, rest, m->threads, field);
    myr_fourier_inverse(m->fourier, field);
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < side; x++)
            weight[r * side + x] = rest * value[r * side + x] + field[r * row + x];
}

static void guess_single(const myr_gaussian_mesh *m, double rest, const double *value, double *weight)
{
    const int64_t side = m->side, half = myr_fourier_half(side);
    const double *t = m->transform, added = m->least * t[0] * t[0] * t[0];
    float *field = m->field;
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < side; x++)
            field[2 * r * half + x] = (float)value[r * side + x];
    myr_fourier_single_forward(m->fourier, field);
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < half; x++) {
            const float factor = (float)(m->volume / (t[x] * t[r % side] * t[r / side] + added) - rest);
            field[2 * (r * half + x)] *= factor;
            field[2 * (r * half + x) + 1] *= factor;
        }
    myr_fourier_single_inverse(m->fourier, field);
#pragma omp parallel for num_threads(m->threads) schedule(static)
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < side; x++)
            weight[r * side + x] = rest * value[r * side + x] + (double)field[2 * r * half + x];
}

void myr_gaussian_mesh_guess(void *user, double *const value[3], double *const weight[3])
{
    const myr_gaussian_mesh *m = user;
    /* The transforms omit waves of two spacings, which are divided by the transform of such a wave along an axis. */
    const double *t = m->transform, rest = m->volume / (t[0] * t[0] * (t[m->side / 2] + m->least * t[0]));
    for (int c = 0; c < 3; c++)
        (m->single ? guess_single : guess_double)(m, rest, value[c], weight[c]);
}
