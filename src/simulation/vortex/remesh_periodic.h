/* remesh_periodic.h - re-initialisation of vortex elements in a periodic cube. */
#ifndef MYR_SIMULATION_VORTEX_REMESH_PERIODIC_H
#define MYR_SIMULATION_VORTEX_REMESH_PERIODIC_H

#include "simulation/simulation.h"

/* Cutoff of Gaussians, in cores, when new elements take over the vorticity of old ones: the part beyond, 1.2e-6, is
 * lost each time. */
#define MYR_REMESH_PERIODIC_CUTOFF 5.5

/* Returns 1 if the elements are in a cube that is periodic along all axes. */
int myr_remesh_periodic_in_cube(const myr_simulation *s);

/* Makes elements at all points of a mesh of the cube, about `spacing` apart, with the vorticity of the old elements;
 * the divergence is removed. Strengths of elements that carry vorticity may change to those that belong to it. */
myr_status myr_remesh_periodic_cube(const myr_simulation *s, myr_particles *old, double spacing, double core,
                                    myr_reinitialisation *info, myr_particles **made);

#endif
