/* far_lists.cuh - what acts on the cells of an octree on a GPU: near cells of the same level, and for each leaf the
 * ranges of near sources and the finer cells whose multipoles act on it. The rules are those of octree_near.c and
 * fmm_leaves.c. Compiled with
 *   FAR_REACH   cells of one level at most this many cells apart are near */
#ifndef MYR_BACKEND_CUDA_FAR_LISTS_CUH
#define MYR_BACKEND_CUDA_FAR_LISTS_CUH

enum { FAR_WIDTH = 2 * FAR_REACH + 1, FAR_NEAR = FAR_WIDTH * FAR_WIDTH * FAR_WIDTH };

/* Displacement of an image along an axis, in periods. */
FAR_FN int image_by(int32_t image, int axis)
{
    return (int)(int8_t)(image >> (8 * axis));
}

FAR_FN int32_t image_of(const int *by)
{
    return (by[0] & 0xff) | (by[1] & 0xff) << 8 | (by[2] & 0xff) << 16;
}

/* The image that displaces by the opposite distances. */
FAR_FN int32_t image_opposite(int32_t image)
{
    const int by[3] = {-image_by(image, 0), -image_by(image, 1), -image_by(image, 2)};
    return image_of(by);
}

/* Image of near cell k of a cell of a level: how often its position leaves the grid of the level. */
FAR_FN int32_t near_image(const myr_far_cell &cell, int k)
{
    const int step[3] = {k / (FAR_WIDTH * FAR_WIDTH), k / FAR_WIDTH % FAR_WIDTH, k % FAR_WIDTH};
    int by[3];
    for (int axis = 0; axis < 3; axis++)
        by[axis] = (int)((cell.at[axis] + step[axis] - FAR_REACH) >> cell.level);
    return image_of(by);
}

/* Returns 1 if `fine`, of the same or a deeper level, in an image, is within FAR_REACH of its own sides of `coarse`. */
FAR_FN int cells_are_near(const myr_far_cell &coarse, const myr_far_cell &fine, int32_t image)
{
    const int shift = fine.level - coarse.level;
    const int64_t last = ((int64_t)1 << shift) - 1 + FAR_REACH;
    int near = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t here = fine.at[axis] + (int64_t)image_by(image, axis) * ((int64_t)1 << fine.level);
        const int64_t d = here - (coarse.at[axis] << shift);
        near &= d >= -FAR_REACH && d <= last;
    }
    return near;
}

FAR_FN int32_t cell_child(const myr_far_cell &cell, int octant)
{
    return cell.mask >> octant & 1 ? cell.child + __popc(cell.mask & ((1u << octant) - 1)) : -1;
}

/* Returns 1 if a device makes the lists of a leaf or a group of targets; if some of a cell's targets are in its share.
 */
FAR_FN int share_has(const int32_t *share, const myr_far_cell &cell)
{
    return cell.first >= share[0] && cell.first < share[1];
}

FAR_FN int share_meets(const int32_t *share, const myr_far_cell &cell)
{
    return cell.first < share[1] && cell.first + cell.count > share[0];
}

#ifndef FAR_SERIES

/* Notes that a leaf or a group has lists here. */
FAR_FN void lists_own(const myr_far_lists &a, const myr_far_cell &cell)
{
    atomicMax(&a.state->own[0], 0x7fffffff - cell.first);
    atomicMax(&a.state->own[1], cell.first + cell.count);
}

/* Near cells of the cells of a level, which are children of the near cells of their parents: one thread per cell and
 * offset, x slowest. Positions are repeated along periodic axes. */
