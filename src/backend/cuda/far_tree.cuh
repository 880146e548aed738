/* far_tree.cuh - octree of the far field on a GPU: bounds, keys, radix sort, cells level by level, and the lists of
 * far_lists.cuh. The tree is that of method/tree/octree.c for the same particles and settings.
 *
 * Kernels that work on the cells of a level read its bounds from the state, because the host enqueues levels without
 * knowing how many cells they have. */
#include <stdint.h>

#include "backend/cuda/far_args.h"
#include "backend/motion.h"

#define FAR_FN static __device__ __forceinline__
#define FAR_KERNEL(name, type)                                                                                         \
    extern "C" __global__ void __launch_bounds__(MYR_FAR_THREADS) name(const __grid_constant__ type a)

/* --- particles ---------------------------------------------------------------------------------------------------- */

/* A coordinate as it is stored. */
FAR_FN double point_stored(const myr_far_points &p, int axis, int64_t i)
{
    const int64_t at = (int64_t)axis * p.coord_lanes * p.n + i;
    if (p.real_bytes == 8)
        return ((const double *)p.component)[at];
    const float *x = (const float *)p.component + at;
    return p.coord_lanes == 2 ? (double)x[0] + (double)x[p.n] : (double)x[0];
}

/* Wraps a coordinate into a periodic box, as myr_points_wrap. */
FAR_FN double wrap(double x, double origin, double period)
{
    if (x >= origin && x < origin + period)
        return x;
    const double inside = x - period * floor((x - origin) / period);
    return inside < origin + period ? inside : origin;
}

FAR_FN double point_at(const myr_far_points &p, int axis, int64_t i)
{
    const double x = point_stored(p, axis, i);
    return p.period[axis] > 0 ? wrap(x, p.origin[axis], p.period[axis]) : x;
}

/* Bits that order doubles as the numbers themselves. */
FAR_FN unsigned long long ordered_bits(double x)
{
    const unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

FAR_FN double ordered_value(unsigned long long bits)
{
    return __longlong_as_double((long long)(bits >> 63 ? bits & 0x7fffffffffffffffull : ~bits));
}

/* Stores a coordinate of particle i in its lane components. */
FAR_FN void put_coordinate(const myr_far_move &a, void *component, int axis, int64_t i, double x)
{
    const int64_t n = a.move.bodies.n, at = (int64_t)axis * a.coord_lanes * n + i;
    if (a.real_bytes == 8) {
        ((double *)component)[at] = x;
        return;
    }
    const float high = (float)x;
    ((float *)component)[at] = high;
    if (a.coord_lanes == 2)
        ((float *)component)[at + n] = (float)(x - (double)high);
}

FAR_FN void put_component(const myr_far_move &a, void *component, int lane, int64_t i, double x)
{
    const int64_t at = (int64_t)lane * a.move.bodies.n + i;
    if (a.real_bytes == 8)
        ((double *)component)[at] = x;
    else
        ((float *)component)[at] = (float)x;
}

/* Sums of a motion, then particles for the next evaluation. */
FAR_KERNEL(far_step, myr_far_move)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const myr_cuda_bodies &b = a.move.bodies;
    if (i >= b.n)
        return;
    for (int k = 0; k < a.move.sums; k++)
        motion_sum_at(&a.move.sum[k], i);
    for (int axis = 0; b.record && axis < 3; axis++) {
        put_coordinate(a, b.record, axis, i, b.x[axis][i]);
        if (b.velocity >= 0)
            put_component(a, b.record, b.velocity + axis, i, b.v[axis][i]);
        if (a.target)
            put_coordinate(a, a.target, axis, i, b.x[axis][i]);
        if (a.target && a.target_velocity >= 0)
            put_component(a, a.target, a.target_velocity + axis, i, b.v[axis][i]);
    }
}

