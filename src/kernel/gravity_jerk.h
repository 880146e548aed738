/* gravity_jerk.h - gravity with Plummer softening: acceleration, its time derivative (jerk) and potential.
 *
 *   a_i = G sum_j m_j r_ij / R^3,   j_i = G sum_j m_j (v_ij - 3 (r_ij.v_ij)/R^2 r_ij) / R^3,   phi_i = -G sum_j m_j / R
 *
 * with r_ij = x_j - x_i, v_ij = v_j - v_i, R^2 = r_ij^2 + eps^2. Paper 002, Fig. A.4, with eps a parameter. */
#ifndef MYR_KERNEL_GRAVITY_JERK_H
#define MYR_KERNEL_GRAVITY_JERK_H

#include "kernel/gravity.h"

#define gravity_jerk_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                   \
    TARGET(velocity, 3)                                                                                                \
    SOURCE(velocity, 3)                                                                                                \
    gravity_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(jerk, 3, MYR_SYMMETRY_ANTI_EQUAL)                   \
        OUTPUT(potential, 1)
MYR_KERNEL_RECORD(gravity_jerk, .text = "gravity: acceleration, jerk and potential, Plummer softening",
                  .formula =
                      "a_i, phi_i as gravity_potential; jerk_i = G sum_j m_j (v_ij - 3 (r_ij.v_ij)/R^2 r_ij)/R^3, "
                      "R^2 = r^2 + eps^2",
                  .self = MYR_SELF_SKIPPED, .has_expansion = 1, .proportional = 1);

#define gravity_jerk_prepare gravity_prepare

MYR_FN void gravity_jerk_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xj[0], in->xi[0]);
    lane dy = lane_delta(in->xj[1], in->xi[1]);
    lane dz = lane_delta(in->xj[2], in->xi[2]);
    lane dvx = in->fj[0] - in->fi[0];
    lane dvy = in->fj[1] - in->fi[1];
    lane dvz = in->fj[2] - in->fi[2];
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, lane_madd(dx, dx, in->c[0])));
    guard_singular(guard, r2);
    lane rv = lane_madd(dz, dvz, lane_madd(dy, dvy, dx * dvx));
    lane rinv = lane_rsqrt_pos(r2);
    lane rinv2 = rinv * rinv;
    lane mrinv = MYR_KERNEL_EQUAL ? rinv : in->fj[3] * rinv;
    lane alpha = (K(-3) * rinv2) * rv;
    s[0] = s[1] = s[2] = s[3] = s[4] = s[5] = mrinv * rinv2;
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    d[3] = lane_madd(alpha, dx, dvx);
    d[4] = lane_madd(alpha, dy, dvy);
    d[5] = lane_madd(alpha, dz, dvz);
    s[6] = mrinv;
    d[6] = lane_set(K(-1));
}

/* |jerk| <= 2 m |v| / r^3, because no vector v - 3 (r.v)/R^2 r is longer than 2 |v|. The speed 1/BOUND_MOST stands for
 * components whose squares or products with distances are denormal. */
#define gravity_jerk_BOUNDED 1
MYR_FN lmask gravity_jerk_inside(const myr_pair *most, lane r2, const real *range)
{
    const gravity_bounds b = gravity_bound(most, MYR_KERNEL_EQUAL ? lane_set(K(1)) : most->fj[3], r2);
    lane v2 = lane_set(K(0));
    for (int k = 0; k < 3; k++) {
        const lane v = lane_abs(most->fi[k]) + most->fj[k];
        v2 = lane_madd(v, v, v2);
    }
    const lane speed = lane_sqrt(v2) + 1 / BOUND_MOST;
    const lmask slow = lane_le(speed, lane_set(BOUND_MOST));
    const lmask jerk = lane_lt(K(2) * speed * b.s, lane_set(range[3]));
    return mask_and(mask_and(slow, jerk), gravity_bounds_inside(&b, range[0], range[6]));
}

#endif
