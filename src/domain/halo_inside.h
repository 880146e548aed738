/* halo_inside.h - data structures shared by halo.c and halo_build.c. See halo.h. */
#ifndef MYR_DOMAIN_HALO_INSIDE_H
#define MYR_DOMAIN_HALO_INSIDE_H

#include "domain/halo.h"
#include "domain/ranks.h"

enum { HALO_HOPS = 64, HALO_PHASES = 3 * 2 * HALO_HOPS };

/* One pair of messages: particles sent in a direction, and copies received from the opposite side. */
typedef struct {
    int axis, direction, hop; /* direction 0: towards higher coordinates; 1: towards lower */
    int to, from;             /* peer ranks */
    int64_t first, sent;      /* entries [first, first + sent) of myr_halo.place are sent */
    int64_t begin, received;  /* copies [begin, begin + received) of the halo are received */
} halo_phase;

/* Messages of one hop in both directions; a phase may be null. Sizes in bytes. */
typedef struct {
    const halo_phase *phase[2];
    size_t sent[2], received[2];
} halo_hop;

enum { HALO_MESSAGES = 4 }; /* largest number of messages of a hop in flight at once */

/* Buffer that grows. */
typedef struct {
    char *bytes;
    size_t size;
} halo_room;

struct myr_halo {
    myr_context *context;
    const myr_decomposition *d;
    myr_exchange exchange;
    int64_t n, count; /* number of own particles when the halo was built, and number of copies */
    halo_phase phase[HALO_PHASES];
    int phases;
    int32_t *place; /* [places], indices of the particles that are sent: i < n is an own particle, n + k is copy k */
    int64_t places, places_room;
    uint64_t *q[3]; /* [3][room], coordinates of the copies, valid while the halo is built */
    int32_t *type;
    int64_t *id;
    int64_t room;
    uint64_t width[3];       /* halo width along each axis, in coordinate units */
    halo_room out[2], in[2]; /* buffers of the two directions */
    uint64_t *packed[2];     /* messages of myr_halo_swap: sent, received; null = the buffers above */
    /* 1 between myr_halo_begin and the end of the last hop */
    int in_flight;
    halo_hop hop; /* state of the update: present hop, its next stage, and the first phase of the next hop */
    int stage, next;
    myr_rank_message pending[HALO_MESSAGES];
    int pendings;
    myr_halo_progress progress;
};

enum { HALO_COORDINATES = 3 * 8 }; /* bytes of a particle in an update: three 8-byte coordinates, as in paper 003 */

/* Grows a buffer to at least `size` bytes; the contents are lost. */
myr_status myr_halo_reserve(myr_halo *halo, halo_room *room, size_t size);

/* Sends the `out` buffers and receives into the `in` buffers of a hop, in the order of the exchange scheme. */
myr_status myr_halo_exchange(myr_halo *halo, const halo_hop *hop);

#endif
