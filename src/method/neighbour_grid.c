/* neighbour_grid.c - the order of particles in memory, and the list of windows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/neighbour_inside.h"

/* Where the particles are along an axis that is not periodic: upper halves of coordinates. */
static void grid_extent(const myr_neighbour *list, int axis, uint32_t *low, uint32_t *high)
{
    const uint64_t *q = list->set.q[axis];
    uint64_t least = ~(uint64_t)0, most = 0;
    for (int32_t i = 0; i < list->n; i++) {
        least = q[i] < least ? q[i] : least;
        most = q[i] > most ? q[i] : most;
    }
    *low = (uint32_t)(least >> 32);
    *high = (uint32_t)(most >> 32);
}

static myr_status grid_span(myr_neighbour *list, double *span)
{
    myr_window_grid *g = &list->grid;
    const myr_box *box = &list->set.box;
    for (int k = 0; k < 3; k++) {
        uint32_t low = 0, high = ~(uint32_t)0;
        if (!box->periodic[k])
            grid_extent(list, k, &low, &high);
        g->periodic[k] = box->periodic[k];
        g->low[k] = low;
        span[k] = ((double)(high - low) + 1) * 0x1p-32 * box->length[k];
        if (!box->periodic[k] && span[k] > 0.5 * box->length[k])
            return myr_context_fail(list->context, MYR_ERROR_VALUE,
                                    "particles are spread over %g of the %g along axis %c, which is not periodic: give "
                                    "it at least twice that length",
                                    span[k], box->length[k], "xyz"[k]);
    }
    return MYR_OK;
}

/* Sides of columns and bins as measured best (docs/notes/short_range.md), between limits that keep the number of runs
 * and of cells bounded. */
static void grid_cells(myr_neighbour *list, const double *span)
{
    myr_window_grid *g = &list->grid;
    const double spacing = cbrt(span[0] * span[1] * span[2] / (double)list->n), search = list->search;
    const double side = fmin(search, fmax(search / MYR_WINDOW_REACH, 0.82 * cbrt(list->unit->lanes) * spacing));
    const double want[3] = {side, side, fmin(search, fmax(0.1 * search, 0.48 * spacing))};
    double grow = 1, cells = 0;
    do {
        cells = 1;
        for (int k = 0; k < 3; k++) {
            const double most = fmin(1 << 20, span[k] / (grow * want[k]));
            g->cells[k] = most > 1 ? (int32_t)most : 1;
            cells *= g->cells[k];
        }
        grow *= 1.25;
    } while (cells > 8.0 * list->n + 4096);
    for (int k = 0; k < 3; k++) {
        const double units = span[k] / list->set.box.length[k] * 0x1p32; /* a whole number */
        g->factor[k] = (uint64_t)floor(g->cells[k] * (0x1p32 / units) * (1 - 0x1p-50));
        if (g->periodic[k])
            g->factor[k] = (uint64_t)g->cells[k];
        g->width[k] = list->set.box.length[k] / (double)(g->factor[k] ? g->factor[k] : 1);
    }
}

static int32_t grid_cell(const myr_neighbour *list, int32_t i)
{
    const myr_window_grid *g = &list->grid;
    int32_t at[3];
    for (int k = 0; k < 3; k++)
        at[k] = (int32_t)(((uint64_t)((uint32_t)(list->set.q[k][i] >> 32) - g->low[k]) * g->factor[k]) >> 32);
    const int32_t column = at[0] * g->cells[1] + (at[0] & 1 ? g->cells[1] - 1 - at[1] : at[1]);
    return column * g->cells[2] + (column & 1 ? g->cells[2] - 1 - at[2] : at[2]);
}

/* Counting sort: place[i] is where particle i goes. Equal cells keep their order. */
static myr_status grid_count(myr_neighbour *list)
{
    const myr_window_grid *g = &list->grid;
    const int64_t cells = (int64_t)g->cells[0] * g->cells[1] * g->cells[2];
    if (cells + 2 > list->start_room) {
        free(list->start);
        list->start_room = cells + cells / 4 + 2;
        list->start = myr_memory_zeros(list->start_room, sizeof *list->start);
        if (!list->start) {
            list->start_room = 0;
            return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for a grid of %lld cells",
                                    (long long)cells);
        }
    }
    int32_t *count = list->start;
    memset(count, 0, (size_t)(cells + 2) * sizeof *count);
#pragma omp parallel for num_threads(list->threads) schedule(static)
    for (int32_t i = 0; i < list->n; i++)
        list->cell[i] = grid_cell(list, i);
    for (int32_t i = 0; i < list->n; i++)
        count[list->cell[i] + 2]++;
    for (int64_t c = 0; c < cells; c++)
        count[c + 2] += count[c + 1];
    for (int32_t i = 0; i < list->n; i++)
        list->place[i] = count[list->cell[i] + 1]++;
    list->grid.start = count; /* count[c] is now the start of cell c */
    return MYR_OK;
}

static void grid_permute(const myr_neighbour *list, const neighbour_tracked *t)
{
    char *from = (char *)t->array, *to = (char *)list->scratch;
    const size_t bytes = t->bytes;
    const int32_t *place = list->place;
#pragma omp parallel num_threads(list->threads)
    {
        if (bytes == sizeof(uint64_t)) {
#pragma omp for schedule(static)
            for (int32_t i = 0; i < list->n; i++)
                ((uint64_t *)list->scratch)[place[i]] = ((const uint64_t *)t->array)[i];
        } else {
#pragma omp for schedule(static)
            for (int32_t i = 0; i < list->n; i++)
                memcpy(to + (size_t)place[i] * bytes, from + (size_t)i * bytes, bytes);
        }
#pragma omp for schedule(static)
        for (int32_t b = 0; b < list->n; b += 4096) {
            const size_t count = (size_t)(list->n - b < 4096 ? list->n - b : 4096);
            memcpy(from + (size_t)b * bytes, to + (size_t)b * bytes, count * bytes);
        }
    }
}

