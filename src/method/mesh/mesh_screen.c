/* mesh_screen.c - polynomials of screened pairs; see mesh_screen.h. */
#include "method/mesh/mesh_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/mesh/mesh_window.h"

#define SCREEN_PIECE 0.5 /* length of a piece in s */

/* H and G; the quotients lose digits below s = 1, where a series does not. */
static void screen_exact(double s, double *h, double *g)
{
    const double root = 2 / sqrt(acos(-1.0));
    if (s >= 1) {
        *h = erf(sqrt(s)) / sqrt(s);
        *g = (*h - root * exp(-s)) / s;
        return;
    }
    double term = root;
    *h = *g = 0;
    for (int m = 0; m < 24; term *= -s / ++m) {
        *h += term / (2 * m + 1);
        *g += 2 * term / (2 * m + 3);
    }
}

int myr_mesh_screen_create(double splitting, double cutoff, myr_mesh_screen *screen)
{
    const double pieces_per_r2 = splitting * splitting / SCREEN_PIECE, scale[2] = {splitting, pow(splitting, 3)};
    const int pieces = (int)(cutoff * cutoff * pieces_per_r2) + 2; /* the last one has the cutoff, however it rounds */
    *screen = (myr_mesh_screen){pieces_per_r2, myr_memory_zeros(pieces, sizeof *screen->coefficient)};
    for (int p = 0; p < pieces && screen->coefficient; p++) {
        double value[2][MYR_MESH_DEGREES] = {{0}}, power[MYR_MESH_DEGREES];
        for (int i = 0; i < MYR_MESH_SCREEN_TERMS; i++) {
            const double x = cos(acos(-1.0) * (i + 0.5) / MYR_MESH_SCREEN_TERMS);
            screen_exact(SCREEN_PIECE * (p + 0.5 * (1 + x)), &value[0][i], &value[1][i]);
        }
        for (int k = 0; k < 2; k++) {
            myr_mesh_window_polynomial(MYR_MESH_SCREEN_TERMS - 1, value[k], power);
            for (int j = 0; j < MYR_MESH_SCREEN_TERMS; j++)
                screen->coefficient[p][k][j] = scale[k] * power[j];
        }
    }
    return screen->coefficient != NULL;
}

void myr_mesh_screen_destroy(myr_mesh_screen *screen)
{
    free(screen->coefficient);
    screen->coefficient = NULL;
}
