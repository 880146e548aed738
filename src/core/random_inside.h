/* random_inside.h - counter-based random numbers of random.h: Philox 4x32 with 10 rounds (Salmon, Moraes, Dror and Shaw
 * 2011). Compiled for the processor by random.c, and for GPUs: the numbers have the same bits. */
#ifndef MYR_CORE_RANDOM_INSIDE_H
#define MYR_CORE_RANDOM_INSIDE_H

#include "core/elementary_inside.h"

MYR_ELEMENTARY void random_words(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, uint32_t word[4])
{
    const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u}, weyl[2] = {0x9E3779B9u, 0xBB67AE85u};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t c[4] = {(uint32_t)id, (uint32_t)(id >> 32), stream, index};
    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)multiplier[0] * c[0], q = (uint64_t)multiplier[1] * c[2];
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ key[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ key[1],
                                  (uint32_t)p};
        for (int k = 0; k < 4; k++)
            c[k] = next[k];
        key[0] += weyl[0];
        key[1] += weyl[1];
    }
    for (int k = 0; k < 4; k++)
        word[k] = c[k];
}

/* Box-Muller transform. */
MYR_ELEMENTARY void random_normal(uint64_t seed, uint32_t stream, uint64_t id, uint32_t index, double z[4])
{
    uint32_t w[4];
    random_words(seed, stream, id, index, w);
    for (int k = 0; k < 4; k += 2) {
        const double radius = sqrt(-2 * elementary_log(((double)w[k] + 0.5) * 0x1p-32));
        double c, s;
        elementary_turn(((double)w[k + 1] + 0.5) * 0x1p-32, &c, &s);
        z[k] = radius * c;
        z[k + 1] = radius * s;
    }
}

#endif
