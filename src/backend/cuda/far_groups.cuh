/* far_groups.cuh - groups of targets of the tree code on a GPU, and the sources that act on each: particles, and
 * pseudo-particles of cells that are far enough by backend/cell_rule.h. The groups and the rule are those of
 * method/tree/tree.c. */
#ifndef MYR_BACKEND_CUDA_FAR_GROUPS_CUH
#define MYR_BACKEND_CUDA_FAR_GROUPS_CUH

/* Nodes of the walk: one thread per cell. */
FAR_KERNEL(far_nodes, myr_far_cells)
{
    const int32_t c = (int32_t)(blockIdx.x * MYR_FAR_THREADS + threadIdx.x);
    if (c >= a.lists.cells)
        return;
    const myr_far_cell cell = a.lists.cell[c];
    const myr_far_moments &o = a.moments[c];
    myr_far_node node = {};
    double offset = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double off = o.centre[axis] - middle_of(a, cell, axis);
        node.centre[axis] = o.centre[axis];
        offset += off * off;
    }
    if (!(a.rule.theta > 0))
        cell_rule_error(a.rule.order, o.size, o.spread, o.furthest, node.error);
    node.open = cell_rule_open(&a.rule, side_of(a, cell.level), offset, o.furthest, o.core, a.moments[0].core);
    node.first = cell.first;
    node.count = cell.count;
    node.acting = (int32_t)o.acting;
    node.whole = acting_is_whole(a, cell, o.acting);
    node.child = cell.child;
    node.children = __popc(cell.mask);
    a.node[c] = node;
}

/* Visits cells from the root on by all threads of a warp, siblings in adjacent threads, in an order that follows from
 * the tree: visit(cell), or visit(-1) in threads without one, returns 1 if the children are to be visited. Where the
 * stack is nearly full, fewer cells are taken at a time: one at a time needs seven places per level. `one` = 1: always
 * one, by the first thread, in the order of the processor. */
template <class function> FAR_FN void walk_cells(const myr_far_cells &a, int32_t *stack, int one, function visit)
{
    enum { ROOM = MYR_FAR_STACK - 7 * MYR_FAR_DEPTH - 8 };
    const int lane = threadIdx.x % 32;
    int n = 1;
    __syncwarp();
    if (lane == 0)
        stack[0] = 0;
    __syncwarp();
    while (n > 0) {
        const int most = (ROOM - n) / 7, wide = n < 32 ? n : 32, some = one || most < 1 ? 1 : wide < most ? wide : most;
        const int32_t c = lane < some ? stack[n - some + lane] : -1;
        const int opens = visit(c), children = c >= 0 && opens ? a.node[c].children : 0;
        int all;
        const int before = warp_prefix(children, &all);
        n -= some;
        __syncwarp();
        for (int k = 0; k < children; k++)
            stack[n + before + k] = a.node[c].child + k;
        n += all;
        __syncwarp();
    }
}

FAR_FN double warp_sum_of(double x)
{
    for (int half = 16; half > 0; half /= 2)
        x += __shfl_xor_sync(~0u, x, half);
    return x;
}

/* A group of targets: its cell, and the cuboid around the targets. */
struct group_box {
    int32_t cell, first, count;
    double middle[3], half[3], factor[2];
};

FAR_FN group_box group_make(const myr_far_cells &a, int32_t number)
{
    const myr_far_cell cell = a.lists.cell[number];
    group_box box = {number, cell.first, cell.count, {0, 0, 0}, {0, 0, 0}, {0, 0}};
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = cell.first + threadIdx.x % 32; i < (int64_t)cell.first + cell.count; i += 32) {
            const double x = place_at(a, i, axis);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        for (int half = 16; half > 0; half /= 2) {
            low = fmin(low, __shfl_xor_sync(~0u, low, half));
            high = fmax(high, __shfl_xor_sync(~0u, high, half));
        }
        box.middle[axis] = low + (high - low) / 2;
        box.half[axis] = (high - low) / 2;
    }
    return box;
}

/* Distance factors beyond which errors are small enough for a group. */
FAR_FN void group_demand(const myr_far_cells &a, int32_t *stack, group_box &box)
{
    const double half = fmax(fmax(box.half[0], box.half[1]), box.half[2]);
    cell_pull sum = {};
    walk_cells(a, stack, a.ordered, [&](int32_t c) {
        if (c < 0)
            return 0;
        const myr_far_moments &o = a.moments[c];
        double d[3];
        for (int axis = 0; axis < 3; axis++) { /* periodic box: minimum image */
            d[axis] = o.mean[axis] - box.middle[axis];
            if (a.lists.periodic[axis])
                d[axis] -= a.period * rint(d[axis] / a.period);
        }
        return (int)!cell_pull_add(&sum, a.strengths, o.net, d, side_of(a, a.lists.cell[c].level),
                                   a.node[c].children > 0, half);
    });
    for (int k = 0; k < CELL_STRENGTHS && k < a.strengths; k++) {
        sum.potential[k] = warp_sum_of(sum.potential[k]);
        for (int axis = 0; axis < 3; axis++)
            sum.pull[k][axis] = warp_sum_of(sum.pull[k][axis]);
    }
    const int64_t acting = a.moments[0].acting;
    cell_rule_demand(&a.rule, &sum, half, box.count < a.group ? box.count : a.group,
                     a.moments[0].size / (double)(acting > 0 ? acting : 1), a.with_potential, box.factor);
}

