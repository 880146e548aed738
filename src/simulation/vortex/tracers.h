/* tracers.h - preservation of tracers when the elements around them are replaced. */
#ifndef MYR_SIMULATION_VORTEX_TRACERS_H
#define MYR_SIMULATION_VORTEX_TRACERS_H

#include "simulation/simulation.h"

/* Makes a set of the elements without tracers. */
myr_status myr_tracers_leave(const myr_particles *p, myr_particles **elements);

/* Appends the tracers of a set to the elements of another, which get ids unused in the first set; does nothing without
 * tracers. */
myr_status myr_tracers_join(const myr_particles *from, myr_particles **to);

#endif
