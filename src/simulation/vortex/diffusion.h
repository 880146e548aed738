/* diffusion.h - what vortex elements have besides the sums over pairs and spreading cores. */
#ifndef MYR_SIMULATION_VORTEX_DIFFUSION_H
#define MYR_SIMULATION_VORTEX_DIFFUSION_H

#include "method/gaussian/gaussian.h"
#include "simulation/simulation.h"

/* Whether cores change, and whether strengths do. */
int myr_elements_spread(const myr_simulation *s);
int myr_elements_exchange(const myr_simulation *s);

/* Sorts the Gaussians of all elements of a set. */
myr_status myr_elements_gaussian(const myr_simulation *s, const myr_particles *p, myr_gaussian **gaussian);

/* Adds the rates of exchange to those of the strengths. */
myr_status myr_elements_add_exchange(myr_simulation *s, double *const rate[3]);

/* Adds the free stream to velocities of n elements. */
void myr_elements_add_stream(const myr_simulation *s, int64_t n, double *const velocity[3]);

/* The longest step with which elements do not turn further than the limit; 0 = any. */
myr_status myr_elements_longest_step(const myr_simulation *s, double *longest);

/* After a step of length dt: strengths turn towards the vorticity. */
myr_status myr_elements_relax(myr_simulation *s, double dt);

/* Before the first step: what is asked for must fit the elements. */
myr_status myr_elements_check(myr_simulation *s);

#endif
