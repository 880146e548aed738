/* neighbour_range.c - upper bound of the sums of forces, proven from the closest pair.
 *
 * Let no pair have a larger y = (sigma/r)^2 than `most`. Particles of type b are then at least s = sigma_bb/sqrt(most)
 * apart, and at least R = sigma_ab/sqrt(most) from a particle of type a. Balls of radius s/2 around those within r of
 * it do not overlap, so that there are at most (1 + 2 r/s)^3. Repulsion decays at least like r^-13; summed by parts
 * over such a set of neighbours it stays below its largest value times
 *   1 + 13 (6 k/12 + 12 k^2/11 + 8 k^3/10),   k = R/s = sigma_ab/sigma_bb          (32 for one type)
 * Attraction is at most 2.4 epsilon/sigma for each neighbour within the cutoff. Particles of a type without mutual
 * repulsion have no such limit and may all be anywhere. The cutoff corrections of cut.h add at most the strongest
 * attraction to a force. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

/* Upper bound of the slope of the cubic spline. */
static double range_spline(const myr_pair_potential *p)
{
    double c[CUT_CONSTANTS];
    const double h = p->cutoff - p->inner;
    myr_cut_prepare(MYR_CUT_SPLINE, p, c);
    return fabs(c[CUT_P1]) + 2 * fabs(c[CUT_P2]) * h + 3 * fabs(c[CUT_P3]) * h * h;
}

/* Upper bound of all forces of particles of type b on one particle of type a. */
static double range_pair(const myr_neighbour *list, int a, int b, double most, double *one)
{
    const myr_pair_potential *p = list->set.pair + a * list->set.types + b;
    const myr_pair_potential *same = list->set.pair + b * list->set.types + b;
    if (!myr_cut_interacts(p))
        return 0;
    const double strength = p->epsilon / p->sigma, root = sqrt(most);
    const double repulsion = 48 * strength * most * most * most * most * most * most * root;
    const double pull = fmax(2.4 * strength, list->set.cut == MYR_CUT_SPLINE ? range_spline(p) : 0);
    double crowd = (double)list->set.all, within = crowd;
    if (myr_cut_interacts(same)) {
        const double k = p->sigma / same->sigma, reach = 1 + 2 * p->cutoff * root / same->sigma;
        crowd = fmin(crowd, 1 + 13 * (6 * k / 12 + 12 * k * k / 11 + 8 * k * k * k / 10));
        within = fmin(within, reach * reach * reach);
    }
    *one = fmax(*one, repulsion + 2 * pull);
    return crowd * repulsion + 2 * within * pull;
}

double myr_neighbour_bound(const myr_neighbour *list, double most, double *one)
{
    const int types = list->set.types;
    /* `most` may come from lanes beyond the cutoff, which contribute no force */
    for (int k = 0; k < types * types; k++) {
        const myr_pair_potential *p = list->set.pair + k;
        if (myr_cut_interacts(p))
            most = fmax(most, p->sigma * p->sigma / (p->cutoff * p->cutoff));
    }
    double bound = 0;
    *one = 0;
    for (int a = 0; a < types; a++) {
        double all = 0;
        for (int b = 0; b < types; b++)
            all += range_pair(list, a, b, most, one);
        bound = fmax(bound, all);
    }
    return bound;
}
