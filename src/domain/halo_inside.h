/* halo_inside.h - what the parts of the halo share. See halo.h. */
#ifndef MYR_DOMAIN_HALO_INSIDE_H
#define MYR_DOMAIN_HALO_INSIDE_H

#include "domain/halo.h"
#include "domain/ranks.h"

enum { HALO_HOPS = 64, HALO_PHASES = 3 * 2 * HALO_HOPS };

/* One message each way: what goes in a direction, and what comes from the other side. */
typedef struct {
    int axis, direction, hop; /* 0: towards higher coordinates; 1: lower */
    int to, from;             /* ranks */
    int64_t first, sent;      /* in the list of places */
    int64_t begin, received;  /* in the halo */
} halo_phase;

/* The messages of one hop, in both directions; a phase may be null. Sizes in bytes. */
typedef struct {
    const halo_phase *phase[2];
    size_t sent[2], received[2];
} halo_hop;

enum { HALO_MESSAGES = 4 }; /* of a hop, at once */

/* Bytes that grow. */
typedef struct {
    char *bytes;
    size_t size;
} halo_room;

struct myr_halo {
    myr_context *context;
    const myr_decomposition *d;
    myr_exchange exchange;
    int64_t n, count; /* own particles when it was built, and copies */
    halo_phase phase[HALO_PHASES];
    int phases;
    int32_t *place; /* of particles that are sent: own ones, or n + that of a copy */
    int64_t places, places_room;
    uint64_t *q[3]; /* copies, while the halo is built */
    int32_t *type;
    int64_t *id;
    int64_t room;
    uint64_t width[3];       /* how far copies are sent, in coordinates */
    halo_room out[2], in[2]; /* buffers for the two directions */
    /* an update that has begun */
    int under_way;
    halo_hop hop; /* that it is in, its next stage, and the phase after it */
    int stage, next;
    myr_rank_message pending[HALO_MESSAGES];
    int pendings;
    myr_halo_progress progress;
};

enum { HALO_COORDINATES = 3 * 8 }; /* bytes of a particle in an update: 24 in the paper too */

/* Makes room for so many bytes; the contents are lost. */
myr_status myr_halo_reserve(myr_halo *halo, halo_room *room, size_t size);

/* Sends what is in `out` and receives into `in` for a hop, in the order of the scheme. */
myr_status myr_halo_pass(myr_halo *halo, const halo_hop *hop);

#endif
