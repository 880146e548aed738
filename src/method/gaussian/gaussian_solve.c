/* gaussian_solve.c - linear system of radial basis functions, by conjugate gradients for three components at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"

/* number of partial sums, independent of the number of threads; smallest size that is divided */
enum { SOLVE_PARTS = 64, SOLVE_FEW = 8192 };

/* Arrays of the iteration, three components each: residual, preconditioned residual, direction and its image. */
typedef struct {
    const myr_gaussian_system *system;
    int threads;
    int64_t n;
    double *memory, *r[3], *z[3], *p[3], *q[3];
} solve_work;

static double solve_dot(const solve_work *w, const double *a, const double *b)
{
    double part[SOLVE_PARTS] = {0}, sum = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static) if (w->n > SOLVE_FEW)
    for (int k = 0; k < SOLVE_PARTS; k++)
        for (int64_t i = w->n * k / SOLVE_PARTS; i < w->n * (k + 1) / SOLVE_PARTS; i++)
            part[k] += a[i] * b[i];
    for (int k = 0; k < SOLVE_PARTS; k++)
        sum += part[k];
    return sum;
}

static int work_make(const myr_gaussian_system *system, solve_work *w)
{
    const int64_t n = system->n;
    *w = (solve_work){.system = system, .threads = myr_context_threads(system->context), .n = n};
    double *room = system->room;
    if (!room)
        room = w->memory = myr_memory_some((system->guess ? 12 : 9) * n, sizeof(double));
    for (int c = 0; c < 3 && room; c++) {
        w->r[c] = room + c * n;
        w->p[c] = room + (3 + c) * n;
        w->q[c] = room + (6 + c) * n;
        w->z[c] = system->guess ? room + (9 + c) * n : w->r[c];
    }
    return room != NULL;
}

/* One step of component c along its direction; returns the squared residual. slope: product of residual and
 * preconditioned residual. */
static double solve_step(const solve_work *w, int c, double slope, double *weight)
{
    const double bend = solve_dot(w, w->p[c], w->q[c]);
    const double step = bend > 0 ? slope / bend : 0;
#pragma omp parallel for num_threads(w->threads) schedule(static) if (w->n > SOLVE_FEW)
    for (int64_t i = 0; i < w->n; i++) {
        weight[i] += step * w->p[c][i];
        w->r[c][i] -= step * w->q[c][i];
    }
    return solve_dot(w, w->r[c], w->r[c]);
}

/* Next direction of component c, and its slope; *slope = 0 for the first one. */
static void solve_turn(const solve_work *w, int c, double *slope)
{
    const double next = solve_dot(w, w->r[c], w->z[c]), keep = *slope > 0 ? next / *slope : 0;
    if (!(*slope > 0))
        memcpy(w->p[c], w->z[c], (size_t)w->n * sizeof(double));
    else
#pragma omp parallel for num_threads(w->threads) schedule(static) if (w->n > SOLVE_FEW)
        for (int64_t i = 0; i < w->n; i++)
            w->p[c][i] = w->z[c][i] + keep * w->p[c][i];
    *slope = next;
}

static void solve_guess(const solve_work *w)
{
    const myr_gaussian_guess *guess = w->system->guess;
    if (guess)
        guess->guess(guess->user, w->r, w->z);
}

/* Adds the preconditioned last residual to the weights. If the preconditioner is good, as for long waves of elements
 * near a mesh, this removes most of the error, without another sum. */
static void solve_finish(const solve_work *w, double *const weight[3])
{
    solve_guess(w);
    for (int c = 0; c < 3; c++)
#pragma omp parallel for num_threads(w->threads) schedule(static) if (w->n > SOLVE_FEW)
        for (int64_t i = 0; i < w->n; i++)
            weight[c][i] += w->z[c][i];
}

static myr_status solve_sum(const solve_work *w, const double *const weight[3], double *const sum[3])
{
    return w->system->sum(w->system->user, weight, sum);
}

/* Residual of the given weights: its square, and the squared norm of the values. */
static myr_status solve_begin(const solve_work *w, const double *const value[3], const double *const weight[3],
                              double *left, double *size)
{
    const myr_status status = solve_sum(w, weight, w->q);
    *left = *size = 0;
    for (int c = 0; c < 3 && !status; c++) {
#pragma omp parallel for num_threads(w->threads) schedule(static) if (w->n > SOLVE_FEW)
        for (int64_t i = 0; i < w->n; i++)
            w->r[c][i] = value[c][i] - w->q[c][i];
        *left += solve_dot(w, w->r[c], w->r[c]);
        *size += solve_dot(w, value[c], value[c]);
    }
    return status;
}

/* Conjugate gradients until the squared residual, *left, is at most `enough`. */
static myr_status solve_iterate(const solve_work *w, double enough, double *const weight[3], int *iterations,
                                double *left)
{
    double slope[3] = {0};
    myr_status status = MYR_OK;
    while (!status && *left > enough && *iterations < w->system->most) {
        solve_guess(w);
        for (int c = 0; c < 3; c++)
            solve_turn(w, c, &slope[c]);
        status = solve_sum(w, (const double *const *)w->p, w->q);
        *left = 0;
        for (int c = 0; c < 3 && !status; c++)
            *left += solve_step(w, c, slope[c], weight[c]);
        ++*iterations;
    }
    return status;
}

myr_status myr_gaussian_system_solve(const myr_gaussian_system *system, const double *const value[3],
                                     double *const weight[3], int *iterations, double *residual)
{
    solve_work w;
    double left = 0, size = 0;
    *iterations = 0;
    *residual = 0;
    if (!work_make(system, &w))
        return myr_context_fail(system->context, MYR_ERROR_MEMORY, "no memory to solve for %lld strengths",
                                (long long)system->n);
    myr_status status = solve_begin(&w, value, (const double *const *)weight, &left, &size);
    const int is_close = left <= system->close * system->close * size;
    if (!status)
        status = solve_iterate(&w, system->tolerance * system->tolerance * size, weight, iterations, &left);
    if (!status && size > 0)
        *residual = sqrt(left / size);
    if (!status && system->guess && !is_close)
        solve_finish(&w, weight);
    free(w.memory);
    return status;
}

/* Callback `sum` for sources sorted into cells. */
static myr_status solve_gaussian(void *user, const double *const weight[3], double *const sum[3])
{
    myr_gaussian *g = user;
    return myr_gaussian_sum(g, weight, g->n, NULL, sum);
}

myr_status myr_gaussian_solve(myr_gaussian *gaussian, const double *const value[3], double tolerance, int most,
                              double *const weight[3], int *iterations, double *residual)
{
    const myr_gaussian_system system = {.context = gaussian->context,
                                        .n = gaussian->n,
                                        .sum = solve_gaussian,
                                        .user = gaussian,
                                        .tolerance = tolerance,
                                        .most = most};
    return myr_gaussian_system_solve(&system, value, weight, iterations, residual);
}
