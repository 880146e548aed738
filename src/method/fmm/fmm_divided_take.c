/* fmm_divided_take.c - gives each rank the particles of its part of the Morton curve; see fmm_divided.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "domain/ranks.h"
#include "method/fmm/fmm_divided.h"

enum { PAD = 64 }; /* readable reals behind an array */

/* Particles that this rank begins with: first .. first + n - 1 of the problem. */
typedef struct {
    int64_t first, n;
    myr_morton_entry *entry, *sorted; /* [n]: keys by row; sorted by key */
} divided_rows;

/* Root around the particles of all ranks. */
static myr_status rows_root(const fmm_divided *d, const divided_rows *rows, const myr_points *points,
                            myr_octree_options *options)
{
    double most[6], low[3], high[3]; /* maxima of -x and of x */
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, largest = -INFINITY;
        for (int64_t i = rows->first; i < rows->first + rows->n; i++) {
            const double x = myr_points_get(points, axis, i);
            least = x < least ? x : least;
            largest = x > largest ? x : largest;
        }
        most[axis] = -least;
        most[3 + axis] = largest;
    }
    const myr_status status = myr_ranks_max(d->context, most, 6);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = -most[axis];
        high[axis] = most[3 + axis];
    }
    return status ? status : myr_octree_root(d->context, low, high, d->all, options, options->origin, &options->root);
}

static int rows_sort(const fmm_divided *d, const myr_points *points, const myr_octree_options *options,
                     divided_rows *rows)
{
    const int threads = d->run->threads;
    myr_morton_entry *scratch = myr_memory_some(rows->n + 1, sizeof *scratch);
    rows->entry = myr_memory_some(rows->n + 1, sizeof *rows->entry);
    rows->sorted = myr_memory_some(rows->n + 1, sizeof *rows->sorted);
    int ready = scratch && rows->entry && rows->sorted;
    for (int64_t i = 0; ready && i < rows->n; i++)
        rows->entry[i].number = rows->first + i;
    if (ready) {
        myr_morton_make(points, options->origin, options->root, rows->n, rows->entry, threads);
        memcpy(rows->sorted, rows->entry, (size_t)rows->n * sizeof *rows->sorted);
        ready = myr_morton_sort(rows->sorted, scratch, rows->n, 0, threads) &&
                myr_morton_sort(rows->sorted, scratch, rows->n, MYR_MORTON_BITS - MYR_MORTON_HALF, threads);
    }
    free(scratch);
    return ready;
}

/* Cuts the curve by the measured cost, or by the number of particles if there is no measurement for such a root. */
static myr_status rows_cut(fmm_divided *d, const divided_rows *rows, const myr_octree_options *options)
{
    myr_curve_profile *measured = &d->fmm->profile, count = {0};
    const int known = measured->n > 0 && options->root > 0.9 * measured->side && options->root < 1.1 * measured->side;
    myr_status status = known ? MYR_OK : myr_curve_profile_count(d->context, rows->sorted, rows->n, &count);
    if (!status)
        status =
            myr_curve_cut(d->context, known ? measured : &count, rows->sorted, rows->n, options, options->root, d->cut);
    myr_curve_profile_free(&count);
    if (!status && !d->fmm->cut)
        d->fmm->cut = calloc((size_t)d->ranks + 1, sizeof *d->cut);
    d->moved = d->fmm->cut && memcmp(d->fmm->cut, d->cut, ((size_t)d->ranks + 1) * sizeof *d->cut) != 0;
    if (d->fmm->cut)
        memcpy(d->fmm->cut, d->cut, ((size_t)d->ranks + 1) * sizeof *d->cut);
    return status;
}

static const void *row_array(const myr_direct *p, int64_t k)
{
    const int coords = p->unit->desc->coords * p->unit->coord_lanes;
    return k < p->unit->source_lanes ? p->source.component[k] : p->target.component[k - p->unit->source_lanes + coords];
}

/* Number among all particles of a particle of the problem. */
static int64_t row_number(const myr_direct *p, int64_t i)
{
    return p->share->row ? p->share->row[i] : i;
}

/* Blocks of particles for their owners, in the order of their numbers: the numbers, then the reals. */
static int rows_pack(fmm_divided *d, const divided_rows *rows, myr_blocks *out)
{
    const myr_direct *p = d->problem;
    const size_t bytes = (size_t)p->unit->real_bytes;
    const int64_t reals = fmm_divided_reals(p->unit), each = (int64_t)sizeof(int64_t) + reals * (int64_t)bytes;
    int32_t *owner = malloc(((size_t)rows->n + 1) * sizeof *owner);
    int64_t *done = calloc((size_t)d->ranks + 1, sizeof *done);
    d->departure = malloc(((size_t)rows->n + 1) * sizeof *d->departure);
    int ready = owner && done && d->departure && myr_blocks_open(out, d->ranks);
    for (int64_t i = 0; ready && i < rows->n; i++)
        d->sent_to[1 + (owner[i] = myr_curve_owner(d->cut, d->ranks, rows->entry[i].key))]++;
    for (int k = 0; ready && k < d->ranks; k++) {
        out->at[k + 1] = d->sent_to[k + 1] * each;
        d->sent_to[k + 1] += d->sent_to[k];
    }
    ready = ready && myr_blocks_room(out, d->ranks);
    for (int64_t i = 0; ready && i < rows->n; i++) {
        const int k = owner[i];
        const int64_t at = rows->first + i, number = row_number(p, at), count = d->sent_to[k + 1] - d->sent_to[k];
        char *numbers = out->bytes + out->at[k] + done[k] * (int64_t)sizeof number;
        char *to = out->bytes + out->at[k] + count * (int64_t)sizeof number + done[k] * reals * (int64_t)bytes;
        memcpy(numbers, &number, sizeof number);
        for (int64_t c = 0; c < reals; c++)
            memcpy(to + (size_t)c * bytes, (const char *)row_array(p, c) + (size_t)at * bytes, bytes);
        d->departure[d->sent_to[k] + done[k]++] = at;
    }
    free(owner);
    free(done);
    return ready;
}

