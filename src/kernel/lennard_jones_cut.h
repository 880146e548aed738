/* lennard_jones_cut.h - Lennard-Jones formula of lennard_jones.h with the cutoff treatments of cut.h. */
#ifndef MYR_KERNEL_LENNARD_JONES_CUT_H
#define MYR_KERNEL_LENNARD_JONES_CUT_H

#include "kernel/box_terms.h"
#include "kernel/cut.h"
#include "kernel/lennard_jones.h"

typedef struct {
    lane factor; /* force on i per unit of x_i - x_j */
    lane energy; /* energy of the pair */
    lane y;      /* (sigma/r)^2, which bounds the repulsion */
} lennard_jones_cut;

/* Pair closer than the cutoff. rinv2: 1/r2, by an IEEE division where the bits must be the same everywhere; it is no
 * slower than Newton steps among the memory operations of a window (measured: double 50 against 58 ns per particle,
 * single equal). c: CUT_CONSTANTS lanes, of which only the necessary ones are read. root: 1 = cutoff treatments with
 * square roots, 0 = the others. energy: 1 = compute the energy. root and energy are compile-time constants. */
MYR_FN lennard_jones_cut lennard_jones_cut_near(lane r2, lane rinv2, const lane *c, const int root, const int energy)
{
    lennard_jones_cut at;
    const lennard_jones_terms lj = lennard_jones_at(rinv2, c);
    at.y = c[CUT_SIGMA2] * rinv2;
    at.energy = lane_set(K(0));
    if (energy)
        at.energy = lane_madd(c[CUT_EPSILON_4] * lj.y3, lj.y3 - K(1), c[CUT_C0]);
    if (!root) {
        at.factor = lane_madd(rinv2 * lj.y3, lj.bracket, c[CUT_PUSH]);
        if (energy)
            at.energy = lane_madd(c[CUT_C2], r2, at.energy);
    } else {
        const lane r = lane_sqrt(r2), rinv = r * rinv2, t = r - c[CUT_INNER];
        const lmask inside = lane_lt(t, lane_set(K(0)));
        const lane rise = lane_madd(lane_madd(K(3) * c[CUT_P3], t, K(2) * c[CUT_P2]), t, c[CUT_P1]);
        const lane within = lane_madd(-c[CUT_C1], rinv, rinv2 * (lj.y3 * lj.bracket));
        at.factor = lane_select(inside, within, -(rise * rinv));
        if (energy) {
            const lane cubic = lane_madd(lane_madd(lane_madd(c[CUT_P3], t, c[CUT_P2]), t, c[CUT_P1]), t, c[CUT_P0]);
            at.energy = lane_select(inside, lane_madd(c[CUT_C1], r, at.energy), cubic);
        }
    }
    return at;
}

/* The same for any distance: nothing beyond the cutoff. */
MYR_FN lennard_jones_cut lennard_jones_cut_at(lane r2, lane rinv2, const lane *c, const int root, const int energy)
{
    lennard_jones_cut at = lennard_jones_cut_near(r2, rinv2, c, root, energy);
    const lmask near = lane_lt(r2, c[CUT_RADIUS2]);
    at.factor = lane_keep(near, at.factor);
    at.energy = lane_keep(near, at.energy);
    return at;
}

#endif
