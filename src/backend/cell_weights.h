/* cell_weights.h - weights of the points of a spherical design (method/tree/sphere_values.h): solid Legendre functions
 * by recurrence, without division by |u|. Compiled for the processor with a block of points as its number, and for GPUs
 * with one point. cell_number   type of the number */
#ifndef MYR_BACKEND_CELL_WEIGHTS_H
#define MYR_BACKEND_CELL_WEIGHTS_H

/* Weights times the number of points: *at = u . n_k, square = |u|^2; slope and drop: coefficients of the recurrence. */
CELL_WEIGHTS_FN void cell_weights(int order, const double *slope, const double *drop, const cell_number *at,
                                  double square, cell_number *weight)
{
    const cell_number c = *at, zero = {0};
    cell_number below = 1 - zero, now = c, sum = 1 + 3 * c;
    for (int n = 1; n < order; n++) {
        const cell_number next = slope[n] * c * now - (drop[n] * square) * below;
        below = now;
        now = next;
        sum += (2 * n + 3) * next;
    }
    *weight = sum;
}

/* The same, and derivatives with respect to c and |u|^2: weight[3]. */
CELL_WEIGHTS_FN void cell_slopes(int order, const double *slope, const double *drop, const cell_number *at,
                                 double square, cell_number *weight)
{
    const cell_number c = *at, zero = {0}, one = 1 - zero;
    cell_number below[3] = {one, zero, zero}, now[3] = {c, one, zero};
    weight[0] = 1 + 3 * c;
    weight[1] = 3 * one;
    weight[2] = zero;
    for (int n = 1; n < order; n++) {
        const cell_number next[3] = {slope[n] * c * now[0] - (drop[n] * square) * below[0],
                                     slope[n] * (now[0] + c * now[1]) - (drop[n] * square) * below[1],
                                     slope[n] * c * now[2] - drop[n] * (below[0] + square * below[2])};
        for (int k = 0; k < 3; k++) {
            below[k] = now[k];
            now[k] = next[k];
            weight[k] += (2 * n + 3) * next[k];
        }
    }
}

#endif
