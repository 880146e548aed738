/* decomposition.h - division of a box into one cuboid per rank by planes across the whole box: domain (i, j, k) is slab
 * i along x, slab j along y, slab k along z. Planes are box coordinates (domain/box.h) and move for load balance; the
 * neighbour relations of ranks never change. Every rank stores all planes. */
#ifndef MYR_DOMAIN_DECOMPOSITION_H
#define MYR_DOMAIN_DECOMPOSITION_H

#include "core/context.h"
#include "domain/box.h"

typedef struct {
    int count[3]; /* number of slabs along each axis */
    int at[3];    /* slab indices of this rank */
    int rank, ranks;
    /* [count + 1], slab k is [plane[k], plane[k + 1]); the first plane is 0, and the last, 2^64, is stored as 0 */
    uint64_t *plane[3];
    double *place; /* scratch space for the planes of one axis */
} myr_decomposition;

/* Interval [low, low + extent] of each axis that is to be divided, in length units from the origin: the whole axis if
 * periodic; else the extent of the particles of all ranks, of which this rank holds n. Called by all ranks. */
myr_status myr_decomposition_extent(myr_context *context, const myr_box *box, int64_t n, uint64_t *const q[3],
                                    double low[3], double extent[3]);

/* Divides the box among the ranks of the context with the smallest halo volume, each interval evenly. The outer domains
 * of an open axis own everything beyond the interval and are not neighbours of each other, because no particle is near
 * the ends of the axis. Fails if slabs would be thinner than a quarter of `width`, the interaction range: too many
 * ranks. */
myr_status myr_decomposition_create(myr_context *context, const myr_box *box, const double low[3],
                                    const double extent[3], double width, myr_decomposition **decomposition);
void myr_decomposition_destroy(myr_decomposition **decomposition);

/* Rank of the domain `step` slabs further along an axis, periodically. */
int myr_decomposition_neighbour(const myr_decomposition *d, int axis, int step);

/* Index of the slab that contains a coordinate. */
int myr_decomposition_slab(const myr_decomposition *d, int axis, uint64_t q);

/* Rank that owns the position q. */
int myr_decomposition_owner(const myr_decomposition *d, const uint64_t q[3]);

/* Length in coordinate units along an axis, rounded up; at most 2^64 - 1. */
uint64_t myr_decomposition_length(const myr_box *box, int axis, double length);

/* Rescales the planes of an open axis whose length grew by the factor `times`, a power of two, about its middle: the
 * positions of the planes are unchanged. */
void myr_decomposition_widen(myr_decomposition *d, int axis, double times);

/* Moves the planes across an axis towards equal cost per slab. cost[b] is the cost, summed over all ranks, of bin b of
 * `bins` equal bins of [low, low + extent] (fractions of the axis). No slab becomes thinner than `least` coordinate
 * units, and each plane moves the fraction `part` of its way. */
void myr_decomposition_balance(myr_decomposition *d, int axis, double low, double extent, const int64_t *cost, int bins,
                               uint64_t least, double part);

#endif
