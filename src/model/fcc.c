/* fcc.c - face-centred cubic lattice, the crystal of argon and the usual start of a liquid: four particles per cell,
 * nearest neighbours at 1/sqrt(2) of the cell edge. */
#include <math.h>

#include "model/lattice.h"
#include "model/thermal.h"

enum { DENSITY, MASS, TEMPERATURE, CENTRE, SPEED };

static myr_status fcc_place(const myr_model_arrays *to)
{
    static const double face[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    myr_lattice_place(to, 4, face, cbrt(4 / to->value[DENSITY]));
    return myr_thermal_place(to, to->value[MASS], to->value[TEMPERATURE], to->value[SPEED]);
}

static int fcc_in_rows(const myr_model_spec *spec)
{
    (void)spec;
    return 1;
}

const myr_model_kind myr_fcc_model = {
    .info = {"fcc", "face-centred cubic lattice of a number density, with thermal velocities; unit masses", 1},
    .place = fcc_place,
    .in_rows = fcc_in_rows,
    .param = {[DENSITY] = {{"density", "particles per volume", 1, 1e-300, MYR_HUGE}, MYR_PER_VOLUME},
              [MASS] = MYR_THERMAL_MASS,
              [TEMPERATURE] = MYR_THERMAL_TEMPERATURE,
              [CENTRE] = MYR_THERMAL_CENTRE,
              [SPEED] = MYR_THERMAL_SPEED},
};
