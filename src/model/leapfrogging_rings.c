/* leapfrogging_rings.c - two equal coaxial vortex rings that move in the same direction: the rear ring shrinks and
 * passes through the front ring, alternately. */
#include "model/ring.h"

enum { RADIUS, CIRCULATION, CORE, DISTANCE, LAYERS, OVERLAP, CENTRE };

static myr_status leapfrogging_rings_place(const myr_model_arrays *to)
{
    const double *v = to->value;
    myr_ring ring[2];
    for (int k = 0; k < 2; k++)
        ring[k] = (myr_ring){
            .radius = v[RADIUS], .circulation = v[CIRCULATION], .core = v[CORE], .z = (k - 0.5) * v[DISTANCE]};
    return myr_ring_place(to, 2, ring, v[LAYERS], v[OVERLAP]);
}

const myr_model_kind myr_leapfrogging_rings_model = {
    .info = {"leapfrogging_rings", "two equal vortex rings, one behind the other, that pass through each other in turn",
             1},
    .place = leapfrogging_rings_place,
    .usual = 13132,
    .param = {[RADIUS] = {{"radius", "radius of the rings", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [CIRCULATION] = {{"circulation", "circulation of each ring", 1, -MYR_HUGE, MYR_HUGE}, MYR_CIRCULATION},
              [CORE] = {{"core", "radius of the cores: the vorticity falls as exp(-(r/core)^2)", 0.1, 1e-300, MYR_HUGE},
                        MYR_LENGTH},
              [DISTANCE] = {{"distance", "distance of the rings along the axis", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [LAYERS] = MYR_RING_LAYERS,
              [OVERLAP] = MYR_RING_OVERLAP,
              [CENTRE] = MYR_RING_CENTRE},
};
