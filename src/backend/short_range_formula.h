/* short_range_formula.h - pair formula of the loops over windows: that of a kernel written by a user. Functions as in
 * short_range_pair.h. */
#ifndef MYR_BACKEND_SHORT_RANGE_FORMULA_H
#define MYR_BACKEND_SHORT_RANGE_FORMULA_H

#include "kernel/box_formula.h"

enum {
    PAIR_CONSTANTS = FORMULA_CONSTANTS,
    PAIR_MIDDLE = 0, /* only pairs within the first radius, the cutoff, are counted */
    PAIR_ALL = 0
};

MYR_FN int pair_reads(const window_kind kind, const int c)
{
    return c != FORMULA_WEIGHT || kind.sums;
}

MYR_FN void pair_simplify(lane *c)
{
    (void)c;
}

MYR_FN pair_values pair_evaluate(const window_kind kind, const window_distance *from, const lane *c)
{
    const box_formula at = box_formula_at(from->d, c, kind.sums);
    pair_values v = {.energy = at.energy, .y = at.y};
    MYR_UNROLL
    for (int k = 0; k < 3; k++)
        v.force[k] = at.force[k];
    return v;
}

/* Size of the force; the formula is 0 beyond the cutoff. */
MYR_FN lane pair_size(const lane *d, lane r2, const lane *c)
{
    (void)r2;
    return box_formula_at(d, c, 0).y;
}

/* All pairs have the formula in the reals of the loops. */
MYR_FN int pair_in_double(const double d[3], double y, const double *c, int sums, double force[3], double *energy)
{
    (void)d, (void)y, (void)c, (void)sums, (void)force, (void)energy;
    return 0;
}

/* Constants of the formula that depend on the parameters of the user, in doubles. */
static void formula_prepare(const double *parameter, double *constant)
{
    (void)FORMULA_(_prepare)(parameter, constant + FORMULA_FIRST);
}

/* Force and energy of one pair at the distance vector d, in user units. */
static void formula_one(const double *constant, const double d[3], double force[3], double *energy)
{
    lane c[FORMULA_CONSTANTS], x[3];
    for (int k = 0; k < FORMULA_CONSTANTS; k++)
        c[k] = lane_set((real)constant[k]);
    for (int k = 0; k < 3; k++)
        x[k] = lane_set((real)d[k]);
    c[FORMULA_SCALE] = lane_set(K(1));
    c[FORMULA_WEIGHT] = lane_set(K(0));
    const box_formula at = box_formula_at(x, c, 1);
    for (int k = 0; k < 3; k++)
        force[k] = (double)LANE_AT(at.force[k], 0);
    *energy = (double)LANE_AT(at.energy, 0);
}

#endif