FAR_KERNEL(far_near_cells, myr_far_lists)
{
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int32_t c = a.begin + (int32_t)(t / FAR_NEAR);
    const int k = (int)(t % FAR_NEAR);
    const int by[3] = {k / (FAR_WIDTH * FAR_WIDTH) - FAR_REACH, k / FAR_WIDTH % FAR_WIDTH - FAR_REACH,
                       k % FAR_WIDTH - FAR_REACH};
    if (c >= a.end)
        return;
    const int32_t parent = a.cell[c].parent, octant = a.cell[c].octant;
    const int above = MYR_FAR_DEPTH + 1 - a.cell[c].level;
    if (k == 0 && !a.cell[c].mask && above > *(volatile const int32_t *)&a.state->leaf_above)
        atomicMax(&a.state->leaf_above, above);
    int there = 0, in = 0, is = 1; /* near cell of the parent, octant in it; 1 = the root meets itself */
    for (int axis = 0; axis < 3; axis++) {
        const int at = (octant >> (2 - axis) & 1) + by[axis];
        there = there * FAR_WIDTH + (at >> 1) + FAR_REACH;
        in |= (at & 1) << (2 - axis);
        is &= by[axis] == 0 || a.periodic[axis];
    }
    const int32_t other = parent < 0 ? -1 : a.near[(int64_t)parent * FAR_NEAR + there];
    a.near[(int64_t)c * FAR_NEAR + k] = parent < 0 ? is - 1 : other < 0 ? -1 : cell_child(a.cell[other], in);
}

/* Entries found by a thread, and where they are written; null = they are counted only. */
struct leaf_lists {
    int32_t ranges, finers;
    myr_far_range *range;
    myr_far_finer *finer;
    long long sources; /* in the ranges */
};

FAR_FN void lists_add_range(leaf_lists &l, const myr_far_cell &cell, int32_t image)
{
    if (cell.acting == 0)
        return;
    if (l.range)
        l.range[l.ranges] = {cell.first, cell.acting, image};
    l.ranges++;
    l.sources += cell.acting;
}

/* Calls use(number, cell, near) for the near leaves below a near cell of the leaf's level, and for the largest cells
 * that are not near. Without a stack: siblings are adjacent, and a cell knows its parent. */
template <class function>
FAR_FN void lists_visit(const myr_far_lists &a, const myr_far_cell &leaf, int32_t top, int32_t image, function use)
{
    int32_t c = top;
    for (;;) {
        const myr_far_cell cell = a.cell[c];
        const int near = c == top || cells_are_near(leaf, cell, image);
        if (near && cell.mask) {
            c = cell.child;
            continue;
        }
        use(c, cell, near);
        for (;;) { /* the next sibling, or that of the nearest ancestor that has one */
            if (c == top)
                return;
            const myr_far_cell parent = a.cell[a.cell[c].parent];
            if (c + 1 < parent.child + __popc(parent.mask)) {
                c++;
                break;
            }
            c = a.cell[c].parent;
        }
    }
}

/* The cells below a near cell: near leaves and small cells as ranges, other cells through their multipoles. */
FAR_FN void lists_descend(const myr_far_lists &a, const myr_far_cell &leaf, int32_t top, int32_t image, leaf_lists &l)
{
    lists_visit(a, leaf, top, image, [&](int32_t c, const myr_far_cell &cell, int near) {
        if (near || cell.few & MYR_FAR_SOURCE) {
            lists_add_range(l, cell, image);
        } else {
            if (l.finer)
                l.finer[l.finers] = {c, image};
            l.finers++;
        }
    });
}

/* A coarser leaf among the near cells of an ancestor: a range if it is near, or if the largest cell around the leaf
 * that is not near it has few particles (larger cells take it into their local series). */
FAR_FN void lists_coarse(const myr_far_lists &a, int32_t number, int32_t ancestor, int32_t other, int32_t image,
                         leaf_lists &l)
{
    const myr_far_cell from = a.cell[other];
    const int32_t back = image_opposite(image); /* in the frame of the coarser leaf */
    if (from.mask)
        return;
    if (cells_are_near(from, a.cell[number], back)) {
        lists_add_range(l, from, image);
        return;
    }
    int32_t c = number;
    while (a.cell[c].parent != ancestor && !cells_are_near(from, a.cell[a.cell[c].parent], back))
        c = a.cell[c].parent;
    if (a.cell[c].few & MYR_FAR_TARGET)
        lists_add_range(l, from, image);
}

