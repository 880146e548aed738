/* cell_axes.h - principal axes of the second moments of a cell, by Jacobi rotations. Compiled for the processor and for
 * GPUs: the results have the same bits. */
#ifndef MYR_BACKEND_CELL_AXES_H
#define MYR_BACKEND_CELL_AXES_H

#include <math.h>

#if defined(__CUDACC__)
#define MYR_CELL_FN static __device__ __forceinline__
#else
#define MYR_CELL_FN static inline __attribute__((unused))
#endif

typedef struct {
    double value[3];     /* eigenvalues, largest first */
    double vector[3][3]; /* vector[a]: unit vector along the axis of value[a] */
} cell_axes;

enum { AXES_SWEEPS = 12 }; /* convergence is quadratic: five sweeps suffice */

MYR_CELL_FN void axes_unpack(const double packed[6], double divisor, double m[3][3])
{
    m[0][0] = packed[0] / divisor;
    m[1][1] = packed[1] / divisor;
    m[2][2] = packed[2] / divisor;
    m[1][2] = m[2][1] = packed[3] / divisor;
    m[0][2] = m[2][0] = packed[4] / divisor;
    m[0][1] = m[1][0] = packed[5] / divisor;
}

/* Rotates rows and columns i, j of m so that m[i][j] becomes 0, and applies the rotation to the vectors. */
MYR_CELL_FN void axes_rotate(double m[3][3], double vector[3][3], int i, int j)
{
    if (m[i][j] == 0)
        return;
    const double half = (m[j][j] - m[i][i]) / (2 * m[i][j]);
    const double t = copysign(1.0, half) / (fabs(half) + sqrt(half * half + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = m[k][i], b = m[k][j];
        m[k][i] = c * a - s * b;
        m[k][j] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = m[i][k], b = m[j][k];
        m[i][k] = c * a - s * b;
        m[j][k] = s * a + c * b;
    }
    m[i][j] = m[j][i] = 0;
    for (int k = 0; k < 3; k++) {
        const double a = vector[i][k], b = vector[j][k];
        vector[i][k] = c * a - s * b;
        vector[j][k] = s * a + c * b;
    }
}

/* Principal axes of a symmetric matrix (xx, yy, zz, yz, xz, xy) divided by a divisor that is not 0. */
MYR_CELL_FN void cell_axes_find(const double matrix[6], double divisor, cell_axes *axes)
{
    double m[3][3];
    axes_unpack(matrix, divisor, m);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            axes->vector[a][b] = a == b;
    for (int sweep = 0; sweep < AXES_SWEEPS && (m[0][1] != 0 || m[0][2] != 0 || m[1][2] != 0); sweep++) {
        axes_rotate(m, axes->vector, 0, 1);
        axes_rotate(m, axes->vector, 0, 2);
        axes_rotate(m, axes->vector, 1, 2);
    }
    for (int a = 0; a < 3; a++)
        axes->value[a] = m[a][a];
    for (int n = 0; n < 3; n++) { /* three exchanges sort three values */
        const int a = n == 1 ? 1 : 0;
        if (axes->value[a] >= axes->value[a + 1])
            continue;
        const double value = axes->value[a];
        axes->value[a] = axes->value[a + 1];
        axes->value[a + 1] = value;
        for (int k = 0; k < 3; k++) {
            const double of = axes->vector[a][k];
            axes->vector[a][k] = axes->vector[a + 1][k];
            axes->vector[a + 1][k] = of;
        }
    }
}

/* Velocity v = A y, with y given in the principal axes of S and v in space; A is the symmetric matrix with A S + S A =
 * change / divisor. Axes without extent contribute nothing. */
MYR_CELL_FN void cell_axes_turn(const cell_axes *axes, const double change[6], double divisor, const double y[3],
                                double v[3])
{
    double m[3][3], turned[3] = {0};
    axes_unpack(change, divisor, m);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double in_axes = 0;
            const double sum = axes->value[a] + axes->value[b];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    in_axes += axes->vector[a][i] * m[i][j] * axes->vector[b][j];
            if (sum > 1e-14 * axes->value[0])
                turned[a] += in_axes / sum * y[b];
        }
    for (int axis = 0; axis < 3; axis++) {
        v[axis] = 0;
        for (int a = 0; a < 3; a++)
            v[axis] += axes->vector[a][axis] * turned[a];
    }
}

/* Pseudo-particle k of a cell that has one, three or four, in the principal axes of S = sum_a l_a e_a e_a: sqrt(l_a)
 * times the corner of a triangle or a tetrahedron. Three leave out the isotropic part l_3 (e_1 e_1 + e_2 e_2 + e_3
 * e_3).
 */
MYR_CELL_FN void cell_axes_corner(const cell_axes *axes, int points, int k, double y[3])
{
    static const double triangle[3][3] = {{1.4142135623730951, 0, 0},
                                          {-0.7071067811865476, 1.2247448713915890, 0},
                                          {-0.7071067811865476, -1.2247448713915890, 0}};
    static const double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const double least = points == 3 ? axes->value[2] : 0;
    for (int a = 0; a < 3; a++) {
        const double corner = points == 3 ? triangle[k][a] : tetrahedron[k][a];
        y[a] = points > 1 ? corner * sqrt(fmax(axes->value[a] - least, 0.0)) : 0;
    }
}

#endif
