/* divided_steps.c - steps of bodies that are divided among ranks; see divided_steps.h.
 *
 * The integrator is that of the whole set, with arrays of this rank's particles only. What a step of some particles
 * cannot do (choose a grid, raise an order, report a particle) is left to a step of all: the particles return to their
 * state before. All ranks take the same decisions, which follow from numbers that are the same on all. */
#include "simulation/ranks/divided_steps.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/ranks.h"
#include "interaction/shared_run.h"
#include "method/fmm/far_field.h"
#include "simulation/motions.h"
#include "simulation/rates.h"
#include "simulation/ranks/replicas.h"

enum { ARRAYS = 12 + 2 * MYR_MOTION_VARIABLES + MYR_INTEGRATOR_STATE };

typedef struct {
    myr_simulation *s;
    int64_t n, all;
    const int64_t *row; /* [n]: numbers of this rank's particles in the set */
    int arrays;
    double *whole[ARRAYS]; /* arrays of the set that steps change */
    double *own[ARRAYS];   /* [n]: the same of this rank's particles */
    double *before;        /* [arrays][n]: before a step */
    double *block;
    int64_t *ids;
    myr_particles *set; /* this rank's particles, for the stage */
    myr_stage *stage;
    myr_integration m; /* motion of this rank's particles */
    int refused;       /* 1 = the last step needs all particles */
} divided_steps;

int myr_divided_steps_fit(const myr_simulation *s)
{
    const myr_interaction *f = s->interaction;
    if (!f || !s->stage || !f->shared_rows || f->shared_all != s->motion.n || s->externals ||
        s->table->resident != MYR_RESIDENT_FIXED || myr_motion_of(s)->kind != MYR_MOTION_OF_BODIES ||
        myr_replicas_share_from(s) <= 0 || myr_method_has_box(f))
        return 0;
    const myr_far_field *far = myr_far_field_find(myr_interaction_desc(f)->name);
    return far && !far->core && myr_rates_output(s, "acceleration") >= 0 && myr_interaction_is_ready(f) &&
           !myr_interaction_grid_is_old(f, s->motion.n) && !myr_method_is_due(f);
}

static myr_status divided_no_memory(const divided_steps *d)
{
    return myr_context_fail(d->s->context, MYR_ERROR_MEMORY, "no memory for the motion of %lld particles",
                            (long long)d->n);
}

/* --- arrays of this rank's particles ------------------------------------------------------------------------------ */

static void divided_add(divided_steps *d, double *array)
{
    for (int k = 0; k < d->arrays; k++)
        if (d->whole[k] == array)
            return;
    if (array)
        d->whole[d->arrays++] = array;
}

/* Array of this rank's particles for one of the set. */
static double *divided_own(const divided_steps *d, const double *array)
{
    for (int k = 0; k < d->arrays; k++)
        if (d->whole[k] == array)
            return d->own[k];
    return NULL;
}

static void divided_list(divided_steps *d)
{
    const myr_integration *m = &d->s->motion;
    for (int c = 0; c < 3; c++) {
        divided_add(d, m->x[c]);
        divided_add(d, m->v[c]);
        divided_add(d, m->a[c]);
        divided_add(d, m->j[c]);
    }
    for (int k = 0; k < m->variables; k++) {
        divided_add(d, m->variable[k]);
        divided_add(d, m->rate[k]);
    }
    for (int k = 0; k < MYR_INTEGRATOR_STATE && m->state[k]; k++)
        divided_add(d, m->state[k]);
}

