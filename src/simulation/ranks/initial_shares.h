/* initial_shares.h - which particles the ranks of a divided box begin with. */
#ifndef MYR_SIMULATION_RANKS_INITIAL_SHARES_H
#define MYR_SIMULATION_RANKS_INITIAL_SHARES_H

#include "simulation/simulation.h"

/* Called by all ranks before anything is done with the particles of a box: finds out which of them each has, and brings
 * those that follow into the state of rank 0, also with the fields that their particles will have. */
myr_status myr_initial_shares_prepare(myr_simulation *s);

/* Takes another set for the particles of this rank, which begins with row `first`; all ranks do. The simulation owns it
 * then. */
myr_status myr_initial_shares_take(myr_simulation *s, myr_particles *set, int64_t first);

#endif
