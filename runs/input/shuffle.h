/* shuffle.h - a permutation of which every place is known by itself. */
#ifndef MYR_CLI_INPUT_SHUFFLE_H
#define MYR_CLI_INPUT_SHUFFLE_H

#include <stdint.h>

/* Where i of 0 to n - 1 goes to in a permutation of them that the seed chooses. */
int64_t shuffle_place(uint64_t seed, int64_t n, int64_t i);

#endif
