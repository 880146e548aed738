/* rigid_bonds.h - SHAKE and RATTLE sweeps over the rigid bonds of one cluster, shared by processor and GPU and
 * evaluated in the same order on both, so that the bits are the same. Clusters share no atom. */
#ifndef MYR_BACKEND_RIGID_BONDS_H
#define MYR_BACKEND_RIGID_BONDS_H

#include "backend/motion.h"

enum {
    RIGID_SWEEPS = 1000, /* most sweeps over a cluster */
    RIGID_KEPT = 5       /* bonds of a cluster that keep what does not change; a carbon has four hydrogens at most */
};

/* relative tolerance of a squared bond length; box coordinates of a 1000 Angstrom system resolve 3e-13 Angstrom */
#define RIGID_LENGTH 1e-12
/* tolerance of the velocity along a bond, relative to the largest velocity component in the cluster */
#define RIGID_SPEED 1e-13

/* Unrolls a loop over the bonds of a cluster where their number is known to the compiler of a GPU. */
#if defined(__CUDACC__)
#define RIGID_UNROLL _Pragma("unroll")
#else
#define RIGID_UNROLL
#endif

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

/* What stays the same in all sweeps over a bond: its direction, and the reciprocal slope of its error. */
typedef struct {
    double r[3], factor;
} rigid_course;

/* First look at a bond for SHAKE, along the bond of `before`. Returns 0 if it cannot be corrected: it has turned by
 * nearly a right angle in one step, and no displacement along r restores its length. */
MYR_MOTION_FN int rigid_begin_position(const rigid_bond *b, const double *inverse, double *const before[3],
                                       double *const x[3], rigid_course *course)
{
    double s[3];
    rigid_difference(x, b, s);
    rigid_difference(before, b, course->r);
    const double along = rigid_dot(s, course->r);
    course->factor = 1 / (2 * along * (inverse[b->i] + inverse[b->j]));
    return along > 1e-3 * b->square;
}

/* The same for RATTLE, along the bond of x. */
MYR_MOTION_FN void rigid_begin_velocity(const rigid_bond *b, const double *inverse, double *const x[3],
                                        rigid_course *course)
{
    rigid_difference(x, b, course->r);
    course->factor = 1 / (rigid_dot(course->r, course->r) * (inverse[b->i] + inverse[b->j]));
}

/* Corrects the length of a bond; returns 1 if it was within tolerance. */
MYR_MOTION_FN int rigid_hold_position(const rigid_bond *b, const double *inverse, const rigid_course *course,
                                      double *const x[3])
{
    double s[3];
    rigid_difference(x, b, s);
    const double off = rigid_dot(s, s) - b->square;
    if (fabs(off) <= RIGID_LENGTH * b->square)
        return 1;
    rigid_pull(b, inverse, off * course->factor, course->r, x);
    return 0;
}

/* Corrects the velocity along a bond, of which `least` is small enough; returns 1 if it was. */
MYR_MOTION_FN int rigid_hold_velocity(const rigid_bond *b, const double *inverse, const rigid_course *course,
                                      double least, double *const v[3])
{
    double u[3];
    rigid_difference(v, b, u);
    const double along = rigid_dot(u, course->r);
    if (fabs(along) <= least * sqrt(b->square))
        return 1;
    rigid_pull(b, inverse, along * course->factor, course->r, v);
    return 0;
}

/* Tolerance of velocities along the bonds of a cluster, per unit of length. */
MYR_MOTION_FN double rigid_least(const rigid_bond *bond, int bonds, double *const v[3])
{
    double fastest = 0;
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++)
        for (int c = 0; c < 3; c++) {
            const double a = fabs(v[c][bond[n].i]), b = fabs(v[c][bond[n].j]);
            fastest = a > fastest ? a : fastest;
            fastest = b > fastest ? b : fastest;
        }
    return RIGID_SPEED * fastest;
}

/* Sweeps over the bonds of a cluster until all are held; returns 1 if they are. velocities: 1 = RATTLE, removes
 * velocities x along the bonds of `before`; 0 = SHAKE, moves x along the bonds of `before`. What a sweep divides by
 * hardly changes and is that of the first sweep: a division takes longer than all else, and the sweeps converge as
 * fast. Of large clusters all but the first bonds find it again. */
MYR_MOTION_FN int rigid_solve(const rigid_bond *bond, int bonds, const double *inverse, double *const before[3],
                              double *const x[3], int velocities)
{
    rigid_course course[RIGID_KEPT];
    const double least = velocities ? rigid_least(bond, bonds, x) : 0;
    int held = 0;
    for (int sweep = 0; sweep < RIGID_SWEEPS && !held; sweep++) {
        held = 1;
        RIGID_UNROLL
        for (int n = 0; n < bonds; n++) {
            rigid_course *own = &course[n < RIGID_KEPT ? n : RIGID_KEPT - 1];
            const int begins = sweep == 0 || n >= RIGID_KEPT - 1;
            if (begins && velocities)
                rigid_begin_velocity(&bond[n], inverse, before, own);
            if (begins && !velocities && !rigid_begin_position(&bond[n], inverse, before, x, own))
                return 0;
            held &= velocities ? rigid_hold_velocity(&bond[n], inverse, own, least, x)
                               : rigid_hold_position(&bond[n], inverse, own, x);
        }
    }
    return held;
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
