/* spectral.h - incompressible flow in a periodic cube: how fast the velocities on a mesh change.
 *
 * Spectral Galerkin method in primitive variables (paper 004, section 5.1): du/dt = P(u x w) - nu k^2 u, with the
 * vorticity w and the projection P on fields without divergence, for the modes |k| < side/2 along each axis. Products
 * are formed on a mesh of 3/2 side points, which removes the aliasing error, so that without viscosity the energy is
 * conserved to rounding but for the integrator. */
#ifndef MYR_METHOD_SPECTRAL_H
#define MYR_METHOD_SPECTRAL_H

#include "domain/mesh.h"

typedef struct myr_spectral myr_spectral;

/* Makes a solver for the mesh, which must have an even number of points per axis, 4 or more. It keeps the mesh's
 * order, which must stay. */
myr_status myr_spectral_create(myr_context *context, const myr_mesh *mesh, double viscosity, myr_spectral **spectral);

/* Frees it and clears the pointer. Null is allowed. */
void myr_spectral_destroy(myr_spectral **spectral);

/* Rates of change of the velocities; entries as the particles are. */
void myr_spectral_rates(myr_spectral *spectral, const double *const velocity[3], double *const rate[3]);

/* Takes out of a velocity field what the method cannot carry: divergence and the highest mode of each axis. *removed
 * is the root mean square of that. */
void myr_spectral_project(myr_spectral *spectral, double *const velocity[3], double *removed);

/* The longest step with which Runge-Kutta of order 4 is stable at these velocities. */
double myr_spectral_longest_step(const myr_spectral *spectral, const double *const velocity[3]);

#endif
