/* laplace.h - potential and field of point charges; the field is minus the gradient of the potential.
 *
 *   phi_i = sum_j q_j G,   E_i = -grad phi_i,   G = 1/(4 pi (r^2 + eps^2)^(1/2))
 *
 * Green's function of paper 004. The sums are multiplied by 1/(4 pi). */
#ifndef MYR_KERNEL_LAPLACE_H
#define MYR_KERNEL_LAPLACE_H

#include "kernel/kernel.h"

#define laplace_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                        \
    SOURCE(charge, 1, MYR_STRENGTH)                                                                                    \
    PARAMETER(eps, 0.0, 0.0, 1e300, "Plummer softening length")                                                        \
    OUTPUT(potential, 1)                                                                                               \
    OUTPUT(field, 3, MYR_SYMMETRY_ANTI_EQUAL)                                                                          \
    SIZE(CONSTANTS, 1)
MYR_KERNEL_RECORD(
    laplace, .text = "Laplace: potential and field of charges, Plummer softening",
    .formula = "phi_i = sum_j q_j / (4 pi R), E_i = sum_j q_j (x_i - x_j) / (4 pi R^3), R^2 = r^2 + eps^2",
    .self = MYR_SELF_SKIPPED, .has_expansion = 1, .is_short = 1);

static inline double laplace_prepare(const double *parameter, double *constant)
{
    constant[0] = parameter[0] * parameter[0];
    return 0.07957747154594766788; /* 1/(4 pi) */
}

MYR_FN void laplace_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, lane_madd(dx, dx, in->c[0])));
    guard_singular(guard, r2);
    lane rinv = lane_rsqrt_pos(r2);
    lane qrinv = in->fj[0] * rinv;
    s[0] = qrinv;
    d[0] = lane_set(K(1));
    s[1] = s[2] = s[3] = qrinv * (rinv * rinv);
    d[1] = dx;
    d[2] = dy;
    d[3] = dz;
}

#endif
