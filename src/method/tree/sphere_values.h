/* sphere_values.h - a field of harmonics as values at the points of a spherical design (Anderson 1992, Makino 1999;
 * paper 004, eqs 36 and 37).
 *
 * One weight does everything: with u the place of a particle from the centre of the sphere, in units of its radius, and
 * n_k the points,
 *
 *   w_k(u) = 1/K sum_{n=0}^{p} (2n+1) |u|^n P_n(cos(u, n_k))
 *
 * Outer sphere: charges q at u become charges m_k = sum q w_k(u) at the points, which have the same multipoles of all
 * degrees up to p. Inner sphere: a field that is harmonic inside is sum_k f(n_k) w_k(u), up to degrees beyond p. A
 * sphere's points are particles like any other, so the same sums take a child's sphere to its parent's and back.
 *
 * Degrees beyond p, which the design does not tell apart, alias: with charges at distance rho from the centre, a field
 * point at R and a sphere of radius a, degree n appears as n' > 2p - n with (rho/a)^n (a/R)^n'. A smaller sphere has
 * less of it, and larger charges of both signs: rounding is multiplied by (rho/a)^p. */
#ifndef MYR_METHOD_TREE_SPHERE_VALUES_H
#define MYR_METHOD_TREE_SPHERE_VALUES_H

#include "method/tree/spherical_design.h"

enum {
    MYR_SPHERE_BLOCK = 8,
    MYR_SPHERE_MOST = (MYR_DESIGN_POINTS + MYR_SPHERE_BLOCK - 1) / MYR_SPHERE_BLOCK * MYR_SPHERE_BLOCK,
    MYR_SPHERE_FIELDS = 8 /* charges or fields at a point at most */
};

typedef struct {
    int order, points; /* p, K */
    int padded; /* K rounded up to whole blocks; what is spread past K means nothing, what is read there must be 0 */
    _Alignas(64) double x[3][MYR_SPHERE_MOST];
    double slope[MYR_DESIGN_ORDER + 1], drop[MYR_DESIGN_ORDER + 1]; /* of Legendre's recurrence */
} myr_sphere;

/* Prepares order 1 to MYR_DESIGN_ORDER. */
void myr_sphere_make(int order, myr_sphere *sphere);

/* Adds `fields` charges at u to the charges at the points: value[field][padded]. */
void myr_sphere_spread(const myr_sphere *sphere, const double u[3], int fields, const double *charge, double *value);

/* Reads the fields at u from their values at the points. */
void myr_sphere_read(const myr_sphere *sphere, const double u[3], int fields, const double *value, double *field);

/* Reads their gradients with respect to u too: slope[field][3]. */
void myr_sphere_slope(const myr_sphere *sphere, const double u[3], int fields, const double *value, double *field,
                      double (*slope)[3]);

#endif
