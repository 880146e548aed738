/* bem.h - boundary elements with one quadrature point each: potentials of a single layer and of a double layer.
 *
 *   single   phi_i = sum_j sigma_j A_j / (4 pi r)
 *   double   phi_i = sum_j mu_j A_j n_j.(x_i - x_j) / (4 pi r^3)
 *
 * sigma, mu: density of the layer; A: area; n: normal of the element. The sums are multiplied by 1/(4 pi). The self
 * potential of an element is part of the sum. For the single layer it is the potential at the centre of a flat disc of
 * the same area, sigma sqrt(A/pi)/2, which the formula gives at the distance sqrt(A/(4 pi)). For the double layer it is
 * 0, as for any flat element. */
#ifndef MYR_KERNEL_BEM_H
#define MYR_KERNEL_BEM_H

#include "kernel/kernel.h"

#define bem_single_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                     \
    SOURCE(density, 1, MYR_STRENGTH)                                                                                   \
    SOURCE(area, 1)                                                                                                    \
    OUTPUT(potential, 1)
MYR_KERNEL_RECORD(bem_single, .text = "boundary elements: potential of a single layer",
                  .formula = "phi_i = sum_j sigma_j A_j / (4 pi r); own element sigma sqrt(A/pi)/2",
                  .self = MYR_SELF_COUNTED, .has_expansion = 1, .is_short = 1);

#define bem_double_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                     \
    bem_single_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) SOURCE(normal, 3)
MYR_KERNEL_RECORD(bem_double, .text = "boundary elements: potential of a double layer",
                  .formula = "phi_i = sum_j mu_j A_j n_j.(x_i - x_j) / (4 pi r^3)", .has_expansion = 1);

static inline double bem_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 0.07957747154594766788; /* 1/(4 pi) */
}

#define bem_single_prepare bem_prepare
#define bem_double_prepare bem_prepare

MYR_FN void bem_single_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane area = in->fj[1];
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    lane disc2 = K(0.07957747154594766788) * area; /* A/(4 pi) */
    (void)guard;
    s[0] = in->fj[0] * area;
    d[0] = lane_rsqrt_pos(lane_select(lane_eq(r2, lane_set(K(0))), disc2, r2));
}

MYR_FN void bem_double_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    lane rinv = lane_rsqrt_pos(lane_select(lane_eq(r2, lane_set(K(0))), lane_set(K(1)), r2));
    lane strength = in->fj[0] * in->fj[1];
    (void)guard;
    s[0] = strength * ((rinv * rinv) * rinv);
    d[0] = lane_madd(in->fj[4], dz, lane_madd(in->fj[3], dy, in->fj[2] * dx));
}

#endif
