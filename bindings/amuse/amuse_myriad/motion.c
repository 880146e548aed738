/* motion.c - one simulation of Myriad, made again from the bodies whenever AMUSE has changed them. */
#include "motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

#include "stops.h"

static struct {
    myr_context *context;
    myr_simulation *simulation; /* null = to be made from the bodies */
    double time;
} motion;

amuse_parameters amuse_parameters_default(void)
{
    return (amuse_parameters){.eta = 0.02,
                              .time_step = 1.0 / 128,
                              .tolerance = 1e-5,
                              .integrator = "hermite4",
                              .method = "direct",
                              .accumulator = "fixed",
                              .arithmetic = "mixed",
                              .backend = "auto"};
}

double amuse_motion_time(void)
{
    return motion.simulation ? myr_simulation_time(motion.simulation) : motion.time;
}

void amuse_motion_reset(double time)
{
    myr_simulation_destroy(&motion.simulation);
    motion.time = time;
}

/* 0, or -1 with the library's sentence on the standard error of the worker. */
static int motion_result(myr_status status)
{
    if (!status)
        return 0;
    const char *message = motion.context ? myr_context_message(motion.context) : "";
    fprintf(stderr, "myriad_worker: %s\n", *message ? message : myr_status_text(status));
    return -1;
}

static myr_status motion_context(void)
{
    return motion.context ? MYR_OK : myr_context_create(&motion.context);
}

/* --- parts of a simulation ---------------------------------------------------------------------------------------- */

/* An interaction with the choices of the user, and a softening. */
static myr_status motion_interaction(const amuse_parameters *p, const char *kernel, double eps2, myr_interaction **made)
{
    const struct {
        const char *key, *value;
    } choices[] = {
        {"method", p->method}, {"arithmetic", p->arithmetic}, {"accumulator", p->accumulator}, {"backend", p->backend}};
    myr_status status = myr_interaction_create(motion.context, kernel, made);
    for (size_t k = 0; k < sizeof choices / sizeof *choices && !status; k++)
        status = myr_interaction_choose(*made, choices[k].key, choices[k].value);
    if (!status)
        status = myr_interaction_set(*made, "eps", sqrt(eps2));
    if (!status && strcmp(p->method, "direct") != 0)
        status = myr_interaction_set(*made, "tolerance", p->tolerance);
    if (status)
        myr_interaction_destroy(made);
    return status;
}

/* A set of particles with the ids of the bodies. */
static myr_status motion_particles(const amuse_bodies *bodies, myr_particles **made)
{
    const int n = bodies->count;
    int64_t *ids = malloc((size_t)n * sizeof *ids + 1);
    myr_status status = ids ? myr_particles_create(motion.context, n, made) : MYR_ERROR_MEMORY;
    if (!status)
        status = myr_particles_add_field(*made, "position", 3);
    if (!status)
        status = myr_particles_add_field(*made, "velocity", 3);
    if (!status)
        status = myr_particles_add_field(*made, "mass", 1);
    for (int i = 0; i < n && !status; i++) {
        const amuse_body *b = &bodies->body[i];
        ids[i] = b->index;
        myr_particles_component(*made, "mass", 0)[i] = b->mass;
        for (int c = 0; c < 3; c++) {
            myr_particles_component(*made, "position", c)[i] = b->x[c];
            myr_particles_component(*made, "velocity", c)[i] = b->v[c];
        }
    }
    if (!status && n)
        status = myr_particles_set_ids(*made, ids);
    free(ids);
    if (status)
        myr_particles_destroy(made);
    return status;
}

/* Chooses the integrator, and sets those of its parameters that the user has. */
static myr_status motion_integrator(const amuse_parameters *p)
{
    myr_simulation *s = motion.simulation;
    const struct {
        const char *name;
        double value;
    } settings[] = {{"eta", p->eta}, {"dt", p->time_step}};
    myr_status status = myr_simulation_choose(s, p->integrator);
    for (size_t k = 0; k < sizeof settings / sizeof *settings && !status; k++)
        if (!isnan(myr_simulation_get(s, settings[k].name)))
            status = myr_simulation_set(s, settings[k].name, settings[k].value);
    return status ? status : myr_simulation_set_time(s, motion.time);
}

