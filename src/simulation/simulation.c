/* simulation.c - creation of a simulation, and steps. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "interaction/coincident.h"
#include "particles/particles.h"
#include "simulation/motions.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/gather_rows.h"
#include "simulation/ranks/initial_shares.h"
#include "simulation/ranks/replicas.h"
#include "simulation/steps.h"

static void simulation_defaults(myr_simulation *s)
{
    for (int k = 0; k < MYR_INTEGRATOR_PARAMETERS; k++)
        s->motion.parameter[k] = s->table->info.param[k].name ? s->table->info.param[k].value : 0;
}

myr_status myr_simulation_create(myr_context *context, myr_particles *particles, myr_interaction *interaction,
                                 myr_simulation **simulation)
{
    if (!context || !simulation)
        return MYR_ERROR_ARGUMENT;
    *simulation = NULL;
    if (!particles)
        return myr_context_fail(context, MYR_ERROR_ARGUMENT, "a simulation needs particles");
    myr_simulation *s = calloc(1, sizeof *s);
    if (!s)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a simulation");
    s->context = context;
    const myr_status status = myr_motion_create_states(s);
    if (status) {
        free(s);
        return status;
    }
    s->particles = particles;
    s->interaction = interaction;
    s->table = myr_integrator_at(0);
    simulation_defaults(s);
    *simulation = s;
    return MYR_OK;
}

void myr_simulation_release(myr_simulation *s)
{
    myr_motion_close(s);
    myr_steps_release(s);
}

void myr_simulation_destroy(myr_simulation **simulation)
{
    if (!simulation || !*simulation)
        return;
    myr_simulation *s = *simulation;
    myr_commands_close(s);
    free(s->ranks.clock);
    free(s->ranks.names);
    myr_simulation_release(s);
    myr_motion_destroy_states(s);
    myr_interaction_destroy(&s->energy);
    myr_kept_destroy(&s->kept);
    myr_particles_destroy(&s->synchronous);
    myr_particles_destroy(&s->particles);
    myr_interaction_destroy(&s->interaction);
    for (int k = 0; k < s->externals; k++)
        myr_external_destroy(&s->external[k]);
    while (s->attached) {
        myr_attachment *next = s->attached->next;
        free(s->attached);
        s->attached = next;
    }
    free(s);
    *simulation = NULL;
}

static myr_status simulation_not_started(myr_simulation *s, const char *what)
{
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "%s cannot change after the first step", what);
    return MYR_OK;
}

static const char *simulation_integrator_name(int k)
{
    return myr_integrator(k) ? myr_integrator(k)->name : NULL;
}

myr_status myr_simulation_choose(myr_simulation *simulation, const char *integrator)
{
    const myr_status status = simulation_not_started(simulation, "the integrator");
    if (status)
        return status;
    const myr_integrator_table *table;
    for (int k = 0; integrator && (table = myr_integrator_at(k)); k++)
        if (strcmp(table->info.name, integrator) == 0) {
            simulation->table = table;
            simulation_defaults(simulation);
            return MYR_OK;
        }
    const char *nearest = myr_nearest(integrator, simulation_integrator_name);
    return myr_context_fail(simulation->context, MYR_ERROR_NAME, "there is no integrator '%s'%s%s%s",
                            integrator ? integrator : "(null)", nearest ? "; did you mean '" : "",
                            nearest ? nearest : "", nearest ? "'?" : "");
}

const char *myr_simulation_integrator(const myr_simulation *simulation)
{
    return simulation ? simulation->table->info.name : NULL;
}

static int simulation_parameter(const myr_simulation *s, const char *name)
{
    for (int k = 0; name && k < MYR_INTEGRATOR_PARAMETERS && s->table->info.param[k].name; k++)
        if (strcmp(s->table->info.param[k].name, name) == 0)
            return k;
    return -1;
}

myr_status myr_simulation_set(myr_simulation *simulation, const char *parameter, double value)
{
    const myr_status status = simulation_not_started(simulation, "a parameter of the integrator");
    if (status)
        return status;
    const int k = simulation_parameter(simulation, parameter);
    if (k < 0)
        return myr_context_fail(simulation->context, MYR_ERROR_NAME, "integrator %s has no parameter '%s'",
                                simulation->table->info.name, parameter ? parameter : "(null)");
    const myr_parameter_info *p = &simulation->table->info.param[k];
    if (!(value >= p->lower && value <= p->upper))
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE, "%s = %g is out of range; %s must be %g to %g",
                                p->name, value, p->text, p->lower, p->upper);
    simulation->motion.parameter[k] = value;
    return MYR_OK;
}

double myr_simulation_get(const myr_simulation *simulation, const char *parameter)
{
    const int k = simulation ? simulation_parameter(simulation, parameter) : -1;
    return k < 0 ? NAN : simulation->motion.parameter[k];
}

myr_status myr_simulation_add_external(myr_simulation *simulation, myr_external *external)
{
    const myr_status status = simulation_not_started(simulation, "the external fields");
    if (status)
        return status;
    if (!external)
        return myr_context_fail(simulation->context, MYR_ERROR_ARGUMENT, "no external field given");
    if (simulation->externals == MYR_SIMULATION_EXTERNALS)
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE, "at most %d external fields",
                                MYR_SIMULATION_EXTERNALS);
    simulation->external[simulation->externals++] = external;
    return MYR_OK;
}

int myr_simulation_externals(const myr_simulation *simulation)
{
    return simulation ? simulation->externals : 0;
}

const myr_external *myr_simulation_external(const myr_simulation *simulation, int k)
{
    return simulation && k >= 0 && k < simulation->externals ? simulation->external[k] : NULL;
}

double myr_simulation_time(const myr_simulation *simulation)
{
    return simulation ? simulation->motion.shown : NAN;
}

myr_status myr_simulation_set_time(myr_simulation *simulation, double time)
{
    const myr_status status = simulation_not_started(simulation, "the starting time");
    if (status)
        return status;
    if (!isfinite(time))
        return myr_context_fail(simulation->context, MYR_ERROR_NONFINITE, "a simulation cannot start at time %g%s",
                                myr_context_time(simulation->context, time),
                                myr_context_time_name(simulation->context));
    simulation->motion.time = simulation->motion.shown = time;
    simulation->motion.unit = 0;
    return MYR_OK;
}

int64_t myr_simulation_steps(const myr_simulation *simulation)
{
    return simulation ? simulation->motion.steps : 0;
}

myr_interaction *myr_simulation_interaction(const myr_simulation *simulation)
{
    return simulation ? simulation->interaction : NULL;
}

/* Refuses a start at which forces skipped coincident particles; `status` is that of the start, which may have failed
 * for this reason. */
