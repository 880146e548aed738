/* box_list.cuh - a new list of particles in a box on a GPU, included by box.cuh.
 *
 * Five launches, all of which read the same slot: count the particles of each bin, scan, place, sort the particles,
 * search. */

MYR_FN int is_wanted(const myr_box_list &a, const myr_box_slot &now)
{
    return !(now.state & ~(uint32_t)MYR_BOX_EXPIRED) && ((now.state & MYR_BOX_EXPIRED) || (a.always && now.made < a.all.most));
}

/* Particles beyond the grid of an open axis are in its first or last cell. */
MYR_FN int32_t list_cell(const myr_box_list &a, int c, uint32_t q)
{
#if BOX_OPEN
    if (!a.all.periodic[c]) {
        if (q < a.low[c])
            return 0;
        const uint64_t cell = ((uint64_t)(q - a.low[c]) * a.factor[c]) >> 32;
        return cell < (uint64_t)a.cells[c] ? (int32_t)cell : a.cells[c] - 1;
    }
#endif
    return (int32_t)(((uint64_t)(q - a.low[c]) * a.factor[c]) >> 32);
}

MYR_FN int32_t list_column(const myr_box_list &a, int32_t x, int32_t y)
{
    return x * a.cells[1] + (x & 1 ? a.cells[1] - 1 - y : y);
}

extern "C" __global__ void __launch_bounds__(256) box_count(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || i >= a.all.n)
        return;
    const myr_box_side &s = a.all.side[now.side];
    uint32_t q[3];
    for (int c = 0; c < 3; c++) {
        q[c] = (uint32_t)(s.q[c][i] >> 32);
        const int32_t crossed = crossings(a.all, c, i, s.q[c][i]);
        if (crossed)
            a.all.image[c][s.row[i]] += crossed;
    }
    const int32_t column = list_column(a, list_cell(a, 0, q[0]), list_cell(a, 1, q[1])), z = list_cell(a, 2, q[2]);
    const int32_t bin = column * a.cells[2] + (column & 1 ? a.cells[2] - 1 - z : z);
    a.bin[i] = bin;
    atomicAdd(&a.count[bin], 1);
}

/* Exclusive scan of 256 numbers by a block; *all receives their sum. */
MYR_FN int32_t scan_block(int32_t x, int32_t *all)
{
    __shared__ int32_t of_warp[8];
    int32_t up = x;
    MYR_UNROLL
    for (int far = 1; far < 32; far *= 2) {
        const int32_t other = __shfl_up_sync(~0u, up, far);
        up += (int)threadIdx.x % 32 >= far ? other : 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 31)
        of_warp[threadIdx.x / 32] = up;
    __syncthreads();
    int32_t below = 0, sum = 0;
    MYR_UNROLL
    for (int k = 0; k < 8; k++) {
        below += k < (int)threadIdx.x / 32 ? of_warp[k] : 0;
        sum += of_warp[k];
    }
    *all = sum;
    return below + up - x;
}

/* Blocks of MYR_BOX_SCAN bins: step 0 scans each, step 1 the sums of blocks (one block), step 2 adds these. */
extern "C" __global__ void __launch_bounds__(256) box_scan(const __grid_constant__ myr_box_list a)
{
    enum { EACH = MYR_BOX_SCAN / 256 };
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now))
        return;
    const int64_t first = (int64_t)blockIdx.x * MYR_BOX_SCAN + threadIdx.x * EACH;
    int32_t x[EACH], sum = 0, all;
    for (int k = 0; k < EACH; k++) {
        x[k] = first + k < a.bins ? a.count[first + k] : 0;
        sum += x[k];
    }
    int32_t below = scan_block(sum, &all);
    for (int k = 0; k < EACH; k++) {
        if (first + k <= a.bins)
            a.count[first + k] = below;
        below += x[k];
    }
    if (threadIdx.x == 0)
        a.part[blockIdx.x] = all;
}

extern "C" __global__ void __launch_bounds__(256) box_scan_parts(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now))
        return;
    const int32_t parts = a.bins / MYR_BOX_SCAN + 1;
    int32_t before = 0, all;
    for (int32_t first = 0; first < parts; first += 256) {
        const int32_t at = first + threadIdx.x, x = at < parts ? a.part[at] : 0;
        const int32_t below = scan_block(x, &all);
        if (at < parts)
            a.part[at] = before + below;
        before += all;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(256) box_place(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || i >= a.all.n)
        return;
    const int32_t bin = a.bin[i];
    a.order[a.count[bin] + a.part[bin / MYR_BOX_SCAN] + atomicAdd(&a.fill[bin], 1)] = i;
}

