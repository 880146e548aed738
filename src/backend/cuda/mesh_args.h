/* mesh_args.h - arguments of the device kernels of mesh.cuh. Compiled by the host's compiler and by NVRTC, which must
 * agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_MESH_ARGS_H
#define MYR_BACKEND_CUDA_MESH_ARGS_H

#include "backend/cuda/launch_args.h"

enum {
    MYR_CUDA_MESH_WIDEST = 16, /* as MYR_MESH_MOST of method/mesh/mesh_window.h */
    MYR_CUDA_MESH_POWERS = 21, /* as MYR_MESH_DEGREES there */
    MYR_CUDA_MESH_THREADS = 256,
    MYR_CUDA_MESH_SCAN = 1024, /* threads of the block that scans the tiles' counts */
    /* mesh points of a tile: places of one tile are spread and gathered by one block */
    MYR_CUDA_MESH_TILE_X = 16,
    MYR_CUDA_MESH_TILE_Y = 16,
    MYR_CUDA_MESH_TILE_Z = 8,
    MYR_CUDA_MESH_PARTS = 20 /* bits of a strength, as a part of the largest, in the sums by tile */
};

/* What the kernels find out. */
typedef struct {
    unsigned long long most;  /* bits of the largest |component| of a strength, a double */
    unsigned long long total; /* sum of the strengths' parts of `most`, MYR_CUDA_MESH_PARTS bits each */
    unsigned long long bound; /* largest such sum over the sources that can touch one mesh point */
    uint32_t bad;             /* 1 = a position or a strength is not finite, 2 = a result is not */
    uint32_t unused;
} myr_cuda_mesh_state;

/* Bytes of a place, in reals of the mesh. */
#define MYR_CUDA_MESH_RECORD 8

/* Coefficient [power][point] of the weights' polynomials, as myr_mesh_window: weights, and those of derivatives. With
 * them the arguments have more than 4096 bytes: CUDA 12.1 and later. */
typedef union {
    float single[2][MYR_CUDA_MESH_POWERS * MYR_CUDA_MESH_WIDEST];
    double wide[2][MYR_CUDA_MESH_POWERS * MYR_CUDA_MESH_WIDEST];
} myr_cuda_mesh_window;

/* Arguments of all kernels. */
typedef struct {
    const double *x[3], *strength[3]; /* [n]: sources or targets; null strengths = 0 */
    int64_t n;
    uint32_t *rank;          /* [n]: number of a place among those of its tile */
    uint32_t *first;         /* [all tiles + 1]: numbers of places by tile, then the first place of each */
    void *record;            /* [n]: places in the order of tiles */
    unsigned long long *sum; /* [all tiles]: of the strengths' parts */
    myr_cuda_mesh_state *state;
    /* [3][side z][side y][row]: integers while strengths are spread, then reals; transforms in place, row/2 complex
     * numbers */
    void *grid;
    const void *wave[3], *damped[3]; /* reals [side]: wave numbers, and factors by wave along each axis */
    double *value[6];                /* [n] each: outputs; null = not wanted */
    double edge[3];
    double slope[3]; /* points per length: derivatives by position from those in spacings */
    double classical, transposed;
    int32_t velocity, stretching; /* 1 = outputs: velocity first, stretching after it */
    int32_t side[3], tiles[3];
    int32_t reach[3]; /* tiles below its own, along each axis, whose sources can touch a point */
    int32_t row;
    myr_cuda_mesh_window window;
} myr_cuda_mesh_pass;

#endif
