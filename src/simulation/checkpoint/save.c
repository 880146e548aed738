/* save.c - writes a simulation to a checkpoint (load.c reads it). The container (io/checkpoint.h) protects every byte
 * with a hash; the sections are
 *
 *   simulation     choices, parameters, time and counters (text, one "key value" per line; doubles as hexadecimal)
 *   ids, types     ids and types of the particles
 *   names          a line "ROW NAME" for each particle with a name, if there are any
 *   field K        name and components of field K, then its values [component][particle]
 *   particles K    instead of these, particles of a box or atoms of a molecule (checkpoint/particle_parts.h)
 *   pair NAME      table of the interaction, [types][types]
 *   excluded       offsets and partners of the exclusions
 *   molecular ...  the box, and state of the engine other than the particles
 *   attached NAME  the user's blocks */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checkpoint.h"
#include "model/external.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"
#include "simulation/checkpoint/particle_parts.h"
#include "simulation/checkpoint/particle_parts_layout.h"
#include "simulation/motions.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/replicas.h"
#include "simulation/ranks/row_names.h"

static void save_interaction_text(const myr_interaction *f, myr_lines *t)
{
    static const char *const keys[] = {"kernel", "accumulator", "arithmetic", "method"};
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        myr_lines_add(t, "choose %s %s\n", keys[k], myr_interaction_choice(f, keys[k]));
    myr_lines_add(t, "choose backend %s\n", myr_catalogue_backend_name(f->backend));
    if (f->isa >= 0)
        myr_lines_add(t, "choose isa %s\n", myr_catalogue_isa_name(f->isa));
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++)
        myr_lines_add(t, "parameter %s %a\n", d->parameter[k].name, f->parameter[k]);
    const myr_method_state *m = &f->method_state;
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++)
        myr_lines_add(t, "method_parameter %s %a %a\n", myr_method_parameter_info(k)->name, m->requested[k],
                      m->used[k]);
    myr_lines_add(t, "method_box %a %a %a %a %a %a\n", m->box[0], m->box[1], m->box[2], m->origin[0], m->origin[1],
                  m->origin[2]);
    myr_lines_add(t, "method_chosen %d %d %a\n", m->known, m->in_double, m->relax);
    myr_lines_add(t, "method_unjudged %" PRId64 "\n", m->unjudged);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        if (f->grid[k].known)
            myr_lines_add(t, "grid %d %d %d\n", k, f->grid[k].exponent, f->grid[k].by_user);
    myr_lines_add(t, "grid_age %" PRId64 "\n", f->grid_age);
    myr_lines_add(t, "tune %" PRId64 " %" PRId64 " %d\n", f->splits, f->bag, f->careful);
    myr_lines_add(t, "types %d\nexcluded %" PRId64 " %d\n", f->types, f->offset ? f->excluded_targets : (int64_t)-1,
                  (int)f->exclusion_mode);
}

/* Instruction set of the forces: that of the neighbour list, if there is one. */
static const char *save_isa(const myr_simulation *s)
{
    if (s->box->engine && s->box->engine->list)
        return myr_neighbour_isa(s->box->engine->list);
    const char *isa = myr_interaction_choice(s->interaction, "isa");
    return isa ? isa : "unknown";
}

static void save_external_text(const myr_external *e, myr_lines *t)
{
    const myr_parameter_info *p;
    myr_lines_add(t, "external %s\n", myr_external_name(e));
    for (int n = 0; (p = myr_external_own_parameter(e, n)); n++)
        myr_lines_add(t, "external_parameter %s %a\n", p->name, myr_external_get(e, p->name));
}

