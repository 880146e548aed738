/* neighbour_range.c - limit of (sigma/r)^2 with which fixed-point sums are proven to fit, whatever pairs beyond the
 * limit do: these are summed elsewhere (neighbour_close.c).
 *
 * Pruning counts neighbours: the largest number of them that any particle can have, until they are counted again,
 * within
 *   2^(1/6) sigma   N0: beyond, there is only attraction, at most 2.4 epsilon/sigma
 *   2 sigma         N1: beyond, attraction is at most 0.19 epsilon/sigma
 *   the cutoff      N2
 * Pairs are counted within these radii and the distance by which they may approach until then. If no pair that counts
 * is stronger than F, sums are at most N0 F + (13 N1 + N2) 0.19 e, where e is the largest epsilon/sigma. The cutoff
 * corrections of cut.h add at most the attraction at the cutoff. No assumption on the arrangement of particles is made:
 * a dense clump has many neighbours, and so a low limit. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

/* Attraction at 2 sigma, in epsilon/sigma; the largest is less than 13 times that. */
#define RANGE_FAR 0.19
enum { RANGE_RADII = 2 };
static const double range_radius[RANGE_RADII] = {1.122462048309373, 2}; /* in sigma; 2^(1/6) and 2 */
#define RANGE_LEAST 0.7937005259840998                                  /* (sigma/r)^2 at the first radius */
#define RANGE_CLOSEST 1024 /* LENNARD_JONES_CLOSE: beyond, the pair formula is another one */

double myr_neighbour_strength(const myr_neighbour *list)
{
    if (list->set.formula)
        return list->strength;
    double strength = 0;
    for (int k = 0; k < list->set.types * list->set.types; k++)
        if (myr_cut_interacts(list->set.pair + k))
            strength = fmax(strength, list->set.pair[k].epsilon / list->set.pair[k].sigma);
    return strength > 0 ? strength : 1; /* no two types interact */
}

/* Upper bound of the slope of the cubic spline. */
static double range_spline(const myr_pair_potential *p)
{
    double c[CUT_CONSTANTS];
    const double h = p->cutoff - p->inner;
    myr_cut_prepare(MYR_CUT_SPLINE, p, c);
    return fabs(c[CUT_P1]) + 2 * fabs(c[CUT_P2]) * h + 3 * fabs(c[CUT_P3]) * h * h;
}

/* Upper bound of what the treatment of the cutoff adds to the force of a pair. */
static double range_cut(const myr_neighbour *list)
{
    double most = 0, slope = 0;
    for (int k = 0; k < list->set.types * list->set.types; k++) {
        const myr_pair_potential *p = list->set.pair + k;
        if (!myr_cut_interacts(p))
            continue;
        (void)myr_cut_whole(p, p->cutoff, &slope);
        if (list->set.cut == MYR_CUT_SPLINE)
            most = fmax(most, range_spline(p));
        else if (list->set.cut == MYR_CUT_SMOOTH || list->set.cut == MYR_CUT_FORCE)
            most = fmax(most, fabs(slope));
    }
    return most;
}

/* (sigma/r)^2 at which the Lennard-Jones force is `force` epsilon/sigma. */
static double range_closeness(double force)
{
    double low = RANGE_LEAST, high = RANGE_CLOSEST;
    for (int k = 0; k < 60; k++) {
        const double y = 0.5 * (low + high), y3 = y * y * y;
        if (24 * y3 * sqrt(y) * (2 * y3 - 1) < force)
            low = y;
        else
            high = y;
    }
    return low;
}

/* Sums of 32 and 64 bits have a sign; a conversion to an integer takes less than 2^51 in double arithmetic. */
double myr_neighbour_limit(const myr_neighbour *list)
{
    if (list->set.formula)
        return myr_neighbour_formula_limit(list);
    const int is_float = list->unit[0]->real_bytes == 4;
    const double strength = myr_neighbour_strength(list), cut = range_cut(list);
    const double pull = RANGE_FAR * strength + cut;
    const double range = 0.98 * ldexp(1, list->exponent + (is_float ? 31 : 61));
    const double one = ldexp(1, list->exponent + (is_float ? 31 : 50));
    const double near = fmax(list->near_most, 1), others = list->pull_most;
    const double most = fmin((range - others * pull) / near, one - cut);
    return others < (double)INFINITY && most > 0 ? range_closeness(most / strength) * (1 - 1e-4) : -1;
}

/* Pairs that are within r while the numbers of neighbours hold were within r + approach when they were counted. */
myr_status myr_neighbour_radii(myr_neighbour *list, double approach)
{
    const int types = list->set.types;
    if (!list->radius2)
        list->radius2 =
            myr_memory_zeros((int64_t)types * RANGE_RADII * list->stride, (size_t)list->unit[0]->real_bytes);
    if (!list->radius2)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the radii of %d types", types);
    for (int64_t k = 0; k < (int64_t)types * types * RANGE_RADII; k++) {
        const int64_t a = k / RANGE_RADII / types, b = k / RANGE_RADII % types, which = k % RANGE_RADII;
        const myr_pair_potential *p = list->set.pair + a * types + b;
        const double r = list->set.formula ? p->cutoff : fmin(range_radius[which] * p->sigma, p->cutoff);
        const double before = r + approach + list->resolution;
        const double square = myr_cut_interacts(p) ? before * before / (list->sigma * list->sigma) : 0;
        const int64_t at = (a * RANGE_RADII + which) * list->stride + b;
        if (list->unit[0]->real_bytes == 4)
            ((float *)list->radius2)[at] = (float)square;
        else
            ((double *)list->radius2)[at] = square;
    }
    return MYR_OK;
}
