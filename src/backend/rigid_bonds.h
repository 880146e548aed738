/* rigid_bonds.h - SHAKE and RATTLE for the rigid bonds of one cluster, shared by processor and GPU and evaluated in the
 * same order on both, so that the bits are the same. Clusters share no atom.
 *
 * The corrections of up to three bonds are the solution of their linear equations, whose matrix is that of the first
 * look (M-SHAKE; Kraeutler, van Gunsteren and Huenenberger 2001). Velocities are right after one solution, and lengths
 * gain four digits with each, because bonds change little in a step. Larger clusters are swept bond by bond. */
#ifndef MYR_BACKEND_RIGID_BONDS_H
#define MYR_BACKEND_RIGID_BONDS_H

#include "backend/motion.h"

enum {
    RIGID_SWEEPS = 1000, /* most corrections of a cluster */
    RIGID_TOGETHER = 3,  /* bonds of clusters that are corrected together */
    RIGID_KEPT = 5       /* bonds of a larger cluster that keep what does not change */
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
    RIGID_UNROLL
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
    RIGID_UNROLL
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

/* Sweeps over the bonds of a cluster until all are held; returns 1 if they are. What a sweep divides by hardly changes
 * and is that of the first sweep. Of large clusters all but the first bonds find it again. */
MYR_MOTION_FN int rigid_sweep(const rigid_bond *bond, int bonds, const double *inverse, double *const before[3],
                              double *const x[3], int velocities)
{
    rigid_course course[RIGID_KEPT];
    const double least = velocities ? rigid_least(bond, bonds, x) : 0;
    int held = 0;
    for (int sweep = 0; sweep < RIGID_SWEEPS && !held; sweep++) {
        held = 1;
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

/* --- few bonds, together ------------------------------------------------------------------------------------------ */

/* Equations of up to three bonds: a pull g along r[m] changes s[n] by -coupling[n][m] g r[m]. */
typedef struct {
    double r[RIGID_TOGETHER][3]; /* directions of the pulls: the bonds at the start of the step */
    double s[RIGID_TOGETHER][3]; /* present differences of positions or velocities */
    double coupling[RIGID_TOGETHER][RIGID_TOGETHER];
    double solve[RIGID_TOGETHER][RIGID_TOGETHER]; /* inverse of the matrix of the equations */
    double pull[RIGID_TOGETHER];                  /* sums of the corrections */
    double most[RIGID_TOGETHER];                  /* errors that are tolerated */
} rigid_system;

/* What a pull along bond `b` by 1 changes along bond `a`, by their common atoms. */
MYR_MOTION_FN double rigid_coupling(const rigid_bond *a, const rigid_bond *b, const double *inverse)
{
    const double first = a->i == b->i ? inverse[a->i] : a->i == b->j ? -inverse[a->i] : 0;
    const double second = a->j == b->j ? inverse[a->j] : a->j == b->i ? -inverse[a->j] : 0;
    return first + second;
}

/* Inverse of a matrix of up to three rows, by its cofactors. */
MYR_MOTION_FN void rigid_invert(double m[RIGID_TOGETHER][RIGID_TOGETHER], const int rows)
{
    if (rows == 1) {
        m[0][0] = 1 / m[0][0];
    } else if (rows == 2) {
        const double one = 1 / (m[0][0] * m[1][1] - m[0][1] * m[1][0]), first = m[0][0];
        m[0][0] = m[1][1] * one;
        m[1][1] = first * one;
        m[0][1] = -m[0][1] * one;
        m[1][0] = -m[1][0] * one;
    } else {
        double cofactor[RIGID_TOGETHER][RIGID_TOGETHER];
        RIGID_UNROLL
        for (int i = 0; i < 3; i++) {
            RIGID_UNROLL
            for (int j = 0; j < 3; j++)
                cofactor[i][j] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                                 m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
        }
        const double one = 1 / rigid_dot(m[0], cofactor[0]);
        RIGID_UNROLL
        for (int i = 0; i < 3; i++) {
            RIGID_UNROLL
            for (int j = 0; j < 3; j++)
                m[j][i] = cofactor[i][j] * one;
        }
    }
}

/* Sets up the equations; returns 0 if a bond has turned by nearly a right angle in one step, so that no displacement
 * along r restores its length. */
MYR_MOTION_FN int rigid_system_begin(rigid_system *e, const rigid_bond *bond, const int bonds, const double *inverse,
                                     double *const before[3], double *const x[3], const int velocities)
{
    const double least = velocities ? rigid_least(bond, bonds, x) : 0;
    int possible = 1;
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++) {
        rigid_difference(before, &bond[n], e->r[n]);
        rigid_difference(x, &bond[n], e->s[n]);
        e->most[n] = velocities ? least * sqrt(bond[n].square) : RIGID_LENGTH * bond[n].square;
        e->pull[n] = 0;
        possible &= velocities || rigid_dot(e->s[n], e->r[n]) > 1e-3 * bond[n].square;
    }
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++) {
        RIGID_UNROLL
        for (int m = 0; m < bonds; m++) {
            e->coupling[n][m] = rigid_coupling(&bond[n], &bond[m], inverse);
            e->solve[n][m] = velocities ? e->coupling[n][m] * rigid_dot(e->r[n], e->r[m])
                                        : 2 * e->coupling[n][m] * rigid_dot(e->s[n], e->r[m]);
        }
    }
    rigid_invert(e->solve, bonds);
    return possible;
}

/* One correction; returns 1 if all errors were tolerable. */
MYR_MOTION_FN int rigid_system_correct(rigid_system *e, const rigid_bond *bond, const int bonds, const int velocities)
{
    double off[RIGID_TOGETHER], g[RIGID_TOGETHER];
    int held = 1;
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++) {
        off[n] = velocities ? rigid_dot(e->s[n], e->r[n]) : rigid_dot(e->s[n], e->s[n]) - bond[n].square;
        held &= fabs(off[n]) <= e->most[n];
    }
    if (held)
        return 1;
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++) {
        g[n] = 0;
        RIGID_UNROLL
        for (int m = 0; m < bonds; m++)
            g[n] += e->solve[n][m] * off[m];
        e->pull[n] += g[n];
    }
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++) {
        RIGID_UNROLL
        for (int m = 0; m < bonds; m++) {
            const double part = e->coupling[n][m] * g[m];
            RIGID_UNROLL
            for (int c = 0; c < 3; c++)
                e->s[n][c] -= part * e->r[m][c];
        }
    }
    return 0;
}

