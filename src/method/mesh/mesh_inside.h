/* mesh_inside.h - mesh and places for the files that implement mesh.h. */
#ifndef MYR_METHOD_MESH_INSIDE_H
#define MYR_METHOD_MESH_INSIDE_H

#include "method/mesh/mesh.h"
#include "method/mesh/mesh_window.h"
#include "method/spectral/fourier.h"

enum {
    MYR_MESH_LANES = 8,         /* doubles per vector */
    MYR_MESH_SINGLE_LANES = 16, /* floats per vector */
    MYR_MESH_TILE = 8           /* mesh points along y and z of a tile of places; wider if the window is */
};

/* Passes over the mesh between spreading and gathering, by precision (mesh_passes.c): planes z and rows ky. */
typedef struct {
    void (*forward)(const myr_mesh *m, int64_t z); /* integers of the grid to fields, transformed along x and y */
    void (*row)(const myr_mesh *m, int64_t r, int again, double *room, myr_mesh_kernel *kernel,
                void *user);                       /* along z, times the kernel, and back */
    void (*inverse)(const myr_mesh *m, int64_t z); /* fields to the grid's numbers */
    void (*transform_row)(const myr_mesh *m, int64_t r);
    void (*modes)(const myr_mesh *m, int64_t r, int64_t modes, int fold, double *const wound[3], double *const hat[3]);
    void (*values)(const myr_mesh *m, int64_t r, int64_t modes, double *const wound[3], const double *const hat[3]);
} myr_mesh_passes;
extern const myr_mesh_passes myr_mesh_passes_double, myr_mesh_passes_single;

struct myr_mesh {
    myr_context *context;
    int threads;
    myr_mesh_choice choice;
    double edge[3], origin[3];
    myr_mesh_window window;
    float coefficient[MYR_MESH_DEGREES][MYR_MESH_MOST]; /* of the window, where numbers are floats */
    const myr_mesh_passes *passes;
    /* [z][y][x][3]: three numbers per point, integers while sources are spread and doubles while sums are gathered, or
     * integers of 32 bits and floats. A row has side[0] + width points; the last ones are copies of its beginning. */
    void *grid;
    int64_t bytes;                /* of a number: 8 or 4 */
    int64_t row;                  /* numbers of a row */
    void *field[3];               /* fields in the layout of fourier.h, of doubles or floats */
    void *kept[3];                /* coefficients of the sources, as `field`; null = they are not kept */
    double *wave[3], *unwound[3]; /* [side]: wave number, and 1/(transform of the window)^2 by index along an axis */
    double *damped[3];            /* [side]: unwound times the transform of a Gaussian */
    double core;                  /* of `damped`; -1 = not computed */
    double unit;                  /* value of the integer 1 */
    int64_t tiles[2];             /* along y and z: 1, or an even number */
    int64_t *turn;                /* [side[0]]: rank of a column of points along x in the order of places */
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
