/* uniform_field.c - the same acceleration everywhere: Phi = -g.x, 0 at the centre. */
#include "model/external.h"

enum { GX, GY, GZ };

static void uniform_field_at(const double *p, const double x[3], const double v[3], double time,
                             myr_external_field *field)
{
    (void)v;
    (void)time;
    field->potential = 0;
    for (int c = 0; c < 3; c++) {
        field->potential -= p[GX + c] * x[c];
        field->acceleration[c] = p[GX + c];
        field->jerk[c] = 0;
    }
}

static int uniform_field_round(const double *p)
{
    return p[GX] == 0 && p[GY] == 0;
}

const myr_external_class myr_uniform_field_external = {
    .info = {"uniform_field", "the same acceleration everywhere, also of particles in a box", 1},
    .at = uniform_field_at,
    .round = uniform_field_round,
    .param = {[GX] = {{"acceleration_x", "acceleration along x", 0, -MYR_HUGE, MYR_HUGE}, MYR_ACCELERATION},
              [GY] = {{"acceleration_y", "acceleration along y", 0, -MYR_HUGE, MYR_HUGE}, MYR_ACCELERATION},
              [GZ] = {{"acceleration_z", "acceleration along z", 0, -MYR_HUGE, MYR_HUGE}, MYR_ACCELERATION}},
};
