/* uniform.c - particles anywhere in a cube of side 1 about the origin, at rest. */
#include "core/random.h"
#include "model/model.h"

void myr_uniform_place(const myr_model_arrays *to)
{
    for (int64_t i = 0; i < to->n; i++) {
        double u[4];
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, (uint64_t)i, 0, u);
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, (uint64_t)i, 1, u + 2);
        for (int c = 0; c < 3; c++)
            to->position[c][i] = u[c] - 0.5;
    }
}