/* Corners of the cuboid around all particles. */
FAR_KERNEL(far_bounds, myr_far_build)
{
    __shared__ unsigned long long all[6];
    unsigned long long most[6] = {0, 0, 0, 0, 0, 0};
    if (threadIdx.x < 6)
        all[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.points.n;
         i += (int64_t)gridDim.x * blockDim.x)
        for (int axis = 0; axis < 3; axis++) {
            const double x = point_at(a.points, axis, i);
            const unsigned long long low = ordered_bits(-x), high = ordered_bits(x);
            most[axis] = low > most[axis] ? low : most[axis];
            most[3 + axis] = high > most[3 + axis] ? high : most[3 + axis];
        }
    for (int k = 0; k < 6; k++) {
        for (int half = 16; half > 0; half /= 2) {
            const unsigned long long other = __shfl_xor_sync(~0u, most[k], half);
            most[k] = other > most[k] ? other : most[k];
        }
        if (threadIdx.x % 32 == 0)
            atomicMax(&all[k], most[k]);
    }
    __syncthreads();
    if (threadIdx.x < 6)
        atomicMax(&a.state->bound[threadIdx.x], all[threadIdx.x]);
}

/* Side of the root for which whole cells of side `least`, or slightly more, fill the extent; as cube_of_least of
 * octree.c. */
FAR_FN double cube_of_least(double extent, double least)
{
    const double cells = extent / least, whole = floor(cells);
    const int fits = cells - whole < 0.5;
    const double row = fits ? whole : whole + 1;
    double power = 1;
    while (power < row)
        power *= 2;
    return (fits ? fmax(extent / whole, least) : least) * power;
}

/* The root of a periodic box: the box, along open axes around the particles, as myr_images_root. */
FAR_FN void root_of_box(const myr_far_build &a)
{
    for (int axis = 0; axis < 3; axis++) {
        const double low = -ordered_value(a.state->bound[axis]), high = ordered_value(a.state->bound[3 + axis]);
        a.state->origin[axis] = a.box.periodic[axis] ? a.box.origin[axis] : 0.5 * (low + high) - 0.5 * a.box.period;
        if (!a.box.periodic[axis])
            a.state->extent = fmax(a.state->extent, high - low);
    }
    a.state->side = a.box.period;
}

/* Bits of a cell whose particles are sources and targets. */
FAR_FN int few_of(int32_t count)
{
    return count <= MYR_FAR_FEW ? MYR_FAR_SOURCE | MYR_FAR_TARGET : 0;
}

/* The root cell, as build_cube of octree.c computes it. */
FAR_KERNEL(far_root, myr_far_build)
{
    double extent = 0, size = 0;
    if (threadIdx.x != 0)
        return;
    a.state->level[0] = 0;
    a.state->level[1] = 1;
    a.cell[0] = {{0, 0, 0}, 0, (int32_t)a.points.n, -1, 0, 0, 0, 0, (int32_t)a.points.n, few_of((int32_t)a.points.n),
                 0};
    if (a.box.period > 0) {
        root_of_box(a);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        const double low = -ordered_value(a.state->bound[axis]), high = ordered_value(a.state->bound[3 + axis]);
        a.state->origin[axis] = low;
        extent = fmax(extent, high - low);
        size = fmax(size, fabs(high));
    }
    double side = extent * fmax(a.enlarge, 1.0) * (1 + 1e-12);
    const double part = a.least / extent;
    if (a.full > 0 && a.least < extent && (double)a.sources * (part * part * part) > a.full)
        side = cube_of_least(extent * (1 + 1e-12), a.least);
    if (!(side > 0)) /* all particles at one position */
        side = size * 0x1p-40 + 0x1p-900;
    a.state->side = side;
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Inserts two zero bits before each of the lowest 21 bits. */
FAR_FN uint64_t key_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

/* Morton key of a particle in a cube, as myr_morton_make. */
FAR_FN uint64_t key_of(const myr_far_points &p, const double *origin, double side, int64_t i)
{
    const double per_length = 0x1p21 / side, most = 0x1p21 - 1;
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double g = (point_at(p, axis, i) - origin[axis]) * per_length;
        key |= key_spread((uint64_t)fmin(fmax(g, 0.0), most)) << (2 - axis);
    }
    return key;
}

FAR_KERNEL(far_keys, myr_far_build)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.points.n)
        return;
    a.key[a.from][i] = key_of(a.points, a.state->origin, a.state->side, i);
    a.order[a.from][i] = (int32_t)i;
}

/* Returns 1 if a cell has more sources or more targets than a leaf; `wide` threads of the warp share a cell, and all
 * threads of the warp take part. */
