/* lennard_jones.h - Lennard-Jones potential with parameters per pair of types (paper 000 uses 16 types).
 *
 *   U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6),   F_i = -dU/dx_i,   r < cutoff (0 = none; plain truncation)
 *
 * The potential of target i is sum_j U(r_ij): the energy of the system is half the sum over i. With y = (sigma/r)^2
 * nothing overflows a float in any units in which r^2, epsilon and epsilon/r^2 do not:
 *   F_i = sum_j y^3 (48 epsilon y^3 - 24 epsilon) / r^2 (x_i - x_j)
 * A pair of types with epsilon or sigma 0 does not interact. */
#ifndef MYR_KERNEL_LENNARD_JONES_H
#define MYR_KERNEL_LENNARD_JONES_H

#include <math.h>

#include "kernel/kernel.h"

#define MYR_KERNEL_HAS_PAIR

#define LENNARD_JONES_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                  \
    PARAMETER(cutoff, 0.0, 0.0, 1e300, "distance beyond which pairs do not count; 0 = none", MYR_CUTOFF)               \
    OUTPUT(force, 3, MYR_SYMMETRY_ANTI)                                                                                \
    SIZE(TABLE, 3)                                                                                                     \
    SIZE(CONSTANTS, 1)

#define lennard_jones_RECORD LENNARD_JONES_RECORD
MYR_KERNEL_RECORD(lennard_jones, .text = "Lennard-Jones: force, parameters per pair of types",
                  .formula = "F_i = -grad_i sum_j 4 epsilon ((sigma/r)^12 - (sigma/r)^6), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

#define lennard_jones_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                        \
    lennard_jones_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1) SIZE(TABLE, 1)
MYR_KERNEL_RECORD(lennard_jones_potential, .text = "Lennard-Jones: force and potential, parameters per pair of types",
                  .formula = "F_i as lennard_jones; U_i = sum_j 4 epsilon ((sigma/r)^12 - (sigma/r)^6), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

/* Squared cutoff radius, with which the formulas compare r^2; infinite without a cutoff. */
static inline double lennard_jones_cutoff2(double cutoff)
{
    return cutoff > 0.0 ? cutoff * cutoff : (double)INFINITY;
}

static inline double lennard_jones_prepare(const double *parameter, double *constant)
{
    constant[0] = lennard_jones_cutoff2(parameter[0]);
    return 1.0;
}

/* Converts epsilon, sigma to sigma^2, 48 epsilon, 24 epsilon. */
static inline void lennard_jones_prepare_pair(const double *user, double *pair)
{
    const double depth = user[1] * user[1] > 0.0 ? user[0] : 0.0;
    pair[0] = user[1] * user[1];
    pair[1] = 48.0 * depth;
    pair[2] = 24.0 * depth;
}

/* Converts epsilon, sigma to sigma^2, 48 epsilon, 24 epsilon, 4 epsilon. */
static inline void lennard_jones_potential_prepare_pair(const double *user, double *pair)
{
    lennard_jones_prepare_pair(user, pair);
    pair[3] = user[1] * user[1] > 0.0 ? 4.0 * user[0] : 0.0;
}

#define lennard_jones_potential_prepare lennard_jones_prepare

/* Code compiled for one evaluation may assume that there is no cutoff and omit the comparison. */
#if !defined(MYR_KERNEL_UNLIMITED)
#define MYR_KERNEL_UNLIMITED 0
#endif

MYR_FN lmask lennard_jones_near(lane r2, lane cutoff2)
{
    return MYR_KERNEL_UNLIMITED ? mask_from_bits(~0u) : lane_lt(r2, cutoff2);
}

/* Terms shared by the formulas, including those with charges (ljc.h), computed from 1/r^2: y^3, and the bracket whose
 * product with y^3 is the force times r^2 per unit of (x_i - x_j). */
typedef struct {
    lane y3;
    lane bracket;
} lennard_jones_terms;

MYR_FN lennard_jones_terms lennard_jones_at(lane rinv2, const lane *pp)
{
    lane y = pp[0] * rinv2;
    lennard_jones_terms t;
    t.y3 = (y * y) * y;
    t.bracket = lane_madd(pp[1], t.y3, -pp[2]);
    return t;
}

MYR_FN lennard_jones_terms lennard_jones_both(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane dx = lane_delta(in->xi[0], in->xj[0]);
    lane dy = lane_delta(in->xi[1], in->xj[1]);
    lane dz = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(dz, dz, lane_madd(dy, dy, dx * dx));
    guard_singular(guard, r2);
    lmask near = lennard_jones_near(r2, in->c[0]);
    lane rinv2 = lane_recip_pos(r2);
    lennard_jones_terms lj = lennard_jones_at(rinv2, in->pp);
    s[0] = s[1] = s[2] = lane_keep(near, rinv2 * (lj.y3 * lj.bracket));
    d[0] = dx;
    d[1] = dy;
    d[2] = dz;
    lj.y3 = lane_keep(near, lj.y3);
    return lj;
}

MYR_FN void lennard_jones_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)lennard_jones_both(in, guard, s, d);
}

MYR_FN void lennard_jones_potential_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lennard_jones_terms lj = lennard_jones_both(in, guard, s, d);
    s[3] = lj.y3;
    d[3] = lane_madd(in->pp[3], lj.y3, -in->pp[3]);
}

#endif
