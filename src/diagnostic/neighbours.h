/* neighbours.h - who is near: a k-d tree over positions. Its answers depend on the positions alone: of equally near
 * particles the one with the lower number comes first. */
#ifndef MYR_DIAGNOSTIC_NEIGHBOURS_H
#define MYR_DIAGNOSTIC_NEIGHBOURS_H

#include <myriad/particles.h>

typedef struct myr_neighbours myr_neighbours;

typedef struct {
    double square; /* of the distance */
    int64_t j;
} myr_neighbour;

/* Builds the tree of a set with positions that are finite (myr_bodies_read checks them). */
myr_status myr_neighbours_create(const myr_particles *particles, myr_neighbours **neighbours);

/* Frees it and clears the pointer. Null is allowed. */
void myr_neighbours_destroy(myr_neighbours **neighbours);

/* Up to k particles other than i whose squared distance from it is at most `square`, nearest first; returns how many.
 */
int myr_neighbours_nearest(const myr_neighbours *neighbours, int64_t i, int k, double square, myr_neighbour *list);

/* Calls visit for every particle j > i whose squared distance from i is below `square`, in no special order. */
void myr_neighbours_within(const myr_neighbours *neighbours, int64_t i, double square,
                           void (*visit)(void *user, int64_t i, const myr_neighbour *found), void *user);

#endif
