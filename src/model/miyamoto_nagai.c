/* miyamoto_nagai.c - disc of Miyamoto and Nagai (1975): Phi = -G M/sqrt(R^2 + (a + sqrt(z^2 + b^2))^2).
 *
 * The plane of the disc is z = 0. a = 0 gives Plummer's sphere, b = 0 Kuzmin's razor-thin disc. */
#include <math.h>

#include "model/external.h"

enum { G, MASS, A, B };

static void miyamoto_nagai_at(const double *p, const double x[3], const double v[3], double time,
                              myr_external_field *field)
{
    (void)time;
    const double h = sqrt(x[2] * x[2] + p[B] * p[B]), reach = p[A] + h;
    const double s2 = x[0] * x[0] + x[1] * x[1] + reach * reach;
    /* ratio of the vertical to the horizontal pull per distance; 0 inside a disc without thickness */
    const double up = h > 0 ? reach / h : 0;
    const double potential = -p[G] * p[MASS] / sqrt(s2), pull = -potential / s2;
    const double dh = h > 0 ? x[2] * v[2] / h : 0;                                       /* dh/dt */
    const double ds2 = 2 * (x[0] * v[0] + x[1] * v[1] + reach * dh);                     /* ds2/dt */
    const double dpull = -1.5 * pull * ds2 / s2, dup = h > 0 ? -p[A] * dh / (h * h) : 0; /* up = 1 + a/h */
    field->potential = potential;
    for (int c = 0; c < 2; c++) {
        field->acceleration[c] = -pull * x[c];
        field->jerk[c] = -pull * v[c] - dpull * x[c];
    }
    field->acceleration[2] = -pull * up * x[2];
    field->jerk[2] = -pull * up * v[2] - (dpull * up + pull * dup) * x[2];
}

const myr_external_class myr_miyamoto_nagai_external = {
    .info = {"miyamoto_nagai", "disc: -G M/sqrt(R^2 + (a + sqrt(z^2 + b^2))^2)", 1},
    .at = miyamoto_nagai_at,
    .param = {[G] = MYR_EXTERNAL_G,
              [MASS] = MYR_EXTERNAL_M("mass of the disc"),
              [A] = {{"a", "scale length", 1, 0, MYR_HUGE}, MYR_LENGTH},
              [B] = {{"b", "scale height", 0.1, 0, MYR_HUGE}, MYR_LENGTH}},
};
