/* box_list.cuh - a new list of particles in a box on a GPU, included by box.cuh.
 *
 * Five parts, one after another: count the particles of each bin, scan, place, sort the particles, search. They are
 * tasks of the kernel that makes steps (box.cuh), or launches of their own that read the same slot.
 *
 * A list holds as long as no particle is further than half the skin from the place for which the list was built. That
 * is not where the particle is now, but where it is expected halfway through the life of the list, by its velocity and
 * acceleration: a list lasts twice as long. The proof in every step does not depend on this guess. */

/* 1 if a launch of its own makes its part of the list. */
MYR_FN int is_wanted(const myr_box_list &a, const myr_box_slot &now)
{
    return !(now.state & ~(uint32_t)MYR_BOX_EXPIRED) &&
           ((now.state & MYR_BOX_EXPIRED) || (a.always && now.made < a.all.most));
}

#include "backend/cuda/box_bins.cuh"

MYR_FN int32_t list_fold(int32_t cell, int32_t cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

enum { GROUP = BOX_GROUP, MEMBERS = GROUP * CLUSTER };

/* Consecutive clusters, relative to the first particle. */
struct group_bounds {
    uint32_t at[3];
    float low[3], high[3]; /* in units of the upper halves of coordinates, as `base` */
    float base[3];         /* place of the first particle in the grid */
    /* offset x of each particle in sigma, as -2 x and x^2 */
    float off[MEMBERS][3], off2[MEMBERS];
    float skin[GROUP]; /* largest of each cluster, in sigma */
    int is_wide;       /* 1 = differences from the first particle may pass half the box, or have too few digits */
};

MYR_FN uint32_t upper_half(real_int x)
{
    return (uint32_t)(MYR_ARITH == MYR_ARITH_DOUBLE ? (uint64_t)x >> 32 : (uint64_t)x);
}

MYR_FN group_bounds find_bounds(const myr_box_list &a, const void *point, int32_t first)
{
    group_bounds b;
    MYR_UNROLL
    for (int i = 0; i < MEMBERS; i++) {
        const box_point p = load_point(point, first + i < a.all.n ? first + i : first);
        const float skin = listed_skin(p.type);
        b.skin[i / CLUSTER] = i % CLUSTER ? fmaxf(b.skin[i / CLUSTER], skin) : skin;
        b.off2[i] = 0;
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            if (i == 0) {
                b.at[c] = upper_half(p.x[c]);
                b.base[c] = BOX_OPEN && !a.all.periodic[c] ? (float)((int64_t)b.at[c] - (int64_t)a.low[c])
                                                           : (float)(b.at[c] - a.low[c]);
                b.low[c] = b.high[c] = 0;
            }
            const float way = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]), x = way * a.unit[c];
            b.low[c] = fminf(b.low[c], way);
            b.high[c] = fmaxf(b.high[c], way);
            b.off[i][c] = -2.0f * x;
            b.off2[i] = fmaf(x, x, b.off2[i]);
        }
    }
    b.is_wide = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        b.is_wide |= fmaxf(b.high[c], -b.low[c]) > a.widest[c];
    return b;
}

/* Cells along an axis within `reach` of the clusters: `first` may be negative, and on periodic axes first + count may
 * exceed the number of cells. In floats, whose errors the margin exceeds. */
struct cell_range {
    int32_t first, count;
};

MYR_FN cell_range list_range(const myr_box_list &a, const myr_box_grid &g, const group_bounds &b, int c, float reach)
{
    cell_range r;
    const float more = reach + a.margin[c];
    int32_t first = (int32_t)floorf((b.base[c] + b.low[c] - more) * g.per_cell[c]);
    int32_t last = (int32_t)floorf((b.base[c] + b.high[c] + more) * g.per_cell[c]);
    if (BOX_OPEN && !a.all.periodic[c]) {
        first = first < 0 ? 0 : first;
        last = last < g.cells[c] ? last : g.cells[c] - 1;
        first = first < g.cells[c] ? first : g.cells[c] - 1;
        last = last < first ? first : last;
    }
    const int is_part = last - first + 1 < g.cells[c];
    r.first = is_part ? first : 0;
    r.count = is_part ? last - first + 1 : g.cells[c];
    return r;
}

