/* initial_shares.h - initial particles of the ranks of a divided box. */
#ifndef MYR_SIMULATION_RANKS_INITIAL_SHARES_H
#define MYR_SIMULATION_RANKS_INITIAL_SHARES_H

#include "simulation/simulation.h"

/* Called by all ranks before the particles of a box are used: determines which particles each rank has, and copies the
 * state of rank 0, including the fields of its particles, to the following ranks. */
myr_status myr_initial_shares_prepare(myr_simulation *s);

/* Replaces the particles of this rank by a set that begins with row `first`; called by all ranks. The simulation owns
 * the set. */
myr_status myr_initial_shares_take(myr_simulation *s, myr_particles *set, int64_t first);

#endif
