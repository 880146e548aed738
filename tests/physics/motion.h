/* motion.h - what the tests of motions share: a simulation in one line, runs, distances. */
#ifndef MYR_TEST_MOTION_H
#define MYR_TEST_MOTION_H

#include "physics/models.h"

/* Gravity with G = 1 among particles, which the simulation owns from then on. `arithmetic` null: no interaction. */
static inline myr_simulation *new_motion(myr_particles *particles, const char *arithmetic, double eps,
                                         const char *integrator, const setting *settings)
{
    myr_context *context = myr_particles_context(particles);
    myr_interaction *f = arithmetic ? new_interaction(context, "gravity", arithmetic) : NULL;
    myr_simulation *s = NULL;
    if (f)
        expect_ok(context, myr_interaction_set(f, "eps", eps));
    expect_ok(context, myr_simulation_create(context, particles, f, &s));
    expect_ok(context, myr_simulation_choose(s, integrator));
    for (; settings && settings->name; settings++)
        expect_ok(context, myr_simulation_set(s, settings->name, settings->value));
    return s;
}

static inline void run_to(myr_context *context, myr_simulation *s, double end)
{
    while (myr_simulation_time(s) != end)
        expect_ok(context, myr_simulation_step(s, end));
}

static inline bodies bodies_now(myr_context *context, myr_simulation *s)
{
    const myr_particles *now;
    expect_ok(context, myr_simulation_particles(s, &now));
    return bodies_of(now);
}

static inline double energy_now(myr_context *context, myr_simulation *s)
{
    myr_conserved sums;
    expect_ok(context, myr_simulation_conserved(s, &sums));
    return sums.energy;
}

static inline myr_progress progress_of(myr_context *context, const myr_simulation *s)
{
    myr_progress progress;
    expect_ok(context, myr_simulation_progress(s, &progress));
    return progress;
}

/* The largest difference of a coordinate between two sets. */
static inline double farthest(const bodies *a, const bodies *b)
{
    double worst = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < a->n; i++)
            keep_largest(&worst, fabs(a->x[c][i] - b->x[c][i]));
    return worst;
}

#endif