template <int wide> FAR_FN int cell_is_full(const myr_far_build &a, const myr_far_cell &cell)
{
    const int asks =
        a.role && cell.count > a.leaf && cell.count <= 2 * a.leaf; /* else one of both is more for certain */
    int sources = 0, targets = 0;
    for (int k = threadIdx.x % wide; asks && k < cell.count; k += wide) {
        const int role = a.role[a.order[a.from][cell.first + k]];
        sources += (role & MYR_FAR_SOURCE) != 0;
        targets += (role & MYR_FAR_TARGET) != 0;
    }
    for (int half = wide / 2; half > 0; half /= 2) {
        sources += __shfl_xor_sync(~0u, sources, half);
        targets += __shfl_xor_sync(~0u, targets, half);
    }
    return asks ? sources > a.leaf || targets > a.leaf : cell.count > a.leaf;
}

/* Segments of a sort inside the cells of a level: first every particle by itself, then the particles of cells that may
 * be split. */
FAR_KERNEL(far_segments, myr_far_build)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.points.n)
        a.segment[a.from][i] = (int32_t)i;
}

/* One warp per cell. Cells whose level is a multiple of MYR_FAR_KEY_LEVELS get new keys. */
FAR_KERNEL(far_rekey, myr_far_build)
{
    const int warps = gridDim.x * (MYR_FAR_THREADS / 32), end = a.state->level[a.level + 1];
    for (int c = a.state->level[a.level] + (blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32; c < end; c += warps) {
        const myr_far_cell cell = a.cell[c];
        const double side = ldexp(a.state->side, -a.level);
        double origin[3];
        if (a.level >= a.depth || 0.5 * side < a.least)
            return; /* none is split */
        for (int axis = 0; axis < 3; axis++)
            origin[axis] = a.state->origin[axis] + side * (double)cell.at[axis];
        const int full = cell_is_full<32>(a, cell);
        for (int k = threadIdx.x % 32; full && k < cell.count; k += 32) {
            const int32_t i = cell.first + k;
            a.segment[a.from][i] = cell.first;
            if (a.level % MYR_FAR_KEY_LEVELS == 0)
                a.key[a.from][i] = key_of(a.points, origin, side, a.order[a.from][i]);
        }
    }
}

/* --- radix sort --------------------------------------------------------------------------------------------------- */

FAR_FN unsigned digit_of(const myr_far_build &a, int64_t i)
{
    if (i >= a.points.n)
        return MYR_FAR_DIGITS - 1; /* behind all others, and not moved */
    if (a.by_segment)
        return (unsigned)a.segment[a.from][i] >> a.shift & (MYR_FAR_DIGITS - 1);
    return (unsigned)(a.key[a.from][i] >> a.shift) & (MYR_FAR_DIGITS - 1);
}

/* Numbers of keys by digit, per tile. */
FAR_KERNEL(far_count, myr_far_build)
{
    __shared__ unsigned count[MYR_FAR_DIGITS];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < MYR_FAR_ITEMS; k++) {
        const int64_t i = (int64_t)blockIdx.x * MYR_FAR_TILE + k * MYR_FAR_THREADS + threadIdx.x;
        if (i < a.points.n)
            atomicAdd(&count[digit_of(a, i)], 1u);
    }
    __syncthreads();
    a.count[(int64_t)threadIdx.x * a.tiles + blockIdx.x] = count[threadIdx.x];
}

/* Sum over the threads before this one of the block; `room` holds 9 numbers. */
FAR_FN unsigned block_prefix(unsigned x, unsigned *room, unsigned *total)
{
    unsigned sum = x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned far = 1; far < 32; far *= 2) {
        const unsigned before = __shfl_up_sync(~0u, sum, far);
        sum += lane >= far ? before : 0;
    }
    __syncthreads();
    if (lane == 31)
        room[warp] = sum;
    __syncthreads();
    unsigned offset = 0, all = 0;
    for (unsigned w = 0; w < MYR_FAR_THREADS / 32; w++) {
        offset += w < warp ? room[w] : 0;
        all += room[w];
    }
    *total = all;
    return offset + sum - x;
}

