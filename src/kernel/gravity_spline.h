/* gravity_spline.h - gravity softened by a compact cubic spline: exactly Newtonian beyond h.
 *
 * Each source is a sphere with the density of the cubic spline of Monaghan and Lattanzio (1985) with support h, as in
 * GADGET (Springel, Yoshida, White 2001). With u = r/h, t = max(1 - u, 0) and the mass inside r
 *
 *   M = u^3 (32/3 - 38.4 u^2 + 32 u^3)               for u < 1/2
 *   M = 1 - t^4 (16 - 25.6 t + 32/3 t^2)             for u >= 1/2, which is exactly 1 for u >= 1
 *
 * the acceleration is g(r) r_ij, g = M/r^3, and the potential
 *
 *   phi = (-2.8 + 16/3 u^2 - 9.6 u^4 + 6.4 u^5) / h  for u < 1/2
 *   phi = -(1 - t^5 (3.2 - 32/15 t)) / r             for u >= 1/2.
 *
 * The usual polynomials in u lose two digits by cancellation near u = 1; these polynomials in t do not. The jerk is g
 * v_ij + (g'/r) (r_ij.v_ij) r_ij with g'/r = (96 u - 76.8)/h^5 or (64 (u t)^3 - 3 M)/r^5. With h = 0 the formula is
 * Newton's and singular at r = 0. */
#ifndef MYR_KERNEL_GRAVITY_SPLINE_H
#define MYR_KERNEL_GRAVITY_SPLINE_H

#include "kernel/kernel.h"

#define gravity_spline_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                 \
    SOURCE(mass, 1, MYR_STRENGTH)                                                                                      \
    PARAMETER(h, 0.0, 0.0, 1e300, "radius beyond which the force is Newtonian; about 2.8 Plummer lengths")             \
    PARAMETER(G, 1.0, -1e300, 1e300, "gravitational constant")                                                         \
    OUTPUT(acceleration, 3, MYR_SYMMETRY_ANTI_EQUAL)                                                                   \
    SIZE(CONSTANTS, 10)
MYR_KERNEL_RECORD(gravity_spline, .text = "gravity: acceleration, spline softening, Newtonian beyond h",
                  .formula = "a_i = G sum_j m_j M(r/h) (x_j - x_i) / r^3, M = 1 for r >= h", .has_expansion = 1);

#define gravity_potential_spline_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                       \
    gravity_spline_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1)
MYR_KERNEL_RECORD(gravity_potential_spline,
                  .text = "gravity: acceleration and potential, spline softening, Newtonian beyond h",
                  .formula = "a_i as gravity_spline; phi_i = G sum_j m_j phi(r/h), phi = -1/r for r >= h",
                  .self = MYR_SELF_SKIPPED, .has_expansion = 1);

#define gravity_jerk_spline_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                            \
    TARGET(velocity, 3)                                                                                                \
    SOURCE(velocity, 3)                                                                                                \
    gravity_spline_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(jerk, 3, MYR_SYMMETRY_ANTI_EQUAL)            \
        OUTPUT(potential, 1)
MYR_KERNEL_RECORD(gravity_jerk_spline,
                  .text = "gravity: acceleration, jerk and potential, spline softening, Newtonian beyond h",
                  .formula = "a_i = G sum_j m_j g r_ij; jerk_i = G sum_j m_j (g v_ij + g'/r (r_ij.v_ij) r_ij); "
                             "g = M(r/h)/r^3; phi_i as gravity_potential_spline",
                  .self = MYR_SELF_SKIPPED, .has_expansion = 1);

/* Constants: 0 smallest r^2 (keeps 1/r finite at r = 0; far too small to change a result), 1 1/h, 2 to 4 inner g, 5 to
 * 8 inner potential, 9 1/h^2. With h = 0 every r counts as beyond h, and r = 0 stays singular. */
static inline double gravity_spline_prepare(const double *parameter, double *constant)
{
    const double h = parameter[0];
    const double least = sizeof(real) == sizeof(float) ? 1e-37 : 1e-300;
    const double most = sizeof(real) == sizeof(float) ? 1e38 : 1e300;
    const double hinv = h > 1.0 / most ? 1.0 / h : most;
    const double hinv2 = h > 0.0 ? hinv * hinv : 0.0;
    const double hinv3 = hinv2 * hinv;
    constant[0] = h > 0.0 ? h * h * 0x1p-60 + least : 0.0;
    constant[1] = hinv;
    constant[2] = 32.0 / 3.0 * hinv3;
    constant[3] = -38.4 * hinv3;
    constant[4] = 32.0 * hinv3;
    constant[5] = h > 0.0 ? -2.8 * hinv : 0.0;
    constant[6] = h > 0.0 ? 16.0 / 3.0 * hinv : 0.0;
    constant[7] = h > 0.0 ? -9.6 * hinv : 0.0;
    constant[8] = h > 0.0 ? 6.4 * hinv : 0.0;
    constant[9] = hinv2;
    return parameter[1];
}