static myr_status simulation_check_places(const myr_simulation *s, myr_status status)
{
    return s->stage && myr_stage_skipped(s->stage) ? myr_coincident_fail(s->interaction, s->particles) : status;
}

/* Warns where gravity has little or nothing to act on: no particle, a single particle, or masses of 0. */
static void simulation_warn_idle(myr_simulation *s)
{
    const int64_t n = myr_particles_count(s->particles);
    const double *mass = myr_particles_component_const(s->particles, "mass", 0);
    int64_t zero = 0, first = 0;
    if (!s->interaction || strncmp(myr_interaction_desc(s->interaction)->name, "gravity", 7) != 0)
        return;
    for (int64_t i = n - 1; mass && i >= 0; i--)
        if (mass[i] == 0) {
            zero++;
            first = i;
        }
    if (n == 0)
        myr_context_warn(s->context, "there are no particles: nothing moves");
    else if (n == 1 && s->externals == 0)
        myr_context_warn(s->context, "there is one particle and no external field: nothing acts on it");
    else if (n > 1 && zero == n)
        myr_context_warn(s->context, "all %lld particles have mass 0: none attracts another", (long long)n);
    else if (n > 1 && zero)
        myr_context_warn(s->context,
                         "%lld of %lld particles %s mass 0, so that %s attracted and %s no other; the first is "
                         "particle %lld",
                         (long long)zero, (long long)n, zero == 1 ? "has" : "have", zero == 1 ? "it is" : "they are",
                         zero == 1 ? "attracts" : "attract", (long long)myr_particles_ids(s->particles)[first]);
}

/* Refuses velocities of bodies that are not finite by the body: an evaluation would name another one. */
static myr_status simulation_check_velocities(const myr_simulation *s)
{
    if (!isnan(myr_simulation_viscosity(s)))
        return MYR_OK; /* velocities of vortex elements are outputs */
    for (int c = 0; c < 3; c++) {
        const double *v = myr_particles_component_const(s->particles, "velocity", c);
        for (int64_t i = 0; v && i < myr_particles_count(s->particles); i++)
            if (!isfinite(v[i]))
                return myr_context_fail(s->context, MYR_ERROR_NONFINITE, "velocity of particle %lld (id %lld) is %g",
                                        (long long)i, (long long)myr_particles_ids(s->particles)[i], v[i]);
    }
    return MYR_OK;
}

