/* mesh_loops.c - spreading and gathering loops, for the instruction sets of x86 that differ in speed. Multiplications
 * and additions are not fused, so that all of them give the same bits. */
#include "method/mesh/mesh_inside.h"

typedef double mesh_vector __attribute__((vector_size(64)));
typedef double mesh_loose __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t mesh_integers __attribute__((vector_size(64)));
typedef int64_t mesh_loose_integers __attribute__((vector_size(64), aligned(8), may_alias));
#define INSIDE __attribute__((always_inline)) static inline

/* Adding 1.5 2^52 to a double below 2^51 in size rounds it to an integer, which the lowest bits of the sum hold. */
#define MESH_ROUND 6755399441055744.0
#define MESH_ROUND_BITS 0x4338000000000000

enum { MESH_PARTS = MYR_MESH_MOST / MYR_MESH_LANES };

/* Values of the window at the points of one axis, and derivatives with respect to the position, per spacing. */
typedef struct {
    mesh_vector value[MESH_PARTS], slope[MESH_PARTS];
} mesh_weights;

INSIDE void weights_at(const myr_mesh_window *window, int parts, int with_slope, double beyond, mesh_weights *w)
{
    const double s = 2 * beyond - 1;
    for (int k = 0; k < parts; k++) {
        mesh_vector value = *(const mesh_loose *)(window->coefficient[window->degree] + k * MYR_MESH_LANES);
        mesh_vector slope = value * 0.0;
        for (int j = window->degree - 1; j >= 0; j--) {
            if (with_slope)
                slope = slope * s + value;
            value = value * s + *(const mesh_loose *)(window->coefficient[j] + k * MYR_MESH_LANES);
        }
        w->value[k] = value;
        w->slope[k] = slope * -2.0;
    }
}

/* vectors: of a row of the window, a compile-time constant. */
INSIDE void spread_body(const myr_mesh *m, int vectors, const myr_mesh_places *p, int64_t begin, int64_t end,
                        const double *const weight[3], double scale)
{
    const int width = m->choice.width, parts = 3 * width > 3 * MYR_MESH_LANES ? 2 : 1;
    for (int64_t j = begin; j < end; j++) {
        const myr_mesh_place *at = p->place + j;
        const int64_t i = p->order[j];
        const double a[3] = {weight[0][i] * scale, weight[1][i] * scale, weight[2][i] * scale};
        double row[MYR_MESH_VECTORS * MYR_MESH_LANES] __attribute__((aligned(64))) = {0};
        mesh_weights x, y, z;
        weights_at(&m->window, parts, 0, at->beyond[0], &x);
        weights_at(&m->window, parts, 0, at->beyond[1], &y);
        weights_at(&m->window, parts, 0, at->beyond[2], &z);
        for (int k = 0; k < width; k++)
            for (int c = 0; c < 3; c++)
                row[3 * k + c] = ((const double *)x.value)[k] * a[c];
        int64_t *grid = (int64_t *)m->grid + 3 * at->first[0];
        for (int b = 0; b < width; b++)
            for (int d = 0; d < width; d++) {
                const double yz = ((const double *)y.value)[d] * ((const double *)z.value)[b];
                int64_t *to = grid + m->wrap[1][at->first[2] + b] + m->wrap[0][at->first[1] + d];
                for (int v = 0; v < vectors; v++) {
                    const mesh_vector part = *(const mesh_vector *)(row + v * MYR_MESH_LANES) * yz + MESH_ROUND;
                    mesh_loose_integers *sum = (mesh_loose_integers *)(to + v * MYR_MESH_LANES);
                    *sum = *sum + ((mesh_integers)part - MESH_ROUND_BITS);
                }
            }
    }
}

/* Sum over the points of a row: components c of the numbers 3 k + c, weighted. */
INSIDE void gather_row(const double *number, const double *weight, int width, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int k = 0; k < width; k++)
        for (int c = 0; c < 3; c++)
            sum[c] += number[3 * k + c] * weight[k];
}

