/* expansion_operators.h - translation operators of one order: harmonics, translations between cells, and the plain
 * formulas that define and test the operators. Conventions: backend/expansion.h; derivations: docs/notes/fmm.md. */
#ifndef MYR_METHOD_FMM_EXPANSION_OPERATORS_H
#define MYR_METHOD_FMM_EXPANSION_OPERATORS_H

#include "backend/expansion.h"
#include "backend/expansion_order.h"
#include "core/context.h"

/* Form of the translation from a multipole series to a local series (M2L). */
typedef enum {
    MYR_TRANSLATE_NONE,  /* cells of this offset are near each other and need no translation */
    MYR_TRANSLATE_DENSE, /* matrix product, O(p^4) operations */
    MYR_TRANSLATE_TURNED /* rotation to the z axis, translation along z, rotation back: O(p^3) operations */
} myr_translate_form;

typedef struct {
    myr_translate_form form;
    myr_dense dense;
    myr_turned turned;
} myr_translate;

typedef struct {
    int order, size; /* order: number of degrees; size: number of reals of a padded series */
    int separation;  /* cells of one level with fewer than this many cells between them are summed without expansions */
    const myr_expansion_ops *ops;
    myr_harmonics harmonics;
    /* translations by octant: child's to parent's multipoles (up), parent's to child's local series (down) */
    myr_dense up[8], down[8];
    int width;                /* edge of the cube of cell offsets, 4 separation + 3 */
    myr_translate *translate; /* [width^3]: translation by offset (target's minus source's grid position), x slowest */
    double relax;             /* as in myr_expansion_options */
    void **piece;             /* [pieces]: all allocations, for freeing */
    int pieces, room;
} myr_expansion;

typedef struct {
    int order, separation;
    /* Far offsets use fewer degrees, chosen so that (relax/distance)^degrees is the same for all offsets; 0 = all
     * offsets use the whole order. */
    double relax;
} myr_expansion_options;

myr_status myr_expansion_create(myr_context *context, const myr_expansion_ops *ops,
                                const myr_expansion_options *options, myr_expansion **expansion);
void myr_expansion_destroy(myr_expansion **expansion);

/* Number of degrees of a translation over this distance, in cell sides. */
int myr_expansion_degrees(const myr_expansion_options *options, double distance);

/* Regular harmonics H_nm(x) and irregular harmonics I_nm(x), order^2 values each. */
void myr_expansion_regular(int order, const double x[3], double *value);
void myr_expansion_irregular(int order, const double x[3], double *value);

/* Translation matrices, matrix[row][column], order^2 rows and columns:
 *   myr_expansion_matrix: multipole to local series, d = target's centre - source's centre;
 *   myr_expansion_matrix_of: the same from the irregular harmonics I_nm(d) of 2 order - 1 degrees;
 *   myr_expansion_shift: S with H(a + c) = S H(a), which moves multipoles to a centre at -c from the old centre; its
 *   transpose moves local series by c. */
void myr_expansion_matrix(int order, const double d[3], double *matrix);
void myr_expansion_matrix_of(int order, const double *irregular, double *matrix);
void myr_expansion_shift(int order, const double c[3], double *matrix);

/* Rotation about y that takes (sine, 0, cosine) to z. For each degree n < order in turn: the matrix of the cosines
 * [n+1][n+1], then the matrix of the sines [n][n] (m = 1 .. n). Returns 0 if memory is short. */
int myr_expansion_rotation(int order, double cosine, double sine, double *matrix);

/* Translation along z, which mixes degrees of one m and is the same for cosines and sines. For each m in turn: the
 * matrix [n = m .. order-1][j = m .. order-1] from degree n to degree j. */
void myr_expansion_axial(int order, double distance, double *matrix);

#endif
