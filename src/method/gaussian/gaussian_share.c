/* gaussian_share.c - distribution of a quantity over the sources around its position. The parts are G(d) (a + b.d), d =
 * vector from the position to a source: the smallest parts, weighted by 1/G, that sum to 1 and have their mean at the
 * position. */
#include <math.h>
#include <string.h>

#include "method/gaussian/gaussian_inside.h"

#define SHARE_PLANE 1e-6 /* smallest pivot relative to the largest: a smaller one means sources in a plane */
#define SHARE_SIZES 30.0 /* largest sum of |parts|: a larger one means that all sources are on one side, far away */

/* Sources near a position, in sorted order. */
typedef struct {
    int count, room; /* count = -1: too many sources */
    int64_t *index;
    double *near;        /* [count][4]: Gaussian and vector to each source */
    double moment[4][5]; /* sums of G (1, d) (1, d), and the right-hand side */
} share_state;

static void share_row(const myr_gaussian *g, int64_t begin, int64_t end, const double at[3], void *user)
{
    share_state *s = user;
    for (int64_t k = begin; k < end && s->count >= 0; k++) {
        const double basis[4] = {1, g->x[0][k] - at[0], g->x[1][k] - at[1], g->x[2][k] - at[2]};
        const double r2 = basis[1] * basis[1] + basis[2] * basis[2] + basis[3] * basis[3];
        if (r2 > g->cutoff2)
            continue;
        if (s->count == s->room) {
            s->count = -1;
            return;
        }
        double *near = s->near + 4 * s->count;
        near[0] = exp(g->decay[k] * r2);
        memcpy(near + 1, basis + 1, 3 * sizeof *near);
        s->index[s->count++] = k;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                s->moment[a][b] += near[0] * basis[a] * basis[b];
    }
}

/* Gauss-Jordan elimination: the matrix is symmetric and positive, so that pivots are on its diagonal. */
static int share_solve(double m[4][5], double width2)
{
    const double largest = m[0][0];
    for (int k = 0; k < 4; k++) {
        if (!(m[k][k] > SHARE_PLANE * largest * (k ? width2 : 1)))
            return 0;
        for (int row = 0; row < 4; row++) {
            const double factor = row == k ? 0 : m[row][k] / m[k][k];
            for (int c = k; c < 5; c++)
                m[row][c] -= factor * m[k][c];
        }
    }
    for (int k = 0; k < 4; k++)
        m[k][4] /= m[k][k];
    return 1;
}

int myr_gaussian_share(const myr_gaussian *gaussian, const double at[3], int room, int64_t *index, double *part)
{
    const myr_gaussian *g = gaussian;
    share_state s = {.room = room, .index = index, .near = part};
    double sizes = 0;
    s.moment[0][4] = 1;
    myr_gaussian_visit(g, at, share_row, &s);
    if (s.count < 4 || !share_solve(s.moment, -0.5 / g->decay[index[0]]))
        return 0;
    for (int k = 0; k < s.count; k++) {
        const double *near = s.near + 4 * k;
        part[k] =
            near[0] * (s.moment[0][4] + s.moment[1][4] * near[1] + s.moment[2][4] * near[2] + s.moment[3][4] * near[3]);
        index[k] = g->order[index[k]];
        sizes += fabs(part[k]);
    }
    return sizes <= SHARE_SIZES ? s.count : 0;
}
