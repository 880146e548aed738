/* sphere.c - uniform sphere with normally distributed velocities.
 *
 * With rho ~ r^-k inside R the mass inside r is (r/R)^(3 - k) and W = -(3 - k)/(5 - 2 k) G M^2/R; the virial radius G
 * M^2/(2 |W|) is 1 for R = 2 (3 - k)/(5 - 2 k), 6/5 for a uniform sphere. T = |W|/2 = 1/4 = 3/2 sigma^2. */
#include "model/sphere.h"

#include <math.h>

#include "core/random.h"

void myr_sphere_place(const myr_model_arrays *to, double slope)
{
    const double edge = 2 * (3 - slope) / (5 - 2 * slope), sigma = sqrt(1.0 / 6);
    for (int64_t i = 0; i < to->n; i++) {
        const uint64_t id = (uint64_t)i;
        double u[2], along[3], v[3];
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, id, 0, u);
        myr_model_direction(to->seed, MYR_STREAM_DIRECTION, id, along);
        myr_model_normal(to->seed, MYR_STREAM_SPEED, id, v);
        const double r = edge * pow(u[0], 1 / (3 - slope));
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = r * along[c];
            to->velocity[c][i] = sigma * v[c];
        }
    }
}

void myr_sphere_draw(const myr_model_arrays *to, const myr_sphere_profile *profile, double mass_fraction)
{
    const double a = profile->scale;
    for (int64_t i = 0; i < to->n; i++) {
        const uint64_t id = (uint64_t)i;
        double u[2], along[3], heading[3];
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, id, 0, u);
        const double r = profile->radius(mass_fraction * u[0]);
        const double v = profile->speed(to->seed, id, r);
        myr_model_direction(to->seed, MYR_STREAM_DIRECTION, id, along);
        myr_model_direction(to->seed, MYR_STREAM_HEADING, id, heading);
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = a * r * along[c];
            to->velocity[c][i] = v * heading[c] / sqrt(a);
        }
    }
}

static myr_status sphere_place(const myr_model_arrays *to)
{
    myr_sphere_place(to, 0);
    return MYR_OK;
}

const myr_model_kind myr_sphere_model = {
    .info = {"sphere", "uniform sphere of radius 6/5 (virial radius 1), normally distributed velocities", 1},
    .place = sphere_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION | MYR_WITH_BINARIES,
};
