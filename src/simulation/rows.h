/* rows.h - snapshots of particles in a box that several ranks write together: every rank gets the particles of a part
 * of the rows, in the order of the user's set, and writes them into the one file. The file is that of one rank. */
#ifndef MYR_SIMULATION_ROWS_H
#define MYR_SIMULATION_ROWS_H

#include "simulation/simulation.h"

/* Rank 0: writes a snapshot with those who follow. */
myr_status myr_rows_write(myr_simulation *s, const char *path, const char *format, const char *const *fields,
                          const myr_snapshot_header *header);

/* The other ranks. */
myr_status myr_rows_follow(myr_simulation *s);

#endif
