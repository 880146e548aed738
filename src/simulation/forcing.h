/* forcing.h - energy given to the long waves of a fluid in a periodic cube at a constant rate. */
#ifndef MYR_SIMULATION_FORCING_H
#define MYR_SIMULATION_FORCING_H

#include "simulation/checkpoint/lines.h"
#include "simulation/simulation.h"

/* Refuses forced vortex elements outside a cube that is periodic along all axes, and those whose strengths do not
 * change. */
myr_status myr_forcing_check_elements(const myr_simulation *s);

/* Adds the forcing of vortex elements to the rates of the vorticity or the strengths that they carry. */
myr_status myr_forcing_add(const myr_simulation *s, double *const rate[3]);

/* Setting in a checkpoint. */
void myr_forcing_save(const myr_simulation *s, myr_lines *lines);
myr_status myr_forcing_load(myr_simulation *s, const char *power, const char *shell);

#endif