/* Copies the particles of this rank from the set. */
static myr_status divided_set(divided_steps *d)
{
    const myr_particles *all = d->s->particles;
    myr_status status = myr_particles_create(d->s->context, d->n, &d->set);
    for (int64_t i = 0; i < d->n; i++)
        d->ids[i] = myr_particles_ids(all)[d->row[i]];
    if (!status)
        status = myr_particles_set_ids(d->set, d->ids);
    for (int k = 0; !status && k < myr_particles_fields(all); k++) {
        const char *name = myr_particles_field_name(all, k);
        const int components = myr_particles_field_components(all, k);
        status = myr_particles_add_field(d->set, name, components);
        for (int c = 0; !status && c < components; c++) {
            const double *from = myr_particles_component_const(all, name, c);
            double *to = myr_particles_component(d->set, name, c);
            for (int64_t i = 0; i < d->n; i++)
                to[i] = from[d->row[i]];
        }
    }
    return status;
}

/* Rates of this rank's particles: as those of bodies (body_motion.c). */
static myr_status divided_rates(void *user, double time)
{
    divided_steps *d = user;
    myr_simulation *s = d->s;
    const int first = myr_rates_output(s, "acceleration");
    double *value[MYR_KERNEL_OUTPUTS_MAX] = {NULL};
    myr_prediction p = {.time = time};
    for (int c = 0; c < 3; c++) {
        p.position[c] = d->m.x[c];
        p.velocity[c] = d->m.v[c];
        p.acceleration[c] = d->m.a[c];
        p.jerk[c] = d->m.j[c];
        value[first + c] = d->m.a[c];
    }
    const double start = myr_timer_now();
    myr_stage_predict(d->stage, &p);
    const myr_status status = myr_stage_evaluate_divided(d->stage, d->row, d->all, value, &d->refused);
    s->force_seconds += myr_timer_now() - start;
    s->ranks.evaluations++;
    if (!status && !d->refused)
        s->pairs += myr_stage_pairs(d->stage);
    return d->refused ? MYR_ERROR_UNAVAILABLE : status;
}

/* The integrator's view of this rank's particles. */
static void divided_motion(divided_steps *d, double *room, int64_t *index)
{
    const myr_integration *from = &d->s->motion;
    myr_integration *m = &d->m;
    *m = *from;
    m->n = d->n;
    m->ids = d->ids;
    m->rates = (myr_rates){divided_rates, NULL, d};
    m->room = room;
    m->index = index;
    for (int c = 0; c < 3; c++) {
        m->x[c] = divided_own(d, from->x[c]);
        m->v[c] = divided_own(d, from->v[c]);
        m->a[c] = divided_own(d, from->a[c]);
        m->j[c] = divided_own(d, from->j[c]);
    }
    for (int k = 0; k < m->variables; k++) {
        m->variable[k] = divided_own(d, from->variable[k]);
        m->rate[k] = divided_own(d, from->rate[k]);
    }
    for (int k = 0; k < MYR_INTEGRATOR_STATE; k++)
        m->state[k] = from->state[k] ? divided_own(d, from->state[k]) : NULL;
}

