/* ks.h - counts for the two-sample Kolmogorov-Smirnov statistic.
 *
 *   count_a_i = sum_j a_j [x_j <= x_i],   count_b_i = sum_j b_j [x_j <= x_i]
 *
 * Sums over both samples together, with weights a_j = 1, b_j = 0 in the first sample and a_j = 0, b_j = 1 in the
 * second, give D = max_i |count_a_i/n_a - count_b_i/n_b|. A value counts itself. The comparison is exact. */
#ifndef MYR_KERNEL_KS_H
#define MYR_KERNEL_KS_H

#include "kernel/kernel.h"

#define ks_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                             \
    SOURCE(weight_a, 1, MYR_STRENGTH)                                                                                  \
    SOURCE(weight_b, 1, MYR_STRENGTH)                                                                                  \
    OUTPUT(count_a, 1)                                                                                                 \
    OUTPUT(count_b, 1)                                                                                                 \
    SIZE(COORDS, 1)
MYR_KERNEL_RECORD(ks, .text = "Kolmogorov-Smirnov: weights of the values up to each value, in two samples",
                  .formula = "count_a_i = sum_j a_j [x_j <= x_i], count_b_i = sum_j b_j [x_j <= x_i]",
                  .self = MYR_SELF_COUNTED, .is_short = 1);

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
