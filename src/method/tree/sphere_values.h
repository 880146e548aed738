/* sphere_values.h - a harmonic field as values at the points of a spherical design (Anderson 1992, Makino 1999; paper
 * 004, eqs 36 and 37).
 *
 * All operations use one weight: with u = position relative to the sphere's centre in units of its radius, and n_k =
 * points of the design,
 *
 *   w_k(u) = 1/K sum_{n=0}^{p} (2n+1) |u|^n P_n(cos(u, n_k))
 *
 * Outer sphere: charges q at u become charges m_k = sum q w_k(u) at the points, with the same multipoles of all degrees
 * up to p. Inner sphere: a field that is harmonic inside equals sum_k f(n_k) w_k(u), up to degrees beyond p. The points
 * of a sphere are particles like any other, so that the same sums translate a child's sphere to its parent's and back.
 *
 * Degrees beyond p alias, because the design does not separate them: with charges at distance rho from the centre, a
 * field point at R and a sphere of radius a, degree n appears as n' > 2p - n with amplitude (rho/a)^n (a/R)^n'. A
 * smaller sphere has less aliasing but larger charges of both signs: rounding errors are multiplied by (rho/a)^p. */
#ifndef MYR_METHOD_TREE_SPHERE_VALUES_H
#define MYR_METHOD_TREE_SPHERE_VALUES_H

#include "method/tree/spherical_design.h"

enum {
    MYR_SPHERE_VALUES_BLOCK = 8,
    MYR_SPHERE_VALUES_MOST =
        (MYR_SPHERICAL_DESIGN_POINTS + MYR_SPHERE_VALUES_BLOCK - 1) / MYR_SPHERE_VALUES_BLOCK * MYR_SPHERE_VALUES_BLOCK,
    MYR_SPHERE_VALUES_FIELDS = 8 /* largest number of charges or fields at a point */
};

typedef struct {
    int order, points; /* order p, number of points K */
    int padded; /* K rounded up to whole blocks; charges spread past K are undefined, values read past K must be 0 */
    _Alignas(64) double x[3][MYR_SPHERE_VALUES_MOST];
    double slope[MYR_SPHERICAL_DESIGN_ORDER + 1],
        drop[MYR_SPHERICAL_DESIGN_ORDER + 1]; /* coefficients of the Legendre recurrence */
} myr_sphere_values;

/* Initialises a sphere of order 1 to MYR_SPHERICAL_DESIGN_ORDER. */
void myr_sphere_values_make(int order, myr_sphere_values *sphere);

/* Adds `fields` charges at u to the charges at the points, value[field][padded]. */
void myr_sphere_values_spread(const myr_sphere_values *sphere, const double u[3], int fields, const double *charge,
                              double *value);

/* Evaluates the fields at u from their values at the points. */
void myr_sphere_values_read(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                            double *field);

/* Evaluates the fields and their gradients with respect to u, slope[field][3]. */
void myr_sphere_values_slope(const myr_sphere_values *sphere, const double u[3], int fields, const double *value,
                             double *field, double (*slope)[3]);

#endif
