/* save.c - a simulation to and from a checkpoint. The container (io/checkpoint.h) guards every byte with a hash; here
 * is what the sections hold:
 *
 *   simulation     choices, parameters, time and counters (text, one "key value" per line; doubles as hexadecimal)
 *   ids, types     of the particles
 *   field K        name and components of field K, then its values [component][particle]
 *   particles K    instead of these, particles that are in a box or the atoms of a molecule (simulation/store.h)
 *   pair NAME      table of the interaction, [types][types]
 *   excluded       offsets and partners
 *   molecular ...  the box, and what is remembered besides the particles in it
 *   attached NAME  the user's blocks
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>

#include "domain/ranks.h"
#include "io/checkpoint.h"
#include "simulation/atoms.h"
#include "molecular/molecular.h"
#include "simulation/device.h"
#include "simulation/store.h"
#include "simulation/shared.h"
#include "simulation/simulation.h"

/* --- text that grows ------------------------------------------------------------------------------------------------
 */

typedef struct {
    char *at;
    size_t size, room;
    int failed;
} save_text;

__attribute__((format(printf, 2, 3))) static void text_add(save_text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line || t->failed) {
        t->failed = 1;
        return;
    }
    if (t->size + (size_t)length + 1 > t->room) {
        t->room = 2 * t->room + (size_t)length + 1024;
        char *more = realloc(t->at, t->room);
        if (!more) {
            t->failed = 1;
            return;
        }
        t->at = more;
    }
    memcpy(t->at + t->size, line, (size_t)length + 1);
    t->size += (size_t)length;
}

static void save_interaction_text(const myr_interaction *f, save_text *t)
{
    static const char *const keys[] = {"kernel", "accumulator", "arithmetic", "method"};
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        text_add(t, "choose %s %s\n", keys[k], myr_interaction_choice(f, keys[k]));
    text_add(t, "choose backend %s\n", myr_catalogue_backend_name(f->backend));
    if (f->isa >= 0)
        text_add(t, "choose isa %s\n", myr_catalogue_isa_name(f->isa));
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++)
        text_add(t, "parameter %s %a\n", d->parameter[k].name, f->parameter[k]);
    const myr_method_state *m = &f->method_state;
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++)
        text_add(t, "method_parameter %s %a %a\n", myr_method_parameter_info(k)->name, m->asked[k], m->used[k]);
    text_add(t, "method_box %a %a %a %a %a %a\n", m->box[0], m->box[1], m->box[2], m->origin[0], m->origin[1],
             m->origin[2]);
    text_add(t, "method_chosen %d %d %a\n", m->known, m->in_double, m->relax);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        if (f->grid[k].known)
            text_add(t, "grid %d %d %d\n", k, f->grid[k].exponent, f->grid[k].by_user);
    text_add(t, "tune %" PRId64 " %" PRId64 " %d\n", f->splits, f->bag, f->careful);
    text_add(t, "types %d\nexcluded %" PRId64 " %d\n", f->types, f->offset ? f->excluded_targets : (int64_t)-1,
             (int)f->exclusion_mode);
}

static void save_external_text(const myr_external *e, save_text *t)
{
    const myr_choice_info *kind;
    const myr_parameter_info *p;
    text_add(t, "external %s\n", myr_external_name(e));
    for (int k = 0; (kind = myr_external_kind(k)); k++)
        for (int n = 0; strcmp(kind->name, myr_external_name(e)) == 0 && (p = myr_external_parameter(k, n)); n++)
            text_add(t, "external_parameter %s %a\n", p->name, myr_external_get(e, p->name));
}

