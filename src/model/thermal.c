/* thermal.c - thermal velocities. */
#include "model/thermal.h"

#include <math.h>

#include "core/sum.h"
#include "domain/ranks.h"

/* bound of normal random numbers for the integer sums; from 53 random bits they reach at most 8.6 */
#define THERMAL_MOST 16.0

typedef struct {
    double speed; /* speed of all particles; 0 = sigma is used */
    double sigma;
} thermal_law;

static void thermal_draw(const myr_model_arrays *to, const thermal_law *law, int64_t row, double v[3])
{
    if (law->speed > 0)
        myr_model_direction(to->seed, MYR_STREAM_HEADING, (uint64_t)row, v);
    else
        myr_model_normal(to->seed, MYR_STREAM_SPEED, (uint64_t)row, v);
    for (int c = 0; c < 3; c++)
        v[c] *= law->speed > 0 ? law->speed : law->sigma;
}

/* Mean velocity of all particles, summed in integers and so independent of the order. With shared rows the ranks divide
 * this sum evenly, whatever rows they make. */
static myr_status thermal_mean(const myr_model_arrays *to, const thermal_law *law, double mean[3])
{
    const int rank = myr_ranks_me(to->context);
    const int64_t first = to->shared ? myr_ranks_first(to->context, to->all, rank) : 0;
    const int64_t last = to->shared ? myr_ranks_first(to->context, to->all, rank + 1) : to->all;
    const int exponent = myr_sum_exponent(law->speed > 0 ? law->speed : THERMAL_MOST * law->sigma);
    const double scale = myr_sum_scale(exponent);
    myr_wide sum[3] = {0, 0, 0};
    for (int64_t row = first; row < last; row++) {
        double v[3];
        thermal_draw(to, law, row, v);
        for (int c = 0; c < 3; c++)
            sum[c] += myr_sum_round(v[c], scale);
    }
    const myr_status status = to->shared ? myr_ranks_sum_wide(to->context, sum, 3) : MYR_OK;
    for (int c = 0; c < 3; c++)
        mean[c] = to->all > 1 ? myr_sum_value(sum[c], exponent) / (double)to->all : 0;
    return status;
}

myr_status myr_thermal_place(const myr_model_arrays *to, double mass, double temperature, double speed)
{
    const thermal_law law = {speed, sqrt(temperature / mass)};
    double mean[3];
    for (int64_t i = 0; i < to->n; i++)
        to->mass[i] = mass;
    if (!(law.speed > 0 || law.sigma > 0))
        return MYR_OK;
    const myr_status status = thermal_mean(to, &law, mean);
    for (int64_t i = 0; i < to->n && !status; i++) {
        double v[3];
        thermal_draw(to, &law, to->first + i, v);
        for (int c = 0; c < 3; c++)
            to->velocity[c][i] = v[c] - mean[c];
    }
    return status;
}
