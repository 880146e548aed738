/* bodies.c - finds and checks the particle fields that diagnostics read. */
#include <math.h>
#include <string.h>

#include "diagnostic/diagnostic.h"

static myr_status bodies_vector(const myr_particles *p, const char *name, int needed, const double *to[3])
{
    for (int c = 0; c < 3; c++) {
        to[c] = myr_particles_component_const(p, name, c);
        if (!to[c] && needed)
            return myr_context_fail(myr_particles_context(p), MYR_ERROR_FIELD,
                                    "this diagnostic needs the field '%s' with 3 components", name);
        if (!to[c]) {
            to[0] = to[1] = to[2] = NULL;
            return MYR_OK;
        }
    }
    return MYR_OK;
}

static myr_status bodies_scalar(const myr_particles *p, const char *name, int needed, const double **to)
{
    *to = myr_particles_component_const(p, name, 0);
    if (*to || !needed)
        return MYR_OK;
    return myr_context_fail(myr_particles_context(p), MYR_ERROR_FIELD, "this diagnostic needs the field '%s'", name);
}

myr_status myr_bodies_read(const myr_particles *particles, int needed, myr_bodies *bodies)
{
    memset(bodies, 0, sizeof *bodies);
    if (!particles)
        return MYR_ERROR_ARGUMENT;
    bodies->context = myr_particles_context(particles);
    bodies->n = myr_particles_count(particles);
    myr_status status = bodies_vector(particles, "position", 1, bodies->x);
    if (!status)
        status = bodies_vector(particles, "velocity", needed & MYR_BODIES_VELOCITY, bodies->v);
    if (!status)
        status = bodies_scalar(particles, "mass", needed & MYR_BODIES_MASS, &bodies->mass);
    if (!status)
        status = bodies_scalar(particles, "potential", needed & MYR_BODIES_POTENTIAL, &bodies->potential);
    for (int64_t i = 0; !status && (needed & MYR_BODIES_MASS) && i < bodies->n; i++)
        if (!(bodies->mass[i] >= 0 && isfinite(bodies->mass[i])))
            status = myr_context_fail(bodies->context, MYR_ERROR_VALUE,
                                      "the mass of particle %lld (id %lld) is %g; this diagnostic needs masses from 0",
                                      (long long)i, (long long)myr_particles_ids(particles)[i], bodies->mass[i]);
    for (int c = 0; !status && c < 3; c++)
        for (int64_t i = 0; !status && i < bodies->n; i++)
            if (!isfinite(bodies->x[c][i]))
                status = myr_context_fail(bodies->context, MYR_ERROR_NONFINITE,
                                          "the position of particle %lld (id %lld) is not a finite number",
                                          (long long)i, (long long)myr_particles_ids(particles)[i]);
    return status;
}
