/* rates.c - what moves the particles: the interaction's sums and the external fields, as rates of variables.
 *
 * A kernel's outputs say what kind of motion it drives:
 *   acceleration (and jerk)    velocity changes at it, position at velocity
 *   force                      the same, divided by mass
 *   velocity (and stretching)  position changes at it, strength at stretching: no inertia
 */
#include "simulation/rates.h"

#include <math.h>
#include <string.h>

#include "backend/motion.h"
#include "core/timer.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/diffusion.h"
#include "simulation/mesh_motion.h"
#include "simulation/vortex/core_spreading.h"

int myr_rates_output(const myr_simulation *s, const char *name)
{
    int at = 0;
    if (!s->interaction)
        return -1;
    const myr_kernel_desc *d = myr_interaction_desc(s->interaction);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; at += d->output[k++].components)
        if (strcmp(d->output[k].name, name) == 0)
            return at;
    return -1;
}

static myr_status rates_array(myr_simulation *s, const char *name, int components, double **array)
{
    const myr_status status = myr_particles_add_field(s->particles, name, components);
    for (int c = 0; !status && c < components; c++)
        array[c] = myr_particles_component(s->particles, name, c);
    return status;
}

static void rates_pair(myr_integration *m, double *const *variable, double *const *rate, int components)
{
    for (int c = 0; c < components; c++, m->variables++) {
        m->variable[m->variables] = variable[c];
        m->rate[m->variables] = rate[c];
    }
}

static myr_status rates_second_order(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    myr_status status = rates_array(s, "velocity", 3, m->v);
    if (!status)
        status = rates_array(s, "acceleration", 3, m->a);
    if (!status && (myr_rates_output(s, "jerk") >= 0 || s->table->info.needs_jerk))
        status = rates_array(s, "jerk", 3, m->j);
    if (status)
        return status;
    rates_pair(m, m->x, m->v, 3);
    rates_pair(m, m->v, m->a, 3);
    return MYR_OK;
}

/* Cores that spread: variable 3 then. */
static myr_status rates_of_cores(myr_simulation *s)
{
    double *core[1], *spreading[1];
    if (!myr_elements_spread(s))
        return MYR_OK;
    myr_status status = rates_array(s, "core", 1, core);
    if (!status)
        status = rates_array(s, "spreading", 1, spreading);
    if (!status)
        rates_pair(&s->motion, core, spreading, 1);
    return status;
}

/* Strengths are the last variables, where stretching or viscosity changes them. */
static int rates_of_strengths(const myr_simulation *s)
{
    return myr_rates_output(s, "stretching") >= 0 || myr_elements_exchange(s);
}

static myr_status rates_first_order(myr_simulation *s)
{
    double *velocity[3], *strength[3], *stretching[3];
    myr_integration *m = &s->motion;
    if (s->table->second_order)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "kernel %s gives velocities, not accelerations: integrator %s needs accelerations; use "
                                "rk4 or ab2",
                                myr_interaction_desc(s->interaction)->name, s->table->info.name);
    myr_status status = rates_array(s, "velocity", 3, velocity);
    if (!status)
        rates_pair(m, m->x, velocity, 3);
    if (!status)
        status = rates_of_cores(s);
    if (status || !rates_of_strengths(s))
        return status;
    status = myr_collocation_prepare(s);
    if (!status)
        status = rates_array(s, myr_collocation_on(s) ? "vorticity" : "strength", 3, strength);
    if (!status)
        status = rates_array(s, "stretching", 3, stretching);
    if (!status)
        rates_pair(m, strength, stretching, 3);
    return status;
}

/* Points of a mesh stay where they are. */
static myr_status rates_of_mesh(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    if (s->table->second_order)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the spectral method gives rates of velocities and moves no particle: integrator %s "
                                "does not fit; use rk4 or ab2",
                                s->table->info.name);
    myr_status status = rates_array(s, "velocity", 3, m->v);
    if (!status)
        status = rates_array(s, "acceleration", 3, m->a);
    if (status)
        return status;
    rates_pair(m, m->v, m->a, 3);
    return myr_fluid_prepare(s);
}

