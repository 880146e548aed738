/* ljc.h - Lennard-Jones and Coulomb with a dielectric that is constant, proportional to r, or sigmoidal in r (paper
 * 001, Table 1, kernels LJC).
 *
 *   U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) + U_C(r),   F_i = -dU/dx_i,   r < cutoff (0 = none)
 *
 *   constant    U_C = C q_i q_j / (D r)
 *   linear      U_C = C q_i q_j / (D r^2)        the dielectric is D r
 *   sigmoidal   U_C = C q_i q_j / (zeta(r) r),   zeta(r) = exp(alpha r^3 + beta r^2 + gamma r + delta)
 *
 * The paper prints neither the vector nor the constants of the forces nor zeta's coefficients: these forces are the
 * gradients of the potentials, including the derivative of zeta. Each charge is multiplied by the root of Coulomb's
 * constant, so that the forces on both particles are opposite to the bit. The potential of target i is sum_j U(r_ij):
 * the energy of the system is half the sum over i.
 *
 * The default coefficients of zeta are a fit, made by tools/fit_dielectric.py, to the dielectric of E. L. Mehler and T.
 * Solmajer, Protein Engineering 4 (1991) 903: D(r) = A + B/(1 + k exp(-lambda B r)) with A = -8.5525, B = 86.9525, k =
 * 7.7839, lambda = 0.003627. The fit holds for r from 1 to 15 angstrom (rms 1.8 %, worst 9.9 % at 1); beyond, zeta
 * grows without bound and screens the charges completely, while the original levels off at 78.4. */
#ifndef MYR_KERNEL_LJC_H
#define MYR_KERNEL_LJC_H

#include "kernel/lennard_jones.h"

/* Record entries common to all three dielectrics. */
#define LJC_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                            \
    LENNARD_JONES_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                      \
    TARGET(charge, 1)                                                                                                  \
    SOURCE(charge, 1, MYR_STRENGTH)                                                                                    \
    PARAMETER(coulomb, 1.0, -1e300, 1e300, "Coulomb's constant in the units used: U = C q_i q_j / (D r)")              \
    SIZE(CONSTANTS, 2)

#define ljc_constant_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                   \
    LJC_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                                \
    PARAMETER(dielectric, 1.0, 1e-30, 1e300, "dielectric constant D")
MYR_KERNEL_RECORD(ljc_constant, .text = "Lennard-Jones and Coulomb, constant dielectric: force",
                  .formula = "F_i = -grad_i sum_j LJ + C q_i q_j / (D r), r < cutoff", .pair = {"epsilon", "sigma"},
                  .self = MYR_SELF_SKIPPED);

#define ljc_constant_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                         \
    ljc_constant_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1) SIZE(TABLE, 1)
MYR_KERNEL_RECORD(ljc_constant_potential, .text = "Lennard-Jones and Coulomb, constant dielectric: force and potential",
                  .formula = "F_i as ljc_constant; U_i = sum_j LJ + C q_i q_j / (D r), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

#define ljc_linear_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                     \
    LJC_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                                \
    PARAMETER(dielectric, 4.0, 1e-30, 1e300, "the dielectric is D r: its D, per length")
MYR_KERNEL_RECORD(ljc_linear, .text = "Lennard-Jones and Coulomb, dielectric D r: force",
                  .formula = "F_i = -grad_i sum_j LJ + C q_i q_j / (D r^2), r < cutoff", .pair = {"epsilon", "sigma"},
                  .self = MYR_SELF_SKIPPED);

#define ljc_linear_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                           \
    ljc_linear_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1) SIZE(TABLE, 1)
