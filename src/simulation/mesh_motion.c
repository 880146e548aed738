/* mesh_motion.c - the spectral method as what moves a simulation. */
#include "simulation/mesh_motion.h"

#include <math.h>
#include <string.h>

#include <myriad/flow.h>

#include "core/timer.h"
#include "simulation/vortex/diffusion.h"
#include "simulation/rates.h"
#include "simulation/vortex/remesh_periodic.h"

#define FLUID_RESOLVED 0.5             /* k_max eta: below it even the largest eddies suffer */
#define FLUID_RESOLVED_BY_ELEMENTS 1.0 /* the same for elements, whose shortest waves interpolation disturbs */
#define FLUID_TOLD 1e-10               /* of the rms velocity: what is taken out of a field without a word */

myr_status myr_simulation_set_spectral(myr_simulation *simulation, double viscosity)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the method cannot change after the first step");
    if (s->interaction || s->externals)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the spectral method moves the particles by the equations of a fluid: leave out "
                                "interactions and external fields");
    if (!(viscosity >= 0) || !isfinite(viscosity))
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the viscosity cannot be %g; it is 0 or more", viscosity);
    s->is_spectral = 1;
    s->viscosity = viscosity;
    return MYR_OK;
}

myr_status myr_simulation_choose_viscous(myr_simulation *simulation, const char *treatment)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the method cannot change after the first step");
    if (!treatment || (strcmp(treatment, "explicit") != 0 && strcmp(treatment, "exact") != 0))
        return myr_context_fail(s->context, MYR_ERROR_NAME, "the viscous term is 'explicit' or 'exact', not '%s'",
                                treatment ? treatment : "(null)");
    s->is_exact = strcmp(treatment, "exact") == 0;
    return MYR_OK;
}

double myr_simulation_viscosity(const myr_simulation *simulation)
{
    return myr_simulation_kind(simulation) == MYR_MOTION_OF_BODIES ? NAN : simulation->viscosity;
}

myr_status myr_fluid_prepare(myr_simulation *s)
{
    myr_fluid_release(s);
    if (s->is_exact && s->table->state)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "integrator %s remembers rates of the last step, which the exact viscous term has not; "
                                "use rk4 or rk3, or the explicit term",
                                s->table->info.name);
    const myr_status status = myr_mesh_find(s->particles, &s->mesh);
    return status ? status : myr_spectral_create(s->context, &s->mesh, s->viscosity, s->is_exact, &s->spectral);
}

void myr_fluid_release(myr_simulation *s)
{
    myr_spectral_destroy(&s->spectral);
    myr_mesh_free(&s->mesh);
}

/* A step beyond what is stable can only blow up. */
static myr_status fluid_check_step(myr_simulation *s)
{
    const double dt = s->motion.parameter[0];
    const double longest = myr_spectral_longest_step(s->spectral, (const double *const *)s->motion.v);
    if (dt <= longest)
        return MYR_OK;
    return myr_context_fail(
        s->context, MYR_ERROR_VALUE,
        "the time step %g is too long for this flow: its speeds and %lld points per axis allow %.3g "
        "(waves must not be carried more than about their own length in a step)",
        dt, (long long)s->mesh.side, longest);
}

/* Dissipation happens at a scale that the points of a mesh, or elements, may not have. */
static myr_status fluid_check_resolution(myr_simulation *s, const myr_particles *mesh, const char *what, double least)
{
    myr_flow flow = {.resolution = NAN};
    const myr_status status = s->viscosity > 0 ? myr_flow_measure(mesh, s->viscosity, &flow) : MYR_OK;
    if (status || !(flow.resolution < least))
        return status;
    myr_context_warn(s->context,
                     "the %s not resolve this flow: k_max eta is %.2g, and less than %.2g leaves no room for the "
                     "dissipation; Re_lambda = %.3g wants about %.0f points per axis",
                     what, flow.resolution, least, flow.reynolds,
                     ceil(cbrt((double)myr_particles_count(mesh)) / flow.resolution / 2) * 2);
    return MYR_OK;
}

