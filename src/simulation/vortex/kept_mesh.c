/* kept_mesh.c - mesh of Gaussian sums that a simulation keeps; see kept_mesh.h. */
#include "simulation/vortex/kept_mesh.h"

#include "interaction/interaction.h"
#include "simulation/vortex/element_motion.h"

/* The core that all elements have; 0 if they differ. */
static double mesh_core(const myr_particles *p)
{
    const double *core = myr_particles_component_const(p, "core", 0);
    const int64_t n = myr_particles_count(p);
    for (int64_t i = 0; i < n && core; i++)
        if (!(core[i] > 0) || core[i] != core[0])
            return 0;
    return core && n > 0 ? core[0] : 0;
}

myr_status myr_kept_mesh_place(const myr_simulation *s, const myr_particles *p, int purpose, double tolerance,
                               myr_gaussian_spread **spread)
{
    myr_gaussian_spread_case wanted = {.tolerance = tolerance,
                                       .width = mesh_core(p),
                                       .n = myr_particles_count(p),
                                       .single = s->interaction->arithmetic != MYR_ARITHMETIC_DOUBLE};
    myr_gaussian_spread **kept = &s->elements->spread[purpose];
    const double *x[3];
    myr_status status = MYR_OK;
    *spread = NULL;
    for (int c = 0; c < 3; c++)
        if (!(x[c] = myr_particles_component_const(p, "position", c)))
            return myr_context_fail(s->context, MYR_ERROR_FIELD, "vortex elements need a position");
    myr_interaction_box(s->interaction, wanted.edge, wanted.corner);
    if (!(wanted.width > 0) || !myr_gaussian_spread_pays(wanted.n, wanted.width, wanted.edge))
        return MYR_OK;
    if (!myr_gaussian_spread_matches(*kept, &wanted)) {
        myr_gaussian_spread_destroy(kept);
        status = myr_gaussian_spread_create(s->context, &wanted, kept);
    }
    if (!status)
        status = myr_gaussian_spread_place(*kept, x);
    *spread = status ? NULL : *kept;
    return status;
}

void myr_kept_mesh_release(myr_simulation *s)
{
    for (int k = 0; k < 2; k++)
        myr_gaussian_spread_destroy(&s->elements->spread[k]);
}
