/* steps.c - steps on the processor. */
#include "simulation/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "simulation/ranks/replicas.h"
#include "simulation/rates.h"

void myr_steps_add_variables(myr_integration *m, double *const *variable, double *const *rate, int components)
{
    for (int c = 0; c < components; c++, m->variables++) {
        m->variable[m->variables] = variable[c];
        m->rate[m->variables] = rate[c];
    }
}

myr_status myr_steps_field(myr_simulation *s, const char *name, int components, double **array)
{
    const myr_status status = myr_particles_add_field(s->particles, name, components);
    for (int c = 0; !status && c < components; c++)
        array[c] = myr_particles_component(s->particles, name, c);
    return status;
}

/* Variables of the kind of motion, after the positions that all kinds have. */
static myr_status steps_variables(myr_simulation *s)
{
    s->motion.variables = 0;
    myr_status status = s->table->info.needs_jerk ? myr_rates_want_jerk(s) : MYR_OK;
    if (!status && !myr_particles_component(s->particles, "position", 2))
        status = myr_context_fail(s->context, MYR_ERROR_FIELD, "particles need a position with 3 components");
    if (!status)
        status = myr_steps_field(s, "position", 3, s->motion.x);
    return status ? status : myr_motion_of(s)->variables(s);
}

/* Fields of the integrator's state, in the particle set. */
static myr_status steps_state_fields(myr_simulation *s)
{
    int at = 0;
    for (const char *const *name = s->table->state; name && *name; name++)
        for (int k = 0; k < (s->table->state_per_variable ? s->motion.variables : 1); k++, at++) {
            char field[40];
            snprintf(field, sizeof field, s->table->state_per_variable ? "%s_%d" : "%s", *name, k);
            const myr_status status = myr_steps_field(s, field, 1, &s->motion.state[at]);
            if (status)
                return status;
        }
    return MYR_OK;
}

static myr_status steps_room(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    int short_of_memory = 0;
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++)
        short_of_memory |= !(s->output[k] = myr_memory_zeros(m->n, sizeof(double)));
    const int64_t columns = 3 * m->variables > 6 ? 3 * m->variables : 6;
    m->room = myr_memory_zeros(columns * m->n, sizeof(double));
    m->index = myr_memory_zeros(m->n, sizeof *m->index);
    const int64_t kept = s->table->synchronise ? 0 : 2 * m->variables + MYR_INTEGRATOR_STATE;
    s->before = myr_memory_zeros(kept * m->n, sizeof(double));
    if (short_of_memory || !m->room || !m->index || !s->before)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the motion of %lld particles",
                                (long long)m->n);
    return MYR_OK;
}

myr_status myr_steps_prepare(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    m->context = s->context;
    m->n = myr_particles_count(s->particles);
    m->ids = myr_particles_ids(s->particles);
    myr_status status = steps_variables(s);
    m->rates = (myr_rates){myr_motion_of(s)->rates, myr_rates_predicted, s};
    if (!status)
        status = steps_state_fields(s);
    if (s->interaction)
        s->interaction->without_gpu = !myr_replicas_on_gpu(s);
    if (!status && s->interaction)
        status = myr_stage_create(s->interaction, s->particles, &s->stage);
    return status ? status : steps_room(s);
}

myr_status myr_steps_prepare_together(myr_simulation *s)
{
    const myr_status status = myr_steps_prepare(s);
    return status ? status : myr_replicas_join(s);
}

myr_status myr_steps_resume(myr_simulation *s, const myr_checkpoint *file)
{
    (void)file;
    return myr_steps_prepare(s);
}

void myr_steps_release(myr_simulation *s)
{
    myr_stage_destroy(&s->stage);
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++) {
        free(s->output[k]);
        s->output[k] = NULL;
    }
    free(s->before);
    free(s->motion.index);
    free(s->motion.room);
    s->before = s->motion.room = NULL;
    s->motion.index = NULL;
}

myr_status myr_steps_start(myr_simulation *s)
{
    return s->table->start(&s->motion);
}

/* Copies variables, rates and the integrator's state to or from `before`, so that a failed step leaves no trace. */
static void steps_copy_motion(myr_simulation *s, int back)
{
    const myr_integration *m = &s->motion;
    double *const *const from[] = {m->variable, m->rate, m->state};
    double *copy = s->before;
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < (part < 2 ? m->variables : MYR_INTEGRATOR_STATE) && from[part][k]; k++, copy += m->n)
            memcpy(back ? from[part][k] : copy, back ? copy : from[part][k], (size_t)m->n * sizeof(double));
}

void myr_steps_copy_grids(myr_simulation *s, int back, myr_steps_grids *grids)
{
    myr_interaction *f = s->interaction;
    if (!f)
        return;
    if (back) {
        memcpy(f->grid, grids->grid, sizeof f->grid);
        f->grid_age = grids->age;
    } else {
        memcpy(grids->grid, f->grid, sizeof f->grid);
        grids->age = f->grid_age;
    }
}

myr_status myr_steps_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const myr_motion *kind = myr_motion_of(s);
    myr_integration *m = &s->motion;
    myr_steps_grids grids = {.age = 0};
    (void)until;
    (void)most;
    myr_steps_copy_grids(s, 0, &grids);
    if (s->interaction)
        s->interaction->grid_is_due = myr_interaction_grid_is_old(s->interaction, m->n);
    if (s->interaction)
        myr_method_begin_step(s->interaction);
    if (!s->table->synchronise) /* integrators that synchronise evaluate before they change anything */
        steps_copy_motion(s, 0);
    const myr_integration before = *m;
    myr_status status = s->table->step(m, end);
    if (!status && kind->finish && (status = kind->finish(s, before.time)))
        *m = before;
    if (status && !s->table->synchronise)
        steps_copy_motion(s, 1);
    if (status)
        myr_steps_copy_grids(s, 1, &grids);
    return status;
}