/* Gap between the clusters and cell `cell` (which may be beyond the ends of a periodic axis) along x or y. */
MYR_FN float column_gap(const myr_box_list &a, const myr_box_grid &g, const group_bounds &b, int c, int32_t cell)
{
    const float low = (b.base[c] + b.low[c]) * a.unit[c], high = (b.base[c] + b.high[c]) * a.unit[c];
    const float left = (float)cell * g.width[c], right = left + g.width[c];
#if BOX_OPEN
    if (!a.all.periodic[c]) /* the first and the last cell of an open axis have no end */
        return fmaxf(0.0f,
                     fmaxf(cell > 0 ? left - high : 0.0f, cell < g.cells[c] - 1 ? low - right : 0.0f) - a.slack[c]);
#endif
    return fmaxf(0.0f, fmaxf(left - high, low - right) - a.slack[c]);
}

/* Runs of particles in one column, within the search length of the clusters: two if the run passes the end of a
 * periodic axis. */
struct column_runs {
    int32_t start[2], length[2];
};

MYR_FN column_runs find_runs(const myr_box_list &a, const myr_box_grid &g, const group_bounds &b, float reach,
                             int32_t ux, int32_t uy, const cell_range *range)
{
    column_runs r = {{0, 0}, {0, 0}};
    const int32_t bins = g.cells[2];
    const int32_t column = list_column(g, list_fold(ux, g.cells[0]), list_fold(uy, g.cells[1]));
    const float gx = range[0].count < g.cells[0] ? column_gap(a, g, b, 0, ux) : 0.0f;
    const float gy = range[1].count < g.cells[1] ? column_gap(a, g, b, 1, uy) : 0.0f;
    const float left2 = fmaf(reach, reach, a.slack2) * 1.0001f - (gx * gx + gy * gy);
    if (!(left2 > 0.0f))
        return r;
    const cell_range z = list_range(a, g, b, 2, sqrtf(left2) * a.per_unit[2]);
    const int32_t first = z.count < bins ? list_fold(z.first, bins) : 0;
    const int32_t past = first + z.count - bins; /* bins beyond the end */
    MYR_UNROLL
    for (int part = 0; part < 2; part++) {
        const int32_t from = part ? 0 : first, last = part ? past - 1 : past > 0 ? bins - 1 : first + z.count - 1;
        if (last < from)
            continue;
        const int32_t *start = a.start + (g.first + column * bins);
        const int32_t lower = column & 1 ? bins - 1 - last : from, upper = column & 1 ? bins - 1 - from : last;
        r.start[part] = start[lower];
        r.length[part] = start[upper + 1] - r.start[part];
    }
    return r;
}

/* Squares of the distances of a particle from the nearest of each cluster of a group. */
struct group_squares {
    float r2[GROUP];
};

/* For wide groups: by a difference of integers for each particle. Not hot. */
__device__ __noinline__ group_squares nearest_wide(const myr_box_list &a, const void *point, int cluster, box_point p)
{
    group_squares s;
    for (int g = 0; g < GROUP; g++)
        s.r2[g] = INFINITY;
    for (int i = 0; i < MEMBERS && cluster * CLUSTER + i < a.all.n; i++) {
        const box_point target = load_point(point, cluster * CLUSTER + i);
        float r2 = 0;
        for (int c = 0; c < 3; c++) {
            const float d = (float)(int32_t)(upper_half(p.x[c]) - upper_half(target.x[c])) * a.unit[c];
            r2 = fmaf(d, d, r2);
        }
        s.r2[i / CLUSTER] = fminf(s.r2[i / CLUSTER], r2);
    }
    return s;
}

/* For others: d^2 - 2 d x + x^2, where d is the distance from the first particle. */
MYR_FN group_squares nearest(const myr_box_list &a, const group_bounds &b, const box_point &p)
{
    group_squares s;
    float d[3], d2 = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        d[c] = (float)(int32_t)(upper_half(p.x[c]) - b.at[c]) * a.unit[c];
        d2 = fmaf(d[c], d[c], d2);
    }
    MYR_UNROLL
    for (int g = 0; g < GROUP; g++) {
        float least = INFINITY;
        MYR_UNROLL
        for (int i = g * CLUSTER; i < (g + 1) * CLUSTER; i++) { /* the offset of the first particle is 0 */
            const float more = fmaf(d[0], b.off[i][0], fmaf(d[1], b.off[i][1], fmaf(d[2], b.off[i][2], b.off2[i])));
            least = fminf(least, i == 0 ? 0.0f : more);
        }
        s.r2[g] = d2 + least;
    }
    return s;
}

