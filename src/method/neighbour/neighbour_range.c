/* neighbour_range.c - how large the sums of forces can become, proven from the closest pair.
 *
 * Let no pair have a larger y = (sigma/r)^2 than `most`. Particles of type b are then at least s = sigma_bb/sqrt(most)
 * from each other, and from a particle of type a at least R = sigma_ab/sqrt(most). Balls of radius s/2 about those
 * within r of it do not overlap, so there are at most (1 + 2 r/s)^3. Repulsion falls at least like r^-13; summed by
 * parts over such a crowd it stays below its largest value times
 *   1 + 13 (6 k/12 + 12 k^2/11 + 8 k^3/10),   k = R/s = sigma_ab/sigma_bb          (32 for one type)
 * Attraction is at most 2.4 epsilon/sigma for each of those within the cutoff. A type whose particles do not repel each
 * other has no such limit, and then all of them may be anywhere. What the ends of cut.h add to a force is at most the
 * attraction at its strongest. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

/* No steeper than this is the cubic. */
static double range_spline(const myr_pair_potential *p)
{
    double c[CUT_CONSTANTS];
    const double h = p->cutoff - p->inner;
    myr_cut_prepare(MYR_CUT_SPLINE, p, c);
    return fabs(c[CUT_P1]) + 2 * fabs(c[CUT_P2]) * h + 3 * fabs(c[CUT_P3]) * h * h;
}

/* Of all forces of type b on one particle of type a. */
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
    for (int k = 0; k < types * types; k++) { /* what lanes beyond the cutoff may have shown says nothing */
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
