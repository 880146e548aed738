/* load.c - reads a simulation from a checkpoint; save.c describes the sections. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "io/checkpoint.h"
#include "simulation/checkpoint/particle_parts.h"
#include "simulation/checkpoint/particle_parts_layout.h"
#include "simulation/molecule_motion.h"
#include "simulation/motions.h"
#include "simulation/ranks/row_names.h"

/* State of loading: the objects made so far, and the position in the text. */
typedef struct {
    myr_context *context;
    const myr_checkpoint *file;
    myr_particles *particles;
    myr_interaction *interaction;
    myr_simulation *s;
    myr_external *external; /* external field whose parameters follow */
    int64_t n;
    const char *isa; /* instruction set or backend to continue with; null = that of the checkpoint */
    int is_part;     /* 1 = this rank has only some of the particles */
    int wants_interaction;
    int types;
    int64_t excluded;
    int mode;
    int has_age; /* 1 = the checkpoint knows the age of the grids */
} load_state;

static myr_status load_bad(load_state *l, const char *what)
{
    return myr_context_fail(l->context, MYR_ERROR_FORMAT, "the checkpoint does not make sense: %s", what);
}

static myr_status load_field(load_state *l, const char *section)
{
    size_t size;
    myr_particle_parts_field_head head;
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

/* Reads the names of particles, if there are any. */
static myr_status load_names(load_state *l)
{
    size_t size;
    int fits = 0;
    const char *text = myr_checkpoint_section(l->file, "names", &size);
    if (!text)
        return MYR_OK;
    const myr_status status = size && text[size - 1] == '\0' ? myr_row_names_apply(text, l->particles, &fits) : MYR_OK;
    return status || fits ? status : load_bad(l, "names");
}

/* Names of particles that ranks share out: kept as they are. */
static myr_status load_shared_names(load_state *l)
{
    size_t size;
    const char *text = myr_checkpoint_section(l->file, "names", &size);
    if (!text)
        return MYR_OK;
    if (!size || text[size - 1] != '\0')
        return load_bad(l, "names");
    l->s->ranks.names = strdup(text);
    return l->s->ranks.names ? MYR_OK : myr_context_fail(l->context, MYR_ERROR_MEMORY, "no memory for names");
}

static myr_status load_begin(load_state *l, const char *value)
{
    char *end;
    int64_t first, last;
    l->n = strtoll(value, &end, 10);
    if (*end || l->n < 0)
        return load_bad(l, "the number of particles");
    if (l->is_part)
        return myr_particle_parts_load_fields(l->context, l->file, &l->particles);
    const myr_status status = myr_checkpoint_parts(l->file, &first, &last) == 0
                                  ? load_particles(l)
                                  : myr_particle_parts_load_set(l->context, l->file, l->n, &l->particles);
    return status ? status : load_names(l);
}

/* Creates the simulation, which owns the objects from here on. */
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

/* Section that is one text, or null. */
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
    if (status)
        return status;
    const myr_status created = myr_interaction_create(l->context, name, &l->interaction);
    /* the run that wrote the checkpoint has passed the check of masses */
    return created ? created : myr_interaction_allow_negative_masses(l->interaction, 1);
}

/* Reads a line about the method; returns 1 if the key is not one of them. */
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
        m->requested[k] = strtod(value, &end);
        m->used[k] = strtod(end, NULL);
    } else if (strcmp(key, "method_box") == 0) {
        double number[6] = {strtod(name, NULL), strtod(value, &end)};
        for (int k = 2; k < 6; k++)
            number[k] = strtod(end, &end);
        *status = myr_interaction_set_box(l->interaction, number, number + 3);
    } else if (strcmp(key, "method_chosen") == 0) {
        m->known = m->resumed = atoi(name) != 0;
        m->in_double = strtol(value, &end, 10) != 0;
        m->relax = strtod(end, NULL);
    } else if (strcmp(key, "method_unjudged") == 0)
        m->unjudged = strtoll(name, NULL, 10);
    else
        return 1;
    return 0;
}

/* Continues with the instruction set of the run, also if it was chosen automatically: another one would give other
 * bits, except in portable arithmetic. */
static myr_status load_isa(load_state *l, const char *name)
{
    myr_interaction *f = l->interaction;
    const int k = myr_catalogue_isa(name);
    if (l->isa && myr_catalogue_backend(l->isa) >= 0) {
        const myr_status status = myr_interaction_choose(f, "isa", "auto");
        return status ? status : myr_interaction_choose(f, "backend", l->isa);
    }
    if (l->isa)
        return myr_interaction_choose(f, "isa", l->isa);
    if (f->isa >= 0 || f->arithmetic == MYR_ARITHMETIC_PORTABLE || strcmp(name, "cuda") == 0)
        return MYR_OK;
    if (k < 0 || !myr_backend_isa_usable(myr_backend_isa(k)))
        return myr_context_fail(l->context, MYR_ERROR_COMBINATION,
                                "the run used the instruction set %s, which is not to be had here; another one gives "
                                "other bits: choose one (backend.isa: auto) to go on all the same",
                                name);
    f->isa = k;
    return MYR_OK;
}

