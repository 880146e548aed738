/* hologram.h - complex amplitude of light from point sources (computer-generated holograms).
 *
 *   real + i imaginary = sum_j a_j/r exp(2 pi i (r/lambda + phase_j)),   phases in turns
 *
 * At 633 nm and 0.5 m the phase is 790,000 turns, of which a float keeps no usable fraction. The distance r is
 * therefore a sum of two lanes: differences of coordinates without rounding error, their squares and the sum as pairs,
 * the square root with one correction; then r times 1/lambda, also a pair, minus the nearest integer. In float
 * arithmetics the relative error of r is below 2^-42, that is 2e-7 turns in this example. In `single` arithmetic the
 * coordinates themselves are rounded to float. */
#ifndef MYR_KERNEL_HOLOGRAM_H
#define MYR_KERNEL_HOLOGRAM_H

#include <math.h>

#include "kernel/kernel.h"

#define hologram_RECORD(TARGET, SOURCE, PARAMETER, OUTPUT, SIZE)                                                       \
    SOURCE(amplitude, 1, MYR_STRENGTH)                                                                                 \
    SOURCE(phase, 1)                                                                                                   \
    PARAMETER(wavelength, 633e-9, 1e-30, 1e30, "wavelength in the unit of the positions")                              \
    OUTPUT(real, 1)                                                                                                    \
    OUTPUT(imaginary, 1)                                                                                               \
    SIZE(CONSTANTS, 2)
MYR_KERNEL_RECORD(hologram, .text = "hologram: complex amplitude of point sources of light",
                  .formula = "real + i imaginary = sum_j a_j/r exp(2 pi i (r/lambda + phase_j)), phase in turns",
                  .self = MYR_SELF_SKIPPED);

/* 1/lambda as the sum of two reals. */
static inline double hologram_prepare(const double *parameter, double *constant)
{
    const double k = 1.0 / parameter[0];
    constant[0] = (double)(real)k;
    constant[1] = (k - constant[0]) + fma(-parameter[0], k, 1.0) / parameter[0];
    return 1.0;
}

/* r^2 as the sum of two lanes. */
MYR_FN lane_pair hologram_r2(const myr_pair *in)
{
    lane_pair dx = lane_delta_pair(in->xj[0], in->xi[0]);
    lane_pair dy = lane_delta_pair(in->xj[1], in->xi[1]);
    lane_pair dz = lane_delta_pair(in->xj[2], in->xi[2]);
    lane_pair x2 = pair_two_product(dx.hi, dx.hi);
    lane_pair y2 = pair_two_product(dy.hi, dy.hi);
    lane_pair z2 = pair_two_product(dz.hi, dz.hi);
    lane_pair xy = pair_two_sum(x2.hi, y2.hi);
    lane_pair sum = pair_two_sum(xy.hi, z2.hi);
    x2.lo = lane_madd(dx.hi + dx.hi, dx.lo, x2.lo);
    y2.lo = lane_madd(dy.hi + dy.hi, dy.lo, y2.lo);
    z2.lo = lane_madd(dz.hi + dz.hi, dz.lo, z2.lo);
    sum.lo = (sum.lo + xy.lo) + ((x2.lo + y2.lo) + z2.lo);
    return sum;
}

/* Fractional part of r/lambda in turns, in [-1, 1] up to rounding; rinv ~ 1/r. */
MYR_FN lane hologram_turns(lane_pair r2, lane rinv, const lane *c)
{
    lane r = r2.hi * rinv;
    lane_pair square = pair_two_product(r, r);
    lane rest = (K(0.5) * rinv) * (((r2.hi - square.hi) - square.lo) + r2.lo);
    lane_pair turns = pair_two_product(r, c[0]);
    turns.lo = lane_madd(rest, c[0], lane_madd(r, c[1], turns.lo));
    return (turns.hi - lane_round(turns.hi)) + turns.lo;
}

MYR_FN void hologram_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)
{
    lane_pair r2 = hologram_r2(in);
    guard_singular(guard, r2.hi);
    lane rinv = lane_rsqrt_pos(r2.hi);
    lane turns = hologram_turns(r2, rinv, in->c) + in->fj[1];
    s[0] = s[1] = in->fj[0] * rinv;
    d[0] = lane_cos_turns(turns);
    d[1] = lane_sin_turns(turns);
}

#endif
