/* gaussian.c - Gaussian sums over cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"
#include "method/gaussian/gaussian_loop.h"

enum { GAUSSIAN_CELLS = 200, GAUSSIAN_REACH = 2 }; /* cells per axis at most; cells that a target looks across */

/* The cell of a coordinate along an axis; what lies outside an open box belongs to its last cells. */
static int64_t gaussian_cell(const myr_gaussian *g, int axis, double x)
{
    double at = floor((x - g->origin[axis]) / g->cell[axis]);
    const double cells = (double)g->cells[axis];
    if (g->edge[axis] > 0)
        at -= cells * floor(at / cells);
    return (int64_t)fmax(0, fmin(cells - 1, at));
}

static int64_t gaussian_place(const myr_gaussian *g, const double *const x[3], int64_t i)
{
    return (gaussian_cell(g, 2, x[2][i]) * g->cells[1] + gaussian_cell(g, 1, x[1][i])) * g->cells[0] +
           gaussian_cell(g, 0, x[0][i]);
}

/* The box about the sources, or the one that repeats, cut into cells of half the cutoff, or larger ones where that
 * would be too many. */
static void gaussian_box(myr_gaussian *g, const double *const x[3], double cutoff)
{
    for (int c = 0; c < 3; c++) {
        double low = x[c][0], high = x[c][0];
        for (int64_t i = 0; i < g->n; i++) {
            low = fmin(low, x[c][i]);
            high = fmax(high, x[c][i]);
        }
        const double extent = g->edge[c] > 0 ? g->edge[c] : high - low;
        const double cells = floor(extent / (cutoff / GAUSSIAN_REACH)) + (g->edge[c] > 0 ? 0 : 1);
        g->origin[c] = low;
        g->cells[c] = (int64_t)fmax(1, fmin(GAUSSIAN_CELLS, cells));
        g->cell[c] = g->edge[c] > 0 || cells > GAUSSIAN_CELLS ? extent / (double)g->cells[c] : cutoff / GAUSSIAN_REACH;
        g->reach[c] = (int64_t)ceil(cutoff / g->cell[c] * (1 - 1e-12));
    }
    g->cutoff2 = cutoff * cutoff;
}

/* Counting sort of n places into the cells: order[first[cell]] on are those of a cell. */
static void gaussian_sort(const myr_gaussian *g, int64_t n, const double *const x[3], int64_t *first, int64_t *order)
{
    const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    for (int64_t i = 0; i < n; i++)
        first[gaussian_place(g, x, i) + 1]++;
    for (int64_t k = 0; k < cells; k++)
        first[k + 1] += first[k];
    for (int64_t i = 0; i < n; i++)
        order[first[gaussian_place(g, x, i)]++] = i;
    memmove(first + 1, first, (size_t)cells * sizeof *first);
    first[0] = 0;
}

/* The sources as they lie in the cells, moved into the box where it repeats. */
static void gaussian_take(myr_gaussian *g, const double *const x[3], const double *width)
{
    for (int64_t k = 0; k < g->n; k++) {
        const int64_t i = g->order[k];
        for (int c = 0; c < 3; c++) {
            const double e = g->edge[c];
            g->x[c][k] = e > 0 ? x[c][i] - e * floor((x[c][i] - g->origin[c]) / e) : x[c][i];
        }
        g->decay[k] = -0.5 / (width[i] * width[i]);
        g->peak[k] = pow(2 * acos(-1.0) * width[i] * width[i], -1.5);
    }
}

static int gaussian_allocate(myr_gaussian *g)
{
    g->first = myr_memory_zeros(g->cells[0] * g->cells[1] * g->cells[2] + 2, sizeof *g->first);
    g->order = myr_memory_zeros(g->n, sizeof *g->order);
    g->decay = myr_memory_zeros(g->n, sizeof *g->decay);
    g->peak = myr_memory_zeros(g->n, sizeof *g->peak);
    int whole = g->first && g->order && g->decay && g->peak;
    for (int c = 0; c < 3; c++) {
        g->x[c] = myr_memory_zeros(g->n, sizeof(double));
        g->weight[c] = myr_memory_zeros(g->n, sizeof(double));
        whole = whole && g->x[c] && g->weight[c];
    }
    return whole;
}

