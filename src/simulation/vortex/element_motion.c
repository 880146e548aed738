/* element_motion.c - vortex elements as a kind of motion: positions change with the velocity, strengths by stretching
 * and viscosity, cores by viscosity. */
#include "simulation/vortex/element_motion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "simulation/conserved.h"
#include "simulation/forcing.h"
#include "simulation/gpu_steps.h"
#include "simulation/mesh_motion.h"
#include "simulation/ranks/replicas.h"
#include "simulation/rates.h"
#include "simulation/steps.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/core_spreading.h"
#include "simulation/vortex/diffusion.h"
#include "simulation/vortex/element_energy.h"
#include "simulation/vortex/kept_mesh.h"
#include "simulation/vortex/remesh_periodic.h"
#include "simulation/vortex/upkeep.h"

#define ELEMENTS_RESOLVED                                                                                              \
    1.0 /* k_max eta required by elements, whose shortest waves are disturbed by interpolation                         \
         */

static int elements_claim(const myr_simulation *s)
{
    return myr_rates_output(s, "velocity") >= 0;
}

/* --- variables and rates ------------------------------------------------------------------------------------------ */

/* Makes spreading cores variable 3. */
static myr_status elements_core_variables(myr_simulation *s)
{
    double *core[1], *spreading[1];
    if (!myr_diffusion_spreads_cores(s))
        return MYR_OK;
    myr_status status = myr_steps_field(s, "core", 1, core);
    if (!status)
        status = myr_steps_field(s, "spreading", 1, spreading);
    if (!status)
        myr_steps_add_variables(&s->motion, core, spreading, 1);
    return status;
}

/* Returns 1 if stretching or viscosity changes strengths, which are then the last three variables. */
static int elements_change_strength(const myr_simulation *s)
{
    return myr_rates_output(s, "stretching") >= 0 || myr_diffusion_exchanges(s);
}

static myr_status elements_variables(myr_simulation *s)
{
    double *velocity[3], *strength[3], *stretching[3];
    myr_integration *m = &s->motion;
    if (s->table->second_order)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "kernel %s gives velocities, not accelerations: integrator %s needs accelerations; use "
                                "rk4 or ab2",
                                myr_interaction_desc(s->interaction)->name, s->table->info.name);
    myr_status status = myr_steps_field(s, "velocity", 3, velocity);
    if (!status)
        myr_steps_add_variables(m, m->x, velocity, 3);
    if (!status)
        status = elements_core_variables(s);
    if (status || !elements_change_strength(s))
        return status;
    status = myr_collocation_prepare(s);
    if (!status)
        status = myr_steps_field(s, myr_collocation_on(s) ? "vorticity" : "strength", 3, strength);
    if (!status)
        status = myr_steps_field(s, "stretching", 3, stretching);
    if (!status)
        myr_steps_add_variables(m, strength, stretching, 3);
    return status;
}

/* Passes the current strengths and cores to the stage. */
static myr_status elements_refresh(myr_simulation *s, double time)
{
    myr_integration *m = &s->motion;
    if (myr_collocation_on(s))
        return myr_collocation_solve(s, time, m->variable + m->variables - 3);
    if (myr_diffusion_spreads_cores(s))
        myr_stage_refresh(s->stage, "core", 1, m->variable + 3);
    if (elements_change_strength(s))
        myr_stage_refresh(s->stage, "strength", 3, m->variable + m->variables - 3);
    return MYR_OK;
}

/* Converts the sums over pairs to rates, and adds the other contributions. */
static myr_status elements_collect(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    const int stretching = myr_rates_output(s, "stretching"), strength = m->variables - 3;
    myr_rates_copy(s, myr_rates_output(s, "velocity"), m->n, NULL, m->rate, NULL);
    myr_diffusion_add_stream(s, m->n, m->rate);
    if (elements_change_strength(s))
        myr_rates_copy(s, stretching, m->n, NULL, m->rate + strength, NULL);
    if (myr_diffusion_spreads_cores(s))
        myr_core_spreading_rates(s, m->variable[3], m->rate[3]);
    if (myr_collocation_on(s))
        myr_collocation_add(s, m->variable + strength, m->rate + strength);
    myr_status status = elements_change_strength(s) ? myr_forcing_add(s, m->rate + strength) : MYR_OK;
    if (status)
        return status;
    double stretched = 0, turned;
    if (s->elements->strain > 0 && stretching >= 0)
        stretched = myr_core_spreading_longest_step(s, m->variable + strength, m->rate + strength);
    status = myr_diffusion_longest_step(s, &turned);
    if (status)
        return status;
    m->number[MYR_NUMBER_LONGEST] = stretched > 0 && (turned == 0 || stretched < turned) ? stretched : turned;
    return myr_diffusion_exchanges(s) ? myr_diffusion_add_exchange(s, m->rate + strength) : MYR_OK;
}

