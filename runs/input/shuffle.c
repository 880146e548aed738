/* shuffle.c - a Feistel network (Luby and Rackoff 1988) permutes the numbers of an even number of bits: half of them
 * are changed by a function of the other half, in turns. What falls outside of [0, n) is permuted again until it is
 * inside, which leaves a permutation of these. */
#include "input/shuffle.h"

enum { ROUNDS = 6 };

/* The finaliser of splitmix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t shuffle_place(uint64_t seed, int64_t n, int64_t i)
{
    int half = 1;
    while (half < 31 && (INT64_C(1) << 2 * half) < n)
        half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t place = (uint64_t)i;
    do {
        uint64_t left = place >> half, right = place & mask;
        for (int round = 0; round < ROUNDS; round++) {
            const uint64_t next = left ^ (mix(mix(seed + (uint64_t)round * 0x9e3779b97f4a7c15u) ^ right) & mask);
            left = right;
            right = next;
        }
        place = left << half | right;
    } while (place >= (uint64_t)n);
    return (int64_t)place;
}
