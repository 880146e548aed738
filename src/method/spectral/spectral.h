/* spectral.h - incompressible flow in a periodic cube: rates of change of the velocities on a mesh.
 *
 * Spectral Galerkin method in primitive variables (paper 004, section 5.1): du/dt = P(u x w) - nu k^2 u, with the
 * vorticity w and the projection P on divergence-free fields, for the modes |k| < side/2 along each axis. Products are
 * formed on a mesh of 3/2 side points, which removes the aliasing error: without viscosity the energy is conserved to
 * rounding, apart from the integrator's error.
 *
 * The viscous term is explicit, as in the paper, or exact by an integrating factor: the integrated variable is then
 * exp(nu k^2 t) u, with t = time since the start of the step, whose rate of change is exp(nu k^2 t) P(u x w). */
#ifndef MYR_METHOD_SPECTRAL_H
#define MYR_METHOD_SPECTRAL_H

#include "domain/mesh.h"

typedef struct myr_spectral myr_spectral;

/* Creates a solver for a mesh with an even number of points per axis, at least 4. The solver keeps a pointer to the
 * mesh's order, which must outlive it. */
myr_status myr_spectral_create(myr_context *context, const myr_mesh *mesh, double viscosity, int exact,
                               myr_spectral **spectral);

/* Frees the solver and clears the pointer. Null is allowed. */
void myr_spectral_destroy(myr_spectral **spectral);

/* Gives waves of up to `shell` times the lowest wave number energy at the rate `power` per mass: their rates of change
 * get power/(2 E) times their coefficients, where E is their energy per mass. */
void myr_spectral_force(myr_spectral *spectral, double power, double shell);

/* Rates of change of the velocities at a time `elapsed` after the start of the step; entries in the order of the
 * particles. Collective: all ranks pass the same velocities and get the same rates. */
myr_status myr_spectral_rates(myr_spectral *spectral, double elapsed, const double *const velocity[3],
                              double *const rate[3]);

/* End of a step: with an exact viscous term, replaces the integrated variable by the velocities. */
myr_status myr_spectral_finish(myr_spectral *spectral, double elapsed, double *const velocity[3]);

/* Removes the divergence and the highest mode of each axis from a velocity field, which the method cannot represent.
 * *removed: root mean square of the removed part. */
myr_status myr_spectral_project(myr_spectral *spectral, double *const velocity[3], double *removed);

/* Longest step for which the fourth-order Runge-Kutta method is stable at these velocities and, with an exact viscous
 * term, for which the smallest waves keep their digits. */
double myr_spectral_longest_step(const myr_spectral *spectral, const double *const velocity[3]);

#endif