/* rigid_solve for a number of bonds that the compiler knows. */
MYR_MOTION_FN int rigid_together(const rigid_bond *bond, const int bonds, const double *inverse,
                                 double *const before[3], double *const x[3], const int velocities)
{
    rigid_system e;
    int held = 0;
    if (!rigid_system_begin(&e, bond, bonds, inverse, before, x, velocities))
        return 0;
    for (int sweep = 0; sweep < RIGID_SWEEPS && !held; sweep++)
        held = rigid_system_correct(&e, bond, bonds, velocities);
    RIGID_UNROLL
    for (int n = 0; n < bonds; n++)
        rigid_pull(&bond[n], inverse, e.pull[n], e.r[n], x);
    return held;
}

/* Holds all bonds of a cluster; returns 1 if they are held. velocities: 1 = RATTLE, removes velocities x along the
 * bonds of `before`; 0 = SHAKE, moves x along the bonds of `before`. */
MYR_MOTION_FN int rigid_solve(const rigid_bond *bond, int bonds, const double *inverse, double *const before[3],
                              double *const x[3], int velocities)
{
    return bonds == 1   ? rigid_together(bond, 1, inverse, before, x, velocities)
           : bonds == 2 ? rigid_together(bond, 2, inverse, before, x, velocities)
           : bonds == 3 ? rigid_together(bond, 3, inverse, before, x, velocities)
                        : rigid_sweep(bond, bonds, inverse, before, x, velocities);
}

/* What a drift with rigid bonds leaves of one component of an atom: x is where the constraints put it, g where it was,
 * `rate` = 1/dt. Returns its displacement, and adds what the constraints did to the velocity. */
MYR_MOTION_FN double rigid_displace(double x, double g, double *v, double dt, double rate)
{
    const double pull = x - (g + *v * dt), way = *v * dt + pull;
    *v += pull * rate;
    return way;
}

#endif