static void save_text_section(const myr_simulation *s, save_text *t)
{
    const myr_integration *m = &s->motion;
    text_add(t, "particles %" PRId64 "\n", s->molecular ? s->molecular->all : myr_particles_count(s->particles));
    text_add(t, "interaction %d\n", s->interaction != NULL);
    if (s->interaction)
        save_interaction_text(s->interaction, t);
    for (int k = 0; k < s->externals; k++)
        save_external_text(s->external[k], t);
    if (s->is_spectral || s->viscosity > 0 || s->strain > 0)
        text_add(t, "fluid %s %a %a\n", s->is_spectral ? "spectral" : "elements", s->viscosity, s->strain);
    if (s->is_exact)
        text_add(t, "viscous exact\n");
    if (myr_simulation_kind(s) == MYR_MOTION_OF_ELEMENTS)
        text_add(t, "elements %s %a %a %a %a %a %a\n", myr_diffusion(s->exchanges)->name, s->relaxation, s->turning,
                 s->floor, s->stream[0], s->stream[1], s->stream[2]);
    const myr_collocation *c = &s->collocation;
    if (c->tolerance > 0)
        text_add(t, "solved %a %" PRId64 " %" PRId64 " %a\n", c->tolerance, c->solved.evaluations, c->solved.iterations,
                 c->solved.seconds);
    text_add(t, "integrator %s\n", s->table->info.name);
    for (int k = 0; k < MYR_INTEGRATOR_PARAMETERS && s->table->info.param[k].name; k++)
        text_add(t, "integrator_parameter %s %a\n", s->table->info.param[k].name, m->parameter[k]);
    for (size_t k = 0; k < sizeof m->number / sizeof *m->number; k++)
        text_add(t, "number %zu %a\n", k, m->number[k]);
    text_add(t, "time %a\nstarted %d\n", m->time, m->started);
    text_add(t, "counters %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", m->steps, m->particle_steps, m->active,
             s->pairs);
    text_add(t, "seconds %a %a\n", s->force_seconds, s->step_seconds);
}

/* --- saving ---------------------------------------------------------------------------------------------------------
 */

static myr_status save_named(myr_checkpoint_writer *w, const char *kind, const char *name, const void *bytes,
                             size_t size)
{
    char section[96];
    snprintf(section, sizeof section, "%s %s", kind, name);
    return myr_checkpoint_add(w, section, bytes, size);
}

/* The beginning of a field's section. */
typedef struct {
    char name[64];
    int64_t components;
} save_field_head;

static myr_status save_field(const myr_simulation *s, myr_checkpoint_writer *w, int k)
{
    save_field_head head = {.components = myr_particles_field_components(s->particles, k)};
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
    if (status || !f->offset)
        return status;
    const size_t n = (size_t)f->excluded_targets;
    status = myr_checkpoint_add(w, "excluded offsets", f->offset, (n + 1) * sizeof *f->offset);
    return status ? status
                  : myr_checkpoint_add(w, "excluded partners", f->partner, (size_t)f->offset[n] * sizeof *f->partner);
}

/* A kernel that was made from source goes with the run: its file may change or vanish. */
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

static myr_status save_sections(myr_simulation *s, myr_checkpoint_writer *w)
{
    save_text t = {0};
    save_text_section(s, &t);
    myr_status status = t.failed ? myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for a checkpoint")
                                 : myr_checkpoint_add(w, "simulation", t.at, t.size + 1);
    free(t.at);
    if (!status && !s->molecular)
        status = save_particles(s, w);
    if (!status && s->interaction)
        status = save_tables(s->interaction, w);
    if (!status && s->interaction)
        status = save_kernel(s, w);
    if (!status)
        status = myr_atoms_save(s, w);
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
    if (s->molecular)
        status = myr_store_save(s, w);
    if (!status)
        status = save_sections(s, w);
    if (status) {
        myr_checkpoint_abandon(&w);
        return status;
    }
    return myr_checkpoint_commit_keeping(&w);
}

myr_status myr_simulation_save(myr_simulation *simulation, const char *path)
{
    if (!simulation)
        return MYR_ERROR_ARGUMENT;
    if (!path || !*path)
        return myr_context_fail(simulation->context, MYR_ERROR_ARGUMENT, "a checkpoint needs a path");
    const myr_order order = {.kind = MYR_ORDER_SAVE};
    myr_status status = myr_shared_begin(simulation, &order);
    if (!status && simulation->shared_open && !simulation->motion.started)
        status = myr_simulation_step(simulation, simulation->motion.time);
    if (!status && !simulation->molecular)
        status = myr_device_fetch(simulation);
    if (!status && simulation->domains && myr_shared_follows(simulation))
        status = myr_store_save(simulation, NULL);
    else if (!status)
        status = save_file(simulation, path);
    if (!status && simulation->molecular)
        status = myr_molecular_saved(simulation->molecular);
    return myr_shared_end(simulation, status);
}