static myr_status motion_make(const amuse_parameters *p, const amuse_bodies *bodies)
{
    const myr_integrator_info *integrator = myr_integrator_find(p->integrator);
    const char *kernel = integrator && integrator->needs_jerk ? "gravity_jerk" : "gravity_potential";
    myr_particles *particles = NULL;
    myr_interaction *interaction = NULL;
    myr_status status = motion_context();
    if (!status)
        status = motion_particles(bodies, &particles);
    if (!status)
        status = motion_interaction(p, kernel, p->eps2, &interaction);
    if (!status)
        status = myr_simulation_create(motion.context, particles, interaction, &motion.simulation);
    if (status) {
        myr_particles_destroy(&particles);
        myr_interaction_destroy(&interaction);
        return status;
    }
    status = motion_integrator(p);
    if (status)
        myr_simulation_destroy(&motion.simulation);
    return status;
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

int amuse_motion_commit(const amuse_parameters *p, amuse_bodies *bodies)
{
    if (motion.simulation || !bodies->count)
        return 0;
    return motion_result(motion_make(p, bodies));
}

/* Copies the state of the simulation to the bodies. */
static myr_status motion_read(amuse_bodies *bodies)
{
    const myr_particles *particles;
    const myr_status status = myr_simulation_particles(motion.simulation, &particles);
    if (status)
        return status;
    const int64_t *ids = myr_particles_ids(particles), n = myr_particles_count(particles);
    for (int64_t i = 0; i < n; i++) {
        amuse_body *b = amuse_bodies_find(bodies, (int)ids[i]);
        for (int c = 0; c < 3; c++) {
            b->x[c] = myr_particles_component_const(particles, "position", c)[i];
            b->v[c] = myr_particles_component_const(particles, "velocity", c)[i];
        }
    }
    bodies->fields_known = 0;
    return MYR_OK;
}

int amuse_motion_evolve(const amuse_parameters *p, amuse_bodies *bodies, double end)
{
    if (!(end >= amuse_motion_time())) {
        fprintf(stderr, "myriad_worker: the time is %g already; it does not go back to %g\n", amuse_motion_time(), end);
        return -1;
    }
    if (!bodies->count) {
        motion.time = end;
        return 0;
    }
    if (amuse_motion_commit(p, bodies))
        return -1;
    myr_status status = MYR_OK;
    int met = 0;
    amuse_stops_begin();
    while (!status && !met && myr_simulation_time(motion.simulation) < end) {
        status = myr_simulation_step(motion.simulation, end);
        if (!status && amuse_stops_enabled() && !(status = motion_read(bodies)))
            met = amuse_stops_met(bodies);
    }
    const myr_status read = motion_read(bodies); /* also of a step that failed: the state before it */
    return motion_result(status ? status : read);
}

int amuse_motion_energies(const amuse_parameters *p, amuse_bodies *bodies, amuse_energies *energies)
{
    myr_conserved found = {0};
    if (amuse_motion_commit(p, bodies))
        return -1;
    const myr_status status = motion.simulation ? myr_simulation_conserved(motion.simulation, &found) : MYR_OK;
    *energies = (amuse_energies){found.kinetic, found.potential};
    return motion_result(status);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Evaluates the field of the bodies at a set of targets, which may be the bodies themselves. */
static myr_status motion_evaluate(const amuse_parameters *p, double eps2, myr_particles *targets,
                                  const myr_particles *sources)
{
    myr_interaction *f = NULL;
    myr_status status = motion_interaction(p, "gravity_potential", eps2, &f);
    if (!status)
        status = myr_interaction_evaluate(f, targets, sources);
    if (status) /* the interaction writes the message into the context, which outlives it */
        motion_result(status);
    myr_interaction_destroy(&f);
    return status;
}

int amuse_motion_fields(const amuse_parameters *p, amuse_bodies *bodies)
{
    myr_particles *particles = NULL;
    if (bodies->fields_known || !bodies->count)
        return 0;
    if (motion_result(motion_context()) || motion_result(motion_particles(bodies, &particles)))
        return -1;
    const myr_status status = motion_evaluate(p, p->eps2, particles, particles);
    for (int i = 0; i < bodies->count && !status; i++) {
        for (int c = 0; c < 3; c++)
            bodies->body[i].acceleration[c] = myr_particles_component(particles, "acceleration", c)[i];
        bodies->body[i].potential = myr_particles_component(particles, "potential", 0)[i];
    }
    myr_particles_destroy(&particles);
    bodies->fields_known = !status;
    return status ? -1 : 0;
}

/* Evaluates the points whose eps is that of point `first`, and marks them. */
static myr_status motion_at_one(const amuse_parameters *p, const myr_particles *sources, const amuse_points *points,
                                int first, char *done)
{
    int *pick = malloc((size_t)points->n * sizeof *pick), n = 0;
    myr_particles *targets = NULL;
    if (!pick)
        return MYR_ERROR_MEMORY;
    for (int i = first; i < points->n; i++)
        if (points->eps[i] == points->eps[first] || i == first) {
            pick[n++] = i;
            done[i] = 1;
        }
    myr_status status = myr_particles_create(motion.context, n, &targets);
    if (!status)
        status = myr_particles_add_field(targets, "position", 3);
    const double *const from[3] = {points->x, points->y, points->z};
    for (int c = 0; c < 3 && !status; c++)
        for (int k = 0; k < n; k++)
            myr_particles_component(targets, "position", c)[k] = from[c][pick[k]];
    if (!status)
        status = motion_evaluate(p, points->eps[first] * points->eps[first], targets, sources);
    for (int k = 0; k < n && !status; k++) {
        for (int c = 0; c < 3 && points->acceleration[c]; c++)
            points->acceleration[c][pick[k]] = myr_particles_component(targets, "acceleration", c)[k];
        if (points->potential)
            points->potential[pick[k]] = myr_particles_component(targets, "potential", 0)[k];
    }
    myr_particles_destroy(&targets);
    free(pick);
    return status;
}

/* Points without bodies are without a field. */
static void motion_at_none(const amuse_points *points)
{
    for (int i = 0; i < points->n; i++) {
        for (int c = 0; c < 3 && points->acceleration[c]; c++)
            points->acceleration[c][i] = 0;
        if (points->potential)
            points->potential[i] = 0;
    }
}

int amuse_motion_at(const amuse_parameters *p, const amuse_bodies *bodies, const amuse_points *points)
{
    myr_particles *sources = NULL;
    if (!bodies->count || !points->n) {
        motion_at_none(points);
        return 0;
    }
    char *done = calloc((size_t)points->n, 1);
    if (!done || motion_result(motion_context()) || motion_result(motion_particles(bodies, &sources))) {
        free(done);
        return -1;
    }
    myr_status status = MYR_OK;
    for (int i = 0; i < points->n && !status; i++)
        if (!done[i])
            status = motion_at_one(p, sources, points, i, done);
    myr_particles_destroy(&sources);
    free(done);
    return status ? -1 : 0;
}
