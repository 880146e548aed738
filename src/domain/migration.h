/* migration.h - particles that have left their domain go to the one they are in (paper 003, section 4.2): along x, then
 * y, then z, from neighbour to neighbour. */
#ifndef MYR_DOMAIN_MIGRATION_H
#define MYR_DOMAIN_MIGRATION_H

#include <stddef.h>

#include "domain/decomposition.h"

/* An array of so many bytes per particle that goes along. */
typedef struct {
    void **array;
    size_t bytes;
} myr_migrant;

typedef struct {
    const myr_migrant *part; /* the first three are the coordinates, 8 bytes each */
    int parts;
    /* Makes room for `count` particles in all arrays, which may move; the first `kept` of them stay. */
    myr_status (*reserve)(void *user, int64_t kept, int64_t count);
    void *user;
} myr_migrants;

/* Sends particles of [0, *n) away that are not in the domain of this rank, and takes others in; those that stay change
 * their places. *moved: how many have come. */
myr_status myr_migration_run(myr_context *context, const myr_decomposition *d, const myr_migrants *migrants, int64_t *n,
                             int64_t *moved);

/* The beginning: particles go from any rank to any other, particle i to rank owner[i]; those that stay may change their
 * places. Ranks speak to each other in turns, each to those that it has something for. `owner` is used up. */
myr_status myr_migration_spread(myr_context *context, const myr_migrants *migrants, int32_t *owner, int64_t *n);

#endif