/* Everything that acts on a leaf, found by the threads of a warp: a near cell each. */
FAR_FN void lists_collect(const myr_far_lists &a, int32_t number, leaf_lists &l)
{
    const myr_far_cell leaf = a.cell[number];
    const int coarsest = MYR_FAR_DEPTH + 1 - a.state->leaf_above; /* level */
    for (int k = threadIdx.x % 32; k < FAR_NEAR; k += 32) {
        const int32_t other = a.near[(int64_t)number * FAR_NEAR + k];
        if (other >= 0 && k != FAR_NEAR / 2)
            lists_descend(a, leaf, other, near_image(leaf, k), l);
        for (int32_t ancestor = leaf.parent; ancestor >= 0 && a.cell[ancestor].level >= coarsest;
             ancestor = a.cell[ancestor].parent) {
            const int32_t coarse = a.near[(int64_t)ancestor * FAR_NEAR + k];
            if (coarse >= 0 && k != FAR_NEAR / 2)
                lists_coarse(a, number, ancestor, coarse, near_image(a.cell[ancestor], k), l);
        }
    }
}

/* Sum over the threads before this one of the warp. */
FAR_FN int warp_prefix(int x, int *total)
{
    int sum = x;
    const unsigned lane = threadIdx.x % 32;
    for (unsigned far = 1; far < 32; far *= 2) {
        const int before = __shfl_up_sync(~0u, sum, far);
        sum += lane >= far ? before : 0;
    }
    *total = __shfl_sync(~0u, sum, 31);
    return sum - x;
}

FAR_FN int32_t lists_take(const myr_far_lists &a, myr_far_pool pool, int32_t count)
{
    return atomicAdd(&a.state->used[pool], count);
}

/* Divides the targets of a leaf into items of nearly equal size. */
FAR_FN void lists_items(const myr_far_lists &a, int32_t number, int32_t first, int32_t items)
{
    const myr_far_cell leaf = a.cell[number];
    for (int32_t k = threadIdx.x % 32; k < items; k += 32) {
        const int32_t begin = (int32_t)((int64_t)leaf.count * k / items);
        const int32_t end = (int32_t)((int64_t)leaf.count * (k + 1) / items);
        a.item[first + k] = {number, leaf.first + begin, end - begin};
    }
}

/* Lists of the leaves, one warp per cell. Where a pool has no room nothing is written, and the host repeats the kernel
 * with larger pools. */
FAR_KERNEL(far_leaf_lists, myr_far_lists)
{
    const int32_t number = (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    if (number >= a.cells || a.cell[number].mask || !share_has(a.share, a.cell[number]))
        return;
    leaf_lists l = {0, 0, nullptr, nullptr, 0};
    int ranges, finers, at[MYR_FAR_POOLS] = {0, 0, 0};
    lists_collect(a, number, l);
    const int range = warp_prefix(l.ranges, &ranges), finer = warp_prefix(l.finers, &finers);
    const int items = (a.cell[number].count + MYR_FAR_TARGETS - 1) / MYR_FAR_TARGETS;
    if (lane == 0) {
        at[MYR_FAR_RANGES] = lists_take(a, MYR_FAR_RANGES, ranges);
        at[MYR_FAR_FINER] = lists_take(a, MYR_FAR_FINER, finers);
        at[MYR_FAR_WORK] = lists_take(a, MYR_FAR_WORK, items);
        a.leaf[number] = {at[MYR_FAR_RANGES], ranges, at[MYR_FAR_FINER], finers};
    }
    for (int pool = 0; pool < MYR_FAR_POOLS; pool++)
        at[pool] = __shfl_sync(~0u, at[pool], 0);
    long long sources = l.sources;
    for (int half = 16; half > 0; half /= 2)
        sources += __shfl_xor_sync(~0u, sources, half);
    if (lane == 0) {
        const unsigned long long count = (unsigned long long)a.cell[number].count;
        lists_own(a, a.cell[number]);
        atomicAdd(&a.state->pairs, count * (unsigned long long)(sources + a.cell[number].acting));
        atomicAdd(&a.state->far_targets, count * (unsigned long long)finers);
    }
    if (at[MYR_FAR_RANGES] + ranges > a.room[MYR_FAR_RANGES] || at[MYR_FAR_FINER] + finers > a.room[MYR_FAR_FINER] ||
        at[MYR_FAR_WORK] + items > a.room[MYR_FAR_WORK]) {
        if (lane == 0)
            atomicOr(&a.state->overflow, 1);
        return;
    }
    l = {0, 0, a.range + at[MYR_FAR_RANGES] + range, a.finer + at[MYR_FAR_FINER] + finer, 0};
    lists_collect(a, number, l);
    lists_items(a, number, at[MYR_FAR_WORK], items);
}

#endif
#endif
