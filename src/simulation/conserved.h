/* conserved.h - the interaction of a simulation in double arithmetic. */
#ifndef MYR_SIMULATION_CONSERVED_H
#define MYR_SIMULATION_CONSERVED_H

#include "simulation/simulation.h"

/* Sums the conserved quantities of particles with mass and velocity; see motions.h. */
myr_status myr_conserved_bodies(myr_simulation *s, myr_conserved *conserved);

/* Makes `energy` of a simulation of vortex elements: its own kernel, in double arithmetic. */
myr_status myr_conserved_prepare(myr_simulation *s);

#endif