static void save_text_section(const myr_simulation *s, myr_lines *t)
{
    const myr_integration *m = &s->motion;
    myr_lines_add(t, "particles %" PRId64 "\n", myr_simulation_count(s));
    myr_lines_add(t, "interaction %d\n", s->interaction != NULL);
    if (s->interaction) {
        save_interaction_text(s->interaction, t);
        myr_lines_add(t, "isa_used %s\n", save_isa(s));
    }
    for (int k = 0; k < s->externals; k++)
        save_external_text(s->external[k], t);
    for (int k = 0; myr_motion_at(k); k++)
        if (myr_motion_at(k)->save_text)
            myr_motion_at(k)->save_text(s, t);
    myr_lines_add(t, "integrator %s\n", s->table->info.name);
    for (int k = 0; k < MYR_INTEGRATOR_PARAMETERS && s->table->info.param[k].name; k++)
        myr_lines_add(t, "integrator_parameter %s %a\n", s->table->info.param[k].name, m->parameter[k]);
    for (size_t k = 0; k < sizeof m->number / sizeof *m->number; k++)
        myr_lines_add(t, "number %zu %a\n", k, m->number[k]);
    myr_lines_add(t, "time %a %a %a %a\nstarted %d\n", m->time, m->shown, m->origin, m->unit, m->started);
    myr_lines_add(t, "counters %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", m->steps, m->particle_steps,
                  m->active, s->pairs);
    myr_lines_add(t, "seconds %a %a\n", s->force_seconds, s->step_seconds);
}

/* --- saving ------------------------------------------------------------------------------------------------------- */

static myr_status save_named(myr_checkpoint_writer *w, const char *kind, const char *name, const void *bytes,
                             size_t size)
{
    char section[96];
    snprintf(section, sizeof section, "%s %s", kind, name);
    return myr_checkpoint_add(w, section, bytes, size);
}

static myr_status save_field(const myr_simulation *s, myr_checkpoint_writer *w, int k)
{
    myr_particle_parts_field_head head = {.components = myr_particles_field_components(s->particles, k)};
    const size_t n = (size_t)myr_particles_count(s->particles), column = n * sizeof(double);
    char number[16];
    snprintf(head.name, sizeof head.name, "%s", myr_particles_field_name(s->particles, k));
    snprintf(number, sizeof number, "%d", k);
    const size_t size = sizeof head + (size_t)head.components * column;
    char *copy = malloc(size);
    if (!copy)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory to save field '%s'", head.name);
    memcpy(copy, &head, sizeof head);
    for (int c = 0; n && c < (int)head.components; c++)
        memcpy(copy + sizeof head + (size_t)c * column, myr_particles_component(s->particles, head.name, c), column);
    const myr_status status = save_named(w, "field", number, copy, size);
    free(copy);
    return status;
}

static myr_status save_tables(const myr_interaction *f, myr_checkpoint_writer *w)
{
    const myr_kernel_desc *d = myr_interaction_desc(f);
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < MYR_KERNEL_PAIR_MAX && d->pair[k]; k++)
        if (f->pair[k])
            status =
                save_named(w, "pair", d->pair[k], f->pair[k], (size_t)f->types * (size_t)f->types * sizeof(double));
    for (int k = 0; !status && k < MYR_PAIR_LENGTHS; k++)
        if (f->length[k])
            status = save_named(w, "pair", myr_interaction_pair_length(k), f->length[k],
                                (size_t)f->types * (size_t)f->types * sizeof(double));
    if (status || !f->offset)
        return status;
    const size_t n = (size_t)f->excluded_targets;
    status = myr_checkpoint_add(w, "excluded offsets", f->offset, (n + 1) * sizeof *f->offset);
    return status ? status
                  : myr_checkpoint_add(w, "excluded partners", f->partner, (size_t)f->offset[n] * sizeof *f->partner);
}

/* Saves the source of a kernel made from source, because its file may change or vanish. */
static myr_status save_kernel(const myr_simulation *s, myr_checkpoint_writer *w)
{
    const char *file, *text = myr_kernel_source(s->context, myr_interaction_desc(s->interaction)->name, &file);
    if (!text)
        return MYR_OK;
    const myr_status status = myr_checkpoint_add(w, "kernel text", text, strlen(text) + 1);
    return status ? status : myr_checkpoint_add(w, "kernel file", file, strlen(file) + 1);
}

