/* gaussian_gradient.c - Gaussian sums with exact gradients. */
#include <math.h>

#include "method/gaussian/gaussian_inside.h"

/* Sums at a target. */
typedef struct {
    double sum[3], gradient[9];
} gradient_sums;

static void gradient_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user)
{
    gradient_sums *to = user;
    for (int64_t k = begin; k < end; k++) {
        const double d[3] = {g->x[0][k] - at[0], g->x[1][k] - at[1], g->x[2][k] - at[2]};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (r2 > g->cutoff2)
            continue;
        const double value = g->peak[k] * exp(g->decay[k] * r2), slope = -2 * g->decay[k];
        for (int c = 0; c < 3; c++) {
            const double part = value * g->weight[c][k];
            to->sum[c] += part;
            for (int axis = 0; axis < 3; axis++)
                to->gradient[3 * c + axis] += slope * d[axis] * part;
        }
    }
}

void myr_gaussian_gradient(myr_gaussian *gaussian, const double *const weight[3], int64_t m, const double *const at[3],
                           double *const sum[3], double *const gradient[9])
{
    myr_gaussian *g = gaussian;
    myr_gaussian_weigh(g, weight);
#pragma omp parallel for num_threads(g->threads) schedule(dynamic, 64)
    for (int64_t i = 0; i < m; i++) {
        const double place[3] = {at[0][i], at[1][i], at[2][i]};
        gradient_sums here = {{0}, {0}};
        myr_gaussian_visit(g, place, gradient_row, &here);
        for (int c = 0; c < 3; c++)
            sum[c][i] = here.sum[c];
        for (int k = 0; k < 9; k++)
            gradient[k][i] = here.gradient[k];
    }
}
