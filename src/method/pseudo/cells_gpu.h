/* cells_gpu.h - the tree code and the pseudo-particle method on a GPU: the octree, the loops and the particles of the
 * fast multipole method there, with the cells and lists of method/tree and method/pseudo. */
#ifndef MYR_METHOD_PSEUDO_CELLS_GPU_H
#define MYR_METHOD_PSEUDO_CELLS_GPU_H

#include "backend/backend.h"
#include "method/pseudo/pseudo.h"
#include "method/tree/tree.h"

struct myr_cuda_motion;
struct myr_cuda_motion_set;

typedef struct myr_cells_gpu myr_cells_gpu;

/* Evaluate a problem like myr_tree_run and myr_pseudo_run. The programs and memory of *gpu, made at the first call, are
 * used again. */
myr_status myr_cells_gpu_tree(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                              const myr_tree_options *options, myr_direct_result *result, myr_tree_report *report);
myr_status myr_cells_gpu_pseudo(myr_cells_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                                const myr_pseudo_options *options, myr_direct_result *result,
                                myr_pseudo_report *report);
void myr_cells_gpu_destroy(myr_cells_gpu **gpu);

/* Keep the particles of a problem on a GPU for an integrator; see myr_method_table.open_motion. */
myr_status myr_cells_gpu_tree_motion(const myr_isa_table *isa, const myr_direct *problem,
                                     const myr_tree_options *options, const struct myr_cuda_motion_set *set,
                                     struct myr_cuda_motion **motion);
myr_status myr_cells_gpu_pseudo_motion(const myr_isa_table *isa, const myr_direct *problem,
                                       const myr_pseudo_options *options, const struct myr_cuda_motion_set *set,
                                       struct myr_cuda_motion **motion);

#endif
