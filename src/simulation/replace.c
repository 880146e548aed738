/* replace.c - other particles in a simulation between two steps: some added, some removed, fields changed. The motion
 * starts again from the new set, because an integrator's history is not valid for other particles. A set that cannot
 * move leaves the simulation as it was. */
#include <math.h>
#include <string.h>

#include "domain/ranks.h"
#include "simulation/box_motion.h"
#include "simulation/mesh_motion.h"
#include "simulation/molecule_motion.h"
#include "simulation/replace.h"
#include "simulation/steps.h"

/* Everything that a restart changes, so that a failed one can be undone. */
typedef struct {
    myr_particles *particles;
    myr_integration motion;
    myr_steps_grids grids;
    struct myr_box_state box;
    struct myr_molecule *bound;
} replaced;

/* Takes the present motion out of the simulation. Particles in a box keep their engine; other kinds are resumed from
 * the fields of the particle set, as after a checkpoint. */
static myr_status replace_take(myr_simulation *s, replaced *old)
{
    const myr_motion *kind = myr_motion_of(s);
    const myr_status status = s->motion.started && kind->fetch ? kind->fetch(s) : MYR_OK;
    if (status)
        return status;
    *old = (replaced){.particles = s->particles, .motion = s->motion, .box = *s->box, .bound = s->molecule->bound};
    myr_steps_copy_grids(s, 0, &old->grids);
    s->box->engine = NULL;
    s->molecule->bound = NULL;
    if (s->motion.started)
        myr_simulation_release(s);
    myr_particles_destroy(&s->synchronous);
    s->particles = NULL;
    return MYR_OK;
}

/* Gives the new engine of a box the thermostat and barostat of the old one; the box is the present one. */
static void replace_keep_bath(const myr_simulation *s, const replaced *old)
{
    if (!s->box->engine || !old->box.engine)
        return;
    const myr_molecular_memory *from = &old->box.engine->memory;
    myr_molecular_memory *to = &s->box->engine->memory;
    to->begin = from->begin;
    to->chain = from->chain;
    to->volume_step = from->volume_step;
    to->volume_trials = from->volume_trials;
    to->volume_moves = from->volume_moves;
    to->recent_trials = from->recent_trials;
    to->recent_moves = from->recent_moves;
}

static void replace_free_old(replaced *old)
{
    myr_molecular_destroy(&old->box.engine);
    myr_molecule_destroy(&old->bound);
    myr_particles_destroy(&old->particles);
}

/* Undoes a restart that failed. */
static void replace_restore(myr_simulation *s, replaced *old)
{
    myr_simulation_release(s);
    s->particles = old->particles;
    s->motion = old->motion;
    *s->box = old->box;
    s->molecule->bound = old->bound;
    myr_steps_copy_grids(s, 1, &old->grids);
    char message[MYR_MESSAGE_MAX]; /* of the failure, which a warning on the way back must not replace */
    memcpy(message, s->context->message, sizeof message);
    if (s->motion.started && !s->box->engine)
        s->motion.started = myr_motion_of(s)->resume(s, NULL) == MYR_OK;
    memcpy(s->context->message, message, sizeof message);
}

/* Moves a new set, which the simulation owns on success. */
static myr_status replace_all(myr_simulation *s, myr_particles *p)
{
    replaced old;
    myr_status status = replace_take(s, &old);
    if (status)
        return status;
    s->particles = p;
    if (!s->motion.started) {
        replace_free_old(&old);
        return MYR_OK;
    }
    s->motion.started = 0;
    memset(s->motion.number, 0, sizeof s->motion.number);
    s->motion.time = s->motion.shown; /* the new set is at that time */
    if (old.box.engine)
        for (int c = 0; c < 3; c++) {
            s->box->options.box[c] = old.box.options.box[c] > 0 ? old.box.engine->box.length[c] : 0;
            s->box->options.origin[c] = old.box.engine->box.origin[c];
        }
    status = myr_simulation_step(s, s->motion.shown);
    if (status) {
        replace_restore(s, &old);
        return status;
    }
    replace_keep_bath(s, &old);
    replace_free_old(&old);
    return MYR_OK;
}

myr_status myr_replace_particles(myr_simulation *s, myr_particles *p)
{
    const myr_status status = replace_all(s, p);
    if (status)
        myr_particles_destroy(&p);
    return status;
}

/* Refuses a field with the wrong number of components, or a value that is not finite. */
static myr_status replace_check_field(const myr_simulation *s, const myr_particles *p, const char *name, int components)
{
    if (!myr_particles_component_const(p, name, components - 1) || myr_particles_component_const(p, name, components))
        return myr_context_fail(s->context, MYR_ERROR_FIELD,
                                "the new particles need the field '%s' with %d component%s", name, components,
                                myr_plural(components));
    for (int c = 0; c < components; c++) {
        const double *value = myr_particles_component_const(p, name, c);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            if (!isfinite(value[i]))
                return myr_context_fail(s->context, MYR_ERROR_NONFINITE, "%s of new particle %lld (id %lld) is %g",
                                        name, (long long)i, (long long)myr_particles_ids(p)[i], value[i]);
    }
    return MYR_OK;
}

/* Refuses another number of particles where something refers to them by their number. */
static myr_status replace_check_count(const myr_simulation *s, const myr_particles *p)
{
    const char *numbered = s->interaction && s->interaction->offset ? "excluded pairs"
                           : s->molecule->topology                  ? "the topology of a molecule"
                           : s->mesh->is_chosen                     ? "the points of a mesh"
                           : s->box->options.restraint > 0          ? "restraints"
                                                                    : NULL;
    if (!numbered || myr_particles_count(p) == myr_particles_count(s->particles))
        return MYR_OK;
    return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                            "%lld particles cannot become %lld: %s refer to them by their number", //
                            (long long)myr_particles_count(s->particles), (long long)myr_particles_count(p), numbered);
}

myr_status myr_simulation_replace(myr_simulation *simulation, myr_particles *particles)
{
    static const struct {
        const char *name;
        int components;
    } moved[] = {{"position", 3}, {"velocity", 3}, {"mass", 1}};
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (!particles || particles == s->particles)
        return myr_context_fail(s->context, MYR_ERROR_ARGUMENT, "particles can be replaced by another set only");
    if (myr_ranks_count(s->context) > 1)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "particles can be added, removed and changed on a single rank only");
    myr_status status = replace_check_count(s, particles);
    for (size_t k = 0; !status && k < sizeof moved / sizeof *moved; k++)
        if (k == 0 || myr_particles_component_const(s->particles, moved[k].name, 0))
            status = replace_check_field(s, particles, moved[k].name, moved[k].components);
    return status ? status : replace_all(s, particles);
}
