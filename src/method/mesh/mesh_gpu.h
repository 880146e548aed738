/* mesh_gpu.h - a mesh on a GPU, from the choice of method/mesh/mesh_choice.h. */
#ifndef MYR_METHOD_MESH_GPU_H
#define MYR_METHOD_MESH_GPU_H

#include "backend/gpu.h"
#include "method/mesh/mesh_choice.h"

/* Smallest tolerance that floats keep: strengths are rounded to 32-bit integers, and transforms in floats are off by
 * 1e-6. */
#define MYR_MESH_GPU_FLOATS 2e-5

/* Opens a mesh on the first GPU, with fitted weights or those of the window; the lower corner of the box is at the
 * origin. */
myr_status myr_mesh_gpu_open(myr_context *context, const myr_gpu *gpu, const myr_mesh_choice *choice,
                             const double edge[3], int fitted, int in_double, myr_cuda_mesh **mesh);

#endif
