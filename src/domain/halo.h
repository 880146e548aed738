/* halo.h - halo: copies of particles of other domains within the interaction range of a domain, exchanged in six
 * directions by forwarding (paper 003, section 4.3, Algorithm 9). A rank sends its own particles along x to both
 * neighbours, then own particles and x copies along y, then all of these along z; corners are forwarded, and a rank
 * communicates with six others only. Where slabs are thinner than the halo, copies are forwarded over several hops.
 *
 * Coordinates are box coordinates (domain/box.h) that wrap around the box, so that a copy needs no shift. No particle
 * may be copied twice to the same rank: with two slabs along an axis, the second direction omits what the first has
 * sent; where the two directions would overlap, all copies travel in one direction around the ring. */
#ifndef MYR_DOMAIN_HALO_H
#define MYR_DOMAIN_HALO_H

#include <myriad/ranks.h>

#include "domain/decomposition.h"

typedef struct myr_halo myr_halo;

/* Size and cost of the halo exchange. */
typedef struct {
    int64_t particles; /* number of copies in the present halo */
    int messages;      /* messages sent by this rank per update */
    int64_t bytes[3];  /* bytes sent by this rank per update along each axis, both directions together */
    int64_t updates, builds;
    double seconds; /* total time in updates and builds, waiting included, in seconds */
} myr_halo_progress;

myr_status myr_halo_create(myr_context *context, const myr_decomposition *decomposition, myr_halo **halo);
void myr_halo_destroy(myr_halo **halo);

void myr_halo_choose(myr_halo *halo, myr_exchange exchange);

/* Determines which particles are sent to which neighbour, and exchanges them. The own particles are [0, n), all inside
 * the domain; particles within `width` of a face of the domain are sent. Sets *count to the number of copies received.
 * q, type and id are not written. */
myr_status myr_halo_build(myr_halo *halo, const myr_box *box, double width, int64_t n, uint64_t *const q[3],
                          const int32_t *type, const int64_t *id, int64_t *count);

/* Writes the received copies after the own particles, to [n, n + count). */
void myr_halo_fill(const myr_halo *halo, uint64_t *const q[3], int32_t *type, int64_t *id);

/* Updates the coordinates of the copies in [n, n + count) after particles have moved. Between begin and end the
 * coordinates of own particles may be read but not written. Copies that arrive along one axis are forwarded along the
 * next: a rank that computes in between calls poll from time to time, which never waits. */
myr_status myr_halo_begin(myr_halo *halo, uint64_t *const q[3]);
myr_status myr_halo_poll(myr_halo *halo, uint64_t *const q[3]);
myr_status myr_halo_end(myr_halo *halo, uint64_t *const q[3]);

/* An update through messages that the caller packs and unpacks, for particles in the memory of a GPU. Entry k of all
 * messages of this rank has three words: the coordinates of particle places[k]; i < n is an own particle, n + c is copy
 * c, which is forwarded. swap sends the entries of `out`, of which the caller has written those of own particles, and
 * receives copy k to entry k of `in`. */
const int32_t *myr_halo_places(const myr_halo *halo, int64_t *count);
myr_status myr_halo_swap(myr_halo *halo, uint64_t *out, uint64_t *in);

void myr_halo_progress_of(const myr_halo *halo, myr_halo_progress *progress);

#endif
