/* flow.c - velocity fields on meshes, and vortex elements with the same vorticity. */
#include "model/flow.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/mesh.h"
#include "method/spectral/fourier.h"
#include "method/gaussian/gaussian_mesh.h"
#include "method/spectral/wave.h"

myr_status myr_flow_mesh(const myr_model_arrays *to, double edge, int64_t *side)
{
    *side = myr_mesh_side(to->n);
    if (*side < 4 || *side % 2 != 0) {
        const long long near = 2 * (long long)fmax(2, floor(0.5 * cbrt((double)to->n))), next = near + 2;
        return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                "a periodic flow needs a cubic mesh with an even number of points per axis, not %lld "
                                "points; the nearest are %lld^3 = %lld and %lld^3 = %lld",
                                (long long)to->n, near, near * near * near, next, next * next * next);
    }
    const double spacing = edge / (double)*side;
    for (int64_t i = 0; i < to->n; i++) {
        const int64_t at[3] = {i % *side, i / *side % *side, i / *side / *side};
        for (int c = 0; c < 3; c++)
            to->position[c][i] = ((double)at[c] - 0.5 * (double)*side) * spacing;
        to->mass[i] = 1 / (double)to->n;
    }
    return MYR_OK;
}

/* Fourier coefficients of the vorticity from those of the velocity, in place. */
static void flow_curl(int64_t side, double edge, double *const hat[3])
{
    const int64_t half = myr_fourier_half(side);
    const double wave = 2 * MYR_PI / edge;
    for (int64_t i = 0; i < side * side * half; i++) {
        const int64_t at[3] = {i % half, i / half % side, i / half / side};
        double complex u[3];
        double k[3];
        for (int c = 0; c < 3; c++) {
            u[c] = ((const double complex *)hat[c])[i];
            k[c] = wave * (double)myr_fourier_mode(side, at[c]);
        }
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            ((double complex *)hat[c])[i] = myr_wave_times_i(k[d] * u[e] - k[e] * u[d]);
        }
    }
}

/* Computes strengths from the velocities of the particles. */
static myr_status flow_convert(const myr_model_arrays *to, double edge, double overlap, const myr_fourier *fourier,
                               double *const hat[3])
{
    const int64_t side = myr_mesh_side(to->n), row = 2 * myr_fourier_half(side);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < to->n; i++)
            hat[c][i / side * row + i % side] = to->velocity[c][i];
        myr_fourier_forward(fourier, hat[c]);
    }
    flow_curl(side, edge, hat);
    const myr_status status = myr_gaussian_mesh_divide(to->context, side, edge / (double)side, overlap, 0, hat);
    for (int c = 0; c < 3 && !status; c++) {
        double *strength = myr_particles_component(to->particles, "strength", c);
        myr_fourier_inverse(fourier, hat[c]);
        for (int64_t i = 0; i < to->n; i++)
            strength[i] = hat[c][i / side * row + i % side];
    }
    return status;
}

static myr_status flow_add_fields(const myr_model_arrays *to, double spacing, double overlap)
{
    myr_status status = myr_particles_add_field(to->particles, "strength", 3);
    if (!status)
        status = myr_particles_add_field(to->particles, "core", 1);
    if (!status)
        status = myr_particles_add_field(to->particles, "volume", 1);
    double *core = myr_particles_component(to->particles, "core", 0);
    double *volume = myr_particles_component(to->particles, "volume", 0);
    for (int64_t i = 0; i < to->n && !status; i++) {
        core[i] = overlap * spacing;
        volume[i] = spacing * spacing * spacing;
    }
    return status;
}

myr_status myr_flow_elements(const myr_model_arrays *to, double edge, double overlap)
{
    const int64_t side = myr_mesh_side(to->n);
    double *hat[3] = {0};
    myr_fourier *fourier = NULL;
    int whole = 1;
    myr_status status = myr_fourier_create(to->context, side, side, &fourier);
    if (!status)
        status = flow_add_fields(to, edge / (double)side, overlap);
    for (int c = 0; c < 3 && !status; c++)
        whole = (hat[c] = myr_memory_zeros(myr_fourier_numbers(side), sizeof(double))) && whole;
    if (!status && !whole)
        status =
            myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for a flow of %lld points", (long long)to->n);
    if (!status)
        status = flow_convert(to, edge, overlap, fourier, hat);
    for (int c = 0; c < 3; c++)
        free(hat[c]);
    myr_fourier_destroy(&fourier);
    return status;
}
