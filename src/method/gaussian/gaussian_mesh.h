/* gaussian_mesh.h - Gaussians of one width at the points of a periodic cubic mesh, where the sum of paper 004 eq. 3 is
 * a convolution and its matrix is diagonal in Fourier space. */
#ifndef MYR_METHOD_GAUSSIAN_GAUSSIAN_MESH_H
#define MYR_METHOD_GAUSSIAN_GAUSSIAN_MESH_H

#include <stdint.h>

#include <myriad/context.h>

/* Divides the coefficients of fields (method/spectral/fourier.h) by those of a Gaussian of unit weight, `overlap`
 * spacings wide: the results are weights whose sums are the fields. `least`, in units of the largest divisor, is added
 * to the divisors. */
myr_status myr_gaussian_mesh_divide(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    double *const hat[3]);

/* Approximate weights for values at points displaced from the mesh (x fastest) by at most about one spacing; a
 * preconditioner for conjugate gradients. `least` damps short waves, which the displacement scrambles. */
typedef struct myr_gaussian_mesh myr_gaussian_mesh;
myr_status myr_gaussian_mesh_create(myr_context *context, int64_t side, double spacing, double overlap, double least,
                                    myr_gaussian_mesh **mesh);
void myr_gaussian_mesh_destroy(myr_gaussian_mesh **mesh);

/* Callback `guess` of myr_gaussian_solve_guessed; user: the mesh. */
void myr_gaussian_mesh_guess(void *user, double *const value[3], double *const weight[3]);

#endif
