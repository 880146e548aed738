/* mesh_fit.h - weights of a window fitted by least squares to the waves that a kernel keeps. The window of
 * mesh_window.h touches as many points and defines by which transform D the mesh is divided; for a source at distance
 * d_j from the points that it touches, weights b_j and, for derivatives, c_j make
 *
 *   sum_theta W(theta) |sum_j b_j exp(i theta d_j)/D(theta) - 1|^2   and   ... |sum_j c_j exp(i theta d_j)/D(theta) - i
 * theta|^2
 *
 * smallest, W(theta) = exp(-(fineness theta)^2) for waves of theta radians per spacing: the square of the kernel's
 * Gaussian. The window itself and its derivative, which aliases make 2 pi/theta times worse, are 1.5 to 2.8 times off
 * as much. */
#ifndef MYR_METHOD_MESH_FIT_H
#define MYR_METHOD_MESH_FIT_H

#include "method/mesh/mesh_window.h"

/* Polynomials of the weights, and of those of derivatives by position, in spacings: as myr_mesh_window. */
void myr_mesh_fit_make(int width, double beta, double fineness, int degree, myr_mesh_window *value,
                       myr_mesh_window *slope);

/* Mean squares of the errors above at some waves: a[] and d[] of mesh_choice.h. */
void myr_mesh_fit_errors(int width, double beta, double fineness, int count, const double *theta, double *a, double *d);

#endif
