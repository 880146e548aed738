/* gaussian_sum.c - Gaussian sums cell by cell through the loops of kernel/gaussian.h: the targets of a cell, in lanes,
 * against a bag of the sources that reach the cell. Contributions are floats in portable arithmetic, added in the order
 * of the cells: the bits are the same on every machine and any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/units.h"
#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"
#include "method/target_block.h"

enum {
    SUM_BATCH = 64, /* targets of a cell summed together */
    SUM_FOLD = 256, /* contributions summed in float before they are added to a double */
    /* components of a source other than its position: decay and weights, in the order of kernel/gaussian.h */
    SUM_FIELDS = 4,
    SUM_SOURCE = 3 + SUM_FIELDS
};

/* Requested sums: positions in the order of the cells. */
typedef struct {
    const myr_gaussian *gaussian;
    const myr_direct *problem; /* loops and cutoff */
    const double *const *at;   /* [3]: positions; null = at the sources */
    const int64_t *first, *order;
    double *const *sum;
    double factor; /* factor of the sums */
    float *source; /* [n][SUM_FIELDS]: decay and weights of the sources in sorted order, in the kernel's units */
} sum_job;

/* Working memory of a thread: a bag and a batch of targets. */
typedef struct {
    const sum_job *job;
    int64_t n, room;  /* number of sources in the bag, and capacity */
    float *bag;       /* [n][SUM_SOURCE] */
    double middle[3]; /* centre of the cell */
    myr_target_block block;
    float place[3][SUM_BATCH]; /* positions of the targets relative to the centre */
} sum_work;

/* --- bag: the sources that reach a cell --------------------------------------------------------------------------- */

static int bag_grow(sum_work *w, int64_t room)
{
    float *bag = realloc(w->bag, (size_t)(2 * room * SUM_SOURCE) * sizeof *bag);
    if (!bag)
        return 0;
    w->bag = bag;
    w->room = 2 * room;
    return 1;
}

static double square_beyond(double distance, double half)
{
    const double gap = distance - half;
    return gap > 0 ? gap * gap : 0;
}

/* Appends the sources begin .. end - 1 that reach the cell. Every source is written, and overwritten by the next if it
 * does not reach the cell: a branch would be mispredicted half of the time. */
static int bag_row(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user)
{
    sum_work *w = user;
    const double per = 1 / g->widest, cutoff2 = g->cutoff2 * per * per;
    const double move[3] = {shift[0] - w->middle[0], shift[1] - w->middle[1], shift[2] - w->middle[2]};
    const double half[3] = {g->half[0] * per, g->half[1] * per, g->half[2] * per};
    if (w->n + end - begin >= w->room && !bag_grow(w, w->n + end - begin + 1))
        return 0;
    float *to = w->bag + w->n * SUM_SOURCE;
    for (int64_t k = begin; k < end; k++) {
        const double x = (g->x[0][k] + move[0]) * per, y = (g->x[1][k] + move[1]) * per;
        const double z = (g->x[2][k] + move[2]) * per;
        const double gap2 =
            square_beyond(fabs(x), half[0]) + square_beyond(fabs(y), half[1]) + square_beyond(fabs(z), half[2]);
        to[0] = (float)x;
        to[1] = (float)y;
        to[2] = (float)z;
        memcpy(to + 3, w->job->source + SUM_FIELDS * k, SUM_FIELDS * sizeof *to);
        to += gap2 <= cutoff2 ? SUM_SOURCE : 0;
    }
    w->n = (to - w->bag) / SUM_SOURCE;
    return 1;
}

static int bag_fill(sum_work *w, const int64_t cell[3])
{
    const myr_gaussian *g = w->job->gaussian;
    w->n = 0;
    for (int c = 0; c < 3; c++)
        w->middle[c] = g->origin[c] + ((double)cell[c] + 0.5) * g->cell[c];
    return myr_gaussian_around(g, cell, bag_row, w);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Evaluates the batch against the bag. */
static void sum_bag(sum_work *w)
{
    const myr_loops *loops = w->job->problem->loops;
    for (int64_t n = 0; n < w->n; n += SUM_FOLD)
        for (int v = 0, some; v < w->block.vectors; v += some) {
            const int64_t steps = w->n - n < SUM_FOLD ? w->n - n : SUM_FOLD;
            const myr_sweep sweep = myr_target_block_sweep(&w->block, v, w->bag + n * SUM_SOURCE, steps);
            some = w->block.vectors - v >= loops->unroll ? loops->unroll : 1;
            (some > 1 ? loops->many : loops->one)(&sweep);
        }
}

/* Targets j .. j + count - 1 of a cell, in the order of the cells. */
static void sum_batch(sum_work *w, int64_t j, int64_t count)
{
    const sum_job *t = w->job;
    const myr_gaussian *g = t->gaussian;
    for (int64_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            double d = (t->at ? t->at[c][t->order[j + k]] : g->x[c][j + k]) - w->middle[c];
            if (g->edge[c] > 0)
                d -= g->edge[c] * nearbyint(d / g->edge[c]);
            w->place[c][k] = (float)(d / g->widest);
        }
    const void *const component[3] = {w->place[0], w->place[1], w->place[2]};
    myr_target_block_begin(&w->block, count, 1);
    myr_target_block_pack(&w->block, component, NULL, 0, 1);
    sum_bag(w);
    for (int64_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            myr_word sum[MYR_ACC_WORDS];
            myr_target_block_sum(&w->block, k, c, sum);
            t->sum[c][t->order[j + k]] = t->factor * t->problem->loops->value(sum, t->problem->scale);
        }
}

static int sum_cell(sum_work *w, int64_t k)
{
    const sum_job *t = w->job;
    const int64_t *cells = t->gaussian->cells;
    const int64_t cell[3] = {k % cells[0], k / cells[0] % cells[1], k / cells[0] / cells[1]};
    if (t->first[k] == t->first[k + 1])
        return 1;
    if (!bag_fill(w, cell))
        return 0;
    for (int64_t j = t->first[k]; j < t->first[k + 1]; j += SUM_BATCH)
        sum_batch(w, j, t->first[k + 1] - j < SUM_BATCH ? t->first[k + 1] - j : SUM_BATCH);
    return 1;
}

static myr_status sum_all(const sum_job *t)
{
    const myr_gaussian *g = t->gaussian;
    const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    int short_of_memory = 0;
#pragma omp parallel num_threads(g->threads) reduction(| : short_of_memory)
    {
        sum_work w = {.job = t};
        const int ready = myr_target_block_make(t->problem, SUM_BATCH, 1, &w.block);
        short_of_memory |= !ready;
#pragma omp for schedule(dynamic, 8)
        for (int64_t k = 0; k < cells; k++)
            short_of_memory |= ready && !sum_cell(&w, k);
        myr_target_block_free(&w.block);
        free(w.bag);
    }
    return short_of_memory ? myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for Gaussian sums") : MYR_OK;
}

/* Largest contribution; 1 if there is none. */
static double sum_most(const myr_gaussian *g)
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            most = fmax(most, fabs(g->weight[c][k] * g->peak[k]));
    return most > 0 && isfinite(most) ? most : 1;
}

