/* neighbour_window.c - construction of the list of windows: shares of the threads, and near particles of each
 * target. */
#include <math.h>
#include <stdlib.h>

#include "method/neighbour/neighbour_inside.h"

enum { GRID_BLOCK = 1024 }; /* particles of which neighbours are gathered at a time */

/* Region of own particles that can interact with the halo. */
typedef struct {
    int open[3];      /* 1 = axis around which the own particles do not extend completely */
    uint32_t most[3]; /* extent of own particles, in upper halves of coordinates */
    uint32_t width[3];
} neighbour_rim;

/* Targets of each thread, and the range of particles after its own that they may reach: whole slabs of the grid,
 * counted along x. */
static void grid_shares(myr_neighbour *list)
{
    const myr_short_range_grid *g = &list->own.grid;
    const int64_t slab = (int64_t)g->cells[1] * g->cells[2];
    const int reach = list->n > 0 ? (int)ceil((list->search + list->resolution) / g->width[0]) : 0;
    for (int t = 0; t < list->threads; t++) {
        neighbour_share *s = list->share + t;
        s->first = (int32_t)((int64_t)list->n * t / list->threads);
        s->last = (int32_t)((int64_t)list->n * (t + 1) / list->threads);
        s->near = s->far = list->n;
        if (list->threads == 1 || s->first == s->last)
            continue;
        const int begin = (int)(myr_neighbour_cell(list, g, s->first) / slab);
        const int end = (int)(myr_neighbour_cell(list, g, s->last - 1) / slab);
        if (end + reach + 1 < g->cells[0])
            s->near = g->start[(end + reach + 1) * slab];
        if (g->periodic[0] && begin < reach) {
            const int wrapped = g->cells[0] - reach + begin;
            s->far = wrapped > 0 ? g->start[wrapped * slab] : 0;
        }
        if (s->far <= s->near + list->unit[0]->lanes) /* the two ranges of sums join */
            s->near = s->far = list->n;
    }
}

static int grid_grow(myr_short_range_list *w)
{
    const int64_t room = w->starts_room + w->starts_room / 2 + 4096;
    int32_t *start = realloc(w->start, (size_t)room * sizeof *start);
    if (!start)
        return 0;
    w->start = start;
    w->starts_room = room;
    return 1;
}

static int grid_rows(myr_short_range_list *w, int64_t rows)
{
    w->rows = w->starts = w->closes = 0;
    if (rows > w->rows_room) {
        free(w->row);
        free(w->close);
        w->row = myr_memory_zeros(rows, sizeof *w->row);
        w->close = myr_memory_zeros(rows, sizeof *w->close);
        w->rows_room = w->row && w->close ? rows : 0;
    }
    return rows <= w->rows_room && (w->starts_room > 0 || grid_grow(w));
}

/* Sums of a thread: [first, near) and [far, n), each with room for a window that extends past the range. The sums are
 * zero between force evaluations, so that the memory is reused while its layout stays. */
static int grid_sums(const myr_neighbour *list, neighbour_share *s)
{
    const int64_t bytes = list->unit[0]->real_bytes;
    const int64_t length[2] = {(s->near - s->first + MYR_SHORT_RANGE_PAD) * bytes,
                               (list->n - s->far + MYR_SHORT_RANGE_PAD) * bytes};
    if (s->room_bytes < length[0] + length[1]) {
        s->room_bytes = length[0] + length[1] + (list->threads > 1 ? (length[0] + length[1]) / 8 : 0);
        myr_memory_room_destroy(&s->room);
        s->room = myr_memory_room_create(3 * s->room_bytes, 6);
    }
    s->room.used = 0;
    s->room.arrays = 0;
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < 3; k++)
            if (!(s->sum[half][k] = myr_memory_room_take(&s->room, length[half])))
                return 0;
    return 1;
}

/* Numbers of neighbours are counted in the memory of the sums, which are zero at this time. Pointers are offset so that
 * particle i is entry i. */