/* --- loading --------------------------------------------------------------------------------------------------------
 */

/* What loading builds up, and where in the text it is. */
typedef struct {
    myr_context *context;
    const myr_checkpoint *file;
    myr_particles *particles;
    myr_interaction *interaction;
    myr_simulation *s;
    myr_external *external; /* the one whose parameters follow */
    int64_t n;
    int is_part; /* only some of the particles are here */
    int wants_interaction;
    int types;
    int64_t excluded;
    int mode;
} load_state;

static myr_status load_bad(load_state *l, const char *what)
{
    return myr_context_fail(l->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", what);
}

static myr_status load_field(load_state *l, const char *section)
{
    size_t size;
    save_field_head head;
    const char *bytes = myr_checkpoint_section(l->file, section, &size);
    const size_t column = (size_t)l->n * sizeof(double);
    if (size < sizeof head)
        return load_bad(l, section);
    memcpy(&head, bytes, sizeof head);
    if (head.components < 1 || head.components > 16 || !memchr(head.name, '\0', sizeof head.name) ||
        size != sizeof head + (size_t)head.components * column)
        return load_bad(l, section);
    const myr_status status = myr_particles_add_field(l->particles, head.name, (int)head.components);
    for (int c = 0; !status && l->n && c < (int)head.components; c++)
        memcpy(myr_particles_component(l->particles, head.name, c), bytes + sizeof head + (size_t)c * column, column);
    return status;
}

static myr_status load_particles(load_state *l)
{
    size_t ids, types;
    const char *name;
    const void *id = myr_checkpoint_section(l->file, "ids", &ids);
    const void *type = myr_checkpoint_section(l->file, "types", &types);
    if (!id || (size_t)l->n != ids / sizeof(int64_t) || ids % sizeof(int64_t))
        return load_bad(l, "ids do not fit the number of particles");
    if (!type || types != (size_t)l->n * sizeof(int32_t))
        return load_bad(l, "types do not fit the number of particles");
    myr_status status = myr_particles_create(l->context, l->n, &l->particles);
    if (!status)
        status = myr_particles_set_ids(l->particles, id);
    if (!status)
        status = myr_particles_set_types(l->particles, type);
    for (int k = 0; !status && (name = myr_checkpoint_section_name(l->file, k)); k++)
        if (strncmp(name, "field ", 6) == 0)
            status = load_field(l, name);
    return status;
}

static myr_status load_begin(load_state *l, const char *value)
{
    char *end;
    int64_t first, last;
    l->n = strtoll(value, &end, 10);
    if (*end || l->n < 0)
        return load_bad(l, "the number of particles");
    if (myr_checkpoint_parts(l->file, &first, &last) == 0)
        return load_particles(l);
    return l->is_part ? myr_store_load_fields(l->context, l->file, &l->particles)
                      : myr_store_load_set(l->context, l->file, l->n, &l->particles);
}

/* From here on the simulation owns what was built. */
static myr_status load_simulation(load_state *l)
{
    const myr_status status = myr_simulation_create(l->context, l->particles, l->interaction, &l->s);
    if (!status) {
        l->particles = NULL;
        l->interaction = NULL;
    }
    return status;
}

static myr_status load_tables(load_state *l)
{
    myr_interaction *f = l->interaction;
    size_t size, partners = 0;
    const char *name;
    myr_status status = MYR_OK;
    for (int k = 0; !status && (name = myr_checkpoint_section_name(l->file, k)); k++)
        if (strncmp(name, "pair ", 5) == 0) {
            const double *values = myr_checkpoint_section(l->file, name, &size);
            if (l->types < 1 || size != (size_t)l->types * (size_t)l->types * sizeof(double))
                return load_bad(l, name);
            status = myr_interaction_set_pair(f, name + 5, l->types, values);
        }
    if (status || l->excluded < 0)
        return status;
    const int64_t *offset = myr_checkpoint_section(l->file, "excluded offsets", &size);
    const int64_t *partner = myr_checkpoint_section(l->file, "excluded partners", &partners);
    if (!offset || !partner || size != ((size_t)l->excluded + 1) * sizeof *offset ||
        offset[l->excluded] != (int64_t)(partners / sizeof *partner))
        return load_bad(l, "excluded pairs");
    return myr_interaction_set_exclusions(f, l->excluded, offset, partner, (myr_exclusion_mode)l->mode);
}

/* A section that is one text, or null. */
static const char *load_string(const load_state *l, const char *section)
{
    size_t size;
    const char *text = myr_checkpoint_section(l->file, section, &size);
    return text && size && text[size - 1] == '\0' ? text : NULL;
}

static myr_status load_kernel(load_state *l, const char *name)
{
    const char *text = load_string(l, "kernel text"), *file = load_string(l, "kernel file");
    const myr_status status = text && file ? myr_kernel_from_source(l->context, file, text, NULL) : MYR_OK;
    return status ? status : myr_interaction_create(l->context, name, &l->interaction);
}

/* Lines about its method; 1 where the key is not one of them. */
static int load_method_line(load_state *l, const char *key, const char *name, const char *value, myr_status *status)
{
    myr_method_state *m = &l->interaction->method_state;
    char *end;
    if (strcmp(key, "method_parameter") == 0) {
        const int k = myr_method_parameter(name);
        if (k < 0) {
            *status = load_bad(l, key);
            return 0;
        }
        m->asked[k] = strtod(value, &end);
        m->used[k] = strtod(end, NULL);
    } else if (strcmp(key, "method_box") == 0) {
        double number[6] = {strtod(name, NULL), strtod(value, &end)};
        for (int k = 2; k < 6; k++)
            number[k] = strtod(end, &end);
        *status = myr_interaction_set_box(l->interaction, number, number + 3);
    } else if (strcmp(key, "method_chosen") == 0) {
        m->known = atoi(name) != 0;
        m->in_double = strtol(value, &end, 10) != 0;
        m->relax = strtod(end, NULL);
    } else
        return 1;
    return 0;
}

/* Lines about the interaction; 1 where the key is not one of them. */
static int load_interaction_line(load_state *l, const char *key, char *name, char *value, myr_status *status)
{
    if (strcmp(key, "choose") == 0 && strcmp(name, "kernel") == 0) {
        *status = load_kernel(l, value);
        return 0;
    }
    if (!l->interaction)
        return 1;
    myr_interaction *f = l->interaction;
    long a, b;
    if (strcmp(key, "choose") == 0)
        *status = myr_interaction_choose(f, name, value);
    else if (strcmp(key, "parameter") == 0)
        *status = myr_interaction_set(f, name, strtod(value, NULL));
    else if (strcmp(key, "grid") == 0 && sscanf(value, "%ld %ld", &a, &b) == 2) {
        const int k = atoi(name);
        if (k < 0 || k >= MYR_KERNEL_OUTPUT_FIELDS)
            *status = load_bad(l, "grid");
        else
            f->grid[k] = (myr_grid){(int)a, 1, b != 0};
    } else if (strcmp(key, "tune") == 0 && sscanf(value, "%ld %ld", &a, &b) == 2) {
        f->splits = strtoll(name, NULL, 10);
        f->bag = a;
        f->careful = b != 0;
    } else if (strcmp(key, "types") == 0)
        l->types = atoi(name);
    else if (strcmp(key, "excluded") == 0) {
        l->excluded = strtoll(name, NULL, 10);
        l->mode = atoi(value) != 0;
        *status = load_tables(l);
    } else
        return load_method_line(l, key, name, value, status);
    return 0;
}

static myr_status load_integrator_line(load_state *l, const char *key, char *name, char *value)
{
    myr_integration *m = &l->s->motion;
    if (strcmp(key, "integrator_parameter") == 0)
        return myr_simulation_set(l->s, name, strtod(value, NULL));
    if (strcmp(key, "number") == 0) {
        const int k = atoi(name);
        if (k < 0 || k >= (int)(sizeof m->number / sizeof *m->number))
            return load_bad(l, "number");
        m->number[k] = strtod(value, NULL);
    } else if (strcmp(key, "time") == 0)
        m->time = strtod(name, NULL);
    else if (strcmp(key, "started") == 0)
        m->started = atoi(name) != 0;
    else if (strcmp(key, "counters") == 0) {
        m->steps = strtoll(name, NULL, 10);
        if (sscanf(value, "%" SCNd64 " %" SCNd64 " %" SCNd64, &m->particle_steps, &m->active, &l->s->pairs) != 3)
            return load_bad(l, "counters");
    } else if (strcmp(key, "seconds") == 0) {
        l->s->force_seconds = strtod(name, NULL);
        l->s->step_seconds = strtod(value, NULL);
    } else
        return load_bad(l, key);
    return MYR_OK;
}

static myr_status load_fluid(load_state *l, const char *name, const char *value)
{
    char *end;
    const double viscosity = strtod(value, &end);
    if (strcmp(name, "spectral") == 0)
        return myr_simulation_set_spectral(l->s, viscosity);
    const myr_status status = myr_simulation_set_viscosity(l->s, viscosity);
    return status ? status : myr_simulation_limit_strain(l->s, strtod(end, NULL));
}

static myr_status load_elements(load_state *l, const char *scheme, const char *value)
{
    char *end;
    const double relaxation = strtod(value, &end), turning = strtod(end, &end), floor = strtod(end, &end);
    double stream[3];
    for (int c = 0; c < 3; c++)
        stream[c] = strtod(end, &end);
    myr_status status = myr_simulation_choose_diffusion(l->s, scheme);
    if (!status)
        status = myr_simulation_set_relaxation(l->s, relaxation);
    if (!status)
        status = myr_simulation_limit_turning(l->s, turning);
    if (!status && floor > 0)
        status = myr_simulation_set_floor(l->s, floor);
    return status ? status : myr_simulation_set_stream(l->s, stream);
}

static myr_status load_solved(load_state *l, const char *name, const char *value)
{
    myr_solved *solved = &l->s->collocation.solved;
    if (sscanf(value, "%" SCNd64 " %" SCNd64 " %la", &solved->evaluations, &solved->iterations, &solved->seconds) != 3)
        return load_bad(l, "solved");
    return myr_simulation_solve_strengths(l->s, strtod(name, NULL));
}

static myr_status load_line(load_state *l, const char *key, char *name, char *value)
{
    myr_status status = MYR_OK;
    if (strcmp(key, "particles") == 0)
        return l->particles || l->s ? load_bad(l, "two sets of particles") : load_begin(l, name);
    if (!l->particles && !l->s)
        return load_bad(l, "no particles");
    if (strcmp(key, "interaction") == 0) {
        l->wants_interaction = atoi(name);
        return MYR_OK;
    }
    if (!l->s && l->wants_interaction && !load_interaction_line(l, key, name, value, &status))
        return status;
    if (!l->s)
        status = load_simulation(l);
    if (status)
        return status;
    if (strcmp(key, "external") == 0) {
        status = myr_external_create(l->context, name, &l->external);
        return status ? status : myr_simulation_add_external(l->s, l->external);
    }
    if (strcmp(key, "external_parameter") == 0)
        return l->external ? myr_external_set(l->external, name, strtod(value, NULL)) : load_bad(l, key);
    if (strcmp(key, "fluid") == 0)
        return load_fluid(l, name, value);
    if (strcmp(key, "solved") == 0)
        return load_solved(l, name, value);
    if (strcmp(key, "viscous") == 0)
        return myr_simulation_choose_viscous(l->s, name);
    if (strcmp(key, "elements") == 0)
        return load_elements(l, name, value);
    if (strcmp(key, "integrator") == 0)
        return myr_simulation_choose(l->s, name);
    return load_integrator_line(l, key, name, value);
}

static myr_status load_text(load_state *l, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *at = NULL, none[1] = "";
        char *key = strtok_r(line, " ", &at), *name = strtok_r(NULL, " ", &at), *value = at;
        if (!key)
            continue;
        const myr_status status = load_line(l, key, name ? name : none, value ? value : none);
        if (status)
            return status;
    }
    return l->s ? MYR_OK : load_bad(l, "no integrator");
}

