/* gaussian_mesh.h - Gaussians of one width at the points of a periodic cubic mesh. There the sum of paper 004 eq. 3 is
 * a convolution, so that its matrix is diagonal in Fourier space. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_MESH_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_MESH_H

#include <stdint.h>

#include <myriad/context.h>

/* Divides the coefficients of fields (method/spectral/fourier.h) by what a Gaussian of unit weight, `overlap` spacings
 * wide, has at the points: weights whose sums are the fields. `least`, a part of the largest, is added to the divisors.
 */
myr_status myr_gaussian_mesh_divide(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    double *const hat[3]);

/* The same for values at points that have left their places on the mesh, x fastest, by no more than about a spacing:
 * about the weights, which conjugate gradients make right. `least` keeps waves out that do not know their places. */
typedef struct myr_gaussian_mesh myr_gaussian_mesh;
myr_status myr_gaussian_mesh_create(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    myr_gaussian_mesh **mesh);
void myr_gaussian_mesh_destroy(myr_gaussian_mesh **mesh);

/* As myr_gaussian_solve wants it; user: the mesh. */
void myr_gaussian_mesh_guess(void *user, double *const value[3], double *const weight[3]);

#endif
