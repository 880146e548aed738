/* core_spreading.h - what moves vortex elements besides the sums over pairs. */
#ifndef MYR_SIMULATION_VORTEX_CORE_SPREADING_H
#define MYR_SIMULATION_VORTEX_CORE_SPREADING_H

#include "simulation/simulation.h"

/* Rates of the cores. */
void myr_vortex_spread(const myr_simulation *s, const double *core, double *rate);

/* The longest step with which no strength changes by more than the limit; 0 = any. */
double myr_vortex_longest_step(const myr_simulation *s, double *const strength[3], double *const rate[3]);

#endif
