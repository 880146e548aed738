/* ring_collision.c - two equal and opposite coaxial vortex rings that collide and expand. */
#include "model/ring.h"

enum { RADIUS, CIRCULATION, CORE, DISTANCE, LAYERS, OVERLAP, CENTRE };

static myr_status ring_collision_place(const myr_model_arrays *to)
{
    const double *v = to->value;
    myr_ring ring[2];
    for (int k = 0; k < 2; k++)
        ring[k] = (myr_ring){.radius = v[RADIUS],
                             .circulation = k == 0 ? v[CIRCULATION] : -v[CIRCULATION],
                             .core = v[CORE],
                             .z = (k - 0.5) * v[DISTANCE]};
    return myr_ring_place(to, 2, ring, v[LAYERS], v[OVERLAP]);
}

const myr_model_kind myr_ring_collision_model = {
    .info = {"ring_collision", "two equal and opposite vortex rings that meet head-on", 1},
    .place = ring_collision_place,
    .usual = 13132,
    .param = {[RADIUS] = {{"radius", "radius of the rings", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [CIRCULATION] = {{"circulation", "circulation of the lower ring; the other has the opposite", 1,
                                -MYR_HUGE, MYR_HUGE},
                               MYR_CIRCULATION},
              [CORE] = {{"core", "radius of the cores: the vorticity falls as exp(-(r/core)^2)", 0.1, 1e-300, MYR_HUGE},
                        MYR_LENGTH},
              [DISTANCE] = {{"distance", "distance of the rings along the axis", 2, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [LAYERS] = MYR_RING_LAYERS,
              [OVERLAP] = MYR_RING_OVERLAP,
              [CENTRE] = MYR_RING_CENTRE},
};
