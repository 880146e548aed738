/* far_cells_inside.h - cells as pseudo-particles in the far fields of a device: far_cells.c. */
#ifndef MYR_BACKEND_CUDA_FAR_CELLS_INSIDE_H
#define MYR_BACKEND_CUDA_FAR_CELLS_INSIDE_H

#include "backend/cuda/far_cells_args.h"
#include "backend/cuda/far_inside.h"

enum { CELLS_RANGES_PER_LEAF = 64 }; /* room of the lists at first */

/* Kernels of far_cells.cuh and far_groups.cuh, after they were compiled with far_tree.cuh. */
myr_status cuda_far_cells_kernels(myr_cuda_far *far);

/* Arguments of the kernels; launch of one. Number of cells of the last tree. */
myr_far_cells cuda_far_cells_arguments(const myr_cuda_far *far, const myr_direct *job,
                                       const myr_cuda_far_options *options);
myr_status cuda_far_cells_launch(const myr_cuda_far *far, far_cell_kernel kernel, const char *what, int64_t threads,
                                 unsigned block, myr_far_cells *a);
int32_t cuda_far_cells_count(const myr_cuda_far *far);

/* Threads of a block with one thread per point of a sphere. */
unsigned cuda_far_cells_sphere(const myr_cuda_far_cells *cells);

/* Copies the design of spheres to the device. */
myr_status cuda_far_cells_send(myr_cuda_far *far, const myr_cuda_far_cells *cells);

/* Room for the records of particles and pseudo-particles, after the tree was built. */
myr_status cuda_far_cells_record(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

/* Moments and pseudo-particles of all cells; then the lists of the tree code's groups. */
myr_status cuda_far_cells_make(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_cells_groups(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

/* The pseudo-particle method: far_pseudo.c. Memory; lists of inner spheres and of leaves; fields on inner spheres from
 * far cells; from the spheres of parents; at the particles. */
myr_status cuda_far_pseudo_rooms(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_cells *cells);
myr_status cuda_far_pseudo_lists(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_pseudo_across(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_pseudo_down(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);
myr_status cuda_far_pseudo_read(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options);

#endif
