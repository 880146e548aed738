/* flow_start.c - initial flow from a file: velocities on a mesh, or vorticities, whose velocity is u(k) = i k x w(k) /
 * k^2. */
#include <math.h>
#include <stdlib.h>

#include <myriad/flow.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/mesh.h"
#include "method/spectral/fourier.h"
#include "method/spectral/wave.h"
#include "model/flow.h"

/* Fourier coefficients of the velocity from those of the vorticity, in place; the Nyquist modes, which have no
 * conjugate partner, are set to 0. */
static void field_uncurl(int64_t side, double wave, double *const hat[3])
{
    const int64_t half = myr_fourier_half(side);
    for (int64_t i = 0; i < side * side * half; i++) {
        const int64_t at[3] = {i % half, i / half % side, i / half / side};
        double complex w[3];
        double k[3], k2 = 0;
        int highest = 0;
        for (int c = 0; c < 3; c++) {
            w[c] = ((const double complex *)hat[c])[i];
            k[c] = wave * (double)myr_fourier_mode(side, at[c]);
            k2 += k[c] * k[c];
            highest |= 2 * at[c] == side;
        }
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            ((double complex *)hat[c])[i] = k2 > 0 && !highest ? myr_wave_times_i(k[d] * w[e] - k[e] * w[d]) / k2 : 0;
        }
    }
}

static myr_status field_velocity(const myr_particles *points, const myr_mesh *mesh, const myr_model_arrays *to)
{
    const int64_t side = mesh->side, row = 2 * myr_fourier_half(side);
    double *hat[3] = {0};
    myr_fourier *fourier = NULL;
    myr_status status = myr_fourier_create(to->context, side, side, &fourier);
    for (int c = 0; c < 3 && !status; c++) {
        const double *w = myr_particles_component_const(points, "vorticity", c);
        if (!(hat[c] = myr_memory_zeros(myr_fourier_numbers(side), sizeof(double))))
            status = myr_context_fail(to->context, MYR_ERROR_MEMORY, "no memory for a flow of %lld points",
                                      (long long)to->n);
        for (int64_t i = 0; i < to->n && !status; i++)
            hat[c][i / side * row + i % side] = w[mesh->order[i]];
        if (!status)
            myr_fourier_forward(fourier, hat[c]);
    }
    if (!status)
        field_uncurl(side, 2 * MYR_PI / (mesh->spacing * (double)side), hat);
    for (int c = 0; c < 3; c++) {
        if (!status)
            myr_fourier_inverse(fourier, hat[c]);
        for (int64_t i = 0; i < to->n && !status; i++)
            to->velocity[c][i] = hat[c][i / side * row + i % side];
        free(hat[c]);
    }
    myr_fourier_destroy(&fourier);
    return status;
}

static myr_status field_fill(const myr_particles *points, const myr_mesh *mesh, const myr_model_arrays *to)
{
    const int has_velocity = myr_particles_component_const(points, "velocity", 2) != NULL;
    if (!has_velocity && !myr_particles_component_const(points, "vorticity", 2))
        return myr_context_fail(to->context, MYR_ERROR_FIELD,
                                "a flow starts from points with a velocity or a vorticity of 3 components");
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < to->n; i++) {
            to->position[c][i] = myr_particles_component_const(points, "position", c)[mesh->order[i]];
            if (has_velocity)
                to->velocity[c][i] = myr_particles_component_const(points, "velocity", c)[mesh->order[i]];
        }
    for (int64_t i = 0; i < to->n; i++)
        to->mass[i] = 1 / (double)to->n;
    return has_velocity ? MYR_OK : field_velocity(points, mesh, to);
}

static myr_status field_make(const myr_particles *points, const myr_mesh *mesh, double overlap, myr_particles *p)
{
    static const struct {
        const char *name;
        int components;
    } field[] = {{"position", 3}, {"velocity", 3}, {"mass", 1}};
    myr_model_arrays to = {.n = myr_particles_count(p), .particles = p, .context = myr_particles_context(p)};
    myr_status status = MYR_OK;
    for (int f = 0; f < 3 && !status; f++)
        status = myr_particles_add_field(p, field[f].name, field[f].components);
    if (status)
        return status;
    for (int c = 0; c < 3; c++) {
        to.position[c] = myr_particles_component(p, "position", c);
        to.velocity[c] = myr_particles_component(p, "velocity", c);
    }
    to.mass = myr_particles_component(p, "mass", 0);
    status = field_fill(points, mesh, &to);
    return status ? status : myr_flow_elements(&to, mesh->spacing * (double)mesh->side, overlap);
}

myr_status myr_flow_start(const myr_particles *points, double overlap, myr_particles **started)
{
    myr_mesh mesh;
    if (!points || !started)
        return MYR_ERROR_ARGUMENT;
    *started = NULL;
    myr_context *context = myr_particles_context(points);
    if (!(overlap > 0) || !isfinite(overlap))
        return myr_context_fail(context, MYR_ERROR_VALUE, "the overlap of vortex elements cannot be %g", overlap);
    myr_status status = myr_mesh_find(points, &mesh);
    if (status)
        return status;
    if (mesh.side % 2 != 0 || mesh.side < 4)
        status = myr_context_fail(context, MYR_ERROR_VALUE,
                                  "a periodic flow needs a cubic mesh with an even number of points per axis, 4 or "
                                  "more; this one has %lld",
                                  (long long)mesh.side);
    if (!status)
        status = myr_particles_create(context, myr_particles_count(points), started);
    if (!status)
        status = field_make(points, &mesh, overlap, *started);
    if (status)
        myr_particles_destroy(started);
    myr_mesh_free(&mesh);
    return status;
}
