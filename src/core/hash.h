/* hash.h - 128-bit XXH3 hash of a byte stream that arrives in pieces. Needs xxHash at build time. */
#ifndef MYR_CORE_HASH_H
#define MYR_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Low and high 64 bits of a 128-bit hash. */
typedef struct {
    uint64_t low, high;
} myr_hash;

typedef struct myr_hash_state myr_hash_state;

/* 1 if the build has xxHash, else 0; without xxHash no other function of this header may be called. */
int myr_hash_available(void);

/* New hash state of an empty byte stream; null if memory is short. */
myr_hash_state *myr_hash_create(void);

/* Frees the state and sets *state to null. */
void myr_hash_destroy(myr_hash_state **state);

/* Resets the state to an empty byte stream. */
void myr_hash_restart(myr_hash_state *state);

/* Appends `size` bytes to the stream. */
void myr_hash_add(myr_hash_state *state, const void *bytes, size_t size);

/* Hash of all bytes appended since creation or the last restart. */
myr_hash myr_hash_value(const myr_hash_state *state);

/* Hash of one block of bytes. */
myr_hash myr_hash_bytes(const void *bytes, size_t size);

#endif
