/* hash.h - XXH3 in 128 bits, over bytes that come in pieces. Needs xxHash at build time. */
#ifndef MYR_CORE_HASH_H
#define MYR_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The two halves of a hash, as numbers. */
typedef struct {
    uint64_t low, high;
} myr_hash;

typedef struct myr_hash_state myr_hash_state;

/* 1 where the build has xxHash; without it no other function here may be called. */
int myr_hash_available(void);

/* A state that has seen no byte yet; null where memory is short. */
myr_hash_state *myr_hash_create(void);

/* Frees the state and clears the pointer. */
void myr_hash_destroy(myr_hash_state **state);

/* Forgets all bytes. */
void myr_hash_restart(myr_hash_state *state);

/* Adds bytes. */
void myr_hash_add(myr_hash_state *state, const void *bytes, size_t size);

/* The hash of the bytes added since the start. */
myr_hash myr_hash_value(const myr_hash_state *state);

/* The hash of one run of bytes. */
myr_hash myr_hash_bytes(const void *bytes, size_t size);

#endif
