/* last_good.c - copy of the particles to return to when a run fails: every rank keeps its own particles.
 *
 * Particles in a box on a GPU are copied on the device, which costs less than a step. A lost device loses that copy:
 * copies to the host are made as well, but not more often than every KEEP_REST times as long as one takes
 * ($MYRIAD_KEEP_REST, for tests). */
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "molecular/molecular.h"
#include "particles/particles.h"
#include "simulation/box_motion.h"
#include "simulation/ranks/gather_rows.h"
#include "simulation/ranks/commands.h"

static const char *const keep_names[] = {"position", "velocity", "mass"};
enum { KEEP_FIELDS = sizeof keep_names / sizeof *keep_names, KEEP_REST = 100 };

void myr_kept_destroy(myr_kept **kept)
{
    if (!*kept)
        return;
    free((*kept)->index);
    free((*kept)->id);
    free((*kept)->type);
    free((*kept)->values);
    myr_particles_destroy(&(*kept)->set);
    free(*kept);
    *kept = NULL;
}

const double *myr_kept_field(const myr_kept *kept, const char *field)
{
    const double *values = kept->values;
    for (int k = 0; strcmp(myr_particles_field_name(kept->set, k), field) != 0; k++)
        values += kept->n * myr_particles_field_components(kept->set, k);
    return values;
}

/* Adds the fields that the particles have; returns their number of components. */
static int keep_fields(const myr_particles *from, myr_particles *set, myr_status *status)
{
    int numbers = 0;
    for (int k = 0; k < KEEP_FIELDS && !*status; k++) {
        int components = 0;
        while (myr_particles_component_const(from, keep_names[k], components))
            components++;
        if (components > 0)
            *status = myr_particles_add_field(set, keep_names[k], components);
        numbers += components;
    }
    return numbers;
}

/* Copies the particles of this rank. */
static myr_status keep_own(myr_simulation *s, myr_kept *kept)
{
    myr_molecular *m = s->box->engine;
    const size_t room = (size_t)m->n + 1;
    myr_status status = myr_particles_create(s->context, 0, &kept->set);
    const int numbers = status ? 0 : keep_fields(s->particles, kept->set, &status);
    if (status)
        return status;
    kept->n = m->n;
    kept->index = malloc(room * sizeof *kept->index);
    kept->id = malloc(room * sizeof *kept->id);
    kept->type = malloc(room * sizeof *kept->type);
    kept->values = malloc(room * (size_t)numbers * sizeof *kept->values + 1);
    if (!kept->index || !kept->id || !kept->type || !kept->values)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory to keep %lld particles", (long long)m->n);
    memcpy(kept->index, m->index, (size_t)m->n * sizeof *kept->index);
    memcpy(kept->id, m->id, (size_t)m->n * sizeof *kept->id);
    memcpy(kept->type, m->type, (size_t)m->n * sizeof *kept->type);
    double *to = kept->values;
    for (int k = 0; k < myr_particles_fields(kept->set); k++) {
        const int components = myr_particles_field_components(kept->set, k);
        myr_molecular_column(m, myr_particles_field_name(kept->set, k), NULL, components, to);
        to += m->n * components;
    }
    return MYR_OK;
}

/* Copies all particles, if this process has them. */
static myr_status keep_all(myr_simulation *s, const myr_particles *now, myr_kept *kept)
{
    kept->n = myr_particles_count(now);
    myr_status status = myr_particles_create(s->context, kept->n, &kept->set);
    if (!status)
        status = myr_particles_set_ids(kept->set, myr_particles_ids(now));
    if (!status)
        status = myr_particles_set_types(kept->set, myr_particles_types(now));
    if (!status)
        status = myr_particles_copy_names(now, NULL, kept->set);
    if (!status)
        (void)keep_fields(now, kept->set, &status);
    for (int k = 0; k < myr_particles_fields(kept->set) && !status; k++)
        for (int c = 0; c < myr_particles_field_components(kept->set, k); c++) {
            const char *name = myr_particles_field_name(kept->set, k);
            memcpy(myr_particles_component(kept->set, name, c), myr_particles_component_const(now, name, c),
                   (size_t)kept->n * sizeof(double));
        }
    return status;
}

static myr_kept_moment keep_moment(const myr_simulation *s)
{
    myr_kept_moment now = {.time = myr_simulation_time(s), .step = myr_simulation_steps(s)};
    (void)myr_simulation_box(s, now.box, now.origin);
    return now;
}

/* Makes a copy in place of the one before, which stays if the present particles cannot be had. */
static myr_status keep_here(myr_simulation *s)
{
    const double start = myr_timer_now();
    const myr_particles *now = NULL;
    myr_status status = s->ranks.domains ? MYR_OK : myr_simulation_particles(s, &now);
    if (status)
        return status;
    myr_kept_destroy(&s->kept);
    s->kept = calloc(1, sizeof *s->kept);
    if (!s->kept)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory to keep particles");
    status = now ? keep_all(s, now, s->kept) : keep_own(s, s->kept);
    s->kept->at = keep_moment(s);
    s->kept->clock = myr_timer_now();
    s->kept->seconds = s->kept->clock - start;
    if (status)
        myr_kept_destroy(&s->kept);
    return status;
}

/* Makes a copy on the GPU, if there is one and a recent copy on the host; returns 1 if it has. */
static int keep_there(myr_simulation *s)
{
    myr_kept *kept = s->kept;
    const char *given = getenv("MYRIAD_KEEP_REST");
    const double rest = given ? atof(given) : KEEP_REST;
    if (!kept || s->ranks.domains || !s->box->engine || !s->box->engine->gpu ||
        myr_timer_now() - kept->clock > rest * kept->seconds)
        return 0;
    kept->on_device = myr_molecular_gpu_keep(s->box->engine) == MYR_OK;
    kept->device_at = keep_moment(s);
    return kept->on_device;
}

myr_status myr_simulation_keep(myr_simulation *simulation)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    const myr_command order = {.kind = MYR_COMMAND_KEEP};
    myr_status status = myr_commands_whole(s);
    if (status)
        return status;
    status = myr_commands_begin(s, &order);
    if (!status && !keep_there(s))
        status = keep_here(s);
    return myr_commands_end(s, status);
}

void myr_kept_fetch(myr_simulation *s)
{
    myr_kept *kept = s->kept;
    if (kept->on_device && s->box->engine && s->box->engine->gpu &&
        myr_molecular_gpu_kept(s->box->engine, kept->set) == MYR_OK)
        kept->at = kept->device_at;
    kept->on_device = 0;
}
