/* vortices.c - conserved quantities of a set of vortex elements (Saffman 1992, Vortex Dynamics, chapter 3). Sums run
 * over the elements in their order. */
#include <math.h>
#include <stddef.h>

#include <myriad/flow.h>

#include "core/context.h"

/* Component pointers of a field; 0 if the set has no such field. */
static int vortices_field(const myr_particles *p, const char *name, int components, const double **x)
{
    for (int c = 0; c < components; c++)
        if (!(x[c] = myr_particles_component_const(p, name, c)))
            return 0;
    return 1;
}

static void vortices_cross(const double a[3], const double b[3], double to[3])
{
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        to[c] = a[d] * b[e] - a[e] * b[d];
    }
}

/* Adds one element; a Gaussian core adds -2 core^2 strength to the angular impulse of a point vortex. */
static void vortices_add(const double x[3], const double a[3], double core, const double *u, myr_vortices *sum)
{
    double turn[3], twice[3];
    vortices_cross(x, a, turn);
    vortices_cross(x, turn, twice);
    for (int c = 0; c < 3; c++) {
        sum->vorticity[c] += a[c];
        sum->impulse[c] += 0.5 * turn[c];
        sum->angular[c] += (twice[c] - 2 * core * core * a[c]) / 3;
        sum->kinetic += u ? u[c] * turn[c] : NAN;
        sum->helicity += u ? u[c] * a[c] : NAN;
    }
    sum->strength += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static void vortices_centroid(int64_t n, const double *const x[3], const double *const a[3], myr_vortices *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double xi[3] = {x[0][i], x[1][i], x[2][i]}, ai[3] = {a[0][i], a[1][i], a[2][i]};
        double turn[3];
        vortices_cross(xi, ai, turn);
        const double part = turn[0] * v->impulse[0] + turn[1] * v->impulse[1] + turn[2] * v->impulse[2];
        for (int c = 0; c < 3; c++)
            v->centroid[c] += part * xi[c];
        sum += part;
    }
    double square = 0, along = 0;
    for (int c = 0; c < 3; c++) {
        v->centroid[c] = sum > 0 ? v->centroid[c] / sum : NAN;
        square += v->impulse[c] * v->impulse[c];
        along += v->centroid[c] * v->impulse[c];
    }
    /* The sums are about the origin. The component of the centroid perpendicular to the impulse must be scaled by 2/3,
     * because for closed vortex lines the moments x_j w_k of the vorticity follow from the impulse alone. */
    for (int c = 0; c < 3 && square > 0; c++)
        v->centroid[c] = (2 * v->centroid[c] + along * v->impulse[c] / square) / 3;
}

myr_status myr_flow_vortices(const myr_particles *particles, myr_vortices *vortices)
{
    const double *x[3], *a[3], *u[3], *core;
    if (!particles || !vortices)
        return MYR_ERROR_ARGUMENT;
    *vortices = (myr_vortices){0};
    if (!vortices_field(particles, "position", 3, x) || !vortices_field(particles, "strength", 3, a) ||
        !vortices_field(particles, "core", 1, &core))
        return myr_context_fail(myr_particles_context(particles), MYR_ERROR_FIELD,
                                "vortex elements need a position, a strength and a core");
    const int moving = vortices_field(particles, "velocity", 3, u);
    const int64_t n = myr_particles_count(particles);
    for (int64_t i = 0; i < n; i++) {
        const double xi[3] = {x[0][i], x[1][i], x[2][i]}, ai[3] = {a[0][i], a[1][i], a[2][i]};
        const double ui[3] = {moving ? u[0][i] : 0, moving ? u[1][i] : 0, moving ? u[2][i] : 0};
        vortices_add(xi, ai, core[i], moving ? ui : NULL, vortices);
    }
    vortices_centroid(n, x, a, vortices);
    return MYR_OK;
}
