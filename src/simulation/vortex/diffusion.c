/* diffusion.c - diffusion by exchange of strength, free stream, relaxation of the divergence. */
#include "simulation/vortex/diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>

#include "core/memory.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/element_motion.h"

#define ELEMENTS_CUTOFF 5.0 /* in cores: beyond is 1.4e-4 of a Gaussian's second moment */
#define ELEMENTS_TURN 2.0   /* |w| dt above which a step turns elements about each other by more than a radian */
#define ELEMENTS_WILD 6.0   /* |w| dt beyond which no integrator is stable */
/* overlap below which Gaussians leave gaps: 1, minus the effect of the edges of a set on the mean */
#define ELEMENTS_OVERLAP 0.8

enum { ELEMENTS_SAMPLE = 4096 };

static const myr_choice_info elements_diffusion[] = {
    {"core_spreading", "cores of vortex elements grow: d(core^2)/dt = 2 viscosity", 1},
    {"strength_exchange", "neighbours exchange strength; cores stay, and so does the total vorticity", 1},
};

const myr_choice_info *myr_diffusion(int k)
{
    return k >= 0 && k < 2 ? &elements_diffusion[k] : NULL;
}

static const char *elements_name(int k)
{
    return myr_diffusion(k) ? myr_diffusion(k)->name : NULL;
}

/* Refuses settings of vortex elements for other particles, or after the first step. */
static myr_status elements_settable(myr_simulation *s, const char *what)
{
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the %s cannot change after the first step", what);
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "the %s is one of vortex elements, whose kernel gives velocities", what);
    return MYR_OK;
}

myr_status myr_simulation_choose_diffusion(myr_simulation *simulation, const char *scheme)
{
    const myr_status status = elements_settable(simulation, "scheme of diffusion");
    if (status)
        return status;
    for (int k = 0; scheme && elements_name(k); k++)
        if (strcmp(elements_name(k), scheme) == 0) {
            simulation->elements->exchanges = k;
            return MYR_OK;
        }
    const char *nearest = myr_nearest(scheme, elements_name);
    return myr_context_fail(simulation->context, MYR_ERROR_NAME, "there is no scheme of diffusion '%s'%s%s%s",
                            scheme ? scheme : "(null)", nearest ? "; did you mean '" : "", nearest ? nearest : "",
                            nearest ? "'?" : "");
}

myr_status myr_simulation_set_stream(myr_simulation *simulation, const double velocity[3])
{
    const myr_status status = elements_settable(simulation, "free stream");
    if (status)
        return status;
    if (!velocity || !isfinite(velocity[0] + velocity[1] + velocity[2]))
        return myr_context_fail(simulation->context, MYR_ERROR_NONFINITE, "a free stream needs three finite numbers");
    memcpy(simulation->elements->stream, velocity, sizeof simulation->elements->stream);
    return MYR_OK;
}

myr_status myr_simulation_set_relaxation(myr_simulation *simulation, double rate)
{
    const myr_status status = elements_settable(simulation, "rate of relaxation");
    if (status)
        return status;
    if (!(rate >= 0) || !isfinite(rate))
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE,
                                "the rate of relaxation cannot be %g; it is 0 or more", rate);
    simulation->elements->relaxation = rate;
    return MYR_OK;
}

myr_status myr_simulation_limit_turning(myr_simulation *simulation, double turning)
{
    const myr_status status = elements_settable(simulation, "limit of turning");
    if (status)
        return status;
    if (!(turning >= 0) || !isfinite(turning))
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE,
                                "the limit of turning cannot be %g; it is 0 or more", turning);
    simulation->elements->turning = turning;
    return MYR_OK;
}

myr_status myr_simulation_set_floor(myr_simulation *simulation, double part)
{
    const myr_status status = elements_settable(simulation, "floor of the vorticity");
    if (status)
        return status;
    if (!(part > 0 && part < 1))
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE,
                                "new elements cannot be made down to %g of the largest vorticity; expected a number "
                                "between 0 and 1",
                                part);
    simulation->elements->floor = part;
    return MYR_OK;
}

int myr_diffusion_spreads_cores(const myr_simulation *s)
{
    return s->elements->viscosity > 0 && !s->elements->exchanges && !myr_collocation_on(s);
}

int myr_diffusion_exchanges(const myr_simulation *s)
{
    return s->elements->viscosity > 0 && s->elements->exchanges;
}

