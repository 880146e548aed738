/* gb_force.h - generalised Born: force between atoms of given Born radii, and derivative of the energy by the radii.
 *
 *   E = 1/2 sum_i sum_j e(f_ij),   e(f) = -C q_i q_j (1/D_in - exp(-kappa f)/D_out)/f,
 *   f_ij = (r^2 + B_i B_j exp(-r^2/(4 B_i B_j)))^(1/2)
 *
 * Still, Tempczyk, Hawley and Hendrickson 1990, J. Am. Chem. Soc. 112, 6127; salt: Srinivasan, Trevathan, Beroza and
 * Case 1999, Theor. Chem. Acc. 101, 426. The pair of an atom with itself is part of the sums (f_ii = B_i), which makes
 * gb_slope_i = dE/dB_i. The potential of atom i is sum_j e(f_ij): E is half its sum over i. Each charge is multiplied
 * by the root of C, and B_i B_j formed first, so that forces on both atoms are opposite to the bit. */
#ifndef MYR_KERNEL_GB_FORCE_H
#define MYR_KERNEL_GB_FORCE_H

#include <math.h>

#include "kernel/kernel.h"

#define gb_force_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                       \
    TARGET(charge, 1)                                                                                                  \
    TARGET(born_radius, 1)                                                                                             \
    SOURCE(charge, 1, MYR_STRENGTH)                                                                                    \
    SOURCE(born_radius, 1)                                                                                             \
    PARAMETER(coulomb, 1.0, 0.0, 1e300, "Coulomb's constant in the units used")                                        \
    PARAMETER(solute, 1.0, 1e-30, 1e300, "dielectric constant D_in of the solute")                                     \
    PARAMETER(solvent, 78.5, 1e-30, 1e300, "dielectric constant D_out of the solvent")                                 \
    PARAMETER(kappa, 0.0, 0.0, 1e300, "screening by salt: kappa, per length")                                          \
    OUTPUT(force, 3, MYR_SYMMETRY_ANTI)                                                                                \
    OUTPUT(gb_slope, 1)                                                                                                \
    SIZE(CONSTANTS, 5)
MYR_KERNEL_RECORD(gb_force, .text = "generalised Born: force, and derivative of the energy by the Born radius",
                  .formula = "F_i = -grad_i E, gb_slope_i = dE/dB_i, "
                             "E = -1/2 sum_ij C q_i q_j (1/solute - exp(-kappa f)/solvent)/f, "
                             "f = (r^2 + B_i B_j exp(-r^2/(4 B_i B_j)))^(1/2)",
                  .self = MYR_SELF_COUNTED);

#define gb_force_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                             \
    gb_force_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1)
MYR_KERNEL_RECORD(gb_force_potential, .text = "generalised Born: as gb_force, with the potential",
                  .formula = "as gb_force; U_i = -sum_j C q_i q_j (1/solute - exp(-kappa f)/solvent)/f",
                  .self = MYR_SELF_COUNTED);

/* Constants: 0 root of C, 1 1/D_in, 2 1/D_out, 3 kappa/D_out, 4 -kappa for a power of two. */
static inline double gb_force_prepare(const double *parameter, double *constant)
{
    constant[0] = sqrt(parameter[0]);
    constant[1] = 1.0 / parameter[1];
    constant[2] = 1.0 / parameter[2];
    constant[3] = parameter[3] / parameter[2];
    constant[4] = -1.44269504088896340736 * parameter[3]; /* log2(e) */
    return 1.0;
}

#define gb_force_potential_prepare gb_force_prepare

/* Sets the force and the slope; returns the energy. */
MYR_FN lane gb_force_energy(const myr_pair *in, lane *s, lane *d)
{
    const lane *c = in->c;
    d[0] = lane_delta(in->xj[0], in->xi[0]);
    d[1] = lane_delta(in->xj[1], in->xi[1]);
    d[2] = lane_delta(in->xj[2], in->xi[2]);
    lane r2 = lane_madd(d[2], d[2], lane_madd(d[1], d[1], d[0] * d[0]));
    lane both = lane_max(lane_set(K(1e-20)), in->fi[1] * in->fj[1]); /* a source that fills a bag has B = 0 */
    lane x = K(0.25) * r2 * lane_recip_pos(both);
    lane near = lane_exp2(K(-1.44269504088896340736) * x);
    lane f2 = lane_madd(both, near, r2);
    lane finv = lane_rsqrt_pos(f2);
    lane salt = lane_exp2(c[4] * (f2 * finv));
    lane factor = lane_madd(-c[2], salt, c[1]), screened = factor * finv;
    lane charges = (c[0] * in->fi[0]) * (c[0] * in->fj[0]) * finv;
    /* de/df / f */
    lane slope = (charges * finv) * lane_madd(-c[3], salt, screened);
    s[0] = s[1] = s[2] = slope * lane_madd(lane_set(K(-0.25)), near, lane_set(K(1)));
    s[3] = (slope * near) * lane_madd(lane_set(K(0.5)), x, lane_set(K(0.5)));
    d[3] = in->fj[1];
    return -(charges * factor);
}

MYR_FN void gb_force_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)guard;
    (void)gb_force_energy(in, s, d);
}

MYR_FN void gb_force_potential_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)guard;
    s[4] = gb_force_energy(in, s, d);
    d[4] = lane_set(K(1));
}

#endif
