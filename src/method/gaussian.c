/* gaussian.c - Gaussian sums over cells, and the linear system of radial basis functions. */
#include "method/gaussian_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

enum { GAUSSIAN_CELLS = 200, GAUSSIAN_REACH = 2 }; /* cells per axis at most; cells that a target looks across */

static int64_t gaussian_cell(const myr_gaussian *g, int axis, double x)
{
    const double at = floor((x - g->origin[axis]) / g->cell);
    return at < -GAUSSIAN_REACH - 1                         ? -GAUSSIAN_REACH - 1
           : at > (double)(g->cells[axis] + GAUSSIAN_REACH) ? g->cells[axis] + GAUSSIAN_REACH
                                                            : (int64_t)at;
}

/* The box about the sources, cut into cells of half the cutoff, or larger ones where that would be too many. */
static void gaussian_box(myr_gaussian *g, const double *const x[3], double cutoff)
{
    double extent = 0;
    for (int c = 0; c < 3; c++) {
        double high = x[c][0];
        g->origin[c] = x[c][0];
        for (int64_t i = 0; i < g->n; i++) {
            g->origin[c] = fmin(g->origin[c], x[c][i]);
            high = fmax(high, x[c][i]);
        }
        g->cells[c] = 0;
        extent = fmax(extent, high - g->origin[c]);
    }
    g->cell = fmax(cutoff / GAUSSIAN_REACH, extent / (GAUSSIAN_CELLS - 1));
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < g->n; i++) {
            const int64_t at = (int64_t)floor((x[c][i] - g->origin[c]) / g->cell);
            g->cells[c] = at + 1 > g->cells[c] ? at + 1 : g->cells[c];
        }
    g->cutoff2 = cutoff * cutoff;
}

static int64_t gaussian_place(const myr_gaussian *g, const double *const x[3], int64_t i)
{
    return (gaussian_cell(g, 2, x[2][i]) * g->cells[1] + gaussian_cell(g, 1, x[1][i])) * g->cells[0] +
           gaussian_cell(g, 0, x[0][i]);
}

/* Counting sort. */
static void gaussian_sort(myr_gaussian *g, const double *const x[3], const double *width)
{
    const int64_t cells = g->cells[0] * g->cells[1] * g->cells[2];
    for (int64_t i = 0; i < g->n; i++)
        g->first[gaussian_place(g, x, i) + 1]++;
    for (int64_t k = 0; k < cells; k++)
        g->first[k + 1] += g->first[k];
    for (int64_t i = 0; i < g->n; i++)
        g->order[g->first[gaussian_place(g, x, i)]++] = i;
    memmove(g->first + 1, g->first, (size_t)cells * sizeof *g->first);
    g->first[0] = 0;
    for (int64_t k = 0; k < g->n; k++) {
        const int64_t i = g->order[k];
        const double w2 = width[i] * width[i];
        for (int c = 0; c < 3; c++)
            g->x[c][k] = x[c][i];
        g->decay[k] = -0.5 / w2;
        g->peak[k] = pow(2 * acos(-1.0) * w2, -1.5);
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
    *gaussian = NULL;
    double widest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(width[i] > 0) || !isfinite(x[0][i] + x[1][i] + x[2][i] + width[i]))
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "element %lld at (%g, %g, %g) with a core of %g is no Gaussian: positions must be "
                                    "finite and cores positive",
                                    (long long)i, x[0][i], x[1][i], x[2][i], width[i]);
        widest = fmax(widest, width[i]);
    }
    myr_gaussian *g = n > 0 ? calloc(1, sizeof *g) : NULL;
    if (g) {
        g->context = context;
        g->threads = myr_context_threads(context);
        g->n = n;
        gaussian_box(g, x, cutoff * widest);
    }
    if (!g || !gaussian_allocate(g)) {
        myr_gaussian_destroy(&g);
        return n > 0 ? myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for Gaussian sums of %lld elements",
                                        (long long)n)
                     : myr_context_fail(context, MYR_ERROR_VALUE, "there are no elements to sum");
    }
    gaussian_sort(g, x, width);
    *gaussian = g;
    return MYR_OK;
}

