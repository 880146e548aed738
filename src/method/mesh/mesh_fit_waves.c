/* mesh_fit_waves.c - conjugate gradients for the normal equations E'E f = E'v of waves f, where E evaluates waves at
 * the places, and E' is its transpose over the number of places; see mesh_fit_waves.h. For the points of a lattice E'E
 * is 1. */
#include "method/mesh/mesh_fit_waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/mesh/mesh_inside.h"

enum { WAVES_PARTS = 64 }; /* partial sums, independent of the number of threads */

typedef struct {
    myr_mesh *mesh;
    const myr_mesh_places *places;
    int threads;
    int64_t n, modes, numbers;
    double *memory, *direction[3], *slope[3]; /* [numbers]: coefficients */
    double *left[3], *image[3];               /* [n]: values */
} waves_work;

static int waves_make(myr_context *context, myr_mesh *mesh, const myr_mesh_places *places,
                      const myr_mesh_waves_fit *fit, waves_work *w)
{
    *w = (waves_work){.mesh = mesh,
                      .places = places,
                      .threads = myr_context_threads(context),
                      .n = fit->n,
                      .modes = fit->modes,
                      .numbers = myr_fourier_numbers(fit->modes)};
    w->memory = myr_memory_some(6 * (w->n + w->numbers), sizeof(double));
    for (int c = 0; c < 3 && w->memory; c++) {
        w->direction[c] = w->memory + c * w->numbers;
        w->slope[c] = w->memory + (3 + c) * w->numbers;
        w->left[c] = w->memory + 6 * w->numbers + c * w->n;
        w->image[c] = w->memory + 6 * w->numbers + (3 + c) * w->n;
    }
    return w->memory != NULL;
}

/* Mean square of values. */
static double waves_mean(const waves_work *w, const double *const value[3])
{
    double part[WAVES_PARTS] = {0}, sum = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int k = 0; k < WAVES_PARTS; k++)
        for (int c = 0; c < 3; c++)
            for (int64_t i = w->n * k / WAVES_PARTS; i < w->n * (k + 1) / WAVES_PARTS; i++)
                part[k] += value[c][i] * value[c][i];
    for (int k = 0; k < WAVES_PARTS; k++)
        sum += part[k];
    return sum / (double)w->n;
}

/* Sum of the squares of coefficients; those with kx > 0 stand for their opposites too. */
static double waves_size(const waves_work *w, double *const hat[3])
{
    const int64_t half = myr_fourier_half(w->modes), rows = w->modes * w->modes;
    double part[WAVES_PARTS] = {0}, sum = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int k = 0; k < WAVES_PARTS; k++)
        for (int c = 0; c < 3; c++)
            for (int64_t r = rows * k / WAVES_PARTS; r < rows * (k + 1) / WAVES_PARTS; r++)
                for (int64_t x = 0; x < 2 * half; x++) {
                    const double here = hat[c][2 * r * half + x];
                    part[k] += (x < 2 ? 1 : 2) * here * here;
                }
    for (int k = 0; k < WAVES_PARTS; k++)
        sum += part[k];
    return sum;
}

/* slope = E' left: coefficients in the ball, 0 elsewhere. */
static void waves_transpose(const waves_work *w)
{
    const double *edge = w->mesh->edge, factor = edge[0] * edge[1] * edge[2] / (double)w->n;
    const int64_t half = myr_fourier_half(w->modes), modes = w->modes;
    const double *const left[3] = {w->left[0], w->left[1], w->left[2]};
    myr_mesh_spread(w->mesh, w->places, left);
    myr_mesh_modes(w->mesh, 0, modes, 0, w->slope);
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t r = 0; r < modes * modes; r++) {
        const int64_t y = myr_fourier_mode(modes, r % modes), z = myr_fourier_mode(modes, r / modes);
        for (int64_t x = 0; x < 2 * half; x++) {
            const int inside = 4 * ((x / 2) * (x / 2) + y * y + z * z) < modes * modes;
            for (int c = 0; c < 3; c++)
                w->slope[c][2 * r * half + x] = inside ? factor * w->slope[c][2 * r * half + x] : 0;
        }
    }
}

static void waves_take(void *user, int64_t place, const double sum[12])
{
    double *const *to = user;
    for (int c = 0; c < 3; c++)
        to[c][place] = sum[c];
}

/* image = E direction. */
static void waves_evaluate(waves_work *w)
{
    const double *const direction[3] = {w->direction[0], w->direction[1], w->direction[2]};
    myr_mesh_values(w->mesh, w->modes, direction);
    myr_mesh_gather(w->mesh, w->places, 0, waves_take, w->image);
}

/* to = factor from + base, for three arrays. */
static void waves_add(const waves_work *w, int64_t numbers, double factor, double *const from[3], double *const base[3],
                      double *const to[3])
{
    for (int c = 0; c < 3; c++)
#pragma omp parallel for num_threads(w->threads) schedule(static)
        for (int64_t i = 0; i < numbers; i++)
            to[c][i] = base[c][i] + factor * from[c][i];
}

/* The last slope, the change of a step of length 1, is added at the end, for no further sum. */
static void waves_iterate(waves_work *w, double size, myr_mesh_waves_fit *fit, double *const hat[3])
{
    const double *const image[3] = {w->image[0], w->image[1], w->image[2]};
    waves_transpose(w);
    double steep = waves_size(w, w->slope);
    for (int c = 0; c < 3; c++)
        memcpy(w->direction[c], w->slope[c], (size_t)w->numbers * sizeof(double));
    while (steep > fit->tolerance * fit->tolerance * size && fit->iterations < fit->most) {
        waves_evaluate(w);
        const double length = steep / waves_mean(w, image), before = steep;
        waves_add(w, w->numbers, length, w->direction, hat, hat);
        waves_add(w, w->n, -length, w->image, w->left, w->left);
        waves_transpose(w);
        steep = waves_size(w, w->slope);
        waves_add(w, w->numbers, steep / before, w->direction, w->slope, w->direction);
        fit->iterations++;
    }
    waves_add(w, w->numbers, 1, w->slope, hat, hat);
    fit->error = size > 0 ? sqrt(steep / size) : 0;
}

myr_status myr_mesh_fit_waves(myr_context *context, myr_mesh *mesh, const myr_mesh_places *places,
                              const double *const value[3], myr_mesh_waves_fit *fit, double *const hat[3])
{
    waves_work w;
    fit->iterations = 0;
    fit->error = fit->residual = 0;
    if (!waves_make(context, mesh, places, fit, &w))
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the waves of %lld values", (long long)fit->n);
    const double size = waves_mean(&w, value);
    for (int c = 0; c < 3; c++) {
        memset(hat[c], 0, (size_t)w.numbers * sizeof(double));
        memcpy(w.left[c], value[c], (size_t)w.n * sizeof(double));
    }
    if (size > 0 && isfinite(size))
        waves_iterate(&w, size, fit, hat);
    const double *const left[3] = {w.left[0], w.left[1], w.left[2]};
    fit->residual = size > 0 ? sqrt(waves_mean(&w, left) / size) : 0;
    free(w.memory);
    return MYR_OK;
}