INSIDE void gather_body(const myr_mesh *m, int vectors, const myr_mesh_place *at, int gradient, double sum[12])
{
    const int width = m->choice.width, parts = 3 * width > 3 * MYR_MESH_LANES ? 2 : 1;
    mesh_weights x, y, z;
    mesh_vector plain[MYR_MESH_VECTORS], along_y[MYR_MESH_VECTORS], along_z[MYR_MESH_VECTORS];
    weights_at(&m->window, parts, gradient, at->beyond[0], &x);
    weights_at(&m->window, parts, gradient, at->beyond[1], &y);
    weights_at(&m->window, parts, gradient, at->beyond[2], &z);
    for (int v = 0; v < vectors; v++)
        plain[v] = along_y[v] = along_z[v] = (mesh_vector){0};
    const double *grid = (const double *)m->grid + 3 * at->first[0];
    for (int b = 0; b < width; b++)
        for (int d = 0; d < width; d++) {
            const double wy = ((const double *)y.value)[d], wz = ((const double *)z.value)[b];
            const double slope_y = gradient ? ((const double *)y.slope)[d] * wz : 0;
            const double slope_z = gradient ? wy * ((const double *)z.slope)[b] : 0;
            const double *from = grid + m->wrap[1][at->first[2] + b] + m->wrap[0][at->first[1] + d];
            for (int v = 0; v < vectors; v++) {
                const mesh_vector number = *(const mesh_loose *)(from + v * MYR_MESH_LANES);
                plain[v] = plain[v] + number * (wy * wz);
                if (gradient) {
                    along_y[v] = along_y[v] + number * slope_y;
                    along_z[v] = along_z[v] + number * slope_z;
                }
            }
        }
    gather_row((const double *)plain, (const double *)x.value, width, sum);
    if (!gradient)
        return;
    double slope[3][3];
    gather_row((const double *)plain, (const double *)x.slope, width, slope[0]);
    gather_row((const double *)along_y, (const double *)x.value, width, slope[1]);
    gather_row((const double *)along_z, (const double *)x.value, width, slope[2]);
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 3; c++)
            sum[3 + 3 * c + axis] = slope[axis][c] * (double)m->choice.side[axis] / m->edge[axis];
}

#define LOOPS(name, vectors, attribute)                                                                                \
    attribute static void spread_##name(const myr_mesh *m, const myr_mesh_places *p, int64_t begin, int64_t end,       \
                                        const double *const weight[3], double scale)                                   \
    {                                                                                                                  \
        spread_body(m, vectors, p, begin, end, weight, scale);                                                         \
    }                                                                                                                  \
    attribute static void gather_##name(const myr_mesh *m, const myr_mesh_place *p, int gradient, double sum[12])      \
    {                                                                                                                  \
        if (gradient)                                                                                                  \
            gather_body(m, vectors, p, 1, sum);                                                                        \
        else                                                                                                           \
            gather_body(m, vectors, p, 0, sum);                                                                        \
    }

/* 3 width numbers fill 2 to 6 vectors. */
#define EVERY(name, attribute)                                                                                         \
    LOOPS(name##2, 2, attribute)                                                                                       \
    LOOPS(name##3, 3, attribute)                                                                                       \
    LOOPS(name##4, 4, attribute)                                                                                       \
    LOOPS(name##5, 5, attribute)                                                                                       \
    LOOPS(name##6, 6, attribute)                                                                                       \
    static myr_mesh_spread_loop *const spread_all_##name[] = {spread_##name##2, spread_##name##3, spread_##name##4,    \
                                                              spread_##name##5, spread_##name##6};                     \
    static myr_mesh_gather_loop *const gather_all_##name[] = {gather_##name##2, gather_##name##3, gather_##name##4,    \
                                                              gather_##name##5, gather_##name##6};

EVERY(plain, )
#if defined(__x86_64__)
EVERY(avx2, __attribute__((target("avx2"))))
EVERY(avx512, __attribute__((target("avx512f"))))
#endif

static int loops_index(const myr_mesh *m)
{
    return (3 * m->choice.width + MYR_MESH_LANES - 1) / MYR_MESH_LANES - 2;
}

myr_mesh_spread_loop *myr_mesh_spread_best(const myr_mesh *m)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return spread_all_avx512[loops_index(m)];
    if (__builtin_cpu_supports("avx2"))
        return spread_all_avx2[loops_index(m)];
#endif
    return spread_all_plain[loops_index(m)];
}

myr_mesh_gather_loop *myr_mesh_gather_best(const myr_mesh *m)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return gather_all_avx512[loops_index(m)];
    if (__builtin_cpu_supports("avx2"))
        return gather_all_avx2[loops_index(m)];
#endif
    return gather_all_plain[loops_index(m)];
}
