/* tracers.h - tracers when the elements around them are replaced. */
#ifndef MYR_SIMULATION_VORTEX_TRACERS_H
#define MYR_SIMULATION_VORTEX_TRACERS_H

#include "simulation/simulation.h"

/* Makes a set of the elements alone. */
myr_status myr_tracers_leave(const myr_particles *p, myr_particles **elements);

/* Puts the tracers of a set behind the elements of another, which get ids that the first does not have; nothing where
 * there are none. */
myr_status myr_tracers_join(const myr_particles *from, myr_particles **to);

#endif
