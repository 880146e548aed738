/* random.h - random numbers without state: the value depends on (seed, stream, id, index) alone, so that a particle
 * gets the same numbers whatever the number of threads or ranks. Philox 4x32-10 of Salmon et al. 2011. */
#ifndef MYR_CORE_RANDOM_H
#define MYR_CORE_RANDOM_H

#include <stdint.h>

/* Four 32-bit words for (seed, stream, id, index). */
void myr_random_words(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, uint32_t word[4]);

/* Two uniform doubles in (0, 1), never 0 or 1, 52 bits each. */
void myr_random_uniform(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double u[2]);

/* Four numbers of the normal distribution with mean 0 and variance 1, the same bits on every machine; from 32 bits
 * each, so that none is beyond 6.7. */
void myr_random_normal(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double z[4]);

#endif