#define gravity_potential_spline_prepare gravity_spline_prepare
#define gravity_jerk_spline_prepare gravity_spline_prepare

/* Terms shared by the formulas: profile of a source of mass 1 at squared distance r2. r^5 alone would overflow a float
 * early, so that g'/r appears only as a product with r.v. */
typedef struct {
    lane g;    /* acceleration per unit of r_ij */
    lane turn; /* (g'/r) r.v */
    lane phi;  /* potential */
} gravity_spline_profile;

MYR_FN gravity_spline_profile gravity_spline_at(lane r2, lane rv, const lane *c)
{
    const lane one = lane_set(K(1));
    lane clamped = lane_max(c[0], r2);
    lane rinv = lane_rsqrt_pos(clamped);
    lane rinv2 = rinv * rinv, rinv3 = rinv2 * rinv;
    lane u = (clamped * rinv) * c[1], u2 = u * u;
    lane t = lane_max(lane_set(K(0)), one - u), t2 = t * t, t4 = t2 * t2;
    lmask inner = lane_lt(u, lane_set(K(0.5)));
    gravity_spline_profile p;

    lane outside = t4 * lane_madd(t, lane_madd(lane_set(K(32.0 / 3.0)), t, lane_set(K(-25.6))), lane_set(K(16)));
    lane mass = one - outside;
    p.g = lane_select(inner, lane_madd(u2, lane_madd(u, c[4], c[3]), c[2]), mass * rinv3);

    lane deep = lane_madd(u2, lane_madd(u2, lane_madd(u, c[8], c[7]), c[6]), c[5]);
    lane rest = lane_madd(-(t4 * t), lane_madd(lane_set(K(-32.0 / 15.0)), t, lane_set(K(3.2))), one);
    p.phi = lane_select(inner, deep, -(rest * rinv));

    lane ut = (one - t) * t; /* u t for u < 1; with h = 0 u is infinite, and 0 times infinity is not 0 */
    lane bend = lane_madd(lane_set(K(64)), (ut * ut) * ut, K(-3) * mass);
    p.turn = lane_select(inner, lane_madd(K(3) * c[4], u, K(2) * c[3]), bend * rinv3) *
             (lane_select(inner, c[9], rinv2) * rv);
    return p;
}

MYR_FN void gravity_spline_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xj[0], in->xi[0]);
    lane dy = lane_delta(in->xj[1], in->xi[1]);
    lane dz = lane_delta(in->xj[2], in->xi[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    guard_singular(guard, r2 + in->c[0]);
    gravity_spline_profile p = gravity_spline_at(r2, lane_set(K(0)), in->c);
    s[0] = s[1] = s[2] = in->fj[0] * p.g;
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    s[3] = in->fj[0];
    d[3] = p.phi;
}

#define gravity_potential_spline_pair gravity_spline_pair

MYR_FN void gravity_jerk_spline_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xj[0], in->xi[0]);
    lane dy = lane_delta(in->xj[1], in->xi[1]);
    lane dz = lane_delta(in->xj[2], in->xi[2]);
    lane dvx = in->fj[0] - in->fi[0];
    lane dvy = in->fj[1] - in->fi[1];
    lane dvz = in->fj[2] - in->fi[2];
    lane mass = in->fj[3];
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    guard_singular(guard, r2 + in->c[0]);
    lane rv = lane_madd(dz, dvz, lane_madd(dy, dvy, dx * dvx));
    gravity_spline_profile p = gravity_spline_at(r2, rv, in->c);
    s[0] = s[1] = s[2] = mass * p.g;
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    s[3] = s[4] = s[5] = s[6] = mass;
    d[3] = lane_madd(p.turn, dx, p.g * dvx);
    d[4] = lane_madd(p.turn, dy, p.g * dvy);
    d[5] = lane_madd(p.turn, dz, p.g * dvz);
    d[6] = p.phi;
}

#endif
