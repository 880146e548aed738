/* expansion.h - lane-parallel operators of multipole and local expansions, and their tables.
 *
 * Real Schmidt solid harmonics H_nm(x) = r^n Y_nm without the Condon-Shortley phase, sum_m Y_nm(u) Y_nm(v) = P_n(u.v),
 * and I_nm(x) = H_nm(x) / r^(2n+1), so that 1/|x - a| = sum_nm H_nm(a) I_nm(x) for |a| < |x|, without any factor. A
 * series of order p has the degrees n = 0 .. p-1: p^2 coefficients, (n, m) at index n n + n + m, sines at m < 0, and
 * zeros up to a multiple of MYR_EXPANSION_PAD. Lengths are in units of the cell's side, so that one set of operators
 * serves all levels:
 *
 *   multipole   M_nm = sum_a q H_nm(a)     phi(x) = sum_nm M_nm I_nm(x)
 *   local       L_nm = sum_a q I_nm(a)     phi(x) = sum_nm L_nm H_nm(x)
 *
 * The operators are compiled once per instruction set, for float and for double (expansion_unit.c). */
#ifndef MYR_BACKEND_EXPANSION_H
#define MYR_BACKEND_EXPANSION_H

#include <stdint.h>

enum {
    /* highest order: a request of up to 30, plus `more` of method/fmm/far_field.h */
    MYR_EXPANSION_ORDER = 32,
    /* degrees of the tables: two derivatives raise the degree by two */
    MYR_EXPANSION_DEGREES = MYR_EXPANSION_ORDER + 3,
    /* series are padded to a multiple of this, for the widest vectors */
    MYR_EXPANSION_PAD = 16,
    MYR_EXPANSION_SUMS = 4,           /* largest number of series summed by one call of `field` */
    MYR_EXPANSION_STRAIGHT_FIRST = 5, /* first order with unrolled translation code */
    MYR_EXPANSION_STRAIGHT_LAST = 9
};

/* Forms of the operators: in float and in double, as fast as the instruction set allows; and with the same bits on
 * every machine (expansion_order.h). */
typedef enum {
    MYR_EXPANSION_FLOAT,
    MYR_EXPANSION_DOUBLE,
    MYR_EXPANSION_PORTABLE_FLOAT,
    MYR_EXPANSION_PORTABLE_DOUBLE,
    MYR_EXPANSION_FORMS
} myr_expansion_form;

static inline int myr_expansion_at(int n, int m)
{
    return n * n + n + m;
}

/* Number of reals of a padded series. */
static inline int myr_expansion_size(int order)
{
    return (order * order + MYR_EXPANSION_PAD - 1) / MYR_EXPANSION_PAD * MYR_EXPANSION_PAD;
}

/* Entries of a sparse matrix in order of increasing degree: series[to] += factor * series[from]. */
typedef struct {
    int16_t *to, *from;
    void *factor;                       /* real [entries] */
    int end[MYR_EXPANSION_DEGREES + 1]; /* end[n]: number of entries whose `from` has a degree below n */
} myr_derivative;

/* Tables of reals of one precision.
 *   H_mm + i H_m,-m = first[m] (x + iy) (H_m-1,m-1 + i H_m-1,-(m-1))
 *   H_n+1,m = up[n][m] z H_nm - down[n][m] r^2 H_n-1,m */
typedef struct {
    int real_bytes;
    void *first, *up, *down; /* real [D], [D][D], [D][D], D = MYR_EXPANSION_DEGREES */
    myr_derivative derivative[3];
} myr_harmonics;

/* Translation of a multipole to a local series in a frame whose z axis joins the cells (paper 004, eqs 25 to 35):
 * rotation about z, about y, translation along z, rotations back. Matrices are stored by columns, sines from m = n down
 * to 1. */
typedef struct {
    int order;
    const void *turn;    /* real [2][order]: cos m phi, sin m phi */
    const void *forward; /* real: for each degree the (n+1)^2 matrix of cosines, then the n^2 matrix of sines */
    const void *back;    /* real: transposes of `forward` */
    const void *axial;   /* real: for each m the (order - m)^2 matrix */
} myr_turned;

/* Translation as a matrix: real [columns][rows], rows padded. */
typedef struct {
    int rows, columns;
    const void *matrix;
} myr_dense;

typedef struct {
    int real_bytes, lanes;
    /* series += sum over n particles of q H(x), or q I(x) if irregular; x[3] and q: reals, padded by one vector */
    void (*collect)(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3], const void *q,
                    void *series);
    /* out[s][i] = sum over the coefficients of series[s] H(x_i), or I(x_i) if irregular, for up to MYR_EXPANSION_SUMS
     * series */
    void (*field)(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3], int sums,
                  const void *const *series, void *const *out);
    /* to += series of the derivative along an axis. A local series loses a degree; a multipole series (irregular) gains
     * one: order is that of the longer series. */
    void (*derive)(const myr_harmonics *h, int order, int irregular, int axis, const void *from, void *to);
    /* to[c] += T from[c] for n series */
    void (*dense)(const myr_dense *t, int64_t n, const void *const *from, void *const *to);
    void (*turned)(const myr_turned *t, int64_t n, const void *const *from, void *const *to);
} myr_expansion_ops;

#endif
