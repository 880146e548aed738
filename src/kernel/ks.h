/* ks.h - counts for the two-sample Kolmogorov-Smirnov statistic.
 *
 *   count_a_i = sum_j a_j [x_j <= x_i],   count_b_i = sum_j b_j [x_j <= x_i]
 *
 * With weights a_j = 1 in the first sample and 0 in the second, b_j the other way round, over both samples together,
 * D = max_i |count_a_i/n_a - count_b_i/n_b|. A value counts for itself. The comparison is exact. */
#ifndef MYR_KERNEL_KS_H
#define MYR_KERNEL_KS_H

#include "kernel/kernel.h"

enum { ks_COORDS = 1, ks_TARGET = 0, ks_SOURCE = 2, ks_PAIR = 0, ks_CONSTANTS = 0, ks_FIRST = 0, ks_OUTPUTS = 2 };

/* Issue: compare 1, sums 2. */
static const myr_kernel_desc ks_desc = {
    .name = "ks",
    .text = "Kolmogorov-Smirnov: weights of the values up to each value, in two samples",
    .formula = "count_a_i = sum_j a_j [x_j <= x_i], count_b_i = sum_j b_j [x_j <= x_i]",
    .coords = 1,
    .target = {{0, 0}},
    .source = {{"weight_a", 1}, {"weight_b", 1}},
    .pair = {0},
    .parameter = {{0, 0.0, 0.0, 0.0, 0}},
    .output = {{"count_a", 1, MYR_SYMMETRY_NONE}, {"count_b", 1, MYR_SYMMETRY_NONE}},
    .self = MYR_SELF_COUNTED,
    .null_source = 0,
    .null_components = 2,
    .reach = -1,
    .has_expansion = 0,
    .flops = 2,
    .flops_gpu = 2,
    .issue = 3,
    .issue_rsqrt = 0,
    .issue_recip = 0,
    .issue_exp = 0,
    .issue_erf = 0,
    .issue_sin = 0,
};

static inline double ks_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 1.0;
}

MYR_FN void ks_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)guard;
    s[0] = in->fj[0];
    s[1] = in->fj[1];
    d[0] = d[1] = lane_keep(coord_le(in->xj[0], in->xi[0]), lane_set(K(1)));
}

#endif
