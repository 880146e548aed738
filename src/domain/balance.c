/* balance.c - load balance: estimates the cost of particles and moves the planes between domains. */
#include "domain/balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

/* refinement by measured time is tried up to this number of ranks: beyond, a plane has too little effect on one slow
 * rank */
enum { BALANCE_FEW = 1024 };
enum { BALANCE_BINS = 1024, BALANCE_CELLS_MOST = 1 << 22, BALANCE_BOLD = 2, BALANCE_OFTEN = 4, BALANCE_REST = 8 };
#define BALANCE_GOOD 1.05  /* imbalance (largest over mean) below which no plane is moved */
#define BALANCE_FAIR 1.1   /* imbalance below which the ranks measure only every BALANCE_REST-th list */
#define BALANCE_ROUGH 1.15 /* imbalance of pairs below which measured times replace pair counts */
#define BALANCE_LOST 1.5   /* imbalance of pairs above which pair counts replace measured times again */
/* refinement by time moves planes only if the cost of the slowest rank falls below this fraction */
#define BALANCE_WORTH 0.95
#define BALANCE_LEAST 0.25 /* thinnest allowed slab, as a fraction of the interaction range */

const char *myr_balance_name(int k)
{
    static const char *const names[MYR_BALANCES] = {"time", "pairs", "no"};
    return k >= 0 && k < MYR_BALANCES ? names[k] : NULL;
}

/* Interval of each axis that contains particles of any rank, as fractions of the box length. */
typedef struct {
    double low[3], extent[3];
} balance_span;

/* Cell grid over the domain of this rank. */
typedef struct {
    double low[3];   /* lower end of the grid, as a fraction of the box length */
    double scale[3]; /* cells per box length */
    int64_t count[3];
    int32_t *inside; /* [count[2]][count[1]][count[0]], number of particles in each cell */
} balance_cells;

/* Index of the interval that contains coordinate q, among `count` intervals of length 1/scale that start at `low`;
 * coordinates outside are assigned to the first or last interval. */
static int64_t balance_bin(uint64_t q, double low, double scale, int64_t count)
{
    const double at = ((double)q * 0x1p-64 - low) * scale;
    return at >= (double)count ? count - 1 : at > 0 ? (int64_t)at : 0;
}

static int64_t cells_index(const balance_cells *g, uint64_t *const q[3], int64_t i)
{
    int64_t at[3];
    for (int c = 0; c < 3; c++)
        /* also for a particle that has left the domain */
        at[c] = balance_bin(q[c][i], g->low[c], g->scale[c], g->count[c]);
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
        g->inside[cells_index(g, q, i)]++;
    return g->inside != NULL;
}

/* BALANCE_OWN: cost of a particle without neighbours, in pairs. BALANCE_UNIT: integer cost units per pair. */
enum { BALANCE_OWN = 2, BALANCE_UNIT = 16 };

static double balance_work(const myr_balance_load *load)
{
    return (double)(load->pairs + BALANCE_OWN * load->n);
}

/* Cost of this rank: its work in cost units, or, once measured times are used, the time of that work in nanoseconds
 * times BALANCE_UNIT. */
static double balance_cost(const myr_balance *b, const myr_balance_load *load)
{
    const double each = b->fine && b->work > 0 ? 1e9 * b->seconds / b->work : 1;
    return BALANCE_UNIT * each * balance_work(load);
}

/* Histogram of costs along each axis, [3][BALANCE_BINS]: the pairs of this rank are distributed over its particles in
 * proportion to the occupancy of their cells, and every particle adds BALANCE_OWN. Returns 0 if memory is short. */
static int balance_costs(const myr_balance *b, const myr_decomposition *d, const myr_box *box, const balance_span *span,
                         const myr_balance_load *load, int64_t *cost)
{
    balance_cells g;
    int64_t crowd = 0;
    if (!cells_fill(&g, d, box, span, b->width, load->n, load->q))
        return 0;
    for (int64_t i = 0; i < load->n; i++)
        crowd += g.inside[cells_index(&g, load->q, i)];
    const double share = crowd > 0 ? BALANCE_UNIT * (double)load->pairs / (double)crowd : 0;
    for (int64_t i = 0; i < load->n; i++) {
        const int64_t mine = BALANCE_UNIT * BALANCE_OWN + (int64_t)(share * g.inside[cells_index(&g, load->q, i)]);
        for (int c = 0; c < 3; c++)
            cost[c * BALANCE_BINS +
                 balance_bin(load->q[c][i], span->low[c], BALANCE_BINS / span->extent[c], BALANCE_BINS)] += mine;
    }
    free(g.inside);
    return 1;
}

/* Imbalance (largest over mean) of pairs, imbalance[0], and of costs, imbalance[1]; 0 if no rank has any. */
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

/* Sums the cost histograms over all ranks and moves the planes to positions of equal cost per slab. */
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

/* --- refinement by measured time, once pairs are balanced --------------------------------------------------------- */

/* Widths of the slabs along an axis, as fractions of the box length; the outer slabs end where the particles end. */
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

/* Rank 0 computes refined slab widths from the costs of all ranks; 1 if planes have moved. */
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
    if (!status && moved) /* the planes of all three axes are one contiguous block */
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

/* Refinement by measured time, only once pairs are balanced: the time of an empty domain does not predict its time with
 * particles. */
static myr_status balance_by_time(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                                  const myr_balance_load *load)
{
    b->wait = BALANCE_REST; /* the lifetime of one pair list is too short to measure the speed of a rank */
    const myr_status status = b->last > BALANCE_GOOD ? balance_refine(b, context, d, box, load) : MYR_OK;
    b->seconds *= 0.5; /* exponential forgetting of earlier measurements */
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
        return status; /* no pair list has been built yet */
    b->last = imbalance[1];
    b->before = b->looks++ == 0 ? imbalance[0] : b->before;
    const int fine =
        b->by == MYR_BALANCE_TIME && d->ranks <= BALANCE_FEW && imbalance[0] < (b->fine ? BALANCE_LOST : BALANCE_ROUGH);
    if (fine && b->fine)
        return balance_by_time(b, context, d, box, load);
    b->wait = fine ? BALANCE_REST : b->looks < BALANCE_OFTEN || b->last > BALANCE_FAIR ? 0 : BALANCE_REST;
    b->fine = fine;
    b->seconds = b->work = 0;
    if (fine || b->by == MYR_BALANCE_NO || !(b->last > BALANCE_GOOD))
        return MYR_OK;
    b->moves++;
    return balance_move(b, context, d, box, load);
}
