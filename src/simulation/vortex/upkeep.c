/* upkeep.c - decides when vortex elements are re-initialised, and when weak elements are removed. */
#include "simulation/vortex/upkeep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <myriad/flow.h>

#include "simulation/ranks/commands.h"
#include "simulation/vortex/element_motion.h"
#include "simulation/vortex/remesh_periodic.h"

#define UPKEEP_NEARLY 1e-9 /* tolerance in intervals: times are sums of steps, and may miss a multiple by rounding */

enum { UPKEEP_SAMPLE = 4096 }; /* number of elements at which the overlap is measured */

static double upkeep_largest_core(const myr_particles *p)
{
    const double *core = myr_particles_component_const(p, "core", 0);
    double most = 0;
    for (int64_t i = 0; core && i < myr_particles_count(p); i++)
        most = fmax(most, core[i]);
    return most;
}

static int upkeep_renews(const myr_upkeep *u)
{
    return u->core_growth > 0 || u->steps > 0 || u->least_overlap > 0;
}

static myr_status upkeep_check(myr_simulation *s, const myr_upkeep *u)
{
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION, "only vortex elements are replaced or removed");
    if (!(u->core_growth == 0 || u->core_growth >= 1) || u->steps < 0 || !(u->least_overlap >= 0) ||
        !(u->spacing >= 0) || !(u->weak_below >= 0 && u->weak_below < 1))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "rules for vortex elements: core_growth is 0 or at least 1, steps, least_overlap and "
                                "spacing are not negative, weak_below is below 1; %g, %lld, %g, %g and %g were given",
                                u->core_growth, (long long)u->steps, u->least_overlap, u->spacing, u->weak_below);
    if (u->weak_below > 0 && !(u->weak_interval > 0))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the time between two looks for weak elements must be above 0; %g%s was given",
                                myr_context_time(s->context, u->weak_interval), myr_context_time_name(s->context));
    return MYR_OK;
}

myr_status myr_simulation_set_upkeep(myr_simulation *simulation, const myr_upkeep *rules, const myr_upkeep_state *state)
{
    myr_simulation *s = simulation;
    if (!s || !rules)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = upkeep_check(s, rules);
    if (status)
        return status;
    s->elements->upkeep = *rules;
    s->elements->upkeep_state = state ? *state
                                      : (myr_upkeep_state){.core = upkeep_largest_core(s->particles),
                                                           .start = s->motion.shown,
                                                           .last_look = s->motion.shown};
    return MYR_OK;
}

myr_status myr_simulation_upkeep_state(const myr_simulation *simulation, myr_upkeep_state *state)
{
    if (!simulation || !state)
        return MYR_ERROR_ARGUMENT;
    *state = simulation->elements->upkeep_state;
    return MYR_OK;
}

/* --- re-initialisation -------------------------------------------------------------------------------------------- */

static myr_status upkeep_is_worn(myr_simulation *s, const myr_particles *now, int *worn)
{
    const myr_upkeep *u = &s->elements->upkeep;
    myr_fitness fitness = {.overlap = NAN};
    const myr_status status = u->least_overlap > 0 ? myr_simulation_fitness(s, UPKEEP_SAMPLE, &fitness) : MYR_OK;
    *worn = fitness.overlap < u->least_overlap || (u->steps > 0 && s->motion.steps % u->steps == 0) ||
            (u->core_growth > 0 && upkeep_largest_core(now) >= u->core_growth * s->elements->upkeep_state.core);
    return status;
}

static double upkeep_spacing(const myr_simulation *s, const myr_particles *now)
{
    const double elements = (double)(myr_particles_count(now) - myr_flow_tracers(now));
    double edge[3], corner[3];
    if (s->elements->upkeep.spacing > 0)
        return s->elements->upkeep.spacing;
    if (!myr_remesh_periodic_in_cube(s) || !myr_flow_available())
        return s->elements->upkeep_state.core;
    myr_interaction_box(s->interaction, edge, corner);
    return edge[0] / cbrt(elements);
}

