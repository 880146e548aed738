/* box_prepare.c - preparation of the particles of a box before the first step: heating, and minimisation of the energy.
 * On several ranks both are commands. Heating does not move particles between ranks; a minimisation divides the box,
 * and returns an equal share of the rows to every rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"
#include "simulation/molecule_motion.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/ranks/initial_shares.h"
#include "simulation/ranks/commands.h"

/* Names of fields that preserve values while the engine has the particles during a minimisation. */
static const char velocity_before[] = "velocity before", position_before[] = "position before";

static myr_status prepare_largest(void *user, double *value, int count)
{
    return myr_ranks_max(user, value, count);
}

static myr_status prepare_add(void *user, myr_wide *sum, int count)
{
    return myr_ranks_sum_wide(user, sum, count);
}

/* Copies fields from the engine; the list ends with null. */
static myr_status prepare_keep(myr_simulation *s, const char *const *names)
{
    const size_t bytes = (size_t)s->box->engine->n * sizeof(double);
    myr_particles *moved;
    myr_status status = myr_particles_create(s->context, s->box->engine->n, &moved);
    if (status)
        return status;
    status = myr_molecular_fetch(s->box->engine, moved);
    for (; !status && *names; names++) {
        if (!myr_particles_component(moved, *names, 0))
            continue;
        status = myr_particles_add_field(s->particles, *names, 3);
        for (int c = 0; !status && c < 3 && bytes; c++)
            memcpy(myr_particles_component(s->particles, *names, c), myr_particles_component(moved, *names, c), bytes);
    }
    myr_particles_destroy(&moved);
    return status;
}

/* --- velocities --------------------------------------------------------------------------------------------------- */

/* Creates an engine for changing velocities: it agrees with the engines of other ranks, and divides nothing. */
static myr_status prepare_open(myr_simulation *s)
{
    const myr_agreement agreement = {.user = s->context, .largest = prepare_largest, .add = prepare_add};
    myr_status status = s->molecule->topology ? MYR_OK : myr_initial_shares_prepare(s);
    if (!status)
        status = myr_box_motion_open(s);
    if (!status && s->ranks.part.known && !s->ranks.part.same) /* every rank has a full copy: no reduction needed */
        myr_molecular_agree(s->box->engine, &agreement);
    return status;
}

static myr_status prepare_close(myr_simulation *s, myr_status status)
{
    static const char *const velocity[] = {"velocity", NULL};
    if (!status)
        status = prepare_keep(s, velocity);
    myr_box_motion_close(s);
    return status;
}

myr_status myr_simulation_heat(myr_simulation *simulation, double temperature, uint64_t seed)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started || !myr_box_motion_wanted(s) || !(temperature >= 0) || !isfinite(temperature))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "particles in a box are heated before the first step, to a temperature that is not "
                                "negative; %g was given",
                                temperature);
    const myr_command order = {.kind = MYR_COMMAND_HEAT, .value = temperature, .seed = seed};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = prepare_open(s);
    if (!status)
        status = myr_molecular_heat(s->box->engine, temperature, seed);
    return myr_commands_end(s, prepare_close(s, status));
}

myr_status myr_simulation_rest(myr_simulation *simulation)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started || !myr_box_motion_wanted(s))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "particles in a box are brought to rest before the first step");
    const myr_command order = {.kind = MYR_COMMAND_REST};
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = prepare_open(s);
    if (!status)
        status = myr_molecular_remove_momentum(s->box->engine);
    return myr_commands_end(s, prepare_close(s, status));
}

/* --- minimisation ------------------------------------------------------------------------------------------------- */

static myr_status prepare_copy(const myr_particles *from, const char *name, const char *as, myr_particles *to)
{
    const size_t bytes = (size_t)myr_particles_count(from) * sizeof(double);
    const myr_status status = myr_particles_add_field(to, as, 3);
    for (int c = 0; !status && c < 3 && bytes; c++)
        memcpy(myr_particles_component(to, as, c), myr_particles_component_const(from, name, c), bytes);
    return status;
}

/* Returns 1 if restraints hold particles at their positions before a minimisation. */
static int prepare_has_anchors(const myr_simulation *s)
{
    return s->box->options.restraint > 0;
}

static myr_status prepare_note_anchors(myr_simulation *s)
{
    if (s->box->anchors || !prepare_has_anchors(s))
        return MYR_OK;
    const myr_status status = myr_particles_create(s->context, s->box->engine->n, &s->box->anchors);
    return status ? status : prepare_copy(s->particles, "position", "position", s->box->anchors);
}

static myr_status prepare_minimise_alone(myr_simulation *s, double tolerance, int64_t steps, myr_minimum *minimum)
{
    static const char *const positions[] = {"position", "image", NULL}; /* velocities set by the user are kept */
    myr_status status = myr_box_motion_open(s);
    if (!status)
        status = prepare_note_anchors(s);
    if (!status)
        status = myr_molecular_minimise(s->box->engine, tolerance, steps, minimum);
    return status ? status : prepare_keep(s, positions);
}

/* Copies one field of own particles, in row order, to a field of another name. */
static myr_status prepare_take(myr_simulation *s, const char *field, int components, const int64_t *place,
                               const char *as, myr_particles *to)
{
    double *values = malloc((size_t)s->box->engine->n * (size_t)components * sizeof *values + 1);
    if (!values)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld particles",
                                (long long)s->box->engine->n);
    myr_molecular_column(s->box->engine, field, place, components, values);
    const myr_status status = myr_particles_set(to, as, components, values);
    free(values);
    return status;
}

