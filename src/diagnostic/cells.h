/* cells.h - all pairs of particles nearer than a distance, by a hashed grid of cells of that size. The work grows with
 * the number of particles and of pairs, however far out single particles are. */
#ifndef MYR_DIAGNOSTIC_CELLS_H
#define MYR_DIAGNOSTIC_CELLS_H

#include "diagnostic/diagnostic.h"

/* Calls `visit` once for every pair with i < j whose squared distance is below the square of `radius`, in an order that
 * depends on the positions alone. Positions are finite, `radius` is 0 or more. */
myr_status myr_cells_pairs(const myr_bodies *bodies, double radius,
                           void (*visit)(void *user, int64_t i, int64_t j, double square), void *user);

#endif