MYR_FN int32_t list_start(const myr_box_list &a, int32_t bin)
{
    return a.count[bin] + a.part[bin / MYR_BOX_SCAN];
}

/* Particles of a bin are in the order of their ids, whatever order the atomic additions had. */
extern "C" __global__ void __launch_bounds__(256) box_sort(const __grid_constant__ myr_box_list a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t at = blockIdx.x * 256 + threadIdx.x;
    if (!is_wanted(a, now) || at >= a.all.n)
        return;
    const myr_box_side &from = a.all.side[now.side], &to = a.all.side[1 - now.side];
    const int32_t i = a.order[at], bin = a.bin[i], row = from.row[i];
    const int32_t first = list_start(a, bin), last = list_start(a, bin + 1);
    const int64_t id = a.all.id[row];
    int32_t place = first;
    for (int32_t k = first; k < last; k++)
        place += last - first > 1 && a.all.id[from.row[a.order[k]]] < id;
    box_point p;
    for (int c = 0; c < 3; c++) {
        const uint64_t q = from.q[c][i];
        to.q[c][place] = q;
        to.v[c][place] = from.v[c][i];
        a.all.old[c][place] = (uint32_t)(q >> 32);
        p.x[c] = point_coordinate(q);
    }
    p.type = BOX_TYPED ? (real_int)a.all.type[row] : 0;
    ((box_point *)a.all.point[now.face])[place] = p;
    to.inverse[place] = from.inverse[i];
    to.row[place] = row;
}

MYR_FN int32_t list_fold(int32_t cell, int32_t cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

/* Bounds of a cluster, relative to its first particle. */
struct cluster_bounds {
    uint32_t at[3];
    float low[3], high[3]; /* in units of the upper halves of coordinates, as `base` */
    float off[CLUSTER][3], unit[3];
    float base[3]; /* place of the first particle in the grid */
    int is_wide;   /* 1 = differences from the first particle may pass half the box, or have too few digits */
};

MYR_FN uint32_t upper_half(real_int x)
{
    return (uint32_t)(MYR_ARITH == MYR_ARITH_DOUBLE ? (uint64_t)x >> 32 : (uint64_t)x);
}

MYR_FN cluster_bounds find_bounds(const myr_box_list &a, const void *point, int cluster)
{
    cluster_bounds b;
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const int32_t k = cluster * CLUSTER + i < a.all.n ? cluster * CLUSTER + i : cluster * CLUSTER;
        const box_point p = load_point(point, k);
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            if (i == 0) {
                b.unit[c] = (float)(MYR_ARITH == MYR_ARITH_DOUBLE ? a.all.unit[c] * 0x1p32 : a.all.unit[c]);
                b.at[c] = upper_half(p.x[c]);
                b.base[c] = BOX_OPEN && !a.all.periodic[c] ? (float)((int64_t)b.at[c] - (int64_t)a.low[c])
                                                           : (float)(b.at[c] - a.low[c]);
                b.low[c] = b.high[c] = 0;
            }
            const float way = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]);
            b.low[c] = fminf(b.low[c], way);
            b.high[c] = fmaxf(b.high[c], way);
            b.off[i][c] = way * b.unit[c];
        }
    }
    b.is_wide = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const float reach = sqrtf(a.search2) / b.unit[c], furthest = fmaxf(b.high[c], -b.low[c]) + reach;
        b.is_wide |= furthest > 0x1p31f * 0.999f || furthest > 32.0f * reach;
    }
    return b;
}

/* Cells along an axis within `reach` of a cluster: `first` may be negative, and on periodic axes first + count may exceed
 * the number of cells. In floats, whose errors the slack exceeds. */
struct cell_range {
    int32_t first, count;
};

