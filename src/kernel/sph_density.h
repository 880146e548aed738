/* sph_density.h - density of smoothed particles with the cubic spline.
 *
 *   rho_i = sum_j m_j W(r, h_i),   W = ((2 - q)+^3 - 4 (1 - q)+^3) / (4 pi h^3),   q = r/h,   (y)+ = max(y, 0)
 *
 * Monaghan and Lattanzio (1985): support 2h, normalised in three dimensions. A particle contributes to its own
 * density. */
#ifndef MYR_KERNEL_SPH_DENSITY_H
#define MYR_KERNEL_SPH_DENSITY_H

#include "kernel/kernel.h"

#define sph_density_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                    \
    TARGET(smoothing_length, 1)                                                                                        \
    SOURCE(mass, 1, MYR_STRENGTH)                                                                                      \
    OUTPUT(density, 1)
MYR_KERNEL_RECORD(sph_density, .text = "smoothed particles: density, cubic spline of support 2h",
                  .formula = "rho_i = sum_j m_j W(r, h_i)", .self = MYR_SELF_COUNTED, .reach_field = "smoothing_length",
                  .reach_target = 2.0);

static inline double sph_density_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 0.07957747154594766788; /* 1/(4 pi) */
}

/* The brackets are divided by h before they are cubed, to avoid overflow. At r = 0 the distance is replaced by a tiny
 * fraction of h, which changes W by the square of that fraction. */
MYR_FN void sph_density_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    const real tiny2 = K(sizeof(real) == sizeof(float) ? 1e-12 : 1e-24);
    lane dx = lane_delta(in->xj[0], in->xi[0]);
    lane dy = lane_delta(in->xj[1], in->xi[1]);
    lane dz = lane_delta(in->xj[2], in->xi[2]);
    lane h = in->fi[0];
    lane hinv = lane_recip_pos(h);
    lane hinv2 = hinv * hinv;
    lane r2 = lane_max((tiny2 * h) * h, lane_madd(dz, dz, lane_madd(dy, dy, dx * dx)));
    lane r = r2 * lane_rsqrt_pos(r2);
    lane wide = lane_max(lane_set(K(0)), lane_madd(-r, hinv2, K(2) * hinv));
    lane narrow = lane_max(lane_set(K(0)), lane_madd(-r, hinv2, hinv));
    (void)guard;
    s[0] = in->fj[0];
    d[0] = lane_madd(lane_set(K(-4)), (narrow * narrow) * narrow, (wide * wide) * wide);
}

#endif
