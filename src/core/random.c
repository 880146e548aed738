/* random.c - counter-based random numbers on the processor. */
#include "core/random.h"

#include "core/random_inside.h"

void myr_random_words(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, uint32_t word[4])
{
    random_words(seed, stream, id, index, word);
}

void myr_random_uniform(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double u[2])
{
    uint32_t w[4];
    myr_random_words(seed, stream, id, index, w);
    for (int k = 0; k < 2; k++) {
        const uint64_t bits = ((uint64_t)w[2 * k] << 32 | w[2 * k + 1]) >> 12;
        u[k] = ((double)bits + 0.5) * 0x1p-52;
    }
}

void myr_random_normal(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double z[4])
{
    random_normal(seed, stream, id, index, z);
}