/* Places of the tiles within each digit; one block per digit. */
FAR_KERNEL(far_places, myr_far_build)
{
    __shared__ unsigned room[MYR_FAR_THREADS / 32];
    uint32_t *row = a.count + (int64_t)blockIdx.x * a.tiles;
    unsigned base = 0, total;
    for (int first = 0; first < a.tiles; first += MYR_FAR_THREADS) {
        const int t = first + (int)threadIdx.x;
        const unsigned here = t < a.tiles ? row[t] : 0, before = block_prefix(here, room, &total);
        if (t < a.tiles)
            row[t] = base + before;
        base += total;
    }
    if (threadIdx.x == 0)
        a.total[blockIdx.x] = base;
}

/* What far_move has in shared memory. */
struct move_room {
    unsigned place[MYR_FAR_THREADS / 32][MYR_FAR_DIGITS]; /* of the next key of a warp by digit, in the sorted tile */
    unsigned shift[MYR_FAR_DIGITS];                       /* from the sorted tile to the sorted keys */
    unsigned room[MYR_FAR_THREADS / 32];
    unsigned char digit[MYR_FAR_TILE]; /* of the sorted tile */
    uint64_t item[MYR_FAR_TILE];       /* the sorted tile: keys, then what belongs to them */
};

/* Ranks of the keys of a thread among those of its warp with the same digit. */
FAR_FN void move_rank(const unsigned *digit, unsigned *place, unsigned *rank)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++) {
        const unsigned alike = __match_any_sync(~0u, digit[k]);
        const unsigned before = place[digit[k]];
        __syncwarp();
        rank[k] = before + __popc(alike & ((1u << lane) - 1));
        if (alike >> lane == 1) /* the last one of its digit */
            place[digit[k]] = before + __popc(alike);
        __syncwarp();
    }
}

/* Turns the numbers of keys by warp and digit to places in the sorted tile; one thread per digit. */
FAR_FN void move_places(const myr_far_build &a, move_room &shared)
{
    unsigned total, here = 0;
    const unsigned base = block_prefix(a.total[threadIdx.x], shared.room, &total);
    __syncthreads();
    for (unsigned w = 0; w < MYR_FAR_THREADS / 32; w++)
        here += shared.place[w][threadIdx.x];
    unsigned at = block_prefix(here, shared.room, &total);
    shared.shift[threadIdx.x] = base + a.count[(int64_t)threadIdx.x * a.tiles + blockIdx.x] - at;
    for (unsigned w = 0; w < MYR_FAR_THREADS / 32; w++) {
        const unsigned count = shared.place[w][threadIdx.x];
        shared.place[w][threadIdx.x] = at;
        at += count;
    }
    __syncthreads();
}

/* Writes what belongs to the keys of a tile in the order of these. `from` is read in the order before. */
template <class type>
FAR_FN void move_items(const type *from, type *to, int64_t first, int count, const unsigned *rank, move_room &shared)
{
    type *item = (type *)shared.item, mine[MYR_FAR_ITEMS];
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++)
        if ((int)(first - (int64_t)blockIdx.x * MYR_FAR_TILE) + k * 32 < count)
            mine[k] = from[first + k * 32];
    __syncthreads(); /* the items before these */
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++)
        if ((int)(first - (int64_t)blockIdx.x * MYR_FAR_TILE) + k * 32 < count)
            item[rank[k]] = mine[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++) {
        const int i = k * MYR_FAR_THREADS + (int)threadIdx.x;
        if (i < count)
            to[(unsigned)i + shared.shift[shared.digit[i]]] = item[i];
    }
}

/* Moves the keys of a tile to their places, in the order in which they are. Each warp ranks a consecutive part; the
 * tile is sorted in shared memory, so that keys with the same digit are written together. */
FAR_KERNEL(far_move, myr_far_build)
{
    __shared__ move_room shared;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t tile = (int64_t)blockIdx.x * MYR_FAR_TILE, first = tile + warp * (32 * MYR_FAR_ITEMS) + lane;
    const int count = a.points.n - tile < MYR_FAR_TILE ? (int)(a.points.n - tile) : MYR_FAR_TILE;
    unsigned digit[MYR_FAR_ITEMS], rank[MYR_FAR_ITEMS];
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++)
        digit[k] = digit_of(a, first + k * 32);
    for (unsigned w = 0; w < MYR_FAR_THREADS / 32; w++)
        shared.place[w][threadIdx.x] = 0;
    __syncthreads();
    move_rank(digit, shared.place[warp], rank);
    __syncthreads();
    move_places(a, shared);
