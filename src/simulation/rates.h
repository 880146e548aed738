/* rates.h - what moves the particles of a simulation. */
#ifndef MYR_SIMULATION_RATES_H
#define MYR_SIMULATION_RATES_H

#include "simulation/simulation.h"

/* First component of the kernel's output of this name, or -1. */
int myr_rates_output(const myr_simulation *s, const char *name);

/* Finds the variables and rates of the motion; adds the fields that it needs. */
myr_status myr_rates_prepare(myr_simulation *s);

/* The two ways to ask for rates; see myr_rates in integrator/integrator.h. */
myr_status myr_rates_all(void *user, double time);
myr_status myr_rates_predicted(void *user, double time, const double *own, int64_t n, const int64_t *index,
                               double *const out[6]);

#endif
