/* random.h - random numbers without state: a value depends on (seed, stream, id, index) alone, so that a particle gets
 * the same numbers for every number of threads and ranks. Philox 4x32-10 of Salmon et al. 2011. */
#ifndef MYR_CORE_RANDOM_H
#define MYR_CORE_RANDOM_H

#include <stdint.h>

/* Four random 32-bit words for (seed, stream, id, index). */
void myr_random_words(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, uint32_t word[4]);

/* Two uniform random numbers in the open interval (0, 1), with 52 random bits each. */
void myr_random_uniform(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double u[2]);

/* Four random numbers of the normal distribution with mean 0 and variance 1, with the same bits on every machine. Each
 * number is made from 32 random bits, so that no |z| exceeds 6.7. */
void myr_random_normal(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double z[4]);

/* Spreads the bits of a number over all 64: the finaliser of SplitMix64 (Steele et al. 2014). */
static inline uint64_t myr_random_spread(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
