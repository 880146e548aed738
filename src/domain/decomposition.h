/* decomposition.h - a box cut into cuboids, one for each rank, by planes across it: domain (i, j, k) is slab i along x,
 * slab j along y, slab k along z. Planes are coordinates of the box (domain/box.h) and may be moved, so that everyone
 * has as much to do; who is whose neighbour never changes. All ranks know all planes. */
#ifndef MYR_DOMAIN_DECOMPOSITION_H
#define MYR_DOMAIN_DECOMPOSITION_H

#include "core/context.h"
#include "domain/box.h"

typedef struct {
    int count[3]; /* slabs along each axis */
    int at[3];    /* mine */
    int rank, ranks;
    uint64_t *plane[3]; /* [count + 1] slab k is [plane[k], plane[k + 1]); the first is 0, and the last, 2^64, is 0 */
    double *place;      /* room for the planes of one axis */
} myr_decomposition;

/* The part [low, low + extent] of each axis where there is something to divide, in lengths from the origin: all of a
 * periodic one; of an open one, where the particles of all ranks are, of which this rank has n. */
myr_status myr_decomposition_extent(myr_context *context, const myr_box *box, int64_t n, uint64_t *const q[3],
                                    double low[3], double extent[3]);

/* Cuts the box for the ranks of the context with the least surface between them, that part of each axis evenly. The
 * domains at the ends of an open axis own all that lies beyond, and are no neighbours: nobody is near its ends. Slabs
 * thinner than a quarter of `width`, how far particles see, are refused: too many ranks. */
myr_status myr_decomposition_create(myr_context *context, const myr_box *box, const double low[3],
                                    const double extent[3], double width, myr_decomposition **decomposition);
void myr_decomposition_destroy(myr_decomposition **decomposition);

/* The rank so many slabs further along an axis, round the box. */
int myr_decomposition_neighbour(const myr_decomposition *d, int axis, int step);

/* The slab that a coordinate is in. */
int myr_decomposition_slab(const myr_decomposition *d, int axis, uint64_t q);

/* The rank that a place belongs to. */
int myr_decomposition_owner(const myr_decomposition *d, const uint64_t q[3]);

/* How a length is counted in coordinates along an axis, rounded up; at most 2^64 - 1. */
uint64_t myr_decomposition_length(const myr_box *box, int axis, double length);

/* An open axis has become so many times as long, a power of two, about its middle: planes stay where they are. */
void myr_decomposition_widen(myr_decomposition *d, int axis, double times);

/* Moves the planes across an axis so that every slab costs the same. cost[b] is that of part b of `bins` equal parts of
 * [low, low + extent] (1 is the whole axis), summed over all ranks; no slab becomes thinner than `least`, and planes go
 * that part of their way. */
void myr_decomposition_balance(myr_decomposition *d, int axis, double low, double extent, const int64_t *cost, int bins,
                               uint64_t least, double part);

#endif