static void grid_tally(const myr_neighbour *list, const neighbour_share *s, int is_halo, myr_short_range_search *job)
{
    const int64_t bytes = list->unit[0]->real_bytes;
    job->own = (char *)s->sum[0][0] - s->first * bytes;
    job->other[0] = is_halo ? NULL : job->own;
    job->other[1] = is_halo ? NULL : (char *)s->sum[1][0] - s->far * bytes;
}

/* Appends the windows of targets [first, last) among the particles of a grid to two lists; returns 0 if memory is
 * short. */
static int grid_find(const myr_neighbour *list, neighbour_share *s, int32_t first, int32_t last,
                     const neighbour_cells *cells, int32_t far, myr_short_range_list to[2])
{
    myr_short_range_grid grid = cells->grid;
    for (int k = 0; k < 3; k++)
        grid.width[k] /= list->sigma;
    myr_short_range_search job = {.particles = myr_neighbour_particles(list, cells->last),
                                  .grid = &grid,
                                  .search = list->search / list->sigma,
                                  .reach = (list->search + list->resolution) / list->sigma,
                                  .first = first,
                                  .last = last,
                                  .far = far,
                                  .list = to,
                                  .radius2 = list->radius2,
                                  .types = list->set.types,
                                  .stride = list->stride};
    grid_tally(list, s, to == s->halo, &job);
    while (!list->unit[0]->search(&job))
        for (int k = 0; k < 2; k++)
            if (to[k].starts_room - to[k].starts < to[k].starts_room / 8 && !grid_grow(to + k))
                return 0;
    s->pairs += job.pairs;
    return 1;
}

/* Distance of a coordinate from the start of the own particles, along an axis around which they do not extend. */
static uint32_t rim_offset(const myr_neighbour *list, int axis, int64_t i)
{
    return (uint32_t)(list->set.q[axis][i] >> 32) - list->own.grid.low[axis];
}

/* Returns 1 if the whole halo is outside the own particles along some axis: then only own particles near the rim
 * interact with it. */
static int rim_find(const myr_neighbour *list, neighbour_rim *rim)
{
    for (int k = 0; k < 3; k++) {
        rim->open[k] = !list->own.grid.periodic[k];
        rim->most[k] = 0;
        rim->width[k] = (uint32_t)fmin((list->search + list->resolution) / list->set.box.length[k] * 0x1p32 + 1,
                                       (double)UINT32_MAX);
        for (int32_t i = 0; i < list->n && rim->open[k]; i++)
            rim->most[k] = rim_offset(list, k, i) > rim->most[k] ? rim_offset(list, k, i) : rim->most[k];
    }
    for (int32_t i = list->n; i < list->n + list->halo; i++) {
        int beyond = 0;
        for (int k = 0; k < 3; k++)
            beyond |= rim->open[k] && rim_offset(list, k, i) > rim->most[k];
        if (!beyond)
            return 0;
    }
    return 1;
}

static int rim_holds(const myr_neighbour *list, const neighbour_rim *rim, int32_t i)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t at = rim->open[k] ? rim_offset(list, k, i) : 0;
        if (rim->open[k] && (at <= rim->width[k] || rim->most[k] - at <= rim->width[k]))
            return 1;
    }
    return 0;
}

/* Windows of one thread's targets among the halo. */
static int grid_search_halo(const myr_neighbour *list, neighbour_share *s, const neighbour_rim *rim)
{
    int good = grid_rows(s->halo, s->last - s->first);
    for (int32_t i = s->first, end; good && i < s->last; i = end) {
        if (rim && !rim_holds(list, rim, i)) {
            end = i + 1;
            continue;
        }
        for (end = i + 1; end < s->last && (!rim || rim_holds(list, rim, end));)
            end++;
        good = grid_find(list, s, i, end, &list->others, list->n + list->halo, s->halo);
    }
    return good;
}