/* Begins the motion: allocates everything needed by steps, and starts the integrator. */
static myr_status simulation_start(myr_simulation *s)
{
    const myr_motion *kind = myr_motion_of(s);
    myr_status status = myr_motion_check(s);
    simulation_warn_idle(s);
    if (!status)
        status = simulation_check_velocities(s);
    if (!status)
        status = kind->open(s);
    if (!status)
        status = simulation_check_places(s, kind->start(s));
    if (status)
        myr_simulation_release(s);
    else
        s->motion.started = 1;
    return status;
}

static myr_status simulation_join(myr_simulation *s)
{
    const myr_motion *kind = myr_motion_of(s);
    return kind->join ? kind->join(s) : MYR_OK;
}

myr_status myr_simulation_step(myr_simulation *simulation, double end)
{
    return myr_simulation_advance(simulation, end, end, 1);
}

static myr_status simulation_advance(myr_simulation *s, double end, double until, int64_t most)
{
    myr_integration *m = &s->motion;
    const double begin = myr_timer_now();
    myr_status status = myr_initial_shares_prepare(s);
    if (!status)
        status = m->started ? simulation_join(s) : simulation_start(s);
    if (status || end == m->shown || most < 1)
        return status;
    if (s->table->synchronise && end < m->shown)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "integrator %s cannot go back from time %g%s to %g%s",
                                s->table->info.name, myr_context_time(s->context, m->shown),
                                myr_context_time_name(s->context), myr_context_time(s->context, end),
                                myr_context_time_name(s->context));
    if (s->ranks.domains)
        myr_particles_destroy(&s->synchronous); /* holds particles of all ranks: the next reader gathers them again */
    m->until = until;
    status = myr_motion_of(s)->advance(s, end, until, most);
    s->step_seconds += myr_timer_now() - begin;
    return status;
}

myr_status myr_simulation_advance(myr_simulation *simulation, double end, double until, int64_t most)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (!isfinite(end))
        return myr_context_fail(s->context, MYR_ERROR_NONFINITE, "a step cannot end at time %g%s",
                                myr_context_time(s->context, end), myr_context_time_name(s->context));
    int64_t batch = most;
    if ((s->ranks.domains || myr_replicas_are(s)) && !myr_commands_follows(s) && s->ranks.batch < most)
        batch = s->ranks.batch > 0 ? s->ranks.batch : 1;
    const myr_command order = {.kind = MYR_COMMAND_ADVANCE, .end = end, .until = until, .most = batch};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = simulation_advance(s, end, until, batch);
    return myr_commands_end(s, status);
}

static myr_status simulation_copy_field(const myr_particles *from, const char *name, myr_particles *to)
{
    int components = 0;
    while (myr_particles_component_const(from, name, components))
        components++;
    const myr_status status = myr_particles_add_field(to, name, components);
    const size_t bytes = (size_t)myr_particles_count(from) * sizeof(double);
    for (int c = 0; !status && c < components; c++)
        memcpy(myr_particles_component(to, name, c), myr_particles_component_const(from, name, c), bytes);
    return status;
}

/* Returns 1 for fields that only the integrator uses. */
static int simulation_private(const myr_simulation *s, const char *field)
{
    for (const char *const *name = s->table->state; name && *name; name++)
        if (strncmp(field, *name, strlen(*name)) == 0)
            return 1;
    return 0;
}

int64_t myr_simulation_count(const myr_simulation *simulation)
{
    const myr_simulation *s = simulation;
    if (!s)
        return 0;
    return s->ranks.part.given || s->ranks.part.known ? s->ranks.part.rows.all : myr_particles_count(s->particles);
}

