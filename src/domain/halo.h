/* halo.h - copies of the particles of other domains that a domain's own ones can see, in six directions by forwarding
 * (paper 003, section 4.3, Algorithm 9): along x to both neighbours, then along y what is mine and what came along x,
 * then along z all of it; so corners are passed on, and a rank speaks to six others only. Where slabs are thinner than
 * the halo, what came from one neighbour goes on to the next, several hops.
 *
 * Coordinates count from the box (domain/box.h) and wrap with it, so a copy is a plain copy, and none may come twice:
 * of two slabs along an axis, the second direction leaves out what the first has sent; where slabs are so few or thin
 * that the two directions would meet, everything goes round one way. */
#ifndef MYR_DOMAIN_HALO_H
#define MYR_DOMAIN_HALO_H

#include <myriad/ranks.h>

#include "domain/decomposition.h"

typedef struct myr_halo myr_halo;

/* What updates of the present halo send, and what has been sent since the halo was made. */
typedef struct {
    int64_t particles; /* in the halo */
    int messages;      /* of one update */
    int64_t bytes[3];  /* of one update, along each axis, both directions together */
    int64_t updates, builds;
    double seconds; /* in all of it, waiting included */
} myr_halo_progress;

myr_status myr_halo_create(myr_context *context, const myr_decomposition *decomposition, myr_halo **halo);
void myr_halo_destroy(myr_halo **halo);

void myr_halo_choose(myr_halo *halo, myr_exchange exchange);

/* Finds out what has to be sent, and sends it: own particles [0, n), none of which is outside the domain, and
 * everything within `width` of one of the domain's faces is sent on. *count copies have come. Nothing is written to q,
 * type and id. */
myr_status myr_halo_build(myr_halo *halo, const myr_box *box, double width, int64_t n, uint64_t *const q[3],
                          const int32_t *type, const int64_t *id, int64_t *count);

/* Puts the copies that have come behind the own particles: [n, n + count). */
void myr_halo_fill(const myr_halo *halo, uint64_t *const q[3], int32_t *type, int64_t *id);

/* Particles have moved: sends their coordinates, and writes those that come over the old ones in [n, n + count).
 * Between begin and end the coordinates of own particles may be read, and nothing be written. What comes along one axis
 * goes on along the next: where this rank has other things to do, it calls poll now and then, which waits for nothing.
 */
myr_status myr_halo_begin(myr_halo *halo, uint64_t *const q[3]);
myr_status myr_halo_poll(myr_halo *halo, uint64_t *const q[3]);
myr_status myr_halo_end(myr_halo *halo, uint64_t *const q[3]);

void myr_halo_progress_of(const myr_halo *halo, myr_halo_progress *progress);

#endif
