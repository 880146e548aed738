/* merge.h - particle sets that lose some of their particles. */
#ifndef MYR_SIMULATION_MERGE_H
#define MYR_SIMULATION_MERGE_H

#include "simulation/simulation.h"

/* Makes a set of the `left` particles that are not gone, with all fields, ids and types. */
myr_status myr_merge_remaining(const myr_particles *from, const unsigned char *gone, int64_t left, myr_particles **to);

#endif