#pragma unroll
    for (int k = 0; k < MYR_FAR_ITEMS; k++) {
        rank[k] += shared.place[warp][digit[k]];
        shared.digit[rank[k]] = (unsigned char)digit[k];
    }
    move_items(a.key[a.from], a.key[!a.from], first, count, rank, shared);
    move_items(a.order[a.from], a.order[!a.from], first, count, rank, shared);
    if (a.segment[0])
        move_items(a.segment[a.from], a.segment[!a.from], first, count, rank, shared);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

FAR_FN int same_place(const myr_far_build &a, int64_t i, int64_t j)
{
    int same = 1;
    for (int axis = 0; axis < 3; axis++)
        same &= point_at(a.points, axis, a.order[a.from][i]) == point_at(a.points, axis, a.order[a.from][j]);
    return same;
}

/* Returns 1 if all particles of the cell are at one place; eight threads share a cell, and all threads of the warp take
 * part. */
FAR_FN int cell_is_one_place(const myr_far_build &a, const myr_far_cell &cell, int candidate)
{
    const int o = threadIdx.x % 8;
    const unsigned group = 0xffu << (threadIdx.x % 32 / 8 * 8);
    int differs = !candidate || !same_place(a, cell.first, cell.first + cell.count - 1);
    int64_t k = 1 + o;
    for (;;) {
        const int goes_on = !differs && k < cell.count;
        if (!__ballot_sync(~0u, goes_on))
            return !(__ballot_sync(~0u, differs) & group);
        if (goes_on)
            differs = !same_place(a, cell.first, cell.first + k);
        differs = (__ballot_sync(~0u, differs) & group) != 0;
        k += 8;
    }
}

