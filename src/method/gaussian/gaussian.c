/* gaussian.c - Gaussian sums over cells: sorting of sources into cells, and walks through neighbouring cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"

/* largest number of cells per axis; number of cells in each direction that may contain sources within the cutoff */
enum { GAUSSIAN_CELLS = 200, GAUSSIAN_REACH = 2 };

/* Index of the cell of a coordinate along an axis; positions outside a box that is not periodic belong to its outermost
 * cells. */
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

/* Chooses the box around the sources, or the periodic box, and divides it into cells of half the cutoff, or larger
 * cells if there would be too many. */
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

void myr_gaussian_sort(const myr_gaussian *g, int64_t n, const double *const x[3], int64_t *first, int64_t *order)
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

/* Copies the sources in the order of cells, wrapped into a periodic box. */
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
        *g = (myr_gaussian){.context = context,
                            .threads = myr_context_threads(context),
                            .n = n,
                            .widest = widest,
                            .isa = myr_backend_best()};
        for (int c = 0; c < 3; c++)
            g->edge[c] = edge[c];
        gaussian_box(g, x, cutoff * widest);
    }
    if (!g || !gaussian_allocate(g)) {
        myr_gaussian_destroy(&g);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for Gaussian sums of %lld elements",
                                (long long)n);
    }
    myr_gaussian_sort(g, n, x, g->first, g->order);
    gaussian_take(g, x, width);
    myr_status status = MYR_OK;
    if (cutoff <= MYR_GAUSSIAN_SPREAD_CUTOFF && narrowest >= widest && myr_gaussian_spread_pays(n, widest, edge)) {
        const myr_gaussian_spread_case wanted = {.tolerance = myr_gaussian_spread_tolerance(cutoff),
                                                 .width = widest,
                                                 .edge = {edge[0], edge[1], edge[2]},
                                                 .n = n};
        status = myr_gaussian_spread_create(context, &wanted, &g->spread);
        if (!status)
            status = myr_gaussian_spread_place(g->spread, x);
    }
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
    myr_gaussian_spread_destroy(&g->spread);
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

/* Wraps cell index `at` along a periodic axis: *cell is the index in the box, *shift the displacement of the image.
 * Returns 0 if there is no such cell. */
static int gaussian_image(const myr_gaussian *g, int axis, int64_t at, int64_t *cell, double *shift)
{
    const int64_t cells = g->cells[axis];
    const int64_t image = (int64_t)floor((double)at / (double)cells);
    *cell = at - image * cells;
    *shift = (double)image * g->edge[axis];
    return image == 0 || g->edge[axis] > 0;
}

int myr_gaussian_around(const myr_gaussian *g, const int64_t cell[3], myr_gaussian_near *near, void *user)
{
    int64_t at[3];
    double shift[3];
    for (int64_t z = cell[2] - g->reach[2]; z <= cell[2] + g->reach[2]; z++)
        for (int64_t y = cell[1] - g->reach[1]; y <= cell[1] + g->reach[1]; y++) {
            const int inside = gaussian_image(g, 2, z, &at[2], &shift[2]) && gaussian_image(g, 1, y, &at[1], &shift[1]);
            const int64_t end = cell[0] + g->reach[0] + 1;
            for (int64_t x = cell[0] - g->reach[0], run; inside && x < end; x += run) {
                const int exists = gaussian_image(g, 0, x, &at[0], &shift[0]);
                const int64_t *first = g->first + (at[2] * g->cells[1] + at[1]) * g->cells[0] + at[0];
                run = end - x < g->cells[0] - at[0] ? end - x : g->cells[0] - at[0];
                if (exists && !near(g, first[0], first[run], shift, user))
                    return 0;
            }
        }
    return 1;
}

/* Visitor of the neighbourhood of a position. */
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
    myr_gaussian_around(g, cell, gaussian_meet, &visitor);
}

void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            g->weight[c][k] = weight[c][g->order[k]];
}
