/* far_pseudo.cuh - the pseudo-particle method on a GPU: what acts on inner spheres and on leaves, and the fields on
 * inner spheres, as method/pseudo/pseudo.c has them. A cell with more particles than a sphere has points, from level 2
 * on (1 in a periodic box), has an inner sphere, which has the place and the radius of its outer sphere. */
#ifndef MYR_BACKEND_CUDA_FAR_PSEUDO_CUH
#define MYR_BACKEND_CUDA_FAR_PSEUDO_CUH

enum { SPHERE_BLOCK = 8 }; /* MYR_SPHERE_VALUES_BLOCK */

FAR_FN int has_inner(const myr_far_cells &a, const myr_far_cell &cell)
{
    return cell.count > a.points && cell.level >= a.inner_level;
}

/* Records of the first points of inner spheres. */
FAR_FN int64_t first_point(const myr_far_cells &a)
{
    return a.n + (int64_t)a.lists.cells * a.points;
}

/* Points of inner spheres as targets: one thread per cell and point. */
FAR_KERNEL(far_points, myr_far_cells)
{
    const int64_t t = (int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x;
    const int32_t c = (int32_t)(t / a.points);
    const int k = (int)(t % a.points), parts = (a.points + MYR_FAR_TARGETS - 1) / MYR_FAR_TARGETS;
    const double none[CELL_STRENGTHS] = {0, 0, 0};
    if (c >= a.lists.cells)
        return;
    const int is = has_inner(a, a.lists.cell[c]) && share_meets(a.lists.share, a.lists.cell[c]);
    const myr_far_moments &o = a.moments[c];
    double place[3];
    for (int axis = 0; axis < 3; axis++)
        place[axis] = o.centre[axis] + o.radius * design_at(a, axis, k);
    if (is)
        put_pseudo(a, a.lists.cells + c, k, place, none);
    a.point_order[t] = (int32_t)t;
    if (k >= parts)
        return;
    const int begin = a.points * k / parts, end = a.points * (k + 1) / parts;
    a.point_item[(int64_t)c * parts + k] = {c, (int32_t)(first_point(a) + (int64_t)c * a.points) + begin,
                                            is ? end - begin : 0};
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

FAR_FN void pseudo_add(leaf_lists &l, int32_t first, int32_t count, int32_t image)
{
    if (count == 0)
        return;
    if (l.range)
        l.range[l.ranges] = {first, count, image};
    l.ranges++;
    l.sources += count;
}

/* The far field of a cell: its outer sphere, or its particles. */
FAR_FN void pseudo_add_far(const myr_far_cells &a, leaf_lists &l, int32_t c, int32_t image)
{
    if (a.moments[c].acting > a.points)
        pseudo_add(l, (int32_t)(a.n + (int64_t)c * a.points), a.points, image);
    else
        acting_visit(a, c, [&](int32_t first, int32_t count) { pseudo_add(l, first, count, image); });
}

/* What acts on a cell but not on its parent: children of near cells of the parent, and coarser leaves near the parent;
 * each thread of a warp takes an offset. */
FAR_FN void pseudo_far(const myr_far_cells &a, int32_t number, leaf_lists &l)
{
    const myr_far_cell cell = a.lists.cell[number];
    for (int k = threadIdx.x % 32; cell.parent >= 0 && k < FAR_NEAR; k += 32)
        for (int32_t ancestor = cell.parent; ancestor >= 0; ancestor = a.lists.cell[ancestor].parent) {
            const int32_t other = a.lists.near[(int64_t)ancestor * FAR_NEAR + k];
            if (other < 0)
                continue;
            const myr_far_cell from = a.lists.cell[other];
            const int32_t image = near_image(a.lists.cell[ancestor], k), back = image_opposite(image);
            if (!from.mask && !cells_are_near(from, cell, back) &&
                (ancestor == cell.parent || cells_are_near(from, a.lists.cell[cell.parent], back)))
                pseudo_add(l, from.first, from.acting, image);
            const int32_t end = from.mask && ancestor == cell.parent ? from.child + __popc(from.mask) : from.child;
            for (int32_t child = from.child; child < end; child++)
                if (!cells_are_near(a.lists.cell[child], cell, back))
                    pseudo_add_far(a, l, child, image);
        }
}

/* What acts on the particles of a leaf beside its own: near leaves, finer cells that are not near, and what acts on
 * itself and on its ancestors up to the first one with an inner sphere. */
FAR_FN void pseudo_near(const myr_far_cells &a, int32_t number, leaf_lists &l)
{
    const myr_far_cell leaf = a.lists.cell[number];
    for (int k = threadIdx.x % 32; k < FAR_NEAR; k += 32) {
        const int32_t other = a.lists.near[(int64_t)number * FAR_NEAR + k], image = near_image(leaf, k);
        if (other >= 0 && k != FAR_NEAR / 2)
            lists_visit(a.lists, leaf, other, image, [&](int32_t c, const myr_far_cell &cell, int near) {
                if (near)
                    pseudo_add(l, cell.first, cell.acting, image);
                else
                    pseudo_add_far(a, l, c, image);
            });
        for (int32_t ancestor = leaf.parent; ancestor >= 0; ancestor = a.lists.cell[ancestor].parent) {
            const int32_t coarse = a.lists.near[(int64_t)ancestor * FAR_NEAR + k];
            const int32_t coarse_image = near_image(a.lists.cell[ancestor], k);
            if (coarse >= 0 && !a.lists.cell[coarse].mask &&
                cells_are_near(a.lists.cell[coarse], leaf, image_opposite(coarse_image)))
                pseudo_add(l, a.lists.cell[coarse].first, a.lists.cell[coarse].acting, coarse_image);
        }
    }
    for (int32_t c = number; c >= 0 && !has_inner(a, a.lists.cell[c]); c = a.lists.cell[c].parent)
        pseudo_far(a, c, l);
}

/* Finds a list by all threads of a warp, and writes it if there is room: collect(list) adds the sources of a thread.
 * Returns the place and the number of ranges; *sources: number of sources. */
template <class function> FAR_FN myr_far_leaf pseudo_list(const myr_far_cells &a, long long *sources, function collect)
{
    leaf_lists l = {0, 0, nullptr, nullptr, 0};
    int all, at = 0;
    collect(l);
    const int before = warp_prefix(l.ranges, &all);
    *sources = l.sources;
    for (int half = 16; half > 0; half /= 2)
        *sources += __shfl_xor_sync(~0u, *sources, half);
    if (threadIdx.x % 32 == 0)
        at = lists_take(a.lists, MYR_FAR_RANGES, all);
    at = __shfl_sync(~0u, at, 0);
    if (at + all <= a.lists.room[MYR_FAR_RANGES]) {
        l = {0, 0, a.lists.range + at + before, nullptr, 0};
        collect(l);
    } else if (threadIdx.x % 32 == 0) {
        atomicOr(&a.lists.state->overflow, 1);
    }
    return {at, all, 0, 0};
}

/* Lists of the inner spheres: one warp per cell. */
FAR_KERNEL(far_across_lists, myr_far_cells)
{
    const int32_t c = (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    long long sources;
    if (c >= a.lists.cells || !has_inner(a, a.lists.cell[c]) || !share_meets(a.lists.share, a.lists.cell[c]))
        return;
    const myr_far_leaf list = pseudo_list(a, &sources, [&](leaf_lists &l) { pseudo_far(a, c, l); });
    if (threadIdx.x % 32 == 0) {
        a.across[c] = list;
        if (share_has(a.lists.share, a.lists.cell[c])) /* else counted by another device */
            atomicAdd(&a.lists.state->far_sources, (unsigned long long)sources * (unsigned long long)a.points);
    }
}

/* Lists of the leaves: one warp per cell. */
FAR_KERNEL(far_pseudo_lists, myr_far_cells)
{
    const int32_t c = (int32_t)(((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32);
    const int lane = threadIdx.x % 32;
    long long sources;
    int item = 0;
    if (c >= a.lists.cells || a.lists.cell[c].mask || !share_has(a.lists.share, a.lists.cell[c]))
        return;
    const myr_far_cell cell = a.lists.cell[c];
    const myr_far_leaf list = pseudo_list(a, &sources, [&](leaf_lists &l) { pseudo_near(a, c, l); });
    const int items = (cell.count + MYR_FAR_TARGETS - 1) / MYR_FAR_TARGETS;
    if (lane == 0) {
        a.lists.leaf[c] = list;
        lists_own(a.lists, cell);
        item = lists_take(a.lists, MYR_FAR_WORK, items);
        atomicAdd(&a.lists.state->pairs, (unsigned long long)cell.count * (unsigned long long)(sources + cell.acting));
    }
    item = __shfl_sync(~0u, item, 0);
    if (item + items <= a.lists.room[MYR_FAR_WORK])
        lists_items(a.lists, c, item, items);
    else if (lane == 0)
        atomicOr(&a.lists.state->overflow, 1);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Place relative to a sphere, in units of its radius; returns its square. */
FAR_FN double on_sphere(const myr_far_moments &o, const double *place, double *u)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = (place[axis] - o.centre[axis]) / o.radius;
        square += u[axis] * u[axis];
    }
    return square;
}

/* Fields at a place from those on the inner sphere of a cell. */
FAR_FN void read_fields(const myr_far_cells &a, int32_t c, const double *place, double *to)
{
    const double *slope = a.design + 3 * a.points, *drop = slope + a.rule.order;
    const int64_t row = (int64_t)a.lists.cells * a.points;
    double u[3], sum[MYR_FAR_READ] = {};
    const double square = on_sphere(a.moments[c], place, u);
    for (int l = 0; l < SPHERE_BLOCK; l++) { /* partial sums as in sphere_values.c */
        double part[MYR_FAR_READ] = {};
        for (int j = l; j < a.points; j += SPHERE_BLOCK) {
            const double at = u[0] * design_at(a, 0, j) + u[1] * design_at(a, 1, j) + u[2] * design_at(a, 2, j);
            double weight;
            cell_weights(a.rule.order, slope, drop, &at, square, &weight);
            for (int f = 0; f < MYR_FAR_READ && f < a.fields; f++)
                part[f] += weight * a.field[f * row + (int64_t)c * a.points + j];
        }
        for (int f = 0; f < MYR_FAR_READ && f < a.fields; f++)
            sum[f] += part[f];
    }
    for (int f = 0; f < MYR_FAR_READ && f < a.fields; f++)
        to[f] = sum[f] / a.points;
}

/* Fields on the inner spheres of a level, from those of the parents: one block per cell, one thread per point. */
FAR_KERNEL(far_down, myr_far_cells)
{
    const int32_t c = a.begin + (int32_t)blockIdx.x, parent = a.lists.cell[c].parent;
    const int k = (int)threadIdx.x;
    if (a.lists.state->overflow || k >= a.points || !has_inner(a, a.lists.cell[c]) || parent < 0 ||
        !has_inner(a, a.lists.cell[parent]))
        return;
    double place[3], field[MYR_FAR_READ];
    for (int axis = 0; axis < 3; axis++)
        place[axis] = a.moments[c].centre[axis] + a.moments[c].radius * design_at(a, axis, k);
    read_fields(a, parent, place, field);
    for (int f = 0; f < MYR_FAR_READ && f < a.fields; f++)
        a.field[((int64_t)f * a.lists.cells + c) * a.points + k] += field[f];
}

/* Sums at a place, of three fields and their gradients. */
FAR_FN void read_slopes(const myr_far_cells &a, int32_t c, const double *place, double *to)
{
    const double *slope = a.design + 3 * a.points, *drop = slope + a.rule.order;
    const int64_t row = (int64_t)a.lists.cells * a.points;
    double u[3], sum[3][5] = {}; /* field, its slope along x, y, z of the points, and its derivative by |u|^2 */
    const double square = on_sphere(a.moments[c], place, u);
    for (int j = 0; j < a.points; j++) {
        const double n[3] = {design_at(a, 0, j), design_at(a, 1, j), design_at(a, 2, j)};
        const double at = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
        double weight[3];
        cell_slopes(a.rule.order, slope, drop, &at, square, weight);
        for (int f = 0; f < 3; f++) {
            const double v = a.field[f * row + (int64_t)c * a.points + j];
            sum[f][0] += weight[0] * v;
            for (int axis = 0; axis < 3; axis++)
                sum[f][1 + axis] += weight[1] * n[axis] * v;
            sum[f][4] += weight[2] * v;
        }
    }
    for (int f = 0; f < 3; f++) {
        if (f >= a.sum_first)
            to[f - a.sum_first] = sum[f][0] / a.points;
        for (int axis = 0; axis < 3; axis++)
            to[3 + 3 * f + axis - a.sum_first] =
                (sum[f][1 + axis] + 2 * u[axis] * sum[f][4]) / a.points / a.moments[c].radius;
    }
}

/* Far field of the particles of an item, from the nearest inner sphere above: one warp per item. */
FAR_KERNEL(far_read, myr_far_cells)
{
    const int64_t number = ((int64_t)blockIdx.x * MYR_FAR_THREADS + threadIdx.x) / 32;
    if (a.lists.state->overflow || number >= a.lists.state->used[MYR_FAR_WORK])
        return;
    const myr_far_item item = a.lists.item[number];
    int32_t c = item.cell;
    while (c >= 0 && !has_inner(a, a.lists.cell[c]))
        c = a.lists.cell[c].parent;
    for (int e = threadIdx.x % 32; e < item.count; e += 32) {
        const int64_t i = (int64_t)item.first + e;
        double place[3];
        for (int axis = 0; axis < 3; axis++)
            place[axis] = place_at(a, i, axis);
        if (c < 0)
            for (int q = 0; q < a.sums; q++)
                a.sum[i * a.sums + q] = 0;
        else if (a.slopes)
            read_slopes(a, c, place, a.sum + i * a.sums);
        else
            read_fields(a, c, place, a.sum + i * a.sums);
    }
}

#endif
