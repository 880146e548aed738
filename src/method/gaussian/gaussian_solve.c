/* gaussian_solve.c - linear system of radial basis functions, by conjugate gradients for three components at once. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"

/* number of partial sums, independent of the number of threads; smallest size that is divided */
enum { SOLVE_PARTS = 64, SOLVE_FEW = 8192 };

static double solve_dot(const myr_gaussian *g, const double *a, const double *b)
{
    double part[SOLVE_PARTS] = {0}, sum = 0;
#pragma omp parallel for num_threads(g->threads) schedule(static) if (g->n > SOLVE_FEW)
    for (int k = 0; k < SOLVE_PARTS; k++)
        for (int64_t i = g->n * k / SOLVE_PARTS; i < g->n * (k + 1) / SOLVE_PARTS; i++)
            part[k] += a[i] * b[i];
    for (int k = 0; k < SOLVE_PARTS; k++)
        sum += part[k];
    return sum;
}

/* Arrays of the iteration, three components each: residual, preconditioned residual, direction and its image. */
typedef struct {
    double *memory, *r[3], *z[3], *p[3], *q[3];
    const myr_gaussian_guess *guess;
} solve_work;

static int work_make(const myr_gaussian *g, const myr_gaussian_guess *guess, solve_work *w)
{
    w->guess = guess;
    w->memory = myr_memory_zeros((guess ? 12 : 9) * g->n, sizeof(double));
    for (int c = 0; c < 3 && w->memory; c++) {
        w->r[c] = w->memory + c * g->n;
        w->p[c] = w->memory + (3 + c) * g->n;
        w->q[c] = w->memory + (6 + c) * g->n;
        w->z[c] = guess ? w->memory + (9 + c) * g->n : w->r[c];
    }
    return w->memory != NULL;
}

/* One step of component c along its direction; returns the squared residual. slope: product of residual and
 * preconditioned residual. */
static double solve_step(const myr_gaussian *g, const solve_work *w, int c, double slope, double *weight)
{
    const double bend = solve_dot(g, w->p[c], w->q[c]);
    const double step = bend > 0 ? slope / bend : 0;
#pragma omp parallel for num_threads(g->threads) schedule(static) if (g->n > SOLVE_FEW)
    for (int64_t i = 0; i < g->n; i++) {
        weight[i] += step * w->p[c][i];
        w->r[c][i] -= step * w->q[c][i];
    }
    return solve_dot(g, w->r[c], w->r[c]);
}

/* Next direction of component c, and its slope. */
static void solve_turn(const myr_gaussian *g, const solve_work *w, int c, double *slope)
{
    const double next = solve_dot(g, w->r[c], w->z[c]), keep = *slope > 0 ? next / *slope : 0;
#pragma omp parallel for num_threads(g->threads) schedule(static) if (g->n > SOLVE_FEW)
    for (int64_t i = 0; i < g->n; i++)
        w->p[c][i] = w->z[c][i] + keep * w->p[c][i];
    *slope = next;
}

static void solve_guess(const solve_work *w)
{
    if (w->guess)
        w->guess->guess(w->guess->user, w->r, w->z);
}

/* Adds the preconditioned last residual to the weights. If the preconditioner is good, as for long waves of elements
 * near a mesh, this removes most of the error, without another sum. */
static void solve_finish(const myr_gaussian *g, const solve_work *w, double *const weight[3])
{
    solve_guess(w);
    for (int c = 0; c < 3; c++)
#pragma omp parallel for num_threads(g->threads) schedule(static) if (g->n > SOLVE_FEW)
        for (int64_t i = 0; i < g->n; i++)
            weight[c][i] += w->z[c][i];
}

/* Sums at the sources, on the coarse mesh if there is one. */
static myr_status solve_sum(myr_gaussian *g, const myr_gaussian_spread *coarse, const double *const weight[3],
                            double *const sum[3])
{
    if (!coarse)
        return myr_gaussian_sum(g, weight, g->n, NULL, sum);
    return myr_gaussian_spread_sum(coarse, 0, weight, g->n, NULL, sum);
}