/* The kernel with jerk that goes with the chosen one; the choice shows in myr_interaction_choice. */
static myr_status rates_want_jerk(myr_simulation *s)
{
    static const char *const with[][2] = {{"gravity", "gravity_jerk"},
                                          {"gravity_potential", "gravity_jerk"},
                                          {"gravity_spline", "gravity_jerk_spline"},
                                          {"gravity_potential_spline", "gravity_jerk_spline"}};
    if (!s->interaction || myr_rates_output(s, "jerk") >= 0)
        return MYR_OK;
    const char *now = myr_interaction_desc(s->interaction)->name;
    for (size_t k = 0; k < sizeof with / sizeof *with; k++)
        if (strcmp(now, with[k][0]) == 0)
            return myr_interaction_choose(s->interaction, "kernel", with[k][1]);
    return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                            "integrator %s needs the time derivative of the force, which kernel %s does not give; use "
                            "leapfrog, or a kernel with jerk",
                            s->table->info.name, now);
}

myr_status myr_rates_prepare(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    m->variables = 0;
    myr_status status = s->table->info.needs_jerk ? rates_want_jerk(s) : MYR_OK;
    if (!status && !myr_particles_component(s->particles, "position", 2))
        status = myr_context_fail(s->context, MYR_ERROR_FIELD, "particles need a position with 3 components");
    if (!status)
        status = rates_array(s, "position", 3, m->x);
    if (status)
        return status;
    if (s->is_spectral)
        return rates_of_mesh(s);
    return myr_rates_output(s, "velocity") >= 0 ? rates_first_order(s) : rates_second_order(s);
}

/* Adds the external fields to the accelerations (and jerks) of the listed particles at their positions x, v. */
static myr_status rates_external(const myr_simulation *s, double time, int64_t n, const int64_t *index,
                                 const myr_prediction *p, double *const *a, double *const *j)
{
    for (int64_t k = 0; s->externals && k < n; k++) {
        const int64_t i = index ? index[k] : k;
        const double dt = p->own ? time - p->own[i] : 0;
        double x[3], v[3], acceleration[3], jerk[3];
        for (int c = 0; c < 3; c++) {
            const double a0 = dt != 0 ? p->acceleration[c][i] : 0, j0 = dt != 0 ? p->jerk[c][i] : 0;
            x[c] = motion_position(p->position[c][i], p->velocity[c][i], a0, j0, dt);
            v[c] = motion_velocity(p->velocity[c][i], a0, j0, dt);
        }
        for (int e = 0; e < s->externals; e++) {
            myr_external_at(s->external[e], x, v, time, acceleration, jerk, NULL);
            for (int c = 0; c < 3; c++) {
                a[c][k] += acceleration[c];
                if (j)
                    j[c][k] += jerk[c];
            }
        }
        if (!isfinite(a[0][k] + a[1][k] + a[2][k] + x[0] + x[1] + x[2]) ||
            (j && !isfinite(j[0][k] + j[1][k] + j[2][k])))
            return myr_context_fail(
                s->context, MYR_ERROR_NONFINITE,
                "at time %g the external fields give particle %lld (id %lld) at (%g, %g, %g) a rate "
                "that is not a finite number",
                time, (long long)i, (long long)s->motion.ids[i], x[0], x[1], x[2]);
    }
    return MYR_OK;
}

static myr_status rates_evaluate(myr_simulation *s, const myr_prediction *p, int64_t n, const int64_t *index)
{
    if (!s->interaction)
        return MYR_OK;
    myr_stage_predict(s->stage, p);
    const double start = myr_timer_now();
    const myr_status status = myr_stage_evaluate(s->stage, n, index, s->output);
    s->force_seconds += myr_timer_now() - start;
    s->pairs += n * s->motion.n;
    return status;
}

