/* cut.h - treatment of a Lennard-Jones potential at its cutoff: constants of the formula in lennard_jones_cut.h, and
 * corrections for the missing tail. Plain C without lanes, for the code that prepares potentials. */
#ifndef MYR_KERNEL_CUT_H
#define MYR_KERNEL_CUT_H

#include <math.h>

/* Treatment of a potential at its cutoff. */
typedef enum {
    MYR_CUT_TRUNCATED, /* U unchanged, 0 beyond the cutoff */
    MYR_CUT_SHIFTED,   /* U + c0: the potential vanishes at the cutoff */
    MYR_CUT_SMOOTH,    /* U + c0 + c2 r^2: potential and force vanish at the cutoff (paper 003, eq. 2.2) */
    MYR_CUT_SPLINE,    /* cubic between the inner radius and the cutoff (paper 003, Fig. 1b) */
    MYR_CUT_FORCE      /* U + c0 + c1 r: potential and force vanish at the cutoff, the force is shifted by a constant */
} myr_cut;

/* Potential between particles of two types. */
typedef struct {
    double epsilon, sigma;
    double cutoff, inner; /* cutoff radius; inner radius, for the spline only */
} myr_pair_potential;

/* Constants of one pair of types. The constants of lennard_jones_at come first. */
enum {
    CUT_SIGMA2,
    CUT_EPSILON_48,
    CUT_EPSILON_24,
    CUT_RADIUS2, /* squared cutoff radius; 0 = the two types do not interact */
    CUT_PUSH,    /* -2 c2: the force of the smooth cutoff per unit of the distance vector */
    CUT_EPSILON_4,
    CUT_C0,
    CUT_C1,
    CUT_C2,
    CUT_INNER, /* from here on: the cubic P0 + P1 t + P2 t^2 + P3 t^3 with t = r - inner */
    CUT_P0,
    CUT_P1,
    CUT_P2,
    CUT_P3,
    CUT_CONSTANTS
};

/* U and dU/dr of the potential without a cutoff. */
static inline double myr_cut_whole(const myr_pair_potential *p, double r, double *slope)
{
    const double y3 = pow(p->sigma / r, 6);
    *slope = -24 * p->epsilon * y3 * (2 * y3 - 1) / r;
    return 4 * p->epsilon * y3 * (y3 - 1);
}

static inline int myr_cut_interacts(const myr_pair_potential *p)
{
    return p->epsilon > 0 && p->sigma > 0 && p->cutoff > 0;
}

/* Returns 1 if the formula needs square roots. */
static inline int myr_cut_needs_root(myr_cut cut)
{
    return cut == MYR_CUT_SPLINE || cut == MYR_CUT_FORCE;
}

static inline void myr_cut_spline(const myr_pair_potential *p, double *c)
{
    const double h = p->cutoff - p->inner;
    double slope;
    const double u = myr_cut_whole(p, p->inner, &slope);
    c[CUT_INNER] = p->inner;
    c[CUT_P0] = u;
    c[CUT_P1] = slope;
    c[CUT_P2] = -(3 * u + 2 * slope * h) / (h * h);
    c[CUT_P3] = (2 * u + slope * h) / (h * h * h);
}

static inline void myr_cut_prepare(myr_cut cut, const myr_pair_potential *p, double *c)
{
    for (int k = 0; k < CUT_CONSTANTS; k++)
        c[k] = 0;
    c[CUT_INNER] = (double)INFINITY;
    if (!myr_cut_interacts(p))
        return;
    double slope;
    const double rc = p->cutoff, end = myr_cut_whole(p, rc, &slope);
    c[CUT_SIGMA2] = p->sigma * p->sigma;
    c[CUT_EPSILON_48] = 48 * p->epsilon;
    c[CUT_EPSILON_24] = 24 * p->epsilon;
    c[CUT_EPSILON_4] = 4 * p->epsilon;
    c[CUT_RADIUS2] = rc * rc;
    if (cut == MYR_CUT_SMOOTH)
        c[CUT_C2] = -slope / (2 * rc);
    if (cut == MYR_CUT_FORCE)
        c[CUT_C1] = -slope;
    if (cut == MYR_CUT_SHIFTED || cut == MYR_CUT_SMOOTH || cut == MYR_CUT_FORCE)
        c[CUT_C0] = -end - c[CUT_C1] * rc - c[CUT_C2] * rc * rc;
    if (cut == MYR_CUT_SPLINE)
        myr_cut_spline(p, c);
    c[CUT_PUSH] = -2 * c[CUT_C2];
}

/* Tail corrections of plain truncation at unit number density: the integrals over r > cutoff of 4 pi r^2 U and of 4 pi
 * r^2 (-r dU/dr). The energy and the virial of N particles of number density rho lack N rho/2 times these. */
static inline void myr_cut_tail(const myr_pair_potential *p, double *energy, double *virial)
{
    *energy = *virial = 0;
    if (!myr_cut_interacts(p))
        return;
    const double pi = 3.14159265358979323846, s3 = p->sigma * p->sigma * p->sigma;
    const double y3 = pow(p->sigma / p->cutoff, 3), y9 = y3 * y3 * y3;
    *energy = 16 * pi * p->epsilon * s3 * (y9 / 9 - y3 / 3);
    *virial = 96 * pi * p->epsilon * s3 * (2 * y9 / 9 - y3 / 3);
}

#endif
