/* gaussian_exchange.c - particle strength exchange (Degond and Mas-Gallic 1989): diffusion as an exchange of strength
 * between near elements. A Gaussian of width s has second moments s^2, so that its convolution minus the field itself
 * is s^2/2 times the Laplacian: hence the factor 2 nu/s^2. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/gaussian/gaussian_inside.h"

/* A target and its sums. */
typedef struct {
    const double *volume; /* volumes of the sources in sorted order */
    double own_volume, own_width2, own[3];
    double rate[3];
} exchange_target;

static void exchange_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user)
{
    const double pi = acos(-1.0);
    exchange_target *t = user;
    for (int64_t k = begin; k < end; k++) {
        const double dx = g->x[0][k] - at[0], dy = g->x[1][k] - at[1], dz = g->x[2][k] - at[2];
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > g->cutoff2)
            continue;
        const double width2 = 0.5 * (t->own_width2 - 0.5 / g->decay[k]); /* symmetric in the two elements */
        const double spread = 2 * pi * width2;
        const double value = exp(-0.5 * r2 / width2) / (spread * sqrt(spread) * width2);
        for (int c = 0; c < 3; c++)
            t->rate[c] += value * (t->own_volume * g->weight[c][k] - t->volume[k] * t->own[c]);
    }
}

myr_status myr_gaussian_exchange(myr_gaussian *gaussian, double nu, const double *volume, const double *const weight[3],
                                 double *const rate[3])
{
    myr_gaussian *g = gaussian;
    double *sorted = myr_memory_zeros(g->n, sizeof *sorted);
    if (!sorted)
        return myr_context_fail(g->context, MYR_ERROR_MEMORY, "no memory for the volumes of %lld elements",
                                (long long)g->n);
    for (int64_t k = 0; k < g->n; k++)
        sorted[k] = volume[g->order[k]];
    myr_gaussian_weigh(g, weight);
#pragma omp parallel for num_threads(g->threads) schedule(dynamic, 64)
    for (int64_t k = 0; k < g->n; k++) {
        const double place[3] = {g->x[0][k], g->x[1][k], g->x[2][k]};
        exchange_target t = {.volume = sorted, .own_volume = sorted[k], .own_width2 = -0.5 / g->decay[k]};
        for (int c = 0; c < 3; c++)
            t.own[c] = g->weight[c][k];
        myr_gaussian_visit(g, place, exchange_row, &t);
        for (int c = 0; c < 3; c++)
            rate[c][g->order[k]] += 2 * nu * t.rate[c];
    }
    free(sorted);
    return MYR_OK;
}