enum { CANDIDATES = 1024, RUNS = 64 };

/* Candidates of a group, in runs of consecutive particles. Candidate k is particle shift[run] + k, where `run` is the
 * number of runs that begin at or before k, less one: mark has a bit at the beginning of every run. */
struct search_room {
    int32_t shift[RUNS];
    uint32_t mark[CANDIDATES / 32];
    float reach[GROUP][MYR_BOX_LISTED]; /* of sources of each type, without their skin */
};

/* What the search for a row has found. */
struct search_found {
    unsigned count, crowd; /* crowd: near sources that this thread has found */
};

/* Tests candidates [part, part + CANDIDATES) of `total`; `run`: number of runs that begin before `part`; listed: a bit
 * for each cluster of the group that has a row. */
MYR_FN void test_candidates(const myr_box_list &a, const void *points, const group_bounds &b, int cluster, int listed,
                            const search_room &room, int32_t part, int32_t total, int32_t run,
                            search_found found[GROUP])
{
    const int me = threadIdx.x % 32;
    const unsigned below = (1u << me) - 1, up_to = below + (1u << me);
    int32_t *entry = a.all.entry + (size_t)cluster * a.all.room;
    for (int32_t k = part; k < total && k < part + CANDIDATES; k += 32) {
        const uint32_t begins = room.mark[(k - part) / 32];
        const int32_t candidate = room.shift[run + __popc(begins & up_to) - 1] + k + me;
        const int is_there = k + me < total;
        run += __popc(begins);
        box_point p = load_point(points, is_there ? candidate : cluster * CLUSTER);
        pin(p.type); /* one load instead of three */
        const group_squares s = b.is_wide ? nearest_wide(a, points, cluster, p) : nearest(a, b, p);
        const float skin = listed_skin(p.type);
        const int type = listed_type(p.type);
        MYR_UNROLL
        for (int g = 0; g < GROUP; g++) {
            const float reach = skin + (BOX_TYPED ? room.reach[g][type] : b.skin[g] + a.cutoff);
            const int near = is_there && (listed >> g & 1) && s.r2[g] < fmaf(reach, reach, a.slack2) &&
                             candidate / CLUSTER != cluster + g;
            const unsigned all = __ballot_sync(~0u, near), place = found[g].count + __popc(all & below);
            if (BOX_SUMS == 0)
                found[g].crowd += near && s.r2[g] < a.near2;
            if (near && place < (unsigned)a.all.room)
                entry[(size_t)g * a.all.room + row_place(place)] = candidate;
            found[g].count += __popc(all);
        }
    }
}

/* Distances within which sources of each type may come within their cutoff of a target of a cluster, without the skin
 * of the source. */
MYR_FN void find_reaches(const myr_box_list &a, const void *points, const group_bounds &b, int cluster,
                         search_room &room)
{
#if BOX_TYPED
    for (int k = threadIdx.x % 32; k < GROUP * MYR_BOX_LISTED; k += 32) {
        const int g = k / MYR_BOX_LISTED, type = k % MYR_BOX_LISTED;
        float cutoff = a.listed > 1 ? 0.0f : a.cutoff;
        for (int i = 0; type < a.listed && a.listed > 1 && i < CLUSTER; i++) {
            const int32_t at = (cluster + g) * CLUSTER + i;
            const int own = listed_type(load_point(points, at < a.all.n ? at : a.all.n - 1).type);
            const real *row = (const real *)a.all.table + (own * a.all.types + type) * MYR_BOX_CONSTANTS;
            cutoff = fmaxf(cutoff, sqrtf((float)row[CUT_RADIUS2]) * 1.000001f + a.round);
        }
        room.reach[g][type] = cutoff + (g ? b.skin[GROUP - 1] : b.skin[0]);
    }
    __syncwarp();
#endif
}

