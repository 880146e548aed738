/* short_range_search.h - search for the windows of a target. See short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_SEARCH_H
#define MYR_BACKEND_SHORT_RANGE_SEARCH_H

/* Contiguous particles [first, last). */
typedef struct {
    int32_t first, last;
} window_run;

enum { WINDOW_RUNS = 2 * (2 * MYR_SHORT_RANGE_REACH + 2) * (2 * MYR_SHORT_RANGE_REACH + 2) };

/* Cells of an axis within `reach` of a position, from `first` to `last`; indices outside [0, cells) are across the
 * periodic boundary. whole: 1 = all cells. */
typedef struct {
    int first, last, whole;
} window_range;

MYR_FN window_range window_reach(const myr_short_range_grid *g, int axis, double at, double reach)
{
    window_range r = {(int)floor(at - reach), (int)floor(at + reach), 0};
    if (!g->periodic[axis]) {
        r.first = r.first < 0 ? 0 : r.first;
        r.last = r.last >= g->cells[axis] ? g->cells[axis] - 1 : r.last;
    } else if (r.last - r.first + 1 >= g->cells[axis]) {
        r = (window_range){0, g->cells[axis] - 1, 1};
    }
    return r;
}

MYR_FN int window_wrap(int cell, int cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

/* Distance of a position from a cell, as a length. */
MYR_FN double window_gap(double at, int cell, double width)
{
    const double below = (double)cell - at, above = at - (double)(cell + 1);
    const double gap = below > above ? below : above;
    return gap > 0 ? gap * width : 0;
}

/* Run of bins [first, last] of a column, unless it is empty or lies before the target. */
MYR_FN int window_add_run(const myr_short_range_grid *g, int64_t column, int first, int last, int32_t behind,
                          window_run *run)
{
    const int bins = g->cells[2], down = (int)(column & 1);
    const int32_t *start = g->start + column * bins;
    run->first = start[down ? bins - 1 - last : first];
    run->last = start[(down ? bins - 1 - first : last) + 1];
    return run->last > behind && run->first < run->last;
}

/* Runs of a column: bins within h of the position, across the periodic boundary as well. */
MYR_FN int window_column(const myr_short_range_grid *g, int64_t column, double at, double h, int32_t behind,
                         window_run *run)
{
    const window_range r = window_reach(g, 2, at, h);
    const int bins = g->cells[2], low = r.first < 0 ? 0 : r.first, high = r.last >= bins ? bins - 1 : r.last;
    int runs = window_add_run(g, column, low, high, behind, run);
    if (r.first < 0)
        runs += window_add_run(g, column, r.first + bins, bins - 1, behind, run + runs);
    if (r.last >= bins)
        runs += window_add_run(g, column, 0, r.last - bins, behind, run + runs);
    return runs;
}

/* Insertion sort: the runs are nearly sorted. */
MYR_FN void window_sort(window_run *run, int runs)
{
    for (int k = 1; k < runs; k++) {
        const window_run one = run[k];
        int m = k;
        for (; m && run[m - 1].first > one.first; m--)
            run[m] = run[m - 1];
        run[m] = one;
    }
}

/* All runs that may contain particles after the target, in memory order. */
static int window_runs(const myr_short_range_search *job, const double *inverse, const double *at, int32_t target,
                       window_run *run)
{
    const myr_short_range_grid *g = job->grid;
    const double reach = job->reach;
    const window_range rx = window_reach(g, 0, at[0], reach * inverse[0]);
    const window_range ry = window_reach(g, 1, at[1], reach * inverse[1]);
    int runs = 0;
    for (int a = rx.first; a <= rx.last; a++) {
        const int row = window_wrap(a, g->cells[0]);
        if (g->start[(int64_t)(row + 1) * g->cells[1] * g->cells[2]] <= target + 1)
            continue;
        const double dx = rx.whole ? 0 : window_gap(at[0], a, g->width[0]), left = reach * reach - dx * dx;
        for (int k = ry.first; k <= ry.last; k++) {
            const int b = row & 1 ? ry.last - (k - ry.first) : k, across = window_wrap(b, g->cells[1]);
            const int64_t column = (int64_t)row * g->cells[1] + (row & 1 ? g->cells[1] - 1 - across : across);
            const double dy = ry.whole ? 0 : window_gap(at[1], b, g->width[1]), h2 = left - dy * dy;
            if (h2 <= 0 || g->start[(column + 1) * g->cells[2]] <= target + 1)
                continue;
            runs += window_column(g, column, at[2], sqrt(h2) * inverse[2], target + 1, run + runs);
        }
    }
    window_sort(run, runs);
    return runs;
}

/* Data of a scan, in vectors. */
typedef struct {
    const real_int *x[3];
    lane unit[3], search2;
    lane near2, middle2; /* squares of the other radii, with one type */
    ilane xi[3];
    const real_int *type;
    const real *radius2; /* of the target's type, see myr_short_range_search */
    int32_t n;
} window_scan;

/* Bit mask of the particles from s on that are within the search length. */
MYR_FN uint32_t window_within(const window_scan *scan, int64_t s)
{
    lane d[3];
    const lane r2 = window_delta(scan->x, scan->unit, scan->xi, s, d);
    const uint32_t bits = mask_bits(lane_lt(r2, scan->search2));
    return scan->n - s < LANES ? bits & ((1u << (scan->n - s)) - 1u) : bits;
}

/* Counts the particles of a window as neighbours of the target, and the target as a neighbour of theirs. Returns the
 * number of particles within the search length. */
MYR_FN int window_tally(const myr_short_range_search *job, const window_scan *scan, int64_t s, real *other, lane *sum)
{
    lane d[3], r2 = window_delta(scan->x, scan->unit, scan->xi, s, d), near2 = scan->near2, middle2 = scan->middle2;
    if (scan->n - s < LANES)
        r2 = lane_select(mask_from_bits((1u << (scan->n - s)) - 1u), r2, lane_set((real)INFINITY));
    if (job->types > 1) {
        const ilane type = ilane_load(scan->type + s);
        near2 = lane_lookup(scan->radius2, type, job->types);
        middle2 = lane_lookup(scan->radius2 + job->stride, type, job->types);
    }
    const lmask all = lane_lt(r2, scan->search2);
    const lane more = lane_keep(lane_lt(r2, near2), lane_set(K(1))) +
                      lane_keep(lane_lt(r2, middle2), lane_set((real)MYR_SHORT_RANGE_MIDDLE)) +
                      lane_keep(all, lane_set((real)MYR_SHORT_RANGE_ALL));
    *sum = *sum + more;
    if (other)
        lane_store(other + s, lane_load(other + s) + more);
    return __builtin_popcount(mask_bits(all));
}

/* Appends the windows of one target to the two lists; returns 0 if the capacity is exhausted. */
static int window_scan_runs(myr_short_range_search *job, const window_scan *scan, const window_run *run, int runs,
                            int32_t target)
{
    int32_t done = target + 1;
    for (int k = 0; k < runs; k++) {
        int32_t s = run[k].first < done ? done : run[k].first;
        while (s < run[k].last) {
            uint32_t bits = window_within(scan, s);
            if (run[k].last - s < LANES)
                bits &= (1u << (run[k].last - s)) - 1u;
            if (!bits) {
                s += LANES;
                continue;
            }
            s += __builtin_ctz(bits);
            myr_short_range_list *list = job->list + (s >= job->far);
            if (list->starts == list->starts_room)
                return 0;
            list->start[list->starts++] = s;
            s += LANES;
            done = s;
        }
    }
    return 1;
}

static int window_search(myr_short_range_search *job)
{
    window_run run[WINDOW_RUNS];
    window_scan scan = {.n = job->particles.n, .search2 = lane_set((real)(job->search * job->search))};
    double inverse[3];
    for (int k = 0; k < 3; k++) {
        scan.x[k] = (const real_int *)job->particles.coordinate[k];
        scan.unit[k] = window_unit(job->particles.unit[k]);
        inverse[k] = 1 / job->grid->width[k];
    }
    scan.type = (const real_int *)job->particles.type;
    scan.near2 = lane_set(((const real *)job->radius2)[0]);
    scan.middle2 = lane_set(((const real *)job->radius2)[job->stride]);
    for (; job->first < job->last; job->first++) {
        const int32_t target = job->first;
        double at[3];
        for (int k = 0; k < 3; k++) {
            const real_uint q = (real_uint)scan.x[k][target];
            const uint32_t top = (uint32_t)(q >> (8 * sizeof q - 32));
            at[k] = (double)(top - job->grid->low[k]) * (double)job->grid->factor[k] * 0x1p-32;
            scan.xi[k] = ilane_set(scan.x[k][target]);
        }
        scan.radius2 = (const real *)job->radius2 + (job->types > 1 ? (int64_t)scan.type[target] : 0) * 2 * job->stride;
        const int64_t before[2] = {job->list[0].starts, job->list[1].starts};
        if (!window_scan_runs(job, &scan, run, window_runs(job, inverse, at, target, run), target)) {
            job->list[0].starts = before[0];
            job->list[1].starts = before[1];
            return 0;
        }
        lane sum[3] = {lane_set(K(0)), lane_set(K(0)), lane_set(K(0))}; /* of which the first is used */
        real neighbours[3];
        for (int k = 0; k < 2; k++) {
            myr_short_range_list *list = job->list + k;
            for (int64_t w = before[k]; w < list->starts; w++)
                job->pairs += window_tally(job, &scan, list->start[w], (real *)job->other[k], sum);
            if (list->starts > before[k])
                list->row[list->rows++] = (myr_short_range_row){target, (int32_t)list->starts};
        }
        lane_sum3(sum, neighbours);
        ((real *)job->own)[target] += neighbours[0];
    }
    return 1;
}

#endif