static myr_status load_attached(load_state *l)
{
    const char *name;
    myr_status status = MYR_OK;
    for (int k = 0; !status && (name = myr_checkpoint_section_name(l->file, k)); k++)
        if (strncmp(name, "attached ", 9) == 0) {
            size_t size;
            const void *bytes = myr_checkpoint_section(l->file, name, &size);
            status = myr_simulation_attach(l->s, name + 9, bytes, size);
        }
    return status;
}

static myr_status load_all(load_state *l)
{
    size_t size;
    const char *text = myr_checkpoint_section(l->file, "simulation", &size);
    if (!text || size == 0 || text[size - 1] != '\0')
        return load_bad(l, "there is no section 'simulation'");
    char *copy = malloc(size);
    if (!copy)
        return myr_context_fail(l->context, MYR_ERROR_MEMORY, "no memory to read a checkpoint");
    memcpy(copy, text, size);
    myr_status status = load_text(l, copy);
    free(copy);
    if (!status)
        status = load_attached(l);
    if (!status) {
        l->s->part = (myr_simulation_part){.known = l->is_part, .all = l->n};
        status = myr_atoms_load(l->s, l->file);
    }
    if (!status && l->s->motion.started && !l->s->molecular)
        status = myr_simulation_prepare(l->s);
    return status;
}

