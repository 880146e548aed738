/* near.h - loops for methods with many small tiles: a leaf of a tree against its near sources.
 *
 * The bag of such a loop consists of reals instead of vectors, one source after another, so that a range of sources is
 * read in place without packing. The loops are compiled for the kernels in expansions.def. */
#ifndef MYR_BACKEND_NEAR_H
#define MYR_BACKEND_NEAR_H

#include "backend/tile.h"

/* Loops over a myr_sweep whose bag is real [steps][SOURCE_LANES]. */
typedef struct {
    myr_loops loops[MYR_ACC_COUNT]; /* null if the accumulator does not exist in the arithmetic */
} myr_near_unit;

/* Kernels in the order of expansions.def. */
typedef enum {
#define MYR_EXPANSION(name, header) MYR_EXPANSION_##name,
#include "kernel/expansions.def"
#undef MYR_EXPANSION
    MYR_EXPANSION_COUNT
} myr_expansion_id;

/* Index of a kernel in expansions.def, or -1. */
int myr_backend_find_near(const char *kernel);

#endif
