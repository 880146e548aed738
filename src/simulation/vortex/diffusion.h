/* diffusion.h - changes of vortex elements besides the sums over pairs and spreading cores. */
#ifndef MYR_SIMULATION_VORTEX_DIFFUSION_H
#define MYR_SIMULATION_VORTEX_DIFFUSION_H

#include "method/gaussian/gaussian.h"
#include "simulation/simulation.h"

/* Return 1 if cores change, and if strengths change. */
int myr_diffusion_spreads_cores(const myr_simulation *s);
int myr_diffusion_exchanges(const myr_simulation *s);

/* Sorts the Gaussians of all elements of a set. */
myr_status myr_diffusion_gaussian(const myr_simulation *s, const myr_particles *p, myr_gaussian **gaussian);

/* Adds the rates of exchange to those of the strengths. */
myr_status myr_diffusion_add_exchange(myr_simulation *s, double *const rate[3]);

/* Adds the free stream to the velocities of n elements. */
void myr_diffusion_add_stream(const myr_simulation *s, int64_t n, double *const velocity[3]);

/* Longest step for which elements turn no further than the limit; 0 = no limit. */
myr_status myr_diffusion_longest_step(const myr_simulation *s, double *longest);

/* After a step of length dt: turns strengths towards the vorticity. */
myr_status myr_diffusion_relax(myr_simulation *s, double dt);

/* Before the first step: checks that the settings are compatible with the elements. */
myr_status myr_diffusion_check(myr_simulation *s);

#endif
