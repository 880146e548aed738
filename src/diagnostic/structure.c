/* structure.c - shape of a molecule: radius of gyration, deviation from a reference after the best fit, contacts of the
 * reference, hydrogen bonds of the backbone and residues in helices by the definition of DSSP.
 *
 * A residue with atoms N, CA, C and O is one of a backbone. Kabsch and Sander (1983, Biopolymers 22, 2577): the energy
 * of a hydrogen bond from CO of residue i to NH of residue j is 27.888 kcal/mol (1/r_ON + 1/r_CH - 1/r_OH - 1/r_CN)
 * with lengths in Angstrom, and H 1 Angstrom from N in the direction from O to C of the residue before; a bond has less
 * than -0.5 kcal/mol. Residues i to i + 3 are in a helix if i - 1 and i have bonds to the fourth residue after them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/topology.h>

#include "core/context.h"
#include "core/memory.h"
#include "particles/topology.h"

#define STRUCTURE_BOND (-0.5)   /* kcal/mol */
#define STRUCTURE_FACTOR 27.888 /* kcal Angstrom/mol */
#define STRUCTURE_NEAREST 0.5   /* Angstrom; nearer atoms count as this far apart, as in DSSP */
#define STRUCTURE_CONTACT 8.0   /* Angstrom between CA atoms in contact */
enum { STRUCTURE_APART = 4, STRUCTURE_TURN = 4, STRUCTURE_SWEEPS = 50 };

enum { ATOM_N, ATOM_CA, ATOM_C, ATOM_O, ATOM_KINDS };

/* Backbone: indices of the atoms of each residue in it. */
typedef struct {
    int64_t residues;
    int64_t (*atom)[ATOM_KINDS];
    int *joined; /* 1 if the residue before in the list is bonded to this one: C - N below 2.5 Angstrom */
} backbone;

static myr_status backbone_find(const myr_topology *t, backbone *b)
{
    static const char *const name[ATOM_KINDS] = {"N", "CA", "C", "O"};
    b->atom = myr_memory_zeros(t->residues, sizeof *b->atom);
    b->joined = myr_memory_zeros(t->residues, sizeof *b->joined);
    if (!b->atom || !b->joined)
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for a backbone of %lld residues",
                                (long long)t->residues);
    for (int64_t i = 0; i < t->atoms;) {
        int found = 0;
        const int32_t residue = t->residue[i];
        for (; i < t->atoms && t->residue[i] == residue; i++)
            for (int k = 0; k < ATOM_KINDS; k++)
                if (strcmp(t->name[i], name[k]) == 0) {
                    b->atom[b->residues][k] = i;
                    found |= 1 << k;
                }
        b->residues += found == (1 << ATOM_KINDS) - 1;
    }
    return MYR_OK;
}

static void backbone_free(backbone *b)
{
    free(b->atom);
    free(b->joined);
}

static void place(const double *const x[3], int64_t i, double to[3])
{
    for (int c = 0; c < 3; c++)
        to[c] = x[c][i];
}

static double distance(const double a[3], const double b[3])
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(sum);
}

/* --- hydrogen bonds ----------------------------------------------------------------------------------------------- */

/* Energy of the bond from CO of residue i to NH of residue j, whose residue before is joined to it. */
static double bond_energy(const backbone *b, const double *const x[3], int64_t i, int64_t j)
{
    double n[3], h[3], c[3], o[3], before_c[3], before_o[3];
    place(x, b->atom[j][ATOM_N], n);
    place(x, b->atom[i][ATOM_C], c);
    place(x, b->atom[i][ATOM_O], o);
    place(x, b->atom[j - 1][ATOM_C], before_c);
    place(x, b->atom[j - 1][ATOM_O], before_o);
    const double length = distance(before_c, before_o);
    for (int k = 0; k < 3; k++)
        h[k] = n[k] + (before_c[k] - before_o[k]) / length;
    const double r[4] = {distance(o, n), distance(c, h), distance(o, h), distance(c, n)};
    for (int k = 0; k < 4; k++)
        if (r[k] < STRUCTURE_NEAREST)
            return -INFINITY;
    return STRUCTURE_FACTOR * (1 / r[0] + 1 / r[1] - 1 / r[2] - 1 / r[3]);
}

/* 1 if NH of residue j is bonded to CO of residue i. */
static int is_bond(const backbone *b, const double *const x[3], int64_t i, int64_t j)
{
    return j > 0 && b->joined[j] && i != j && i != j - 1 && bond_energy(b, x, i, j) < STRUCTURE_BOND;
}

static void structure_bonds(const backbone *b, const double *const x[3], myr_structure *s)
{
    int64_t in_helix = 0, end = -1; /* residues up to `end` are counted already */
    int before = 0;
    for (int64_t i = 0; i < b->residues; i++)
        for (int64_t j = 0; j < b->residues; j++)
            s->hydrogen_bonds += is_bond(b, x, i, j);
    for (int64_t i = 0; i + STRUCTURE_TURN < b->residues; i++) {
        int turn = is_bond(b, x, i, i + STRUCTURE_TURN);
        for (int64_t k = i + 1; k <= i + STRUCTURE_TURN; k++)
            turn &= b->joined[k];
        for (int64_t k = i; before && turn && k < i + STRUCTURE_TURN; k++)
            if (k > end) {
                in_helix++;
                end = k;
            }
        before = turn;
    }
    s->helix = b->residues ? (double)in_helix / (double)b->residues : NAN;
}

/* --- shape -------------------------------------------------------------------------------------------------------- */