MYR_FN cell_range list_range(const myr_box_list &a, const cluster_bounds &b, int c, float reach)
{
    cell_range r;
    const float cells = (float)a.factor[c] * 0x1p-32f, more = a.slack[c] / b.unit[c] + 2.0f;
    int32_t first = (int32_t)floorf((b.base[c] + b.low[c] - reach - more) * cells);
    int32_t last = (int32_t)floorf((b.base[c] + b.high[c] + reach + more) * cells);
    if (!a.all.periodic[c]) {
        first = first < 0 ? 0 : first;
        last = last < a.cells[c] ? last : a.cells[c] - 1;
        first = first < a.cells[c] ? first : a.cells[c] - 1;
        last = last < first ? first : last;
    }
    const int is_part = last - first + 1 < a.cells[c];
    r.first = is_part ? first : 0;
    r.count = is_part ? last - first + 1 : a.cells[c];
    return r;
}

/* Gap between the cluster and cell `cell` (which may be beyond the ends of a periodic axis) along x or y. */
MYR_FN float column_gap(const myr_box_list &a, const cluster_bounds &b, int c, int32_t cell)
{
    const float low = (b.base[c] + b.low[c]) * b.unit[c], high = (b.base[c] + b.high[c]) * b.unit[c];
    const float left = (float)cell * a.width[c], right = left + a.width[c];
#if BOX_OPEN
    if (!a.all.periodic[c]) /* the first and the last cell of an open axis have no end */
        return fmaxf(0.0f, fmaxf(cell > 0 ? left - high : 0.0f, cell < a.cells[c] - 1 ? low - right : 0.0f) - a.slack[c]);
#endif
    return fmaxf(0.0f, fmaxf(left - high, low - right) - a.slack[c]);
}

/* Runs of particles in one column, within the search length of the cluster: two if the run passes the end of a periodic
 * axis. */
struct column_runs {
    int32_t start[2], length[2];
};

MYR_FN column_runs find_runs(const myr_box_list &a, const cluster_bounds &b, int32_t ux, int32_t uy, const cell_range *range)
{
    column_runs r = {{0, 0}, {0, 0}};
    const int32_t bins = a.cells[2];
    const int32_t column = list_column(a, list_fold(ux, a.cells[0]), list_fold(uy, a.cells[1]));
    const float gx = range[0].count < a.cells[0] ? column_gap(a, b, 0, ux) : 0.0f;
    const float gy = range[1].count < a.cells[1] ? column_gap(a, b, 1, uy) : 0.0f;
    const float left2 = a.search2 * 1.0001f - (gx * gx + gy * gy);
    if (!(left2 > 0.0f))
        return r;
    const cell_range z = list_range(a, b, 2, sqrtf(left2) / b.unit[2]);
    const int32_t first = z.count < bins ? list_fold(z.first, bins) : 0;
    for (int part = 0; part < 2; part++) {
        const int32_t past = first + z.count - bins; /* bins beyond the end */
        const int32_t from = part ? 0 : first, last = part ? past - 1 : past > 0 ? bins - 1 : first + z.count - 1;
        if (last < from)
            continue;
        const int32_t lower = column & 1 ? bins - 1 - last : from, upper = column & 1 ? bins - 1 - from : last;
        r.start[part] = list_start(a, column * bins + lower);
        r.length[part] = list_start(a, column * bins + upper + 1) - r.start[part];
    }
    return r;
}

/* nearest2 for wide clusters, by a difference of integers for each particle. Not hot. */
__device__ __noinline__ float nearest2_wide(const myr_box_list &a, const void *point, int cluster, const box_point &p)
{
    float least = INFINITY;
    for (int i = 0; i < CLUSTER && cluster * CLUSTER + i < a.all.n; i++) {
        const box_point target = load_point(point, cluster * CLUSTER + i);
        float r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double unit = MYR_ARITH == MYR_ARITH_DOUBLE ? a.all.unit[c] * 0x1p32 : a.all.unit[c];
            const float d = (float)(int32_t)(upper_half(p.x[c]) - upper_half(target.x[c])) * (float)unit;
            r2 = fmaf(d, d, r2);
        }
        least = fminf(least, r2);
    }
    return least;
}

/* Square of the distance of a particle from the nearest of the cluster. */
MYR_FN float nearest2(const cluster_bounds &b, const box_point &p)
{
    float d[3], least = INFINITY;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        d[c] = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]) * b.unit[c];
    }
    MYR_UNROLL
    for (int i = 0; i < CLUSTER; i++) {
        const float x = d[0] - b.off[i][0], y = d[1] - b.off[i][1], z = d[2] - b.off[i][2];
        least = fminf(least, fmaf(x, x, fmaf(y, y, z * z)));
    }
    return least;
}

