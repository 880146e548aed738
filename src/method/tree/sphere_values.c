/* sphere_values.c - values on spherical designs; see sphere_values.h. */
#include "method/tree/sphere_values.h"

#include <string.h>

/* Block of eight points. Only elementwise operations are used, so that all instruction sets give the same bits. */
typedef double block __attribute__((vector_size(8 * MYR_SPHERE_VALUES_BLOCK), may_alias));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_MACHINE
#endif

void myr_sphere_values_make(int order, myr_sphere_values *sphere)
{
    double point[MYR_SPHERICAL_DESIGN_POINTS][3];
    memset(sphere, 0, sizeof *sphere);
    sphere->order = order;
    sphere->points = myr_spherical_design_points(order);
    sphere->padded = (sphere->points + MYR_SPHERE_VALUES_BLOCK - 1) / MYR_SPHERE_VALUES_BLOCK * MYR_SPHERE_VALUES_BLOCK;
    myr_spherical_design_fill(order, point);
    for (int k = 0; k < sphere->points; k++)
        for (int axis = 0; axis < 3; axis++)
            sphere->x[axis][k] = point[k][axis];
    for (int n = 0; n <= order; n++) {
        sphere->slope[n] = (2.0 * n + 1) / (n + 1);
        sphere->drop[n] = (double)n / (n + 1);
    }
}

#define CELL_WEIGHTS_FN static inline __attribute__((always_inline))
typedef block cell_number;
#include "backend/cell_weights.h"

/* Weights of a block of points, times K. */
static inline __attribute__((always_inline)) void sphere_weights(const myr_sphere_values *s, const double *u,
                                                                 double square, int at, block *weight)
{
    const block *x = (const block *)(s->x[0] + at), *y = (const block *)(s->x[1] + at);
    const block *z = (const block *)(s->x[2] + at);
    const block c = u[0] * *x + u[1] * *y + u[2] * *z;
    cell_weights(s->order, s->slope, s->drop, &c, square, weight);
}

static double sphere_square(const double *u)
{
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
}

static inline __attribute__((always_inline)) double block_sum(const block *b)
{
    double sum = 0;
    for (int l = 0; l < MYR_SPHERE_VALUES_BLOCK; l++)
        sum += (*b)[l];
    return sum;
}

FOR_EACH_MACHINE
static void sphere_spread(const myr_sphere_values *sphere, const double u[3], int fields, const double *charge,
                          double *value)
{
    const double square = sphere_square(u);
    double share[MYR_SPHERE_VALUES_FIELDS];
    for (int f = 0; f < fields; f++)
        share[f] = charge[f] / sphere->points;
    for (int at = 0; at < sphere->padded; at += MYR_SPHERE_VALUES_BLOCK) {
        block weight;
        sphere_weights(sphere, u, square, at, &weight);
        for (int f = 0; f < fields; f++)
            *(block *)(value + f * sphere->padded + at) += share[f] * weight;
    }
}

FOR_EACH_MACHINE
static void sphere_read(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                        double *field)
{
    const double square = sphere_square(u);
    block sum[MYR_SPHERE_VALUES_FIELDS];
    for (int f = 0; f < fields; f++)
        sum[f] = (block){0};
    for (int at = 0; at < sphere->padded; at += MYR_SPHERE_VALUES_BLOCK) {
        block weight;
        sphere_weights(sphere, u, square, at, &weight);
        for (int f = 0; f < fields; f++)
            sum[f] += weight * *(const block *)(value + f * sphere->padded + at);
    }
    for (int f = 0; f < fields; f++)
        field[f] = block_sum(&sum[f]) / sphere->points;
}

FOR_EACH_MACHINE
static void sphere_slope(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                         double *field, double (*slope)[3])
{
    const double square = sphere_square(u);
    block sum[MYR_SPHERE_VALUES_FIELDS]
             [5]; /* field, its slope along x, y, z of the points, and its derivative by |u|^2 */
    for (int f = 0; f < fields; f++)
        for (int k = 0; k < 5; k++)
            sum[f][k] = (block){0};
    for (int at = 0; at < sphere->padded; at += MYR_SPHERE_VALUES_BLOCK) {
        const block *x = (const block *)(sphere->x[0] + at), *y = (const block *)(sphere->x[1] + at);
        const block *z = (const block *)(sphere->x[2] + at);
        block weight[3];
        const block c = u[0] * *x + u[1] * *y + u[2] * *z;
        cell_slopes(sphere->order, sphere->slope, sphere->drop, &c, square, weight);
        for (int f = 0; f < fields; f++) {
            const block v = *(const block *)(value + f * sphere->padded + at);
            sum[f][0] += weight[0] * v;
            sum[f][1] += weight[1] * *x * v;
            sum[f][2] += weight[1] * *y * v;
            sum[f][3] += weight[1] * *z * v;
            sum[f][4] += weight[2] * v;
        }
    }
    for (int f = 0; f < fields; f++) {
        field[f] = block_sum(&sum[f][0]) / sphere->points;
        for (int axis = 0; axis < 3; axis++)
            slope[f][axis] = (block_sum(&sum[f][1 + axis]) + 2 * u[axis] * block_sum(&sum[f][4])) / sphere->points;
    }
}

/* Wrapper: the resolver symbol of target_clones ignores the visibility of a function unless it is static. */
void myr_sphere_values_spread(const myr_sphere_values *sphere, const double u[3], int fields, const double *charge,
                              double *value)
{
    sphere_spread(sphere, u, fields, charge, value);
}

void myr_sphere_values_read(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                            double *field)
{
    sphere_read(sphere, u, fields, value, field);
}

void myr_sphere_values_slope(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                             double *field, double (*slope)[3])
{
    sphere_slope(sphere, u, fields, value, field, slope);
}