/* Places of received particles in the order of their numbers, which breaks ties of keys. */
static int rows_arrivals(fmm_divided *d, const myr_blocks *in, int64_t n)
{
    myr_morton_entry *entry = myr_memory_some(n + 1, sizeof *entry), *scratch = myr_memory_some(n + 1, sizeof *entry);
    int ready = entry && scratch, sorted = 1;
    for (int k = 0; ready && k < d->ranks; k++)
        for (int64_t i = d->got_from[k]; i < d->got_from[k + 1]; i++) {
            uint64_t number;
            memcpy(&number, in->bytes + in->at[k] + (i - d->got_from[k]) * (int64_t)sizeof number, sizeof number);
            entry[i] = (myr_morton_entry){number, i};
            sorted &= !i || number > entry[i - 1].key;
        }
    if (ready && !sorted)
        ready = myr_morton_sort(entry, scratch, n, 0, d->run->threads);
    for (int64_t i = 0; ready && i < n; i++) {
        d->row[i] = (int64_t)entry[i].key;
        d->arrival[i] = entry[i].number;
    }
    free(entry);
    free(scratch);
    return ready;
}

/* Arrays of `particles`, zeroed, for n of them; the stride between arrays is returned, or 0 if memory is short. */
static int64_t rows_arrays(fmm_divided *d, int64_t n)
{
    const myr_unit *u = d->problem->unit;
    const size_t bytes = (size_t)u->real_bytes;
    const int64_t stride = n + PAD, reals = fmm_divided_reals(u);
    const int coords = u->desc->coords * u->coord_lanes;
    d->reals = myr_memory_zeros(stride * reals, bytes);
    d->row = myr_memory_some(n + 1, sizeof *d->row);
    d->arrival = myr_memory_some(n + 1, sizeof *d->arrival);
    if (!d->reals || !d->row || !d->arrival)
        return 0;
    d->particles = *d->problem;
    d->particles.source.n = d->particles.target.n = d->particles.targets = n;
    d->particles.at = d->particles.original = NULL;
    memset(d->particles.source.rest, 0, sizeof d->particles.source.rest);
    for (int64_t c = 0; c < reals; c++) {
        void *array = (char *)d->reals + (size_t)(c * stride) * bytes;
        if (c < u->source_lanes)
            d->particles.source.component[c] = array;
        if (c < coords)
            d->particles.target.component[c] = array;
        if (c >= u->source_lanes)
            d->particles.target.component[c - u->source_lanes + coords] = array;
    }
    return stride;
}

/* Arrays of this rank's particles from the blocks of all ranks. */
static int rows_unpack(fmm_divided *d, const myr_blocks *in)
{
    const size_t bytes = (size_t)d->problem->unit->real_bytes;
    const int64_t reals = fmm_divided_reals(d->problem->unit), each = (int64_t)sizeof(int64_t) + reals * (int64_t)bytes;
    for (int k = 0; k < d->ranks; k++)
        d->got_from[k + 1] = d->got_from[k] + (in->at[k + 1] - in->at[k]) / each;
    const int64_t n = d->got_from[d->ranks], stride = rows_arrays(d, n);
    const char **from = malloc(((size_t)n + 1) * sizeof *from);
    const int ready = stride && from && rows_arrivals(d, in, n);
    for (int k = 0; ready && k < d->ranks; k++) {
        const int64_t count = d->got_from[k + 1] - d->got_from[k];
        for (int64_t i = 0; i < count; i++)
            from[d->got_from[k] + i] =
                in->bytes + in->at[k] + count * (int64_t)sizeof(int64_t) + i * reals * (int64_t)bytes;
    }
    for (int64_t i = 0; ready && i < n; i++)
        for (int64_t c = 0; c < reals; c++)
            memcpy((char *)d->reals + (size_t)(c * stride + i) * bytes, from[d->arrival[i]] + (size_t)c * bytes, bytes);
    free(from);
    return ready;
}

myr_status myr_fmm_divided_take(fmm_divided *d, myr_octree_options *options)
{
    const myr_points points = myr_points_make(d->problem->unit, &d->problem->source, d->problem->source.n, NULL);
    divided_rows rows = {.n = d->problem->source.n};
    myr_blocks out = {0}, in = {0};
    if (!d->problem->share->row) { /* all particles are here: an even part of them */
        rows.first = myr_ranks_first(d->context, d->all, d->me);
        rows.n = myr_ranks_first(d->context, d->all, d->me + 1) - rows.first;
    }
    myr_status status = rows_root(d, &rows, &points, options);
    if (!status)
        status =
            myr_ranks_agree(d->context, rows_sort(d, &points, options, &rows) ? MYR_OK : myr_fmm_divided_no_memory(d));
    if (!status)
        status = rows_cut(d, &rows, options);
    if (!status) {
        status = rows_pack(d, &rows, &out) && myr_blocks_open(&in, d->ranks) ? MYR_OK : myr_fmm_divided_no_memory(d);
        status = myr_blocks_swap(d->context, status, &out, &in, 0, &d->seconds, &d->sent);
    }
    free(rows.entry);
    free(rows.sorted);
    myr_blocks_free(&out);
    if (!status && !rows_unpack(d, &in))
        status = myr_fmm_divided_no_memory(d);
    myr_blocks_free(&in);
    return status;
}