/* Place of the first particle of a cell whose octant is larger than `octant`. */
FAR_FN int32_t octant_end(const myr_far_build &a, const myr_far_cell &cell, unsigned octant)
{
    const int shift = 3 * (MYR_FAR_KEY_LEVELS - 1 - a.level % MYR_FAR_KEY_LEVELS);
    int32_t low = cell.first, high = cell.first + cell.count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((a.key[a.from][middle] >> shift & 7) > octant)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Octants of the cells of a level that must be split, eight threads per cell; numbers of children per block. */
FAR_KERNEL(far_split, myr_far_build)
{
    __shared__ int children, leaves, largest;
    const int first = a.state->level[a.level], cells = a.state->level[a.level + 1] - first;
    const int o = threadIdx.x % 8, group = threadIdx.x % 32 / 8 * 8;
    const int blocks = (cells + MYR_FAR_CELLS - 1) / MYR_FAR_CELLS;
    const int small = a.level >= a.depth || 0.5 * ldexp(a.state->side, -a.level) < a.least;
    for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
        const int c = block * MYR_FAR_CELLS + threadIdx.x / 8, is = c < cells;
        myr_far_cell cell = {};
        if (threadIdx.x == 0)
            children = leaves = largest = 0;
        if (is)
            cell = a.cell[first + c];
        const int candidate = cell_is_full<8>(a, cell) && is && !small;
        const int split = !cell_is_one_place(a, cell, candidate) && candidate;
        const int32_t end = split ? octant_end(a, cell, o) : 0;
        const int32_t before = __shfl_up_sync(~0u, end, 1), begin = o ? before : cell.first;
        const unsigned mask = __ballot_sync(~0u, split && end > begin) >> group & 0xff;
        __syncthreads();
        if (is)
            a.end[(int64_t)c * 8 + o] = end;
        if (is && o == 0) {
            a.cell[first + c].mask = mask;
            atomicAdd(&children, __popc(mask));
            if (!mask) {
                atomicAdd(&leaves, 1);
                atomicMax(&largest, cell.count);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            a.sums[block] = children;
            atomicAdd(&a.state->leaves, leaves);
            atomicMax(&a.state->largest, largest);
        }
        __syncthreads();
    }
}

/* First child of each block, and the bounds of the next level; one block. */
FAR_KERNEL(far_level, myr_far_build)
{
    __shared__ unsigned room[MYR_FAR_THREADS / 32];
    const int cells = a.state->level[a.level + 1] - a.state->level[a.level];
    const int blocks = (cells + MYR_FAR_CELLS - 1) / MYR_FAR_CELLS, base = a.state->level[a.level + 1];
    unsigned sum = 0, total;
    for (int first = 0; first < blocks; first += MYR_FAR_THREADS) {
        const int b = first + (int)threadIdx.x;
        const unsigned before = block_prefix(b < blocks ? (unsigned)a.sums[b] : 0, room, &total);
        if (b < blocks)
            a.sums[b] = base + (int32_t)(sum + before);
        sum += total;
    }
    if (threadIdx.x != 0)
        return;
    const int64_t wanted = (int64_t)base + sum;
    if (wanted > a.room)
        a.state->needed = (int32_t)(wanted < 0x7fffffff ? wanted : 0x7fffffff);
    a.state->level[a.level + 2] = wanted > a.room ? base : (int32_t)wanted;
}

/* Writes the children of the cells of a level. */
FAR_KERNEL(far_children, myr_far_build)
{
    __shared__ int count[MYR_FAR_CELLS];
    const int first = a.state->level[a.level], cells = a.state->level[a.level + 1] - first;
    const int o = threadIdx.x % 8, mine = threadIdx.x / 8, blocks = (cells + MYR_FAR_CELLS - 1) / MYR_FAR_CELLS;
    if (a.state->level[a.level + 2] == a.state->level[a.level + 1])
        return; /* no children, or no room for them */
    for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
        const int c = block * MYR_FAR_CELLS + mine, is = c < cells;
        const unsigned mask = is ? a.cell[first + c].mask : 0;
        __syncthreads();
        if (o == 0)
            count[mine] = __popc(mask);
        __syncthreads();
        int32_t child = a.sums[block];
        for (int k = 0; k < mine; k++)
            child += count[k];
        if (is && o == 0)
            a.cell[first + c].child = child;
        if (!(mask >> o & 1))
            continue;
        const myr_far_cell parent = a.cell[first + c];
        const int32_t begin = o ? a.end[(int64_t)c * 8 + o - 1] : parent.first;
        const int32_t held = a.end[(int64_t)c * 8 + o] - begin;
        myr_far_cell cell = {{0, 0, 0}, begin, held, first + c, 0, a.level + 1, 0, o, held, few_of(held), 0};
        for (int axis = 0; axis < 3; axis++)
            cell.at[axis] = 2 * parent.at[axis] + (o >> (2 - axis) & 1);
        a.cell[child + __popc(mask & ((1u << o) - 1))] = cell;
    }
}

/* Returns 1 if a particle acts on others: if it is a source, or if it has a strength. */
FAR_FN int point_acts(const myr_far_build &a, int64_t i)
{
    int acts = 0;
    if (a.role)
        return (a.role[i] & MYR_FAR_SOURCE) != 0;
    for (int s = 0; s < a.strengths; s++) {
        int product = 1;
        for (int k = 0; k < 2 && a.strength[s][k] >= 0; k++) {
            const int64_t at = a.strength[s][k] * a.points.n + i;
            product &= a.points.real_bytes == 8 ? ((const double *)a.points.component)[at] != 0
                                                : ((const float *)a.points.component)[at] != 0;
        }
        acts |= product;
    }
    return acts;
}

/* Sets the bits of a cell with many particles, of which few may be sources or targets; all threads of the warp take
 * part. */
FAR_FN void cell_count_roles(const myr_far_build &a, int32_t c, const myr_far_cell &cell, const int32_t *order)
{
    int sources = 0, targets = 0;
    for (int k = threadIdx.x % 32; k - (int)(threadIdx.x % 32) < cell.count; k += 32) {
        const int role = k < cell.count ? a.role[order[k]] : 0;
        sources += __popc(__ballot_sync(~0u, role & MYR_FAR_SOURCE));
        targets += __popc(__ballot_sync(~0u, role & MYR_FAR_TARGET));
        if (sources > MYR_FAR_FEW && targets > MYR_FAR_FEW)
            break;
    }
    if (threadIdx.x % 32 == 0)
        a.cell[c].few = (sources <= MYR_FAR_FEW ? MYR_FAR_SOURCE : 0) | (targets <= MYR_FAR_FEW ? MYR_FAR_TARGET : 0);
}

