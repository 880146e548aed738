/* uniform.c - uniform random positions in a cube of side 1 about the origin, at rest. */
#include "core/random.h"
#include "model/model.h"

enum { CENTRE };

static myr_status uniform_place(const myr_model_arrays *to)
{
    for (int64_t i = 0; i < to->n; i++) {
        double u[4];
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, (uint64_t)i, 0, u);
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, (uint64_t)i, 1, u + 2);
        for (int c = 0; c < 3; c++)
            to->position[c][i] = u[c] - 0.5;
    }
    return MYR_OK;
}

const myr_model_kind myr_uniform_model = {
    .info = {"uniform", "uniform random in the cube [-1/2, 1/2)^3, at rest, total mass 1", 1},
    .place = uniform_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION,
    .param = {[CENTRE] = {{"centre", "1 = the centre of mass is at the origin, 0 = as drawn", 0, 0, 1}, MYR_NUMBER}},
};
