/* flow.h - functions shared by models of flows: the mesh of a velocity field, and vortex elements of such a field. */
#ifndef MYR_MODEL_FLOW_H
#define MYR_MODEL_FLOW_H

#include "model/model.h"

/* Places particles at the points of a periodic mesh of [-edge/2, edge/2)^3, x fastest, with equal masses that sum to 1.
 * Fails if their number is not the cube of an even number. */
myr_status myr_flow_mesh(const myr_model_arrays *to, double edge, int64_t *side);

/* Adds the fields of vortex elements: "volume" of a mesh cell, "core" sigma = overlap * spacing, and "strength", chosen
 * so that the Gaussians of all elements and their periodic images sum to the vorticity of the velocity field at every
 * point (paper 004 eq. 3). */
myr_status myr_flow_elements(const myr_model_arrays *to, double edge, double overlap);

/* Parameters of all flow models. The mesh is already centred; moving the centre of mass would shift its points. */
#define MYR_FLOW_OVERLAP                                                                                               \
    {                                                                                                                  \
        {"overlap", "core radius of the vortex elements over their distance", 1, 0.5, 2}, MYR_NUMBER                   \
    }
#define MYR_FLOW_CENTRE                                                                                                \
    {                                                                                                                  \
        {"centre", "1 = the centre of mass of the points is at the origin", 0, 0, 1}, MYR_NUMBER                       \
    }

#endif