static double structure_gyration(const myr_topology *t, const double *const x[3])
{
    double mass = 0, centre[3] = {0}, sum = 0;
    for (int64_t i = 0; i < t->atoms; i++) {
        mass += t->mass[i];
        for (int c = 0; c < 3; c++)
            centre[c] += t->mass[i] * x[c][i];
    }
    for (int64_t i = 0; i < t->atoms; i++)
        for (int c = 0; c < 3; c++) {
            const double d = x[c][i] - centre[c] / mass;
            sum += t->mass[i] * d * d;
        }
    return sqrt(sum / mass);
}

/* Largest eigenvalue of a symmetric matrix, by Jacobi's rotations. */
static double largest_eigenvalue(double a[4][4])
{
    for (int sweep = 0; sweep < STRUCTURE_SWEEPS; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) {
                if (a[p][q] == 0)
                    continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double tangent = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                const double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
                for (int k = 0; k < 4; k++) {
                    const double u = a[k][p], v = a[k][q];
                    a[k][p] = cosine * u - sine * v;
                    a[k][q] = sine * u + cosine * v;
                }
                for (int k = 0; k < 4; k++) {
                    const double u = a[p][k], v = a[q][k];
                    a[p][k] = cosine * u - sine * v;
                    a[q][k] = sine * u + cosine * v;
                }
            }
    return fmax(fmax(a[0][0], a[1][1]), fmax(a[2][2], a[3][3]));
}

/* Root of the mean squared distance of n listed atoms after the best rotation and shift: Horn 1987, J. Opt. Soc. Am. A
 * 4, 629, in which the largest eigenvalue of a matrix of the correlations is the overlap of the two. */
static double best_fit(int64_t n, const int64_t *pick, const double *const x[3], const double *const y[3])
{
    double cx[3] = {0}, cy[3] = {0}, s[3][3] = {{0}}, size = 0;
    for (int64_t k = 0; k < n; k++)
        for (int c = 0; c < 3; c++) {
            cx[c] += x[c][pick[k]] / (double)n;
            cy[c] += y[c][pick[k]] / (double)n;
        }
    for (int64_t k = 0; k < n; k++)
        for (int c = 0; c < 3; c++) {
            const double u = x[c][pick[k]] - cx[c], v = y[c][pick[k]] - cy[c];
            size += u * u + v * v;
            for (int d = 0; d < 3; d++)
                s[c][d] += u * (y[d][pick[k]] - cy[d]);
        }
    double a[4][4] = {
        {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]},
    };
    return n ? sqrt(fmax(0, size - 2 * largest_eigenvalue(a)) / (double)n) : NAN;
}

/* Contacts of the reference that there are now. */
static double native_contacts(const backbone *b, const double *const x[3], const double *const y[3])
{
    int64_t native = 0, kept = 0;
    for (int64_t i = 0; i < b->residues; i++)
        for (int64_t j = i + STRUCTURE_APART; j < b->residues; j++) {
            double u[3], v[3];
            place(y, b->atom[i][ATOM_CA], u);
            place(y, b->atom[j][ATOM_CA], v);
            if (distance(u, v) >= STRUCTURE_CONTACT)
                continue;
            place(x, b->atom[i][ATOM_CA], u);
            place(x, b->atom[j][ATOM_CA], v);
            native++;
            kept += distance(u, v) < STRUCTURE_CONTACT;
        }
    return native ? (double)kept / (double)native : NAN;
}

/* Deviation of N, CA and C of the backbone, of all atoms if there is none. */
static myr_status structure_deviation(const myr_topology *t, const backbone *b, const double *const x[3],
                                      const double *const y[3], double *rmsd)
{
    int64_t n = 0, *pick = myr_memory_zeros(t->atoms, sizeof *pick);
    if (!pick)
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)t->atoms);
    for (int64_t r = 0; r < b->residues; r++)
        for (int k = ATOM_N; k <= ATOM_C; k++)
            pick[n++] = b->atom[r][k];
    for (int64_t i = 0; b->residues == 0 && i < t->atoms; i++)
        pick[n++] = i;
    *rmsd = best_fit(n, pick, x, y);
    free(pick);
    return MYR_OK;
}

static myr_status structure_positions(const myr_topology *t, const myr_particles *p, const double *x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(p, "position", c);
    if (!x[0] || !x[1] || !x[2] || myr_particles_count(p) != t->atoms)
        return myr_context_fail(t->context, MYR_ERROR_VALUE,
                                "the topology has %lld atom%s, the coordinates are of %lld: they belong to different "
                                "molecules",
                                (long long)t->atoms, myr_plural(t->atoms), (long long)myr_particles_count(p));
    return MYR_OK;
}

myr_status myr_topology_measure(const myr_topology *t, const myr_particles *particles, const myr_particles *reference,
                                myr_structure *structure)
{
    const double *x[3], *y[3];
    backbone b = {0};
    if (!t || !particles || !structure)
        return MYR_ERROR_ARGUMENT;
    *structure = (myr_structure){.rmsd = NAN, .native_contacts = NAN};
    myr_status status = structure_positions(t, particles, x);
    if (!status && reference)
        status = structure_positions(t, reference, y);
    if (!status)
        status = backbone_find(t, &b);
    for (int64_t r = 1; !status && r < b.residues; r++) {
        double c[3], n[3];
        place(x, b.atom[r - 1][ATOM_C], c);
        place(x, b.atom[r][ATOM_N], n);
        b.joined[r] = distance(c, n) < 2.5;
    }
    if (!status) {
        structure->gyration = structure_gyration(t, x);
        structure_bonds(&b, x, structure);
    }
    if (!status && reference) {
        structure->native_contacts = native_contacts(&b, x, y);
        status = structure_deviation(t, &b, x, y, &structure->rmsd);
    }
    backbone_free(&b);
    return status;
}