MYR_KERNEL_RECORD(ljc_linear_potential, .text = "Lennard-Jones and Coulomb, dielectric D r: force and potential",
                  .formula = "F_i as ljc_linear; U_i = sum_j LJ + C q_i q_j / (D r^2), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

#define ljc_sigmoidal_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                  \
    LJC_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                                \
    PARAMETER(alpha, 1.13613e-3, -1e300, 1e300, "zeta: factor of r^3, per length^3")                                   \
    PARAMETER(beta, -4.49226e-2, -1e300, 1e300, "zeta: factor of r^2, per length^2")                                   \
    PARAMETER(gamma, 0.639672, -1e300, 1e300, "zeta: factor of r, per length")                                         \
    PARAMETER(delta, 0.995210, -1e300, 1e300, "zeta: constant term")                                                   \
    SIZE(CONSTANTS, 7)
MYR_KERNEL_RECORD(ljc_sigmoidal, .text = "Lennard-Jones and Coulomb, sigmoidal dielectric: force",
                  .formula = "F_i = -grad_i sum_j LJ + C q_i q_j / (zeta(r) r), "
                             "zeta = exp(alpha r^3 + beta r^2 + gamma r + delta), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

#define ljc_sigmoidal_potential_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                        \
    ljc_sigmoidal_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE) OUTPUT(potential, 1) SIZE(TABLE, 1)
MYR_KERNEL_RECORD(ljc_sigmoidal_potential,
                  .text = "Lennard-Jones and Coulomb, sigmoidal dielectric: force and potential",
                  .formula = "F_i as ljc_sigmoidal; U_i = sum_j LJ + C q_i q_j / (zeta(r) r), r < cutoff",
                  .pair = {"epsilon", "sigma"}, .self = MYR_SELF_SKIPPED);

/* Constants common to all: 0 cutoff^2, 1 and 2 the square roots of |coulomb|, one for each charge, the first with the
 * sign. */
static inline double ljc_prepare(const double *parameter, double coulomb, double *constant)
{
    constant[0] = lennard_jones_cutoff2(parameter[0]);
    constant[2] = sqrt(fabs(coulomb));
    constant[1] = coulomb < 0.0 ? -constant[2] : constant[2];
    return 1.0;
}

static inline double ljc_constant_prepare(const double *parameter, double *constant)
{
    return ljc_prepare(parameter, parameter[1] / parameter[2], constant);
}

static inline double ljc_linear_prepare(const double *parameter, double *constant)
{
    return ljc_prepare(parameter, 2.0 * parameter[1] / parameter[2], constant);
}

/* Further constants: 3 to 6 are -alpha to -delta, scaled for a power of two; 7 to 9 are 3 alpha, 2 beta, gamma, for the
 * derivative. */
static inline double ljc_sigmoidal_prepare(const double *parameter, double *constant)
{
    for (int k = 0; k < 4; k++)
        constant[3 + k] = -1.44269504088896340736 * parameter[2 + k]; /* log2(e) */
    for (int k = 0; k < 3; k++)
        constant[7 + k] = (3 - k) * parameter[2 + k];
    return ljc_prepare(parameter, parameter[1], constant);
}

#define ljc_constant_potential_prepare ljc_constant_prepare
#define ljc_linear_potential_prepare ljc_linear_prepare
#define ljc_sigmoidal_potential_prepare ljc_sigmoidal_prepare

#define ljc_constant_prepare_pair lennard_jones_prepare_pair
#define ljc_linear_prepare_pair lennard_jones_prepare_pair
#define ljc_sigmoidal_prepare_pair lennard_jones_prepare_pair
#define ljc_constant_potential_prepare_pair lennard_jones_potential_prepare_pair
#define ljc_linear_potential_prepare_pair lennard_jones_potential_prepare_pair
#define ljc_sigmoidal_potential_prepare_pair lennard_jones_potential_prepare_pair

/* Terms shared by the formulas. Each dielectric sets the force and returns the terms of its potential. */
typedef struct {
    lmask near;
    lennard_jones_terms lj;
    lane coulomb; /* U_C */
} ljc_law;

/* Computes the terms independent of the dielectric; returns r^2. */
MYR_FN lane ljc_begin(const myr_pair *in, myr_guard *guard, ljc_law *law, lane *d)
{
    d[0] = lane_delta(in->xi[0], in->xj[0]);
    d[1] = lane_delta(in->xi[1], in->xj[1]);
    d[2] = lane_delta(in->xi[2], in->xj[2]);
    lane r2 = lane_madd(d[2], d[2], lane_madd(d[1], d[1], d[0] * d[0]));
    law->near = lennard_jones_near(r2, in->c[0]);
    guard_singular(guard, r2);
    return r2;
}

/* C q_i q_j; each bracket is evaluated once per target or once per source. */
MYR_FN lane ljc_charges(const myr_pair *in)
{
    return (in->c[1] * in->fi[0]) * (in->c[2] * in->fj[0]);
}

/* `slope`: Coulomb force times r^2, per unit of (x_i - x_j). */
MYR_FN void ljc_force(const ljc_law *law, lane rinv2, lane slope, lane *s)
{
    s[0] = s[1] = s[2] = lane_keep(law->near, rinv2 * lane_madd(law->lj.y3, law->lj.bracket, slope));
}

MYR_FN void ljc_potential(const ljc_law *law, const lane *pp, lane *s, lane *d)
{
    lane u = lane_madd(law->lj.y3, lane_madd(pp[3], law->lj.y3, -pp[3]), law->coulomb);
    s[3] = lane_keep(law->near, u);
    d[3] = lane_set(K(1));
}

MYR_FN ljc_law ljc_constant_law(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    ljc_law law;
    lane r2 = ljc_begin(in, guard, &law, d);
    lane rinv = lane_rsqrt_pos(r2);
    lane rinv2 = rinv * rinv;
    law.lj = lennard_jones_at(rinv2, in->pp);
    law.coulomb = ljc_charges(in) * rinv;
    ljc_force(&law, rinv2, law.coulomb, s);
    return law;
}

MYR_FN ljc_law ljc_linear_law(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    ljc_law law;
    lane r2 = ljc_begin(in, guard, &law, d);
    lane rinv2 = lane_recip_pos(r2);
    law.lj = lennard_jones_at(rinv2, in->pp);
    lane twice = ljc_charges(in) * rinv2;
    law.coulomb = K(0.5) * twice;
    ljc_force(&law, rinv2, twice, s);
    return law;
}

/* -dU_C/dr = U_C (1/r + p'(r)) with zeta = exp(p). */
MYR_FN ljc_law ljc_sigmoidal_law(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    const lane *c = in->c;
    ljc_law law;
    lane r2 = ljc_begin(in, guard, &law, d);
    lane rinv = lane_rsqrt_pos(r2);
    lane rinv2 = rinv * rinv;
    lane r = r2 * rinv;
    law.lj = lennard_jones_at(rinv2, in->pp);
    lane exponent = lane_madd(lane_madd(lane_madd(c[3], r, c[4]), r, c[5]), r, c[6]);
    lane screened = ljc_charges(in) * lane_exp2(exponent);
    law.coulomb = screened * rinv;
    ljc_force(&law, rinv2, screened * lane_madd(lane_madd(c[7], r, c[8]), r, rinv + c[9]), s);
    return law;
}

MYR_FN void ljc_constant_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)ljc_constant_law(in, guard, s, d);
}

MYR_FN void ljc_linear_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)ljc_linear_law(in, guard, s, d);
}

MYR_FN void ljc_sigmoidal_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    (void)ljc_sigmoidal_law(in, guard, s, d);
}

MYR_FN void ljc_constant_potential_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    ljc_law law = ljc_constant_law(in, guard, s, d);
    ljc_potential(&law, in->pp, s, d);
}

MYR_FN void ljc_linear_potential_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    ljc_law law = ljc_linear_law(in, guard, s, d);
    ljc_potential(&law, in->pp, s, d);
}

MYR_FN void ljc_sigmoidal_potential_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    ljc_law law = ljc_sigmoidal_law(in, guard, s, d);
    ljc_potential(&law, in->pp, s, d);
}

#endif
