/* spectral.h - incompressible flow in a periodic cube: how fast the velocities on a mesh change.
 *
 * Spectral Galerkin method in primitive variables (paper 004, section 5.1): du/dt = P(u x w) - nu k^2 u, with the
 * vorticity w and the projection P on fields without divergence, for the modes |k| < side/2 along each axis. Products
 * are formed on a mesh of 3/2 side points, which removes the aliasing error, so that without viscosity the energy is
 * conserved to rounding but for the integrator.
 *
 * The viscous term is explicit, as in the paper, or exact by an integrating factor: what the integrator then moves is
 * exp(nu k^2 t) u, with t the time since the step began, whose rate is exp(nu k^2 t) P(u x w). */
#ifndef MYR_METHOD_SPECTRAL_H
#define MYR_METHOD_SPECTRAL_H

#include "domain/mesh.h"

typedef struct myr_spectral myr_spectral;

/* Makes a solver for the mesh, which must have an even number of points per axis, 4 or more. It keeps the mesh's
 * order, which must stay. */
myr_status myr_spectral_create(myr_context *context, const myr_mesh *mesh, double viscosity, int exact,
                               myr_spectral **spectral);

/* Frees it and clears the pointer. Null is allowed. */
void myr_spectral_destroy(myr_spectral **spectral);

/* Rates of change of the velocities, `elapsed` after the step began; entries as the particles are. All ranks of the
 * context call it with the same velocities, share the work, and have the same rates. */
myr_status myr_spectral_rates(myr_spectral *spectral, double elapsed, const double *const velocity[3],
                              double *const rate[3]);

/* At the end of a step: velocities in place of what was moved, where the viscous term is exact. */
myr_status myr_spectral_finish(myr_spectral *spectral, double elapsed, double *const velocity[3]);

/* Takes out of a velocity field what the method cannot carry: divergence and the highest mode of each axis. *removed
 * is the root mean square of that. */
myr_status myr_spectral_project(myr_spectral *spectral, double *const velocity[3], double *removed);

/* The longest step with which Runge-Kutta of order 4 is stable at these velocities; with an exact viscous term, and
 * with which the smallest waves keep their digits. */
double myr_spectral_longest_step(const myr_spectral *spectral, const double *const velocity[3]);

#endif
