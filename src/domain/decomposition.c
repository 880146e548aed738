/* decomposition.c - division of the box into domains, and movement of the planes between domains. */
#include "domain/decomposition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

#define DECOMPOSITION_MIDDLE (UINT64_C(1) << 63)
#define LEAST_PART 0.25 /* thinnest allowed slab, as a fraction of the interaction range */

/* --- number of slabs along each axis ------------------------------------------------------------------------------ */

/* Halo volume of one domain of a cut: the volume within `width` of the domain. The two slabs of an open axis cut in two
 * have one neighbour each. Among equally good cuts the one with equal slab counts is preferred, because its planes have
 * the most freedom to move. */
static double cut_surface(const myr_box *box, const int count[3], const double extent[3], double width)
{
    const double uneven = 0.02; /* relative penalty per slab along the axis with most slabs */
    double inner = 1, outer = 1, most = 1;
    for (int c = 0; c < 3; c++) {
        const double side = extent[c] / count[c];
        inner *= side;
        most = fmax(most, count[c]);
        const int faces = count[c] == 1 ? 0 : count[c] == 2 && !box->periodic[c] ? 1 : 2;
        outer *= fmin(side + faces * width, extent[c]);
    }
    return (outer - inner) * (1 + uneven * most);
}

static int cut_fits(const int count[3], const double extent[3], double width)
{
    for (int c = 0; c < 3; c++)
        if (count[c] > 1 && extent[c] / count[c] < LEAST_PART * width)
            return 0;
    return 1;
}

/* Cut with the smallest halo volume among all factorisations of the number of ranks into three factors. */
static int cut_best(const myr_box *box, int ranks, const double extent[3], double width, int best[3])
{
    double least = INFINITY;
    for (int x = 1; x <= ranks; x++)
        for (int y = 1; ranks % x == 0 && y <= ranks / x; y++) {
            const int count[3] = {x, y, ranks / x / y};
            if (ranks / x % y != 0 || !cut_fits(count, extent, width))
                continue;
            const double surface = cut_surface(box, count, extent, width);
            if (surface < least * (1 - 1e-9)) {
                least = surface;
                memcpy(best, count, sizeof count);
            }
        }
    return least < INFINITY;
}

static myr_status cut_refuse(myr_context *context, const myr_box *box, int ranks, const double extent[3], double width)
{
    int most = ranks - 1, count[3];
    while (most > 1 && !cut_best(box, most, extent, width, count))
        most--;
    return myr_context_fail(context, MYR_ERROR_VALUE,
                            "a box of %g x %g x %g cannot be cut for %d ranks: particles see %g far, and slabs thinner "
                            "than a quarter of that are not made; use up to %d rank%s, or a larger box",
                            extent[0], extent[1], extent[2], ranks, width, most, myr_plural(most));
}

/* --- extent of the particles -------------------------------------------------------------------------------------- */

myr_status myr_decomposition_extent(myr_context *context, const myr_box *box, int64_t n, uint64_t *const q[3],
                                    double low[3], double extent[3])
{
    /* largest distances above and below the middle of each axis, as fractions of its length */
    double end[6] = {-1, -1, -1, -1, -1, -1};
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < n && !box->periodic[c]; i++) {
            const double x = (double)(int64_t)(q[c][i] - DECOMPOSITION_MIDDLE) * 0x1p-64;
            end[c] = fmax(end[c], x);
            end[3 + c] = fmax(end[3 + c], -x);
        }
    const int closed = box->periodic[0] && box->periodic[1] && box->periodic[2];
    const myr_status status = closed ? MYR_OK : myr_ranks_max(context, end, 6);
    for (int c = 0; c < 3; c++) {
        const int open = !box->periodic[c] && end[c] >= -0.5; /* open axis, and at least one rank has a particle */
        low[c] = open ? (0.5 - end[3 + c]) * box->length[c] : 0;
        extent[c] = open ? (end[c] + end[3 + c]) * box->length[c] : box->length[c];
    }
    return status;
}

/* --- planes ------------------------------------------------------------------------------------------------------- */

uint64_t myr_decomposition_length(const myr_box *box, int axis, double length)
{
    const double units = ceil(length / box->length[axis] * 0x1p64);
    return units >= 0x1p64 ? UINT64_MAX : (uint64_t)units;
}

static void planes_even(myr_decomposition *d, const myr_box *box, const double low[3], const double extent[3])
{
    for (int c = 0; c < 3; c++)
        for (int k = 1; k < d->count[c]; k++)
            d->plane[c][k] = (uint64_t)((low[c] + extent[c] * k / d->count[c]) / box->length[c] * 0x1p64);
}

