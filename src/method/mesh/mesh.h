/* mesh.h - sums over sources in a periodic box that are smooth on a mesh: sources are spread onto the mesh, Fourier
 * transforms multiply each wave by the transform of the kernel, and sums, with their gradients, are gathered at
 * targets. There is no near field: the kernel holds a Gaussian that the mesh resolves (mesh_choice.h).
 *
 * Sources are spread in integers, so that the order of additions does not matter: the same bits on any number of
 * threads and for any order of the sources. A mesh is in double with integers of 64 bits, or, if its choice says so, in
 * floats with integers of 32 bits, which takes half of the time; positions and results are in double. */
#ifndef MYR_METHOD_MESH_H
#define MYR_METHOD_MESH_H

#include <myriad/context.h>

#include "method/mesh/mesh_choice.h"

/* Smallest tolerance of a mesh in floats: its sums are off by about 1e-6. */
#define MYR_MESH_SINGLE 2e-5

typedef struct myr_mesh myr_mesh;

/* Mesh of a choice in a box with these edges; the lower corner of the box is at 0, or at another origin. */
myr_status myr_mesh_create(myr_context *context, const myr_mesh_choice *choice, const double edge[3], myr_mesh **mesh);
void myr_mesh_destroy(myr_mesh **mesh);
void myr_mesh_set_origin(myr_mesh *mesh, const double origin[3]);

/* Stretches the mesh to a box with other edges. */
void myr_mesh_set_box(myr_mesh *mesh, const double edge[3]);

/* Wave numbers along an axis, and 1/(transform of the window)^2 times side/edge: [side]. */
void myr_mesh_waves(const myr_mesh_choice *choice, int axis, double edge, double *wave, double *unwound);

/* Returns 1 if the mesh is that of the choice and the box. */
int myr_mesh_matches(const myr_mesh *mesh, const myr_mesh_choice *choice, const double edge[3]);
const myr_mesh_choice *myr_mesh_choice_of(const myr_mesh *mesh);
int64_t myr_mesh_bytes(const myr_mesh *mesh);

/* Positions on the mesh, sorted by place; valid as long as the mesh. Positions outside the box are folded into it. */
typedef struct myr_mesh_places myr_mesh_places;
myr_status myr_mesh_places_create(const myr_mesh *mesh, int64_t n, const double *const x[3], myr_mesh_places **places);
void myr_mesh_places_destroy(myr_mesh_places **places);

/* Spreads three numbers per source, replacing what was on the mesh. */
void myr_mesh_spread(myr_mesh *mesh, const myr_mesh_places *sources, const double *const weight[3]);

/* Multiplies the waves by a kernel. `row` gets the coefficients of three fields along kx = 0 .. count - 1 at ky, kz.
 * g[] is the transform of a Gaussian of width `core` without what both windows did: the coefficients times g and times
 * the rest of the kernel's transform give the sums. */
typedef struct {
    int64_t count;
    const double *kx, *g; /* [count] */
    double ky, kz;
    double *hat[3]; /* [count] complex numbers, real part first */
} myr_mesh_row;
typedef void myr_mesh_kernel(void *user, const myr_mesh_row *row);
void myr_mesh_apply(myr_mesh *mesh, double core, myr_mesh_kernel *kernel, void *user);

/* From now on myr_mesh_apply keeps the coefficients of the sources before it multiplies them, so that
 * myr_mesh_apply_again can multiply them by another kernel without spreading and transforming the sources again. */
myr_status myr_mesh_keep(myr_mesh *mesh);
void myr_mesh_apply_again(myr_mesh *mesh, double core, myr_mesh_kernel *kernel, void *user);

/* Instead of myr_mesh_apply: coefficients of the sums of Gaussians of width `core` at the points of a mesh of modes^3
 * points, for |k| < modes/2 along each axis, in the layout of fourier.h, with the first point at the origin of this
 * mesh. fold: 1 = shorter waves are added to those that look the same at these points. Other entries are set to zero.
 */
void myr_mesh_modes(myr_mesh *mesh, double core, int64_t modes, int fold, double *const hat[3]);

/* Instead of spreading and myr_mesh_apply: the field with these coefficients, of |k| < modes/2 along each axis, for
 * myr_mesh_gather. */
void myr_mesh_values(myr_mesh *mesh, int64_t modes, const double *const hat[3]);

/* Gathers three sums and, with gradient = 1, their derivatives at targets: sum[c], sum[3 + 3 c + axis]. `take` is
 * called once per target, by any thread, in any order. */
typedef void myr_mesh_take(void *user, int64_t target, const double sum[12]);
void myr_mesh_gather(const myr_mesh *mesh, const myr_mesh_places *targets, int gradient, myr_mesh_take *take,
                     void *user);

#endif
