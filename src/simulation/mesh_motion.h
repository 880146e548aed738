/* mesh_motion.h - particles that are the points of a mesh and carry the velocity of a fluid. */
#ifndef MYR_SIMULATION_MESH_MOTION_H
#define MYR_SIMULATION_MESH_MOTION_H

#include "domain/mesh.h"
#include "method/spectral/spectral.h"
#include "simulation/motions.h"

struct myr_mesh_state {
    int is_chosen;        /* 1 = the particles are the points of a mesh */
    double viscosity;     /* kinematic viscosity of the fluid */
    int is_exact;         /* 1 = the viscous term is treated by an integrating factor */
    myr_mesh points;      /* the particles as a mesh */
    myr_spectral *solver; /* null before the first step */
};

/* Warns if a mesh, or vortex elements interpolated to one, does not resolve the dissipation scale: k_max eta below
 * `least`. `what` begins the sentence. */
myr_status myr_mesh_motion_check_resolution(myr_simulation *s, const myr_particles *mesh, double viscosity,
                                            const char *what, double least);

#endif
