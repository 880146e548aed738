/* rings.h - what the tests of vortex elements share: rings in one line, their integrals, the spread of their cores. */
#ifndef MYR_TEST_RINGS_H
#define MYR_TEST_RINGS_H

#include "physics/group.h"

static inline myr_simulation *simulation_of(myr_particles *p, const char *kernel, const char *arithmetic,
                                            const char *integrator, double dt)
{
    myr_interaction *f = new_interaction(context, kernel, arithmetic);
    myr_simulation *s = NULL;
    expect_ok(context, myr_interaction_choose(f, "accumulator", "double"));
    expect_ok(context, myr_simulation_create(context, p, f, &s));
    expect_ok(context, myr_simulation_choose(s, integrator));
    expect_ok(context, myr_simulation_set(s, "dt", dt));
    return s;
}

static inline myr_simulation *new_rings(const char *model, int64_t n, const setting *settings, const char *kernel,
                                        const char *arithmetic, const char *integrator, double dt)
{
    return simulation_of(make_model(context, model, n, 1, settings), kernel, arithmetic, integrator, dt);
}

static inline myr_vortices sums_now(myr_simulation *s)
{
    const myr_particles *now;
    myr_vortices sums;
    expect_ok(context, myr_simulation_particles(s, &now));
    expect_ok(context, myr_flow_vortices(now, &sums));
    return sums;
}

static inline double length(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Mean square of z about the centroid, weighted by impulse: diffusion makes it grow as 2 viscosity t, exactly. */
static inline double spread(myr_simulation *s)
{
    const myr_particles *now;
    double sum = 0, all = 0;
    const myr_vortices v = sums_now(s);
    expect_ok(context, myr_simulation_particles(s, &now));
    const double *x = result(now, "position", 0), *y = result(now, "position", 1), *z = result(now, "position", 2);
    const double *core = result(now, "core", 0);
    for (int64_t i = 0; i < myr_particles_count(now); i++) {
        const double part = x[i] * result(now, "strength", 1)[i] - y[i] * result(now, "strength", 0)[i];
        sum += part * (pow(z[i] - v.centroid[2], 2) + core[i] * core[i]);
        all += part;
    }
    return sum / all;
}

#endif