myr_status myr_gaussian_create(myr_context *context, int64_t n, const double *const x[3], const double *width,
                               double cutoff, myr_gaussian **gaussian)
{
    return myr_gaussian_create_in(context, n, x, width, cutoff, (const double[3]){0, 0, 0}, gaussian);
}

myr_status myr_gaussian_create_in(myr_context *context, int64_t n, const double *const x[3], const double *width,
                                  double cutoff, const double edge[3], myr_gaussian **gaussian)
{
    *gaussian = NULL;
    double widest = 0, narrowest = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!(width[i] > 0) || !isfinite(x[0][i] + x[1][i] + x[2][i] + width[i]))
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "element %lld at (%g, %g, %g) with a core of %g is no Gaussian: positions must be "
                                    "finite and cores positive",
                                    (long long)i, x[0][i], x[1][i], x[2][i], width[i]);
        widest = fmax(widest, width[i]);
        narrowest = fmin(narrowest, width[i]);
    }
    if (n < 1)
        return myr_context_fail(context, MYR_ERROR_VALUE, "there are no elements to sum");
    myr_gaussian *g = calloc(1, sizeof *g);
    if (g) {
        *g = (myr_gaussian){.context = context, .threads = myr_context_threads(context), .n = n, .widest = widest};
        for (int c = 0; c < 3; c++)
            g->edge[c] = edge[c];
        gaussian_box(g, x, cutoff * widest);
    }
    if (!g || !gaussian_allocate(g)) {
        myr_gaussian_destroy(&g);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for Gaussian sums of %lld elements",
                                (long long)n);
    }
    gaussian_sort(g, n, x, g->first, g->order);
    gaussian_take(g, x, width);
    const myr_status status =
        cutoff <= MYR_GAUSSIAN_SPLIT_CUTOFF && narrowest >= widest && myr_gaussian_split_pays(n, widest, edge)
            ? myr_gaussian_split_create(context, MYR_GAUSSIAN_SPLIT_FINE, n, x, widest, edge, &g->split)
            : MYR_OK;
    if (status)
        myr_gaussian_destroy(&g);
    *gaussian = g;
    return status;
}

void myr_gaussian_destroy(myr_gaussian **gaussian)
{
    if (!gaussian || !*gaussian)
        return;
    myr_gaussian *g = *gaussian;
    myr_gaussian_split_destroy(&g->split);
    free(g->first);
    free(g->order);
    free(g->decay);
    free(g->peak);
    for (int c = 0; c < 3; c++) {
        free(g->x[c]);
        free(g->weight[c]);
    }
    free(g);
    *gaussian = NULL;
}

/* Cell `at`, counted on through images along axes that repeat: the same cell of the box, and how far it is moved. 0
 * where there is none. */
static int gaussian_image(const myr_gaussian *g, int axis, int64_t at, int64_t *cell, double *shift)
{
    const int64_t cells = g->cells[axis];
    const int64_t image = (int64_t)floor((double)at / (double)cells);
    *cell = at - image * cells;
    *shift = (double)image * g->edge[axis];
    return image == 0 || g->edge[axis] > 0;
}

/* Cells around a cell, with their images: what is done with the sources of each; 0 from there ends it. */
typedef int gaussian_near(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user);

static int gaussian_around(const myr_gaussian *g, const int64_t cell[3], gaussian_near *near, void *user)
{
    int64_t at[3];
    double shift[3];
    for (int64_t z = cell[2] - g->reach[2]; z <= cell[2] + g->reach[2]; z++)
        for (int64_t y = cell[1] - g->reach[1]; y <= cell[1] + g->reach[1]; y++)
            for (int64_t x = cell[0] - g->reach[0]; x <= cell[0] + g->reach[0]; x++) {
                if (!gaussian_image(g, 2, z, &at[2], &shift[2]) || !gaussian_image(g, 1, y, &at[1], &shift[1]) ||
                    !gaussian_image(g, 0, x, &at[0], &shift[0]))
                    continue;
                const int64_t from = (at[2] * g->cells[1] + at[1]) * g->cells[0] + at[0];
                if (!near(g, g->first[from], g->first[from + 1], shift, user))
                    return 0;
            }
    return 1;
}

