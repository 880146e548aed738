/* mesh_fit_waves.h - waves of a periodic field from its values at scattered places: those with |k| < modes/2, in a
 * ball, whose sum is nearest to the values (least squares). Places that a flow without divergence has carried away from
 * a lattice of modes^3 points see these waves nearly as the lattice does, so that few iterations suffice however short
 * the waves are. */
#ifndef MYR_METHOD_MESH_FIT_WAVES_H
#define MYR_METHOD_MESH_FIT_WAVES_H

#include "method/mesh/mesh.h"
#include "method/mesh/waves_fit.h"

myr_status myr_mesh_fit_waves(myr_context *context, myr_mesh *mesh, const myr_mesh_places *places,
                              const double *const value[3], myr_mesh_waves_fit *fit, double *const hat[3]);

#endif
