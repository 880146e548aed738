/* mesh_vortex.h - vortex elements with equal Gaussian cores in a periodic box: velocity u and its gradient. A mean
 * strength has no field. u^(k) = i k x S(k)/k^2 exp(-(core k)^2/2)/volume, with S the transform of the strengths. */
#ifndef MYR_METHOD_MESH_VORTEX_H
#define MYR_METHOD_MESH_VORTEX_H

#include "method/mesh/mesh.h"

/* Kernels of myr_mesh_apply: velocities from strengths; vorticities, the Gaussians themselves, from strengths; their
 * Laplacians. user is not used. */
void myr_mesh_vortex_velocity(void *user, const myr_mesh_row *row);
void myr_mesh_vortex_gaussian(void *user, const myr_mesh_row *row);
void myr_mesh_vortex_laplacian(void *user, const myr_mesh_row *row);

/* The same velocities and gradients at one target after the other without a mesh, by Ewald's method: all waves of a
 * wider Gaussian, and the difference to it by pairs, with images. `error`: relative size of what is left out.
 * sum[target][12] as of myr_mesh_gather. Own contributions of a target that is a source are included. */
typedef struct {
    int64_t n, m;       /* sources, targets */
    const double *x[3]; /* [n]: sources */
    const double *strength[3];
    const double *at[3]; /* [m]: targets */
    double core, edge[3], error;
} myr_mesh_vortex_problem;
myr_status myr_mesh_vortex_ewald(myr_context *context, const myr_mesh_vortex_problem *problem, double (*sum)[12]);

#endif