void myr_diffusion_add_stream(const myr_simulation *s, int64_t n, double *const velocity[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; s->elements->stream[c] != 0 && i < n; i++)
            velocity[c][i] += s->elements->stream[c];
}

/* Component arrays of a vector field. */
static void elements_vector(const myr_particles *p, const char *field, const double *x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(p, field, c);
}

myr_status myr_diffusion_gaussian(const myr_simulation *s, const myr_particles *p, myr_gaussian **gaussian)
{
    const double *x[3], *core = myr_particles_component_const(p, "core", 0);
    *gaussian = NULL;
    elements_vector(p, "position", x);
    if (!core || !myr_particles_component_const(p, "strength", 2))
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "vortex elements need a strength and a core");
    return myr_gaussian_create_in(s->context, myr_particles_count(p), x, core, ELEMENTS_CUTOFF,
                                  s->interaction->method_state.box, gaussian);
}

myr_status myr_diffusion_add_exchange(myr_simulation *s, double *const rate[3])
{
    const double *strength[3];
    myr_gaussian *g;
    elements_vector(s->particles, "strength", strength);
    myr_status status = myr_diffusion_gaussian(s, s->particles, &g);
    if (!status)
        status = myr_gaussian_exchange(g, s->elements->viscosity,
                                       myr_particles_component_const(s->particles, "volume", 0), strength, rate);
    myr_gaussian_destroy(&g);
    return status;
}

/* Computes the vorticity at all elements; *room is allocated, the caller frees it. */
static myr_status elements_vorticity(const myr_simulation *s, double **room, double *w[3])
{
    const int64_t n = s->motion.n;
    const double *strength[3];
    myr_gaussian *g = NULL;
    if (!(*room = myr_memory_zeros(3 * n, sizeof **room)))
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the vorticity of %lld elements",
                                (long long)n);
    elements_vector(s->particles, "strength", strength);
    for (int c = 0; c < 3; c++)
        w[c] = *room + c * n;
    if (myr_collocation_on(s)) { /* the elements carry the vorticity */
        for (int c = 0; c < 3; c++)
            memcpy(w[c], myr_particles_component_const(s->particles, "vorticity", c), (size_t)n * sizeof(double));
        return MYR_OK;
    }
    myr_status status = myr_diffusion_gaussian(s, s->particles, &g);
    if (!status)
        status = myr_gaussian_sum(g, strength, n, NULL, w);
    myr_gaussian_destroy(&g);
    return status;
}

myr_status myr_diffusion_longest_step(const myr_simulation *s, double *longest)
{
    double *room = NULL, *w[3], most = 0;
    *longest = 0;
    const myr_status status = s->elements->turning > 0 ? elements_vorticity(s, &room, w) : MYR_OK;
    for (int64_t i = 0; i < s->motion.n && !status && room; i++)
        most = fmax(most, w[0][i] * w[0][i] + w[1][i] * w[1][i] + w[2][i] * w[2][i]);
    *longest = most > 0 ? s->elements->turning / sqrt(most) : 0;
    const double viscous = s->elements->turning > 0 ? myr_collocation_longest_step(s) : 0;
    if (viscous > 0 && (*longest == 0 || viscous < *longest))
        *longest = viscous;
    free(room);
    return status;
}

/* a = (1 - part) a + part |a| w/|w| */
static void elements_turn(double *const a[3], double *const w[3], int64_t i, double part)
{
    const double size = sqrt(a[0][i] * a[0][i] + a[1][i] * a[1][i] + a[2][i] * a[2][i]);
    const double length = sqrt(w[0][i] * w[0][i] + w[1][i] * w[1][i] + w[2][i] * w[2][i]);
    for (int c = 0; c < 3 && length > 0; c++)
        a[c][i] = (1 - part) * a[c][i] + part * size * w[c][i] / length;
}

myr_status myr_diffusion_relax(myr_simulation *s, double dt)
{
    double *strength[3], *vorticity[3], *room = NULL;
    if (!(s->elements->relaxation > 0) || dt == 0)
        return MYR_OK;
    for (int c = 0; c < 3; c++)
        strength[c] = myr_particles_component(s->particles, "strength", c);
    const myr_status status = elements_vorticity(s, &room, vorticity);
    for (int64_t i = 0; i < s->motion.n && !status; i++)
        elements_turn(strength, vorticity, i, fmin(1, s->elements->relaxation * fabs(dt)));
    free(room);
    return status;
}

