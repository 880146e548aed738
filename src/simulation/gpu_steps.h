/* gpu_steps.h - a simulation whose particles stay on a GPU between steps. */
#ifndef MYR_SIMULATION_GPU_STEPS_H
#define MYR_SIMULATION_GPU_STEPS_H

#include "simulation/simulation.h"

/* Moves the particles to the GPU where the interaction is evaluated there and the integrator can work there; else
 * nothing changes. Called when the motion has been started on the processor. */
myr_status myr_device_open(myr_simulation *s);

/* Lets go of the GPU; what was computed there and not fetched is lost. */
void myr_device_close(myr_simulation *s);

/* Brings the particles of the simulation up to date with the GPU's. */
myr_status myr_device_fetch(myr_simulation *s);

/* Steps there; see myr_simulation_advance. */
myr_status myr_device_advance(myr_simulation *s, double end, double until, int64_t most);

#endif
