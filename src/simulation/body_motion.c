/* body_motion.c - bodies accelerated by an interaction and by external fields. They move to a GPU automatically if the
 * interaction is evaluated there (gpu_steps.h). */
#include "simulation/conserved.h"
#include "simulation/gpu_steps.h"
#include "simulation/motions.h"
#include "simulation/ranks/replicas.h"
#include "simulation/rates.h"
#include "simulation/steps.h"

/* Claims every simulation that no other kind claims. */
static int bodies_claim(const myr_simulation *s)
{
    (void)s;
    return 1;
}

static myr_status bodies_variables(myr_simulation *s)
{
    myr_integration *m = &s->motion;
    myr_status status = myr_steps_field(s, "velocity", 3, m->v);
    if (!status)
        status = myr_steps_field(s, "acceleration", 3, m->a);
    if (!status && (myr_rates_output(s, "jerk") >= 0 || s->table->info.needs_jerk))
        status = myr_steps_field(s, "jerk", 3, m->j);
    if (status)
        return status;
    myr_steps_add_variables(m, m->x, m->v, 3);
    myr_steps_add_variables(m, m->v, m->a, 3);
    return MYR_OK;
}

static myr_status bodies_rates(void *user, double time)
{
    myr_simulation *s = user;
    myr_integration *m = &s->motion;
    const myr_prediction p = myr_rates_now(s, time);
    const myr_status status = myr_rates_evaluate(s, &p, m->n, NULL);
    if (status)
        return status;
    const int force = myr_rates_output(s, "force");
    const double *mass = force >= 0 ? myr_particles_component(s->particles, "mass", 0) : NULL;
    myr_rates_copy(s, force >= 0 ? force : myr_rates_output(s, "acceleration"), m->n, NULL, m->a, mass);
    return myr_rates_add_external(s, time, m->n, NULL, &p, m->a, NULL);
}

static myr_status bodies_advance(myr_simulation *s, double end, double until, int64_t most)
{
    const myr_status status = myr_gpu_steps_open(s);
    if (status)
        return status;
    return myr_gpu_steps_has_particles(s) ? myr_gpu_steps_advance(s, end, until, most)
                                          : myr_replicas_advance(s, end, until, most);
}

const myr_motion myr_motion_bodies = {
    .kind = MYR_MOTION_OF_BODIES,
    .claims = bodies_claim,
    .every_rank = 1, /* ranks share the sums */
    .open = myr_steps_prepare_together,
    .start = myr_steps_start,
    .join = myr_replicas_join,
    .advance = bodies_advance,
    .variables = bodies_variables,
    .rates = bodies_rates,
    .conserved = myr_conserved_bodies,
    .resume = myr_steps_resume,
};
