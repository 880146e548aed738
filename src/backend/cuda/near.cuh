/* near.cuh - sources near targets, on a GPU: every pair is compared in double, with the additions and multiplications of
 * the processor in the same order, so that lists are the same. near_mask writes a bit for each pair; near_list makes
 * ascending lists of the bits. No order of threads changes a result. */
#include "backend/cuda/near_args.h"

#define NEAR_FN static __device__ __forceinline__
#define NEAR_KERNEL(name)                                                                                              \
    extern "C" __global__ void __launch_bounds__(MYR_NEAR_THREADS) name(const __grid_constant__ myr_cuda_near a)

struct near_source {
    double x[3], v[3], factor;
};

/* Whether a source is near a target, now or after the target's time; t: columns of the target. */
NEAR_FN int is_near(const near_source &s, const double *t)
{
    const double bound = t[6] * s.factor;
    double now = 0, then = 0;
    for (int c = 0; c < 3; c++) {
        const double r = s.x[c] - t[c], d = r + t[7] * (s.v[c] - t[3 + c]);
        now += r * r;
        then += d * d;
    }
    return now < bound || then < bound;
}

/* A warp takes every a.parts-th word of a group of targets; its lanes have one source each. */
NEAR_KERNEL(near_mask)
{
    __shared__ double target[MYR_NEAR_THREADS / 32][MYR_NEAR_TARGETS][MYR_NEAR_TARGET];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t item = (int64_t)blockIdx.x * (MYR_NEAR_THREADS / 32) + warp;
    const int64_t first = item / a.parts * MYR_NEAR_TARGETS, left = a.targets - first;
    const int some = left < 0 ? 0 : left < MYR_NEAR_TARGETS ? (int)left : MYR_NEAR_TARGETS;
    double(*mine)[MYR_NEAR_TARGET] = target[warp];
    for (int k = lane; k < some * MYR_NEAR_TARGET; k += 32)
        mine[k / MYR_NEAR_TARGET][k % MYR_NEAR_TARGET] = a.target[k % MYR_NEAR_TARGET * a.targets + first + k / MYR_NEAR_TARGET];
    __syncwarp();
    int found = 0; /* by this lane's target */
    for (int64_t word = item % a.parts; some > 0 && word < a.words; word += a.parts) {
        const int64_t j = 32 * word + lane;
        const int is_there = j < a.sources;
        near_source s;
        for (int c = 0; c < 3; c++) {
            s.x[c] = is_there ? a.source[c * a.sources + j] : 0;
            s.v[c] = is_there ? a.source[(3 + c) * a.sources + j] : 0;
        }
        s.factor = is_there ? a.source[6 * a.sources + j] : 0;
        unsigned bits = 0;
        for (int t = 0; t < some; t++) {
            const unsigned all = __ballot_sync(~0u, is_there && is_near(s, mine[t]));
            bits = lane == t ? all : bits;
        }
        if (lane < some)
            a.mask[(first + lane) * a.words + word] = bits;
        found += __popc(bits);
    }
    if (lane < some && found > 0)
        atomicAdd(&a.count[first + lane], found);
}

/* A warp for each target. */
NEAR_KERNEL(near_list)
{
    const int lane = threadIdx.x % 32;
    const int64_t t = (int64_t)blockIdx.x * (MYR_NEAR_THREADS / 32) + threadIdx.x / 32;
    const int64_t words = t < a.targets ? a.words : 0;
    int64_t begin = t < a.targets ? a.offset[t] : 0;
    for (int64_t word = 0; word < words; word += 32) {
        unsigned bits = word + lane < words ? a.mask[t * a.words + word + lane] : 0;
        const int count = __popc(bits);
        int sum = count;
        for (int far = 1; far < 32; far *= 2) {
            const int before = __shfl_up_sync(~0u, sum, far);
            sum += lane >= far ? before : 0;
        }
        int64_t to = begin + sum - count;
        for (; bits; bits &= bits - 1)
            a.list[to++] = (int32_t)(32 * (word + lane)) + __ffs((int)bits) - 1;
        begin += __shfl_sync(~0u, sum, 31);
    }
}
