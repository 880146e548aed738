/* mesh.c - recognition of the cubic mesh that a set of particles forms. */
#include "domain/mesh.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"

#define MESH_SLACK 1e-6 /* tolerance of a position, in mesh spacings: text files may hold few digits */

int64_t myr_mesh_side(int64_t n)
{
    int64_t side = n > 0 ? llround(cbrt((double)n)) : 0;
    return side * side * side == n ? side : 0;
}

/* Origin and spacing of the mesh from the outermost positions. */
static myr_status mesh_extent(const myr_particles *p, const double *const x[3], myr_mesh *mesh)
{
    const int64_t n = myr_particles_count(p);
    for (int c = 0; c < 3; c++) {
        double low = x[c][0], high = x[c][0];
        for (int64_t i = 1; i < n; i++) {
            low = x[c][i] < low ? x[c][i] : low;
            high = x[c][i] > high ? x[c][i] : high;
        }
        const double spacing = (high - low) / (double)(mesh->side - 1);
        if (c == 0)
            mesh->spacing = spacing;
        mesh->origin[c] = low;
        if (!(spacing > 0) || fabs(spacing - mesh->spacing) > MESH_SLACK * mesh->spacing)
            return myr_context_fail(myr_particles_context(p), MYR_ERROR_VALUE,
                                    "the particles are no cubic mesh: %lld points per axis would be %g apart along "
                                    "axis %d and %g along axis 0",
                                    (long long)mesh->side, spacing, c, mesh->spacing);
    }
    return MYR_OK;
}

/* Assigns a particle to each mesh point; fails if a point has none. */
static myr_status mesh_order(const myr_particles *p, const double *const x[3], myr_mesh *mesh)
{
    const int64_t n = myr_particles_count(p);
    for (int64_t i = 0; i < n; i++)
        mesh->order[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        int on = 1;
        for (int c = 2; c >= 0; c--) {
            const double place = (x[c][i] - mesh->origin[c]) / mesh->spacing;
            on = on && fabs(place - nearbyint(place)) < MESH_SLACK * (double)mesh->side;
            at = at * mesh->side + (on ? (int64_t)nearbyint(place) : 0);
        }
        if (!on || mesh->order[at] >= 0)
            return myr_context_fail(myr_particles_context(p), MYR_ERROR_VALUE,
                                    "particle %lld at (%g, %g, %g) is not on a free point of the mesh of %lld points "
                                    "per axis, %g apart, that the outermost particles span",
                                    (long long)myr_particles_ids(p)[i], x[0][i], x[1][i], x[2][i],
                                    (long long)mesh->side, mesh->spacing);
        mesh->order[at] = i;
    }
    return MYR_OK;
}

myr_status myr_mesh_find(const myr_particles *particles, myr_mesh *mesh)
{
    myr_context *context = myr_particles_context(particles);
    const int64_t n = myr_particles_count(particles);
    const double *x[3];
    *mesh = (myr_mesh){.side = myr_mesh_side(n)};
    for (int c = 0; c < 3; c++)
        if (!(x[c] = myr_particles_component_const(particles, "position", c)))
            return myr_context_fail(context, MYR_ERROR_FIELD, "particles need a position with 3 components");
    if (mesh->side < 2)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "%lld particles are no cubic mesh: the number must be a cube, such as 32768 = 32^3",
                                (long long)n);
    if (!(mesh->order = myr_memory_zeros(n, sizeof *mesh->order)))
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld points", (long long)n);
    myr_status status = mesh_extent(particles, x, mesh);
    if (!status)
        status = mesh_order(particles, x, mesh);
    if (status)
        myr_mesh_free(mesh);
    return status;
}

void myr_mesh_free(myr_mesh *mesh)
{
    free(mesh->order);
    mesh->order = NULL;
}