static myr_status prepare_take_names(myr_simulation *s, const int64_t *place, myr_particles *to)
{
    const myr_molecular *m = s->box->engine;
    int64_t *id = malloc((size_t)m->n * sizeof *id + 1);
    int32_t *type = malloc((size_t)m->n * sizeof *type + 1);
    myr_status status = MYR_OK;
    for (int64_t i = 0; id && type && i < m->n; i++) {
        id[place[i]] = m->id[i];
        type[place[i]] = m->type[i];
    }
    if (!id || !type)
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)m->n);
    if (!status)
        status = myr_particles_set_ids(to, id);
    if (!status)
        status = myr_particles_set_types(to, type);
    free(id);
    free(type);
    return status;
}

/* Particles of the engine as a set with the former fields and velocities. */
static myr_status prepare_take_all(myr_simulation *s, const myr_particles *had, const int64_t *place, myr_particles *to)
{
    myr_status status = prepare_take_names(s, place, to);
    for (int k = 0; k < myr_particles_fields(had) && !status; k++) {
        const char *name = myr_particles_field_name(had, k);
        const char *from = strcmp(name, "velocity") == 0 ? velocity_before : name;
        status = prepare_take(s, from, myr_particles_field_components(had, k), place, name, to);
    }
    if (!status && myr_particles_component_const(s->particles, "image", 0))
        status = prepare_take(s, "image", 3, place, "image", to);
    return status;
}

static myr_status prepare_take_anchors(myr_simulation *s, const int64_t *place, myr_particles **anchors)
{
    if (!prepare_has_anchors(s))
        return MYR_OK;
    const myr_status status = myr_particles_create(s->context, s->box->engine->n, anchors);
    return status ? status : prepare_take(s, position_before, 3, place, "position", *anchors);
}

/* Returns the engine's particles to the ranks that own their rows, as sets. */
static myr_status prepare_give_back(myr_simulation *s, const myr_particles *had)
{
    myr_molecular *m = s->box->engine;
    myr_particles *set = NULL, *anchors = NULL;
    const int64_t first = myr_ranks_first(s->context, m->all, myr_ranks_me(s->context));
    myr_status status = myr_box_domains_home(s);
    int64_t *place = status ? NULL : calloc((size_t)m->n + 1, sizeof *place);
    if (!status && !place)
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)m->n);
    for (int64_t i = 0; i < m->n && !status; i++)
        place[i] = m->index[i] - first;
    if (!status)
        status = myr_particles_create(s->context, m->n, &set);
    if (!status)
        status = prepare_take_all(s, had, place, set);
    if (!status)
        status = prepare_take_anchors(s, place, &anchors);
    free(place);
    if (!status) {
        s->box->anchors = anchors;
        return myr_initial_shares_take(s, set, first);
    }
    myr_particles_destroy(&set);
    myr_particles_destroy(&anchors);
    return status;
}

static myr_status prepare_minimise_together(myr_simulation *s, double tolerance, int64_t steps, myr_minimum *minimum)
{
    myr_particles *had = NULL;
    const myr_particles *held = s->box->anchors ? s->box->anchors : s->particles;
    myr_status status = myr_particles_create(s->context, 0, &had);
    for (int k = 0; k < myr_particles_fields(s->particles) && !status; k++)
        status = myr_particles_add_field(had, myr_particles_field_name(s->particles, k),
                                         myr_particles_field_components(s->particles, k));
    if (!status && myr_particles_component_const(s->particles, "velocity", 2))
        status = prepare_copy(s->particles, "velocity", velocity_before, s->particles);
    if (!status && prepare_has_anchors(s) && myr_particles_component_const(s->particles, "position", 2))
        status = prepare_copy(held, "position", position_before, s->particles);
    if (!status)
        status = myr_box_motion_open(s);
    if (!status)
        status = myr_box_domains_open(s);
    if (!status)
        status = myr_molecular_minimise(s->box->engine, tolerance, steps, minimum);
    if (!status)
        status = prepare_give_back(s, had);
    myr_particles_destroy(&had);
    return status;
}

myr_status myr_simulation_minimise(myr_simulation *simulation, double tolerance, int64_t steps, myr_minimum *minimum)
{
    myr_simulation *s = simulation;
    if (!s || !minimum)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "energy is minimised before the first step");
    if (!(tolerance > 0) || steps < 1)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "a minimisation needs a tolerance and a number of steps; %g and %lld were given",
                                tolerance, (long long)steps);
    if (!myr_box_motion_wanted(s))
        return myr_box_motion_begin(s);
    const int together = myr_ranks_count(s->context) > 1 && !s->molecule->topology;
    const myr_command order = {.kind = MYR_COMMAND_MINIMISE, .value = tolerance, .most = steps};
    myr_status status = myr_commands_begin(s, &order);
    if (!status && together)
        status = myr_initial_shares_prepare(s);
    if (!status)
        status = together ? prepare_minimise_together(s, tolerance, steps, minimum)
                          : prepare_minimise_alone(s, tolerance, steps, minimum);
    myr_box_motion_close(s);
    return myr_commands_end(s, status);
}