/* A visitor of the neighbourhood of a place. */
typedef struct {
    const double *at;
    myr_gaussian_row *row;
    void *user;
} gaussian_visitor;

static int gaussian_meet(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user)
{
    const gaussian_visitor *v = user;
    const double at[3] = {v->at[0] - shift[0], v->at[1] - shift[1], v->at[2] - shift[2]};
    if (begin < end)
        v->row(g, begin, end, at, v->user);
    return 1;
}

void myr_gaussian_visit(const myr_gaussian *g, const double at[3], myr_gaussian_row *row, void *user)
{
    double place[3];
    gaussian_visitor visitor = {place, row, user};
    int64_t cell[3];
    for (int c = 0; c < 3; c++) {
        const double e = g->edge[c];
        cell[c] = gaussian_cell(g, c, at[c]);
        place[c] = e > 0 ? at[c] - e * floor((at[c] - g->origin[c]) / e) : at[c];
    }
    gaussian_around(g, cell, gaussian_meet, &visitor);
}

/* --- a bag: what is near the targets of a cell ----------------------------------------------------------------------
 */

enum { BAG_ARRAYS = 7 };

typedef struct {
    int64_t n, room;
    float *memory, *x[3], *decay, *weight[3];
    double middle[3];
    double scale; /* of the weights, which may be beyond the range of a float */
} gaussian_bag;

static int bag_grow(gaussian_bag *b, int64_t room)
{
    gaussian_bag more = {.room = (2 * room / MYR_GAUSSIAN_LANES + 64) * MYR_GAUSSIAN_LANES};
    float **now[BAG_ARRAYS] = {&b->x[0], &b->x[1], &b->x[2], &b->decay, &b->weight[0], &b->weight[1], &b->weight[2]};
    if (!(more.memory = myr_memory_zeros(BAG_ARRAYS * more.room, sizeof(float))))
        return 0;
    for (int k = 0; k < BAG_ARRAYS; k++) {
        float *to = more.memory + k * more.room;
        if (b->n)
            memcpy(to, *now[k], (size_t)b->n * sizeof(float));
        *now[k] = to;
    }
    free(b->memory);
    b->memory = more.memory;
    b->room = more.room;
    return 1;
}

/* Adds those of the sources begin to end, an image away, that reach the cell about the middle of the bag. */
static int bag_row(const myr_gaussian *g, int64_t begin, int64_t end, const double shift[3], void *user)
{
    gaussian_bag *b = user;
    const double per = 1 / g->widest, cutoff2 = g->cutoff2 * per * per;
    const double steep = g->widest * g->widest / log(2.0);
    if (b->n + end - begin + MYR_GAUSSIAN_LANES > b->room && !bag_grow(b, b->n + end - begin + MYR_GAUSSIAN_LANES))
        return 0;
    for (int64_t k = begin; k < end; k++) {
        double gap2 = 0, d[3];
        for (int c = 0; c < 3; c++) {
            d[c] = (g->x[c][k] + shift[c] - b->middle[c]) * per;
            const double gap = fmax(0, fabs(d[c]) - g->half[c] * per);
            gap2 += gap * gap;
        }
        if (gap2 > cutoff2)
            continue;
        for (int c = 0; c < 3; c++) {
            b->x[c][b->n] = (float)d[c];
            b->weight[c][b->n] = (float)(g->weight[c][k] * g->peak[k] * b->scale);
        }
        b->decay[b->n++] = (float)(g->decay[k] * steep);
    }
    return 1;
}

static int bag_fill(const myr_gaussian *g, const int64_t cell[3], gaussian_bag *b)
{
    b->n = 0;
    for (int c = 0; c < 3; c++)
        b->middle[c] = g->origin[c] + ((double)cell[c] + 0.5) * g->cell[c];
    if (!gaussian_around(g, cell, bag_row, b))
        return 0;
    for (; b->n % MYR_GAUSSIAN_LANES; b->n++) {
        for (int c = 0; c < 3; c++)
            b->x[c][b->n] = b->weight[c][b->n] = 0;
        b->decay[b->n] = 0;
    }
    return 1;
}

/* --- sums -----------------------------------------------------------------------------------------------------------
 */

