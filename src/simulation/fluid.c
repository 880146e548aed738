/* fluid.c - the spectral method as what moves a simulation. */
#include "simulation/fluid.h"

#include <math.h>
#include <string.h>

#include <myriad/flow.h>

#include "core/timer.h"
#include "simulation/elements.h"
#include "simulation/rates.h"

#define FLUID_RESOLVED 0.5 /* k_max eta: below it even the largest eddies suffer */
#define FLUID_TOLD 1e-10   /* of the rms velocity: what is taken out of a field without a word */

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

/* Dissipation happens at a scale that the mesh may not have. */
static myr_status fluid_check_resolution(myr_simulation *s)
{
    myr_flow flow = {.resolution = NAN};
    const myr_status status = s->viscosity > 0 ? myr_flow_measure(s->particles, s->viscosity, &flow) : MYR_OK;
    if (status || !(flow.resolution < FLUID_RESOLVED))
        return status;
    myr_context_warn(s->context,
                     "the mesh does not resolve this flow: k_max eta is %.2g, and less than %.2g leaves no room for "
                     "the dissipation; Re_lambda = %.3g wants about %.0f points per axis",
                     flow.resolution, FLUID_RESOLVED, flow.reynolds,
                     ceil((double)s->mesh.side / flow.resolution / 2) * 2);
    return MYR_OK;
}

myr_status myr_fluid_start(myr_simulation *s)
{
    double removed, square = 0;
    if (!s->is_spectral) {
        const myr_status fits = s->motion.steps == 0 ? myr_elements_check(s) : MYR_OK;
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
    return status ? status : fluid_check_resolution(s);
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
