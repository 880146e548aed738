/* molecule_terms.h - forces and energies of bonded terms, shared by processor and GPU and evaluated in the same order
 * on both, so that the bits are the same. Kilocalories per mole and Angstroms.
 *
 * A term gives the forces on all its atoms but the last, which gets minus their sum in integers. */
#ifndef MYR_BACKEND_MOLECULE_TERMS_H
#define MYR_BACKEND_MOLECULE_TERMS_H

#include "backend/motion.h"
#include "core/elementary_inside.h"

#define MYR_BONDED_UNIT 0x1p-36  /* unit of the integer force sums, in kcal/mol/Angstrom */
#define MYR_BONDED_LIMIT 0x1p+24 /* largest accepted force of a term, in kcal/mol/Angstrom */

/* Kinds of terms. */
enum { MYR_BONDED_BONDS, MYR_BONDED_ANGLES, MYR_BONDED_DIHEDRALS, MYR_BONDED_PAIRS14, MYR_BONDED_KINDS };

/* Laws of the Coulomb energy of a 1-4 pair, as in kernel/ljc.h. */
enum { TERM_CONSTANT, TERM_LINEAR, TERM_SIGMOIDAL };

/* One term, with the parameters that its kind reads. */
typedef struct {
    int32_t atom[4];     /* the last atom gets the negative sum of the forces on the others */
    int32_t n;           /* dihedral: multiplicity */
    int32_t rigid;       /* 1 = the bond is a constraint and exerts no force */
    double k;            /* force constant; 1-4 pair: 4 epsilon, scaled */
    double rest;         /* bond: length; angle: theta; 1-4 pair: sigma^2 */
    double cosine, sine; /* dihedral: of its phase; 1-4 pair: cosine = product of the charges, scaled */
} molecule_term;

/* Coulomb law of 1-4 pairs: energy q_i q_j / (D r), q_i q_j / (D r^2), or q_i q_j exp(-p(r)) / r with p(r) = a[0] r^3 +
 * a[1] r^2 + a[2] r + a[3]. */
typedef struct {
    int32_t law, pad;
    double strength; /* Coulomb's constant, over D */
    double a[4];
} molecule_law;

typedef struct {
    double x, y, z;
} term_vector;

MYR_MOTION_FN term_vector term_from(double *const x[3], int32_t from, int32_t to)
{
    const term_vector d = {x[0][to] - x[0][from], x[1][to] - x[1][from], x[2][to] - x[2][from]};
    return d;
}

