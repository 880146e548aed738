/* balance.c - what particles cost, and where the planes should be. */
#include "domain/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

enum { BALANCE_FEW = 1024 }; /* ranks among which planes can do something for a single one */
enum { BALANCE_BINS = 1024, BALANCE_CELLS_MOST = 1 << 22, BALANCE_BOLD = 2, BALANCE_OFTEN = 4, BALANCE_REST = 8 };
#define BALANCE_GOOD 1.05  /* largest over mean: as good as it gets */
#define BALANCE_FAIR 1.1   /* so bad it may be for a while */
#define BALANCE_ROUGH 1.15 /* pairs: when they are shared out as well as this, clocks are looked at */
#define BALANCE_LOST 1.5   /* pairs: and until they are as badly as this */
#define BALANCE_WORTH 0.95 /* of the slowest: for less no plane is moved then */
#define BALANCE_LEAST 0.25 /* of the width: so thin may a slab become */

const char *myr_balance_name(int k)
{
    static const char *const names[MYR_BALANCES] = {"time", "pairs", "no"};
    return k >= 0 && k < MYR_BALANCES ? names[k] : NULL;
}

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

/* A particle costs something by itself: so many pairs. Costs are whole numbers: so many of them are a pair. */
enum { BALANCE_OWN = 2, BALANCE_UNIT = 16 };

static double balance_work(const myr_balance_load *load)
{
    return (double)(load->pairs + BALANCE_OWN * load->n);
}

/* What this rank costs: its work, or once clocks are looked at how long that takes it, in nanoseconds. */
static double balance_cost(const myr_balance *b, const myr_balance_load *load)
{
    const double each = b->fine && b->work > 0 ? 1e9 * b->seconds / b->work : 1;
    return BALANCE_UNIT * each * balance_work(load);
}

/* Costs along the three axes: what a particle costs is its share of the pairs of this rank, and something of its own.
 */
static int balance_costs(const myr_balance *b, const myr_decomposition *d, const myr_box *box, const balance_span *span,
                         const myr_balance_load *load, int64_t *cost)
{
    balance_cells g;
    int64_t crowd = 0;
    if (!cells_fill(&g, d, box, span, b->width, load->n, load->q))
        return 0;
    for (int64_t i = 0; i < load->n; i++)
        crowd += g.inside[cells_of(&g, load->q, i)];
    const double share = crowd > 0 ? BALANCE_UNIT * (double)load->pairs / (double)crowd : 0;
    for (int64_t i = 0; i < load->n; i++) {
        const int64_t mine = BALANCE_UNIT * BALANCE_OWN + (int64_t)(share * g.inside[cells_of(&g, load->q, i)]);
        for (int c = 0; c < 3; c++)
            cost[c * BALANCE_BINS +
                 balance_part(load->q[c][i], span->low[c], BALANCE_BINS / span->extent[c], BALANCE_BINS)] += mine;
    }
    free(g.inside);
    return 1;
}

/* The most pairs of a rank over the mean, and the largest cost; 0 where nobody has any. */
static myr_status balance_measure(const myr_balance *b, myr_context *context, const myr_balance_load *load,
                                  double imbalance[2])
{
    int64_t all[2] = {load->pairs, (int64_t)balance_cost(b, load)};
    double most[2] = {(double)all[0], (double)all[1]};
    myr_status status = myr_ranks_max(context, most, 2);
    if (!status)
        status = myr_ranks_sum(context, all, 2);
    for (int k = 0; k < 2; k++)
        imbalance[k] = all[k] > 0 ? most[k] * myr_ranks_count(context) / (double)all[k] : 0;
    return status;
}

static myr_status balance_find_span(const myr_balance *b, myr_context *context, const myr_box *box,
                                    const myr_balance_load *load, balance_span *span)
{
    const myr_status status = myr_decomposition_extent(context, box, load->n, load->q, span->low, span->extent);
    for (int c = 0; c < 3; c++) {
        span->low[c] /= box->length[c];
        span->extent[c] = fmax(span->extent[c], b->width) / box->length[c];
    }
    return status;
}

/* Gives all ranks the costs of all, and moves the planes to where slabs would cost the same. */
static myr_status balance_move(const myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                               const myr_balance_load *load)
{
    balance_span span;
    myr_status status = balance_find_span(b, context, box, load, &span);
    if (status)
        return status;
    int64_t *cost = calloc((size_t)3 * BALANCE_BINS, sizeof *cost);
    const int good = cost && balance_costs(b, d, box, &span, load, cost);
    status = good ? myr_ranks_sum(context, cost, 3 * BALANCE_BINS)
                  : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for costs");
    for (int c = 0; c < 3 && !status; c++)
        myr_decomposition_balance(d, c, span.low[c], span.extent[c], cost + (ptrdiff_t)c * BALANCE_BINS, BALANCE_BINS,
                                  myr_decomposition_length(box, c, BALANCE_LEAST * b->width),
                                  b->moves <= BALANCE_BOLD ? 1 : 0.5);
    free(cost);
    return status;
}