/* Converts the sources to the kernel's units: weights are relative to the largest contribution, which may exceed the
 * range of a float. */
static void sum_sources(const sum_job *t, double most)
{
    const myr_gaussian *g = t->gaussian;
    const double steep = g->widest * g->widest / log(2.0);
    for (int64_t k = 0; k < g->n; k++) {
        float *to = t->source + SUM_FIELDS * k;
        to[0] = (float)(g->decay[k] * steep);
        for (int c = 0; c < 3; c++)
            to[1 + c] = (float)(g->weight[c][k] * g->peak[k] / most);
    }
}

/* Loops of the instruction set, or of plain code if those are not available. */
static const myr_unit *sum_unit(myr_gaussian *g, int kernel)
{
    const myr_unit *unit = myr_units_internal(g->context, g->isa, kernel);
    if (!unit)
        g->isa = myr_units_fall_back(g->context, g->isa);
    return unit ? unit : myr_units_internal(g->context, g->isa, kernel);
}

/* Evaluates the sums through the loops of the best instruction set. */
static myr_status sum_through_loops(myr_gaussian *g, int laplacian, sum_job *t)
{
    const double per = 1 / g->widest, cutoff2 = g->cutoff2 * per * per, most = sum_most(g);
    const myr_unit *unit = sum_unit(g, laplacian ? MYR_INTERNAL_gaussian_laplacian : MYR_INTERNAL_gaussian_value);
    myr_direct problem = {.unit = unit, .loops = &unit->loops[MYR_ACC_single], .constant = &cutoff2};
    for (int c = 0; c < 3; c++)
        problem.scale[c].fold = 1;
    sum_sources(t, most);
    t->problem = &problem;
    t->factor = most * (laplacian ? per * per : 1);
    const myr_status status = sum_all(t);
    t->problem = NULL;
    return status;
}

static myr_status gaussian_sum(myr_gaussian *g, int laplacian, const double *const weight[3], int64_t m,
                               const double *const at[3], double *const sum[3])
{
    const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    sum_job t = {.gaussian = g, .at = at, .first = g->first, .order = g->order, .sum = sum};
    if (g->spread)
        return myr_gaussian_spread_sum(g->spread, laplacian, weight, m, at, sum);
    int64_t *sorted = at ? myr_memory_zeros(m + cells + 2, sizeof *sorted) : NULL;
    t.source = myr_memory_some(SUM_FIELDS * g->n, sizeof *t.source);
    if (!t.source || (at && !sorted)) {
        free(sorted);
        free(t.source);
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for Gaussian sums at %lld places",
                                (long long)m);
    }
    for (int c = 0; c < 3; c++)
        g->half[c] = 0.5 * g->cell[c];
    if (at) {
        t.first = sorted;
        t.order = sorted + cells + 2;
        myr_gaussian_sort(g, m, at, sorted, sorted + cells + 2);
        for (int64_t i = 0; i < m; i++) /* positions outside an open box are further from the centre of their cell */
            for (int c = 0; c < 3; c++)
                if (!(g->edge[c] > 0))
                    g->half[c] = fmax(g->half[c], fmax(g->origin[c] - at[c][i],
                                                       at[c][i] - g->origin[c] - (double)g->cells[c] * g->cell[c]) +
                                                      0.5 * g->cell[c]);
    }
    myr_gaussian_weigh(g, weight);
    const myr_status status = sum_through_loops(g, laplacian, &t);
    free(sorted);
    free(t.source);
    return status;
}

myr_status myr_gaussian_sum(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                            double *const sum[3])
{
    return gaussian_sum(gaussian, 0, weight, m, at, sum);
}

myr_status myr_gaussian_laplacian(myr_gaussian *gaussian, const double *const weight[3], int64_t m,
                                  const double *const at[3], double *const sum[3])
{
    return gaussian_sum(gaussian, 1, weight, m, at, sum);
}
