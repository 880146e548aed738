/* figure_eight.c - three equal masses on the figure-eight orbit (Moore 1993; Chenciner and Montgomery 2000, Ann. Math.
 * 152, 881), G = m = 1.
 *
 * Positions are the 14 digits published by Simo. The velocity of the middle body agrees with his (-0.93240737144104,
 * -0.86473146092102) and was solved in quadruple precision, so that the orbit closes to the last digit of a double; its
 * period is then 6.3259139829262286. */
#include "model/model.h"

static myr_status figure_eight_place(const myr_model_arrays *to)
{
    const double x[2] = {0.97000435669734, -0.24308753153583}, v[2] = {-0.93240737144103427, -0.86473146092102373};
    for (int c = 0; c < 2; c++) {
        to->position[c][0] = x[c];
        to->position[c][1] = -x[c];
        to->velocity[c][0] = to->velocity[c][1] = -0.5 * v[c];
        to->velocity[c][2] = v[c];
    }
    for (int i = 0; i < 3; i++)
        to->mass[i] = 1;
    return MYR_OK;
}

const myr_model_kind myr_figure_eight_model = {
    .info = {"figure_eight", "three equal masses on a figure eight, G = m = 1, period 6.32591398", 1},
    .place = figure_eight_place,
    .with = MYR_WITH_SCALES,
    .least = 3,
    .usual = 3,
    .most = 3,
};
