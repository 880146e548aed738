/* mesh_motion.h - a simulation whose particles are a mesh of the velocities of a fluid. Nothing happens where they are
 * not.
 */
#ifndef MYR_SIMULATION_MESH_MOTION_H
#define MYR_SIMULATION_MESH_MOTION_H

#include "simulation/simulation.h"

/* Finds the mesh and makes the solver; frees them. */
myr_status myr_fluid_prepare(myr_simulation *s);
void myr_fluid_release(myr_simulation *s);

/* Before the first step: takes out of the velocities what the method cannot carry, and refuses a step that is too long.
 */
myr_status myr_fluid_start(myr_simulation *s);

/* Rates of the velocities; and at the end of a step that began at a time, the velocities themselves. */
myr_status myr_fluid_rates(myr_simulation *s, double time);
myr_status myr_fluid_finish(myr_simulation *s, double begin);

#endif
