/* centre.c - moves the centre of mass to rest at the origin. */
#include "model/model.h"

const myr_model_group myr_centre_group = {
    .param = {{{"centre", "1 = the centre of mass is at rest at the origin, 0 = as drawn", 1, 0, 1}, MYR_NUMBER}},
};

/* Subtracts the mean weighted by mass; with equal masses the weights are 1, so that the result does not depend on the
 * mass. */
static void centre_rest(int64_t n, const double *mass, int equal, double *values)
{
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = equal ? 1 : mass[i];
        sum += w * values[i];
        weight += w;
    }
    for (int64_t i = 0; i < n; i++)
        values[i] -= sum / weight;
}

void myr_centre_apply(const myr_model_arrays *to)
{
    int equal = 1;
    for (int64_t i = 1; i < to->n; i++)
        equal = equal && to->mass[i] == to->mass[0];
    for (int c = 0; c < 3 && to->n > 1; c++) {
        centre_rest(to->n, to->mass, equal, to->position[c]);
        centre_rest(to->n, to->mass, equal, to->velocity[c]);
    }
}
