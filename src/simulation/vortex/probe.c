/* probe.c - velocity and vorticity of vortex elements at positions chosen by the user. */
#include <math.h>
#include <string.h>

#include <myriad/elements.h>

#include "simulation/conserved.h"
#include "simulation/vortex/diffusion.h"
#include "simulation/vortex/element_motion.h"

static myr_status probe_places(const myr_particles *probes, myr_particles *to)
{
    const size_t bytes = (size_t)myr_particles_count(probes) * sizeof(double);
    const myr_status status = myr_particles_add_field(to, "position", 3);
    for (int c = 0; c < 3 && !status; c++) {
        const double *x = myr_particles_component_const(probes, "position", c);
        if (!x)
            return myr_context_fail(myr_particles_context(probes), MYR_ERROR_FIELD,
                                    "probes need a position with 3 components");
        memcpy(myr_particles_component(to, "position", c), x, bytes);
    }
    return status;
}

/* Copies a vector field, adding a constant vector. */
static myr_status probe_take(const myr_particles *from, const char *field, const double more[3], myr_particles *probes)
{
    const myr_status status = myr_particles_add_field(probes, field, 3);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < myr_particles_count(probes); i++)
            myr_particles_component(probes, field, c)[i] =
                myr_particles_component_const(from, field, c)[i] + (more ? more[c] : 0);
    return status;
}

/* Evaluates the kernel of the motion on targets of strength 0. */
static myr_status probe_velocity(myr_simulation *s, const myr_particles *elements, myr_particles *at,
                                 myr_particles *probes)
{
    const myr_kernel_desc *d = myr_interaction_desc(s->interaction);
    myr_status status = myr_conserved_prepare(s);
    for (int k = 0; !status && k < MYR_KERNEL_FIELDS && d->target[k].name; k++)
        status = myr_particles_add_field(at, d->target[k].name, d->target[k].components);
    if (!status)
        status = myr_interaction_evaluate(s->energy, at, elements);
    return status ? status : probe_take(at, "velocity", s->elements->stream, probes);
}

static myr_status probe_vorticity(const myr_simulation *s, const myr_particles *elements, myr_particles *at,
                                  myr_particles *probes)
{
    const double *strength[3], *x[3], *core = myr_particles_component_const(elements, "core", 0);
    double *vorticity[3];
    myr_gaussian *g;
    for (int64_t i = 0; i < myr_particles_count(elements); i++)
        if (!core || !(core[i] > 0))
            return MYR_OK;
    myr_status status = myr_diffusion_gaussian(s, elements, &g);
    if (!status)
        status = myr_particles_add_field(at, "vorticity", 3);
    for (int c = 0; c < 3 && !status; c++) {
        strength[c] = myr_particles_component_const(elements, "strength", c);
        x[c] = myr_particles_component_const(at, "position", c);
        vorticity[c] = myr_particles_component(at, "vorticity", c);
    }
    if (!status)
        status = myr_gaussian_sum(g, strength, myr_particles_count(at), x, vorticity);
    myr_gaussian_destroy(&g);
    return status ? status : probe_take(at, "vorticity", NULL, probes);
}

myr_status myr_simulation_probe(myr_simulation *simulation, myr_particles *probes)
{
    myr_simulation *s = simulation;
    const myr_particles *now;
    myr_particles *at = NULL;
    if (!s || !probes)
        return MYR_ERROR_ARGUMENT;
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "probes are for vortex elements, whose kernel gives velocities");
    if (myr_particles_count(probes) == 0)
        return MYR_OK;
    myr_status status = myr_simulation_particles(s, &now);
    if (!status)
        status = myr_particles_create(s->context, myr_particles_count(probes), &at);
    if (!status)
        status = probe_places(probes, at);
    if (!status)
        status = probe_velocity(s, now, at, probes);
    if (!status)
        status = probe_vorticity(s, now, at, probes);
    myr_particles_destroy(&at);
    return status;
}
