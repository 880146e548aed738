/* near.h - loops for methods that make many small tiles: a leaf of a tree against the sources near it.
 *
 * The bag of such a loop is not lanes but reals, one source after another, so that a range of sources is read where it
 * lies and nothing is packed per tile. They are compiled for the kernels that expansions.def lists. */
#ifndef MYR_BACKEND_NEAR_H
#define MYR_BACKEND_NEAR_H

#include "backend/tile.h"

/* The loops take a myr_sweep whose bag is real [steps][SOURCE_LANES]. */
typedef struct {
    myr_loops loops[MYR_ACC_COUNT]; /* null where the accumulator is not for the arithmetic */
} myr_near_unit;

/* Kernels in the order of expansions.def. */
typedef enum {
#define MYR_EXPANSION(name, header) MYR_EXPANSION_##name,
#include "kernel/expansions.def"
#undef MYR_EXPANSION
    MYR_EXPANSION_COUNT
} myr_expansion_id;

/* The number of a kernel in that list, or -1. */
int myr_near_find(const char *kernel);

#endif