/* A warp for every cluster: its threads find the runs of particles in the columns around the cluster, write the places
 * of these particles to shared memory, and test them. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, 8) box_search(const __grid_constant__ myr_box_list a)
{
    enum { ROOM = 1024 };
    __shared__ int32_t candidates[MYR_BOX_THREADS / 32][ROOM];
    const myr_box_slot now = a.all.slot[0];
    if (!is_wanted(a, now)) {
        pass_on(a.all.slot, now);
        return;
    }
    if (is_first_thread()) {
        a.all.slot[1].made = now.made;
        a.all.slot[1].side = 1 - now.side;
        a.all.slot[1].face = now.face;
        atomicMax(&a.all.slot[1].longest, now.longest); /* of this list or an earlier one */
        atomicMax(&a.all.slot[1].crowd, now.crowd);
    }
    const int cluster = (blockIdx.x * MYR_BOX_THREADS + threadIdx.x) / 32, me = threadIdx.x % 32;
    if (cluster >= a.all.clusters)
        return;
    if (!has_own(a.all, 1 - now.side, cluster)) {
        if (me == 0)
            a.all.entries[cluster] = 0;
        return;
    }
    const cluster_bounds b = find_bounds(a, a.all.point[now.face], cluster);
    cell_range range[3];
    for (int c = 0; c < 2; c++)
        range[c] = list_range(a, b, c, sqrtf(a.search2) / b.unit[c]);
    const int32_t columns = range[0].count * range[1].count;
    int32_t *mine = candidates[threadIdx.x / 32], *entry = a.all.entry + (size_t)cluster * a.all.room;
    const void *points = a.all.point[now.face];
    const unsigned below = (1u << me) - 1, room = (unsigned)a.all.room;
    unsigned count = 0, crowd = 0;
    for (int32_t first = 0; first < columns; first += 32) {
        column_runs r = {{0, 0}, {0, 0}};
        if (first + me < columns)
            r = find_runs(a, b, range[0].first + (first + me) / range[1].count,
                          range[1].first + (first + me) % range[1].count, range);
        const int32_t length = r.length[0] + r.length[1];
        int32_t up = length;
        MYR_UNROLL
        for (int far = 1; far < 32; far *= 2) {
            const int32_t other = __shfl_up_sync(~0u, up, far);
            up += me >= far ? other : 0;
        }
        const int32_t total = __shfl_sync(~0u, up, 31), before = up - length;
        for (int32_t part = 0; part < total; part += ROOM) {
            /* candidates [part, part + ROOM) */
            for (int32_t k = before < part ? part - before : 0; k < length && before + k < part + ROOM; k++)
                mine[before + k - part] = k < r.length[0] ? r.start[0] + k : r.start[1] + (k - r.length[0]);
            __syncwarp();
            const int32_t here = total - part < ROOM ? total - part : ROOM;
            for (int32_t k = 0; k < here; k += 32) {
                /* particles of the cluster itself do not count; they fill the last round */
                const unsigned candidate = (unsigned)(k + me < here ? mine[k + me] : cluster * CLUSTER);
                const box_point p = load_point(points, (int32_t)candidate);
                const float r2 = b.is_wide ? nearest2_wide(a, points, cluster, p) : nearest2(b, p);
                const int near = r2 < a.search2 && candidate / CLUSTER != (unsigned)cluster;
                const unsigned found = __ballot_sync(~0u, near), place = count + __popc(found & below);
                crowd += near && r2 < a.near2;
                if (near && place < room)
                    entry[place] = (int32_t)candidate;
                count += __popc(found);
            }
            __syncwarp();
        }
    }
    MYR_UNROLL
    for (int far = 16; far > 0; far /= 2)
        crowd += __shfl_xor_sync(~0u, crowd, far);
    if (me != 0)
        return;
    crowd += CLUSTER - 1; /* those of the cluster itself */
    a.all.entries[cluster] = (int32_t)(count < room ? count : room);
    if (count > room)
        atomicOr(&a.all.slot[1].state, (uint32_t)MYR_BOX_FULL);
    if (count > now.longest) /* most clusters do not lengthen it */
        atomicMax(&a.all.slot[1].longest, count);
    if (crowd > now.crowd)
        atomicMax(&a.all.slot[1].crowd, crowd);
}