myr_status myr_element_motion_rates(void *simulation, double time)
{
    myr_simulation *s = simulation;
    const myr_prediction p = myr_rates_now(s, time);
    myr_status status = s->motion.variables > 3 ? elements_refresh(s, time) : MYR_OK;
    if (!status)
        status = myr_rates_evaluate(s, &p, s->motion.n, NULL);
    return status ? status : elements_collect(s);
}

/* Returns 1 if only sums over pairs change the elements, so that a GPU can keep them between steps. */
static int elements_can_stay(const myr_simulation *s)
{
    const struct myr_elements_state *e = s->elements;
    return !myr_diffusion_spreads_cores(s) && !myr_diffusion_exchanges(s) && !myr_collocation_on(s) &&
           !(e->relaxation > 0) && !(s->forcing.power > 0) && !(e->strain > 0) && !(e->turning > 0) &&
           e->stream[0] == 0 && e->stream[1] == 0 && e->stream[2] == 0;
}

static myr_status elements_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const myr_status status = elements_can_stay(s) ? myr_gpu_steps_open(s) : MYR_OK;
    if (status)
        return status;
    return myr_gpu_steps_has_particles(s) ? myr_gpu_steps_advance(s, end, until, most)
                                          : myr_steps_advance(s, end, until, most);
}

static myr_status elements_finish(myr_simulation *s, double begin)
{
    myr_collocation_finish(s);
    return myr_diffusion_relax(s, s->motion.time - begin);
}

/* --- before the first step ---------------------------------------------------------------------------------------- */

/* Warns if elements of equal volume fill a cube, as in a periodic flow, without a periodic box. */
static void elements_warn_alone(myr_simulation *s)
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

/* Checks that the elements resolve the flow. */
static myr_status elements_check_start(myr_simulation *s)
{
    myr_particles *mesh = NULL;
    double edges[3], corner[3];
    myr_status status = myr_diffusion_check(s);
    if (!status)
        status = myr_forcing_check_elements(s);
    if (status)
        return status;
    elements_warn_alone(s);
    if (!(s->elements->viscosity > 0) || !myr_remesh_periodic_in_cube(s) || !myr_flow_available())
        return MYR_OK;
    myr_interaction_box(s->interaction, edges, corner);
    status = myr_flow_of_elements(s->particles, edges[0], corner, 0, &mesh);
    if (!status)
        status =
            myr_mesh_motion_check_resolution(s, mesh, s->elements->viscosity, "vortex elements do", ELEMENTS_RESOLVED);
    myr_particles_destroy(&mesh);
    return status;
}

static myr_status elements_start(myr_simulation *s)
{
    myr_status status = s->motion.steps == 0 ? elements_check_start(s) : MYR_OK;
    if (!status && s->elements->strain > 0) /* the first step needs the strain */
        status = myr_element_motion_rates(s, s->motion.time);
    else if (!status)
        status = myr_diffusion_longest_step(s, &s->motion.number[MYR_NUMBER_LONGEST]);
    return status ? status : myr_steps_start(s);
}

/* --- conserved quantities ----------------------------------------------------------------------------------------- */

/* Computes the velocities at the elements now, in double arithmetic: those of the last step belong to a stage of the
 * integrator. Without the free stream: for energy and helicity the fluid far away is at rest. */
static myr_status elements_conserved(myr_simulation *s, myr_conserved *conserved)
{
    const myr_particles *now;
    myr_vortices sums;
    myr_status status = myr_simulation_particles(s, &now);
    if (!status &&
        (!myr_particles_component_const(now, "strength", 2) || !myr_particles_component_const(now, "core", 0)))
        return myr_conserved_bodies(s, conserved);
    if (!status)
        status = myr_conserved_prepare(s);
    if (!status)
        status = myr_conserved_evaluate(s, s->synchronous);
    if (!status)
        status = myr_flow_vortices(s->synchronous, &sums);
    if (!status && !myr_method_has_box(s->interaction)) /* with images the flow is measured on a mesh */
        status = myr_element_energy(s->interaction, s->synchronous, &sums.kinetic);
    if (status)
        return status;
    conserved->kinetic = conserved->energy = sums.kinetic;
    conserved->mass = sums.strength;
    for (int c = 0; c < 3; c++) {
        conserved->momentum[c] = sums.impulse[c];
        conserved->angular[c] = sums.angular[c];
        conserved->centre[c] = sums.centroid[c];
    }
    return MYR_OK;
}

