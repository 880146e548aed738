/* neighbour_grid.c - grid order of the particles in memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/neighbour/neighbour_inside.h"

#define THINNEST 0.125 /* smallest extent of a grid, in search lengths */

/* Extent of particles [0, last) along an axis that is not periodic, as upper halves of coordinates. */
static void grid_extent(const myr_neighbour *list, int axis, int32_t last, uint32_t *low, uint32_t *high)
{
    const uint64_t *q = list->set.q[axis];
    uint64_t least = ~(uint64_t)0, most = 0;
    for (int32_t i = 0; i < last; i++) {
        least = q[i] < least ? q[i] : least;
        most = q[i] > most ? q[i] : most;
    }
    *low = (uint32_t)(least >> 32);
    *high = (uint32_t)(most >> 32);
}

/* Extent of particles [0, last) along a periodic axis of a divided box: an arc of the circle. Returns 0, for the whole
 * circle, if the remaining arc is so short that its ends interact. `middle`: any coordinate near the particles on
 * input, the middle of the arc on output. */
static int grid_arc(const myr_neighbour *list, int axis, int32_t last, uint32_t *middle, uint32_t *low, uint32_t *high)
{
    const uint64_t *q = list->set.q[axis];
    const double length = list->set.box.length[axis];
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int32_t i = 0; i < last; i++) {
        const int32_t at = (int32_t)((uint32_t)(q[i] >> 32) - *middle);
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    if (((double)most - (double)least + 1) * 0x1p-32 * length > length - list->search - list->resolution)
        return 0;
    *low = *middle + (uint32_t)least;
    *high = *middle + (uint32_t)most;
    *middle = *low + (*high - *low) / 2;
    return 1;
}

static myr_status grid_span(myr_neighbour *list, neighbour_cells *cells, double *span)
{
    myr_short_range_grid *g = &cells->grid;
    const myr_box *box = &list->set.box;
    for (int k = 0; k < 3; k++) {
        uint32_t low = 0, high = ~(uint32_t)0;
        g->periodic[k] = box->periodic[k];
        if (!box->periodic[k])
            grid_extent(list, k, cells->last, &low, &high);
        else if (list->set.agreement)
            g->periodic[k] = !grid_arc(list, k, cells->last, list->middle + k, &low, &high);
        /* Particles in a plane would need infinitely many cells of zero width. Cells beyond the last particle are
         * empty. */
        const uint32_t least = (uint32_t)(THINNEST * list->search / box->length[k] * 0x1p32);
        if (!g->periodic[k] && high - low < least)
            high = low + least;
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

/* Sides of columns and bins as measured best (docs/notes/short_range.md), between limits that bound the numbers of runs
 * and cells. */
static void grid_cells(const myr_neighbour *list, neighbour_cells *to, const double *span)
{
    myr_short_range_grid *g = &to->grid;
    const double spacing = cbrt(span[0] * span[1] * span[2] / (double)to->last), search = list->search;
    const double side = fmin(search, fmax(search / MYR_SHORT_RANGE_REACH, 0.82 * cbrt(list->unit[0]->lanes) * spacing));
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
    } while (cells > 8.0 * to->last + 4096);
    for (int k = 0; k < 3; k++) {
        const double units = span[k] / list->set.box.length[k] * 0x1p32; /* an integer */
        g->factor[k] = (uint64_t)floor(g->cells[k] * (0x1p32 / units) * (1 - 0x1p-50));
        if (g->periodic[k])
            g->factor[k] = (uint64_t)g->cells[k];
        g->width[k] = list->set.box.length[k] / (double)(g->factor[k] ? g->factor[k] : 1);
    }
}

int32_t myr_neighbour_cell(const myr_neighbour *list, const myr_short_range_grid *g, int32_t i)
{
    int32_t at[3];
    for (int k = 0; k < 3; k++)
        at[k] = (int32_t)(((uint64_t)((uint32_t)(list->set.q[k][i] >> 32) - g->low[k]) * g->factor[k]) >> 32);
    const int32_t column = at[0] * g->cells[1] + (at[0] & 1 ? g->cells[1] - 1 - at[1] : at[1]);
    return column * g->cells[2] + (column & 1 ? g->cells[2] - 1 - at[2] : at[2]);
}

/* Counting sort: place[i] is the new index of particle i. The sort is stable. */
static myr_status grid_count(myr_neighbour *list, neighbour_cells *to)
{
    const myr_short_range_grid *g = &to->grid;
    const int64_t cells = (int64_t)g->cells[0] * g->cells[1] * g->cells[2];
    if (cells + 2 > to->room) {
        free(to->start);
        to->room = cells + cells / 4 + 2;
        to->start = myr_memory_zeros(to->room, sizeof *to->start);
        if (!to->start) {
            to->room = 0;
            return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for a grid of %lld cells",
                                    (long long)cells);
        }
    }
    int32_t *count = to->start;
    memset(count, 0, (size_t)(cells + 2) * sizeof *count);
    count[0] = count[1] = to->first;
#pragma omp parallel for num_threads(list->team) schedule(static)
    for (int32_t i = to->first; i < to->last; i++)
        list->cell[i] = myr_neighbour_cell(list, g, i);
    for (int32_t i = to->first; i < to->last; i++)
        count[list->cell[i] + 2]++;
    for (int64_t c = 0; c < cells; c++)
        count[c + 2] += count[c + 1];
    for (int32_t i = to->first; i < to->last; i++)
        list->place[i] = count[list->cell[i] + 1]++;
    to->grid.start = count; /* count[c] is now the first index of cell c */
    return MYR_OK;
}

myr_status myr_neighbour_grid(myr_neighbour *list, neighbour_cells *cells, int32_t first, int32_t last)
{
    double span[3] = {1, 1, 1};
    cells->first = first;
    cells->last = last;
    if (first == last)
        return MYR_OK;
    myr_status status = grid_span(list, cells, span);
    if (status)
        return status;
    grid_cells(list, cells, span);
    return grid_count(list, cells);
}

static void grid_permute(const myr_neighbour *list, const neighbour_tracked *t)
{
    char *from = (char *)t->array, *to = (char *)list->scratch;
    const size_t bytes = t->bytes;
    const int32_t *place = list->place;
#pragma omp parallel num_threads(list->team)
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

static myr_status grid_scratch(myr_neighbour *list)
{
    const size_t bytes = (size_t)list->n * list->most_bytes;
    if (bytes <= list->scratch_bytes)
        return MYR_OK;
    free(list->scratch);
    list->scratch = myr_memory_zeros(list->capacity, list->most_bytes);
    list->scratch_bytes = list->scratch ? (size_t)list->capacity * list->most_bytes : 0;
    return list->scratch ? MYR_OK
                         : myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory to sort %d particles", list->n);
}

myr_status myr_neighbour_order(myr_neighbour *list)
{
    const myr_status ready = grid_scratch(list);
    if (ready)
        return ready;
    for (int k = 0; k < 3; k++)
        list->middle[k] = list->n > 0 ? (uint32_t)(list->set.q[k][0] >> 32) : 0;
    const myr_status status = myr_neighbour_grid(list, &list->own, 0, list->n);
    if (status)
        return status;
    for (int k = 0; k < list->arrays; k++)
        grid_permute(list, list->tracked + k);
    return MYR_OK;
}
