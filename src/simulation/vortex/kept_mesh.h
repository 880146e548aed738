/* kept_mesh.h - mesh of Gaussian sums over vortex elements with one core in a periodic box, kept between evaluations
 * and between sets of elements. */
#ifndef MYR_SIMULATION_VORTEX_KEPT_MESH_H
#define MYR_SIMULATION_VORTEX_KEPT_MESH_H

#include "method/gaussian/gaussian_spread.h"
#include "simulation/simulation.h"

/* A mesh for velocities, and one for the vorticity that new elements take over. */
enum { MYR_KEPT_LOOSE, MYR_KEPT_CAREFUL };

/* Mesh whose sources are the elements of a set, for sums off by at most `tolerance` (relative rms); null if the box is
 * not periodic along all axes, cores differ, or plain sums are faster. It is valid until the next call for the same
 * purpose, and belongs to the simulation. */
myr_status myr_kept_mesh_place(const myr_simulation *s, const myr_particles *p, int purpose, double tolerance,
                               myr_gaussian_spread **spread);

/* Frees the meshes. */
void myr_kept_mesh_release(myr_simulation *s);

#endif
