/* mesh_window.h - the function with which sources are spread onto a mesh and sums are gathered from it: the window of
 * Kaiser and Bessel, in units of the mesh spacing,
 *
 *   phi(x) = I0(beta sqrt(1 - (2 x/w)^2)) / I0(beta),   |x| <= w/2,
 *
 * which touches w points along an axis, and its transform, w sinh(q)/(q I0(beta)) with q^2 = beta^2 - (w theta/2)^2 for
 * a wave of theta radians per spacing. It is evaluated by one polynomial for each of the w points. */
#ifndef MYR_METHOD_MESH_WINDOW_H
#define MYR_METHOD_MESH_WINDOW_H

enum {
    MYR_MESH_LEAST = 3,   /* fewest points along an axis */
    MYR_MESH_MOST = 16,   /* most points along an axis */
    MYR_MESH_DEGREES = 21 /* most coefficients of a polynomial */
};

typedef struct {
    int width, degree; /* points along an axis; degree of the polynomials */
    double beta;
    /* coefficient[j][k] of s^j at point k, for a position (1 + s)/2 beyond it: x = k + (1 + s)/2 - w/2 */
    double coefficient[MYR_MESH_DEGREES][MYR_MESH_MOST];
} myr_mesh_window;

/* Fits the polynomials, to 1e-14 or to what the degree allows. */
void myr_mesh_window_make(int width, double beta, myr_mesh_window *window);

/* Coefficients of the polynomial of a degree, on [-1, 1], from its values at the nodes 0 .. degree. */
double myr_mesh_window_node(int degree, int i);
void myr_mesh_window_polynomial(int degree, const double *value, double *power);

/* phi(x), and its transform at theta >= 0. */
double myr_mesh_window_value(int width, double beta, double x);
double myr_mesh_window_transform(int width, double beta, double theta);

#endif
