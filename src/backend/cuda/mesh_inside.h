/* mesh_inside.h - vortex elements on a mesh on a device, shared by mesh.c, mesh_run.c and mesh_motion.c. */
#ifndef MYR_BACKEND_CUDA_MESH_INSIDE_H
#define MYR_BACKEND_CUDA_MESH_INSIDE_H

#include "backend/cuda/cuda.h"
#include "backend/cuda/cufft.h"
#include "backend/cuda/mesh_args.h"

typedef enum {
    MESH_COUNT,
    MESH_SCAN,
    MESH_PLACE,
    MESH_WEIGH,
    MESH_BOUND,
    MESH_SPREAD,
    MESH_REAL,
    MESH_VELOCITY,
    MESH_GATHER,
    MESH_MOVE,
    MESH_KERNELS
} mesh_kernel;

struct myr_cuda_mesh {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* stream and buffers of its own */
    int in_double, width;
    cudaLibrary_t library;
    cudaKernel_t kernel[MESH_KERNELS];
    cuda_fourier fourier;
    myr_cuda_mesh_pass pass;      /* what does not change between evaluations */
    double *wave[3], *unwound[3]; /* host copies, [side] */
    double core;                  /* of the factors on the device; 0 = none */
    cudaEvent_t mark[MYR_CUDA_MESH_PHASES + 1];
    myr_cuda_mesh_state *state; /* pinned copy of the device's, after an evaluation */
};

/* What an evaluation reads and writes, in device memory. */
typedef struct {
    int64_t n, m;
    const double *x[3], *strength[3];
    const double *at[3], *turned[3]; /* [m]: targets and their strengths; at[0] = null: the sources */
    const myr_cuda_mesh_form *form;
    double *value[6]; /* [m]; null = not wanted */
} mesh_arrays;

/* Number of tiles. */
static inline int64_t mesh_tiles(const myr_cuda_mesh *mesh)
{
    const int32_t *tiles = mesh->pass.tiles;
    return (int64_t)tiles[0] * tiles[1] * tiles[2];
}

/* Points of a field, with the padding of its rows. */
static inline int64_t mesh_points(const myr_cuda_mesh *mesh)
{
    const int32_t *side = mesh->pass.side;
    return (int64_t)mesh->pass.row * side[1] * side[2];
}

static inline size_t mesh_real_bytes(const myr_cuda_mesh *mesh)
{
    return mesh->in_double ? sizeof(double) : sizeof(float);
}

/* Evaluates and waits; mesh->state has what the kernels found. */
myr_status cuda_mesh_evaluate(myr_cuda_mesh *mesh, const mesh_arrays *arrays);

/* Launches a kernel with `blocks` blocks; 0 blocks = nothing. */
myr_status cuda_mesh_launch(const myr_cuda_mesh *mesh, mesh_kernel kernel, int64_t blocks, void *arguments,
                            size_t size);

#endif
