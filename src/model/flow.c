/* flow.c - meshes of velocities, and the vortex elements that have the same vorticity.
 *
 * On a periodic mesh the Gaussian sum of eq. 3 is a convolution, so that its matrix is diagonal in Fourier space: the
 * strengths are alpha(k) = h^3 w(k) / g(k), with g the transform of the Gaussian as the mesh samples it. */
#include "model/flow.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/mesh.h"
#include "method/fourier.h"
#include "method/wave.h"

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

/* The transform of a Gaussian of unit weight, along one axis, as points a spacing apart see it; overlap is its width in
 * spacings. */
static double flow_gaussian(double overlap, double phase)
{
    const double unit = 1 / (sqrt(2 * MYR_PI) * overlap);
    double sum = unit;
    for (int m = 1; m < 40 * overlap + 10; m++)
        sum += 2 * unit * exp(-0.5 * m * m / (overlap * overlap)) * cos(m * phase);
    return sum;
}

/* Coefficients of velocities become those of strengths; gaussian[i] belongs to place i along an axis. */
static void flow_strengths(int64_t side, double edge, const double *gaussian, double *const hat[3])
{
    const int64_t half = myr_fourier_half(side);
    const double wave = 2 * MYR_PI / edge, volume = pow(edge / (double)side, 3);
    for (int64_t i = 0; i < side * side * half; i++) {
        const int64_t at[3] = {i % half, i / half % side, i / half / side};
        double complex u[3];
        double k[3], scale = volume;
        for (int c = 0; c < 3; c++) {
            u[c] = ((const double complex *)hat[c])[i];
            k[c] = wave * (double)myr_fourier_mode(side, at[c]);
            scale /= gaussian[at[c]];
        }
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            const double complex w = k[d] * u[e] - k[e] * u[d];
            ((double complex *)hat[c])[i] = scale * myr_wave_times_i(w);
        }
    }
}

/* Velocities of the particles to strengths, in arrays of their own. */
static void flow_convert(const myr_model_arrays *to, double edge, const myr_fourier *fourier, const double *gaussian,
                         double *const hat[3])
{
    const int64_t side = myr_mesh_side(to->n), row = 2 * myr_fourier_half(side);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < to->n; i++)
            hat[c][i / side * row + i % side] = to->velocity[c][i];
        myr_fourier_forward(fourier, hat[c]);
    }
    flow_strengths(side, edge, gaussian, hat);
    for (int c = 0; c < 3; c++) {
        double *strength = myr_particles_component(to->particles, "strength", c);
        myr_fourier_inverse(fourier, hat[c]);
        for (int64_t i = 0; i < to->n; i++)
            strength[i] = hat[c][i / side * row + i % side];
    }
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
    double *hat[3] = {0}, *gaussian = myr_memory_zeros(side, sizeof *gaussian);
    myr_fourier *fourier = NULL;
    myr_status status = myr_fourier_create(to->context, side, side, &fourier);
    if (!status)
        status = flow_add_fields(to, edge / (double)side, overlap);
    int whole = gaussian != NULL;
    for (int c = 0; c < 3 && !status; c++)
        whole = (hat[c] = myr_memory_zeros(myr_fourier_numbers(side), sizeof(double))) && whole;
    if (!status && !whole)
        status =
            myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for a flow of %lld points", (long long)to->n);
    for (int64_t i = 0; i < side && !status; i++)
        gaussian[i] = flow_gaussian(overlap, 2 * MYR_PI / (double)side * (double)i);
    if (!status)
        flow_convert(to, edge, fourier, gaussian, hat);
    for (int c = 0; c < 3; c++)
        free(hat[c]);
    free(gaussian);
    myr_fourier_destroy(&fourier);
    return status;
}
