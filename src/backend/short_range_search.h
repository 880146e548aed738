/* short_range_search.h - search for the windows of a target. See short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_SEARCH_H
#define MYR_BACKEND_SHORT_RANGE_SEARCH_H

/* Contiguous particles [first, last). */
typedef struct {
    int32_t first, last;
} window_run;

enum { WINDOW_SIDE = 2 * MYR_SHORT_RANGE_REACH + 3, WINDOW_COLUMNS = WINDOW_SIDE * WINDOW_SIDE };

/* Rounding errors of the floats below are less than this part of the reach. */
#define WINDOW_MARGIN 1e-5

/* Columns within reach of any target in a column `home` that may hold particles after the target, in memory order.
 * Lengths are those of the search, and positions are relative to the lower corner of `home`. */
typedef struct {
    int64_t home; /* -1 = none yet */
    int columns;
    int64_t column[WINDOW_COLUMNS];
    float low[2][WINDOW_COLUMNS], high[2][WINDOW_COLUMNS]; /* extent along x and y */
    float half[WINDOW_COLUMNS];                            /* reach along z of the current target, in bins; < 0: none */
} window_ring;

/* Cells [first, last] of an axis within reach of cell `home`; indices outside [0, cells) are across the periodic
 * boundary. whole: 1 = all cells, which may be near on either side. */
typedef struct {
    int first, last, whole;
} window_range;

