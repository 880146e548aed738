/* mesh_gpu.c - tables of a mesh for a GPU; see mesh_gpu.h. */
#include "method/mesh/mesh_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/mesh/mesh.h"
#include "method/mesh/mesh_fit.h"

enum { GPU_FLOAT_DEGREES = 3 }; /* degree of fitted weights beyond the width: enough for floats */

/* Waves and factors of an axis: a GPU's transforms multiply by the number of points. The highest mode is left out. */
static int gpu_axis(const myr_mesh_choice *choice, int axis, double edge, double **wave, double **unwound)
{
    const int64_t side = choice->side[axis];
    *wave = myr_memory_some(side, sizeof **wave);
    *unwound = myr_memory_some(side, sizeof **unwound);
    if (!*wave || !*unwound)
        return 0;
    myr_mesh_waves(choice, axis, edge, *wave, *unwound);
    for (int64_t k = 0; k < side; k++)
        (*unwound)[k] /= (double)side;
    (*unwound)[side / 2] = 0;
    return 1;
}

/* Weights of the window, or fitted ones, and those of derivatives: coefficient[2][degree + 1][width]; returns the
 * degree.
 */
static int gpu_weights(const myr_mesh_choice *choice, int fitted, double *coefficient)
{
    const int width = choice->width, least = width + GPU_FLOAT_DEGREES;
    myr_mesh_window value, slope = {.width = width};
    if (fitted)
        myr_mesh_fit_make(width, choice->beta, choice->fineness,
                          least < MYR_MESH_DEGREES ? least : MYR_MESH_DEGREES - 1, &value, &slope);
    else
        myr_mesh_window_make(width, choice->beta, &value);
    for (int j = 0; j < value.degree && !fitted; j++) /* a place s falls by 2 per spacing of the position */
        for (int k = 0; k < width; k++)
            slope.coefficient[j][k] = -2 * (j + 1) * value.coefficient[j + 1][k];
    for (int j = 0; j <= value.degree; j++)
        for (int k = 0; k < width; k++) {
            coefficient[j * width + k] = value.coefficient[j][k];
            coefficient[(value.degree + 1 + j) * width + k] = slope.coefficient[j][k];
        }
    return value.degree;
}

myr_status myr_mesh_gpu_open(myr_context *context, const myr_gpu *gpu, const myr_mesh_choice *choice,
                             const double edge[3], int fitted, int in_double, myr_cuda_mesh **mesh)
{
    double coefficient[2 * MYR_MESH_DEGREES * MYR_MESH_MOST], *wave[3] = {NULL}, *unwound[3] = {NULL};
    int whole = 1;
    *mesh = NULL;
    if (!gpu->plugin->mesh_open)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "GPU: the plug-in has no method mesh");
    const int degree = gpu_weights(choice, fitted, coefficient);
    for (int c = 0; c < 3 && whole; c++)
        whole = gpu_axis(choice, c, edge[c], &wave[c], &unwound[c]);
    const myr_cuda_mesh_set set = {
        .context = context,
        .in_double = in_double,
        .width = choice->width,
        .degree = degree,
        .coefficient = coefficient,
        .side = {(int32_t)choice->side[0], (int32_t)choice->side[1], (int32_t)choice->side[2]},
        .edge = {edge[0], edge[1], edge[2]},
        .wave = {wave[0], wave[1], wave[2]},
        .unwound = {unwound[0], unwound[1], unwound[2]}};
    const myr_status status = whole ? gpu->plugin->mesh_open(gpu->cuda, &set, mesh)
                                    : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the waves of a mesh");
    for (int c = 0; c < 3; c++) {
        free(wave[c]);
        free(unwound[c]);
    }
    return status;
}