/* Finds the rows of a group of clusters, by a warp: each thread looks for the particles of one column around them; then
 * all test these. */
MYR_FN void search_rows(const myr_box_list &a, const void *points, int cluster, int listed, search_room &room,
                        search_found found[GROUP])
{
    const int me = threadIdx.x % 32;
    const unsigned below = (1u << me) - 1;
    const group_bounds b = find_bounds(a, points, cluster * CLUSTER);
    const float most = listed_skin(listed_word(a, a.most, 0));
    float skin = b.skin[0];
    MYR_UNROLL
    for (int g = 1; g < GROUP; g++)
        skin = fmaxf(skin, b.skin[g]);
    if (BOX_TYPED)
        find_reaches(a, points, b, cluster, room);
    int32_t columns = 1;
    for (int32_t first = 0; first < columns; first += 32) {
        column_runs r = {{0, 0}, {0, 0}};
        columns = 0;
        for (int k = 0; k < (BOX_TYPED ? a.sections : 1);
             k++) { /* the columns of each section follow those of the last */
            const float reach = most + (BOX_TYPED && a.sections > 1 ? fmaxf(room.reach[0][k], room.reach[GROUP - 1][k])
                                                                    : skin + a.cutoff);
            cell_range range[2];
            MYR_UNROLL
            for (int c = 0; c < 2; c++)
                range[c] = list_range(a, a.grid[k], b, c, reach * a.per_unit[c]);
            const int32_t at = first + me - columns, here = range[0].count * range[1].count;
            if (at >= 0 && at < here) {
                const int32_t x = (int32_t)((unsigned)at / (unsigned)range[1].count);
                r = find_runs(a, a.grid[k], b, reach, range[0].first + x, range[1].first + at - x * range[1].count,
                              range);
            }
            columns += here;
        }
        const int32_t length = r.length[0] + r.length[1];
        int32_t end = length;
        MYR_UNROLL
        for (int far = 1; far < 32; far *= 2) {
            const int32_t other = __shfl_up_sync(~0u, end, far);
            end += me >= far ? other : 0;
        }
        const int32_t total = __shfl_sync(~0u, end, 31);
        const int32_t begin[2] = {end - length, end - r.length[1]};
        const unsigned has[2] = {__ballot_sync(~0u, r.length[0] > 0), __ballot_sync(~0u, r.length[1] > 0)};
        int32_t run = __popc(has[0] & below) + __popc(has[1] & below);
        MYR_UNROLL
        for (int part = 0; part < 2; part++)
            if (r.length[part] > 0)
                room.shift[run++] = r.start[part] - begin[part];
        for (int32_t part = 0, before = 0; part < total; part += CANDIDATES) {
            room.mark[me] = 0;
            __syncwarp();
            int begun = 0; /* runs that begin here */
            MYR_UNROLL
            for (int k = 0; k < 2; k++) {
                const uint32_t bit = (uint32_t)(begin[k] - part);
                const int begins = r.length[k] > 0 && bit < CANDIDATES;
                if (begins)
                    atomicOr(&room.mark[bit / 32], 1u << bit % 32);
                begun += total > CANDIDATES ? __popc(__ballot_sync(~0u, begins)) : 0;
            }
            __syncwarp();
            test_candidates(a, points, b, cluster, listed, room, part, total, before, found);
            before += begun;
            __syncwarp();
        }
    }
}

/* Fills a row up to a multiple of what its threads read at once (box_cube.cuh). */
MYR_FN void fill_row(const myr_box_list &a, int cluster, unsigned count)
{
    enum { TURN = BOX_LANES * MYR_BOX_PIECE };
    static_assert(TURN <= 32, "an entry for each thread of a warp");
    const unsigned place = count + threadIdx.x % 32, end = (count + TURN - 1) / TURN * TURN;
    if (place < end && place < (unsigned)a.all.room)
        a.all.entry[(size_t)cluster * a.all.room + row_place(place)] = a.all.n;
}