static void load_give_up(load_state *l)
{
    myr_simulation_destroy(&l->s);
    myr_particles_destroy(&l->particles);
    myr_interaction_destroy(&l->interaction);
}

myr_status myr_simulation_load(myr_context *context, const char *path, myr_simulation **simulation)
{
    if (!context || !simulation)
        return MYR_ERROR_ARGUMENT;
    *simulation = NULL;
    myr_checkpoint *file;
    int64_t first, last;
    myr_status status = myr_checkpoint_open_latest(context, path, &file, NULL);
    if (status)
        return status;
    load_state l = {.context = context, .file = file, .excluded = -1};
    l.is_part = myr_ranks_count(context) > 1 && myr_checkpoint_parts(file, &first, &last) > 0;
    status = myr_ranks_settle(context, load_all(&l));
    myr_checkpoint_close(&file);
    if (status)
        load_give_up(&l);
    *simulation = l.s;
    return status;
}

/* --- looking --------------------------------------------------------------------------------------------------------
 */

/* The particles of one part, or, where there are no parts, all of them. */
static myr_status look_at(load_state *l, myr_look_fn look, void *user)
{
    const myr_particles *all;
    myr_particles *some = NULL;
    myr_status status = load_all(l);
    if (!status && l->is_part)
        status = myr_store_set(l->s, &some);
    else if (!status)
        status = myr_simulation_particles(l->s, &all);
    if (!status)
        status = look(user, l->s, some ? some : all);
    myr_particles_destroy(&some);
    load_give_up(l);
    return status;
}

myr_status myr_simulation_look(myr_context *context, const char *path, myr_look_fn look, void *user)
{
    if (!context || !look)
        return MYR_ERROR_ARGUMENT;
    myr_checkpoint *file;
    int64_t first, last;
    myr_status status = myr_checkpoint_open_latest(context, path, &file, NULL);
    if (status)
        return status;
    const int is_part = myr_checkpoint_parts(file, &first, &last) > 0 && !myr_atoms_are_bound(file);
    for (int64_t k = first; !status && k < (is_part ? last : first + 1); k++) {
        load_state l = {.context = context, .file = file, .excluded = -1, .is_part = is_part};
        if (is_part)
            myr_checkpoint_look_at(file, k);
        status = look_at(&l, look, user);
    }
    myr_checkpoint_close(&file);
    return status;
}
