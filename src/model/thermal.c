/* thermal.c - velocities of particles in a heat bath. */
#include "model/thermal.h"

#include <math.h>

void myr_thermal_place(const myr_model_arrays *to, double mass, double temperature, double speed)
{
    const double sigma = sqrt(temperature / mass);
    double mean[3] = {0, 0, 0};
    for (int64_t i = 0; i < to->n; i++) {
        double v[3];
        to->mass[i] = mass;
        if (speed > 0)
            myr_model_direction(to->seed, MYR_STREAM_HEADING, (uint64_t)i, v);
        else if (temperature > 0)
            myr_model_normal(to->seed, MYR_STREAM_SPEED, (uint64_t)i, v);
        else
            continue;
        for (int c = 0; c < 3; c++) {
            to->velocity[c][i] = (speed > 0 ? speed : sigma) * v[c];
            mean[c] += to->velocity[c][i] / (double)to->n;
        }
    }
    for (int c = 0; c < 3 && to->n > 1; c++)
        for (int64_t i = 0; i < to->n; i++)
            to->velocity[c][i] -= mean[c];
}