myr_status myr_simulation_fitness(myr_simulation *simulation, int64_t sample, myr_fitness *fitness)
{
    const myr_particles *now;
    if (!simulation || !fitness)
        return MYR_ERROR_ARGUMENT;
    if (myr_simulation_kind(simulation) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(simulation->context, MYR_ERROR_COMBINATION,
                                "only vortex elements have a divergence of the vorticity and an overlap");
    const myr_status status = myr_simulation_particles(simulation, &now);
    return status ? status : myr_flow_fitness(now, simulation->interaction->method_state.box, sample, fitness);
}

/* --- before the first step ---------------------------------------------------------------------------------------- */

/* Checks the fields read by exchange and relaxation. */
static myr_status elements_check_fields(myr_simulation *s)
{
    const double *volume = myr_particles_component_const(s->particles, "volume", 0);
    const double *core = myr_particles_component_const(s->particles, "core", 0), dt = s->motion.parameter[0];
    double least = INFINITY, whole = 0;
    if (!myr_diffusion_exchanges(s))
        return MYR_OK;
    if (!volume || !core)
        return myr_context_fail(s->context, MYR_ERROR_FIELD,
                                "exchange of strength needs the %s of the elements, a field '%s'; or choose "
                                "core_spreading",
                                volume ? "cores" : "volumes", volume ? "core" : "volume");
    for (int64_t i = 0; i < s->motion.n; i++) {
        least = fmin(least, core[i]);
        whole += volume[i];
    }
    if (!(whole > 0))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "exchange of strength needs elements with volumes; all of these are 0");
    if (s->motion.n > 0 && s->elements->viscosity * dt > 0.5 * least * least)
        return myr_context_fail(
            s->context, MYR_ERROR_VALUE,
            "the time step %g%s is too long for exchange of strength: with this viscosity and cores "
            "of %.3g it must be at most core^2/(2 viscosity) = %.3g%s",
            myr_context_time(s->context, dt), myr_context_time_name(s->context), least,
            myr_context_time(s->context, 0.5 * least * least / s->elements->viscosity),
            myr_context_time_name(s->context));
    return MYR_OK;
}

/* Warns of elements that turn too far about each other in a step, or leave gaps. */
static myr_status elements_check_flow(myr_simulation *s)
{
    myr_fitness fit;
    const double dt = s->motion.parameter[0];
    const myr_status status = myr_flow_fitness(s->particles, s->interaction->method_state.box, ELEMENTS_SAMPLE, &fit);
    if (status)
        return status;
    if (fit.vorticity * dt > ELEMENTS_WILD && !(s->elements->turning > 0))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the time step %g%s is too long for this flow: the vorticity reaches %.3g, so that "
                                "|grad u| dt is %.2g; dt = %.2g%s resolves the turning of its eddies",
                                myr_context_time(s->context, dt), myr_context_time_name(s->context), fit.vorticity,
                                fit.vorticity * dt, myr_context_time(s->context, ELEMENTS_TURN / fit.vorticity),
                                myr_context_time_name(s->context));
    if (fit.vorticity * dt > ELEMENTS_TURN && !(s->elements->turning > 0))
        myr_context_warn(
            s->context,
            "the time step %g%s is long for this flow: the vorticity reaches %.3g, so that |grad u| dt is "
            "%.2g and elements turn about each other by more than a radian per step; dt = %.2g%s resolves it",
            myr_context_time(s->context, dt), myr_context_time_name(s->context), fit.vorticity, fit.vorticity * dt,
            myr_context_time(s->context, ELEMENTS_TURN / fit.vorticity), myr_context_time_name(s->context));
    if (fit.overlap < ELEMENTS_OVERLAP)
        myr_context_warn(s->context,
                         "the vortex elements overlap too little: their cores are %.2g of the distance between "
                         "neighbours, and below 1 the vorticity has gaps; use more elements, larger cores, or "
                         "re-initialise",
                         fit.overlap);
    return MYR_OK;
}

myr_status myr_diffusion_check(myr_simulation *s)
{
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return MYR_OK;
    if (s->elements->relaxation * s->motion.parameter[0] > 1)
        return myr_context_fail(
            s->context, MYR_ERROR_VALUE,
            "relaxation at a rate of %g with a time step of %g%s would overshoot; their product must "
            "be at most 1",
            s->elements->relaxation, myr_context_time(s->context, s->motion.parameter[0]),
            myr_context_time_name(s->context));
    const myr_status status = elements_check_fields(s);
    return status ? status : elements_check_flow(s);
}