static myr_status upkeep_renew(myr_simulation *s, myr_upkeep_report *report)
{
    const myr_particles *now;
    int worn = 0;
    myr_status status = myr_simulation_particles(s, &now);
    if (!status)
        status = upkeep_is_worn(s, now, &worn);
    if (status || !worn)
        return status;
    status = myr_simulation_reinitialise(s, upkeep_spacing(s, now), s->elements->upkeep_state.core,
                                         &report->reinitialisation);
    if (status)
        return status;
    s->elements->upkeep_state.replaced++;
    report->replaced = 1;
    return MYR_OK;
}

/* --- weak elements ------------------------------------------------------------------------------------------------ */

/* Number of intervals passed at a time. */
static double upkeep_intervals(const myr_simulation *s, double time)
{
    return floor((time - s->elements->upkeep_state.start) / s->elements->upkeep.weak_interval + UPKEEP_NEARLY);
}

static myr_status upkeep_prune(myr_simulation *s, myr_upkeep_report *report)
{
    const myr_upkeep *u = &s->elements->upkeep;
    myr_upkeep_state *state = &s->elements->upkeep_state;
    if (!(upkeep_intervals(s, s->motion.shown) > upkeep_intervals(s, state->last_look)))
        return MYR_OK;
    state->last_look = s->motion.shown;
    const myr_status status = myr_simulation_prune(s, u->weak_below, u->weak_merge, &report->pruning);
    if (status)
        return status;
    state->pruned += report->pruning.gone;
    state->pruned_strength += report->pruning.strength;
    return MYR_OK;
}

myr_status myr_simulation_keep_fit(myr_simulation *simulation, myr_upkeep_report *report)
{
    myr_simulation *s = simulation;
    if (!s || !report)
        return MYR_ERROR_ARGUMENT;
    *report = (myr_upkeep_report){0};
    const myr_upkeep *u = &s->elements->upkeep;
    const myr_command order = {.kind = MYR_COMMAND_KEEP_FIT};
    if (!upkeep_renews(u) && !(u->weak_below > 0))
        return MYR_OK;
    myr_status status = myr_commands_begin(s, &order);
    if (!status && upkeep_renews(u))
        status = upkeep_renew(s, report);
    if (!status && u->weak_below > 0)
        status = upkeep_prune(s, report);
    return myr_commands_end(s, status);
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

void myr_upkeep_save(const myr_simulation *s, myr_lines *lines)
{
    const myr_upkeep *u = &s->elements->upkeep;
    const myr_upkeep_state *state = &s->elements->upkeep_state;
    if (!upkeep_renews(u) && !(u->weak_below > 0))
        return;
    myr_lines_add(lines, "upkeep %" PRId64 " %d %a %a %a %a %a", u->steps, u->weak_merge, u->core_growth,
                  u->least_overlap, u->spacing, u->weak_below, u->weak_interval);
    myr_lines_add(lines, " %" PRId64 " %" PRId64 " %a %a %a %a\n", state->replaced, state->pruned, state->core,
                  state->start, state->last_look, state->pruned_strength);
}

myr_status myr_upkeep_load(myr_simulation *s, const char *first, const char *rest)
{
    myr_upkeep u = {.steps = strtoll(first, NULL, 10)};
    myr_upkeep_state state = {0};
    if (sscanf(rest, "%d %la %la %la %la %la %" SCNd64 " %" SCNd64 " %la %la %la %la", &u.weak_merge, &u.core_growth,
               &u.least_overlap, &u.spacing, &u.weak_below, &u.weak_interval, &state.replaced, &state.pruned,
               &state.core, &state.start, &state.last_look, &state.pruned_strength) != 12)
        return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: upkeep");
    return myr_simulation_set_upkeep(s, &u, &state);
}
