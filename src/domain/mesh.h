/* mesh.h - particles that are the points of a cubic mesh: how many per axis, how far apart, and which is where. */
#ifndef MYR_DOMAIN_MESH_H
#define MYR_DOMAIN_MESH_H

#include <myriad/particles.h>

/* Point (x, y, z) of the mesh, counted from 0, is particle order[(z * side + y) * side + x]. */
typedef struct {
    int64_t side; /* points per axis */
    double spacing;
    double origin[3]; /* of point (0, 0, 0) */
    int64_t *order;
} myr_mesh;

/* The whole number whose cube n is, or 0. */
int64_t myr_mesh_side(int64_t n);

/* Finds the mesh in the positions of a set, in whatever order they are; fails where a particle is not on it. Free the
 * order with myr_mesh_free. */
myr_status myr_mesh_find(const myr_particles *particles, myr_mesh *mesh);

/* Frees what find made. */
void myr_mesh_free(myr_mesh *mesh);

#endif
