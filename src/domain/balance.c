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

/* Cells of this rank's domain. */
typedef struct {
    uint64_t low[3];
    double scale[3]; /* cells per coordinate */
    int64_t count[3];
    int32_t *inside; /* particles in each */
} balance_cells;

static int64_t cells_of(const balance_cells *g, uint64_t *const q[3], int64_t i)
{
    int64_t at[3];
    for (int c = 0; c < 3; c++) {
        at[c] = (int64_t)((double)(q[c][i] - g->low[c]) * g->scale[c]);
        at[c] = at[c] < g->count[c] ? at[c] : g->count[c] - 1; /* one that has left the domain */
    }
    return (at[2] * g->count[1] + at[1]) * g->count[0] + at[0];
}

static int cells_fill(balance_cells *g, const myr_decomposition *d, const myr_box *box, double width, int64_t n,
                      uint64_t *const q[3])
{
    for (int c = 0; c < 3; c++) {
        const uint64_t low = d->plane[c][d->at[c]], size = d->plane[c][d->at[c] + 1] - low;
        const double part = size ? (double)size * 0x1p-64 : 1; /* one slab is all of the axis */
        g->low[c] = low;
        g->count[c] = (int64_t)fmin(fmax(floor(part * box->length[c] / width), 1), 128);
        g->scale[c] = (double)g->count[c] / (part * 0x1p64);
    }
    const int64_t cells = g->count[0] * g->count[1] * g->count[2];
    g->inside = cells <= BALANCE_CELLS_MOST ? calloc((size_t)cells, sizeof *g->inside) : NULL;
    for (int64_t i = 0; g->inside && i < n; i++)
        g->inside[cells_of(g, q, i)]++;
    return g->inside != NULL;
}

/* Costs along the three axes: what a particle costs is its share of the pairs of this rank, and something of its own.
 */
static int balance_costs(const myr_balance *b, const myr_decomposition *d, const myr_box *box, int64_t pairs, int64_t n,
                         uint64_t *const q[3], int64_t *cost)
{
    const int64_t unit = 16, own = 2; /* of a pair; pairs */
    balance_cells g;
    int64_t crowd = 0;
    if (!cells_fill(&g, d, box, b->width, n, q))
        return 0;
    for (int64_t i = 0; i < n; i++)
        crowd += g.inside[cells_of(&g, q, i)];
    const double share = crowd > 0 ? (double)(unit * pairs) / (double)crowd : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t mine = unit * own + (int64_t)(share * g.inside[cells_of(&g, q, i)]);
        for (int c = 0; c < 3; c++)
            cost[c * BALANCE_BINS + (int64_t)((double)q[c][i] * 0x1p-64 * (BALANCE_BINS * 0.9999999999))] += mine;
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
    int64_t *cost = calloc((size_t)3 * BALANCE_BINS, sizeof *cost);
    const int good = cost && balance_costs(b, d, box, pairs, n, q, cost);
    myr_status status = good ? myr_ranks_sum(context, cost, 3 * BALANCE_BINS)
                             : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for costs");
    for (int c = 0; c < 3 && !status; c++)
        myr_decomposition_balance(d, c, cost + (ptrdiff_t)c * BALANCE_BINS, BALANCE_BINS,
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