myr_status myr_decomposition_create(myr_context *context, const myr_box *box, const double low[3],
                                    const double extent[3], double width, myr_decomposition **decomposition)
{
    const int ranks = myr_ranks_count(context), rank = myr_ranks_me(context);
    int count[3] = {1, 1, 1};
    *decomposition = NULL;
    if (!cut_best(box, ranks, extent, width, count))
        return cut_refuse(context, box, ranks, extent, width);
    myr_decomposition *d = calloc(1, sizeof *d);
    const size_t planes = (size_t)count[0] + (size_t)count[1] + (size_t)count[2] + 3;
    uint64_t *plane = calloc(planes, sizeof *plane);
    double *place = calloc(planes, sizeof *place);
    if (!d || !plane || !place) {
        free(d);
        free(plane);
        free(place);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the planes between %d ranks", ranks);
    }
    d->place = place;
    d->rank = rank;
    d->ranks = ranks;
    for (int c = 0; c < 3; c++) {
        d->count[c] = count[c];
        d->plane[c] = plane;
        plane += count[c] + 1;
    }
    d->at[0] = rank % count[0];
    d->at[1] = rank / count[0] % count[1];
    d->at[2] = rank / count[0] / count[1];
    planes_even(d, box, low, extent);
    *decomposition = d;
    return MYR_OK;
}

void myr_decomposition_destroy(myr_decomposition **decomposition)
{
    if (!*decomposition)
        return;
    free((*decomposition)->plane[0]);
    free((*decomposition)->place);
    free(*decomposition);
    *decomposition = NULL;
}

static int decomposition_rank(const myr_decomposition *d, const int at[3])
{
    return (at[2] * d->count[1] + at[1]) * d->count[0] + at[0];
}

int myr_decomposition_neighbour(const myr_decomposition *d, int axis, int step)
{
    int at[3] = {d->at[0], d->at[1], d->at[2]};
    at[axis] = (at[axis] + step % d->count[axis] + d->count[axis]) % d->count[axis];
    return decomposition_rank(d, at);
}

int myr_decomposition_slab(const myr_decomposition *d, int axis, uint64_t q)
{
    int first = 0, last = d->count[axis];
    while (last - first > 1) {
        const int middle = (first + last) / 2;
        if (q < d->plane[axis][middle])
            last = middle;
        else
            first = middle;
    }
    return first;
}

int myr_decomposition_owner(const myr_decomposition *d, const uint64_t q[3])
{
    int at[3];
    for (int c = 0; c < 3; c++)
        at[c] = myr_decomposition_slab(d, c, q[c]);
    return decomposition_rank(d, at);
}

void myr_decomposition_widen(myr_decomposition *d, int axis, double times)
{
    for (int k = 1; k < d->count[axis]; k++) {
        const double away = (double)(int64_t)(d->plane[axis][k] - DECOMPOSITION_MIDDLE) / times;
        d->plane[axis][k] = DECOMPOSITION_MIDDLE + (uint64_t)(int64_t)away;
    }
}

/* --- load balance ------------------------------------------------------------------------------------------------- */

/* Position, in bins, below which the fraction `part` of the total cost lies; the cost of a bin is spread evenly over
 * the bin. */
static double balance_quantile(const int64_t *cost, int bins, double part)
{
    double before = 0, all = 0;
    for (int b = 0; b < bins; b++)
        all += (double)cost[b];
    for (int b = 0; b < bins; b++) {
        if (cost[b] > 0 && before + (double)cost[b] >= part * all)
            return b + (part * all - before) / (double)cost[b];
        before += (double)cost[b];
    }
    return bins * part; /* total cost zero */
}

void myr_decomposition_balance(myr_decomposition *d, int axis, double low, double extent, const int64_t *cost, int bins,
                               uint64_t least, double part)
{
    const int count = d->count[axis];
    const double thin = (double)least * 0x1p-64;
    double *place = d->place;
    if (count < 2 || !(thin * count < 1))
        return;
    place[0] = 0;
    place[count] = 1;
    for (int k = 1; k < count; k++) {
        const double old = (double)d->plane[axis][k] * 0x1p-64;
        const double wanted = low + extent * (balance_quantile(cost, bins, (double)k / count) / bins);
        place[k] = fmax(old + part * (wanted - old), place[k - 1] + thin);
    }
    for (int k = count - 1; k > 0; k--)
        place[k] = fmin(place[k], place[k + 1] - thin);
    for (int k = 1; k < count; k++)
        d->plane[axis][k] = (uint64_t)(place[k] * 0x1p64);
}
