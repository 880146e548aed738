/* expansion.h - the lane-parallel operators of multipole and local expansions, and the tables that they read.
 *
 * Real Schmidt solid harmonics H_nm(x) = r^n Y_nm without the Condon-Shortley phase, sum_m Y_nm(u) Y_nm(v) = P_n(u.v),
 * and I_nm(x) = H_nm(x) / r^(2n+1), so that 1/|x - a| = sum_nm H_nm(a) I_nm(x) for |a| < |x|, with no factor at all.
 * A series of order p has the degrees n = 0 .. p-1: p^2 coefficients, that of (n, m) at n n + n + m, sines at m < 0,
 * and zeros up to a multiple of MYR_EXPANSION_PAD. Lengths are in sides of the cell, so that one set of operators
 * serves all levels:
 *
 *   multipole   M_nm = sum_a q H_nm(a)     phi(x) = sum_nm M_nm I_nm(x)
 *   local       L_nm = sum_a q I_nm(a)     phi(x) = sum_nm L_nm H_nm(x)
 *
 * The operators are compiled once per instruction set, for floats and for doubles (expansion_unit.c). */
#ifndef MYR_BACKEND_EXPANSION_H
#define MYR_BACKEND_EXPANSION_H

#include <stdint.h>

enum {
    MYR_EXPANSION_ORDER = 32,                        /* at most: 30 to be asked for, and far.h's `more` */
    MYR_EXPANSION_DEGREES = MYR_EXPANSION_ORDER + 3, /* of the tables: two derivatives raise the degree by two */
    MYR_EXPANSION_PAD = 16,                          /* coefficients of a series are padded for the widest lanes */
    MYR_EXPANSION_SUMS = 4,                          /* series that one call of `field` sums */
    MYR_EXPANSION_STRAIGHT_FIRST = 5,                /* orders that have unrolled translations of their own */
    MYR_EXPANSION_STRAIGHT_LAST = 9
};

static inline int myr_expansion_at(int n, int m)
{
    return n * n + n + m;
}

/* Reals that a series of an order takes. */
static inline int myr_expansion_size(int order)
{
    return (order * order + MYR_EXPANSION_PAD - 1) / MYR_EXPANSION_PAD * MYR_EXPANSION_PAD;
}

/* Entries of a sparse matrix, by rising degree: series[to] += factor * series[from]. */
typedef struct {
    int16_t *to, *from;
    void *factor;                       /* real [..] */
    int end[MYR_EXPANSION_DEGREES + 1]; /* entries whose degree n = that of `from` is below the index */
} myr_derivative;

/* Tables of reals of one precision.
 *   H_mm + i H_m,-m = first[m] (x + iy) (H_m-1,m-1 + i H_m-1,-(m-1))
 *   H_n+1,m = up[n][m] z H_nm - down[n][m] r^2 H_n-1,m */
typedef struct {
    int real_bytes;
    void *first, *up, *down; /* real [D], [D][D], [D][D], D = MYR_EXPANSION_DEGREES */
    myr_derivative derivative[3];
} myr_harmonics;

/* A translation of a multipole series to a local one, by turning the axis between the cells onto z (paper 004, eqs 25
 * to 35): about z, about y, along z, and back. Matrices are stored by columns, sines from m = n down to 1. */
typedef struct {
    int order;
    const void *turn;    /* real [2][order]: cos m phi, sin m phi */
    const void *forward; /* real: for each degree the cosines' matrix (n+1)^2, then the sines' n^2 */
    const void *back;    /* real: their transposes */
    const void *axial;   /* real: for each m the matrix (order - m)^2 */
} myr_turned;

/* A translation as a plain matrix: real [columns][rows], rows padded. */
typedef struct {
    int rows, columns;
    const void *matrix;
} myr_dense;

typedef struct {
    int real_bytes, lanes;
    /* series += sum over n particles of q H(x), or of q I(x) where irregular; x[3] and q: reals, padded with a lane */
    void (*collect)(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3], const void *q,
                    void *series);
    /* out[s][i] = sum over the coefficients of series[s] H(x_i), or I(x_i), for up to MYR_EXPANSION_SUMS series */
    void (*field)(const myr_harmonics *h, int order, int irregular, int64_t n, const void *const x[3], int sums,
                  const void *const *series, void *const *out);
    /* to += the series of a derivative along an axis. A local series loses a degree; a multipole one, where irregular,
     * gains one: order is that of the longer. */
    void (*derive)(const myr_harmonics *h, int order, int irregular, int axis, const void *from, void *to);
    /* to[c] += T from[c] for n series */
    void (*dense)(const myr_dense *t, int64_t n, const void *const *from, void *const *to);
    void (*turned)(const myr_turned *t, int64_t n, const void *const *from, void *const *to);
} myr_expansion_ops;

#endif