static myr_status divided_open(divided_steps *d)
{
    const myr_integration *m = &d->s->motion;
    const int64_t columns = 3 * m->variables > 6 ? 3 * m->variables : 6;
    divided_list(d);
    d->block = myr_memory_some((2 * d->arrays + columns) * d->n, sizeof *d->block);
    d->ids = myr_memory_some(2 * d->n, sizeof *d->ids);
    if (!d->block || !d->ids)
        return divided_no_memory(d);
    for (int k = 0; k < d->arrays; k++) {
        d->own[k] = d->block + k * d->n;
        for (int64_t i = 0; i < d->n; i++)
            d->own[k][i] = d->whole[k][d->row[i]];
    }
    d->before = d->block + d->arrays * d->n;
    divided_motion(d, d->before + d->arrays * d->n, d->ids + d->n);
    const myr_status status = divided_set(d);
    return status ? status : myr_stage_create(d->s->interaction, d->set, &d->stage);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Makes one step; *refused = 1: nothing was changed, and it must be made with all particles. */
static myr_status divided_step(divided_steps *d, double end)
{
    const myr_integration before = d->m;
    memcpy(d->before, d->block, (size_t)(d->arrays * d->n) * sizeof *d->block);
    d->refused = 0;
    myr_method_begin_step(d->s->interaction);
    const myr_status status = d->s->table->step(&d->m, end);
    if (status) {
        memcpy(d->block, d->before, (size_t)(d->arrays * d->n) * sizeof *d->block);
        d->m = before;
        return d->refused ? MYR_OK : status;
    }
    d->m.particle_steps = before.particle_steps + d->all * (d->m.steps - before.steps);
    d->m.active = d->all;
    return MYR_OK;
}

/* Copies what all ranks have changed to the sets of all: of each rank the numbers of its particles, then their arrays.
 */
static myr_status divided_gather(divided_steps *d)
{
    myr_context *context = d->s->context;
    const int ranks = myr_ranks_count(context), me = myr_ranks_me(context);
    int64_t *at = calloc((size_t)ranks + 1, sizeof *at);
    uint64_t *words = myr_memory_some(d->all * (1 + d->arrays), sizeof *words);
    myr_status status = myr_ranks_agree(context, at && words ? MYR_OK : divided_no_memory(d));
    if (!status)
        status = myr_ranks_all(context, d->n * (1 + d->arrays), at + 1);
    for (int k = 0; !status && k < ranks; k++)
        at[k + 1] += at[k];
    if (!status) {
        memcpy(words + at[me], d->row, (size_t)d->n * sizeof *words);
        memcpy(words + at[me] + d->n, d->block, (size_t)(d->arrays * d->n) * sizeof *words);
        status = myr_ranks_collect(context, at, words);
    }
    for (int k = 0; !status && k < ranks; k++) {
        const int64_t n = (at[k + 1] - at[k]) / (1 + d->arrays);
        const uint64_t *row = words + at[k], *from = row + n;
        for (int a = 0; a < d->arrays; a++, from += n)
            for (int64_t i = 0; i < n; i++)
                memcpy(&d->whole[a][row[i]], &from[i], sizeof *from);
    }
    free(at);
    free(words);
    return status;
}

/* Numbers of the motion that steps change. */
static void divided_keep(const divided_steps *d)
{
    myr_integration *m = &d->s->motion;
    const myr_integration *from = &d->m;
    m->time = from->time;
    m->shown = from->shown;
    m->origin = from->origin;
    m->unit = from->unit;
    memcpy(m->number, from->number, sizeof m->number);
    m->steps = from->steps;
    m->particle_steps = from->particle_steps;
    m->active = from->active;
}

static myr_status divided_run(divided_steps *d, double end, double until, int64_t most, int64_t *made)
{
    const myr_simulation *s = d->s;
    const double forward = end > s->motion.shown ? 1 : -1;
    myr_status status = MYR_OK;
    for (*made = 0; !status && !d->refused && *made < most; *made += !status && !d->refused) {
        if (*made > 0 && (!(forward * (end - d->m.shown) > 0) || !(forward * (until - d->m.shown) > 0)))
            break;
        if (!myr_divided_steps_fit(s))
            break;
        status = divided_step(d, end);
    }
    const double start = myr_timer_now();
    const myr_status gathered = status || !*made ? status : divided_gather(d);
    d->s->interaction->shared_seconds += myr_timer_now() - start;
    return gathered;
}

myr_status myr_divided_steps_advance(myr_simulation *s, double end, double until, int64_t most, int64_t *made)
{
    divided_steps d = {.s = s, .n = s->interaction->shared_own, .all = s->motion.n, .row = s->interaction->shared_rows};
    *made = 0;
    myr_status status = myr_ranks_agree(s->context, divided_open(&d));
    if (!status)
        status = divided_run(&d, end, until, most, made);
    if (!status && *made) {
        divided_keep(&d);
        s->interaction->divided.steps += *made;
        myr_shared_run_settle(s->interaction);
    }
    myr_stage_destroy(&d.stage);
    myr_particles_destroy(&d.set);
    free(d.block);
    free(d.ids);
    return status;
}
