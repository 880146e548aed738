/* mesh_loops_body.h - spreading and gathering loops in one precision: mesh_loops.c includes it with REAL, INTEGER and
 * LANES, of which a vector of 64 bytes consists, COEFFICIENT(mesh, power), the window's, and LOOP(name) defined. */

enum { LOOP(parts) = MYR_MESH_MOST / LANES, LOOP(most_vectors) = 3 * MYR_MESH_MOST / LANES };

typedef REAL LOOP(vector) __attribute__((vector_size(64)));
typedef REAL LOOP(loose) __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
typedef INTEGER LOOP(integers) __attribute__((vector_size(64)));
typedef INTEGER LOOP(loose_integers) __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));

/* Values of the window at the points of one axis, and derivatives with respect to the position, per spacing. */
typedef struct {
    LOOP(vector) value[LOOP(parts)], slope[LOOP(parts)];
} LOOP(weights);

INSIDE void LOOP(weights_at)(const myr_mesh *m, int parts, int with_slope, double beyond, LOOP(weights) * w)
{
    const REAL s = (REAL)(2 * beyond - 1);
    const int degree = m->window.degree;
    for (int k = 0; k < parts; k++) {
        LOOP(vector) value = *(const LOOP(loose) *)(COEFFICIENT(m, degree) + k * LANES);
        LOOP(vector) slope = {0};
        for (int j = degree - 1; j >= 0; j--) {
            if (with_slope)
                slope = slope * s + value;
            value = value * s + *(const LOOP(loose) *)(COEFFICIENT(m, j) + k * LANES);
        }
        w->value[k] = value;
        w->slope[k] = slope * (REAL)-2;
    }
}

/* The nearest integers. */
INSIDE void LOOP(round)(const LOOP(vector) * number, LOOP(integers) * to)
{
    const LOOP(vector) x = *number;
    ROUND
}

/* vectors: of a row of the window, a compile-time constant. */
INSIDE void LOOP(spread_body)(const myr_mesh *m, int vectors, const myr_mesh_places *p, int64_t begin, int64_t end,
                              const double *const weight[3], double scale)
{
    const int width = m->choice.width, parts = width > LANES ? 2 : 1;
    for (int64_t j = begin; j < end; j++) {
        const myr_mesh_place *at = p->place + j;
        const int64_t i = p->order[j];
        const REAL a[3] = {(REAL)(weight[0][i] * scale), (REAL)(weight[1][i] * scale), (REAL)(weight[2][i] * scale)};
        REAL row[3 * MYR_MESH_MOST] __attribute__((aligned(64))) = {0};
        LOOP(weights) x, y, z;
        LOOP(weights_at)(m, parts, 0, at->beyond[0], &x);
        LOOP(weights_at)(m, parts, 0, at->beyond[1], &y);
        LOOP(weights_at)(m, parts, 0, at->beyond[2], &z);
        for (int k = 0; k < width; k++)
            for (int c = 0; c < 3; c++)
                row[3 * k + c] = ((const REAL *)x.value)[k] * a[c];
        INTEGER *grid = (INTEGER *)m->grid + 3 * at->first[0];
        for (int b = 0; b < width; b++)
            for (int d = 0; d < width; d++) {
                const REAL yz = ((const REAL *)y.value)[d] * ((const REAL *)z.value)[b];
                INTEGER *to = grid + m->wrap[1][at->first[2] + b] + m->wrap[0][at->first[1] + d];
                for (int v = 0; v < vectors; v++) {
                    LOOP(loose_integers) *sum = (LOOP(loose_integers) *)(to + v * LANES);
                    const LOOP(vector) part = *(const LOOP(vector) *)(row + v * LANES) * yz;
                    LOOP(integers) whole;
                    LOOP(round)(&part, &whole);
                    *sum = *sum + whole;
                }
            }
    }
}

/* Sum over the points of a row: components c of the numbers 3 k + c, weighted. */
INSIDE void LOOP(gather_row)(const REAL *number, const REAL *weight, int width, REAL sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int k = 0; k < width; k++)
        for (int c = 0; c < 3; c++)
            sum[c] += number[3 * k + c] * weight[k];
}

INSIDE void LOOP(gather_body)(const myr_mesh *m, int vectors, const myr_mesh_place *at, int gradient, double sum[12])
{
    const int width = m->choice.width, parts = width > LANES ? 2 : 1;
    LOOP(weights) x, y, z;
    LOOP(vector) plain[LOOP(most_vectors)], along_y[LOOP(most_vectors)], along_z[LOOP(most_vectors)];
    LOOP(weights_at)(m, parts, gradient, at->beyond[0], &x);
    LOOP(weights_at)(m, parts, gradient, at->beyond[1], &y);
    LOOP(weights_at)(m, parts, gradient, at->beyond[2], &z);
    for (int v = 0; v < vectors; v++)
        plain[v] = along_y[v] = along_z[v] = (LOOP(vector)){0};
    const REAL *grid = (const REAL *)m->grid + 3 * at->first[0];
    for (int b = 0; b < width; b++)
        for (int d = 0; d < width; d++) {
            const REAL wy = ((const REAL *)y.value)[d], wz = ((const REAL *)z.value)[b];
            const REAL slope_y = gradient ? ((const REAL *)y.slope)[d] * wz : 0;
            const REAL slope_z = gradient ? wy * ((const REAL *)z.slope)[b] : 0;
            const REAL *from = grid + m->wrap[1][at->first[2] + b] + m->wrap[0][at->first[1] + d];
            for (int v = 0; v < vectors; v++) {
                const LOOP(vector) number = *(const LOOP(loose) *)(from + v * LANES);
                plain[v] = plain[v] + number * (wy * wz);
                if (gradient) {
                    along_y[v] = along_y[v] + number * slope_y;
                    along_z[v] = along_z[v] + number * slope_z;
                }
            }
        }
    REAL slope[3][3], value[3];
    LOOP(gather_row)((const REAL *)plain, (const REAL *)x.value, width, value);
    for (int c = 0; c < 3; c++)
        sum[c] = (double)value[c];
    if (!gradient)
        return;
    LOOP(gather_row)((const REAL *)plain, (const REAL *)x.slope, width, slope[0]);
    LOOP(gather_row)((const REAL *)along_y, (const REAL *)x.value, width, slope[1]);
    LOOP(gather_row)((const REAL *)along_z, (const REAL *)x.value, width, slope[2]);
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 3; c++)
            sum[3 + 3 * c + axis] = (double)slope[axis][c] * (double)m->choice.side[axis] / m->edge[axis];
}
