/* gravity.h - gravity with Plummer softening: acceleration and potential.
 *
 *   a_i = G sum_j m_j r_ij / (r^2 + eps^2)^(3/2),   phi_i = -G sum_j m_j / (r^2 + eps^2)^(1/2),   r_ij = x_j - x_i
 *
 * Paper 002 eq. (1). The sums, not the contributions, are multiplied by G. */
#ifndef MYR_KERNEL_GRAVITY_H
#define MYR_KERNEL_GRAVITY_H

#include "kernel/kernel.h"

#define gravity_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                        \
    SOURCE(mass, 1, MYR_STRENGTH)                                                                                      \
    PARAMETER(eps, 0.0, 0.0, 1e300, "Plummer softening length")                                                        \
    PARAMETER(G, 1.0, -1e300, 1e300, "gravitational constant")                                                         \
    OUTPUT(acceleration, 3, MYR_SYMMETRY_ANTI_EQUAL)                                                                   \
    SIZE(CONSTANTS, 1)
MYR_KERNEL_RECORD(gravity, .text = "gravity: acceleration, Plummer softening",
                  .formula = "a_i = G sum_j m_j (x_j - x_i) / (r^2 + eps^2)^(3/2)", .has_expansion = 1,
                  .proportional = 1, .is_short = 1);

#define gravity_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                              \
    gravity_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1)
MYR_KERNEL_RECORD(gravity_potential, .text = "gravity: acceleration and potential, Plummer softening",
                  .formula = "a_i as gravity; phi_i = -G sum_j m_j / (r^2 + eps^2)^(1/2)", .self = MYR_SELF_SKIPPED,
                  .has_expansion = 1, .proportional = 1, .is_short = 1);

static inline double gravity_prepare(const double *parameter, double *constant)
{
    constant[0] = parameter[0] * parameter[0];
    return parameter[1];
}

MYR_FN void gravity_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xj[0], in->xi[0]);
    lane dy = lane_delta(in->xj[1], in->xi[1]);
    lane dz = lane_delta(in->xj[2], in->xi[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, lane_madd(dx, dx, in->c[0])));
    guard_singular(guard, r2);
    lane rinv = lane_rsqrt_pos(r2);
    lane mrinv = MYR_KERNEL_EQUAL ? rinv : in->fj[0] * rinv;
    s[0] = s[1] = s[2] = mrinv * (rinv * rinv);
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    s[3] = mrinv;
    d[3] = lane_set(K(-1));
}

/* Bounds of all pairs of a bag, which fall with r2: see gravity_bound. */
typedef struct {
    lane mass;     /* largest m */
    lane distance; /* largest |dx|, |dy|, |dz| */
    lane inverse;  /* largest 1/r */
    lane s;        /* largest m/r^3, and with it mrinv * (rinv * rinv) if that is denormal */
    lmask valid;   /* lanes in which r2 of all pairs and what the formula makes of it are finite */
} gravity_bounds;

MYR_FN gravity_bounds gravity_bound(const myr_pair *most, lane mass, lane r2)
{
    const lane inverse = BOUND_MARGIN * lane_rsqrt_pos(r2), distance = bound_distance(most, 3);
    const lane s = mass * inverse * (inverse * inverse) + BOUND_TINY * (inverse * inverse + K(1));
    const lmask near = mask_and(lane_le(lane_set(1 / BOUND_MOST), r2), lane_le(s, lane_set(BOUND_FINITE)));
    const lmask far = mask_and(lane_le(r2, lane_set(BOUND_MOST * BOUND_MOST)), lane_le(distance, lane_set(BOUND_MOST)));
    const gravity_bounds bounds = {mass, distance, inverse, s, mask_and(near, far)};
    return bounds;
}

/* Lanes in which |a| <= m/r^2 and |phi| <= m/r are below their ranges; terms in BOUND_TINY stand for denormals. */
MYR_FN lmask gravity_bounds_inside(const gravity_bounds *b, real acceleration, real potential)
{
    const lane a = b->mass * b->inverse * b->inverse + BOUND_TINY * (b->inverse + b->distance);
    const lane phi = b->mass * b->inverse + BOUND_TINY;
    return mask_and(b->valid, mask_and(lane_lt(a, lane_set(acceleration)), lane_lt(phi, lane_set(potential))));
}

#define gravity_BOUNDED 1
MYR_FN lmask gravity_inside(const myr_pair *most, lane r2, const real *range)
{
    const gravity_bounds b = gravity_bound(most, MYR_KERNEL_EQUAL ? lane_set(K(1)) : most->fj[0], r2);
    return gravity_bounds_inside(&b, range[0], BOUND_FINITE);
}

#define gravity_potential_BOUNDED 1
MYR_FN lmask gravity_potential_inside(const myr_pair *most, lane r2, const real *range)
{
    const gravity_bounds b = gravity_bound(most, MYR_KERNEL_EQUAL ? lane_set(K(1)) : most->fj[0], r2);
    return gravity_bounds_inside(&b, range[0], range[3]);
}

#define gravity_potential_prepare gravity_prepare
#define gravity_potential_pair gravity_pair
#endif