void myr_gaussian_destroy(myr_gaussian **gaussian)
{
    if (!gaussian || !*gaussian)
        return;
    myr_gaussian *g = *gaussian;
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

static int64_t gaussian_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void myr_gaussian_visit(const myr_gaussian *g, const double at[3], myr_gaussian_row *row, void *user)
{
    int64_t low[3], high[3];
    for (int c = 0; c < 3; c++) {
        const int64_t cell = gaussian_cell(g, c, at[c]);
        low[c] = cell - GAUSSIAN_REACH > 0 ? cell - GAUSSIAN_REACH : 0;
        high[c] = gaussian_least(cell + GAUSSIAN_REACH, g->cells[c] - 1);
    }
    if (high[0] < low[0])
        return;
    for (int64_t z = low[2]; z <= high[2]; z++)
        for (int64_t y = low[1]; y <= high[1]; y++) {
            const int64_t first = (z * g->cells[1] + y) * g->cells[0];
            row(g, g->first[first + low[0]], g->first[first + high[0] + 1], at, user);
        }
}

void myr_gaussian_weigh(myr_gaussian *g, const double *const weight[3])
{
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            g->weight[c][k] = weight[c][g->order[k]];
}

/* Adds the sources of a row of cells. */
static void gaussian_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user)
{
    double *sum = user;
    for (int64_t k = begin; k < end; k++) {
        const double dx = g->x[0][k] - at[0], dy = g->x[1][k] - at[1], dz = g->x[2][k] - at[2];
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > g->cutoff2)
            continue;
        const double value = g->peak[k] * exp(g->decay[k] * r2);
        for (int c = 0; c < 3; c++)
            sum[c] += value * g->weight[c][k];
    }
}

void myr_gaussian_sum(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                      double *const sum[3])
{
    myr_gaussian *g = gaussian;
    myr_gaussian_weigh(g, weight);
#pragma omp parallel for num_threads(g->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < m; i++) {
        const double place[3] = {at[0][i], at[1][i], at[2][i]};
        double here[3] = {0, 0, 0};
        myr_gaussian_visit(g, place, gaussian_row, here);
        for (int c = 0; c < 3; c++)
            sum[c][i] = here[c];
    }
}

/* --- the linear system ----------------------------------------------------------------------------------------------
 */

static double gaussian_dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Arrays of the iteration: residual, direction, its image, and the places of the sources, three components each. */
typedef struct {
    double *memory, *r[3], *p[3], *q[3], *x[3];
} gaussian_work;

static int work_make(const myr_gaussian *g, gaussian_work *w)
{
    w->memory = myr_memory_zeros(12 * g->n, sizeof(double));
    for (int c = 0; c < 3 && w->memory; c++) {
        w->r[c] = w->memory + c * g->n;
        w->p[c] = w->memory + (3 + c) * g->n;
        w->q[c] = w->memory + (6 + c) * g->n;
        w->x[c] = w->memory + (9 + c) * g->n;
        for (int64_t k = 0; k < g->n; k++)
            w->x[c][g->order[k]] = g->x[c][k];
    }
    return w->memory != NULL;
}

/* One step of the component c; gives the square of its residual. */
static double gaussian_step(int64_t n, const gaussian_work *w, int c, double square, double *weight)
{
    const double bend = gaussian_dot(n, w->p[c], w->q[c]);
    const double step = bend > 0 ? square / bend : 0;
    for (int64_t i = 0; i < n; i++) {
        weight[i] += step * w->p[c][i];
        w->r[c][i] -= step * w->q[c][i];
    }
    const double next = gaussian_dot(n, w->r[c], w->r[c]), keep = square > 0 ? next / square : 0;
    for (int64_t i = 0; i < n; i++)
        w->p[c][i] = w->r[c][i] + keep * w->p[c][i];
    return next;
}

myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual)
{
    myr_gaussian *g = gaussian;
    gaussian_work w;
    double square[3], size = 0, left = 0;
    if (!work_make(g, &w))
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory to solve for %lld strengths", (long long)g->n);
    myr_gaussian_sum(g, (const double *const *)weight, g->n, (const double *const *)w.x, w.q);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < g->n; i++)
            w.r[c][i] = w.p[c][i] = value[c][i] - w.q[c][i];
        square[c] = gaussian_dot(g->n, w.r[c], w.r[c]);
        size += gaussian_dot(g->n, value[c], value[c]);
        left += square[c];
    }
    for (*iterations = 0; *iterations < most && left > tolerance * tolerance * size; ++*iterations) {
        myr_gaussian_sum(g, (const double *const *)w.p, g->n, (const double *const *)w.x, w.q);
        left = 0;
        for (int c = 0; c < 3; c++)
            left += square[c] = gaussian_step(g->n, &w, c, square[c], weight[c]);
    }
    *residual = size > 0 ? sqrt(left / size) : 0;
    free(w.memory);
    return MYR_OK;
}
