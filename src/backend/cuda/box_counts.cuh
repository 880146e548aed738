/* box_counts.cuh - counts for observables of particles in a box on a GPU, included by box.cuh: pairs by distance, of
 * all pairs of particles, and particles by slice. Bins are those of the processor (backend/box_counts.h). */
#include "backend/box_counts.h"

/* Position as the processor computes it (domain/box.c). */
MYR_FN double counted_position(const myr_box_counts &a, int c, uint64_t q)
{
    return a.origin[c] + a.length[c] * ((double)q * 0x1p-64);
}

/* A particle in shared memory. */
struct counted_particle {
    uint64_t q[3];
    int32_t type;
};

MYR_FN counted_particle load_counted(const myr_box_counts &a, const myr_box_side &s, int64_t i)
{
    counted_particle p;
    for (int c = 0; c < 3; c++)
        p.q[c] = s.q[c][i];
    p.type = a.set.types > 1 ? a.all.type[s.row[i]] : 0;
    return p;
}

/* Bin of a pair; -1 beyond the reach. In floats, unless it is so close to the edge of a bin that rounding may decide.
 */
MYR_FN int64_t pair_bin(const myr_box_counts &a, const counted_particle &one, const counted_particle &other)
{
    float r2 = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const float d = (float)(int32_t)((uint32_t)(one.q[c] >> 32) - (uint32_t)(other.q[c] >> 32)) * a.unit[c];
        r2 = fmaf(d, d, r2);
    }
    const float bin = sqrtf(r2) * a.bins_per_length;
    if (fabsf(bin - rintf(bin)) > a.unsure)
        return bin < (float)a.set.rows ? (int64_t)bin : -1;
    double away[3];
    for (int c = 0; c < 3; c++)
        away[c] = counted_position(a, c, one.q[c]) - counted_position(a, c, other.q[c]);
    return box_counting_bin(&a.set, a.inverse, a.per_length, away);
}

/* A block counts the pairs of a tile of particles with a part of those that follow. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_count_pairs(const __grid_constant__ myr_box_counts a)
{
    __shared__ counted_particle others[MYR_BOX_THREADS];
    __shared__ unsigned of_block[MYR_BOX_BINS];
    const myr_box_side &s = a.all.side[a.all.slot[0].side];
    const int64_t tile = blockIdx.x / a.parts, part = blockIdx.x % a.parts, n = a.all.n;
    const int64_t i = tile * MYR_BOX_THREADS + threadIdx.x;
    const int64_t first = part * MYR_BOX_PART > tile ? part * MYR_BOX_PART : tile, end = (part + 1) * MYR_BOX_PART;
    const int64_t bins = a.set.rows * a.set.columns;
    const int is_small = bins <= MYR_BOX_BINS;
    if (first >= end)
        return;
    for (int64_t k = threadIdx.x; is_small && k < bins; k += MYR_BOX_THREADS)
        of_block[k] = 0;
    const counted_particle mine = load_counted(a, s, i < n ? i : n - 1);
    for (int64_t other = first; other < end && other * MYR_BOX_THREADS < n; other++) {
        const int64_t from = other * MYR_BOX_THREADS, j = from + threadIdx.x;
        __syncthreads();
        others[threadIdx.x] = load_counted(a, s, j < n ? j : n - 1);
        __syncthreads();
        for (int k = 0; k < MYR_BOX_THREADS && from + k < n; k++) {
            if (i >= n || from + k <= i)
                continue;
            const int64_t bin = pair_bin(a, mine, others[k]);
            const int64_t at = bin + a.set.rows * box_counting_pair(mine.type, others[k].type);
            if (bin >= 0 && is_small)
                atomicAdd(&of_block[at], 1u);
            else if (bin >= 0)
                atomicAdd(a.count + at, 1ull);
        }
    }
    __syncthreads();
    for (int64_t k = threadIdx.x; is_small && k < bins; k += MYR_BOX_THREADS)
        if (of_block[k])
            atomicAdd(a.count + k, (unsigned long long)of_block[k]);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_count_slices(const __grid_constant__ myr_box_counts a)
{
    const myr_box_side &s = a.all.side[a.all.slot[0].side];
    const int64_t i = (int64_t)blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    if (i >= a.all.n)
        return;
    const int axis = a.set.axis;
    const int64_t slice = box_counting_slice(&a.set, counted_position(a, axis, s.q[axis][i]));
    const int32_t type = a.set.types > 1 ? a.all.type[s.row[i]] : 0;
    if (slice >= 0)
        atomicAdd(a.count + (type * a.set.rows + slice), 1ull);
}
