/* pairs.c - close particles: the closest pair, all close pairs, and binaries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/cells.h"
#include "diagnostic/neighbours.h"

/* The nearest particle of each; the caller frees the list. */
static myr_status nearest_of_each(const myr_particles *particles, const myr_bodies *b, myr_neighbour **nearest)
{
    myr_neighbours *near = NULL;
    *nearest = myr_memory_some(b->n, sizeof **nearest);
    const myr_status status = *nearest
                                  ? myr_neighbours_create(particles, &near)
                                  : myr_context_fail(b->context, MYR_ERROR_MEMORY,
                                                     "no memory for the neighbours of %lld particles", (long long)b->n);
    if (!status)
        myr_neighbours_nearest_each(near, *nearest);
    myr_neighbours_destroy(&near);
    return status;
}

myr_status myr_diagnostic_closest_pair(const myr_particles *particles, myr_close_pair *pair)
{
    myr_bodies b;
    myr_neighbour *nearest = NULL;
    if (!pair)
        return MYR_ERROR_ARGUMENT;
    memset(pair, 0, sizeof *pair);
    myr_status status = myr_bodies_read(particles, 0, &b);
    if (!status && b.n < 2)
        status =
            myr_context_fail(b.context, MYR_ERROR_VALUE, "a pair needs two particles; there are %lld", (long long)b.n);
    if (!status)
        status = nearest_of_each(particles, &b, &nearest);
    /* each pair is found first from the particle with the lower index */
    for (int64_t i = 1; i < b.n && !status; i++)
        if (nearest[i].square < nearest[pair->first].square)
            pair->first = i;
    if (!status) {
        pair->second = nearest[pair->first].j;
        pair->distance = sqrt(nearest[pair->first].square);
    }
    free(nearest);
    return status;
}

/* List of pairs; the memory grows only if the pairs themselves are wanted, not just their number. */
typedef struct {
    myr_close_pair *at;
    int64_t count, room;
    int wanted, failed;
} pair_list;

static void list_add(void *user, int64_t i, int64_t j, double square)
{
    pair_list *list = user;
    if (list->wanted && list->count == list->room && !list->failed) {
        const int64_t room = 2 * list->room + 64;
        myr_close_pair *more = realloc(list->at, (size_t)room * sizeof *more);
        if (more) {
            list->at = more;
            list->room = room;
        } else {
            list->failed = 1;
        }
    }
    if (list->wanted && !list->failed)
        list->at[list->count] = (myr_close_pair){i, j, sqrt(square)};
    list->count++;
}

static int pair_order(const void *a, const void *b)
{
    const myr_close_pair *p = a, *q = b;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p->second > q->second) - (p->second < q->second);
}

myr_status myr_diagnostic_pairs_within(const myr_particles *particles, double radius, int64_t room,
                                       myr_close_pair *pair, int64_t *found)
{
    myr_bodies b;
    pair_list list = {.wanted = room > 0};
    if (!found || room < 0 || (room && !pair))
        return MYR_ERROR_ARGUMENT;
    *found = 0;
    myr_status status = myr_bodies_read(particles, 0, &b);
    if (!status && !(radius >= 0))
        status = myr_context_fail(b.context, MYR_ERROR_VALUE, "no pair is nearer than %g", radius);
    if (!status)
        status = myr_cells_pairs(&b, radius, list_add, &list);
    if (status) {
        free(list.at);
        return status;
    }
    if (list.failed)
        status = myr_context_fail(b.context, MYR_ERROR_MEMORY, "no memory for %lld close pairs", (long long)list.count);
    else if (list.wanted && list.count) {
        qsort(list.at, (size_t)list.count, sizeof *list.at, pair_order);
        memcpy(pair, list.at, (size_t)(list.count < room ? list.count : room) * sizeof *pair);
    }
    *found = status ? 0 : list.count;
    free(list.at);
    return status;
}

/* Orbital elements of two bodies; 1 if they are bound. */
static int binary_orbit(const myr_bodies *b, double gravity, myr_binary *orbit)
{
    const int64_t i = orbit->first, j = orbit->second;
    double x[3], v[3], r2 = 0, v2 = 0, xv = 0, e2 = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = b->x[c][j] - b->x[c][i];
        v[c] = b->v[c][j] - b->v[c][i];
        r2 += x[c] * x[c];
        v2 += v[c] * v[c];
        xv += x[c] * v[c];
    }
    const double r = sqrt(r2), mu = gravity * (b->mass[i] + b->mass[j]), energy = 0.5 * v2 - mu / r;
    if (!(r > 0 && energy < 0))
        return 0;
    for (int c = 0; c < 3; c++) { /* Laplace vector: accurate also for nearly circular orbits */
        const double e = ((v2 - mu / r) * x[c] - xv * v[c]) / mu;
        e2 += e * e;
    }
    orbit->distance = r;
    orbit->semi_major_axis = -0.5 * mu / energy;
    orbit->eccentricity = sqrt(e2);
    orbit->binding_energy = -energy * (b->mass[i] * b->mass[j] / (b->mass[i] + b->mass[j]));
    return 1;
}

myr_status myr_diagnostic_binaries(const myr_particles *particles, double gravity, double largest, int64_t room,
                                   myr_binary *binary, int64_t *found)
{
    myr_bodies b;
    myr_neighbour *nearest = NULL;
    if (!found || room < 0 || (room && !binary))
        return MYR_ERROR_ARGUMENT;
    *found = 0;
    myr_status status = myr_bodies_read(particles, MYR_BODIES_VELOCITY | MYR_BODIES_MASS, &b);
    if (!status && !(gravity > 0 && largest > 0))
        status = myr_context_fail(b.context, MYR_ERROR_VALUE,
                                  "binaries need a constant of gravity and a largest axis above 0, not %g and %g",
                                  gravity, largest);
    if (!status)
        status = nearest_of_each(particles, &b, &nearest);
    for (int64_t i = 0; i < b.n && !status; i++) {
        const int64_t next = nearest[i].j;
        myr_binary orbit = {.first = i, .second = next};
        if (next < i || nearest[next].j != i)
            continue;
        if (!binary_orbit(&b, gravity, &orbit) || orbit.semi_major_axis > largest)
            continue;
        if (*found < room)
            binary[*found] = orbit;
        ++*found;
    }
    free(nearest);
    return status;
}