static double elements_viscosity(const myr_simulation *s)
{
    return s->elements->viscosity;
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

static void elements_save_text(const myr_simulation *s, myr_lines *lines)
{
    const struct myr_elements_state *e = s->elements;
    const myr_collocation *c = &e->collocation;
    if (e->viscosity > 0 || e->strain > 0)
        myr_lines_add(lines, "fluid elements %a %a\n", e->viscosity, e->strain);
    if (myr_simulation_kind(s) == MYR_MOTION_OF_ELEMENTS)
        myr_lines_add(lines, "elements %s %a %a %a %a %a %a\n", myr_diffusion(e->exchanges)->name, e->relaxation,
                      e->turning, e->floor, e->stream[0], e->stream[1], e->stream[2]);
    if (c->tolerance > 0)
        myr_lines_add(lines, "solved %a %" PRId64 " %" PRId64 " %a\n", c->tolerance, c->solved.evaluations,
                      c->solved.iterations, c->solved.seconds);
    myr_upkeep_save(s, lines);
}

static myr_status elements_load_fluid(myr_simulation *s, const char *value)
{
    char *end;
    const myr_status status = myr_simulation_set_viscosity(s, strtod(value, &end));
    return status ? status : myr_simulation_limit_strain(s, strtod(end, NULL));
}

static myr_status elements_load_scheme(myr_simulation *s, const char *scheme, const char *value)
{
    char *end;
    const double relaxation = strtod(value, &end), turning = strtod(end, &end), floor = strtod(end, &end);
    double stream[3];
    for (int c = 0; c < 3; c++)
        stream[c] = strtod(end, &end);
    myr_status status = myr_simulation_choose_diffusion(s, scheme);
    if (!status)
        status = myr_simulation_set_relaxation(s, relaxation);
    if (!status)
        status = myr_simulation_limit_turning(s, turning);
    if (!status && floor > 0)
        status = myr_simulation_set_floor(s, floor);
    return status ? status : myr_simulation_set_stream(s, stream);
}

static myr_status elements_load_solved(myr_simulation *s, const char *tolerance, const char *value)
{
    myr_solved *solved = &s->elements->collocation.solved;
    if (sscanf(value, "%" SCNd64 " %" SCNd64 " %la", &solved->evaluations, &solved->iterations, &solved->seconds) != 3)
        return myr_context_fail(s->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: solved");
    return myr_simulation_solve_strengths(s, strtod(tolerance, NULL));
}

static int elements_load_line(myr_simulation *s, const char *key, const char *name, const char *value,
                              myr_status *status)
{
    if (strcmp(key, "fluid") == 0)
        *status = elements_load_fluid(s, value);
    else if (strcmp(key, "elements") == 0)
        *status = elements_load_scheme(s, name, value);
    else if (strcmp(key, "solved") == 0)
        *status = elements_load_solved(s, name, value);
    else if (strcmp(key, "upkeep") == 0)
        *status = myr_upkeep_load(s, name, value);
    else
        return 1;
    return 0;
}

const myr_motion myr_motion_elements = {
    .kind = MYR_MOTION_OF_ELEMENTS,
    .state_bytes = sizeof(struct myr_elements_state),
    .claims = elements_claim,
    .every_rank = 1, /* ranks share the sums */
    .open = myr_steps_prepare_together,
    .start = elements_start,
    .join = myr_replicas_join,
    .advance = elements_advance,
    .fetch = myr_gpu_steps_fetch,
    .variables = elements_variables,
    .rates = myr_element_motion_rates,
    .finish = elements_finish,
    .complete = myr_collocation_synchronise,
    .is_complete = myr_collocation_synchronised,
    .conserved = elements_conserved,
    .viscosity = elements_viscosity,
    .save_text = elements_save_text,
    .load_line = elements_load_line,
    .resume = myr_steps_resume,
    .close = myr_collocation_release,
    .forget = myr_kept_mesh_release,
};
