/* expansion_operators.h - the operators of one order: harmonics, translations between cells, and the plain formulas
 * that they are made from and tested against. Conventions: backend/expansion.h; derivations: docs/notes/fmm.md. */
#ifndef MYR_METHOD_FMM_EXPANSION_OPERATORS_H
#define MYR_METHOD_FMM_EXPANSION_OPERATORS_H

#include "backend/expansion.h"
#include "core/context.h"

/* How multipole series become local ones. */
typedef enum {
    MYR_TRANSLATE_NONE,  /* cells this near use none */
    MYR_TRANSLATE_DENSE, /* as a plain matrix, O(p^4) */
    MYR_TRANSLATE_TURNED /* through a turned axis, O(p^3) */
} myr_translate_form;

typedef struct {
    myr_translate_form form;
    myr_dense dense;
    myr_turned turned;
} myr_translate;

typedef struct {
    int order, size; /* size: reals of a series */
    int separation;  /* cells of one level with fewer cells between them than this do not use expansions */
    const myr_expansion_ops *ops;
    myr_harmonics harmonics;
    myr_dense up[8], down[8]; /* by octant: child's multipoles to its parent's, parent's local series to its child's */
    int width;                /* of the cube of offsets, 4 separation + 3 */
    myr_translate *translate; /* [width^3]: by target's grid place - source's, x slowest */
    double relax;             /* see myr_expansion_options */
    void **piece;             /* everything that was allocated */
    int pieces, room;
} myr_expansion;

typedef struct {
    int order, separation;
    double relax; /* far offsets use fewer degrees: so many that (relax/distance)^degrees is the same for all; 0 = all
                   * use the whole order */
} myr_expansion_options;

/* Orders up to this use plain matrices: measured, docs/notes/fmm.md. */
enum { MYR_TRANSLATE_DENSE_MOST = 4 };

myr_status myr_expansion_create(myr_context *context, const myr_expansion_ops *ops,
                                const myr_expansion_options *options, myr_expansion **expansion);
void myr_expansion_destroy(myr_expansion **expansion);

/* Degrees that a translation over this distance (in cells) uses. */
int myr_expansion_degrees(const myr_expansion_options *options, double distance);

/* H_nm(x) and I_nm(x), order^2 values each. */
void myr_expansion_regular(int order, const double x[3], double *value);
void myr_expansion_irregular(int order, const double x[3], double *value);

/* The plain translations. matrix[row][column], order^2 each:
 *   multipole to local, d = target's centre - source's;
 *   H(a + c) = S H(a): multipoles from a centre to one that lies at -c from it; its transpose moves local series by c
 */
void myr_expansion_matrix(int order, const double d[3], double *matrix);
void myr_expansion_matrix_of(int order, const double *irregular,
                             double *matrix); /* from I_nm(d), 2 order - 1 degrees */
void myr_expansion_shift(int order, const double c[3], double *matrix);

/* The rotation about y that takes (sine, 0, cosine) to z, for each degree n < order: the cosines' matrix [n+1][n+1]
 * then the sines' [n][n] (m = 1 .. n), one degree after another. Returns 0 where memory is short. */
int myr_expansion_rotation(int order, double cosine, double sine, double *matrix);

/* The translation along z, which mixes degrees at one m and is the same for cosines and sines: for each m the matrix
 * [n = m .. order-1][j = m .. order-1] from degree n to degree j, one m after another. */
void myr_expansion_axial(int order, double distance, double *matrix);

#endif
