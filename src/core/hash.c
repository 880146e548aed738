/* hash.c - XXH3 through the header-only form of xxHash: no library to link and no exported symbol. */
#include "core/hash.h"

#if MYR_HAVE_XXHASH

#define XXH_INLINE_ALL
#include <xxhash.h>

struct myr_hash_state; /* XXH3_state_t, allocated by xxHash with the alignment that the type needs */

int myr_hash_available(void)
{
    return 1;
}

myr_hash_state *myr_hash_create(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_128bits_reset(state);
    return (myr_hash_state *)state;
}

void myr_hash_destroy(myr_hash_state **state)
{
    XXH3_freeState((XXH3_state_t *)*state);
    *state = NULL;
}

void myr_hash_restart(myr_hash_state *state)
{
    XXH3_128bits_reset((XXH3_state_t *)state);
}

void myr_hash_add(myr_hash_state *state, const void *bytes, size_t size)
{
    XXH3_128bits_update((XXH3_state_t *)state, bytes, size);
}

myr_hash myr_hash_value(const myr_hash_state *state)
{
    const XXH128_hash_t h = XXH3_128bits_digest((const XXH3_state_t *)state);
    return (myr_hash){h.low64, h.high64};
}

myr_hash myr_hash_bytes(const void *bytes, size_t size)
{
    const XXH128_hash_t h = XXH3_128bits(bytes, size);
    return (myr_hash){h.low64, h.high64};
}

#else

int myr_hash_available(void)
{
    return 0;
}

myr_hash_state *myr_hash_create(void)
{
    return NULL;
}

void myr_hash_destroy(myr_hash_state **state)
{
    *state = NULL;
}

void myr_hash_restart(myr_hash_state *state)
{
    (void)state;
}

void myr_hash_add(myr_hash_state *state, const void *bytes, size_t size)
{
    (void)state, (void)bytes, (void)size;
}

myr_hash myr_hash_value(const myr_hash_state *state)
{
    (void)state;
    return (myr_hash){0, 0};
}

myr_hash myr_hash_bytes(const void *bytes, size_t size)
{
    (void)bytes, (void)size;
    return (myr_hash){0, 0};
}

#endif
