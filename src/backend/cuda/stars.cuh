/* stars.cuh - many systems of stars in one launch: each makes block steps of the Hermite scheme in a team of its own,
 * mostly one block, which waits for nobody else. Compiled like sweep.cuh with CUDA_RESIDENT 1, CUDA_OUTPUTS 6 and
 * CUDA_TARGETS 1. Systems may differ in the number of bodies and in every number of myr_cuda_hermite. */
#define SWEEP_PAIRS_ONLY 1
#include "backend/cuda/sweep.cuh"

#include "backend/cuda/hermite.cuh"

/* Copies the arguments of a system to shared memory, by all threads of the block. */
MYR_FN void stars_take(myr_cuda_hermite *to, const myr_cuda_hermite *from)
{
    static_assert(sizeof(myr_cuda_hermite) % sizeof(uint64_t) == 0, "arguments are copied in whole words");
    for (unsigned k = threadIdx.x; k < sizeof *to / sizeof(uint64_t); k += blockDim.x)
        ((uint64_t *)to)[k] = ((const uint64_t *)from)[k];
}

extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS) stars(const __grid_constant__ myr_cuda_stars_steps m)
{
    extern __shared__ __align__(16) char bags[];
    __shared__ myr_cuda_hermite h;
    __shared__ myr_cuda_progress own;
    __shared__ myr_cuda_report report;
    const int64_t place = blockIdx.x / m.blocks, system = m.which[place];
    const int is_alone = m.blocks == 1;
    stars_take(&h, m.system + system);
    for (unsigned k = threadIdx.x; k < sizeof report / sizeof(uint32_t); k += blockDim.x)
        ((uint32_t *)&report)[k] = 0;
    __syncthreads();
    if (threadIdx.x == 0 && is_alone) {
        own = m.progress[system];
        h.sweep.report = &report;
    }
    __syncthreads();
    hermite_team t = team_of(blockIdx.x - place * m.blocks, m.blocks, is_alone ? &own : m.progress + system);
    const hermite_done d = hermite_steps(h, h.sweep, t, 1, bags);
    const int undone = *(volatile int32_t *)&t.p->undo;
    for (int64_t k = t.thread; undone && k < d.last; k += t.threads)
        undo_body(h, k);
    if (t.thread == 0) {
        hermite_tell(t.p, d, undone);
        if (is_alone)
            m.progress[system] = own;
    }
}