/* Elements that fill a cube, a volume each, are made for a box that repeats. */
static void fluid_warn_alone(myr_simulation *s)
{
    const double *volume = myr_particles_component_const(s->particles, "volume", 0);
    const int64_t n = s->motion.n, side = myr_mesh_side(n);
    double edges[3], corner[3];
    if (!volume || side < 4 || myr_interaction_box(s->interaction, edges, corner) || edges[0] + edges[1] + edges[2] > 0)
        return;
    const double spacing = cbrt(volume[0]), edge = spacing * (double)side;
    for (int c = 0; c < 3; c++) {
        double low = s->motion.x[c][0], high = low;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, s->motion.x[c][i]);
            high = fmax(high, s->motion.x[c][i]);
        }
        if (fabs(high - low + spacing - edge) > 1e-6 * edge)
            return;
    }
    myr_context_warn(
        s->context,
        "the vortex elements fill a cube of edge %.6g, as those of a periodic flow do, but there is no periodic "
        "box: they are alone in space; give 'box' these edges and use method fmm",
        edge);
}

/* Before the first step of elements. */
static myr_status fluid_check_elements(myr_simulation *s)
{
    myr_particles *mesh = NULL;
    double edges[3], corner[3];
    myr_status status = myr_elements_check(s);
    if (status || myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return status;
    fluid_warn_alone(s);
    if (!(s->viscosity > 0) || !myr_renewal_in_cube(s) || !myr_flow_available())
        return MYR_OK;
    myr_interaction_box(s->interaction, edges, corner);
    status = myr_flow_of_elements(s->particles, edges[0], corner, 0, &mesh);
    if (!status)
        status = fluid_check_resolution(s, mesh, "vortex elements do", FLUID_RESOLVED_BY_ELEMENTS);
    myr_particles_destroy(&mesh);
    return status;
}

myr_status myr_fluid_start(myr_simulation *s)
{
    double removed, square = 0;
    if (!s->is_spectral) {
        const myr_status fits = s->motion.steps == 0 ? fluid_check_elements(s) : MYR_OK;
        /* the first step must know how fast elements are strained */
        if (fits || s->strain > 0)
            return fits ? fits : myr_rates_all(s, s->motion.time);
        return myr_elements_longest_step(s, &s->motion.number[MYR_NUMBER_LONGEST]);
    }
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < s->motion.n; i++)
            square += s->motion.v[c][i] * s->motion.v[c][i] / (double)s->motion.n;
    myr_status status = myr_spectral_project(s->spectral, s->motion.v, &removed);
    if (status)
        return status;
    if (removed > FLUID_TOLD * sqrt(square))
        myr_context_warn(
            s->context,
            "%.3g of the rms velocity is divergence, or waves of two mesh widths, and was taken out of the "
            "initial field",
            removed / sqrt(square));
    status = fluid_check_step(s);
    return status ? status : fluid_check_resolution(s, s->particles, "mesh does", FLUID_RESOLVED);
}

myr_status myr_fluid_rates(myr_simulation *s, double time)
{
    const myr_integration *m = &s->motion;
    const double begin = myr_timer_now();
    const myr_status status = myr_spectral_rates(s->spectral, time - m->time, (const double *const *)m->v, m->a);
    s->force_seconds += myr_timer_now() - begin;
    for (int64_t i = 0; i < m->n && !status; i++)
        if (!isfinite(m->a[0][i] + m->a[1][i] + m->a[2][i]))
            return myr_context_fail(s->context, MYR_ERROR_NONFINITE,
                                    "at time %g the flow changes at a rate that is not a finite number: the time step "
                                    "%g has become too long for its speeds",
                                    time, m->parameter[0]);
    return status;
}

myr_status myr_fluid_finish(myr_simulation *s, double begin)
{
    return s->is_spectral ? myr_spectral_finish(s->spectral, s->motion.time - begin, s->motion.v) : MYR_OK;
}
