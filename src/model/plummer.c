/* plummer.c - the Plummer (1911) sphere in N-body units, after Aarseth, Henon and Wielen (1974).
 *
 * In units of its own radius a the mass inside r is M(r) = r^3 (1 + r^2)^(-3/2), the escape speed
 * v_e = sqrt(2) (1 + r^2)^(-1/4), and q = v/v_e is distributed as q^2 (1 - q^2)^(7/2). E = -3 pi/(64 a) in G = M = 1,
 * so that a = 3 pi/16 gives E = -1/4. Paper 002 takes the same initial conditions from NEMO's mkplummer, with the same
 * cut: the mass fraction is drawn from (0, 0.999), which keeps all particles within 38.7 a. */
#include <math.h>

#include "core/random.h"
#include "model/model.h"

#define PLUMMER_MASS_FRACTION 0.999
#define PLUMMER_PEAK 0.1 /* above the largest value of q^2 (1 - q^2)^(7/2), 0.0922 */

/* Speed in units of the escape speed, by rejection; each attempt has its own index. */
static double plummer_speed(uint64_t seed, uint64_t id)
{
    for (uint32_t attempt = 0;; attempt++) {
        double u[2];
        myr_random_uniform(seed, MYR_STREAM_SPEED, id, attempt, u);
        const double q2 = u[0] * u[0], w = 1 - q2;
        if (PLUMMER_PEAK * u[1] < q2 * w * w * w * sqrt(w))
            return u[0];
    }
}

static void plummer_rest(int64_t n, double *values)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += values[i];
    for (int64_t i = 0; i < n; i++)
        values[i] -= sum / (double)n;
}

void myr_plummer_place(const myr_model_arrays *to)
{
    const double a = 3 * acos(-1.0) / 16;
    for (int64_t i = 0; i < to->n; i++) {
        const uint64_t id = (uint64_t)i;
        double u[2], along[3], heading[3];
        myr_random_uniform(to->seed, MYR_STREAM_RADIUS, id, 0, u);
        const double r = 1 / sqrt(pow(PLUMMER_MASS_FRACTION * u[0], -2.0 / 3) - 1);
        const double v = plummer_speed(to->seed, id) * sqrt(2) * pow(1 + r * r, -0.25);
        myr_model_direction(to->seed, MYR_STREAM_DIRECTION, id, along);
        myr_model_direction(to->seed, MYR_STREAM_HEADING, id, heading);
        for (int c = 0; c < 3; c++) {
            to->position[c][i] = a * r * along[c];
            to->velocity[c][i] = v * heading[c] / sqrt(a);
        }
    }
    /* The centre of mass comes to rest at the origin; one particle alone stays where it was drawn. */
    for (int c = 0; c < 3 && to->n > 1; c++) {
        plummer_rest(to->n, to->position[c]);
        plummer_rest(to->n, to->velocity[c]);
    }
}
