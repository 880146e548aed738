/* mesh_inside.h - mesh and places for the files that implement mesh.h. */
#ifndef MYR_METHOD_MESH_INSIDE_H
#define MYR_METHOD_MESH_INSIDE_H

#include "method/mesh/mesh.h"
#include "method/mesh/mesh_window.h"
#include "method/spectral/fourier.h"

enum {
    MYR_MESH_LANES = 8,   /* numbers per vector */
    MYR_MESH_VECTORS = 6, /* vectors of a row of the widest window: 3 MYR_MESH_MOST numbers */
    MYR_MESH_TILE = 8     /* mesh points along y and z of a tile of places; wider if the window is */
};

struct myr_mesh {
    myr_context *context;
    int threads;
    myr_mesh_choice choice;
    double edge[3];
    myr_mesh_window window;
    /* [z][y][x][3]: three numbers per point, integers while sources are spread and doubles while sums are gathered. A
     * row has side[0] + width points; the last ones are copies of its beginning. */
    void *grid;
    int64_t row;                  /* numbers of a row */
    double *field[3];             /* fields in the layout of fourier.h */
    double *wave[3], *unwound[3]; /* [side]: wave number, and 1/(transform of the window)^2 by index along an axis */
    double *damped[3];            /* [side]: unwound times the transform of a Gaussian */
    double core;                  /* of `damped`; -1 = not computed */
    double unit;                  /* value of the integer 1 */
    int64_t tiles[2];             /* along y and z: 1, or an even number */
    int64_t *wrap[2];             /* [side + width]: offsets of rows along y and of planes along z, wrapped */
    myr_fourier *fourier;
};

/* A position: first point that it touches along each axis, and distance to it, in spacings, 0 to 1. */
typedef struct {
    int32_t first[3];
    double beyond[3];
} myr_mesh_place;

struct myr_mesh_places {
    int64_t n;
    int64_t *tile;  /* [tiles + 1]: first place of each tile */
    int64_t *order; /* [n]: number of the position at each place */
    myr_mesh_place *place;
};

/* Spreads places begin .. end - 1 with weights in units of the integers, and gathers at one place. */
typedef void myr_mesh_spread_loop(const myr_mesh *m, const myr_mesh_places *p, int64_t begin, int64_t end,
                                  const double *const weight[3], double scale);
typedef void myr_mesh_gather_loop(const myr_mesh *m, const myr_mesh_place *p, int gradient, double sum[12]);

/* Loops for the mesh's window on this machine. */
myr_mesh_spread_loop *myr_mesh_spread_best(const myr_mesh *m);
myr_mesh_gather_loop *myr_mesh_gather_best(const myr_mesh *m);

#endif
