/* spacing.c - the smallest distance between two particles: sorted along x, so that only near ones are compared. */
#include "input/spacing.h"

#include <math.h>
#include <stdlib.h>

#include "common.h"

typedef struct {
    double x[3];
} spacing_point;

static int spacing_compare(const void *a, const void *b)
{
    const double x = ((const spacing_point *)a)->x[0], y = ((const spacing_point *)b)->x[0];
    return (x > y) - (x < y);
}

static double spacing_sweep(const spacing_point *p, int64_t n)
{
    double best = INFINITY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            const double dx = p[j].x[0] - p[i].x[0], dy = p[j].x[1] - p[i].x[1], dz = p[j].x[2] - p[i].x[2];
            if (dx * dx >= best)
                break;
            const double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 > 0 && r2 < best)
                best = r2;
        }
    return sqrt(best);
}

int spacing_smallest(const myr_particles *particles, double *length)
{
    const int64_t n = myr_particles_count(particles);
    *length = 1;
    if (n < 2 || !myr_particles_component_const(particles, "position", 2))
        return CLI_OK;
    spacing_point *point = malloc((size_t)n * sizeof *point);
    if (!point)
        return cli_fail(CLI_FAILED, "no memory to find the smallest distance");
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(particles, "position", c);
        for (int64_t i = 0; i < n; i++)
            point[i].x[c] = x[i];
    }
    qsort(point, (size_t)n, sizeof *point, spacing_compare);
    const double smallest = spacing_sweep(point, n);
    if (isfinite(smallest))
        *length = smallest;
    free(point);
    return CLI_OK;
}
