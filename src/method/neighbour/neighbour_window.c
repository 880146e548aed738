/* neighbour_window.c - construction of the list of windows: shares of the threads, and near particles of each
 * target. */
#include <math.h>
#include <stdlib.h>

#include "method/neighbour/neighbour_inside.h"

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

/* Adds room for at least `need` starts. */
static int grid_grow(myr_short_range_list *w, int64_t need)
{
    const int64_t room = w->starts_room + w->starts_room / 2 + 4096 + need;
    int32_t *start = realloc(w->start, (size_t)room * sizeof *start);
    if (!start)
        return 0;
    w->start = start;
    w->starts_room = room;
    return 1;
}

int myr_neighbour_room(myr_short_range_list *w, int64_t rows, int64_t starts)
{
    w->rows = w->starts = w->closes = 0;
    if (rows > w->rows_room) {
        free(w->row);
        free(w->close);
        w->row = myr_memory_zeros(rows, sizeof *w->row);
        w->close = myr_memory_zeros(rows, sizeof *w->close);
        w->rows_room = w->row && w->close ? rows : 0;
    }
    return rows <= w->rows_room && (w->starts_room >= starts || grid_grow(w, starts - w->starts_room));
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

/* Appends the windows of targets [first, last) among the particles of a grid to two lists; returns 0 if memory is
 * short. */
static int grid_find(const myr_neighbour *list, int32_t first, int32_t last, const neighbour_cells *cells, int32_t far,
                     myr_short_range_list to[2])
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
                                  .list = to};
    while (!list->unit[0]->search(&job))
        for (int k = 0; k < 2; k++)
            if (job.need[k] > 0 && !grid_grow(to + k, job.need[k]))
                return 0;
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
    int good = myr_neighbour_room(s->wide_halo, s->last - s->first, 1);
    for (int32_t i = s->first, end; good && i < s->last; i = end) {
        if (rim && !rim_holds(list, rim, i)) {
            end = i + 1;
            continue;
        }
        for (end = i + 1; end < s->last && (!rim || rim_holds(list, rim, end));)
            end++;
        good = grid_find(list, i, end, &list->others, list->n + list->halo, s->wide_halo);
    }
    return good;
}

/* Windows of one thread's targets; returns 0 if memory is short. */
static int grid_search(const myr_neighbour *list, neighbour_share *s, const neighbour_rim *rim)
{
    const int64_t targets = s->last - s->first;
    if (!grid_sums(list, s) || !myr_neighbour_room(s->wide, targets, 1) ||
        !myr_neighbour_room(s->wide + 1, s->far < list->n ? targets : 0, 1) ||
        !grid_find(list, s->first, s->last, &list->own, s->far, s->wide))
        return 0;
    if (list->halo == 0) {
        s->wide_halo[0].rows = s->wide_halo[0].starts = 0;
        return 1;
    }
    return grid_search_halo(list, s, rim);
}

static myr_status grid_windows(myr_neighbour *list)
{
    int failed = 0;
    neighbour_rim rim;
    const neighbour_rim *seen = list->halo > 0 && rim_find(list, &rim) ? &rim : NULL;
    grid_shares(list);
#pragma omp parallel for num_threads(list->team) schedule(static, 1) reduction(| : failed)
    for (int t = 0; t < list->threads; t++)
        failed |= !grid_search(list, list->share + t, seen);
    if (failed)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the neighbours of %d particles",
                                list->n);
    return myr_neighbour_prune(list, 1);
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