MYR_MOTION_FN double term_dot(term_vector a, term_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

MYR_MOTION_FN term_vector term_cross(term_vector a, term_vector b)
{
    const term_vector c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

MYR_MOTION_FN void term_scale(double s, term_vector a, double to[3])
{
    to[0] = s * a.x;
    to[1] = s * a.y;
    to[2] = s * a.z;
}

/* Functions of one kind of term write the forces f on all atoms but the last and the energy, and return the number of
 * atoms; 0 = no force. */
MYR_MOTION_FN int term_bond(const molecule_term *t, double *const x[3], double (*f)[3], double *energy)
{
    const term_vector d = term_from(x, t->atom[1], t->atom[0]);
    const double r = sqrt(term_dot(d, d)), stretch = r - t->rest;
    *energy = t->k * stretch * stretch;
    term_scale(-2.0 * t->k * stretch / r, d, f[0]);
    return 2;
}

/* The vertex is the last atom. theta comes from sine and cosine, so that straight angles keep full precision;
 * dtheta/dx_i = u x w / (u^2 |w|) with w = u x v. Three collinear atoms get no force, because its direction is
 * undefined. */
MYR_MOTION_FN int term_angle(const molecule_term *t, double *const x[3], double (*f)[3], double *energy)
{
    const term_vector u = term_from(x, t->atom[2], t->atom[0]), v = term_from(x, t->atom[2], t->atom[1]);
    const term_vector w = term_cross(u, v);
    const double sine = sqrt(term_dot(w, w)), bend = elementary_angle(sine, term_dot(u, v)) - t->rest;
    *energy = t->k * bend * bend;
    if (sine == 0)
        return 0;
    const double slope = -2.0 * t->k * bend / sine;
    term_scale(slope / term_dot(u, u), term_cross(u, w), f[0]);
    term_scale(slope / term_dot(v, v), term_cross(w, v), f[1]);
    return 3;
}

/* cos(n phi - phase) and sin(n phi - phase) from cos(phi) and sin(phi), by n rotations. */
MYR_MOTION_FN void term_turn(double cosine, double sine, const molecule_term *t, double *c, double *s)
{
    double re = t->cosine, im = -t->sine;
    for (int k = 0; k < t->n; k++) {
        const double next = re * cosine - im * sine;
        im = re * sine + im * cosine;
        re = next;
    }
    *c = re;
    *s = im;
}

/* The first and the last atom of the chain come first, then those of the axis. The gradient of phi is that of A.
 * Blondel and M. Karplus, J. Comput. Chem. 17 (1996) 1132, singular only where three atoms are collinear and phi is
 * undefined. */
MYR_MOTION_FN int term_dihedral(const molecule_term *t, double *const x[3], double (*force)[3], double *energy)
{
    const term_vector f = term_from(x, t->atom[2], t->atom[0]), g = term_from(x, t->atom[3], t->atom[2]);
    const term_vector h = term_from(x, t->atom[3], t->atom[1]);
    const term_vector a = term_cross(f, g), e = term_cross(h, g);
    const double a2 = term_dot(a, a), e2 = term_dot(e, e), length = sqrt(term_dot(g, g));
    *energy = 0;
    if (a2 == 0 || e2 == 0 || t->k == 0)
        return 0;
    const double norm = 1.0 / sqrt(a2 * e2);
    double c, s;
    term_turn(term_dot(a, e) * norm, term_dot(term_cross(e, a), g) * norm / length, t, &c, &s);
    const double slope = t->k * t->n * s; /* -dU/dphi */
    const double toward_a = term_dot(f, g) / (a2 * length), toward_e = term_dot(h, g) / (e2 * length);
    term_scale(-slope * length / a2, a, force[0]);
    term_scale(slope * length / e2, e, force[1]);
    const term_vector j = {(length / a2 + toward_a) * a.x - toward_e * e.x,
                           (length / a2 + toward_a) * a.y - toward_e * e.y,
                           (length / a2 + toward_a) * a.z - toward_e * e.z};
    term_scale(slope, j, force[2]);
    *energy = t->k * (1.0 + c);
    return 4;
}

/* Coulomb energy of unit charges at distance r, and its slope -r dU/dr. */
MYR_MOTION_FN double term_coulomb(const molecule_law *law, double r2, double r, double *slope)
{
    if (law->law == TERM_CONSTANT)
        return *slope = law->strength / r;
    if (law->law == TERM_LINEAR) {
        *slope = 2 * law->strength / r2;
        return 0.5 * *slope;
    }
    const double *a = law->a, exponent = ((a[0] * r + a[1]) * r + a[2]) * r + a[3];
    const double u = law->strength * elementary_exp(exponent > 690 ? -690 : exponent < -690 ? 690 : -exponent) / r;
    *slope = u * (1 + ((3 * a[0] * r + 2 * a[1]) * r + a[2]) * r);
    return u;
}

/* 1-4 pair: energy[0] of Lennard-Jones, energy[1] of the charges. */
MYR_MOTION_FN int term_pair14(const molecule_term *t, const molecule_law *law, double *const x[3], double (*f)[3],
                              double *energy)
{
    const term_vector d = term_from(x, t->atom[1], t->atom[0]);
    const double r2 = term_dot(d, d), r = sqrt(r2), y = t->rest / r2, y3 = y * y * y;
    double slope;
    energy[1] = t->cosine * term_coulomb(law, r2, r, &slope);
    energy[0] = t->k * (y3 * y3 - y3);
    term_scale((t->k * (12 * y3 * y3 - 6 * y3) + t->cosine * slope) / r2, d, f[0]);
    return 2;
}

/* Term of any kind: forces f, and one energy, of 1-4 pairs two. */
MYR_MOTION_FN int molecule_term_force(int kind, const molecule_term *t, const molecule_law *law, double *const x[3],
                                      double (*f)[3], double *energy)
{
    return kind == MYR_BONDED_BONDS       ? term_bond(t, x, f, energy)
           : kind == MYR_BONDED_ANGLES    ? term_angle(t, x, f, energy)
           : kind == MYR_BONDED_DIHEDRALS ? term_dihedral(t, x, f, energy)
                                          : term_pair14(t, law, x, f, energy);
}

/* A force rounded to units of the integer sums; *bad = 1 if it is too large or no number. */
MYR_MOTION_FN int64_t term_round(double f, int *bad)
{
    if (!(fabs(f) < MYR_BONDED_LIMIT)) {
        *bad = 1;
        return 0;
    }
    /* |f| / unit is below 2^60 */
    const double units = f * (1.0 / MYR_BONDED_UNIT);
    return (int64_t)rint(units);
}

#endif
