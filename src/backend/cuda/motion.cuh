/* motion.cuh - integrators on the device. Compiled like sweep.cuh, for CUDA_RESIDENT. The formulas are those of the
 * processor (backend/motion.h), in the same order: with `fixed` sums in portable arithmetic a trajectory has the same
 * bits on both. */
#include "backend/cuda/sweep.cuh"

#include "backend/cuda/bodies.cuh"

#if CUDA_OUTPUTS == 0
/* --- fixed steps -------------------------------------------------------------------------------------------------- */
extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) move(const __grid_constant__ myr_cuda_move m)
{
    const int64_t i = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x;
    if (i >= m.bodies.n)
        return;
    for (int k = 0; k < m.sums; k++)
        motion_sum_at(&m.sum[k], i);
    if (m.bodies.record)
        put_body(m.bodies, i, 0);
}
#endif

#if CUDA_OUTPUTS == 6
/* --- Hermite scheme with block steps ------------------------------------------------------------------------------ */
#include "backend/cuda/hermite.cuh"

extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS) hermite(const __grid_constant__ myr_cuda_hermite h)
{
    extern __shared__ __align__(16) char shared[];
    myr_cuda_sweep a = h.sweep;
    hermite_team t = team_of(blockIdx.x, gridDim.x, h.progress);
    const hermite_done d = hermite_steps(h, a, t, 0, shared);
    if (t.thread == 0)
        hermite_tell(h.progress, d, h.progress->undo);
}

/* Undoes the last step. */
extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) undo(const __grid_constant__ myr_cuda_hermite h)
{
    const int64_t k = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x;
    if (k < h.progress->last)
        undo_body(h, k);
}
#endif