/* Where sums are wanted: places in the order of the cells. */
typedef struct {
    const double *const *at;
    const int64_t *first, *order;
    double *const *sum;
    double most, factor; /* the largest contribution, and what multiplies the sums of parts of it */
    myr_gaussian_loop loop;
} gaussian_targets;

/* The targets of one cell. */
static int gaussian_sum_cell(const myr_gaussian *g, const gaussian_targets *t, int64_t k, gaussian_bag *b)
{
    const int64_t cell[3] = {k % g->cells[0], k / g->cells[0] % g->cells[1], k / g->cells[0] / g->cells[1]};
    if (t->first[k] == t->first[k + 1])
        return 1;
    if (!bag_fill(g, cell, b))
        return 0;
    const myr_gaussian_bag bag = {
        b->n, {b->x[0], b->x[1], b->x[2]}, b->decay, {b->weight[0], b->weight[1], b->weight[2]}};
    const double per = 1 / g->widest;
    for (int64_t j = t->first[k]; j < t->first[k + 1]; j++) {
        const int64_t i = t->order[j];
        float at[3];
        double sum[3];
        for (int c = 0; c < 3; c++) {
            double d = (t->at ? t->at[c][i] : g->x[c][j]) - b->middle[c];
            if (g->edge[c] > 0)
                d -= g->edge[c] * nearbyint(d / g->edge[c]);
            at[c] = (float)(d * per);
        }
        t->loop(&bag, (float)(g->cutoff2 * per * per), at, sum);
        for (int c = 0; c < 3; c++)
            t->sum[c][i] = t->factor * sum[c];
    }
    return 1;
}

void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            g->weight[c][k] = weight[c][g->order[k]];
}

/* The largest contribution that there is; 1 where there is none. */
static double gaussian_most(const myr_gaussian *g)
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            most = fmax(most, fabs(g->weight[c][k] * g->peak[k]));
    return most > 0 && isfinite(most) ? most : 1;
}

static myr_status gaussian_sum_all(const myr_gaussian *g, const gaussian_targets *t)
{
    const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    int short_of_memory = 0;
#pragma omp parallel num_threads(g->threads) reduction(| : short_of_memory)
    {
        gaussian_bag bag = {.scale = 1 / t->most};
#pragma omp for schedule(dynamic, 8)
        for (int64_t k = 0; k < cells; k++)
            short_of_memory |= !gaussian_sum_cell(g, t, k, &bag);
        free(bag.memory);
    }
    return short_of_memory ? myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for Gaussian sums") : MYR_OK;
}

static myr_status gaussian_sum(myr_gaussian *g, int laplacian, const double *const weight[3], int64_t m,
                               const double *const at[3], double *const sum[3])
{
    gaussian_targets t = {
        .at = at, .first = g->first, .order = g->order, .sum = sum, .loop = myr_gaussian_loop_choose(laplacian)};
    int64_t *sorted = NULL;
    if (g->split) {
        myr_gaussian_split_sum(g->split, laplacian, weight, m, at, sum);
        return MYR_OK;
    }
    for (int c = 0; c < 3; c++)
        g->half[c] = 0.5 * g->cell[c];
    if (at) {
        const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
        if (!(sorted = myr_memory_zeros(m + cells + 2, sizeof *sorted)))
            return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for Gaussian sums at %lld places",
                                    (long long)m);
        t.first = sorted;
        t.order = sorted + cells + 2;
        gaussian_sort(g, m, at, sorted, sorted + cells + 2);
        for (int64_t i = 0; i < m; i++) /* those outside an open box are further from the middle of their cell */
            for (int c = 0; c < 3; c++)
                if (!(g->edge[c] > 0))
                    g->half[c] = fmax(g->half[c], fmax(g->origin[c] - at[c][i],
                                                       at[c][i] - g->origin[c] - (double)g->cells[c] * g->cell[c]) +
                                                      0.5 * g->cell[c]);
    }
    myr_gaussian_weigh(g, weight);
    t.most = gaussian_most(g);
    t.factor = t.most / (laplacian ? g->widest * g->widest : 1);
    const myr_status status = gaussian_sum_all(g, &t);
    free(sorted);
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
