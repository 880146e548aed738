/* morton.h - Morton keys of particles in a cube, and sorting by them: a radix sort that is stable, so that the order
 * does not depend on the number of threads. */
#ifndef MYR_METHOD_TREE_MORTON_H
#define MYR_METHOD_TREE_MORTON_H

#include "method/tree/points.h"

typedef struct {
    uint64_t key; /* 21 triples of bits, x first, the coarsest level in the highest */
    int64_t number;
} myr_keyed;

/* Bits of a key that one call of myr_keys_sort orders: three passes of 11. */
enum { MYR_KEYS_PASS = 11, MYR_KEYS_HALF = 3 * MYR_KEYS_PASS, MYR_KEYS_BITS = 63 };

/* Gives each entry the key of its particle in the cube; what lies outside by rounding counts to the nearest cell. */
void myr_keys_make(const myr_points *points, const double origin[3], double side, int64_t n, myr_keyed *entry,
                   int threads);

/* Sorts by MYR_KEYS_HALF bits from `shift` on; entries that are equal there keep their order. scratch: n entries.
 * Returns 0 where there is no memory for the counts. */
int myr_keys_sort(myr_keyed *entry, myr_keyed *scratch, int64_t n, int shift, int threads);

#endif