/* Copies output components into arrays, entry by entry, scaled by 1/mass for forces. */
static void rates_copy(const myr_simulation *s, int from, int64_t n, const int64_t *index, double *const *to,
                       const double *mass)
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < n; k++)
            to[c][k] = from < 0 ? 0 : s->output[from + c][k] / (mass ? mass[index ? index[k] : k] : 1);
}

static myr_prediction rates_now(const myr_simulation *s, double time)
{
    const myr_integration *m = &s->motion;
    myr_prediction p = {.time = time};
    for (int c = 0; c < 3; c++) {
        p.position[c] = m->x[c];
        p.velocity[c] = m->v[c];
        p.acceleration[c] = m->a[c];
        p.jerk[c] = m->j[c];
    }
    return p;
}

/* Strengths and cores of vortex elements as they are. */
static myr_status rates_refresh(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    if (myr_collocation_on(s))
        return myr_collocation_solve(s, m->variable + m->variables - 3);
    if (myr_elements_spread(s))
        myr_stage_refresh(s->stage, "core", 1, m->variable + 3);
    if (rates_of_strengths(s))
        myr_stage_refresh(s->stage, "strength", 3, m->variable + m->variables - 3);
    return MYR_OK;
}

/* What the sums over pairs make of vortex elements. */
static myr_status rates_of_elements(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    const int stretching = myr_rates_output(s, "stretching"), strength = m->variables - 3;
    rates_copy(s, myr_rates_output(s, "velocity"), m->n, NULL, m->rate, NULL);
    myr_elements_add_stream(s, m->n, m->rate);
    if (rates_of_strengths(s))
        rates_copy(s, stretching, m->n, NULL, m->rate + strength, NULL);
    if (myr_elements_spread(s))
        myr_vortex_spread(s, m->variable[3], m->rate[3]);
    if (myr_collocation_on(s))
        myr_collocation_add(s, m->variable + strength, m->rate + strength);
    double stretched = 0, turned;
    if (s->strain > 0 && stretching >= 0)
        stretched = myr_vortex_longest_step(s, m->variable + strength, m->rate + strength);
    const myr_status status = myr_elements_longest_step(s, &turned);
    if (status)
        return status;
    m->number[MYR_NUMBER_LONGEST] = stretched > 0 && (turned == 0 || stretched < turned) ? stretched : turned;
    return myr_elements_exchange(s) ? myr_elements_add_exchange(s, m->rate + strength) : MYR_OK;
}

/* All particles where they are. */
myr_status myr_rates_all(void *user, double time)
{
    myr_simulation *s = user;
    myr_integration *m = &s->motion;
    if (s->is_spectral)
        return myr_fluid_rates(s, time);
    const myr_prediction p = rates_now(s, time);
    myr_status status = MYR_OK;
    if (s->interaction && m->variables > 3 && myr_rates_output(s, "velocity") >= 0) /* they change as positions do */
        status = rates_refresh(s);
    if (!status)
        status = rates_evaluate(s, &p, m->n, NULL);
    if (status)
        return status;
    if (myr_rates_output(s, "velocity") >= 0)
        return rates_of_elements(s);
    const int force = myr_rates_output(s, "force");
    const double *mass = force >= 0 ? myr_particles_component(s->particles, "mass", 0) : NULL;
    rates_copy(s, force >= 0 ? force : myr_rates_output(s, "acceleration"), m->n, NULL, m->a, mass);
    return rates_external(s, time, m->n, NULL, &p, m->a, NULL);
}

/* Some particles, everybody predicted from a time of their own. */
myr_status myr_rates_predicted(void *user, double time, const double *own, int64_t n, const int64_t *index,
                               double *const out[6])
{
    myr_simulation *s = user;
    myr_prediction p = rates_now(s, time);
    p.own = own;
    const myr_status status = rates_evaluate(s, &p, n, index);
    if (status)
        return status;
    rates_copy(s, myr_rates_output(s, "acceleration"), n, index, out, NULL);
    rates_copy(s, myr_rates_output(s, "jerk"), n, index, out + 3, NULL);
    return rates_external(s, time, n, index, &p, out, out + 3);
}
