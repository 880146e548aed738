/* neighbour_unit.c - unit of the fixed-point sums, 2^exponent: large enough for all sums, and not much larger.
 *
 * The closest pair determines the smallest sufficient exponent, `least` (neighbour_range.c). The exponent in use
 * depends only on the positions and on the previous exponent, so that it is the same on any number of domains and after
 * a restart:
 *   forces are evaluated again if they might not fit or the unit is far too coarse, with the exponent least + SPARE
 *   after that, an exponent outside [least + SPARE, least + SPARE + COARSE] becomes least + SPARE for the next
 *   evaluation
 * The spare bits are for the next step. Pairs approach each other by at most twice the largest displacement, which all
 * domains know before they evaluate forces: from the closest pair of the previous step they conclude that sums will
 * fit, and need no agreement after each evaluation. A displacement of 0.02 sigma at most doubles the largest force if
 * the closest pair is 0.8 sigma apart: one bit. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

enum { SPARE = 2, COARSE = 2, FAR_TOO_COARSE = 8 };

/* Smallest exponent with which all sums fit. */
static int unit_find(const myr_neighbour *list, double most)
{
    double one;
    const double bound = myr_neighbour_bound(list, most, &one);
    int exponent;
    if (list->unit[0]->real_bytes == 4) {
        (void)frexp(1.01 * bound, &exponent);
        return exponent - 31;
    }
    (void)frexp(fmax(1.01 * bound * 0x1p-5, one), &exponent);
    return exponent - 50;
}

/* Smallest exponent, cached: with many types there are many pairs of types to examine. */
static int unit_least(myr_neighbour *list, double most)
{
    if (list->least_for != most) {
        list->least = unit_find(list, most);
        list->least_for = most;
    }
    return list->least;
}

/* One pair that is too close makes the sums of all other pairs coarse, which requires a warning. */
static myr_status unit_warn(myr_neighbour *list)
{
    const myr_pair_potential *p = list->set.pair;
    while (!myr_cut_interacts(p))
        p++;
    const double usual = 24 * p->epsilon / p->sigma, unit = ldexp(1, list->exponent);
    if (list->warned || unit < 1e-4 * usual)
        return MYR_OK;
    int64_t pair[2];
    double nearest = -myr_neighbour_closest(list, pair);
    const myr_status status = myr_neighbour_largest(list, &nearest);
    list->warned = 1;
    myr_context_warn(
        list->context,
        "two particles are only %.3g apart (sigma is %.3g): while they are, fixed sums of all forces are in "
        "units of %.2g; minimise first, or use double arithmetic",
        -nearest, p->sigma, unit);
    return status;
}

static int unit_is_good(const myr_neighbour *list, int least)
{
    return least <= list->exponent && list->exponent <= least + FAR_TOO_COARSE;
}

myr_status myr_neighbour_unit_fits(myr_neighbour *list, double most, int *fits)
{
    *fits = 1;
    if (!list->set.fixed)
        return MYR_OK;
    const int least = unit_least(list, most);
    *fits = unit_is_good(list, least);
    if (*fits)
        return MYR_OK;
    list->exponent = least + SPARE;
    return unit_warn(list);
}

int myr_neighbour_unit_stays(myr_neighbour *list, double most)
{
    const int least = list->set.fixed ? unit_least(list, most) : list->exponent - SPARE;
    return least + SPARE <= list->exponent && list->exponent <= least + SPARE + COARSE;
}

myr_status myr_neighbour_unit_choose(myr_neighbour *list, double most)
{
    if (myr_neighbour_unit_stays(list, most))
        return MYR_OK;
    list->exponent = unit_least(list, most) + SPARE;
    return unit_warn(list);
}

/* (sigma/r)^2 of a pair after r/sigma has changed by `by`. */
static double unit_moved(double most, double by)
{
    const double r = 1 / sqrt(most) + by;
    return r > 0 ? 1 / (r * r) : (double)INFINITY;
}

/* Pairs that are not in the list, and pairs seen only beyond the cutoff, were at least a cutoff apart. */
int myr_neighbour_unit_safe(const myr_neighbour *list)
{
    double sigma = (double)INFINITY, most = list->closest;
    if (list->is_own || !(list->closest >= 0) || !(list->since < (double)INFINITY))
        return 0;
    for (int k = 0; k < list->set.types * list->set.types; k++) {
        const myr_pair_potential *p = list->set.pair + k;
        if (!myr_cut_interacts(p))
            continue;
        sigma = fmin(sigma, p->sigma);
        most = fmax(most, p->sigma * p->sigma / (p->cutoff * p->cutoff));
    }
    const double by = (2 * list->since + list->resolution) / sigma, high = unit_moved(most, -by);
    return high < (double)INFINITY && unit_is_good(list, unit_find(list, high * (1 + 1e-4))) &&
           unit_is_good(list, unit_find(list, unit_moved(most, by) * (1 - 1e-4)));
}

myr_status myr_neighbour_settle(myr_neighbour *list)
{
    if (!list->is_own)
        return MYR_OK;
    const myr_status status = myr_neighbour_largest(list, &list->closest);
    list->is_own = status != MYR_OK;
    return status ? status : myr_neighbour_unit_choose(list, list->closest);
}

int myr_neighbour_exponent(const myr_neighbour *list)
{
    return list->exponent;
}

void myr_neighbour_set_exponent(myr_neighbour *list, int exponent)
{
    list->exponent = exponent;
    list->is_own = 0;
    list->closest = -1;
}
