/* rates.c - rates of the variables of a motion, from the sums of the interaction and the external fields.
 *
 * A kernel's outputs determine the motion it drives:
 *   acceleration (and jerk)    rate of the velocity, whose value is the rate of the position
 *   force                      the same, divided by mass
 *   velocity (and stretching)  rate of the position, and of the strength: no inertia */
#include "simulation/rates.h"

#include <string.h>

#include "core/timer.h"
#include "simulation/ranks/replicas.h"

int myr_rates_output(const myr_simulation *s, const char *name)
{
    int at = 0;
    if (!s->interaction)
        return -1;
    const myr_kernel_desc *d = myr_interaction_desc(s->interaction);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; at += d->output[k++].components)
        if (strcmp(d->output[k].name, name) == 0)
            return at;
    return -1;
}

myr_status myr_rates_want_jerk(myr_simulation *s)
{
    static const char *const with[][2] = {{"gravity", "gravity_jerk"},
                                          {"gravity_potential", "gravity_jerk"},
                                          {"gravity_spline", "gravity_jerk_spline"},
                                          {"gravity_potential_spline", "gravity_jerk_spline"}};
    if (!s->interaction || myr_rates_output(s, "jerk") >= 0)
        return MYR_OK;
    const char *now = myr_interaction_desc(s->interaction)->name;
    for (size_t k = 0; k < sizeof with / sizeof *with; k++)
        if (strcmp(now, with[k][0]) == 0)
            return myr_interaction_choose(s->interaction, "kernel", with[k][1]);
    return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                            "integrator %s needs the time derivative of the force, which kernel %s does not give; use "
                            "leapfrog, or a kernel with jerk",
                            s->table->info.name, now);
}

myr_status myr_rates_evaluate(myr_simulation *s, const myr_prediction *p, int64_t n, const int64_t *index)
{
    if (!s->interaction)
        return MYR_OK;
    myr_stage_predict(s->stage, p);
    myr_stage_share(s->stage, myr_replicas_share_from(s));
    const double start = myr_timer_now();
    const myr_status status = myr_stage_evaluate(s->stage, n, index, s->output);
    s->force_seconds += myr_timer_now() - start;
    s->ranks.evaluations++;
    s->pairs += myr_stage_pairs(s->stage);
    return status;
}

void myr_rates_copy(const myr_simulation *s, int from, int64_t n, const int64_t *index, double *const *to,
                    const double *mass)
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < n; k++)
            to[c][k] = from < 0 ? 0 : s->output[from + c][k] / (mass ? mass[index ? index[k] : k] : 1);
}

myr_prediction myr_rates_now(const myr_simulation *s, double time)
{
    const myr_integration *m = &s->motion;
    myr_prediction p = {.time = time};
    for (int c = 0; c < 3; c++) {
        p.position[c] = m->x[c];
        p.velocity[c] = m->v[c];
        p.acceleration[c] = m->a[c];
        p.jerk[c] = m->j[c];
    }
    return p;
}

/* Evaluates some particles, with all particles predicted from their own times. */
myr_status myr_rates_predicted(void *user, double time, const double *own, int64_t n, const int64_t *index,
                               double *const out[6])
{
    myr_simulation *s = user;
    myr_prediction p = myr_rates_now(s, time);
    p.own = own;
    const myr_status status = myr_rates_evaluate(s, &p, n, index);
    if (status)
        return status;
    myr_rates_copy(s, myr_rates_output(s, "acceleration"), n, index, out, NULL);
    myr_rates_copy(s, myr_rates_output(s, "jerk"), n, index, out + 3, NULL);
    return myr_rates_add_external(s, time, n, index, &p, out, out + 3);
}

myr_status myr_rates_choose_grids(myr_simulation *s, double time, const double *own)
{
    myr_prediction p = myr_rates_now(s, time);
    p.own = own;
    myr_stage_predict(s->stage, &p);
    return myr_stage_choose_grids(s->stage);
}
