/* gravity_jerk.h - gravity with Plummer softening: acceleration, its time derivative (jerk) and potential.
 *
 *   a_i = G sum_j m_j r_ij / R^3,   j_i = G sum_j m_j (v_ij - 3 (r_ij.v_ij)/R^2 r_ij) / R^3,   phi_i = -G sum_j m_j / R
 *
 * with r_ij = x_j - x_i, v_ij = v_j - v_i, R^2 = r_ij^2 + eps^2. Paper 002, Fig. A.4, with eps a parameter. */
#ifndef MYR_KERNEL_GRAVITY_JERK_H
#define MYR_KERNEL_GRAVITY_JERK_H

#include "kernel/gravity.h"

enum {
    gravity_jerk_COORDS = 3,
    gravity_jerk_TARGET = 3,
    gravity_jerk_SOURCE = 4,
    gravity_jerk_PAIR = 0,
    gravity_jerk_CONSTANTS = 1,
    gravity_jerk_FIRST = 0,
    gravity_jerk_OUTPUTS = 7
};

/* Operations as papers count them (GAJ of paper 001; GRAPE-6). Issue: gravity 12, dv 3, r.v 3, alpha 2,
 * dv - alpha dx 3, four more sums. */
static const myr_kernel_desc gravity_jerk_desc = {
    .name = "gravity_jerk",
    .text = "gravity: acceleration, jerk and potential, Plummer softening",
    .formula = "a_i, phi_i as gravity_potential; jerk_i = G sum_j m_j (v_ij - 3 (r_ij.v_ij)/R^2 r_ij)/R^3, "
               "R^2 = r^2 + eps^2",
    .coords = 3,
    .target = {{"velocity", 3}},
    .source = {{"velocity", 3}, {"mass", 1}},
    .pair = {0},
    .parameter = MYR_GRAVITY_PARAMETERS,
    .output = {{"acceleration", 3, MYR_SYMMETRY_ANTI_EQUAL},
               {"jerk", 3, MYR_SYMMETRY_ANTI_EQUAL},
               {"potential", 1, MYR_SYMMETRY_NONE}},
    .self = MYR_SELF_SKIPPED,
    .null_source = 3,
    .null_components = 1,
    .reach = -1,
    .has_expansion = 1,
    .flops = 42,
    .flops_gpu = 60,
    .issue = 27,
    .issue_rsqrt = 1,
    .issue_recip = 0,
    .issue_exp = 0,
    .issue_erf = 0,
    .issue_sin = 0,
    .proportional = 1,
};

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
    lane alpha = (K(3) * rinv2) * rv;
    s[0] = s[1] = s[2] = s[3] = s[4] = s[5] = mrinv * rinv2;
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    d[3] = lane_madd(-alpha, dx, dvx);
    d[4] = lane_madd(-alpha, dy, dvy);
    d[5] = lane_madd(-alpha, dz, dvz);
    s[6] = -mrinv;
    d[6] = lane_set(K(1));
}

#endif