/* Windows of one thread's targets; returns 0 if memory is short. */
static int grid_search(const myr_neighbour *list, neighbour_share *s, const neighbour_rim *rim)
{
    const int64_t targets = s->last - s->first;
    s->pairs = 0;
    if (!grid_sums(list, s) || !grid_rows(s->list, targets) ||
        !grid_rows(s->list + 1, s->far < list->n ? targets : 0) ||
        !grid_find(list, s, s->first, s->last, &list->own, s->far, s->list))
        return 0;
    if (list->halo == 0) {
        s->halo[0].rows = s->halo[0].starts = 0;
        return 1;
    }
    return grid_search_halo(list, s, rim);
}

/* Largest numbers of neighbours. Resets the memory of the sums to zero. */
static void grid_most(myr_neighbour *list)
{
    const int strips = myr_neighbour_strips(list);
    double near = 0, others = 0;
#pragma omp parallel for num_threads(list->team) schedule(static) reduction(max : near, others)
    for (int32_t b = 0; b < list->n; b += GRID_BLOCK) {
        double value[GRID_BLOCK];
        const int32_t end = list->n - b < GRID_BLOCK ? list->n : b + GRID_BLOCK;
        list->unit[0]->gather(list->strip, strips, 0, 0, b, end, 1, value - b);
        for (int32_t i = 0; i < end - b; i++) {
            const double whole = floor(value[i] / MYR_SHORT_RANGE_ALL), rest = value[i] - whole * MYR_SHORT_RANGE_ALL;
            near = rest > near ? rest : near;
            others = whole > others ? whole : others;
        }
    }
    const int is_exact = others * MYR_SHORT_RANGE_ALL < 0x1p24 - MYR_SHORT_RANGE_ALL;
    list->limited = 0;
    list->near_most = is_exact ? near : (double)INFINITY;
    list->pull_most = is_exact ? others : (double)INFINITY;
}

static myr_status grid_windows(myr_neighbour *list)
{
    int failed = 0;
    neighbour_rim rim;
    const neighbour_rim *seen = list->halo > 0 && rim_find(list, &rim) ? &rim : NULL;
    const myr_status status = myr_neighbour_radii(list);
    if (status)
        return status;
    grid_shares(list);
#pragma omp parallel for num_threads(list->team) schedule(static, 1) reduction(| : failed)
    for (int t = 0; t < list->threads; t++)
        failed |= !grid_search(list, list->share + t, seen);
    if (failed)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the neighbours of %d particles",
                                list->n);
    grid_most(list);
    list->progress.pairs = 0;
    for (int t = 0; t < list->threads; t++)
        list->progress.pairs += list->share[t].pairs;
    return MYR_OK;
}

/* Stores the coordinates and types as of the construction of the list. */
static void grid_remember(myr_neighbour *list)
{
    for (int k = 0; k < 3; k++) {
        list->built_length[k] = list->set.box.length[k];
        for (int32_t i = 0; i < list->n + list->halo; i++)
            list->old[k][i] = (uint32_t)(list->set.q[k][i] >> 32);
    }
    if (!list->type)
        return;
    for (int32_t i = 0; i < list->n + list->halo; i++) {
        const int32_t to = i < list->n ? i : list->place[i];
        if (list->unit[0]->real_bytes == 4)
            ((int32_t *)list->type)[to] = list->set.type[i];
        else
            ((int64_t *)list->type)[to] = list->set.type[i];
    }
}

myr_status myr_neighbour_build(myr_neighbour *list)
{
    myr_status status = myr_neighbour_grid(list, &list->others, list->n, list->n + list->halo);
    if (status)
        return status;
    grid_remember(list);
    myr_neighbour_pack(list);
    myr_neighbour_pack_halo(list);
    status = grid_windows(list);
    if (status)
        return status;
    list->travel = list->stale = 0;
    list->valid = 1;
    list->progress.builds++;
    return MYR_OK;
}
