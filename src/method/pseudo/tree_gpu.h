/* tree_gpu.h - the tree code on a GPU: the octree, the loops and the particles of the fast multipole method there, with
 * the cells, groups and rule of method/tree/tree.c. */
#ifndef MYR_METHOD_PSEUDO_TREE_GPU_H
#define MYR_METHOD_PSEUDO_TREE_GPU_H

#include "backend/backend.h"
#include "method/tree/tree.h"

struct myr_cuda_motion;
struct myr_cuda_motion_set;

typedef struct myr_tree_gpu myr_tree_gpu;

/* Evaluates a problem like myr_tree_run. The programs and memory of *gpu, made at the first call, are used again. */
myr_status myr_tree_gpu_run(myr_tree_gpu **gpu, const myr_isa_table *isa, const myr_direct *problem,
                            const myr_tree_options *options, myr_direct_result *result, myr_tree_report *report);
void myr_tree_gpu_destroy(myr_tree_gpu **gpu);

/* Keeps the particles of a problem on a GPU for an integrator; see myr_method_table.open_motion. */
myr_status myr_tree_gpu_motion(const myr_isa_table *isa, const myr_direct *problem, const myr_tree_options *options,
                               const struct myr_cuda_motion_set *set, struct myr_cuda_motion **motion);

#endif
