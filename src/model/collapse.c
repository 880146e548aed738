/* collapse.c - cold collapse: a sphere at rest or nearly at rest (van Albada 1982).
 *
 * A uniform sphere of radius R at rest collapses to its centre after pi/2 sqrt(R^3/(2 G M)): 1.46 for R = 6/5. */
#include "model/sphere.h"

enum { SLOPE, VIRIAL_RATIO };

static myr_status collapse_place(const myr_model_arrays *to)
{
    myr_sphere_place(to, to->value[SLOPE]);
    return MYR_OK;
}

const myr_model_kind myr_collapse_model = {
    .info = {"collapse", "sphere at rest with density r^-slope and virial radius 1 that collapses", 1},
    .place = collapse_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION | MYR_WITH_BINARIES,
    .param = {[SLOPE] = {{"slope", "the density falls as r^-slope", 0, 0, 2.4}, MYR_NUMBER},
              [VIRIAL_RATIO] = {{"virial_ratio", "2 T/|W| of the start: 0 = at rest", 0, 0, 1}, MYR_NUMBER}},
};
