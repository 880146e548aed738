/* far_cells_inside.h - cells as pseudo-particles in the far fields of a device: far_cells.c. */
#ifndef MYR_BACKEND_CUDA_FAR_CELLS_INSIDE_H
#define MYR_BACKEND_CUDA_FAR_CELLS_INSIDE_H

#include "backend/cuda/far_cells_args.h"
#include "backend/cuda/far_inside.h"

enum { CELLS_RANGES_PER_LEAF = 64 }; /* room of the lists at first */

/* Kernels of far_cells.cuh and far_groups.cuh, after they were compiled with far_tree.cuh. */
myr_status cuda_far_cells_kernels(myr_cuda_far *far);

/* Copies the design of spheres to the device. */
myr_status cuda_far_cells_send(myr_cuda_far *far, const myr_cuda_far_cells *cells);

/* Room for the records of particles and pseudo-particles, after the tree was built. */
myr_status cuda_far_cells_record(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

/* Moments and pseudo-particles of all cells; then the lists of the tree code's groups. */
myr_status cuda_far_cells_make(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_cells_groups(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

#endif
