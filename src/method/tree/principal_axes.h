/* principal_axes.h - principal axes of second moments. */
#ifndef MYR_METHOD_TREE_PRINCIPAL_AXES_H
#define MYR_METHOD_TREE_PRINCIPAL_AXES_H

typedef struct {
    double value[3];     /* largest first */
    double vector[3][3]; /* vector[a]: the axis of value[a] */
} myr_axes;

/* The axes of a symmetric matrix (xx, yy, zz, yz, xz, xy) divided by a number that is not 0. */
void myr_axes_find(const double matrix[6], double divisor, myr_axes *axes);

/* v = A y in space, y in the axes, with the symmetric A for which A S + S A is `change` / divisor, S = the matrix that
 * the axes were found of. Where S has no extent A does nothing. */
void myr_axes_turn(const myr_axes *axes, const double change[6], double divisor, const double y[3], double v[3]);

#endif