/* Residual of the given weights: its square, and the squared norm of the values. */
static myr_status solve_begin(myr_gaussian *g, const myr_gaussian_spread *coarse, const double *const value[3],
                              const double *const weight[3], const solve_work *w, double *left, double *size)
{
    const myr_status status = solve_sum(g, coarse, weight, w->q);
    *left = *size = 0;
    for (int c = 0; c < 3 && !status; c++) {
        for (int64_t i = 0; i < g->n; i++)
            w->r[c][i] = value[c][i] - w->q[c][i];
        *left += solve_dot(g, w->r[c], w->r[c]);
        *size += solve_dot(g, value[c], value[c]);
    }
    return status;
}

/* Makes a coarse and fast mesh for the sums; null if the sums do not use a mesh, or use a coarse one. */
static myr_status solve_coarse(const myr_gaussian *g, myr_gaussian_spread **coarse)
{
    *coarse = NULL;
    if (!g->spread || myr_gaussian_spread_is_coarse(g->spread))
        return MYR_OK;
    double *memory = myr_memory_some(3 * g->n, sizeof *memory);
    if (!memory)
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory to solve for strengths");
    double *const x[3] = {memory, memory + g->n, memory + 2 * g->n};
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < g->n; k++)
            x[c][g->order[k]] = g->x[c][k];
    const myr_status status = myr_gaussian_spread_create(g->context, MYR_GAUSSIAN_SPREAD_COARSE, g->n,
                                                         (const double *const *)x, g->widest, g->edge, coarse);
    free(memory);
    return status;
}

/* Conjugate gradients until the squared residual, *left, is at most `enough`. */
static myr_status solve_iterate(myr_gaussian *g, const myr_gaussian_spread *coarse, const solve_work *w, double enough,
                                int most, double *const weight[3], int *iterations, double *left)
{
    double slope[3] = {0};
    myr_status status = MYR_OK;
    while (!status && *left > enough && *iterations < most) {
        solve_guess(w);
        for (int c = 0; c < 3; c++)
            solve_turn(g, w, c, &slope[c]);
        status = solve_sum(g, coarse, (const double *const *)w->p, w->q);
        *left = 0;
        for (int c = 0; c < 3 && !status; c++)
            *left += solve_step(g, w, c, slope[c], weight[c]);
        ++*iterations;
    }
    return status;
}

/* Iterations use the coarse sums, and the remaining true residual is iterated again as long as it decreases. With a
 * loose tolerance the error of the coarse sums, 1e-4, does not matter, and only coarse
 * sums are used. */
#define SOLVE_LESS 0.05 /* reduction of the residual after which the true residual is evaluated */
#define SOLVE_LOOSE 2e-3

myr_status myr_gaussian_solve_guessed(myr_gaussian *gaussian, const myr_gaussian_guess *guess,
                                      const double *const value[3], double tolerance, int most, double *const weight[3],
                                      int *iterations, double *residual)
{
    myr_gaussian *g = gaussian;
    myr_gaussian_spread *coarse = NULL;
    solve_work w;
    double left = 0, size = 0;
    *iterations = 0;
    *residual = 0;
    if (!work_make(g, guess, &w))
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory to solve for %lld strengths", (long long)g->n);
    const int loose = tolerance >= SOLVE_LOOSE;
    myr_status status = loose ? solve_coarse(g, &coarse) : MYR_OK;
    if (!status)
        status = solve_begin(g, coarse, value, (const double *const *)weight, &w, &left, &size);
    const double enough = tolerance * tolerance * size;
    if (!status && !loose && left > enough)
        status = solve_coarse(g, &coarse);
    while (!status && *iterations < most && left > enough) {
        const double before = left, some = fmax(0.25 * enough, SOLVE_LESS * SOLVE_LESS * before);
        const int whole = loose || !coarse;
        status = solve_iterate(g, coarse, &w, whole ? enough : some, most, weight, iterations, &left);
        if (status || whole)
            continue;
        status = solve_begin(g, NULL, value, (const double *const *)weight, &w, &left, &size);
        if (left > 0.25 * before)
            myr_gaussian_spread_destroy(&coarse);
    }
    if (!status && size > 0)
        *residual = sqrt(left / size);
    if (!status && guess)
        solve_finish(g, &w, weight);
    myr_gaussian_spread_destroy(&coarse);
    free(w.memory);
    return status;
}

myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual)
{
    return myr_gaussian_solve_guessed(gaussian, NULL, value, tolerance, most, weight, iterations, residual);
}
