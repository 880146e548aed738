/* collocation.h - vortex elements that carry vorticity, with strengths computed from it. The functions do nothing if
 * elements carry strengths. */
#ifndef MYR_SIMULATION_VORTEX_COLLOCATION_H
#define MYR_SIMULATION_VORTEX_COLLOCATION_H

#include "simulation/simulation.h"

/* Returns 1 if strengths are solved for. */
int myr_collocation_on(const myr_simulation *s);

/* Gives elements without a vorticity that of their strengths, and allocates memory. */
myr_status myr_collocation_prepare(myr_simulation *s);
void myr_collocation_release(myr_simulation *s);

/* Before the sums over pairs: solves for the strengths of the vorticity at a time and passes them to the stage. */
myr_status myr_collocation_solve(myr_simulation *s, double time, double *const vorticity[3]);

/* After a step: strengths near those of its end. */
void myr_collocation_finish(myr_simulation *s);

/* Error allowed in sums of Gaussians from which new elements take over their vorticity (relative rms). */
double myr_collocation_error(const myr_simulation *s);

/* After the sums over pairs: adds the effects of an element's own strength and of viscosity to the rates of the
 * vorticity. */
void myr_collocation_add(const myr_simulation *s, double *const vorticity[3], double *const rate[3]);

/* Longest step for which viscosity is stable; 0 = no limit. */
double myr_collocation_longest_step(const myr_simulation *s);

/* Computes the strengths of a copy of the elements from its vorticity: the strengths of the elements themselves belong
 * to the last evaluation, somewhere within the last step. */
myr_status myr_collocation_synchronise(myr_simulation *s, myr_particles *copy);

/* Returns 1 if the copy was synchronised since the last step. */
int myr_collocation_synchronised(const myr_simulation *s);

/* For re-initialisation in a periodic cube, which needs the vorticity alone: while postponed, strengths of copies are
 * not computed. myr_collocation_estimate gives a copy those of its volumes, and myr_collocation_strengths the right
 * ones. */
void myr_collocation_postpone(myr_simulation *s, int postponed);
void myr_collocation_estimate(const myr_simulation *s, myr_particles *copy);
myr_status myr_collocation_strengths(const myr_simulation *s, myr_particles *copy);

#endif
