/* sph_force.h - acceleration of smoothed particles by pressure and artificial viscosity.
 *
 *   a_i = -sum_j m_j (P_i/rho_i^2 + P_j/rho_j^2 + Pi_ij) grad_i W(r, h),   h = (h_i + h_j)/2, W as sph_density
 *   Pi_ij = (-alpha c mu + beta mu^2)/rho if v_ij.r_ij < 0, else 0; c, rho: means of the pair
 *   mu = h v_ij.r_ij / (r^2 + eta2 h^2)
 *
 * Monaghan (1992). All terms except m_j have the same bits for (i, j) and (j, i): momentum is conserved exactly for
 * equal masses. For this reason no fused operation combines a term of i with a term of j. */
#ifndef MYR_KERNEL_SPH_FORCE_H
#define MYR_KERNEL_SPH_FORCE_H

#include "kernel/kernel.h"

#define sph_force_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                      \
    TARGET(velocity, 3)                                                                                                \
    TARGET(density, 1)                                                                                                 \
    TARGET(pressure, 1)                                                                                                \
    TARGET(smoothing_length, 1)                                                                                        \
    TARGET(sound_speed, 1)                                                                                             \
    SOURCE(mass, 1, MYR_STRENGTH)                                                                                      \
    SOURCE(velocity, 3)                                                                                                \
    SOURCE(density, 1)                                                                                                 \
    SOURCE(pressure, 1)                                                                                                \
    SOURCE(smoothing_length, 1)                                                                                        \
    SOURCE(sound_speed, 1)                                                                                             \
    PARAMETER(alpha, 1.0, 0.0, 1e300, "linear artificial viscosity")                                                   \
    PARAMETER(beta, 2.0, 0.0, 1e300, "quadratic artificial viscosity")                                                 \
    PARAMETER(eta2, 0.01, 0.0, 1e300, "keeps the viscosity finite at r = 0, in units of h^2")                          \
    OUTPUT(acceleration, 3, MYR_SYMMETRY_ANTI_EQUAL)                                                                   \
    SIZE(CONSTANTS, 3)
MYR_KERNEL_RECORD(sph_force,
                  .text = "smoothed particles: acceleration by pressure and artificial viscosity, cubic spline",
                  .formula = "a_i = -sum_j m_j (P_i/rho_i^2 + P_j/rho_j^2 + Pi_ij) grad_i W(r, (h_i + h_j)/2)",
                  .reach_field = "smoothing_length", .reach_target = 1.0, .reach_source = 1.0);

/* -grad W = 3/(4 pi h^5) f(q) (x_i - x_j); the factor multiplies the sums. Constants: 0 alpha, 1 2 beta, 2 eta2. */
static inline double sph_force_prepare(const double *parameter, double *constant)
{
    constant[0] = parameter[0];
    constant[1] = 2.0 * parameter[1];
    constant[2] = parameter[2];
    return 0.23873241463784300365; /* 3/(4 pi) */
}

/* f(q) = 4 - 3q for q < 1, (2 - q)^2/q for 1 <= q < 2, else 0. */
MYR_FN lane sph_force_gradient(lane q2)
{
    lane qinv = lane_rsqrt_pos(q2);
    lane q = q2 * qinv;
    lane wide = lane_max(lane_set(K(0)), K(2) - q);
    return lane_select(lane_lt(q, lane_set(K(1))), lane_madd(lane_set(K(-3)), q, lane_set(K(4))), (wide * wide) * qinv);
}

/* Pi_ij from h v_ij.r_ij/h^2, q^2 and the sums of densities and sound speeds. */
MYR_FN lane sph_force_viscosity(lane approach, lane q2, lane rho, lane sound, const lane *c)
{
    lane mu = lane_min(lane_set(K(0)), approach * lane_recip_pos(q2 + c[2]));
    return mu * lane_madd(c[1], mu, -(c[0] * sound)) * lane_recip_pos(rho);
}

MYR_FN void sph_force_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    const lane *i = in->fi, *j = in->fj;
    const real tiny2 = K(sizeof(real) == sizeof(float) ? 1e-12 : 1e-24); /* replaces q^2 = 0 */
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    lane vr = lane_madd(i[2] - j[3], dz, lane_madd(i[1] - j[2], dy, (i[0] - j[1]) * dx));
    lane hinv = K(2) * lane_recip_pos(i[5] + j[6]);
    lane hinv2 = hinv * hinv;
    lane q2 = lane_max(lane_set(tiny2), r2 * hinv2);
    lane rinv_i = lane_recip_pos(i[3]), rinv_j = lane_recip_pos(j[4]);
    lane pressure_i = i[4] * (rinv_i * rinv_i), pressure_j = j[5] * (rinv_j * rinv_j);
    lane stress = (pressure_i + pressure_j) + sph_force_viscosity(vr * hinv, q2, i[3] + j[4], i[6] + j[7], in->c);
    (void)guard;
    s[0] = s[1] = s[2] = (j[0] * stress) * (sph_force_gradient(q2) * ((hinv2 * hinv2) * hinv));
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
}

#endif
