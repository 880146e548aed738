/* gaussian.h - sums of Gaussians and of their Laplacians, for methods of the library (internal.def).
 *
 *   sum_i = sum_j w_j 2^(b_j r^2),   r <= cutoff
 *   its Laplacian = sum_j w_j a_j (a_j r^2 - 3) 2^(b_j r^2),   a_j = -2 ln(2) b_j = 1/s_j^2
 *
 * r is in units of the widest Gaussian; b = -log2(e)/(2 s^2) with the width s in the same unit. Positions are fields,
 * not coordinates: they are relative to the centre of a cell, and a single real holds them in every arithmetic. */
#ifndef MYR_KERNEL_GAUSSIAN_H
#define MYR_KERNEL_GAUSSIAN_H

#include "kernel/kernel.h"

#define gaussian_value_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                 \
    TARGET(place, 3)                                                                                                   \
    SOURCE(place, 3)                                                                                                   \
    SOURCE(decay, 1)                                                                                                   \
    SOURCE(weight, 3, MYR_STRENGTH)                                                                                    \
    PARAMETER(cutoff2, 0, 0, 1e300, "square of the cutoff radius")                                                     \
    OUTPUT(sum, 3)                                                                                                     \
    SIZE(CONSTANTS, 1)                                                                                                 \
    SIZE(NO_COORDS, 1)
#define gaussian_laplacian_RECORD gaussian_value_RECORD
MYR_KERNEL_RECORD(gaussian_value, .text = "Gaussians with a cutoff: values", .formula = "sum_i = sum_j w_j 2^(b_j r^2)",
                  .self = MYR_SELF_COUNTED);
MYR_KERNEL_RECORD(gaussian_laplacian, .text = "Gaussians with a cutoff: Laplacians",
                  .formula = "sum_i = sum_j w_j a_j (a_j r^2 - 3) 2^(b_j r^2)", .self = MYR_SELF_COUNTED);

/* The constant is the squared cutoff. */
static inline double gaussian_prepare(const double *parameter, double *constant)
{
    constant[0] = parameter[0];
    return 1;
}
#define gaussian_value_prepare gaussian_prepare
#define gaussian_laplacian_prepare gaussian_prepare

/* Exponents below -120 are clamped: such a contribution is beyond the cutoff or negligible. */
MYR_FN void gaussian_pair(const myr_pair *in, const int laplacian, lane *s, lane *d)
{
    const lane *i = in->fi, *j = in->fj;
    lane decay = j[3];
    lane dx = j[0] - i[0], dy = j[1] - i[1], dz = j[2] - i[2];
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    lane g = lane_exp2_normal(lane_max(lane_set(K(-120)), decay * r2));
    if (laplacian) {
        lane a = lane_set(K(-1.3862943611198906)) * decay;
        g = g * (a * lane_madd(a, r2, lane_set(K(-3))));
    }
    g = lane_keep(lane_le(r2, in->c[0]), g);
    for (int c = 0; c < 3; c++) {
        s[c] = j[4 + c];
        d[c] = g;
    }
}

MYR_FN void gaussian_value_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)guard;
    gaussian_pair(in, 0, s, d);
}

MYR_FN void gaussian_laplacian_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)guard;
    gaussian_pair(in, 1, s, d);
}

#endif