/* Reads a line about the interaction; returns 1 if the key is not one of them. */
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
    else if (strcmp(key, "isa_used") == 0)
        *status = load_isa(l, name);
    else if (strcmp(key, "parameter") == 0)
        *status = myr_interaction_set(f, name, strtod(value, NULL));
    else if (strcmp(key, "grid") == 0 && sscanf(value, "%ld %ld", &a, &b) == 2) {
        const int k = atoi(name);
        if (k < 0 || k >= MYR_KERNEL_OUTPUT_FIELDS)
            *status = load_bad(l, "grid");
        else
            f->grid[k] = (myr_grid){(int)a, 1, b != 0};
    } else if (strcmp(key, "grid_age") == 0) {
        f->grid_age = strtoll(name, NULL, 10);
        l->has_age = 1;
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

/* A checkpoint written before steps were counted has the time only: they are counted from there on. */
static void load_clock(myr_integration *m, const char *time, const char *others)
{
    m->time = m->shown = strtod(time, NULL);
    if (sscanf(others, "%la %la %la", &m->shown, &m->origin, &m->unit) != 3)
        m->unit = 0;
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
        load_clock(m, name, value);
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
        if (status == MYR_ERROR_NAME)
            return myr_context_fail(l->context, status,
                                    "the motion goes on with the external field '%s', a function of the program that "
                                    "wrote the checkpoint: register it first (myr_external_register)",
                                    name);
        return status ? status : myr_simulation_add_external(l->s, l->external);
    }
    if (strcmp(key, "external_parameter") == 0)
        return l->external ? myr_external_set(l->external, name, strtod(value, NULL)) : load_bad(l, key);
    for (int k = 0; myr_motion_at(k); k++)
        if (myr_motion_at(k)->load_line && !myr_motion_at(k)->load_line(l->s, key, name, value, &status))
            return status;
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

/* Grids of checkpoints from before their age was recorded follow the closest pair: they are chosen again. */
static void load_renew_grids(load_state *l)
{
    myr_interaction *f = l->s->interaction;
    int renewed = 0;
    if (!f || l->has_age || f->accumulator != MYR_ACCUMULATOR_fixed)
        return;
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        if (f->grid[k].known && !f->grid[k].by_user) {
            f->grid[k].known = 0;
            renewed = 1;
        }
    if (renewed)
        myr_context_warn(l->context, "the checkpoint is from an earlier version: grids of fixed sums are chosen by "
                                     "another rule now, and the last bits of the run will differ from that version's");
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
        load_renew_grids(l);
    if (!status)
        status = load_attached(l);
    if (!status)
        l->s->ranks.part = (myr_simulation_part){.known = l->is_part, .rows = {.all = l->n}};
    if (!status && l->is_part)
        status = load_shared_names(l);
    for (int k = 0; !status && myr_motion_at(k); k++)
        if (myr_motion_at(k)->load)
            status = myr_motion_at(k)->load(l->s, l->file);
    if (!status && l->s->motion.started)
        status = myr_motion_check(l->s);
    if (!status && l->s->motion.started)
        status = myr_motion_of(l->s)->resume(l->s, l->file);
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
    return myr_simulation_load_for(context, path, NULL, simulation);
}

myr_status myr_simulation_load_for(myr_context *context, const char *path, const char *isa, myr_simulation **simulation)
{
    if (!context || !simulation)
        return MYR_ERROR_ARGUMENT;
    *simulation = NULL;
    myr_checkpoint *file;
    int64_t first, last;
    myr_status status = myr_checkpoint_open_latest(context, path, &file, NULL);
    if (status)
        return status;
    load_state l = {.context = context, .file = file, .isa = isa, .excluded = -1};
    l.is_part = myr_ranks_count(context) > 1 && myr_checkpoint_parts(file, &first, &last) > 0 &&
                !myr_molecule_motion_is_in(file); /* every rank has all atoms of a molecule */
    if (!l.is_part)
        status = myr_checkpoint_take_all(context, &file);
    l.file = file;
    status = myr_ranks_settle(context, status ? status : load_all(&l));
    myr_checkpoint_close(&file);
    if (status)
        load_give_up(&l);
    *simulation = l.s;
    return status;
}

/* --- reading parts without loading -------------------------------------------------------------------------------- */

/* Passes the particles of one part, or all particles of a checkpoint without parts, to the callback. */
static myr_status look_at(load_state *l, myr_look_fn look, void *user)
{
    const myr_particles *all = NULL;
    myr_particles *some = NULL;
    myr_status status = load_all(l);
    if (!status && l->is_part)
        status = myr_particle_parts_set(l->s, &some);
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
    const int is_part = myr_checkpoint_parts(file, &first, &last) > 0 && !myr_molecule_motion_is_in(file);
    for (int64_t k = first; !status && k < (is_part ? last : first + 1); k++) {
        load_state l = {.context = context, .file = file, .isa = "auto", .excluded = -1, .is_part = is_part};
        if (is_part)
            myr_checkpoint_select_part(file, k);
        status = look_at(&l, look, user);
    }
    myr_checkpoint_close(&file);
    return status;
}
