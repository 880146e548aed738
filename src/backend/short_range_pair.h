/* short_range_pair.h - pair formula of the loops over windows: Lennard-Jones with the treatments of the cutoff.
 * short_range_formula.h has the same functions for kernels written by users. See short_range.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_PAIR_H
#define MYR_BACKEND_SHORT_RANGE_PAIR_H

#include "kernel/lennard_jones_close.h"
#include "kernel/lennard_jones_cut.h"

enum {
    PAIR_CONSTANTS = CUT_CONSTANTS,
    PAIR_MIDDLE = MYR_SHORT_RANGE_MIDDLE, /* weights of neighbours when they are counted */
    PAIR_ALL = MYR_SHORT_RANGE_ALL
};

/* Returns 1 if a variant reads constant c; other constants are not looked up. */
MYR_FN int pair_reads(const window_kind kind, const int c)
{
    switch (c) {
    case CUT_PUSH:
        return !kind.root;
    case CUT_C1:
    case CUT_INNER:
    case CUT_P1:
    case CUT_P2:
    case CUT_P3:
        return kind.root;
    case CUT_EPSILON_4:
    case CUT_C0:
        return kind.sums;
    case CUT_C2:
        return kind.sums && !kind.root;
    case CUT_P0:
        return kind.sums && kind.root;
    default:
        return 1;
    }
}

/* With one type, lengths are in units of sigma, a constant known to the compiler. */
MYR_FN void pair_simplify(lane *c)
{
    c[CUT_SIGMA2] = lane_set(K(1));
}

MYR_FN pair_values pair_evaluate(const window_kind kind, const window_distance *from, const lane *c)
{
    const lennard_jones_cut at = lennard_jones_cut_at(from->r2, from->rinv2, c, kind.root, kind.sums);
    pair_values v = {.energy = at.energy, .y = at.y};
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        v.force[k] = at.factor * from->d[k];
    return v;
}

/* Repulsion, which the unit of fixed-point sums follows; 0 beyond the cutoff. */
MYR_FN lane pair_size(const lane *d, lane r2, const lane *c)
{
    (void)d;
    const lane y = c[CUT_SIGMA2] * (K(1) / r2), y3 = y * y * y;
    return lane_keep(lane_lt(r2, c[CUT_RADIUS2]), c[CUT_EPSILON_48] * (y3 * y3));
}

/* Very close pair, in double, by the rule of lennard_jones_close.h. Returns 0 if the pair is not that close. */
MYR_FN int pair_in_double(const double d[3], double y, const double *c, int sums, double force[3], double *energy)
{
    if (!(y > LENNARD_JONES_CLOSE))
        return 0;
    const lennard_jones_close at =
        lennard_jones_close_at(d, c[CUT_SIGMA2], c[CUT_EPSILON_48], c[CUT_EPSILON_24], sums ? c[CUT_EPSILON_4] : 0);
    for (int k = 0; k < 3; k++)
        force[k] = at.factor * d[k];
    *energy = at.energy;
    return 1;
}

#endif