MYR_FN window_range window_reach(const myr_short_range_grid *g, int axis, int first, int last)
{
    window_range r = {first, last, 0};
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

/* Adds a column at its place in memory order. offset: cells from `home` along x and y. */
static void window_ring_add(window_ring *ring, const myr_short_range_grid *g, int64_t column, const int *offset,
                            const window_range *range)
{
    int at = ring->columns++;
    for (; at > 0 && ring->column[at - 1] > column; at--) {
        ring->column[at] = ring->column[at - 1];
        for (int k = 0; k < 2; k++) {
            ring->low[k][at] = ring->low[k][at - 1];
            ring->high[k][at] = ring->high[k][at - 1];
        }
    }
    ring->column[at] = column;
    for (int k = 0; k < 2; k++) {
        ring->low[k][at] = range[k].whole ? -FLT_MAX : (float)(offset[k] * g->width[k]);
        ring->high[k][at] = range[k].whole ? FLT_MAX : (float)((offset[k] + 1) * g->width[k]);
    }
}

static void window_ring_make(const myr_short_range_search *job, const int *home, window_ring *ring)
{
    const myr_short_range_grid *g = job->grid;
    window_range range[2];
    for (int k = 0; k < 2; k++) {
        const int cells = (int)floor(job->reach / g->width[k]) + 1;
        range[k] = window_reach(g, k, home[k] - cells, home[k] + cells);
    }
    ring->columns = 0;
    for (int a = range[0].first; a <= range[0].last; a++)
        for (int b = range[1].first; b <= range[1].last; b++) {
            const int row = window_wrap(a, g->cells[0]), across = window_wrap(b, g->cells[1]);
            const int64_t column = (int64_t)row * g->cells[1] + (row & 1 ? g->cells[1] - 1 - across : across);
            if (g->start[(column + 1) * g->cells[2]] > job->first + 1)
                window_ring_add(ring, g, column, (const int[2]){a - home[0], b - home[1]}, range);
        }
}

/* Reach along z in each column, for a target at (x, y). */
static void window_ring_reach(window_ring *ring, float x, float y, float reach, float inverse)
{
#pragma omp simd
    for (int c = 0; c < ring->columns; c++) {
        const float left = ring->low[0][c] - x, right = x - ring->high[0][c];
        const float below = ring->low[1][c] - y, above = y - ring->high[1][c];
        float dx = left > right ? left : right, dy = below > above ? below : above;
        dx = dx > 0 ? dx : 0;
        dy = dy > 0 ? dy : 0;
        const float square = reach * reach - dx * dx - dy * dy;
        ring->half[c] = square > 0 ? sqrtf(square > 0 ? square : 0) * inverse : -1;
    }
}

/* Appends the run of bins [first, last] of a column, unless it is empty or lies before the target. */
MYR_FN int window_add_run(const myr_short_range_grid *g, int64_t column, int first, int last, int32_t behind,
                          window_run *run)
{
    const int bins = g->cells[2], down = (int)(column & 1);
    const int32_t *start = g->start + column * bins;
    run->first = start[down ? bins - 1 - last : first];
    run->last = start[(down ? bins - 1 - first : last) + 1];
    return run->last > behind && run->first < run->last;
}

/* Runs of a column in memory order: bins [first, last], across the periodic boundary as well. */
MYR_FN int window_column(const myr_short_range_grid *g, int64_t column, int first, int last, int32_t behind,
                         window_run *run)
{
    const window_range r = window_reach(g, 2, first, last);
    const int bins = g->cells[2];
    if (r.first >= 0 && r.last < bins)
        return window_add_run(g, column, r.first, r.last, behind, run);
    /* the bins up to `top` at the lower end, and those from `bottom` on at the upper end */
    const int top = r.first < 0 ? r.last : r.last - bins, bottom = r.first < 0 ? r.first + bins : r.first;
    const int down = (int)(column & 1);
    const int runs = down ? window_add_run(g, column, bottom, bins - 1, behind, run)
                          : window_add_run(g, column, 0, top, behind, run);
    return runs + (down ? window_add_run(g, column, 0, top, behind, run + runs)
                        : window_add_run(g, column, bottom, bins - 1, behind, run + runs));
}

/* All runs that may contain particles after the target, in memory order. */
static int window_runs(const myr_short_range_search *job, window_ring *ring, int32_t target, window_run *run)
{
    const myr_short_range_grid *g = job->grid;
    int cell[3], runs = 0;
    double within[3]; /* position in the cell, in cells */
    for (int k = 0; k < 3; k++) {
        const real_uint q = ((const real_uint *)job->particles.coordinate[k])[target];
        const uint32_t top = (uint32_t)(q >> (8 * sizeof q - 32));
        const double at = (double)(top - g->low[k]) * (double)g->factor[k] * 0x1p-32;
        cell[k] = at < g->cells[k] ? (int)at : g->cells[k] - 1;
        within[k] = at - cell[k];
    }
    const int64_t home = (int64_t)cell[0] * g->cells[1] + cell[1];
    if (home != ring->home)
        window_ring_make(job, cell, ring);
    ring->home = home;
    window_ring_reach(ring, (float)(within[0] * g->width[0]), (float)(within[1] * g->width[1]),
                      (float)(job->reach * (1 + WINDOW_MARGIN)), (float)(1 / g->width[2]));
    const float z = (float)within[2];
    for (int c = 0; c < ring->columns; c++)
        if (ring->half[c] >= 0)
            runs += window_column(g, ring->column[c], cell[2] + (int)floorf(z - ring->half[c]),
                                  cell[2] + (int)floorf(z + ring->half[c]), target + 1, run + runs);
    return runs;
}

/* Divides runs into disjoint windows; returns their number. */
MYR_FN int64_t window_divide(const window_run *run, int runs, int32_t target, int32_t *start)
{
    int64_t windows = 0;
    int32_t done = target + 1;
    for (int k = 0; k < runs; k++) {
        for (int32_t s = run[k].first < done ? done : run[k].first; s < run[k].last; s += LANES) {
            start[windows++] = s;
            done = s + LANES;
        }
    }
    return windows;
}

/* Most windows into which runs can be divided. */
MYR_FN int64_t window_most(const window_run *run, int runs)
{
    int64_t windows = 0;
    for (int k = 0; k < runs; k++)
        windows += (run[k].last - run[k].first) / LANES + 1;
    return windows;
}

/* Returns 1 if a list has room for `need` more starts; sets job->need otherwise. */
MYR_FN int window_has_room(myr_short_range_search *job, int which, int64_t need)
{
    job->need[which] = job->list[which].starts_room - job->list[which].starts >= need ? 0 : need;
    return job->need[which] == 0;
}

MYR_FN void window_append(myr_short_range_list *list, int32_t target, int64_t windows)
{
    list->starts += windows;
    if (windows > 0)
        list->row[list->rows++] = (myr_short_range_row){target, (int32_t)list->starts};
}

static int window_search(myr_short_range_search *job)
{
    window_run run[2 * WINDOW_COLUMNS];
    window_ring ring = {.home = -1};
    window_scan scan = window_scan_of(&job->particles, job->search);
    for (; job->first < job->last; job->first++) {
        const int32_t target = job->first;
        const int runs = window_runs(job, &ring, target, run);
        if (!window_has_room(job, 0, window_most(run, runs)))
            return 0;
        int32_t *start = job->list[0].start + job->list[0].starts;
        window_scan_aim(&scan, target);
        const window_found found = window_sift(&scan, 0, start, window_divide(run, runs, target, start), NULL, start);
        int64_t near = found.windows;
        while (near > 0 && start[near - 1] >= job->far)
            near--;
        if (!window_has_room(job, 1, found.windows - near))
            return 0;
        if (found.windows > near)
            memcpy(job->list[1].start + job->list[1].starts, start + near,
                   (size_t)(found.windows - near) * sizeof *start);
        window_append(job->list, target, near);
        window_append(job->list + 1, target, found.windows - near);
    }
    return 1;
}

#endif
