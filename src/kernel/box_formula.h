/* box_formula.h - pair formula of particles in a box from a kernel written by a user, in place of lennard_jones_cut.h.
 * Included, by processors and GPUs, with MYR_KERNEL and MYR_KERNEL_FILE: a kernel whose outputs are a force of three
 * components and the potential, which reads positions as differences only and no other field.
 *
 * Lengths are those of the user. The formula sees the target at the minimum image and the source at the origin, so that
 * every difference of positions is exact. Forces and energies are in units of the sums. Those of `fixed` are the
 * contributions, rounded to integers: there is no other formula for close pairs. */
#ifndef MYR_KERNEL_BOX_FORMULA_H
#define MYR_KERNEL_BOX_FORMULA_H

#include "kernel/box_terms.h"
#include "kernel/formula_constants.h"
#include MYR_KERNEL_FILE

#define FORMULA_(f) MYR_CAT(MYR_KERNEL, f)

enum { FORMULA_CONSTANTS = FORMULA_FIRST + FORMULA_(_CONSTANTS), FORMULA_OUTPUTS = FORMULA_(_OUTPUTS) };

typedef struct {
    lane force[3]; /* force on i */
    lane energy;   /* energy of the pair */
    lane y;        /* size: sum of all |force| and, with energies, of the weighted |energy|; infinite if not a number */
} box_formula;

MYR_FN coord formula_coordinate(lane x)
{
#if COORD_LANES == 2
    const coord both = {x, lane_set(K(0))};
    return both;
#else
    return x;
#endif
}

/* d: x_i - x_j; c: FORMULA_CONSTANTS lanes (formula_constants.h); energy: 1 = compute the energy, a compile-time
 * constant. */
MYR_FN box_formula box_formula_at(const lane *d, const lane *c, const int energy)
{
    const coord target[3] = {formula_coordinate(d[0]), formula_coordinate(d[1]), formula_coordinate(d[2])};
    const coord source[3] = {formula_coordinate(lane_set(K(0))), formula_coordinate(lane_set(K(0))),
                             formula_coordinate(lane_set(K(0)))};
    const myr_pair in = {target, source, 0, 0, 0, c + FORMULA_FIRST};
    lane s[FORMULA_OUTPUTS], t[FORMULA_OUTPUTS];
    box_formula at;
    myr_guard guard;
    guard.careful = 0;
    FORMULA_(_pair)(&in, &guard, s, t);
    at.y = lane_set(K(0));
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        at.force[k] = (s[k] * t[k]) * c[FORMULA_SCALE];
        at.y = at.y + lane_abs(at.force[k]);
    }
    at.energy = lane_set(K(0));
    if (energy) {
        at.energy = (s[3] * t[3]) * c[FORMULA_SCALE];
        at.y = at.y + lane_abs(at.energy) * c[FORMULA_WEIGHT];
    }
    const lane infinite = lane_set((real)INFINITY);
    at.y = lane_select(lane_lt(at.y, infinite), at.y, infinite);
    return at;
}

#endif
