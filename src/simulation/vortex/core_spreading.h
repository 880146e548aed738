/* core_spreading.h - spreading of vortex cores, and steps limited by the strain. */
#ifndef MYR_SIMULATION_VORTEX_CORE_SPREADING_H
#define MYR_SIMULATION_VORTEX_CORE_SPREADING_H

#include "simulation/simulation.h"

/* Rates of the cores. */
void myr_core_spreading_rates(const myr_simulation *s, const double *core, double *rate);

/* Longest step for which no strength changes by more than the limit; 0 = no limit. */
double myr_core_spreading_longest_step(const myr_simulation *s, double *const strength[3], double *const rate[3]);

#endif
