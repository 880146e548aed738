/* conserved.h - conserved quantities of a simulation, from its interaction in double arithmetic. */
#ifndef MYR_SIMULATION_CONSERVED_H
#define MYR_SIMULATION_CONSERVED_H

#include "simulation/simulation.h"

/* Sums the conserved quantities of particles with mass and velocity; see motions.h. */
myr_status myr_conserved_bodies(myr_simulation *s, myr_conserved *conserved);

/* Creates s->energy for a simulation of vortex elements: its own kernel, in double arithmetic. */
myr_status myr_conserved_prepare(myr_simulation *s);

/* Evaluates s->energy on a set; ranks that all have the particles share the sums. */
myr_status myr_conserved_evaluate(myr_simulation *s, myr_particles *p);

#endif
