/* divided_steps.h - steps of bodies that are divided among ranks by a far field: each rank moves the particles of its
 * part of the Morton curve, and the sets of all ranks are made equal again when the steps of a command are over. */
#ifndef MYR_SIMULATION_RANKS_DIVIDED_STEPS_H
#define MYR_SIMULATION_RANKS_DIVIDED_STEPS_H

#include "simulation/simulation.h"

/* Steps of a command at least: equal sets cost as much as a few percent of a step. */
enum { MYR_DIVIDED_STEPS = 8 };

/* Returns 1 if the next step can be made so, the same on all ranks: all particles were divided in the last evaluation,
 * and nothing is due that needs all of them (grids, errors). */
int myr_divided_steps_fit(const myr_simulation *s);

/* Makes up to `most` steps, as myr_simulation_advance; fewer, or none, if one of them needs all particles: *made.
 * Collective. */
myr_status myr_divided_steps_advance(myr_simulation *s, double end, double until, int64_t most, int64_t *made);

#endif
