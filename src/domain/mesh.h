/* mesh.h - particles at the points of a cubic mesh: size, spacing, and the particle at each point. */
#ifndef MYR_DOMAIN_MESH_H
#define MYR_DOMAIN_MESH_H

#include <myriad/particles.h>

/* Cubic mesh; point (x, y, z), counted from 0, is particle order[(z * side + y) * side + x]. */
typedef struct {
    int64_t side; /* number of points along each axis */
    double spacing;
    double origin[3]; /* position of point (0, 0, 0) */
    int64_t *order;
} myr_mesh;

/* Integer cube root of n, or 0 if n is not a cube. */
int64_t myr_mesh_side(int64_t n);

/* Finds the mesh in the positions of a particle set in any order; fails if a particle is not at a mesh point. Release
 * with myr_mesh_free. */
myr_status myr_mesh_find(const myr_particles *particles, myr_mesh *mesh);

/* Frees the array of a mesh that myr_mesh_find filled. */
void myr_mesh_free(myr_mesh *mesh);

#endif