static myr_status grid_sort(myr_neighbour *list)
{
    double span[3] = {1, 1, 1};
    myr_status status = grid_span(list, span);
    if (status)
        return status;
    grid_cells(list, span);
    status = grid_count(list);
    if (status)
        return status;
    for (int k = 0; k < list->arrays; k++)
        grid_permute(list, list->tracked + k);
    return MYR_OK;
}

/* Targets of each thread, and how far behind its own the particles begin and end that they may reach: whole slabs of
 * the grid, which x counts. */
static void grid_shares(myr_neighbour *list)
{
    const myr_window_grid *g = &list->grid;
    const int64_t slab = (int64_t)g->cells[1] * g->cells[2];
    const int reach = (int)ceil((list->search + list->resolution) / g->width[0]);
    for (int t = 0; t < list->threads; t++) {
        neighbour_share *s = list->share + t;
        s->first = (int32_t)((int64_t)list->n * t / list->threads);
        s->last = (int32_t)((int64_t)list->n * (t + 1) / list->threads);
        s->near = s->far = list->n;
        if (list->threads == 1 || s->first == s->last)
            continue;
        const int begin = (int)(grid_cell(list, s->first) / slab), end = (int)(grid_cell(list, s->last - 1) / slab);
        if (end + reach + 1 < g->cells[0])
            s->near = g->start[(end + reach + 1) * slab];
        if (g->periodic[0] && begin < reach) {
            const int wrapped = g->cells[0] - reach + begin;
            s->far = wrapped > 0 ? g->start[wrapped * slab] : 0;
        }
        if (s->far <= s->near + list->unit->lanes) /* one piece */
            s->near = s->far = list->n;
    }
}

static int grid_grow(myr_window_list *w)
{
    const int64_t room = w->starts_room + w->starts_room / 2 + 4096;
    int32_t *start = realloc(w->start, (size_t)room * sizeof *start);
    if (!start)
        return 0;
    w->start = start;
    w->starts_room = room;
    return 1;
}

static int grid_rows(myr_window_list *w, int64_t rows)
{
    w->rows = w->starts = 0;
    if (rows > w->rows_room) {
        free(w->row);
        w->row = myr_memory_zeros(rows, sizeof *w->row);
        w->rows_room = w->row ? rows : 0;
    }
    return rows <= w->rows_room && (w->starts_room > 0 || grid_grow(w));
}

/* Sums of a thread: [first, near) and [far, n), each with room for a window that sticks out. They are zero between
 * forces, and so keep their room while it does. */
static int grid_sums(const myr_neighbour *list, neighbour_share *s)
{
    const int64_t bytes = list->unit->real_bytes;
    const int64_t length[2] = {(s->near - s->first + MYR_WINDOW_PAD) * bytes,
                               (list->n - s->far + MYR_WINDOW_PAD) * bytes};
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

/* Windows of one thread's targets; 0 where memory is short. */
static int grid_search(const myr_neighbour *list, neighbour_share *s)
{
    const int64_t targets = s->last - s->first;
    if (!grid_sums(list, s) || !grid_rows(s->list, targets) || !grid_rows(s->list + 1, s->far < list->n ? targets : 0))
        return 0;
    myr_window_grid grid = list->grid;
    for (int k = 0; k < 3; k++)
        grid.width[k] /= list->sigma;
    myr_window_search job = {.particles = myr_neighbour_particles(list),
                             .grid = &grid,
                             .search = list->search / list->sigma,
                             .reach = (list->search + list->resolution) / list->sigma,
                             .first = s->first,
                             .last = s->last,
                             .far = s->far,
                             .list = s->list};
    while (!list->unit->search(&job))
        for (int k = 0; k < 2; k++)
            if (s->list[k].starts_room - s->list[k].starts < s->list[k].starts_room / 8 && !grid_grow(s->list + k))
                return 0;
    s->pairs = job.pairs;
    return 1;
}

static myr_status grid_windows(myr_neighbour *list)
{
    int failed = 0;
    grid_shares(list);
#pragma omp parallel for num_threads(list->threads) schedule(static, 1) reduction(| : failed)
    for (int t = 0; t < list->threads; t++)
        failed |= !grid_search(list, list->share + t);
    if (failed)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the neighbours of %d particles",
                                list->n);
    list->progress.pairs = 0;
    for (int t = 0; t < list->threads; t++)
        list->progress.pairs += list->share[t].pairs;
    return MYR_OK;
}

static void grid_remember(myr_neighbour *list)
{
    for (int k = 0; k < 3; k++) {
        list->built_length[k] = list->set.box.length[k];
        for (int32_t i = 0; i < list->n; i++)
            list->old[k][i] = (uint32_t)(list->set.q[k][i] >> 32);
    }
    if (!list->type)
        return;
    for (int32_t i = 0; i < list->n; i++)
        if (list->unit->real_bytes == 4)
            ((int32_t *)list->type)[i] = list->set.type[i];
        else
            ((int64_t *)list->type)[i] = list->set.type[i];
}

myr_status myr_neighbour_build(myr_neighbour *list)
{
    list->valid = 0;
    list->resolution = myr_neighbour_resolution(list);
    myr_status status = grid_sort(list);
    if (status)
        return status;
    grid_remember(list);
    myr_neighbour_pack(list);
    status = grid_windows(list);
    if (status)
        return status;
    list->travel = 0;
    list->valid = 1;
    list->progress.builds++;
    return MYR_OK;
}