static myr_status save_particles(myr_simulation *s, myr_checkpoint_writer *w)
{
    const size_t n = (size_t)myr_particles_count(s->particles);
    myr_status status = myr_checkpoint_add(w, "ids", myr_particles_ids(s->particles), n * sizeof(int64_t));
    if (!status)
        status = myr_checkpoint_add(w, "types", myr_particles_types(s->particles), n * sizeof(int32_t));
    for (int k = 0; !status && k < myr_particles_fields(s->particles); k++)
        status = save_field(s, w, k);
    return status;
}

/* Saves the names of particles; those of particles that are shared out are kept by rank 0. */
static myr_status save_names(const myr_simulation *s, myr_checkpoint_writer *w)
{
    size_t size = s->ranks.names ? strlen(s->ranks.names) : 0;
    char *own = s->ranks.domains ? NULL : myr_row_names_text(s->particles, 0, &size);
    if (!s->ranks.domains && !own)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the names of particles");
    const myr_status status = size ? myr_checkpoint_add(w, "names", own ? own : s->ranks.names, size + 1) : MYR_OK;
    free(own);
    return status;
}

/* Returns 1 if particle_parts.h saves the particles. */
static int save_in_parts(const myr_simulation *s)
{
    const myr_motion *kind = myr_motion_of(s);
    return kind->in_parts && kind->in_parts(s);
}

static myr_status save_sections(myr_simulation *s, myr_checkpoint_writer *w)
{
    myr_lines t = {0};
    save_text_section(s, &t);
    myr_status status = t.failed ? myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint")
                                 : myr_checkpoint_add(w, "simulation", t.at, t.size + 1);
    free(t.at);
    if (!status && !save_in_parts(s))
        status = save_particles(s, w);
    if (!status)
        status = save_names(s, w);
    if (!status && s->interaction)
        status = save_tables(s->interaction, w);
    if (!status && s->interaction)
        status = save_kernel(s, w);
    for (int k = 0; !status && myr_motion_at(k); k++)
        if (myr_motion_at(k)->save)
            status = myr_motion_at(k)->save(s, w);
    for (const myr_attachment *a = s->attached; !status && a; a = a->next)
        status = save_named(w, "attached", a->name, a->bytes, a->size);
    return status;
}

static myr_status save_file(myr_simulation *s, const char *path)
{
    myr_checkpoint_writer *w;
    myr_status status = myr_checkpoint_create(s->context, path, &w);
    if (status)
        return status;
    if (save_in_parts(s))
        status = myr_particle_parts_save(s, w);
    if (!status)
        status = save_sections(s, w);
    if (status) {
        myr_checkpoint_abandon(&w);
        return status;
    }
    return myr_checkpoint_commit(&w, 1);
}

myr_status myr_simulation_save(myr_simulation *simulation, const char *path)
{
    if (!simulation)
        return MYR_ERROR_ARGUMENT;
    if (!path || !*path)
        return myr_context_fail(simulation->context, MYR_ERROR_ARGUMENT, "a checkpoint needs a path");
    const myr_command order = {.kind = MYR_COMMAND_SAVE};
    myr_status status = myr_commands_begin(simulation, &order);
    if (!status && simulation->ranks.open && !simulation->motion.started)
        status = myr_simulation_step(simulation, simulation->motion.shown);
    const int in_parts = save_in_parts(simulation);
    const myr_motion *kind = myr_motion_of(simulation);
    if (!status && !in_parts && kind->fetch)
        status = kind->fetch(simulation);
    if (!status && simulation->ranks.domains && myr_commands_follows(simulation))
        status = myr_particle_parts_save(simulation, NULL);
    else if (!status && !(myr_replicas_are(simulation) && myr_commands_follows(simulation)))
        status = save_file(simulation, path);
    if (!status && in_parts)
        status = myr_molecular_saved(simulation->box->engine);
    return myr_commands_end(simulation, status);
}
