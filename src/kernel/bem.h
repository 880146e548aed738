/* bem.h - boundary elements by one point each: potential of a single layer and of a double layer.
 *
 *   single   phi_i = sum_j sigma_j A_j / (4 pi r)
 *   double   phi_i = sum_j mu_j A_j n_j.(x_i - x_j) / (4 pi r^3)
 *
 * sigma, mu: density of the layer; A: area; n: normal of the element. 1/(4 pi) multiplies the sums.
 * An element's own potential is part of the sum. For the single layer it is that of a flat disc of the same area at
 * its centre, sigma sqrt(A/pi)/2, which is what the formula gives at the distance sqrt(A/(4 pi)). For the double layer
 * it is 0, as for any flat element. */
#ifndef MYR_KERNEL_BEM_H
#define MYR_KERNEL_BEM_H

#include "kernel/kernel.h"

enum {
    bem_single_COORDS = 3,
    bem_single_TARGET = 0,
    bem_single_SOURCE = 2,
    bem_single_PAIR = 0,
    bem_single_CONSTANTS = 0,
    bem_single_FIRST = 0,
    bem_single_OUTPUTS = 1
};

/* Issue: dx 3, r2 3, compare and select 2, sum 1. */
static const myr_kernel_desc bem_single_desc = {
    .name = "bem_single",
    .text = "boundary elements: potential of a single layer",
    .formula = "phi_i = sum_j sigma_j A_j / (4 pi r); own element sigma sqrt(A/pi)/2",
    .coords = 3,
    .target = {{0, 0}},
    .source = {{"density", 1}, {"area", 1}},
    .pair = {0},
    .parameter = {{0, 0.0, 0.0, 0.0, 0}},
    .output = {{"potential", 1, MYR_SYMMETRY_NONE}},
    .self = MYR_SELF_COUNTED,
    .null_source = 0,
    .null_components = 1,
    .reach = -1,
    .has_expansion = 1,
    .flops = 11,
    .flops_gpu = 30,
    .issue = 9,
    .issue_rsqrt = 1,
    .issue_recip = 0,
    .issue_exp = 0,
    .issue_erf = 0,
    .issue_sin = 0,
};

enum {
    bem_double_COORDS = 3,
    bem_double_TARGET = 0,
    bem_double_SOURCE = 5,
    bem_double_PAIR = 0,
    bem_double_CONSTANTS = 0,
    bem_double_FIRST = 0,
    bem_double_OUTPUTS = 1
};

/* Issue: dx 3, r2 3, compare and select 2, n.dx 3, cube 2, strength 1, sum 1. */
static const myr_kernel_desc bem_double_desc = {
    .name = "bem_double",
    .text = "boundary elements: potential of a double layer",
    .formula = "phi_i = sum_j mu_j A_j n_j.(x_i - x_j) / (4 pi r^3)",
    .coords = 3,
    .target = {{0, 0}},
    .source = {{"density", 1}, {"area", 1}, {"normal", 3}},
    .pair = {0},
    .parameter = {{0, 0.0, 0.0, 0.0, 0}},
    .output = {{"potential", 1, MYR_SYMMETRY_NONE}},
    .self = MYR_SELF_VANISHES,
    .null_source = 0,
    .null_components = 1,
    .reach = -1,
    .has_expansion = 1,
    .flops = 19,
    .flops_gpu = 38,
    .issue = 15,
    .issue_rsqrt = 1,
    .issue_recip = 0,
    .issue_exp = 0,
    .issue_erf = 0,
    .issue_sin = 0,
};

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
