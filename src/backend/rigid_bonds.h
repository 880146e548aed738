/* rigid_bonds.h - SHAKE and RATTLE sweeps over the rigid bonds of one cluster, shared by processor and GPU and evaluated
 * in the same order on both, so that the bits are the same. Clusters share no atom. */
#ifndef MYR_BACKEND_RIGID_BONDS_H
#define MYR_BACKEND_RIGID_BONDS_H

#include "backend/motion.h"

enum { RIGID_SWEEPS = 1000 }; /* most sweeps over a cluster */

/* relative tolerance of a squared bond length; box coordinates of a 1000 Angstrom system resolve 3e-13 Angstrom */
#define RIGID_LENGTH 1e-12
/* tolerance of the velocity along a bond, relative to the largest velocity component in the cluster */
#define RIGID_SPEED 1e-13

typedef struct {
    int32_t i, j;
    double square; /* squared bond length, in Angstrom^2 */
} rigid_bond;

MYR_MOTION_FN void rigid_difference(double *const x[3], const rigid_bond *b, double d[3])
{
    for (int c = 0; c < 3; c++)
        d[c] = x[c][b->i] - x[c][b->j];
}

MYR_MOTION_FN double rigid_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Displaces the two atoms of a bond along r, by -g and +g times their inverse masses. */
MYR_MOTION_FN void rigid_pull(const rigid_bond *b, const double *inverse, double g, const double r[3],
                              double *const x[3])
{
    for (int c = 0; c < 3; c++) {
        x[c][b->i] -= g * inverse[b->i] * r[c];
        x[c][b->j] += g * inverse[b->j] * r[c];
    }
}

/* One SHAKE sweep over the bonds of a cluster: moves x, along the bonds of `before`. Returns 1 if all lengths were within
 * tolerance, 0 if not, -1 if a bond cannot be corrected. */
MYR_MOTION_FN int rigid_sweep_positions(const rigid_bond *bond, int bonds, const double *inverse,
                                        double *const before[3], double *const x[3])
{
    int held = 1;
    for (int n = 0; n < bonds; n++) {
        const rigid_bond *b = &bond[n];
        double s[3], r[3];
        rigid_difference(x, b, s);
        const double off = rigid_dot(s, s) - b->square;
        if (fabs(off) <= RIGID_LENGTH * b->square)
            continue;
        held = 0;
        rigid_difference(before, b, r);
        const double along = rigid_dot(s, r);
        /* the bond has turned by nearly a right angle in one step: no displacement along r restores its length */
        if (!(along > 1e-3 * b->square))
            return -1;
        rigid_pull(b, inverse, off / (2 * along * (inverse[b->i] + inverse[b->j])), r, x);
    }
    return held;
}

/* One RATTLE sweep over the bonds of a cluster: removes velocities v along the bonds of x; return values as above. */
MYR_MOTION_FN int rigid_sweep_velocities(const rigid_bond *bond, int bonds, const double *inverse, double *const x[3],
                                         double *const v[3])
{
    int held = 1;
    double fastest = 0;
    for (int n = 0; n < bonds; n++)
        for (int c = 0; c < 3; c++) {
            const double a = fabs(v[c][bond[n].i]), b = fabs(v[c][bond[n].j]);
            fastest = a > fastest ? a : fastest;
            fastest = b > fastest ? b : fastest;
        }
    for (int n = 0; n < bonds; n++) {
        const rigid_bond *b = &bond[n];
        double u[3], r[3];
        rigid_difference(v, b, u);
        rigid_difference(x, b, r);
        const double along = rigid_dot(u, r);
        if (fabs(along) <= RIGID_SPEED * sqrt(b->square) * fastest)
            continue;
        held = 0;
        if (!(fabs(along) <= (double)INFINITY) || fabs(along) == (double)INFINITY)
            return -1;
        rigid_pull(b, inverse, along / (rigid_dot(r, r) * (inverse[b->i] + inverse[b->j])), r, v);
    }
    return held;
}

/* Sweeps until all bonds of a cluster are held; returns 1 if they are. velocities: 1 = RATTLE, 0 = SHAKE. */
MYR_MOTION_FN int rigid_solve(const rigid_bond *bond, int bonds, const double *inverse, double *const before[3],
                              double *const x[3], int velocities)
{
    int held = 0;
    for (int n = 0; n < RIGID_SWEEPS && !held; n++)
        held = velocities ? rigid_sweep_velocities(bond, bonds, inverse, before, x)
                          : rigid_sweep_positions(bond, bonds, inverse, before, x);
    return held == 1;
}

/* What a drift with rigid bonds leaves of one component of an atom: x is where the constraints put it, g where it was.
 * Returns its displacement, and adds what the constraints did to the velocity. */
MYR_MOTION_FN double rigid_displace(double x, double g, double *v, double dt)
{
    const double pull = x - (g + *v * dt), way = *v * dt + pull;
    *v += pull / dt;
    return way;
}

#endif
