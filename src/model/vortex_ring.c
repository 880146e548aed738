/* vortex_ring.c - vortex ring with a Gaussian core, circular or with waves on it. A thin circular ring moves along its
 * axis at Gamma/(4 pi R) (ln(8 R/core) - 0.558) (Saffman 1992, Vortex Dynamics, section 10.3). */
#include <math.h>

#include "model/ring.h"

enum { RADIUS, CIRCULATION, CORE, AMPLITUDE, WAVES, LAYERS, OVERLAP, CENTRE };

static myr_status vortex_ring_place(const myr_model_arrays *to)
{
    const double *v = to->value;
    const myr_ring ring = {.radius = v[RADIUS],
                           .circulation = v[CIRCULATION],
                           .core = v[CORE],
                           .amplitude = v[AMPLITUDE],
                           .waves = (int)round(v[WAVES])};
    return myr_ring_place(to, 1, &ring, v[LAYERS], v[OVERLAP]);
}

const myr_model_kind myr_vortex_ring_model = {
    .info = {"vortex_ring",
             "vortex ring about the z axis with a Gaussian core, as vortex elements; round, or perturbed", 1},
    .place = vortex_ring_place,
    .usual = 6566,
    .param = {[RADIUS] = {{"radius", "radius of the ring", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [CIRCULATION] = {{"circulation", "circulation of the ring; positive: the ring moves along +z", 1,
                                -MYR_HUGE, MYR_HUGE},
                               MYR_CIRCULATION},
              [CORE] = {{"core", "radius of the core: the vorticity falls as exp(-(r/core)^2)", 0.1, 1e-300, MYR_HUGE},
                        MYR_LENGTH},
              [AMPLITUDE] = {{"amplitude", "amplitude of a wave on the ring, over the radius of the ring", 0, 0, 0.9},
                             MYR_NUMBER},
              [WAVES] = {{"waves", "number of waves around the ring", 0, 0, 1000}, MYR_NUMBER},
              [LAYERS] = MYR_RING_LAYERS,
              [OVERLAP] = MYR_RING_OVERLAP,
              [CENTRE] = MYR_RING_CENTRE},
};
