/* morton.h - Morton keys of particles in a cube, and a stable radix sort by key, whose result does not depend on the
 * number of threads. */
#ifndef MYR_METHOD_TREE_MORTON_H
#define MYR_METHOD_TREE_MORTON_H

#include "method/tree/points.h"

typedef struct {
    uint64_t key; /* 21 bit triples, x in the highest bit, the coarsest level in the highest triple */
    int64_t number;
} myr_morton_entry;

/* Number of key bits sorted by one call of myr_morton_sort: three passes of 11. */
enum { MYR_MORTON_PASS = 11, MYR_MORTON_HALF = 3 * MYR_MORTON_PASS, MYR_MORTON_BITS = 63 };

/* Computes the key of each entry's particle. A particle outside the cube by rounding gets the key of the nearest
 * cell. */
void myr_morton_make(const myr_points *points, const double origin[3], double side, int64_t n, myr_morton_entry *entry,
                     int threads);

/* First key of the cell at a place in the grid of a level, at most 21. */
uint64_t myr_morton_cell(const int64_t at[3], int level);

/* Stable sort by MYR_MORTON_HALF bits from bit `shift` on. scratch: n entries. Returns 0 if memory for the counts is
 * short. */
int myr_morton_sort(myr_morton_entry *entry, myr_morton_entry *scratch, int64_t n, int shift, int threads);

#endif
