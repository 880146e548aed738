/* row_names.h - names of particles that several ranks share: no rank has all particles, and names do not move with
 * them. Rank 0 keeps the names by rows, as the text that checkpoints have: a line "row name" for each. */
#ifndef MYR_SIMULATION_RANKS_ROW_NAMES_H
#define MYR_SIMULATION_RANKS_ROW_NAMES_H

#include "simulation/simulation.h"

/* Text of the names of a set whose first particle is row `first`, and its size without the final 0; null if memory is
 * short. The caller frees it. */
char *myr_row_names_text(const myr_particles *set, int64_t first, size_t *size);

/* Names the particles of a set of all rows; *fits = 0 if the text is none. */
myr_status myr_row_names_apply(const char *text, myr_particles *set, int *fits);

/* Collects the names at rank 0, before the ranks give up their first particles. */
myr_status myr_row_names_gather(myr_simulation *s);

#endif
