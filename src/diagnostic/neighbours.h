/* neighbours.h - nearest neighbours by a k-d tree over positions. Results depend on the positions alone: among equally
 * near particles the one with the lower index comes first. */
#ifndef MYR_DIAGNOSTIC_NEIGHBOURS_H
#define MYR_DIAGNOSTIC_NEIGHBOURS_H

#include <myriad/particles.h>

typedef struct myr_neighbours myr_neighbours;

typedef struct {
    double square; /* squared distance */
    int64_t j;
} myr_neighbour;

/* Builds the tree of a particle set. Positions must be finite (myr_bodies_read checks that). */
myr_status myr_neighbours_create(const myr_particles *particles, myr_neighbours **neighbours);

/* Frees the tree and sets *neighbours to null. A null tree is allowed. */
void myr_neighbours_destroy(myr_neighbours **neighbours);

/* Most neighbours that myr_neighbours_each finds. */
enum { MYR_NEIGHBOURS_EACH = 64 };

/* Calls use(user, i, list, count) with the up to k nearest particles of every particle i, nearest first, from several
 * threads and in no order. */
void myr_neighbours_each(const myr_neighbours *neighbours, int k,
                         void (*use)(void *user, int64_t i, const myr_neighbour *list, int count), void *user);

/* The nearest particle of each particle, nearest[n]; j = -1 where there is none. */
void myr_neighbours_nearest_each(const myr_neighbours *neighbours, myr_neighbour *nearest);

#endif
