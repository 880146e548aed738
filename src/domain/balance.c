/* balance.c - what particles cost, and where the planes should be. */
#include "domain/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

enum { BALANCE_BINS = 1024, BALANCE_CELLS_MOST = 1 << 22, BALANCE_BOLD = 2, BALANCE_OFTEN = 4, BALANCE_REST = 8 };
#define BALANCE_GOOD 1.05  /* largest over mean: as good as it gets */
#define BALANCE_FAIR 1.1   /* so bad it may be for a while */
#define BALANCE_LEAST 0.25 /* of the width: so thin may a slab become */

/* Where there are particles along each axis, of all ranks; 1 is the whole axis. */
typedef struct {
    double low[3], extent[3];
} balance_span;

/* Cells of this rank's domain. */
typedef struct {
    double low[3];   /* of the axis */
    double scale[3]; /* cells of a whole axis */
    int64_t count[3];
    int32_t *inside; /* particles in each */
} balance_cells;

/* Part `at` of `count` that begin at `low` and are 1/scale long; those beyond are in the last. */
static int64_t balance_part(uint64_t q, double low, double scale, int64_t count)
{
    const double at = ((double)q * 0x1p-64 - low) * scale;
    return at >= (double)count ? count - 1 : at > 0 ? (int64_t)at : 0;
}

static int64_t cells_of(const balance_cells *g, uint64_t *const q[3], int64_t i)
{
    int64_t at[3];
    for (int c = 0; c < 3; c++)
        at[c] = balance_part(q[c][i], g->low[c], g->scale[c], g->count[c]); /* one may have left the domain */
    return (at[2] * g->count[1] + at[1]) * g->count[0] + at[0];
}

static int cells_fill(balance_cells *g, const myr_decomposition *d, const myr_box *box, const balance_span *span,
                      double width, int64_t n, uint64_t *const q[3])
{
    for (int c = 0; c < 3; c++) {
        const int last = d->at[c] + 1 == d->count[c];
        const double low = (double)d->plane[c][d->at[c]] * 0x1p-64;
        const double high = last ? 1 : (double)d->plane[c][d->at[c] + 1] * 0x1p-64;
        g->low[c] = fmax(low, span->low[c]);
        const double part = fmax(fmin(high, span->low[c] + span->extent[c]) - g->low[c], width / box->length[c]);
        g->count[c] = (int64_t)fmin(fmax(floor(part * box->length[c] / width), 1), 128);
        g->scale[c] = (double)g->count[c] / part;
    }
    const int64_t cells = g->count[0] * g->count[1] * g->count[2];
    g->inside = cells <= BALANCE_CELLS_MOST ? calloc((size_t)cells, sizeof *g->inside) : NULL;
    for (int64_t i = 0; g->inside && i < n; i++)
        g->inside[cells_of(g, q, i)]++;
    return g->inside != NULL;
}

/* Costs along the three axes: what a particle costs is its share of the pairs of this rank, and something of its own.
 */
static int balance_costs(const myr_balance *b, const myr_decomposition *d, const myr_box *box, const balance_span *span,
                         int64_t pairs, int64_t n, uint64_t *const q[3], int64_t *cost)
{
    const int64_t unit = 16, own = 2; /* of a pair; pairs */
    balance_cells g;
    int64_t crowd = 0;
    if (!cells_fill(&g, d, box, span, b->width, n, q))
        return 0;
    for (int64_t i = 0; i < n; i++)
        crowd += g.inside[cells_of(&g, q, i)];
    const double share = crowd > 0 ? (double)(unit * pairs) / (double)crowd : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t mine = unit * own + (int64_t)(share * g.inside[cells_of(&g, q, i)]);
        for (int c = 0; c < 3; c++)
            cost[c * BALANCE_BINS +
                 balance_part(q[c][i], span->low[c], BALANCE_BINS / span->extent[c], BALANCE_BINS)] += mine;
    }
    free(g.inside);
    return 1;
}

/* The most pairs of a rank over the mean; 0 where nobody has any. */
static myr_status balance_measure(myr_context *context, int64_t mine, double *imbalance)
{
    double most = (double)mine;
    int64_t all = mine;
    myr_status status = myr_ranks_max(context, &most, 1);
    if (!status)
        status = myr_ranks_sum(context, &all, 1);
    *imbalance = all > 0 ? most * myr_ranks_count(context) / (double)all : 0;
    return status;
}

/* Gives all ranks the costs of all, and moves the planes to where they would be equal. */
static myr_status balance_move(const myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                               int64_t pairs, int64_t n, uint64_t *const q[3])
{
    balance_span span;
    myr_status status = myr_decomposition_extent(context, box, n, q, span.low, span.extent);
    if (status)
        return status;
    for (int c = 0; c < 3; c++) {
        span.low[c] /= box->length[c];
        span.extent[c] = fmax(span.extent[c], b->width) / box->length[c];
    }
    int64_t *cost = calloc((size_t)3 * BALANCE_BINS, sizeof *cost);
    const int good = cost && balance_costs(b, d, box, &span, pairs, n, q, cost);
    status = good ? myr_ranks_sum(context, cost, 3 * BALANCE_BINS)
                  : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for costs");
    for (int c = 0; c < 3 && !status; c++)
        myr_decomposition_balance(d, c, span.low[c], span.extent[c], cost + (ptrdiff_t)c * BALANCE_BINS, BALANCE_BINS,
                                  myr_decomposition_length(box, c, BALANCE_LEAST * b->width),
                                  b->moves <= BALANCE_BOLD ? 1 : 0.5);
    free(cost);
    return status;
}

myr_status myr_balance_run(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                           int64_t pairs, int64_t n, uint64_t *const q[3])
{
    if (d->ranks == 1 || b->wait-- > 0)
        return MYR_OK;
    myr_status status = balance_measure(context, pairs, &b->last);
    if (status || b->last == 0)
        return status; /* there has been no list yet */
    b->before = b->looks++ == 0 ? b->last : b->before;
    b->wait = b->looks < BALANCE_OFTEN || b->last > BALANCE_FAIR ? 0 : BALANCE_REST;
    if (!b->on || !(b->last > BALANCE_GOOD))
        return MYR_OK;
    b->moves++;
    return balance_move(b, context, d, box, pairs, n, q);
}
