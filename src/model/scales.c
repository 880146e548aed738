/* scales.c - conversion from model units, where G = 1, to the units of the particles: lengths and masses are multiplied
 * by their scales, velocities by sqrt(G mass / length). */
#include <math.h>

#include "model/model.h"

const myr_model_group myr_scales_group = {
    .param = {{{"G", "constant of gravity in the units of the particles", 1, 1e-300, MYR_HUGE}, MYR_GRAVITY},
              {{"length_scale", "what a length of 1 in the model becomes: for a cluster, its virial radius", 1, 1e-300,
                MYR_HUGE},
               MYR_LENGTH},
              {{"mass_scale",
                "what a mass of 1 in the model becomes: for a cluster, its total mass; 0 = masses as the "
                "mass function draws them",
                1, 0, MYR_HUGE},
               MYR_MASS}},
};

static double scales_mass(const myr_model_spec *spec, double drawn)
{
    const double scale = myr_model_spec_get(spec, "mass_scale");
    return scale > 0 ? scale : drawn;
}

void myr_scales_weigh(const myr_model_spec *spec, double drawn, int64_t n, double *mass)
{
    const double scale = scales_mass(spec, drawn);
    for (int64_t i = 0; i < n; i++)
        mass[i] *= scale;
}

void myr_scales_stretch(const myr_model_spec *spec, double drawn, const myr_model_arrays *to)
{
    const double length = myr_model_spec_get(spec, "length_scale");
    const double speed = sqrt(myr_model_spec_get(spec, "G") * scales_mass(spec, drawn) / length);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < to->n; i++) {
            to->position[c][i] *= length;
            to->velocity[c][i] *= speed;
        }
}