/* Stores the length of a row. */
MYR_FN void end_row(const myr_box_list &a, const myr_box_slot &now, int cluster, unsigned count, unsigned crowd)
{
    const unsigned room = (unsigned)a.all.room;
    a.all.entries[cluster] = (int32_t)(count < room ? count : room);
    if (count > room)
        atomicOr(&a.all.slot[1].state, (uint32_t)MYR_BOX_FULL);
    if (count > now.longest) /* most clusters do not lengthen it */
        atomicMax(&a.all.slot[1].longest, count);
    if (crowd > now.crowd)
        atomicMax(&a.all.slot[1].crowd, crowd);
}

/* A warp for every group of clusters, in turn: as many blocks as the device holds at once share the groups evenly. */
MYR_FN void search_all(const myr_box_list &a, const myr_box_slot &now)
{
    enum { WARPS = MYR_BOX_THREADS / 32 };
    static_assert(WARPS * sizeof(search_room) <= sizeof ring, "the search uses the room of the points of a step");
    search_room *const rooms = (search_room *)&ring;
    const int32_t blocks = (int32_t)gridDim.x < a.searches ? (int32_t)gridDim.x : a.searches;
    if (is_first_thread()) {
        a.all.slot[1].made = now.made;
        a.all.slot[1].task = MYR_BOX_STEP;
        a.all.slot[1].side = 1 - now.side;
        a.all.slot[1].face = now.face;
        atomicMax(&a.all.slot[1].longest, now.longest); /* of this list or an earlier one */
        atomicMax(&a.all.slot[1].crowd, now.crowd);
    }
    const int warp = (int)threadIdx.x / 32, me = threadIdx.x % 32;
    const int groups = (a.all.clusters + GROUP - 1) / GROUP;
    if ((int32_t)blockIdx.x >= blocks)
        return;
    for (int group = (int)blockIdx.x * WARPS + warp; group < groups; group += blocks * WARPS) {
        const int cluster = group * GROUP, rest = a.all.clusters - cluster;
        search_found found[GROUP] = {};
        int listed = 0;
        for (int g = 0; g < GROUP && g < rest; g++)
            listed |= has_own(a.all, 1 - now.side, cluster + g) << g;
        if (listed)
            search_rows(a, a.all.point[1 - now.face], cluster, listed, rooms[warp], found);
        MYR_UNROLL
        for (int g = 0; g < GROUP; g++) {
            unsigned crowd = found[g].crowd;
            MYR_UNROLL
            for (int far = 16; far > 0; far /= 2)
                crowd += __shfl_xor_sync(~0u, crowd, far);
            if (BOX_CUBE && g < rest)
                fill_row(a, cluster + g, found[g].count);
            if (me == 0 && g < rest) /* those of the cluster itself are near */
                end_row(a, now, cluster + g, found[g].count, listed >> g & 1 ? crowd + CLUSTER - 1 : 0);
        }
    }
}

/* --- the parts as tasks, or as kernels -----------------------------------------------------------------------------
 */

#if BOX_TASKS
/* Part `task` of a new list, and the slot for the next one. Called by all threads of a launch. */
MYR_FN void list_part(const myr_box_list &a, const myr_box_slot &now, int32_t task)
{
    if (task == MYR_BOX_SEARCH) {
        search_all(a, now);
        return;
    }
    if (task == MYR_BOX_COUNT)
        count_bins(a, now);
    else if (task == MYR_BOX_SCANS)
        scan_bins(a);
    else if (task == MYR_BOX_PLACE)
        place_particles(a);
    else
        sort_particles(a, now);
    pass_on(a.all.slot, now, task + 1);
}
#else
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_count(const __grid_constant__ myr_box_list a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_wanted(a, now))
        count_bins(a, now);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_scan(const __grid_constant__ myr_box_list a)
{
    wait_for_last();
    if (is_wanted(a, a.all.slot[0]))
        scan_bins(a);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_place(const __grid_constant__ myr_box_list a)
{
    wait_for_last();
    if (is_wanted(a, a.all.slot[0]))
        place_particles(a);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_sort(const __grid_constant__ myr_box_list a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_wanted(a, now))
        sort_particles(a, now);
}

extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS, (9 - BOX_GROUP) * 128 / MYR_BOX_THREADS)
    box_search(const __grid_constant__ myr_box_list a)
{
    wait_for_last();
    const myr_box_slot now = a.all.slot[0];
    if (is_wanted(a, now))
        search_all(a, now);
    else
        pass_on(a.all.slot, now, now.task);
}
#endif
