/* replace.h - other particles in a simulation; the checks of myr_simulation_replace are made by the caller. */
#ifndef MYR_SIMULATION_REPLACE_H
#define MYR_SIMULATION_REPLACE_H

#include "simulation/simulation.h"

/* Replaces the particle set; a motion that has started starts again from the new set at the present time. The
 * simulation takes ownership of the set in any case; a failure leaves the former particles. */
myr_status myr_replace_particles(myr_simulation *s, myr_particles *p);

#endif