/* Sources of a list so far; range: where they are written, null = they are counted only. */
struct group_list {
    int32_t ranges;
    myr_far_range *range;
    long long sources; /* of this thread */
};

/* Adds the sources that the threads of a warp have found, in the order of the threads; those of adjacent threads that
 * follow each other become one range. */
FAR_FN void group_add(group_list &l, int has, int32_t first, int32_t count, int32_t image)
{
    const unsigned lane = threadIdx.x % 32;
    const int32_t end = has ? first + count : -1, before = __shfl_up_sync(~0u, end, 1);
    const unsigned joined = __ballot_sync(~0u, has && lane > 0 && before == first);
    const unsigned heads = __ballot_sync(~0u, has) & ~joined;
    const unsigned after = lane < 31 ? joined >> (lane + 1) : 0; /* bit 0: the next thread continues this range */
    const int32_t last = __shfl_sync(~0u, end, (int)lane + __ffs((int)~after) - 1);
    if (l.range && heads >> lane & 1)
        l.range[l.ranges + __popc(heads & ((1u << lane) - 1))] = {first, last - first, image};
    l.ranges += __popc(heads);
    l.sources += has ? count : 0;
}

/* What acts on a group from an image of the sources, beside the particles of its own cell. `box` is where the sources
 * see the group; image 0: the box itself. */
FAR_FN void group_walk_image(const myr_far_cells &a, int32_t *stack, const group_box &box, int32_t image, group_list &l)
{
    walk_cells(a, stack, 0, [&](int32_t c) {
        int32_t first = 0, count = 0;
        int opens = 0, has = 0;
        if (c >= 0) {
            const myr_far_node node = a.node[c];
            const int around = !image && node.first <= box.first && node.first + node.count >= box.first + box.count;
            const int stands = node.acting > a.points; /* 1 = the cell has pseudo-particles */
            const double square = cell_box_distance(box.middle, box.half, node.centre);
            const int far = !around && stands && square > node.open && square > node.error[0] * box.factor[0] &&
                            square > node.error[1] * box.factor[1];
            const int acts = (image || c != box.cell) && node.acting > 0;
            opens = acts && !far && node.children && (around || stands || !node.whole);
            has = acts && !opens;
            first = far ? (int32_t)(a.n + (int64_t)c * a.points) : node.first;
            count = far ? a.points : node.acting;
        }
        group_add(l, has, first, count, image);
        return opens;
    });
}

/* Everything that acts on a group beside the particles of its own cell: the 27 near images of a periodic box. */
FAR_FN void group_walk(const myr_far_cells &a, int32_t *stack, const group_box &box, group_list &l)
{
    for (int k = 0; k < 27; k++) {
        const int by[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
        group_box seen = box;
        int is = 1;
        for (int axis = 0; axis < 3; axis++) {
            is &= !by[axis] || a.lists.periodic[axis];
            seen.middle[axis] -= by[axis] * a.period;
        }
        if (is)
            group_walk_image(a, stack, seen, image_of(by), l);
    }
}

/* Lists of the groups, one warp per cell: groups are the largest cells with at most `group` targets, and larger leaves.
 * Where a pool has no room nothing is written, and the host repeats the kernel with larger pools. */
FAR_KERNEL(far_groups, myr_far_cells)
{
    __shared__ int32_t stacks[MYR_FAR_THREADS / 32][MYR_FAR_STACK];
    const int32_t number = (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    int32_t *stack = stacks[threadIdx.x / 32];
    if (number >= a.lists.cells)
        return;
    const myr_far_cell cell = a.lists.cell[number];
    if ((cell.count > a.group && cell.mask) || (cell.parent >= 0 && a.lists.cell[cell.parent].count <= a.group))
        return;
    if (!share_has(a.lists.share, cell))
        return;
    group_box box = group_make(a, number);
    if (!(a.rule.theta > 0))
        group_demand(a, stack, box);
    group_list l = {0, nullptr, 0};
    group_walk(a, stack, box, l);
    for (int half = 16; half > 0; half /= 2)
        l.sources += __shfl_xor_sync(~0u, l.sources, half);
    const int items = (cell.count + MYR_FAR_TARGETS - 1) / MYR_FAR_TARGETS, ranges = l.ranges;
    int at = 0, item = 0;
    if (lane == 0) {
        at = lists_take(a.lists, MYR_FAR_RANGES, ranges);
        item = lists_take(a.lists, MYR_FAR_WORK, items);
        a.lists.leaf[number] = {at, ranges, 0, 0};
        lists_own(a.lists, cell);
        atomicAdd(&a.lists.state->pairs,
                  (unsigned long long)cell.count * (unsigned long long)(l.sources + cell.acting));
    }
    at = __shfl_sync(~0u, at, 0);
    item = __shfl_sync(~0u, item, 0);
    if (at + ranges > a.lists.room[MYR_FAR_RANGES] || item + items > a.lists.room[MYR_FAR_WORK]) {
        if (lane == 0)
            atomicOr(&a.lists.state->overflow, 1);
        return;
    }
    l = {0, a.lists.range + at, 0};
    group_walk(a, stack, box, l);
    lists_items(a.lists, number, item, items);
}

#endif
