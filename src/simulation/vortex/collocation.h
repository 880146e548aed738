/* collocation.h - vortex elements that carry vorticity, with strengths that follow from it. Nothing happens where they
 * carry strengths. */
#ifndef MYR_SIMULATION_VORTEX_COLLOCATION_H
#define MYR_SIMULATION_VORTEX_COLLOCATION_H

#include "simulation/simulation.h"

/* Whether strengths are solved for. */
int myr_collocation_on(const myr_simulation *s);

/* Gives elements that have none the vorticity of their strengths, and makes room. */
myr_status myr_collocation_prepare(myr_simulation *s);
void myr_collocation_release(myr_simulation *s);

/* Before the sums over pairs: the strengths of the vorticity that elements carry now, handed to the stage. */
myr_status myr_collocation_solve(myr_simulation *s, double *const vorticity[3]);

/* After them: adds to the rates of the vorticity what an element's own strength and viscosity do to it. */
void myr_collocation_add(const myr_simulation *s, double *const vorticity[3], double *const rate[3]);

/* The longest step with which viscosity is stable; 0 = any. */
double myr_collocation_longest_step(const myr_simulation *s);

/* Gives a copy of the elements the strengths of the vorticity that it carries: those of the elements themselves are of
 * the last evaluation, somewhere within the last step. */
myr_status myr_collocation_synchronise(myr_simulation *s, myr_particles *copy);

/* Whether that has been done since the last step. */
int myr_collocation_synchronised(const myr_simulation *s);

#endif