/* Group of targets around a cell: the cell itself if it is a leaf; for the tree code the largest cell around it with at
 * most `group` particles. -1 = the cell is larger than groups. */
FAR_FN int32_t group_around(const myr_far_build &a, int32_t c)
{
    if (a.cell[c].mask && a.cell[c].count > a.group)
        return -1;
    while (a.cell[c].parent >= 0 && a.cell[a.cell[c].parent].count <= a.group)
        c = a.cell[c].parent;
    return c;
}

/* Number of the n listed particles that act on others; all threads of the warp take part. */
FAR_FN int points_acting(const myr_far_build &a, const int32_t *order, int n)
{
    const int lane = threadIdx.x % 32;
    int acting = 0;
    for (int k = lane; k - lane < n; k += 32)
        acting += __popc(__ballot_sync(~0u, k < n && point_acts(a, order[k])));
    return acting;
}

/* Puts the particles of a group that act on others before the rest, and keeps their order. */
FAR_FN void group_put_acting(const myr_far_build &a, const myr_far_cell &cell, int acting)
{
    const int lane = threadIdx.x % 32;
    const int32_t *order = a.order[a.from] + cell.first;
    int before = 0;
    for (int k = lane; k - lane < cell.count; k += 32) {
        const int acts = k < cell.count && point_acts(a, order[k]);
        const unsigned alike = __ballot_sync(~0u, acts);
        const int ahead = before + __popc(alike & ((1u << lane) - 1)); /* acting particles before this one */
        if (k < cell.count)
            a.order[!a.from][cell.first + (acts ? ahead : acting + k - ahead)] = order[k];
        before += __popc(alike);
    }
}

/* Puts the particles of each group of targets that act on others first; one warp per cell. Those of a cell inside a
 * group are then beside each other, from a place on that becomes the cell's `first`. The host changes `from`
 * afterwards. `level`: number of levels. */
FAR_KERNEL(far_acting, myr_far_build)
{
    const int warps = gridDim.x * (MYR_FAR_THREADS / 32), lane = threadIdx.x % 32, end = a.state->level[a.level];
    for (int c = (blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32; c < end; c += warps) {
        const myr_far_cell cell = a.cell[c];
        const int32_t *order = a.order[a.from], group = group_around(a, c);
        if (a.role && cell.count > MYR_FAR_FEW)
            cell_count_roles(a, c, cell, order + cell.first);
        if (group < 0)
            continue;
        const int acting = points_acting(a, order + cell.first, cell.count), start = a.cell[group].first;
        if (group == c)
            group_put_acting(a, cell, acting);
        const int before = points_acting(a, order + start, cell.first - start);
        if (lane == 0) {
            a.cell[c].acting = acting;
            if (group != c)
                a.cell[c].first = start + before;
        }
    }
}

/* Particles in tree order, as records of the near loops, wrapped into a periodic box. */
FAR_KERNEL(far_records, myr_far_build)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a.points.n)
        return;
    const int64_t from = a.order[a.from][i];
    for (int c = 0; c < a.stride; c++)
        if (a.points.real_bytes == 8)
            ((double *)a.record)[i * a.stride + c] =
                c < a.components ? ((const double *)a.points.component)[c * a.points.n + from] : 0;
        else
            ((float *)a.record)[i * a.stride + c] =
                c < a.components ? ((const float *)a.points.component)[c * a.points.n + from] : 0;
    for (int axis = 0; axis < 3; axis++) {
        const double inside = point_at(a.points, axis, from);
        const int64_t to = i * a.stride + axis * a.points.coord_lanes;
        if (inside == point_stored(a.points, axis, from))
            continue;
        if (a.points.real_bytes == 8) {
            ((double *)a.record)[to] = inside;
            continue;
        }
        const float high = (float)inside;
        ((float *)a.record)[to] = high;
        if (a.points.coord_lanes == 2)
            ((float *)a.record)[to + 1] = (float)(inside - (double)high);
    }
}

#include "backend/cuda/far_lists.cuh"
