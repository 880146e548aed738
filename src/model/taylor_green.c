/* taylor_green.c - Taylor-Green vortex (1937) on a periodic mesh: the three-dimensional form of Brachet et al. (1983,
 * J. Fluid Mech. 130, 411), which becomes turbulent, or a plane flow, which decays as exp(-2 viscosity t). */
#include <math.h>

#include "model/flow.h"

enum { SPEED, LENGTH, WAVES_Z, OVERLAP, CENTRE };

static myr_status taylor_green_place(const myr_model_arrays *to)
{
    const double length = to->value[LENGTH], edge = 2 * MYR_PI * length, speed = to->value[SPEED];
    int64_t side;
    const myr_status status = myr_flow_mesh(to, edge, &side);
    if (status)
        return status;
    for (int64_t i = 0; i < to->n; i++) {
        const double x = to->position[0][i] / length, y = to->position[1][i] / length;
        const double along = cos(round(to->value[WAVES_Z]) * to->position[2][i] / length);
        to->velocity[0][i] = speed * sin(x) * cos(y) * along;
        to->velocity[1][i] = -speed * cos(x) * sin(y) * along;
    }
    return myr_flow_elements(to, edge, to->value[OVERLAP]);
}

const myr_model_kind myr_taylor_green_model = {
    .info = {"taylor_green",
             "Taylor-Green vortex on a periodic mesh of [-pi, pi)^3 lengths: velocities and vortex "
             "elements of the same field",
             MYR_HAVE_FFTW},
    .place = taylor_green_place,
    .usual = 32768,
    .param = {[SPEED] = {{"speed", "largest speed", 1, 0, MYR_HUGE}, MYR_VELOCITY},
              [LENGTH] = {{"length", "the box is 2 pi of it wide; Re = speed length / viscosity", 1, 1e-300, MYR_HUGE},
                          MYR_LENGTH},
              [WAVES_Z] = {{"waves_z", "waves along z: 1 = three-dimensional, 0 = a plane flow", 1, 0, 1}, MYR_NUMBER},
              [OVERLAP] = MYR_FLOW_OVERLAP,
              [CENTRE] = MYR_FLOW_CENTRE},
};
