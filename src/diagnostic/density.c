/* density.c - local densities and density centre of Casertano and Hut 1985. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/diagnostic.h"
#include "diagnostic/neighbours.h"

typedef struct {
    const myr_bodies *b;
    double *density;
} density_work;

/* Local density of a particle, equation II.2 of Casertano and Hut with masses: the mass of neighbours 1 to k - 1 over
 * the volume of the sphere through neighbour k. */
static void density_of_one(void *user, int64_t i, const myr_neighbour *list, int count)
{
    const density_work *w = user;
    double mass = 0;
    for (int m = 0; m + 1 < count; m++)
        mass += w->b->mass[list[m].j];
    const double square = list[count - 1].square;
    w->density[i] = 3 / (4 * 3.14159265358979323846) * mass / (square * sqrt(square));
}

static myr_status density_of_each(const myr_bodies *b, const myr_neighbours *near, int k, double *density)
{
    density_work w = {b, density};
    myr_neighbours_each(near, k, density_of_one, &w);
    for (int64_t i = 0; i < b->n; i++)
        if (!isfinite(density[i]))
            return myr_context_fail(b->context, MYR_ERROR_NONFINITE,
                                    "there is no density at particle %lld: %d others are at the same place",
                                    (long long)i, k);
    return MYR_OK;
}

static myr_status density_means(const myr_bodies *b, const double *density, myr_density_centre *centre)
{
    double sum = 0, squares = 0, distances = 0;
    for (int64_t i = 0; i < b->n; i++) {
        sum += density[i];
        squares += density[i] * density[i];
        for (int c = 0; c < 3; c++)
            centre->position[c] += density[i] * b->x[c][i];
    }
    if (!(sum > 0))
        return myr_context_fail(b->context, MYR_ERROR_VALUE, "a set without mass has no density centre");
    for (int c = 0; c < 3; c++)
        centre->position[c] /= sum;
    for (int64_t i = 0; i < b->n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++)
            square += (b->x[c][i] - centre->position[c]) * (b->x[c][i] - centre->position[c]);
        distances += density[i] * sqrt(square);
    }
    centre->density = squares / sum;
    centre->core_radius = distances / sum;
    return MYR_OK;
}

myr_status myr_diagnostic_density_centre(const myr_particles *particles, int k, myr_density_centre *centre)
{
    myr_bodies b;
    myr_neighbours *near = NULL;
    if (!centre)
        return MYR_ERROR_ARGUMENT;
    memset(centre, 0, sizeof *centre);
    myr_status status = myr_bodies_read(particles, MYR_BODIES_MASS, &b);
    if (!status && (k < 2 || k > MYR_DENSITY_NEIGHBOUR_MAX))
        status = myr_context_fail(b.context, MYR_ERROR_VALUE, "a density needs neighbour 2 to %d, not %d",
                                  MYR_DENSITY_NEIGHBOUR_MAX, k);
    if (!status && b.n <= k)
        status = myr_context_fail(b.context, MYR_ERROR_VALUE,
                                  "a density from neighbour %d needs more than %d particle%s; there are %lld", k, k,
                                  myr_plural(k), (long long)b.n);
    if (!status)
        status = myr_neighbours_create(particles, &near);
    if (status)
        return status;
    double *density = myr_memory_zeros(b.n, sizeof *density);
    if (!density)
        status = myr_context_fail(b.context, MYR_ERROR_MEMORY, "no memory for the densities of %lld particles",
                                  (long long)b.n);
    if (!status)
        status = density_of_each(&b, near, k, density);
    if (!status)
        status = density_means(&b, density, centre);
    free(density);
    myr_neighbours_destroy(&near);
    return status;
}