/* --- when all have about as much to do: the slowest of each slab counts ----------------------------------------------
 */

/* Widths of the slabs along an axis, the outer ones from where particles begin to where they end; or planes of them. */
static void fine_widths(const myr_decomposition *d, const balance_span *span, int axis, double *width)
{
    double low = span->low[axis];
    for (int k = 0; k < d->count[axis]; k++) {
        const int last = k + 1 == d->count[axis];
        const double high = last ? span->low[axis] + span->extent[axis] : (double)d->plane[axis][k + 1] * 0x1p-64;
        width[k] = fmax(high - low, 1e-6 * span->extent[axis]);
        low = high;
    }
}

static void fine_planes(myr_decomposition *d, const balance_span *span, int axis, const double *width)
{
    double place = span->low[axis];
    for (int k = 1; k < d->count[axis]; k++) {
        place += width[k - 1];
        d->plane[axis][k] = (uint64_t)(place * 0x1p64);
    }
}

/* What rank 0 does with the costs of all; whether planes have moved. */
static int fine_decide(const myr_balance *b, myr_decomposition *d, const myr_box *box, const balance_span *span,
                       const double *cost, double *room)
{
    double *const width[3] = {room, room + d->count[0], room + d->count[0] + d->count[1]};
    double least[3];
    for (int c = 0; c < 3; c++) {
        least[c] = BALANCE_LEAST * b->width / box->length[c];
        fine_widths(d, span, c, width[c]);
    }
    if (!(myr_balance_refine(d->count, cost, least, width) < BALANCE_WORTH))
        return 0;
    for (int c = 0; c < 3; c++)
        fine_planes(d, span, c, width[c]);
    return 1;
}

static myr_status balance_refine(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                                 const myr_balance_load *load)
{
    const int leads = d->rank == 0, slabs = d->count[0] + d->count[1] + d->count[2];
    const double mine = balance_cost(b, load);
    double *room = malloc((size_t)(slabs + d->ranks) * sizeof *room);
    balance_span span;
    int64_t moved = 0;
    myr_status status = room ? MYR_OK : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for costs");
    if (!status)
        status = balance_find_span(b, context, box, load, &span);
    if (!status)
        status = myr_ranks_gather(context, &mine, sizeof mine, leads ? room + slabs : NULL);
    if (!status && leads)
        moved = fine_decide(b, d, box, &span, room + slabs, room);
    if (!status)
        status = myr_ranks_share(context, &moved, sizeof moved);
    if (!status && moved) /* planes of all axes are in one block */
        status = myr_ranks_share(context, d->plane[0], (size_t)(slabs + 3) * sizeof *d->plane[0]);
    b->moves += moved;
    free(room);
    return status;
}

static void balance_time(myr_balance *b, const myr_balance_load *load)
{
    if (!b->fine || load->pairs == 0)
        return;
    b->seconds += load->seconds;
    b->work += (double)load->steps * balance_work(load);
}

/* Clocks count once pairs are shared out: what an empty domain costs says nothing of what it would with particles. */
static myr_status balance_finely(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                                 const myr_balance_load *load)
{
    b->wait = BALANCE_REST; /* one list tells too little of how fast a rank is */
    const myr_status status = b->last > BALANCE_GOOD ? balance_refine(b, context, d, box, load) : MYR_OK;
    b->seconds *= 0.5; /* what has been before counts for half as much from now on */
    b->work *= 0.5;
    return status;
}

myr_status myr_balance_run(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                           const myr_balance_load *load)
{
    double imbalance[2];
    balance_time(b, load);
    if (d->ranks == 1 || b->wait-- > 0)
        return MYR_OK;
    myr_status status = balance_measure(b, context, load, imbalance);
    if (status || imbalance[0] == 0)
        return status; /* there has been no list yet */
    b->last = imbalance[1];
    b->before = b->looks++ == 0 ? imbalance[0] : b->before;
    const int fine =
        b->by == MYR_BALANCE_TIME && d->ranks <= BALANCE_FEW && imbalance[0] < (b->fine ? BALANCE_LOST : BALANCE_ROUGH);
    if (fine && b->fine)
        return balance_finely(b, context, d, box, load);
    b->wait = fine ? BALANCE_REST : b->looks < BALANCE_OFTEN || b->last > BALANCE_FAIR ? 0 : BALANCE_REST;
    b->fine = fine;
    b->seconds = b->work = 0;
    if (fine || b->by == MYR_BALANCE_NO || !(b->last > BALANCE_GOOD))
        return MYR_OK;
    b->moves++;
    return balance_move(b, context, d, box, load);
}
