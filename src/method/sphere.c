/* sphere.c - values on spherical designs; see sphere.h. */
#include "method/sphere.h"

#include <string.h>

/* Eight points at a time. Elementwise operations alone, so the bits are the same whatever the machine has. */
typedef double block __attribute__((vector_size(8 * MYR_SPHERE_BLOCK), may_alias));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_MACHINE
#endif

void myr_sphere_make(int order, myr_sphere *sphere)
{
    double point[MYR_DESIGN_POINTS][3];
    memset(sphere, 0, sizeof *sphere);
    sphere->order = order;
    sphere->points = myr_design_points(order);
    sphere->padded = (sphere->points + MYR_SPHERE_BLOCK - 1) / MYR_SPHERE_BLOCK * MYR_SPHERE_BLOCK;
    myr_design_fill(order, point);
    for (int k = 0; k < sphere->points; k++)
        for (int axis = 0; axis < 3; axis++)
            sphere->x[axis][k] = point[k][axis];
    for (int n = 0; n <= order; n++) {
        sphere->slope[n] = (2.0 * n + 1) / (n + 1);
        sphere->drop[n] = (double)n / (n + 1);
    }
}

/* The weights of a block of points, times K: solid Legendre functions by their recurrence, nothing is divided by |u|.
 */
static inline __attribute__((always_inline)) void sphere_weights(const myr_sphere *s, const double *u, double square,
                                                                 int at, block *weight)
{
    const block *x = (const block *)(s->x[0] + at), *y = (const block *)(s->x[1] + at);
    const block *z = (const block *)(s->x[2] + at);
    const block c = u[0] * *x + u[1] * *y + u[2] * *z;
    block below = 1 - (block){0}, now = c, sum = 1 + 3 * c;
    for (int n = 1; n < s->order; n++) {
        const block next = s->slope[n] * c * now - (s->drop[n] * square) * below;
        below = now;
        now = next;
        sum += (2 * n + 3) * next;
    }
    *weight = sum;
}

static double sphere_square(const double *u)
{
    return u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
}

FOR_EACH_MACHINE
void myr_sphere_spread(const myr_sphere *sphere, const double u[3], int fields, const double *charge, double *value)
{
    const double square = sphere_square(u);
    double share[MYR_SPHERE_FIELDS];
    for (int f = 0; f < fields; f++)
        share[f] = charge[f] / sphere->points;
    for (int at = 0; at < sphere->padded; at += MYR_SPHERE_BLOCK) {
        block weight;
        sphere_weights(sphere, u, square, at, &weight);
        for (int f = 0; f < fields; f++)
            *(block *)(value + f * sphere->padded + at) += share[f] * weight;
    }
}

FOR_EACH_MACHINE
void myr_sphere_read(const myr_sphere *sphere, const double u[3], int fields, const double *value, double *field)
{
    const double square = sphere_square(u);
    block sum[MYR_SPHERE_FIELDS];
    for (int f = 0; f < fields; f++)
        sum[f] = (block){0};
    for (int at = 0; at < sphere->padded; at += MYR_SPHERE_BLOCK) {
        block weight;
        sphere_weights(sphere, u, square, at, &weight);
        for (int f = 0; f < fields; f++)
            sum[f] += weight * *(const block *)(value + f * sphere->padded + at);
    }
    for (int f = 0; f < fields; f++) {
        double all = 0;
        for (int l = 0; l < MYR_SPHERE_BLOCK; l++)
            all += sum[f][l];
        field[f] = all / sphere->points;
    }
}
