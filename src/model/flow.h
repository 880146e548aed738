/* flow.h - what models of flows share: the mesh that carries a velocity field, and the vortex elements of such a field.
 */
#ifndef MYR_MODEL_FLOW_H
#define MYR_MODEL_FLOW_H

#include "model/model.h"

/* Particles as the points of a periodic mesh of [-edge/2, edge/2)^3, x fastest, equal masses that sum to 1. Fails where
 * their number is not the cube of an even number. */
myr_status myr_flow_mesh(const myr_model_arrays *to, double edge, int64_t *side);

/* Adds the fields of vortex elements: "volume" of a mesh cell, "core" sigma = overlap * spacing, and the "strength"
 * with which the Gaussians of all elements and their periodic images add up to the vorticity of the velocities at every
 * point (paper 004 eq. 3). */
myr_status myr_flow_elements(const myr_model_arrays *to, double edge, double overlap);

/* Parameters that all of them have. The mesh is centred as it is; moving the centre of mass would take it off. */
#define MYR_FLOW_OVERLAP                                                                                               \
    {                                                                                                                  \
        {"overlap", "core radius of the vortex elements over their distance", 1, 0.5, 2}, MYR_NUMBER                   \
    }
#define MYR_FLOW_CENTRE                                                                                                \
    {                                                                                                                  \
        {"centre", "1 = the centre of mass of the points is at the origin", 0, 0, 1}, MYR_NUMBER                       \
    }

#endif
