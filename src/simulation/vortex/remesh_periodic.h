/* remesh_periodic.h - new vortex elements for old in a periodic cube. */
#ifndef MYR_SIMULATION_VORTEX_REMESH_PERIODIC_H
#define MYR_SIMULATION_VORTEX_REMESH_PERIODIC_H

#include "simulation/simulation.h"

/* Where Gaussians end, in cores, when new elements take over the vorticity of old ones: what lies beyond, 1.2e-6 of it,
 * is lost each time. */
#define MYR_RENEWAL_CUTOFF 5.5

/* Whether the elements are in a cube that repeats along all axes. */
int myr_renewal_in_cube(const myr_simulation *s);

/* Elements at all points of a mesh of the cube, about `spacing` apart, with the vorticity of the old ones; its
 * divergence, which a vorticity cannot have, is taken out. */
myr_status myr_renewal_cube(const myr_simulation *s, const myr_particles *old, double spacing, double core,
                            myr_reinitialisation *info, myr_particles **made);

#endif
