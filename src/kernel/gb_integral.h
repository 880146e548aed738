/* gb_integral.h - generalised Born: integral over the spheres of other atoms, from which Born radii follow, and the
 * force by the change of Born radii.
 *
 *   I_i = sum_j H(r, rho_i, s_j),   F_i = -sum_j (w_i H'(r, rho_i, s_j) + w_j H'(r, rho_j, s_i)) (x_i - x_j)/r
 *
 * rho is the radius of an atom less 0.09 Angstrom, s that radius times the screening factor of the atom, w_i the
 * derivative of the energy by I_i. H is the integral of 1/(4 pi x^4) over the part of the sphere of radius s at
 * distance r that is outside the sphere of radius rho around the origin (Hawkins, Cramer and Truhlar 1995, Chem. Phys.
 * Lett. 246, 122, and 1996, J. Phys. Chem. 100, 19824): with L = max(rho, |r - s|), U = r + s, and for rho < U
 *
 *   2 H = 1/L - 1/U + (r - s^2/r) (1/U^2 - 1/L^2)/4 + log(L/U)/(2 r) + (2/rho - 2/L if rho < s - r)
 *   H'  = (1 + s^2/r^2) (1/U^2 - 1/L^2)/8 - log(L/U)/(4 r^2)
 *
 * The derivatives through L and U cancel. H and H' are 0 where the sphere of radius rho contains the other one. */
#ifndef MYR_KERNEL_GB_INTEGRAL_H
#define MYR_KERNEL_GB_INTEGRAL_H

#include "kernel/kernel.h"

#define gb_integral_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                    \
    TARGET(gb_radius, 1)                                                                                               \
    SOURCE(gb_screened, 1, MYR_STRENGTH)                                                                               \
    OUTPUT(gb_integral, 1)
MYR_KERNEL_RECORD(gb_integral, .text = "generalised Born: integral of 1/(4 pi x^4) over the spheres of other atoms",
                  .formula = "I_i = sum_j H(r, rho_i, s_j)", .self = MYR_SELF_SKIPPED);

#define gb_chain_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                       \
    TARGET(gb_radius, 1)                                                                                               \
    TARGET(gb_screened, 1)                                                                                             \
    TARGET(gb_weight, 1)                                                                                               \
    SOURCE(gb_radius, 1)                                                                                               \
    SOURCE(gb_screened, 1, MYR_STRENGTH)                                                                               \
    SOURCE(gb_weight, 1, MYR_STRENGTH)                                                                                 \
    OUTPUT(force, 3, MYR_SYMMETRY_ANTI)
MYR_KERNEL_RECORD(gb_chain, .text = "generalised Born: force by the change of Born radii",
                  .formula = "F_i = -sum_j (w_i H'(r, rho_i, s_j) + w_j H'(r, rho_j, s_i)) (x_i - x_j)/r",
                  .self = MYR_SELF_SKIPPED);

static inline double gb_integral_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 0.5; /* the formula is that of 2 H */
}

static inline double gb_chain_prepare(const double *parameter, double *constant)
{
    (void)parameter;
    (void)constant;
    return 0.125; /* the formula is that of 8 H' */
}

/* Limits of the integral over the sphere of a source. */
typedef struct {
    lmask hidden; /* lanes in which no part of the sphere is outside rho; none where r is NaN, as for r = 0 */
    lane l, u;    /* 1/L, 1/U */
    lane log;     /* log(L/U) */
} gb_limits;

MYR_FN gb_limits gb_limits_of(lane r, lane rho, lane s)
{
    gb_limits k;
    lane top = r + s;
    k.hidden = mask_or(lane_le(top, rho), lane_le(s, lane_set(K(0))));
    lane bottom = lane_max(rho, lane_abs(r - s));
    k.l = lane_recip_pos(bottom);
    k.u = lane_recip_pos(top);
    k.log = lane_log_pos(bottom * k.u);
    return k;
}

MYR_FN void gb_integral_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    const lane rho = in->fi[0], screened = in->fj[0];
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    guard_singular(guard, r2);
    lane rinv = lane_rsqrt_pos(r2);
    lane r = r2 * rinv;
    gb_limits k = gb_limits_of(r, rho, screened);
    lane most = lane_madd(-(screened * screened), rinv, r);
    lane shell = (k.l - k.u) * lane_madd(K(-0.25) * most, k.l + k.u, lane_set(K(1)));
    lane inside = lane_keep(lane_lt(rho, screened - r), K(2) * (lane_recip_pos(rho) - k.l));
    s[0] = lane_select(k.hidden, lane_set(K(0)), lane_madd(K(0.5) * rinv, k.log, shell) + inside);
    d[0] = lane_set(K(1));
}

/* 8 H' */
MYR_FN lane gb_chain_slope(lane r, lane rinv2, lane rho, lane s)
{
    gb_limits k = gb_limits_of(r, rho, s);
    lane shell = lane_madd(s * s, rinv2, lane_set(K(1))) * ((k.u - k.l) * (k.u + k.l));
    return lane_select(k.hidden, lane_set(K(0)), lane_madd(K(-2) * rinv2, k.log, shell));
}

/* Both terms are rounded before they are added, so that the forces on both atoms are opposite to the bit. */
MYR_FN void gb_chain_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    d[0] = lane_delta(in->xj[0], in->xi[0]);
    d[1] = lane_delta(in->xj[1], in->xi[1]);
    d[2] = lane_delta(in->xj[2], in->xi[2]);
    lane r2 = lane_madd(d[2], d[2], lane_madd(d[1], d[1], d[0] * d[0]));
    guard_singular(guard, r2);
    lane rinv = lane_rsqrt_pos(r2);
    lane r = r2 * rinv, rinv2 = rinv * rinv;
    lane own = in->fi[2] * gb_chain_slope(r, rinv2, in->fi[0], in->fj[1]);
    lane other = in->fj[2] * gb_chain_slope(r, rinv2, in->fj[0], in->fi[1]);
    s[0] = s[1] = s[2] = rinv * (own + other);
}

#endif
