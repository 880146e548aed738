/* abc_flow.c - the flow of Arnold, Beltrami and Childress on a periodic mesh. Its vorticity equals its velocity, so
 * that the flow keeps its shape and decays as exp(-viscosity t). */
#include <math.h>

#include "model/flow.h"

enum { A, B, C, LENGTH, OVERLAP, CENTRE };

static myr_status abc_flow_place(const myr_model_arrays *to)
{
    const double a = to->value[A], b = to->value[B], c = to->value[C], length = to->value[LENGTH];
    int64_t side;
    const myr_status status = myr_flow_mesh(to, 2 * MYR_PI * length, &side);
    if (status)
        return status;
    for (int64_t i = 0; i < to->n; i++) {
        const double x = to->position[0][i] / length, y = to->position[1][i] / length, z = to->position[2][i] / length;
        to->velocity[0][i] = a * sin(z) + c * cos(y);
        to->velocity[1][i] = b * sin(x) + a * cos(z);
        to->velocity[2][i] = c * sin(y) + b * cos(x);
    }
    return myr_flow_elements(to, 2 * MYR_PI * length, to->value[OVERLAP]);
}

const myr_model_kind myr_abc_flow_model = {
    .info = {"abc_flow",
             "Arnold-Beltrami-Childress flow on a periodic mesh of [-pi, pi)^3 lengths: velocities and "
             "vortex elements of the same field",
             MYR_HAVE_FFTW},
    .place = abc_flow_place,
    .usual = 4096,
    .param = {[A] = {{"A", "speed of the waves along z", 1, 0, MYR_HUGE}, MYR_VELOCITY},
              [B] = {{"B", "speed of the waves along x", 1, 0, MYR_HUGE}, MYR_VELOCITY},
              [C] = {{"C", "speed of the waves along y", 1, 0, MYR_HUGE}, MYR_VELOCITY},
              [LENGTH] = {{"length", "the box is 2 pi of it wide", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [OVERLAP] = MYR_FLOW_OVERLAP,
              [CENTRE] = MYR_FLOW_CENTRE},
};