myr_status myr_simulation_particles(myr_simulation *simulation, const myr_particles **particles)
{
    myr_simulation *s = simulation;
    if (!s || !particles)
        return MYR_ERROR_ARGUMENT;
    const myr_status begun = myr_commands_whole(s);
    if (begun || myr_commands_particles(s))
        return begun ? begun : myr_gather_rows_particles(s, particles);
    const myr_motion *kind = myr_motion_of(s);
    if (s->synchronous && kind->is_complete && kind->is_complete(s)) {
        *particles = s->synchronous;
        return MYR_OK;
    }
    const myr_command order = {.kind = MYR_COMMAND_PARTICLES};
    myr_status status = myr_commands_begin(s, &order);
    if (!status && kind->fetch)
        status = kind->fetch(s);
    status = myr_commands_end(s, status);
    if (!status && !s->synchronous)
        status = myr_particles_create(s->context, myr_particles_count(s->particles), &s->synchronous);
    if (!status)
        status = myr_particles_set_ids(s->synchronous, myr_particles_ids(s->particles));
    if (!status)
        status = myr_particles_set_types(s->synchronous, myr_particles_types(s->particles));
    if (!status)
        status = myr_particles_copy_names(s->particles, NULL, s->synchronous);
    for (int k = 0; !status && k < myr_particles_fields(s->particles); k++)
        if (!simulation_private(s, myr_particles_field_name(s->particles, k)))
            status = simulation_copy_field(s->particles, myr_particles_field_name(s->particles, k), s->synchronous);
    if (status)
        return status;
    if (s->motion.started && s->table->synchronise) {
        double *x[3], *v[3];
        for (int c = 0; c < 3; c++) {
            x[c] = myr_particles_component(s->synchronous, "position", c);
            v[c] = myr_particles_component(s->synchronous, "velocity", c);
        }
        s->table->synchronise(&s->motion, x, v);
    }
    *particles = s->synchronous;
    return kind->complete ? kind->complete(s, s->synchronous) : MYR_OK;
}

myr_status myr_simulation_progress(const myr_simulation *simulation, myr_progress *progress)
{
    const myr_simulation *s = simulation;
    if (!s || !progress)
        return MYR_ERROR_ARGUMENT;
    const myr_integration *m = &s->motion;
    const myr_motion *kind = myr_motion_of(s);
    if (s->table->step_of && kind->fetch) { /* a reader sees the same state before and after a fetch */
        const myr_status status = kind->fetch((myr_simulation *)simulation);
        if (status)
            return status;
    }
    memset(progress, 0, sizeof *progress);
    progress->time = m->shown;
    progress->steps = m->steps;
    progress->particle_steps = m->particle_steps;
    progress->pairs = s->pairs;
    progress->active = m->active;
    progress->force_seconds = s->force_seconds;
    progress->step_seconds = s->step_seconds;
    progress->smallest_step = progress->largest_step = m->parameter[0];
    for (int64_t i = 0; m->started && s->table->step_of && i < m->n; i++) {
        const double dt = s->table->step_of(m, i);
        if (i == 0 || dt < progress->smallest_step)
            progress->smallest_step = dt;
        if (i == 0 || dt > progress->largest_step)
            progress->largest_step = dt;
        const int bin = -ilogb(dt);
        progress->bin[bin < 0 ? 0 : bin < MYR_STEP_BINS ? bin : MYR_STEP_BINS - 1]++;
    }
    return MYR_OK;
}

myr_status myr_simulation_attach(myr_simulation *simulation, const char *name, const void *bytes, size_t size)
{
    if (!simulation)
        return MYR_ERROR_ARGUMENT;
    if (!name || !*name || strlen(name) >= sizeof simulation->attached->name || (size && !bytes))
        return myr_context_fail(simulation->context, MYR_ERROR_ARGUMENT,
                                "an attachment needs bytes and a name of 1 to %zu characters",
                                sizeof simulation->attached->name - 1);
    myr_attachment *a = calloc(1, sizeof *a + size);
    if (!a)
        return myr_context_fail(simulation->context, MYR_ERROR_MEMORY, "no memory for attachment '%s'", name);
    strcpy(a->name, name);
    a->size = size;
    if (size)
        memcpy(a->bytes, bytes, size);
    myr_attachment **at = &simulation->attached;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    a->next = *at ? (*at)->next : NULL;
    free(*at);
    *at = a;
    return MYR_OK;
}

const void *myr_simulation_attached(const myr_simulation *simulation, const char *name, size_t *size)
{
    for (const myr_attachment *a = simulation ? simulation->attached : NULL; a && name; a = a->next)
        if (strcmp(a->name, name) == 0) {
            if (size)
                *size = a->size;
            return a->bytes;
        }
    return NULL;
}
