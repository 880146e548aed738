/* rates.h - evaluation of the interaction and of the external fields as rates of the variables of a motion. */
#ifndef MYR_SIMULATION_RATES_H
#define MYR_SIMULATION_RATES_H

#include "simulation/simulation.h"

/* First component of the kernel's output of this name, or -1. */
int myr_rates_output(const myr_simulation *s, const char *name);

/* Replaces the chosen kernel by the one that also computes the jerk, visible in myr_interaction_choice. Fails if there
 * is none. */
myr_status myr_rates_want_jerk(myr_simulation *s);

/* Current positions, velocities, accelerations and jerks of the particles, for a prediction to `time`. */
myr_prediction myr_rates_now(const myr_simulation *s, double time);

/* Evaluates the interaction on n listed particles (null = all) into the simulation's `output`. */
myr_status myr_rates_evaluate(myr_simulation *s, const myr_prediction *p, int64_t n, const int64_t *index);

/* Copies three output components starting at `from` (-1: zeros) into to[3][n], divided by mass[index[k]] of entry k
 * unless mass is null. */
void myr_rates_copy(const myr_simulation *s, int from, int64_t n, const int64_t *index, double *const *to,
                    const double *mass);

/* Adds the external fields to the accelerations a[3][n] and jerks j[3][n] (null = not requested) of the listed
 * particles. */
myr_status myr_rates_add_external(const myr_simulation *s, double time, int64_t n, const int64_t *index,
                                  const myr_prediction *p, double *const *a, double *const *j);

/* Adds the energy of the particles `now` in the fields that functions of the user compute. */
myr_status myr_rates_function_energy(const myr_simulation *s, const myr_particles *now, double *energy);

/* Adds the fields that functions of the user compute to the accelerations and potentials (null = not requested) of all
 * particles, in the order of the set; user: the simulation. */
myr_status myr_rates_function_points(void *user, const myr_field_points *points);

/* Accelerations and jerks of some particles, with all particles predicted from their own times; see myr_rates in
 * integrator/integrator.h. */
myr_status myr_rates_predicted(void *user, double time, const double *own, int64_t n, const int64_t *index,
                               double *const out[6]);

/* Chooses the grids of `fixed` sums at the places of all particles, predicted from their own times. */
myr_status myr_rates_choose_grids(myr_simulation *s, double time, const double *own);

#endif
