/* harmonic.c - harmonic trap: Phi = 1/2 sum of (omega_c x_c)^2. */
#include "model/external.h"

enum { OX, OY, OZ };

static void harmonic_at(const double *p, const double x[3], const double v[3], double time, myr_external_field *field)
{
    (void)time;
    field->potential = 0;
    for (int c = 0; c < 3; c++) {
        const double rate2 = p[OX + c] * p[OX + c];
        field->potential += 0.5 * rate2 * x[c] * x[c];
        field->acceleration[c] = -rate2 * x[c];
        field->jerk[c] = -rate2 * v[c];
    }
}

static int harmonic_round(const double *p)
{
    return p[OX] == p[OY];
}

const myr_external_class myr_harmonic_external = {
    .info = {"harmonic", "harmonic trap: 1/2 sum of (omega_c x_c)^2, also of particles in a box", 1},
    .at = harmonic_at,
    .round = harmonic_round,
    .param = {[OX] = {{"omega_x", "angular frequency along x; 0 = free", 0, 0, MYR_HUGE}, MYR_RATE},
              [OY] = {{"omega_y", "angular frequency along y; 0 = free", 0, 0, MYR_HUGE}, MYR_RATE},
              [OZ] = {{"omega_z", "angular frequency along z; 0 = free", 0, 0, MYR_HUGE}, MYR_RATE}},
};
