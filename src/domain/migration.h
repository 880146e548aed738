/* migration.h - transfer of particles that left their domain to the rank that owns their position (paper 003, section
 * 4.2): along x, then y, then z, from neighbour to neighbour. */
#ifndef MYR_DOMAIN_MIGRATION_H
#define MYR_DOMAIN_MIGRATION_H

#include <stddef.h>

#include "domain/decomposition.h"

/* Array that moves with the particles, with its number of bytes per particle. */
typedef struct {
    void **array;
    size_t bytes;
} myr_migrant;

typedef struct {
    const myr_migrant *part; /* arrays; the first three are the coordinates, 8 bytes each */
    int parts;
    /* Resizes all arrays to `count` particles and keeps the first `kept` entries; the arrays may move in memory. */
    myr_status (*reserve)(void *user, int64_t kept, int64_t count);
    void *user;
} myr_migrants;

/* Sends the particles of [0, *n) that are outside the domain of this rank to their owners and receives others; the
 * order of the remaining particles changes. *moved receives the number of arrivals. */
myr_status myr_migration_run(myr_context *context, const myr_decomposition *d, const myr_migrants *migrants, int64_t *n,
                             int64_t *moved);

/* Initial distribution: sends particle i to rank owner[i], between any two ranks; the order of the remaining particles
 * may change. The exchange proceeds around the ring, and ranks without particles for each other send nothing. `owner`
 * is overwritten. */
myr_status myr_migration_spread(myr_context *context, const myr_migrants *migrants, int32_t *owner, int64_t *n);

#endif
