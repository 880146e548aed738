/* principal_axes.h - principal axes of second moments. */
#ifndef MYR_METHOD_TREE_PRINCIPAL_AXES_H
#define MYR_METHOD_TREE_PRINCIPAL_AXES_H

typedef struct {
    double value[3];     /* eigenvalues, largest first */
    double vector[3][3]; /* vector[a]: unit vector along the axis of value[a] */
} myr_principal_axes;

/* Principal axes of a symmetric matrix (xx, yy, zz, yz, xz, xy) divided by a divisor that is not 0. */
void myr_principal_axes_find(const double matrix[6], double divisor, myr_principal_axes *axes);

/* Velocity v = A y, with y given in the principal axes of S and v in space; A is the symmetric matrix with A S + S A =
 * change / divisor. Axes without extent contribute nothing. */
void myr_principal_axes_turn(const myr_principal_axes *axes, const double change[6], double divisor, const double y[3],
                             double v[3]);

#endif
