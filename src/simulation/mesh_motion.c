/* mesh_motion.c - points of a mesh that carry the velocity of a fluid, advanced by the spectral method. */
#include "simulation/mesh_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "core/timer.h"
#include "domain/mesh.h"
#include "method/spectral/spectral.h"
#include "simulation/conserved.h"
#include "simulation/forcing.h"
#include "simulation/steps.h"

/* smallest k_max eta (highest wave number times dissipation length): below, even the largest eddies are affected */
#define MESH_RESOLVED 0.5
#define MESH_SILENT 1e-10 /* part of the rms velocity that may be projected out without a warning */

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
    s->mesh->is_chosen = 1;
    s->mesh->viscosity = viscosity;
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
    s->mesh->is_exact = strcmp(treatment, "exact") == 0;
    return MYR_OK;
}

static int mesh_claims(const myr_simulation *s)
{
    return s->mesh->is_chosen;
}

static void mesh_close(myr_simulation *s)
{
    myr_spectral_destroy(&s->mesh->solver);
    myr_mesh_free(&s->mesh->points);
}

/* Finds the mesh and creates the solver. */
static myr_status mesh_find(myr_simulation *s)
{
    mesh_close(s);
    if (s->mesh->is_exact && s->table->state)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "integrator %s remembers rates of the last step, which the exact viscous term has not; "
                                "use rk4 or rk3, or the explicit term",
                                s->table->info.name);
    myr_status status = myr_mesh_find(s->particles, &s->mesh->points);
    if (!status)
        status =
            myr_spectral_create(s->context, &s->mesh->points, s->mesh->viscosity, s->mesh->is_exact, &s->mesh->solver);
    if (!status)
        myr_spectral_force(s->mesh->solver, s->forcing.power, s->forcing.shell);
    return status;
}

/* Sets the velocities as variables: points of a mesh do not move. */
static myr_status mesh_variables(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    if (s->table->second_order)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the spectral method gives rates of velocities and moves no particle: integrator %s "
                                "does not fit; use rk4 or ab2",
                                s->table->info.name);
    myr_status status = myr_steps_field(s, "velocity", 3, m->v);
    if (!status)
        status = myr_steps_field(s, "acceleration", 3, m->a);
    if (status)
        return status;
    myr_steps_add_variables(m, m->v, m->a, 3);
    return mesh_find(s);
}

/* Refuses a step longer than the stable one. */
static myr_status mesh_check_step(myr_simulation *s)
{
    const double dt = s->motion.parameter[0];
    const double longest = myr_spectral_longest_step(s->mesh->solver, (const double *const *)s->motion.v);
    if (dt <= longest)
        return MYR_OK;
    return myr_context_fail(
        s->context, MYR_ERROR_VALUE,
        "the time step %g%s is too long for this flow: its speeds and %lld points per axis allow %.3g%s "
        "(waves must not be carried more than about their own length in a step)",
        myr_context_time(s->context, dt), myr_context_time_name(s->context), (long long)s->mesh->points.side,
        myr_context_time(s->context, longest), myr_context_time_name(s->context));
}

myr_status myr_mesh_motion_check_resolution(myr_simulation *s, const myr_particles *mesh, double viscosity,
                                            const char *what, double least)
{
    myr_flow flow = {.resolution = NAN};
    const myr_status status = viscosity > 0 ? myr_flow_measure(mesh, viscosity, &flow) : MYR_OK;
    if (status || !(flow.resolution < least))
        return status;
    myr_context_warn(s->context,
                     "the %s not resolve this flow: k_max eta is %.2g, and less than %.2g leaves no room for the "
                     "dissipation; Re_lambda = %.3g wants about %.0f points per axis",
                     what, flow.resolution, least, flow.reynolds,
                     ceil(cbrt((double)myr_particles_count(mesh)) / flow.resolution / 2) * 2);
    return MYR_OK;
}

/* Removes the part of the velocities that the method cannot represent, and refuses a step that is too long. */
static myr_status mesh_start(myr_simulation *s)
{
    double removed, square = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < s->motion.n; i++)
            square += s->motion.v[c][i] * s->motion.v[c][i] / (double)s->motion.n;
    myr_status status = myr_spectral_project(s->mesh->solver, s->motion.v, &removed);
    if (status)
        return status;
    if (removed > MESH_SILENT * sqrt(square))
        myr_context_warn(
            s->context,
            "%.3g of the rms velocity is divergence, or waves of two mesh widths, and was taken out of the "
            "initial field",
            removed / sqrt(square));
    status = mesh_check_step(s);
    if (!status)
        status = myr_mesh_motion_check_resolution(s, s->particles, s->mesh->viscosity, "mesh does", MESH_RESOLVED);
    return status ? status : myr_steps_start(s);
}

static myr_status mesh_rates(void *simulation, double time)
{
    myr_simulation *s = simulation;
    const myr_integration *m = &s->motion;
    const double begin = myr_timer_now();
    const myr_status status = myr_spectral_rates(s->mesh->solver, time - m->time, (const double *const *)m->v, m->a);
    s->force_seconds += myr_timer_now() - begin;
    for (int64_t i = 0; i < m->n && !status; i++)
        if (!isfinite(m->a[0][i] + m->a[1][i] + m->a[2][i]))
            return myr_context_fail(
                s->context, MYR_ERROR_NONFINITE,
                "at time %g%s the flow changes at a rate that is not a finite number: the time step "
                "%g%s has become too long for its speeds",
                myr_context_time(s->context, time), myr_context_time_name(s->context),
                myr_context_time(s->context, m->parameter[0]), myr_context_time_name(s->context));
    return status;
}

static myr_status mesh_finish(myr_simulation *s, double begin)
{
    return myr_spectral_finish(s->mesh->solver, s->motion.time - begin, s->motion.v);
}

static double mesh_viscosity(const myr_simulation *s)
{
    return s->mesh->viscosity;
}

static void mesh_save_text(const myr_simulation *s, myr_lines *lines)
{
    if (s->mesh->is_chosen)
        myr_lines_add(lines, "fluid spectral %a %a\n", s->mesh->viscosity, 0.0);
    if (s->mesh->is_exact)
        myr_lines_add(lines, "viscous exact\n");
    myr_forcing_save(s, lines);
}

static int mesh_load_line(myr_simulation *s, const char *key, const char *name, const char *value, myr_status *status)
{
    if (strcmp(key, "fluid") == 0 && strcmp(name, "spectral") == 0)
        *status = myr_simulation_set_spectral(s, strtod(value, NULL));
    else if (strcmp(key, "viscous") == 0)
        *status = myr_simulation_choose_viscous(s, name);
    else if (strcmp(key, "forcing") == 0)
        *status = myr_forcing_load(s, name, value);
    else
        return 1;
    return 0;
}

const myr_motion myr_motion_mesh = {
    .kind = MYR_MOTION_OF_MESH,
    .state_bytes = sizeof(struct myr_mesh_state),
    .every_rank = 1, /* ranks share the transforms */
    .claims = mesh_claims,
    .open = myr_steps_prepare,
    .start = mesh_start,
    .advance = myr_steps_advance,
    .variables = mesh_variables,
    .rates = mesh_rates,
    .finish = mesh_finish,
    .conserved = myr_conserved_bodies,
    .viscosity = mesh_viscosity,
    .save_text = mesh_save_text,
    .load_line = mesh_load_line,
    .resume = myr_steps_resume,
    .close = mesh_close,
};
